import type { Service } from '../service.js';
import { verdictTimeoutMs } from '../service.js';

/** Waits for the check that an event caused; false when it takes longer than a request waits. */
export const checkedInTime = async (
  { models, waiters: waiting }: Pick<Service, 'models' | 'waiters'>,
  causeId: string,
): Promise<boolean> =>
  (await waiting.until(() => models.days.check(causeId).complete || undefined, verdictTimeoutMs)) === true;
