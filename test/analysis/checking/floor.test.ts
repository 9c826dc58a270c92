import fc from '../../helpers/property.js';
import t from 'tap';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { presentRules } from '../../../analysis/engine.js';
import { proposedMinChange } from '../../../analysis/checking/floor.js';
import { trial } from '../../../analysis/tuning/trial.js';
import type { Day } from '../../../domain/day.js';
import { isBelow, type MinChange } from '../../../domain/source/minChange.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { madeDays } from '../../helpers/data/madeDays.js';
import { planOf } from '../../helpers/data/plans.js';

// The floor of a source: which findings it makes none, and the one that a new source gets.

const dayWith = (date: string, activity: readonly number[], gaps: Day['gaps'] = []): Day => ({
  date,
  activity,
  gaps,
  filled: [],
});
const given = (absolute: number | null, percent: number | null): MinChange => ({
  absolute,
  percent,
  proposed: false,
});

t.test('a change is below a floor when it is below one of its numbers that are set', async t => {
  const change = { actual: 104, expected: 100 };
  const cases: readonly [MinChange, boolean][] = [
    [given(null, null), false],
    [given(0, 0), false],
    [given(4, null), false],
    [given(4.01, null), true],
    [given(null, 4), false],
    [given(null, 4.01), true],
    [given(4, 5), true],
    [given(5, 4), true],
    [given(4, 4), false],
  ];
  for (const [floor, below] of cases) t.equal(isBelow(floor, change), below, JSON.stringify(floor));
  t.equal(isBelow(given(0.1, null), { actual: 1.2, expected: 1.1 }), false, 'rounding is no change');
  t.equal(isBelow(given(null, 50), { actual: 1, expected: 0 }), false, 'percent of 0 is 0');
  t.equal(isBelow(given(null, 5), { actual: -104, expected: -100 }), true, 'of the size of what is expected');
});

/** Four slices at 100 with bounds at 1 % that people supplied. */
const model = {
  id: 1,
  name: 'flat',
  color: '#000000',
  anomaly: false,
  activity: [100, 100, 100, 100],
  topTolerance: [101, 101, 101, 101],
  bottomTolerance: [99, 99, 99, 99],
  days: 1,
};
const check = (day: Day & { readonly inProgress?: never }, floor: MinChange | null, completeness = 1) =>
  checkDay(
    day,
    {
      models: [model],
      checks: null,
      completeness,
      referenceGaps: () => Infinity,
      floor,
      rules: presentRules,
      plan: planOf,
    },
    () => [],
  );

t.test('a finding below the floor is none, unless one of its slices reaches it', async t => {
  const day = dayWith('2024-05-06', [103, 103, 100, 96]);
  t.equal(check(day, null).outcome, 'abnormal');
  t.notOk('belowFloor' in check(day, null));
  t.strictSame(check(day, given(4.1, null)), { outcome: 'normal', finding: null, belowFloor: true });
  t.equal(check(day, given(4, null)).outcome, 'abnormal', 'the slice of 96');
  t.equal(check(day, given(3, null)).outcome, 'abnormal');
  t.strictSame(check(day, given(null, 4.1)), { outcome: 'normal', finding: null, belowFloor: true });
  t.equal(
    check(day, { ...given(50, 50), proposed: true }).outcome,
    'abnormal',
    'bounds that people supplied',
  );
  const inside = check(dayWith('2024-05-06', [101, 100, 100, 99]), given(9, 9));
  t.strictSame(inside, { outcome: 'normal', finding: null }, 'no finding is not below the floor');
});

t.test('gaps do not know the floor; a finding below it is none of their facts', async t => {
  const gap = check(dayWith('2024-05-06', [0, 0, 0, 103], [[0, 3]]), given(50, 50));
  t.equal(gap.outcome, 'gap');
  t.notOk('belowFloor' in gap);
});

/** Days of two levels that repeat, with a noise of a thousandth. */
const regular = (count: number): Day[] =>
  Array.from({ length: count }, (_, index) => {
    const date = dateOf(dayNumber('2023-01-02') + index);
    const noise = (slice: number): number => (((index * 7 + slice * 13) % 21) - 10) / 10_000;
    return dayWith(
      date,
      Array.from({ length: 24 }, (_, slice) => (slice < 8 ? 200 : 1000) * (1 + noise(slice))),
    );
  });
const setting = { modelCount: 1, coverage: null, calendar: null, seed: 1 };
const tried = trial(regular(140), regular(168).slice(140), setting);
const wasFloored = (day: Day, floor: MinChange | null) =>
  checkDay(day, { ...tried.comparison, floor }, () => tried.before(day.date));

t.test('a very regular series does not alert for 1 % by its proposed floor', async t => {
  const proposed = proposedMinChange(regular(140));
  t.strictSame(proposed, { absolute: 10, percent: 2, proposed: true });
  const last = regular(168).at(-1)!;
  const moved = (factor: number): Day => ({ ...last, activity: last.activity.map(value => factor * value) });
  t.match(wasFloored(moved(1.01), null), { outcome: 'abnormal' });
  t.strictSame(wasFloored(moved(1.01), proposed), { outcome: 'normal', finding: null, belowFloor: true });
  t.match(wasFloored(moved(1.1), proposed), { outcome: 'abnormal' });
  t.match(tried.recheck(moved(1.01)), { outcome: 'normal', belowFloor: true }, 'a trial has the proposal');
});

t.test('no alert is below the floor, and a floor adds none', async () => {
  const made = madeDays({ count: 168, slices: 24, seed: 5 });
  const { comparison, before } = trial(made.slice(0, 140), made.slice(140), setting);
  const some = fc.option(fc.double({ min: 0, max: 60, noNaN: true }));
  fc.assert(
    fc.property(
      fc.constantFrom(...made.slice(150)),
      fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 24, maxLength: 24 }),
      some,
      some,
      (day, factors, absolute, percent) => {
        const changed = { ...day, activity: day.activity.map((value, slice) => value * factors[slice]!) };
        const floor = given(absolute, percent);
        const found = (floor: MinChange | null) =>
          checkDay(changed, { ...comparison, floor }, () => before(day.date));
        const [without, checked] = [found(null), found(floor)];
        if (checked.finding) return JSON.stringify(checked) === JSON.stringify(without);
        const main = without.finding?.facts?.deviation;
        return !main || without.finding?.kind === 'frozen' || isBelow(floor, main);
      },
    ),
    { seed: 20261125, numRuns: 300 },
  );
});

t.test('drift reaches the floor, or the day is normal and the next one is looked at', async t => {
  const drifting = regular(196).map((day, index) =>
    index < 140 ? day : { ...day, activity: day.activity.map(value => value * (1 + (index - 139) * 0.001)) },
  );
  const { days } = trial(drifting.slice(0, 140), drifting.slice(140), setting);
  const first = days.findIndex(({ finding }) => finding !== null);
  t.ok(first > 10, `the first finding is on day ${first}, when 2 % are reached`);
  t.ok(days.slice(0, first).some(({ belowFloor }) => belowFloor === true));
  t.notOk(days.slice(0, first).some(({ outcome }) => outcome === 'drift'));
});

t.test('the proposed floor follows from the values', async t => {
  const week = (of: (index: number) => number): Day[] =>
    Array.from({ length: 28 }, (_, index) =>
      dayWith(dateOf(dayNumber('2023-01-02') + index), [of(index), 0, of(index), of(index)]),
    );
  t.equal(proposedMinChange(week(() => 0)), null);
  t.strictSame(proposedMinChange(week(() => 12.345)), { absolute: 0.12, percent: 2, proposed: true });
  t.match(proposedMinChange(week(() => 30)), { absolute: 1.5 }, 'one and a half steps of 1');
  t.match(proposedMinChange(week(() => 10)), { absolute: 0.1 }, 'a step of 10 % is no rounding');
  t.match(proposedMinChange(week(() => -30)), { absolute: 1.5 }, 'the size of the values');
  const changing = (share: number) => week(index => 100 * (1 + share * (Math.floor(index / 7) % 2)));
  t.match(proposedMinChange(changing(0.08)), { percent: 4 }, 'half of 8 %, and of 7.4 %');
  t.match(proposedMinChange(changing(0.5)), { percent: 5 });
  const gaps = week(() => 30).map(day => ({ ...day, activity: [30, 0, 0.001, 30], gaps: [[2, 3]] as const }));
  t.match(proposedMinChange(gaps), { absolute: 1.5 }, 'gaps do not count');
});
