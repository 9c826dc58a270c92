import { dateOf, dayNumber } from '../../../domain/dates.js';
import { latenessMs } from '../../../domain/points.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { Environment } from '../../ports/environment.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import { placeAt, startOf } from './sliceTimes.js';
import { microsOf, type Setting } from './sliceValues.js';

/** Milliseconds without new points after which a backlog has come, and the longest wait for it. */
const quietMs = 10_000;
const waitMsMax = 5 * 60_000;

/** Whether senders have time after an outage for what they kept: the lateness of their source, or five minutes. */
export const isResuming = (
  source: { readonly lateness: string },
  resumedAt: string,
  nowMs: number,
): boolean => nowMs - Date.parse(resumedAt) < Math.max(waitMsMax, latenessMs(source));

type Parts = {
  readonly models: { readonly days: Pick<ReadModels['days'], 'firstOpen'> };
  readonly buffer: Pick<PointBuffer, 'lastBefore'>;
  readonly environment: Pick<Environment, 'elapsedMs'>;
};

/**
 * Returns a function that says whether points of closed dates are still coming: a closed date that is stored with half
 * of its points would have a gap.
 */
export const arrivals = ({ models, buffer, environment }: Parts) => {
  const coming = new Map<
    number,
    { readonly mark: string; readonly sinceMs: number; readonly newMs: number }
  >();
  return async (setting: Setting, waiting: readonly BufferedPoint[]): Promise<boolean> => {
    const { source, clock, nowMs } = setting;
    const present = placeAt(clock, source.activitySize, (nowMs - latenessMs(source)) / 1000).dayNumber;
    // A date in progress waits for nothing at its end.
    const open = dayNumber(models.days.firstOpen(source.id) ?? dateOf(present));
    const end = microsOf(startOf(clock, Math.min(present, open)));
    const closed = waiting.filter(({ at }) => at < end);
    const last = closed.at(-1) && (await buffer.lastBefore(source.id, end));
    const mark = last ? `${closed.length} ${last.at}` : '';
    const atMs = environment.elapsedMs();
    const known = coming.get(source.id) ?? { mark, sinceMs: atMs, newMs: atMs };
    const newMs = mark === known.mark ? known.newMs : atMs;
    const isComing = mark !== '' && atMs - newMs < quietMs && atMs - known.sinceMs < waitMsMax;
    if (isComing) coming.set(source.id, { ...known, mark, newMs });
    else coming.delete(source.id);
    return isComing;
  };
};
