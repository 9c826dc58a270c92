import { stretchSecondsMax } from '../../../domain/register.js';
import type { BufferedPoint } from '../../ports/pointBuffer.js';
import type { Points } from './pointList.js';
import {
  differences,
  microsOf,
  type ChangedDay,
  type Reading,
  type Setting,
  pointsAtOnce,
} from './sliceValues.js';

/** Late readings of a body that join those of other bodies; a longer body has its slices by itself. */
export const lateReadingsMax = 1000;
/** Most late readings of a source that are kept. */
const keptMax = 10_000;

/** Key of the late readings of a source in the buffer of points, whose other keys are ids of sources. */
export const lateKey = (sourceId: number): number => -sourceId;

/** Readings for the buffer. */
export const lateReadings = ({ times, values }: Points): BufferedPoint[] =>
  Array.from(times, (at, index) => ({ at: microsOf(at), value: values[index]!, base: -1 }));

/**
 * The slices that late readings change together with those of earlier bodies. Slices that stay unknown keep what they
 * have.
 */
const changedBy = async (
  reading: Reading,
  setting: Setting,
  readings: readonly BufferedPoint[],
): Promise<readonly ChangedDay[]> => {
  const { id } = setting.source;
  const { changed } = await differences(reading, setting, readings, lateKey(id));
  return changed.flatMap(({ gaps, ...day }) =>
    day.observed.length + (day.filled?.length ?? 0) === 0 ? [] : [day],
  );
};

/**
 * Reads the late readings that wait in the buffer, and stores the slices that follow from them.
 * @param append stores changed days, and the number of readings
 * @throws InvalidInput `notCumulative` for readings that are no register; they are given up
 */
export const storeLateReadings = async (
  reading: Reading,
  setting: Setting,
  append: (changed: readonly ChangedDay[], points: number) => Promise<void>,
): Promise<void> => {
  const key = lateKey(setting.source.id);
  const { buffer } = reading;
  const waiting = await buffer.waiting(key, pointsAtOnce);
  const first = waiting[0];
  if (!first) return;
  const changed = await changedBy(reading, setting, waiting);
  if (changed.length > 0) await append(changed, waiting.length);
  await buffer.stored(key, waiting);
  await buffer.forget(key, first.at - microsOf(stretchSecondsMax));
  const kept = await buffer.between(key, 0, Number.MAX_SAFE_INTEGER);
  if (kept.length > keptMax) await buffer.forget(key, kept[kept.length - keptMax / 2]!.at);
};
