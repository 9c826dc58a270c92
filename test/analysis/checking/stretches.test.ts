import fc from '../../helpers/property.js';
import t from 'tap';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import {
  longestGap,
  referenceGaps,
  unusualFlatline,
  unusualGap,
} from '../../../analysis/checking/stretches.js';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { runsWhere, type Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/planning/models.js';
import { exactList } from '../../helpers/exactList.js';
import { planOf } from '../../helpers/data/plans.js';

const flags = (text: string): boolean[] => [...text].map(one => one === '#');

t.test('the longest stretch without data, the earliest of several', async t => {
  const all = flags('########');
  t.equal(longestGap(all, all), null);
  t.strictSame(longestGap(flags('#..#..##'), all), { from: 1, to: 3, length: 2 });
  t.strictSame(longestGap(flags('.#....#.'), all), { from: 2, to: 6, length: 4 });
  t.strictSame(longestGap(flags('........'), all), { from: 0, to: 8, length: 8 });
});

t.test('slices whose data are not due neither lengthen nor end a stretch', async t => {
  t.strictSame(longestGap(flags('#....###'), flags('###..###')), { from: 1, to: 3, length: 2 });
  t.strictSame(longestGap(flags('#....###'), flags('##..####')), { from: 1, to: 5, length: 2 });
  t.equal(longestGap(flags('###.....'), flags('###.....')), null, 'the rest of a day in progress');
});

const date = '2024-03-05';
const dayOf = (slices: number, from: number, to: number, more: Partial<Day> = {}): Day => ({
  date,
  activity: Array.from({ length: slices }, (_, slice) => (slice >= from && slice < to ? 0 : 10)),
  gaps: to > from ? [[from, to]] : [],
  filled: [],
  ...more,
});
const engine11 = rulesToUse('daybook-calendar/11');
const found = (day: Day, longest: number) => unusualGap(day, () => longest);

t.test('a gap is longer than two hours, than one slice, and than any of the reference', async t => {
  t.equal(found(dayOf(144, 40, 52), 0), null, 'two hours');
  t.strictSame(found(dayOf(144, 40, 53), 0), { from: 40, to: 53, longest: 0 });
  t.equal(found(dayOf(24, 8, 10), 0), null);
  t.strictSame(found(dayOf(24, 8, 11), 0), { from: 8, to: 11, longest: 0 });
  t.equal(found(dayOf(24, 8, 11), 3), null, 'as long as the longest of the reference');
  t.equal(found(dayOf(4, 1, 2), 0), null, 'a single slice of six hours');
  t.strictSame(found(dayOf(4, 1, 3), 0), { from: 1, to: 3, longest: 0 });
  t.equal(found(dayOf(24, 0, 24), 0), null, 'a day without data has no stretch');
  t.strictSame(found(dayOf(24, 0, 0, { filled: [[8, 12]] }), 0), { from: 8, to: 12, longest: 0 });
});

t.test(
  'a flatline is longer than three hours, than four slices, and than 1.5 times the longest of the reference',
  async t => {
    const flat = (slices: number, length: number, longestRun = 1, minimum = 0) => {
      const activity = Array.from({ length: slices }, (_, slice) => (slice < length ? 5 : 10 + slice));
      const found = unusualFlatline(
        { ...dayOf(slices, 0, 0), activity },
        { longestRun, minimum },
        presentRules,
      );
      return found && found.length;
    };
    t.strictSame([flat(144, 18), flat(144, 19)], [null, 19], 'three hours');
    t.strictSame([flat(24, 4), flat(24, 5)], [null, 5], 'four slices');
    t.strictSame([flat(24, 6, 4), flat(24, 7, 4)], [null, 7], 'the reference has four');
    t.strictSame([flat(24, 5, 1, 5), flat(24, 5, 1, 4)], [null, 5], 'above the minimum of the reference');
    const activity = Array.from({ length: 24 }, (_, slice) => (slice < 8 ? 0 : slice < 14 ? 5 : 10 + slice));
    const closedAtNight = { ...dayOf(24, 0, 0), activity };
    t.strictSame(
      unusualFlatline(closedAtNight, { longestRun: 1, minimum: 0 }, presentRules),
      { from: 8, length: 6, value: 5 },
      'hours at the minimum hide none',
    );
    t.equal(unusualFlatline(closedAtNight, { longestRun: 1, minimum: 0 }, engine11), null);
    const constant = { longestRun: 0, minimum: 0 };
    t.equal(unusualFlatline(closedAtNight, constant, presentRules), null, 'of a reference without others');
    t.equal(unusualFlatline(closedAtNight, constant, rulesToUse('daybook-calendar/12'))?.length, 6);
  },
);

t.test('the hour that the clock skips is no gap, and does not hide one', async t => {
  const skipped = [[2, 3]] as const;
  t.equal(found(dayOf(24, 2, 3, { skipped }), 0), null);
  t.equal(found(dayOf(24, 1, 4, { skipped }), 0), null, 'two hours of this day');
  t.strictSame(found(dayOf(24, 1, 5, { skipped }), 0), { from: 1, to: 5, longest: 0 });
});

t.test('reference days of the planned model count; those of all models when it has few', async t => {
  const first = dayNumber('2023-01-01');
  const gapOn = (index: number): number => (index === 3 ? 4 : index === 25 ? 6 : 0);
  const reference = Array.from({ length: 30 }, (_, index) => ({
    ...dayOf(24, 0, gapOn(index)),
    date: dateOf(first + index),
  }));
  const assignments = reference.map(({ date }, index) => ({
    date,
    modelId: 9,
    plannedId: index < 14 ? 1 : index < 16 ? 2 : 3,
  }));
  const longest = referenceGaps(reference, assignments);
  t.strictSame([1, 2, 3, 7, null].map(longest), [4, 6, 6, 6, 6]);
  t.equal(referenceGaps(reference, [])(1), 0);
});

const model: Model = {
  ...{ id: 1, name: 'usual', color: '#000000', anomaly: false, days: 20 },
  activity: Array<number>(24).fill(10),
  topTolerance: Array<number>(24).fill(11),
  bottomTolerance: Array<number>(24).fill(9),
};
const plan = planOf(date);
const checkOf = (day: Day, longest = 0, rules = presentRules) =>
  checkDay(
    day,
    { models: [model], checks: null, completeness: 1, referenceGaps: () => longest, plan: () => plan, rules },
    () => [],
  );

t.test('half a day without data is a gap of that stretch', async t => {
  const half = dayOf(24, 8, 20);
  t.match(checkOf(half), {
    outcome: 'gap',
    finding: {
      ...{ kind: 'gap', criticity: 0.5, direction: null },
      slices: exactList({ from: 8, to: 20 }),
      facts: { gap: { from: 8, to: 20, longest: 0 }, completeness: { day: 0.5, usual: 1 } },
    },
  });
  t.equal(checkOf(half, 0, rulesToUse('daybook-calendar/6')).outcome, 'normal', 'not for engine 6');
  const scattered = dayOf(24, 0, 0, {
    gaps: Array.from({ length: 12 }, (_, hour) => [2 * hour, 2 * hour + 1]),
  });
  t.match(checkOf(scattered), { outcome: 'gap', finding: { slices: exactList(), criticity: 0.5 } });
  t.equal(checkOf(scattered, 0, rulesToUse('daybook-calendar/6')).outcome, 'normal');
});

t.test('the observed rest is checked: the gap has the finding of the rest in its facts', async t => {
  const day = dayOf(24, 8, 20);
  const loud = { ...day, activity: day.activity.with(22, 99) };
  t.match(checkOf(loud), {
    outcome: 'gap',
    finding: {
      kind: 'gap',
      slices: exactList({ from: 8, to: 20 }),
      criticity: 1 - 1 / 89,
      facts: {
        gap: { from: 8, to: 20, longest: 0 },
        deviation: { from: 22, to: 23, actual: 99, expected: 10 },
        limits: exactList({ limit: 'slice' }),
      },
    },
  });
  t.match(checkOf({ ...loud, gaps: [[8, 10]] }), { outcome: 'abnormal', finding: { kind: 'activity' } });
});

t.test(
  'property: a removed stretch is a gap exactly when it is longer than any in the reference',
  async t => {
    const size = fc.constantFrom(8, 12, 24, 48, 72, 144);
    let gaps = 0;
    fc.assert(
      fc.property(
        size,
        fc.array(fc.nat(23), { minLength: 14, maxLength: 30 }),
        fc.array(fc.nat(143), { maxLength: 3 }),
        fc.nat(143),
        fc.integer({ min: 1, max: 143 }),
        (slices, lost, spoilt, start, wanted) => {
          const first = dayNumber('2023-01-01');
          const reference = lost.map((hours, index) => {
            const length = Math.min(Math.floor((hours * slices) / 96), slices);
            return { ...dayOf(slices, 1, 1 + length), date: dateOf(first + index) };
          });
          const longest = Math.max(
            ...reference.map(
              day => longestGap(observedOf(day), observedOf(dayOf(slices, 0, 0)))?.length ?? 0,
            ),
          );
          const from = start % slices;
          const to = Math.min(slices, from + 1 + (wanted % (slices - 1)));
          // Single lost slices elsewhere, not next to the stretch.
          const singles = spoilt
            .filter(slice => slice < slices && (slice < from - 1 || slice > to))
            .filter((slice, index, all) =>
              all.every((other, at) => at === index || Math.abs(other - slice) > 1),
            );
          const missing = (slice: number) => (slice >= from && slice < to) || singles.includes(slice);
          if (to - from === slices) return;
          const day = { ...dayOf(slices, 0, 0), gaps: runsWhere(slices, missing) };
          const assignments = reference.map(({ date }) => ({ date, modelId: 1 }));
          const gap = unusualGap(day, () => referenceGaps(reference, assignments)(1));
          const isLonger = to - from > longest && to - from >= 2 && to - from > slices / 12;
          if (isLonger) gaps += 1;
          const expected = isLonger ? JSON.stringify({ from, to, longest }) : 'null';
          if (JSON.stringify(gap) !== expected)
            throw new Error(`got ${JSON.stringify(gap)}, expected ${expected}`);
        },
      ),
      { numRuns: 2000 },
    );
    t.ok(gaps > 300, `${gaps} gaps`);
  },
);

const observedOf = (day: Day): boolean[] =>
  day.activity.map((_, slice) => !day.gaps.some(([from, to]) => from <= slice && slice < to));

t.test('a date whose reference day is missing has no gap', t => {
  t.equal(referenceGaps([], [{ date: '2023-01-02', modelId: 1 }])(1), 0);
  t.end();
});
