import fc from '../../../helpers/property.js';
import t from 'tap';
import { clockOf } from '../../../../adapters/timeZones.js';
import { InvalidInput } from '../../../../application/requests/imports/faults.js';
import {
  daysOfReadings,
  foldRegister,
  type FoldedRegister,
  type RegisterReading,
} from '../../../../application/requests/imports/registerFolder.js';
import type { RegisterRule } from '../../../../application/requests/imports/registerVerdict.js';
import { skippedSlices } from '../../../../application/ports/localClock.js';
import { dayNumber, secondsPerDay } from '../../../../domain/dates.js';
import { seededRandom } from '../../../../analysis/math/seededRandom.js';
import { runsLength } from '../../../../domain/day.js';
import { rollOver } from '../../../../domain/register.js';
import { amount } from '../../../helpers/amount.js';
import { readPart, seriesNames } from '../../../../bench/quality/dataFolder.js';
import { realFacts, realSeriesFolder } from '../../../helpers/data/realSeries.js';
import { exactList } from '../../../helpers/exactList.js';
import { registerOf, type Mishap } from '../../../helpers/data/registers.js';

const monday = dayNumber('2024-01-01') * secondsPerDay;
const hour = 3600;
const sixHours: RegisterRule & { activitySize: 4 } = { activitySize: 4, interpolationMethod: 'zero' };

/** Readings at hours after the start of 2024. */
const at = (...readings: readonly (readonly [hours: number, value: number])[]): RegisterReading[] =>
  readings.map(([hours, value]) => ({ at: monday + hours * hour, value }));
const valuesOf = ({ sampled }: FoldedRegister): readonly (readonly number[])[] =>
  sampled.map(({ values }) => values);
const codesOf = ({ warnings }: FoldedRegister): string[] => warnings.map(({ code }) => code);
const rounded = (values: readonly number[], decimals = 6): number[] =>
  values.map(value => Number(value.toFixed(decimals)));

/** A register that rises by 1 an hour for 30 hours from an hour on. */
const steady = (from: number, value: number) =>
  Array.from({ length: 31 }, (_, index) => [from + index, value + index] as const);

t.test('a slice is the difference of the register at its ends', async t => {
  const exact = daysOfReadings(at([0, 100], [6, 101.5], [12, 103], [18, 103], [24, 110]), sixHours);
  t.strictSame(valuesOf(exact), [[1.5, 1.5, 0, 7]], 'the reading at midnight only ends the day');
  t.strictSame([exact.warnings, exact.notes], [[], []]);

  const between = daysOfReadings(at([3, 100], [9, 106], [15, 118], [21, 118], [27, 124]), sixHours);
  t.strictSame(
    valuesOf(between),
    [
      [NaN, 9, 6, 3],
      [NaN, NaN, NaN, NaN],
    ],
    'interpolated between readings; the slices at the ends are partial',
  );

  const many = daysOfReadings(at([0, 0.1], [1, 0.3], [2, 0.4], [5.5, 1], [6.5, 1.2], [12, 5]), sixHours);
  t.strictSame(valuesOf(many), [[1, 3.9, NaN, NaN]], 'without the noise of binary fractions');

  const large = daysOfReadings(at([0, 5e13], [6, 5e13 + 10.3], [12, 5e13 + 20]), sixHours);
  t.strictSame(valuesOf(large), [[10, 10, NaN, NaN]], 'fourteen digits are before the point');
});

t.test('a reading before the list completes the first slice', async t => {
  const list = at([8, 12], [12, 20]);
  const before = { at: monday + 6 * hour, value: 10 };
  t.strictSame(valuesOf(daysOfReadings(list, sixHours)), [[NaN, NaN, NaN, NaN]]);
  t.strictSame(valuesOf(daysOfReadings(list, sixHours, before)), [[NaN, 10, NaN, NaN]]);
  const early = { at: monday - 2 * hour, value: 8 };
  t.strictSame(
    valuesOf(daysOfReadings(at([4, 14], [6, 18]), sixHours, early)),
    [[8, NaN, NaN, NaN]],
    'also an earlier one, whose own day has no row and no whole slice',
  );
});

t.test('resets, jumps and roll-overs', async t => {
  const reset = daysOfReadings(at(...steady(0, 500), [31, 0.5], [36, 5.5], [42, 11.5], [48, 17.5]), sixHours);
  t.strictSame(valuesOf(reset), [
    [6, 6, 6, 6],
    [6, NaN, 6, 6],
  ]);
  t.match(
    reset.warnings,
    exactList({
      code: 'counterReset',
      detail:
        'got 0.5 at 2024-01-02T07:00:00Z after 530 at 2024-01-02T06:00:00Z: the register was reset or the meter ' +
        'was exchanged; what it counted between the two readings is not known and is a gap',
    }),
  );

  const jump = daysOfReadings(at(...steady(0, 500), [31, 90_000], [36, 90_005], [42, 90_011]), sixHours);
  t.strictSame(valuesOf(jump), [
    [6, 6, 6, 6],
    [6, NaN, 6, NaN],
  ]);
  t.match(
    jump.warnings,
    exactList({
      code: 'counterJump',
      detail:
        'got 90000 at 2024-01-02T07:00:00Z after 530 at 2024-01-02T06:00:00Z: a rise of 89470 is more than 100 ' +
        'times as fast as the fastest other rise, 1 an hour; the time between the two readings is a gap',
    }),
  );
  const peak = daysOfReadings(at(...steady(0, 500), [31, 600], [36, 605], [42, 611]), sixHours);
  t.strictSame([valuesOf(peak)[1], codesOf(peak)], [[6, 75, 6, NaN], []], 'a peak of 70 an hour is none');

  const rolled = daysOfReadings(at(...steady(0, 99_969), [31, 1], [36, 6], [42, 12]), sixHours);
  t.strictSame(valuesOf(rolled)[1], [6, 7, 6, NaN]);
  t.match(
    rolled.warnings,
    exactList({
      code: 'counterRollOver',
      detail:
        'got 1 at 2024-01-02T07:00:00Z after 99999 at 2024-01-02T06:00:00Z: the register went back to 0 at ' +
        '100000; 2 were counted',
    }),
  );
  const faster = daysOfReadings(at(...steady(0, 99_969), [31, 2], [36, 7]), sixHours);
  t.strictSame(codesOf(faster), ['counterReset'], 'over twice as fast as any other rise');
  t.strictSame(
    codesOf(daysOfReadings(at(...steady(0, 60), [31, 2], [36, 7]), sixHours)),
    ['counterReset'],
    'a register of two digits that rises by one each time has no end at 100',
  );
});

t.test('the source shows what a jump is where a list has few readings', async t => {
  const list = at([0, 500], [6, 90_000], [12, 90_006]);
  t.strictSame(valuesOf(daysOfReadings(list, sixHours))[0], [89_500, 6, NaN, NaN]);
  t.strictSame(valuesOf(daysOfReadings(list, { ...sixHours, expectedMax: 10 }))[0], [NaN, 6, NaN, NaN]);
  t.strictSame(valuesOf(daysOfReadings(list, { ...sixHours, expectedMax: 1000 }))[0], [89_500, 6, NaN, NaN]);
  const end = at([0, 99_999], [6, 8]);
  t.strictSame(valuesOf(daysOfReadings(end, { ...sixHours, expectedMax: 10 }))[0], [9, NaN, NaN, NaN]);
});

t.test('readings close together show the resolution of a register, not its speed', async t => {
  const double = at(...steady(0, 500), [30 + 1 / hour, 531], [36, 537]);
  t.strictSame(codesOf(daysOfReadings(double, sixHours)), [], '1 in a second is 3600 times the usual speed');
});

t.test('a long time between readings: gaps with zero, spread evenly with linear', async t => {
  const daily = at([8, 100], [32, 124], [56, 172], [80, 184]);
  const zero = daysOfReadings(daily, sixHours);
  t.strictSame(
    valuesOf(zero),
    Array.from({ length: 4 }, () => [NaN, NaN, NaN, NaN]),
  );
  t.strictSame(zero.notes, [
    '11 slices between readings two or more slices apart are gaps: the register rose by 79, which no slice has; ' +
      'interpolationMethod=linear spreads it',
  ]);

  const linear = daysOfReadings(daily, { ...sixHours, interpolationMethod: 'linear' });
  t.strictSame(valuesOf(linear), [
    [NaN, NaN, 6, 6],
    [6, 10, 12, 12],
    [12, 6, 3, 3],
    [3, NaN, NaN, NaN],
  ]);
  t.strictSame(
    linear.sampled.map(({ spread }) => spread),
    [[[2, 4]], [[0, 4]], [[0, 4]], [[0, 1]]],
  );
  t.strictSame(linear.notes, [
    '11 slices between readings two or more slices apart: the register rose by 79, spread evenly over them',
  ]);

  const week = at([0, 0], [6, 1], [6 + 7 * 24, 169], [12 + 7 * 24, 170]);
  t.equal(daysOfReadings(week, { ...sixHours, interpolationMethod: 'linear' }).sampled.length, 8);
  t.strictSame(
    daysOfReadings(week, sixHours).sampled.map(day => day.dayNumber * secondsPerDay - monday),
    [0, 7 * secondsPerDay],
    'dates without a row are no days of the import',
  );
  const halfYear = at([0, 0], [6, 1], [6 + 180 * 24, 169], [12 + 180 * 24, 170]);
  t.equal(
    daysOfReadings(halfYear, { ...sixHours, interpolationMethod: 'linear' }).sampled.length,
    2,
    'a longer time than a month is not spread',
  );
});

t.test('empty rows are lost readings', async t => {
  const rows = daysOfReadings(at([0, 1], [6, 2], [9, NaN], [12, 4], [18, NaN], [24, 6]), sixHours);
  t.strictSame(valuesOf(rows), [[1, 2, NaN, NaN]]);
});

t.test('values that fall in a third of their changes are no register', async t => {
  /** Readings that rise by 1 and begin again after each `period` of them. */
  const sawtooth = (period: number) =>
    at(
      ...Array.from(
        { length: period === 3 ? 121 : 120 },
        (_, index) => [index / 2, 1000 + (index % period)] as const,
      ),
    );
  t.strictSame(codesOf(daysOfReadings(sawtooth(24), sixHours)), Array(4).fill('counterReset'));
  t.equal(daysOfReadings(sawtooth(4), sixHours).warnings.length, 11, 'ten of 29, and their number');
  t.match(daysOfReadings(sawtooth(4), sixHours).warnings.at(-1), {
    code: 'counterReset',
    detail: '19 more like the last are not listed',
  });
  t.throws(
    () => daysOfReadings(sawtooth(3), sixHours),
    new InvalidInput(
      'notCumulative',
      'got 40 falls in 120 changes of the value, the first 1000 at 2024-01-01T01:30:00Z after 1002 at ' +
        '2024-01-01T01:00:00Z, expected readings of a register, which rise except for a rare reset: create a ' +
        'source with aggregation=sum for amounts, or with aggregation=mean for levels',
      [],
    ),
  );
  const exchanged = at([0, 500], [6, 1], [12, 2]);
  t.strictSame(codesOf(daysOfReadings(exchanged, sixHours)), ['counterReset'], 'one exchange is no noise');
});

t.test('days with a clock change have the rise of 24 hours', async t => {
  for (const [zone, first] of [
    ['Europe/Paris', '2024-03-29'],
    ['Europe/Paris', '2024-10-25'],
    ['Australia/Lord_Howe', '2024-04-05'],
    ['Asia/Kathmandu', '2024-04-05'],
  ] as const)
    for (const activitySize of [4, 24, 144] as const) {
      const clock = clockOf(zone);
      if (!clock) throw new Error(`no zone ${zone}`);
      const start = dayNumber(first) * secondsPerDay;
      const readings = Array.from({ length: 5 * 96 }, (_, index) => ({
        at: start + index * 900,
        value: index,
      }));
      const { sampled } = daysOfReadings(readings, { activitySize, interpolationMethod: 'zero', clock });
      for (const { dayNumber, values } of sampled.slice(1, -1)) {
        const skipped = runsLength(skippedSlices(clock, dayNumber, activitySize));
        t.strictSame(
          rounded(values.filter(value => !Number.isNaN(value))),
          Array(activitySize - skipped).fill(Number((96 / activitySize).toFixed(6))),
          `${zone}, day ${dayNumber - start / secondsPerDay}, ${activitySize} slices`,
        );
      }
    }
});

/** Mishaps of a register in a year: most intervals have none. */
const mishap = fc.oneof(
  { weight: 30, arbitrary: fc.constant<Mishap>('none') },
  { weight: 4, arbitrary: fc.constant<Mishap>('lost') },
  { weight: 1, arbitrary: fc.constantFrom<Mishap>('reset', 'exchange') },
);

t.test('property: amounts that became a register come back where both ends are known', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), mishap), { minLength: 30, maxLength: 400 }),
      fc.constantFrom(4, 24, 144),
      fc.integer({ min: 0, max: 99_999 }),
      fc.boolean(),
      (intervals, activitySize, start, isJumping) => {
        const seconds = secondsPerDay / activitySize;
        const amounts = intervals.map(([tenths]) => tenths / 10);
        // A jump differs from a fast rise after 20 other rises.
        const mishaps = intervals.map(([, each], index) =>
          !isJumping || index > 24 ? each : index === 24 ? 'foreign' : 'none',
        );
        const times = Array.from({ length: amounts.length + 1 }, (_, index) => monday + index * seconds);
        // Exchanges to a far larger register and ends of a small one cannot be distinguished.
        const end = isJumping ? Infinity : 100_000;
        const { readings, isShown, endsAt } = registerOf({ times, amounts }, { start, end, mishaps });
        const rule = { activitySize, interpolationMethod: 'zero' } as const as typeof sixHours;
        const { sampled, warnings } = daysOfReadings(readings, rule);
        const found = new Map(
          sampled.flatMap(({ dayNumber, values }) =>
            values.map((value, slice) => [dayNumber * secondsPerDay + slice * seconds, value] as const),
          ),
        );
        amounts.forEach((each, index) => {
          const value = found.get(times[index] ?? NaN) ?? NaN;
          // The speed tells the end of a register from a reset; where it tells nothing there is a gap.
          const isKnown = isShown[index] === true && !(endsAt.includes(index) && Number.isNaN(value));
          if (isKnown ? Math.abs(value - each) > 1e-6 : !Number.isNaN(value))
            throw new Error(`interval ${index}: got ${value}, expected ${isKnown ? each : 'none'}`);
        });
        for (const { code } of warnings)
          if (code === 'counterRollOver' && endsAt.length === 0) throw new Error(code);
      },
    ),
    { numRuns: amount({ quick: 100, slow: 3000 }) },
  );
});

t.test('rows within a slice and chunks of any size give the same days', async t => {
  const rows = Array.from({ length: 30_000 }, (_, index) => ({
    at: monday + 3 * index + (index % 7 === 0 ? 0.5 : 0),
    value: index % 11_000 === 10_999 ? NaN : 7 + Math.floor((index % 17_000) ** 1.1 / 3) / 10,
  }));
  const folded = (chunk: number) => {
    const folder = foldRegister({ activitySize: undefined, interpolationMethod: 'linear' });
    for (let from = 0; from < rows.length; from += chunk) {
      const part = rows.slice(from, from + chunk);
      folder.add(
        Float64Array.from(part, ({ at }) => at),
        Float64Array.from(part, ({ value }) => value),
      );
    }
    return folder.finish();
  };
  const whole = folded(rows.length);
  t.equal(whole.activitySize, 144);
  t.strictSame(codesOf(whole), ['counterReset']);
  for (const chunk of [1, 7, 200, 4096]) t.strictSame(folded(chunk), whole, `chunks of ${chunk}`);
  // Slice 10: the register at its ends, which are rows 2000 and 2200.
  t.equal(whole.sampled[0]?.values[10], Math.round(10 * (registerAt(2200) - registerAt(2000))) / 10);
  function registerAt(index: number): number {
    return 7 + Math.floor(index ** 1.1 / 3) / 10;
  }
});

t.test('roll-overs of any number of digits', async t => {
  t.strictSame(
    [
      rollOver(99_999, 0),
      rollOver(99_999.5, 3.25),
      rollOver(999, 5),
      rollOver(9, 0),
      rollOver(5000, 3),
      rollOver(0, 0),
      rollOver(-5, -6),
      rollOver(1e300, 1),
    ],
    [1, 3.75, 6, undefined, undefined, undefined, undefined, undefined],
  );
});

const folder = realSeriesFolder();

/** Rows of one part of a series: seconds since 1970 and amounts, none below 0. */
const amountsOf = (csv: string) => {
  const times: number[] = [];
  const amounts: number[] = [];
  for (const row of csv.split('\n')) {
    const [, stamp, value] = /^"([^"]*)";"([^"]+)"$/.exec(row) ?? [];
    const at = Date.parse(`${stamp}Z`) / 1000;
    if (value === undefined || Number.isNaN(at)) continue;
    times.push(at);
    amounts.push(Math.max(0, Number(value.replace(',', '.'))));
  }
  const step = Math.min(...times.slice(1, 1000).map((at, index) => at - (times[index] ?? 0)));
  return { times: [...times, (times.at(-1) ?? 0) + step], amounts };
};

t.test('property: real series that became registers come back where both ends are known', async t => {
  const names = seriesNames(folder).sort();
  const step = amount({ quick: 8, slow: 1 });
  for (const name of names.filter((_, index) => index % step === 0)) {
    const { activitySize } = realFacts(folder, name);
    const series = amountsOf(readPart(folder, name, 'reference').toString());
    const random = seededRandom(7);
    const drawn = (share: number): boolean => random() < share;
    const rare = 8 / series.amounts.length;
    const mishaps = series.amounts.map((): Mishap => {
      const begun = (['reset', 'exchange', 'foreign'] as const).find(() => drawn(rare));
      return begun ?? (drawn(0.02) ? 'lost' : 'none');
    });
    const largest = series.amounts.reduce((most, each) => Math.max(most, each), 0);
    const end = 10 ** Math.ceil(Math.log10(1e5 * largest));
    const { readings, begun, endsAt } = registerOf(series, { start: end - 10 * largest, end, mishaps });
    const rule = { activitySize, interpolationMethod: 'zero' } as const as typeof sixHours;
    const { sampled, warnings } = daysOfReadings(readings, rule);
    const seconds = secondsPerDay / activitySize;
    const read = new Set(readings.map(({ at }) => at));
    const sums = new Map<number, number>();
    series.amounts.forEach((each, index) => {
      const slice = Math.floor((series.times[index] ?? 0) / seconds) * seconds;
      sums.set(slice, (sums.get(slice) ?? 0) + each);
    });
    let compared = 0;
    const wrong: string[] = [];
    for (const { dayNumber, values } of sampled)
      values.forEach((value, slice) => {
        const from = dayNumber * secondsPerDay + slice * seconds;
        const isBegun = begun.some(([start, stop]) => start < from + seconds && stop > from);
        if (!isBegun && !(read.has(from) && read.has(from + seconds))) return;
        compared += 1;
        const expected = isBegun ? NaN : (sums.get(from) ?? 0);
        if (!(isBegun ? Number.isNaN(value) : Math.abs(value - expected) <= 1e-7 * end))
          wrong.push(`${new Date(1000 * from).toISOString()}: got ${value}, expected ${expected}`);
      });
    t.strictSame(wrong, [], `${name}: ${compared} slices`);
    t.ok(
      compared > 0.8 * activitySize * sampled.length,
      `${name}: ${compared} slices of ${sampled.length} days`,
    );
    t.ok(endsAt.length > 0 && warnings.some(({ code }) => code === 'counterRollOver'), `${name}: its end`);
    const clean = registerOf(series, { start: 0, end: Infinity, mishaps: [] });
    t.strictSame(codesOf(daysOfReadings(clean.readings, rule)), [], `${name}: without a mishap`);
  }
});
