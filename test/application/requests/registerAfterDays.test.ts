import fc from '../../helpers/property.js';
import t from 'tap';
import { pointFile } from '../../../adapters/points/pointFile.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { differences, type Reading, type Setting } from '../../../application/requests/points/sliceValues.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { isIn, runsWhere, type Day } from '../../../domain/day.js';
import { exactList } from '../../helpers/exactList.js';
import { storeWaiting } from '../../helpers/points/waitingReadings.js';

// Readings of a register that come after `days` of their dates change no slice that the days had measured.

const size = 24;
const firstDay = dayNumber('2024-03-06');

type Shown = { readonly hour: number; readonly value: number };

/** A source of a register, fed by readings and by days of amounts. */
const register = (interpolationMethod: 'linear' | 'zero') => {
  const buffer = pointFile(':memory:');
  const days = new Map<string, Day>();
  const whole = new Map<string, number>();
  let revision = -1;
  const wholeDayRevision = (_: number, date: string) => whole.get(date) ?? -1;
  const recent = (_: number, date: string) => days.get(date);
  const models = { days: { wholeDayRevision, recent }, typicalDays: { list: () => [] } };
  const reading = { models, buffer } as unknown as Reading;
  const source = { id: 1, activitySize: size, aggregation: 'counter', interpolationMethod };
  const setting = {
    ...{ clock: utcClock, nowMs: (firstDay + 3) * 86_400_000, elapsedAt: 0, isResuming: false },
    source: { ...source, lateness: 'PT15M' },
  } as unknown as Setting;
  return {
    close: () => buffer.close(),
    add: (readings: readonly Shown[]) => {
      const points = readings.map(({ hour, value }) => ({
        at: (firstDay * 86_400 + hour * 3600) * 1e6,
        value,
        base: wholeDayRevision(1, dateOf(firstDay + Math.floor(hour / 24))),
      }));
      return buffer.add({ sourceId: 1, by: 'anna', points });
    },
    store: () => storeWaiting(reading, setting, days),
    /** The whole of a date by `days`, which has amounts from slice 0 on, or takes the date back. */
    import: (day: number, amounts: readonly number[] | undefined): void => {
      const date = dateOf(firstDay + day);
      whole.set(date, (revision += 1));
      const activity = Array.from({ length: size }, (_, slice) => amounts?.[slice] ?? 0);
      const gaps = runsWhere(size, slice => slice >= (amounts?.length ?? 0));
      if (amounts) days.set(date, { date, activity, gaps, filled: [] });
      else days.delete(date);
    },
    /** Slices of a date: a measured amount, an amount in brackets that is spread, - for a gap. */
    shown: (day: number): string => {
      const found = days.get(dateOf(firstDay + day));
      if (!found) return 'no day';
      const { activity, gaps, filled } = found;
      const sliceOf = (amount: number, slice: number): string =>
        isIn(gaps, slice) ? '-' : isIn(filled, slice) ? `(${amount})` : String(amount);
      return activity
        .map(sliceOf)
        .join(' ')
        .replace(/( -)+$/, '');
    },
  };
};

const hours = (from: number, to: number): Shown[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    ...{ hour: from + index, value: 1000 + 10 * (from + index) },
  }));

for (const method of ['zero', 'linear'] as const) {
  t.test(`${method}: the slice between the days and the next reading is a gap`, async t => {
    const meter = register(method);
    t.teardown(meter.close);
    await meter.add(hours(0, 7));
    await meter.store();
    t.equal(meter.shown(0), '10 10 10 10 10 10 10');
    meter.import(0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await meter.add(hours(12, 12));
    await meter.store();
    t.equal(meter.shown(0), '1 2 3 4 5 6 7 8 9 10 11');
    await meter.add(hours(13, 14));
    await meter.store();
    t.equal(meter.shown(0), '1 2 3 4 5 6 7 8 9 10 11 - 10 10');
    await meter.add(hours(9, 11));
    await meter.store();
    t.equal(meter.shown(0), '1 2 3 4 5 6 7 8 9 10 10 10 10 10', 'readings that are sent again count');
  });

  t.test(`${method}: a reading of the evening before and the next one know nothing between`, async t => {
    const meter = register(method);
    t.teardown(meter.close);
    await meter.add(hours(20, 23));
    await meter.store();
    meter.import(1, [1, 2, 3]);
    await meter.add(hours(24 + 5, 24 + 6));
    await meter.store();
    t.match(meter.shown(0), / 10 10 10$/);
    t.equal(meter.shown(1), '1 2 3 - - 10');
  });

  t.test(`${method}: readings of a date that was taken back do not count`, async t => {
    const meter = register(method);
    t.teardown(meter.close);
    await meter.add(hours(0, 7));
    await meter.store();
    meter.import(0, undefined);
    await meter.add(hours(9, 11));
    await meter.store();
    t.equal(meter.shown(0), '- - - - - - - - - 10 10');
  });
}

t.test('readings far apart spread their rise where nothing was measured', async t => {
  const meter = register('linear');
  t.teardown(meter.close);
  meter.import(0, [1, 2, 3]);
  await meter.add(hours(5, 6));
  await meter.add(hours(9, 10));
  await meter.store();
  t.equal(meter.shown(0), '1 2 3 - - 10 (10) (10) (10) 10');
});

t.test('a slice of days changes with a reading on both of its sides only', async t => {
  const hour = fc.integer({ min: 0, max: 71 });
  const anyHours = fc.uniqueArray(hour, { minLength: 1, maxLength: 40 });
  const anyCase = fc.record({
    ...{ before: anyHours, after: anyHours, isLinear: fc.boolean() },
    day: fc.integer({ min: 0, max: 2 }),
    length: fc.integer({ min: 0, max: size }),
  });
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(anyCase, async ({ before, after, isLinear, day, length }) => {
      const meter = register(isLinear ? 'linear' : 'zero');
      const shown = (at: number): Shown => ({ hour: at, value: 1000 + 10 * at });
      await meter.add(before.map(shown));
      await meter.store();
      meter.import(day, Array<number>(length).fill(7));
      for (const at of after) {
        await meter.add([shown(at)]);
        await meter.store();
      }
      const slices = meter.shown(day).split(' ');
      const counts = (at: number): boolean =>
        after.includes(at) || (before.includes(at) && Math.floor(at / 24) !== day);
      for (let slice = 0; slice < length; slice += 1) {
        const isSet = counts(24 * day + slice) && counts(24 * day + slice + 1);
        const expected = isSet ? '10' : '7';
        if (slices[slice] !== expected)
          throw new Error(`slice ${slice}: got ${slices.join(' ')}, expected ${expected}`);
        if (!isSet) kept += 1;
      }
      meter.close();
    }),
    { numRuns: 200, endOnFailure: true },
  );
  t.ok(kept > 500);
});

t.test('a reading before many others does not read all of these', async t => {
  const buffer = pointFile(':memory:');
  const at = (minute: number): number => (firstDay * 86_400 + minute * 60) * 1e6;
  const points = Array.from({ length: 3000 }, (_, minute) => ({ at: at(minute), value: minute, base: -1 }));
  await buffer.add({ sourceId: 1, by: 'anna', points });
  let read = 0;
  const counted = {
    ...buffer,
    between: async (...range: Parameters<typeof buffer.between>) => {
      const found = await buffer.between(...range);
      read += found.length;
      return found;
    },
  };
  const days = { wholeDayRevision: () => -1, recent: () => undefined };
  const reading = {
    models: { days, typicalDays: { list: () => [] } },
    buffer: counted,
  } as unknown as Reading;
  const source = { id: 1, activitySize: size, aggregation: 'counter', interpolationMethod: 'zero' };
  const setting = {
    ...{ clock: utcClock, nowMs: (firstDay + 3) * 86_400_000, elapsedAt: 0, isResuming: false },
    source: { ...source, lateness: 'PT15M' },
  } as unknown as Setting;
  const { changed } = await differences(reading, setting, points.slice(70, 71));
  t.match(changed, exactList({ observed: exactList(exactList(1, exactList(60))) }));
  t.ok(read < 1000, `${read} readings`);
  buffer.close();
});
