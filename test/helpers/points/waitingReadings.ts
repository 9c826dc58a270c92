import { valuesOf, type Reading, type Setting } from '../../../application/requests/points/sliceValues.js';
import { dateOf } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { dayWithPoints } from '../../../domain/points.js';

/** Stores the readings of source 1 that wait in the buffer, as the writer of points does; `days` are its days by date. */
export const storeWaiting = async (
  reading: Reading,
  setting: Setting,
  days: Map<string, Day>,
): Promise<void> => {
  const waiting = await reading.buffer.waiting(1, 1000);
  if (waiting.length === 0) return;
  const { changed, waits } = await valuesOf(reading, setting, waiting);
  const rule = { activitySize: setting.source.activitySize, interpolates: false };
  for (const { dayNumber, ...values } of changed) {
    const date = dateOf(dayNumber);
    days.set(
      date,
      dayWithPoints({ date, ...values }, rule, on => days.get(on)),
    );
  }
  if (!waits) await reading.buffer.stored(1, waiting);
};
