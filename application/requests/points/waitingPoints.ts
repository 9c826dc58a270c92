import { secondsPerDay } from '../../../domain/dates.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import { endOf, placeAt, startOf } from './sliceTimes.js';
import { microsOf, pointsAtOnce, type Setting } from './sliceValues.js';

/** Most points of one date that are stored together, two a second. */
export const pointsOfDateMax = 200_000;

/**
 * The first points of a source that wait for the log, ascending. Their dates are whole: a closed date that is stored in
 * parts has a gap until the last one.
 * @param end microseconds since 1970
 */
export const waitingPoints = async (
  buffer: Pick<PointBuffer, 'waiting'>,
  { source: { id, activitySize }, clock }: Pick<Setting, 'source' | 'clock'>,
  end: number,
): Promise<{ readonly points: readonly BufferedPoint[]; readonly hasMore: boolean }> => {
  const page = await buffer.waiting(id, pointsAtOnce, end);
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last || page.length < pointsAtOnce) return { points: page, hasMore: false };
  const { dayNumber } = placeAt(clock, activitySize, last.at / 1e6);
  const [midnight, next] = [dayNumber, dayNumber + 1].map(number => microsOf(startOf(clock, number)));
  const points =
    first.at < midnight!
      ? page.filter(({ at }) => at < midnight!)
      : await buffer.waiting(id, pointsOfDateMax, Math.min(end, next!));
  return { points, hasMore: true };
};

/** Points of slices that have elapsed. */
export const elapsedOf = ({ source, clock, elapsedAt }: Setting, points: readonly BufferedPoint[]) => {
  // No clock repeats more than a day.
  const isOver = (seconds: number): boolean => seconds < elapsedAt - 2 * secondsPerDay;
  return points.filter(({ at }) => {
    const seconds = at / 1e6;
    if (isOver(seconds)) return true;
    return endOf(clock, source.activitySize, placeAt(clock, source.activitySize, seconds)) <= elapsedAt;
  });
};
