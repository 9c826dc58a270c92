import { dayNumber } from '../../../domain/dates.js';
import { latenessMs } from '../../../domain/points.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { Environment } from '../../ports/environment.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import { placeAt, startOf } from './sliceTimes.js';
import { microsOf, type Setting } from './sliceValues.js';

/** Milliseconds without new points after which a backlog has come, and the longest wait for it. */
const quietMs = 10_000;
const waitMsMax = 5 * 60_000;

/** Longest wait after an outage: a host that is off each night closes its dates, whatever the lateness. */
const resumingMsMax = 3_600_000;

/**
 * Whether senders have time after an outage for what they kept: the lateness of their source, from five minutes to an
 * hour.
 */
export const isResuming = (
  source: { readonly lateness: string },
  resumedAt: string,
  nowMs: number,
): boolean =>
  nowMs - Date.parse(resumedAt) < Math.min(resumingMsMax, Math.max(waitMsMax, latenessMs(source)));

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
    // A date in progress waits for nothing at its end. After an outage the date of its beginning is one still.
    const open = setting.isResuming ? undefined : models.days.firstOpen(source.id);
    const until = open === undefined ? present : Math.min(present, dayNumber(open));
    const end = microsOf(startOf(clock, until));
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
