import fc from '../../helpers/property.js';
import t from 'tap';
import { pointFile } from '../../../adapters/points/pointFile.js';
import { utcClock } from '../../../application/ports/localClock.js';
import type { Reading, Setting } from '../../../application/requests/points/sliceValues.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { storeWaiting } from '../../helpers/points/waitingReadings.js';
import { amount } from '../../helpers/amount.js';

// Readings of a register give the same slices whatever the bodies that they come in, and whatever the order of these.

const size = 24;
const firstDay = dayNumber('2024-03-06');

/** A reading: minutes since the first midnight, and what the register shows. */
type Shown = { readonly minute: number; readonly value: number };

/** The days after bodies of readings that come one after the other. */
const daysAfter = async (
  bodies: readonly (readonly Shown[])[],
  interpolationMethod: 'linear' | 'zero',
): Promise<readonly (Day | undefined)[]> => {
  const buffer = pointFile(':memory:');
  const reading = {
    models: {
      days: {
        wholeDayRevision: () => -1,
        recent: (_: number, date: string) => days.get(date),
      },
      typicalDays: { list: () => [] },
    },
    buffer,
  } as unknown as Reading;
  const source = {
    id: 1,
    activitySize: size,
    aggregation: 'counter',
    interpolationMethod,
    lateness: 'PT15M',
  };
  const setting = {
    source,
    clock: utcClock,
    nowMs: (firstDay + 3) * 86_400_000,
    elapsedAt: 0,
    isResuming: false,
  } as unknown as Setting;
  const days = new Map<string, Day>();
  for (const body of bodies) {
    const points = body.map(({ minute, value }) => ({
      ...{ at: (firstDay * 86_400 + minute * 60) * 1e6, value, base: -1 },
    }));
    await buffer.add({ sourceId: 1, by: 'anna', points });
    await storeWaiting(reading, setting, days);
  }
  buffer.close();
  return [0, 1, 2].map(index => days.get(dateOf(firstDay + index)));
};

/** Slices with their values and whether these were measured; none without a value. */
const slicesOf = (days: readonly (Day | undefined)[]): string[] =>
  days.flatMap((day, index) =>
    Array.from({ length: size }, (_, slice) => {
      const isIn = (runs: readonly (readonly [number, number])[]) =>
        runs.some(([from, to]) => from <= slice && slice < to);
      if (!day || isIn(day.gaps)) return '';
      return `${index} ${slice} ${day.activity[slice]?.toFixed(6)} ${isIn(day.filled) ? 'spread' : 'measured'}`;
    }),
  );

/** A series of readings, with one reset at most. */
const anySeries = fc
  .record({
    steps: fc.array(
      fc.record({ minutes: fc.integer({ min: 1, max: 150 }), rise: fc.integer({ min: 0, max: 9 }) }),
      { minLength: 3, maxLength: 25 },
    ),
    resetAt: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ steps, resetAt }) => {
    let [minute, value] = [0, 1000];
    return steps.map(({ minutes, rise }, index): Shown => {
      minute += minutes;
      value = index === resetAt ? 5 : value + rise;
      return { minute, value };
    });
  });

/** Readings in another order, in bodies of one to three. */
const anyBodies = anySeries.chain(series =>
  fc.record({
    series: fc.constant(series),
    order: fc.shuffledSubarray(series, { minLength: series.length }),
    sizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: series.length, maxLength: series.length }),
    isLinear: fc.boolean(),
  }),
);

const inBodies = (readings: readonly Shown[], sizes: readonly number[]): (readonly Shown[])[] => {
  const bodies: (readonly Shown[])[] = [];
  let from = 0;
  for (const count of sizes) {
    if (from < readings.length) bodies.push(readings.slice(from, from + count));
    from += count;
  }
  return bodies;
};

t.test('readings in tiny bodies, out of order, give the slices of one body', async t => {
  let measured = 0;
  const numRuns = amount({ quick: 100, slow: 300 });
  await fc.assert(
    fc.asyncProperty(anyBodies, async ({ series, order, sizes, isLinear }) => {
      const method = isLinear ? 'linear' : 'zero';
      const whole = slicesOf(await daysAfter([series], method));
      measured += whole.filter(slice => slice.endsWith('measured')).length;
      for (const readings of [order, series]) {
        const found = slicesOf(await daysAfter(inBodies(readings, sizes), method));
        if (found.join() !== whole.join()) throw new Error(`got ${found.join()}, expected ${whole.join()}`);
      }
    }),
    { numRuns, endOnFailure: true },
  );
  t.ok(measured > 1.6 * numRuns);
});
