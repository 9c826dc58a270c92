import type { Service } from '../service.js';
import { outcomeTimeoutMs } from '../service.js';

/** Waits for the check that an event caused; false when it takes longer than a request waits. */
export const checkedInTime = async (
  { models, waiters }: Pick<Service, 'models' | 'waiters'>,
  causeId: string,
): Promise<boolean> =>
  (await waiters.until(() => models.days.check(causeId).complete || undefined, outcomeTimeoutMs)) === true;
