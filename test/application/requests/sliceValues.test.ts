import t from 'tap';
import { pointFile } from '../../../adapters/points/pointFile.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { utcClock } from '../../../application/ports/localClock.js';
import type { BufferedPoint } from '../../../application/ports/pointBuffer.js';
import { startOf } from '../../../application/requests/points/sliceTimes.js';
import { valuesOf, type Reading, type Setting } from '../../../application/requests/points/sliceValues.js';
import { dayNumber } from '../../../domain/dates.js';

/** A source with 48 slices in a time zone, its points, and the number of points that were read. */
const sourceIn = async (timeZone: string, points: readonly BufferedPoint[]) => {
  const buffer = pointFile(':memory:');
  t.teardown(() => buffer.close());
  await buffer.add({ sourceId: 1, by: 'anna', points });
  const read = { points: 0 };
  const reading = {
    models: { days: { wholeDayRevision: () => -1 }, models: { list: () => [] } },
    buffer: {
      ...buffer,
      between: async (...range: Parameters<typeof buffer.between>) => {
        const found = await buffer.between(...range);
        read.points += found.length;
        return found;
      },
    },
  } as unknown as Reading;
  const source = { id: 1, activitySize: 48, aggregation: 'mean', interpolationMethod: 'zero', timeZone };
  const clock = clockOf(timeZone) ?? utcClock;
  const setting = { source, clock, nowMs: 0, elapsedAt: 0, isResuming: false } as unknown as Setting;
  return { read, valuesOf: (given: readonly BufferedPoint[]) => valuesOf(reading, setting, given) };
};

/** Points of a local day, one each ten minutes; the value is the number of the point. */
const pointsOf = (timeZone: string, date: string): readonly BufferedPoint[] => {
  const clock = clockOf(timeZone) ?? utcClock;
  const [from, to] = [dayNumber(date), dayNumber(date) + 1].map(number => startOf(clock, number));
  return Array.from({ length: (to! - from!) / 600 }, (_, n) => ({
    ...{ at: (from! + n * 600) * 1e6, value: n, base: -1 },
  }));
};

t.test('a slice is computed from its own points, not from those of its day', async t => {
  const points = pointsOf('UTC', '2024-03-06');
  const { read, valuesOf } = await sourceIn('UTC', points);
  for (let slice = 0; slice < 48; slice += 1) {
    const { changed } = await valuesOf([points[3 * slice + 1]!]);
    t.strictSame(changed, [{ dayNumber: dayNumber('2024-03-06'), observed: [[slice, [3 * slice + 1]]] }]);
  }
  t.equal(read.points, points.length, 'each point was read once');
});

t.test('a slice of an hour that the clock repeats has the points of both times', async t => {
  const points = pointsOf('Europe/Paris', '2024-10-27');
  t.equal(points.length, 150);
  const { valuesOf } = await sourceIn('Europe/Paris', points);
  const observedOf = async (...numbers: readonly number[]) =>
    (await valuesOf(numbers.map(n => points[n]!))).changed.map(({ observed }) => observed);
  // 02:00 to 02:30 comes first with the points 12 to 14, then with 18 to 20.
  for (const n of [13, 19]) t.strictSame(await observedOf(n), [[[4, [(13 + 19) / 2]]]]);
  t.strictSame(await observedOf(16, 19), [[[4, [16, 19]]]]);
  t.strictSame(await observedOf(149), [[[47, [148]]]]);
});
