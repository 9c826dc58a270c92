import { amount } from '../../helpers/amount.js';
import fc from '../../helpers/property.js';
import t from 'tap';
import type { Day } from '../../../domain/day.js';
import type { CheckFacts, Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import { assignDays } from '../../../analysis/checking/assignDays.js';
import { presentRules, rulesToUse, type EngineRules } from '../../../analysis/engine.js';
import type { DayBefore, Checked } from '../../../analysis/checking/comparison.js';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { colorOf, palette, modelNames } from '../../../analysis/learning/modelNames.js';
import { criticityOf, dayPValue } from '../../../analysis/checking/checkLimits.js';
import { driftDays } from '../../../analysis/checking/recentLevel.js';
import { trial } from '../../../analysis/tuning/trial.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { notAdapted } from '../../../domain/alerts/checks.js';
import { dateOf, dayNumber, month, weekday } from '../../../domain/dates.js';
import { madeDays } from '../../helpers/data/madeDays.js';
import { exactList } from '../../helpers/exactList.js';
import { planOf } from '../../helpers/data/plans.js';

const day = (activity: readonly number[], gaps: Day['gaps'] = [], filled: Day['filled'] = []): Day => ({
  date: '2023-05-01',
  activity,
  gaps,
  filled,
});

/** A model with bounds only, at a constant distance from its profile. */
const model = (id: number, activity: readonly number[], width = 1, anomaly = false): Model => ({
  id,
  name: `model ${id}`,
  color: '#000000',
  anomaly,
  activity,
  topTolerance: activity.map(value => value + width),
  bottomTolerance: activity.map(value => value - width),
  days: 1,
});

const flat = model(1, [10, 10, 10, 10]);

/** A plan that is the same for all dates: working days in a season of the reference. */
const always =
  (modelId: number | null, facts: Partial<DayPlan> = {}) =>
  (date: string): DayPlan =>
    planOf(date, { modelId, ...facts });

/** A check against models that have bounds only. */
const checkBounds = (
  checkedDay: Day,
  models: readonly Model[],
  planned: number | null,
  completeness: number,
): Checked =>
  checkDay(
    checkedDay,
    {
      models,
      checks: null,
      completeness,
      plan: always(planned),
      referenceGaps: () => Infinity,
      rules: presentRules,
    },
    () => [],
  );

t.test('check: a day within or on the bounds is normal', async t => {
  t.same(checkBounds(day([10, 11, 9, 10]), [flat], 1, 1), { outcome: 'normal', finding: null });
});

t.test('check: broken slices are grouped into runs of one direction', async t => {
  t.same(checkBounds(day([12, 13, 8, 10]), [flat], 1, 1), {
    outcome: 'abnormal',
    finding: {
      kind: 'activity',
      direction: 'both',
      // The value 13 is 3 from the profile, the bound 1: z = 3.
      criticity: 1 - 1 / 3,
      // 2, 3 and 2 from the profile, of bounds with 4: 7 of 11.
      severity: 0.6364,
      slices: [
        { from: 0, to: 2, direction: 'over', excess: 2 },
        { from: 2, to: 3, direction: 'under', excess: 1 },
      ],
      plannedModelId: 1,
      closestModelId: 1,
      betterModelId: null,
      looksLikeAnomaly: false,
      facts: {
        plannedAs: { origin: 'automatic', type: 'ordinary', name: null },
        deviation: {
          ...{ from: 0, to: 2, slices: 2, actual: 12.5, expected: 10 },
          ...{ comparedWith: 'model', others: 1 },
        },
        limits: [{ limit: 'slice', from: 0, to: 2, score: null, allowed: null, actual: 12.5, bound: 11 }],
        widening: 1,
      },
    },
  });
  t.match(checkBounds(day([12, 10, 10, 12]), [flat], 1, 1).finding, {
    direction: 'over',
    criticity: 0.5,
    slices: exactList({ from: 0, to: 1 }, { from: 3, to: 4 }),
  });
  t.match(checkBounds(day([10, 10, 7, 8]), [flat], 1, 1).finding, {
    direction: 'under',
    slices: exactList({ from: 2, to: 4, direction: 'under', excess: 2 }),
  });
});

t.test('check: criticity is 1 when the bound equals the profile', async t => {
  const tight = model(1, [0, 0], 0);
  t.equal(checkBounds(day([0, 1e-9]), [tight], 1, 1).finding?.criticity, 1);
  t.same(checkBounds(day([0, 0]), [tight], 1, 1).outcome, 'normal');
});

t.test('check: gaps are not compared, interpolated slices are', async t => {
  t.equal(checkBounds(day([10, 10, 10, 0], [[3, 4]]), [flat], 1, 1).outcome, 'normal');
  t.equal(checkBounds(day([10, 10, 0, 0], [], [[2, 4]]), [flat], 1, 1).outcome, 'abnormal');
  t.match(
    checkBounds(day([10, 0, 0, 20], [[1, 3]]), [flat], 1, 1).finding?.slices,
    exactList({ from: 3, to: 4 }),
  );
  const split = day([20, 0, 20, 10], [[1, 2]]);
  t.match(
    checkBounds(split, [flat], 1, 1).finding?.slices,
    exactList({ from: 0, to: 1 }, { from: 2, to: 3 }),
    'a gap separates runs',
  );
});

t.test('check: a mostly missing day is a gap', async t => {
  const sparse = day([99, 0, 0, 0], [[1, 4]]);
  t.same(checkBounds(sparse, [flat], 1, 1), {
    outcome: 'gap',
    finding: {
      kind: 'gap',
      direction: null,
      criticity: 0.75,
      // Three slices without data as on their bounds: 3 of 7.
      severity: 0.4286,
      slices: [],
      plannedModelId: 1,
      closestModelId: null,
      betterModelId: null,
      looksLikeAnomaly: false,
      facts: {
        plannedAs: { origin: 'automatic', type: 'ordinary', name: null },
        ...{ deviation: null, limits: [], widening: 1 },
        completeness: { day: 0.25, usual: 1 },
      },
    },
  });
  t.equal(checkBounds(sparse, [flat], null, 1).outcome, 'gap', 'whether or not a model is planned');
  t.same(
    checkBounds(sparse, [], null, 1),
    { outcome: 'notCompared', finding: null },
    'but not without models',
  );
  t.equal(
    checkBounds(sparse, [flat], 1, 0.5).outcome,
    'abnormal',
    'half the completeness of the reference is enough',
  );
  t.equal(
    checkBounds(day([1, 2, 3, 4], [], [[0, 4]]), [flat], 1, 1).outcome,
    'gap',
    'interpolated slices are not observed',
  );
  t.match(checkBounds(day([0, 0], [[0, 2]]), [model(1, [1, 1])], 1, 1), {
    outcome: 'gap',
    finding: { criticity: 1 },
  });
  t.equal(
    checkBounds(day([0, 0], [[0, 2]]), [model(1, [1, 1])], 1, 0).outcome,
    'notCompared',
    'no observed slice, and none in the reference',
  );
});

t.test('check: without a planned model nothing is compared', async t => {
  t.same(checkBounds(day([99, 0, 0, 0]), [flat], null, 1), { outcome: 'notCompared', finding: null });
});

t.test('check: closest and better models', async t => {
  const near = model(5, [20, 20, 20, 20], 1);
  const wide = model(6, [30, 30, 30, 30], 15);
  const odd = model(7, [50, 50, 50, 50], 1, true);
  const models = [odd, wide, near, flat];
  t.match(checkBounds(day([20, 20, 20, 20]), models, 1, 1).finding, {
    closestModelId: 5,
    betterModelId: 5,
    looksLikeAnomaly: false,
  });
  t.match(
    checkBounds(day([23, 20, 20, 20]), models, 1, 1).finding,
    { closestModelId: 5, betterModelId: 6 },
    'bounds of the closest model are broken, those of the next are not',
  );
  t.match(checkBounds(day([53, 50, 50, 50]), models, 1, 1).finding, {
    closestModelId: 7,
    betterModelId: null,
    looksLikeAnomaly: true,
  });
  t.match(
    checkBounds(day([15, 15, 15, 15]), [near, flat], 1, 1).finding,
    { closestModelId: 1 },
    'a tie goes to the smaller id',
  );
  t.match(
    checkBounds(day([20, 12, 0, 0], [[2, 4]]), [flat, model(2, [20, 12, 99, 99])], 1, 1).finding,
    { closestModelId: 2, betterModelId: 2 },
    'distances ignore gaps',
  );
});

t.test('check: invalid arguments are rejected with got and expected', async t => {
  t.throws(() => checkBounds(day([1]), [model(1, [1])], 2, 1), /got planned model 2, expected one of 1/);
  t.throws(() => checkBounds(day([1, 2]), [model(1, [1])], 1, 1), /got 2 values on 2023-05-01, expected 1/);
});

const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const width = fc.double({ min: 0, max: 1e5, noNaN: true });
const bounded = fc
  .array(fc.record({ profile: value, up: width, down: width, x: value, gap: fc.boolean() }), {
    minLength: 1,
    maxLength: 24,
  })
  .map(slices => ({
    planned: {
      ...model(
        1,
        slices.map(item => item.profile),
      ),
      topTolerance: slices.map(item => item.profile + item.up),
      bottomTolerance: slices.map(item => item.profile - item.down),
    },
    day: day(
      slices.map(item => (item.gap ? 0 : item.x)),
      slices.flatMap((item, slice) => (item.gap ? [[slice, slice + 1] as const] : [])),
    ),
    usable: slices.map(item => !item.gap),
  }));

t.test(
  'check: there is a finding if and only if a bound is broken; it has exactly the broken slices',
  async () => {
    fc.assert(
      fc.property(bounded, ({ planned, day, usable }) => {
        const broken = day.activity.map(
          (x, slice) =>
            usable[slice] === true &&
            (x > (planned.topTolerance[slice] ?? 0) || x < (planned.bottomTolerance[slice] ?? 0)),
        );
        // Completeness 0 of the reference: no day is a gap.
        const { outcome, finding } = checkBounds(day, [planned], 1, 0);
        const covered = day.activity.map(
          (_, slice) => finding?.slices.some(({ from, to }) => slice >= from && slice < to) ?? false,
        );
        const criticity = finding?.criticity ?? 0;
        return (
          (outcome === 'abnormal') === broken.includes(true) &&
          (finding !== null) === broken.includes(true) &&
          JSON.stringify(covered) === JSON.stringify(broken) &&
          criticity >= 0 &&
          criticity <= 1 &&
          (finding?.slices ?? []).every(
            ({ from, to, excess }, index, all) =>
              from < to && excess > 0 && (all[index - 1]?.to ?? 0) <= from,
          )
        );
      }),
      { seed: 20261121, numRuns: 500 },
    );
  },
);

t.test('check: criticity never decreases as a value moves outwards', async () => {
  fc.assert(
    fc.property(bounded, fc.nat(23), width, width, ({ planned, day, usable }, at, near, far) => {
      const slice = at % day.activity.length;
      if (!usable[slice]) return true;
      const criticity = (beyond: number): number => {
        const activity = day.activity.map((x, index) =>
          index === slice ? (planned.topTolerance[slice] ?? 0) + beyond : x,
        );
        return checkBounds({ ...day, activity }, [planned], 1, 0).finding?.criticity ?? 0;
      };
      return criticity(Math.min(near, far)) <= criticity(Math.max(near, far));
    }),
    { seed: 20261121, numRuns: 500 },
  );
});

/**
 * A model of 24 slices with simple numbers: profile 8, unit 8, offset 1, so that y = ln(x/8 + 1).
 * Upper bound 24, lower bound 0: both are ln 2 from the profile. `share` converts a residual in tolerances to a value.
 */
const valueAt = (part: number): number => 8 * (2 ** (1 + part) - 1);
const hours = 24;
const limited = (id: number, window = 0.5, whole = 0.25, days = 100): Model => ({
  ...model(id, Array<number>(hours).fill(8)),
  topTolerance: Array<number>(hours).fill(24),
  bottomTolerance: Array<number>(hours).fill(0),
  limits: { unit: 8, offset: 1, windowHours: 8, window, day: whole },
  days,
});
/** The nth day of May 2023; `shares` are its normalised residuals. */
const dayWith = (residuals: readonly number[], nth = 1): Day => ({
  ...day(residuals.map(valueAt)),
  date: dateOf(dayNumber('2023-05-01') + nth - 1),
});
const residuals = (from: number, to: number, part: number): number[] =>
  Array.from({ length: hours }, (_, slice) => (slice >= from && slice < to ? part : (slice % 2) * 1e-3));

const facts: CheckFacts = {
  scores: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  longestRun: hours,
  minimum: 0,
};
type Options = {
  readonly models?: readonly Model[];
  readonly checks?: CheckFacts | null;
  readonly plan?: (date: string) => DayPlan;
  readonly completeness?: number;
  readonly before?: readonly DayBefore[];
  readonly rules?: EngineRules;
};
const check = (
  checkedDay: Day,
  {
    models = [limited(1)],
    checks = facts,
    plan = always(1),
    completeness = 1,
    before = [],
    rules = presentRules,
  }: Options = {},
): Checked =>
  checkDay(
    checkedDay,
    { models, checks, completeness, plan, referenceGaps: () => Infinity, rules },
    () => before,
  );

const near = (found: number | undefined, wanted: number): boolean =>
  Math.abs((found ?? Number.NaN) - wanted) < 1e-9 * Math.max(1, Math.abs(wanted));

t.test('limits: a day within all of them is normal', async t => {
  t.same(check(dayWith(residuals(0, 0, 0))), { outcome: 'normal', finding: null });
  t.same(check(dayWith(residuals(3, 5, 0.99))), { outcome: 'normal', finding: null }, 'near the bound');
  t.same(check(dayWith(residuals(3, 5, -0.99))), { outcome: 'normal', finding: null });
});

t.test('limits: only a slice is outside', async t => {
  const { outcome, finding } = check(dayWith(residuals(3, 5, 1.5)));
  t.equal(outcome, 'abnormal');
  t.match(finding, {
    kind: 'activity',
    direction: 'over',
    limits: exactList('slice'),
    slices: exactList({ from: 3, to: 5, direction: 'over' }),
    plannedModelId: 1,
    closestModelId: 1,
    betterModelId: null,
    looksLikeAnomaly: false,
  });
  t.equal(finding?.slices.length, 1);
  t.ok(
    near(finding?.slices[0]?.excess, valueAt(1.5) - 24),
    'the largest distance beyond the bound, in the unit of the source',
  );
  t.ok(near(finding?.criticity, criticityOf(dayPValue(1.5, facts.scores, presentRules))));

  const under = check(dayWith(residuals(6, 7, -1.5))).finding;
  t.match(under, {
    direction: 'under',
    limits: exactList('slice'),
    slices: exactList({ from: 6, to: 7, direction: 'under' }),
  });
  t.ok(near(under?.slices[0]?.excess, -valueAt(-1.5)), 'below the lower bound 0');

  const mixed = residuals(3, 4, 1.5).map((part, slice) => (slice === 9 ? -2 : slice === 4 ? 1.2 : part));
  const both = check(dayWith(mixed)).finding;
  t.match(both, {
    direction: 'both',
    slices: exactList({ from: 3, to: 5, direction: 'over' }, { from: 9, to: 10, direction: 'under' }),
  });
  const turned = check(dayWith(mixed.map(residual => -residual))).finding;
  t.match(
    turned?.slices,
    exactList({ from: 3, to: 5, direction: 'under' }, { from: 9, to: 10, direction: 'over' }),
    'by slice, in whichever direction the first is',
  );
});

t.test('limits: only a window is outside', async t => {
  // The mean of the eight hours is 0.7 > 0.5, that of the day 0.23 < 0.25; each slice is inside its bounds.
  const checkedDay = dayWith(residuals(10, 18, 0.7));
  const { outcome, finding } = check(checkedDay);
  t.equal(outcome, 'abnormal');
  t.match(finding, {
    limits: exactList('window'),
    direction: 'over',
    slices: exactList({ from: 10, to: 18, direction: 'over' }),
  });
  t.equal(finding?.slices.length, 1);
  // The mean distance to the profile minus the part within the limit 0.5.
  t.ok(near(finding?.slices[0]?.excess, (valueAt(0.7) - 8) * (1 - 0.5 / 0.7)));
  t.ok(near(finding?.criticity, criticityOf(dayPValue(0.7 / 0.5, facts.scores, presentRules))));
  t.match(check(dayWith(residuals(10, 18, -0.7))).finding, {
    limits: exactList('window'),
    slices: exactList({ from: 10, to: 18, direction: 'under' }),
  });
  t.equal(check(dayWith(residuals(10, 15, 0.7))).outcome, 'normal', 'five hours are less than a window');
});

t.test('limits: only the day is outside', async t => {
  const checkedDay = dayWith(
    Array<number>(hours)
      .fill(0.4)
      .map((part, slice) => part + (slice % 2) * 1e-4),
  );
  const { outcome, finding } = check(checkedDay);
  t.equal(outcome, 'abnormal');
  t.match(finding, {
    limits: exactList('day'),
    direction: 'over',
    slices: exactList({ from: 0, to: 24, direction: 'over' }),
  });
  const mean = 0.40005;
  const apart = checkedDay.activity.reduce((sum, value) => sum + value - 8, 0) / 24;
  t.ok(near(finding?.slices[0]?.excess, apart * (1 - 0.25 / mean)));
  t.ok(near(finding?.criticity, criticityOf(dayPValue(mean / 0.25, facts.scores, presentRules))));
  t.match(check(dayWith(residuals(0, 24, -0.4).map((part, slice) => part - (slice % 2) * 1e-4))).finding, {
    limits: exactList('day'),
    direction: 'under',
  });
});

t.test('limits: all broken limits are named, gaps are ignored', async t => {
  const all = dayWith(residuals(4, 14, 1.8));
  t.same(check(all).finding?.limits, ['slice', 'window', 'day']);
  const gappy = { ...dayWith(residuals(4, 14, 1.8)), gaps: [[4, 14]] as const };
  t.same(check(gappy), { outcome: 'normal', finding: null });
  const half = { ...dayWith(residuals(10, 18, 0.7)), gaps: [[0, 10]] as const };
  t.same(check(half).finding?.limits, ['window', 'day'], 'means of observed slices');
});

t.test('limits: up to a quarter wider in unseen seasons', async t => {
  const parts: [string, Day][] = [
    ['slice', dayWith(residuals(3, 4, 1.1))],
    ['window', dayWith(residuals(10, 18, 0.55))],
    ['day', dayWith(residuals(0, 24, 0.27).map((part, slice) => part + (slice % 2) * 1e-4))],
  ];
  for (const [limit, checkedDay] of parts) {
    t.same(check(checkedDay).finding?.limits, [limit]);
    t.equal(check(checkedDay, { plan: always(1, { unseen: 1 }) }).outcome, 'normal', `${limit}: wider`);
    t.equal(
      check(checkedDay, { plan: always(1, { unseen: 0.1 }) }).outcome,
      'abnormal',
      `${limit}: slightly wider`,
    );
  }
  const far = check(dayWith(residuals(3, 4, 1.3)), { plan: always(1, { unseen: 1 }) });
  t.equal(far.outcome, 'abnormal', 'at most a quarter wider');
  t.ok(
    near(far.finding?.slices[0]?.excess, valueAt(1.3) - valueAt(1.25)),
    'the excess is measured from the wider bound',
  );
  t.ok(near(far.finding?.criticity, criticityOf(dayPValue(1.3 / 1.25, facts.scores, presentRules))));
});

t.test('limits: below the profile the distance to the lower bound is used', async t => {
  // The lower tolerance is half the upper one: −0.6 upper tolerances are −1.2 lower tolerances.
  const narrow: Model = { ...limited(1), bottomTolerance: Array<number>(hours).fill(valueAt(-0.5)) };
  t.same(check(dayWith(residuals(3, 4, -0.6)), { models: [narrow] }).finding?.limits, ['slice']);
  t.equal(check(dayWith(residuals(3, 4, 0.6)), { models: [narrow] }).outcome, 'normal');
  t.equal(check(dayWith(residuals(3, 4, -0.45)), { models: [narrow] }).outcome, 'normal');
});

t.test('limits: in an unseen season the wider bounds apply in both directions', async t => {
  const checkedDay = dayWith(
    residuals(3, 4, 1.6).map((part, slice) => (slice > 8 && slice < 11 ? -1.1 : part)),
  );
  const direction = (unseen: number) => check(checkedDay, { plan: always(1, { unseen }) }).finding?.direction;
  t.equal(direction(0), 'both');
  t.equal(direction(1), 'over');
});

t.test('limits: closest and better models', async t => {
  const other: Model = {
    ...limited(2),
    ...model(2, Array<number>(hours).fill(40), 20),
    limits: limited(2).limits!,
  };
  const odd: Model = { ...model(3, Array<number>(hours).fill(40.1), 5, true) };
  const checkedDay = { ...day(Array.from({ length: hours }, (_, slice) => 40 + (slice % 2) * 0.01)) };
  t.match(check(checkedDay, { models: [limited(1), other] }).finding, {
    plannedModelId: 1,
    closestModelId: 2,
    betterModelId: 2,
    looksLikeAnomaly: false,
  });
  t.match(
    check(
      { ...checkedDay, activity: checkedDay.activity.map(value => value + 0.1) },
      { models: [limited(1), other, odd] },
    ).finding,
    {
      closestModelId: 3,
      betterModelId: 3,
      looksLikeAnomaly: true,
    },
  );
  const spiked = {
    ...checkedDay,
    activity: checkedDay.activity.map((value, slice) => (slice === 5 ? 90 : value)),
  };
  t.match(check(spiked, { models: [limited(1), other] }).finding, { closestModelId: 2, betterModelId: null });
  const windowed = {
    ...checkedDay,
    activity: checkedDay.activity.map((value, slice) => (slice < 8 ? 55 : value)),
  };
  t.match(
    check(windowed, { models: [limited(1), other] }).finding,
    { closestModelId: 2, betterModelId: null },
    'inside the bounds of model 2, but outside its window limit',
  );
});

t.test('limits: a mostly missing day is a gap, and a day without a plan is not compared', async t => {
  const sparse: Day = { ...dayWith(residuals(0, 24, 3)), gaps: [[0, 18]] };
  t.match(check(sparse), { outcome: 'gap', finding: { kind: 'gap', criticity: 0.75, plannedModelId: 1 } });
  t.equal(check(sparse, { completeness: 0.4 }).outcome, 'abnormal');
  t.same(check(sparse, { models: [] }), { outcome: 'notCompared', finding: null });
  t.equal(check(dayWith(residuals(0, 24, 3)), { plan: always(null) }).outcome, 'notCompared');
  t.throws(
    () => check(dayWith(residuals(0, 24, 3)), { plan: always(9) }),
    /got planned model 9, expected one of 1/,
  );
  t.throws(() => check(day([1, 2])), /got 2 values on 2023-05-01, expected 24 as the model has/);
});

t.test('limits: without facts of the reference only the bounds are checked', async t => {
  t.equal(check(dayWith(residuals(10, 18, 0.7)), { checks: null }).outcome, 'normal');
  t.match(check(dayWith(residuals(3, 4, 1.5)), { checks: null }), {
    outcome: 'abnormal',
    finding: { kind: 'activity' },
  });
  t.notOk('limits' in (check(dayWith(residuals(3, 4, 1.5)), { checks: null }).finding ?? {}));
});

t.test('flatline: longer than any in the reference', async t => {
  const still = (from: number, to: number, part: number): Day =>
    dayWith(
      Array.from({ length: hours }, (_, slice) => (slice >= from && slice < to ? part : (slice % 2) * 0.01)),
    );
  const long = { ...facts, longestRun: 8 };
  const found = check(still(2, 18, 0.1), { checks: long });
  t.match(found, {
    outcome: 'abnormal',
    finding: {
      kind: 'frozen',
      direction: null,
      criticity: 1 - 8 / 16,
      slices: exactList({ from: 2, to: 18, excess: 0, direction: 'over' }),
      limits: exactList(),
      plannedModelId: 1,
    },
  });
  t.match(check(still(2, 18, -0.1), { checks: long }).finding, { slices: exactList({ direction: 'under' }) });
  t.equal(check(still(2, 12, 0.1), { checks: long }).outcome, 'normal', '10 is too close to 8');
  t.equal(
    check(still(2, 5, 0.1), { checks: { ...facts, longestRun: 1 } }).outcome,
    'normal',
    'three slices are too few',
  );
  t.equal(
    check(still(2, 18, 0.1), { checks: { ...long, minimum: valueAt(0.1) } }).outcome,
    'normal',
    'a source may rest at its minimum',
  );
  const gappy: Day = { ...still(2, 18, 0.1), gaps: [[9, 10]] };
  t.equal(check(gappy, { checks: long }).outcome, 'normal', 'a gap separates runs');
  const scores = [0.5, 0.6, 0.7];
  const far = check(still(2, 18, 3), { checks: { ...long, scores } });
  const criticity = criticityOf(dayPValue(3, scores, presentRules));
  t.match(far.finding, { kind: 'frozen', limits: exactList('slice', 'window', 'day') });
  t.ok(criticity > 1 - 8 / 16 && far.finding!.criticity >= criticity, 'as critical as the broken limits');
});

/** Earlier days with one normalised residual in all slices. */
const daysBefore = (count: number, part: number, drifting = false): DayBefore[] =>
  Array.from({ length: count }, (_, index) => ({
    day: dayWith(
      residuals(0, 24, part).map((value, slice) => value + (slice % 2) * 1e-4),
      index + 1,
    ),
    drifting,
  }));
const moved = dayWith(
  residuals(0, 24, 0.6).map((value, slice) => value + (slice % 2) * 1e-4),
  29,
);

t.test('drift: a level shift is reported once', async t => {
  t.equal(check(moved).outcome, 'abnormal', 'the first shifted day is abnormal');
  const first = check(moved, { before: daysBefore(20, 0.6) });
  t.match(first, {
    outcome: 'drift',
    finding: { kind: 'drift', direction: 'over', limits: exactList('window', 'day'), plannedModelId: 1 },
  });
  t.same(check(moved, { before: daysBefore(20, 0.6, true) }), { outcome: 'drift', finding: null });
  const one = daysBefore(20, 0.6).map((earlier, index) => ({ ...earlier, drifting: index === 3 }));
  t.same(
    check(moved, { before: one }),
    { outcome: 'drift', finding: null },
    'one drifting day within 28 days is enough',
  );
  t.equal(check(moved, { before: daysBefore(20, -0.6) }).outcome, 'abnormal', 'moved the other way');
  t.equal(check(moved, { before: daysBefore(20, 0.05) }).outcome, 'abnormal', 'hardly moved');
  t.equal(
    check(moved, { before: daysBefore(10, 0.6) }).outcome,
    'abnormal',
    'ten of twenty days are too few',
  );
});

t.test('drift: a day that differs from its recent days stays abnormal', async t => {
  const spiked = {
    ...moved,
    activity: moved.activity.map((value, slice) => (slice === 12 ? valueAt(3) : value)),
  };
  t.match(check(spiked, { before: daysBefore(20, 0.6) }), {
    outcome: 'abnormal',
    finding: { kind: 'activity' },
  });
  const back = dayWith(residuals(0, 24, 0), 29);
  t.equal(check(back, { before: daysBefore(20, 0.6) }).outcome, 'normal', 'a level shift raises no alert');
});

t.test('drift: only complete days of the same kind count, and only if their model has limits', async t => {
  const before = daysBefore(20, 0.6);
  const weekendBefore = (date: string): DayPlan => always(1, { working: date === moved.date })(date);
  t.equal(
    check(moved, { before, plan: weekendBefore }).outcome,
    'abnormal',
    'free days do not count for a working day',
  );
  t.equal(
    check(moved, { before, plan: always(1, { working: false }) }).outcome,
    'drift',
    'free days count for a free day',
  );
  const supplied = (date: string): DayPlan => always(date === moved.date ? 1 : 2)(date);
  t.equal(
    check(moved, { before, plan: supplied, models: [limited(1), model(2, Array<number>(hours).fill(8))] })
      .outcome,
    'abnormal',
  );
  // Each slice is observed on 14 of 28 days, which would be enough, but the days have too few slices.
  const incomplete = daysBefore(28, 0.6).map(({ day: observed, drifting }, index) => ({
    drifting,
    day: { ...observed, gaps: [index % 2 === 0 ? ([0, 13] as const) : ([11, 24] as const)] },
  }));
  t.equal(check(moved, { before: incomplete }).outcome, 'abnormal');
  const nearlyHalf = incomplete.map(({ day: observed, drifting }, index) => ({
    drifting,
    day: { ...observed, gaps: [index % 2 === 0 ? ([0, 12] as const) : ([12, 24] as const)] },
  }));
  t.equal(check(moved, { before: nearlyHalf }).outcome, 'drift');
});

t.test('drift: in an unseen season smaller shifts are a drift', async t => {
  const before = daysBefore(20, 0.2);
  const checkedDay = dayWith(
    residuals(0, 24, 0.4).map((value, slice) => value + (slice % 2) * 1e-4),
    29,
  );
  t.equal(check(checkedDay, { before }).outcome, 'abnormal', 'a fifth of a tolerance is too little');
  t.equal(
    check(checkedDay, { before, plan: always(1, { unseen: 0.5 }) }).outcome,
    'drift',
    'enough in an unseen season',
  );
});

/** A model with the given limits on changes from the days before. */
const changing = (windowChange: number, dayChange: number): Model => {
  const base = limited(1);
  return { ...base, limits: { ...base.limits!, windowChange, dayChange } };
};
const even = (part: number): number[] => Array<number>(hours).fill(part);
/** Days before the 29th with these normalised residuals, in order. */
const lastDays = (...parts: readonly (readonly number[])[]): DayBefore[] =>
  parts.map((values, index) => ({ day: dayWith(values, 29 - parts.length + index), drifting: false }));

t.test('change: the mean of the day compared with recent days', async t => {
  const models = [changing(9, 0.3)];
  const before = lastDays(even(-0.2), even(-0.2), even(-0.2));
  const found = check(dayWith(even(0.2), 29), { models, before });
  t.match(found, {
    outcome: 'abnormal',
    finding: {
      kind: 'activity',
      direction: 'over',
      limits: exactList('dayChange'),
      slices: exactList({ from: 0, to: 24, direction: 'over' }),
      betterModelId: null,
    },
  });
  t.ok(near(found.finding?.slices[0]?.excess, (valueAt(0.2) - valueAt(-0.2)) * (1 - 0.3 / 0.4)));
  t.ok(near(found.finding?.criticity, criticityOf(dayPValue(0.4 / 0.3, facts.scores, presentRules))));
  t.match(check(dayWith(even(-0.2), 29), { models, before: lastDays(even(0.2), even(0.2), even(0.2)) }), {
    finding: {
      direction: 'under',
      limits: exactList('dayChange'),
      slices: exactList({ direction: 'under' }),
    },
  });

  const outcome = (part: number, options: Options): string =>
    check(dayWith(even(part), 29), { models, ...options }).outcome;
  t.equal(outcome(0.2, {}), 'normal', 'nothing before');
  t.equal(outcome(0.2, { before: before.slice(1) }), 'normal', 'two days are too few');
  t.equal(
    outcome(0.2, { before, models: [limited(1)] }),
    'normal',
    'a model without the limit, as in older versions',
  );
  t.equal(outcome(0.2, { before, plan: always(1, { unseen: 1 }) }), 'abnormal');
  t.equal(outcome(0.2, { before, plan: always(1, { unseen: 1 }), models: [changing(9, 0.33)] }), 'normal');
  t.equal(outcome(0.2, { before: daysBefore(14, -0.2) }), 'normal', 'more than a fortnight before');
  const { date: checkedDate } = dayWith([], 29);
  const plan = (date: string) => planOf(date, date === checkedDate ? {} : { similar: 'none' });
  t.equal(outcome(0.2, { before, plan }), 'normal', 'no reference day is similar to the days before');
  t.equal(outcome(0.2, { before, plan, rules: rulesToUse('daybook-calendar/13') }), 'abnormal');
  t.equal(outcome(0.2, { before: daysBefore(17, -0.2) }), 'abnormal', 'three of them within a fortnight');
  t.equal(outcome(0.1, { before: lastDays(even(-0.24), even(-0.24), even(-0.24)) }), 'normal', 'near');
  t.equal(
    outcome(0.2, { before: lastDays(even(0.9), even(0.9), even(0.9)) }),
    'normal',
    'a change towards the profile',
  );
  const incomplete = before.map(earlier => ({
    ...earlier,
    day: { ...earlier.day, gaps: [[0, 13]] as const },
  }));
  t.equal(outcome(0.2, { before: incomplete }), 'normal', 'hardly observed');
});

t.test('change: the latest days and days of the same kind have the largest weights', async t => {
  const models = [changing(9, 0.3)];
  const checkedDay = dayWith(even(0.2), 29);
  const late = lastDays(even(0.2), even(-0.8), even(-0.8));
  t.equal(check(checkedDay, { models, before: late }).outcome, 'abnormal');
  const free = (date: string): DayPlan =>
    always(1, { working: [late[0]!.day.date, checkedDay.date].includes(date) })(date);
  t.equal(check(checkedDay, { models, before: late, plan: free }).outcome, 'normal', 'two of the other kind');
  const [low, high] = [even(-0.8), even(0.2)];
  t.equal(check(checkedDay, { models, before: lastDays(high, high, low, low) }).outcome, 'abnormal');
  t.equal(check(checkedDay, { models, before: lastDays(low, low, high, high) }).outcome, 'normal');
});

t.test('change: the mean of a window compared with recent days', async t => {
  const models = [changing(0.4, 9)];
  const noon = (part: number): number[] => even(0).map((_, slice) => (slice >= 8 && slice < 16 ? part : 0));
  const before = lastDays(noon(-0.2), noon(-0.2), noon(-0.2));
  const { finding } = check(dayWith(noon(0.3), 29), { models, before });
  t.match(finding, {
    direction: 'over',
    limits: exactList('windowChange'),
    slices: exactList({ from: 8, to: 16, direction: 'over' }),
  });
  t.ok(near(finding?.slices[0]?.excess, (valueAt(0.3) - valueAt(-0.2)) * (1 - 0.4 / 0.5)));
  t.equal(check(dayWith(noon(0.15), 29), { models, before }).outcome, 'normal');
  const options = {
    models,
    before: lastDays(noon(-0.1), noon(-0.1), noon(-0.1)),
    plan: always(1, { unseen: 1 }),
  };
  t.equal(
    check(dayWith(noon(0.41), 29), options).outcome,
    'abnormal',
    'a quarter wider in an unseen season: 0.5',
  );
  t.equal(check(dayWith(noon(0.35), 29), options).outcome, 'normal');
});

t.test('change: a broken change limit is abnormal even after a level shift', async t => {
  const before = [...daysBefore(23, 0.6), ...lastDays(...Array<number[]>(5).fill(even(0)))];
  t.equal(check(moved, { before }).outcome, 'drift');
  t.match(check(moved, { before, models: [changing(9, 0.3)] }), {
    outcome: 'abnormal',
    finding: { kind: 'activity', limits: exactList('window', 'day', 'dayChange') },
  });
});

/** Normalised residuals, uniform: `fc.double` would draw most of them near 0. */
const part = fc.integer({ min: -200, max: 200 }).map(hundredths => hundredths / 100);
const parts = fc.array(part, { minLength: hours, maxLength: hours });
/** Earlier days with a common shift and an own deviation each. */
const anyBefore = fc
  .tuple(part, fc.array(fc.tuple(part, fc.boolean()), { maxLength: driftDays, size: 'max' }))
  .map(([shift, own]) => ({
    shift,
    before: own.map(([deviation, drifting], index) => ({
      day: dayWith(
        Array.from({ length: hours }, (_, slice) => shift + deviation / 8 + (slice % 2) * 1e-4),
        index + 1,
      ),
      drifting: drifting && index % 5 === 0,
    })),
  }));

t.test('drift: a level shift never raises an alert, it only removes alerts', async t => {
  const outcomes = new Map<string, number>();
  const scenario = fc.record({
    own: parts,
    level: part,
    kind: fc.constantFrom('as before', 'calm', 'wild'),
    moved: anyBefore,
    unseen: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(scenario, ({ own, level, kind, moved: { shift, before }, unseen }) => {
      const centre = kind === 'as before' ? shift : level / 4;
      const checkedDay = dayWith(
        own.map((value, slice) => centre + (kind === 'wild' ? value : value / 20) + (slice % 2) * 1e-4),
        29,
      );
      const plan = always(1, { unseen });
      const [alone, after] = [check(checkedDay, { plan }), check(checkedDay, { plan, before })];
      outcomes.set(after.outcome, (outcomes.get(after.outcome) ?? 0) + 1);
      if (alone.outcome === 'normal') return after.outcome === 'normal' && after.finding === null;
      if (after.outcome === 'drift')
        return (after.finding === null) === before.some(({ drifting }) => drifting);
      return JSON.stringify(after) === JSON.stringify(alone);
    }),
    { seed: 20261121, numRuns: 600 },
  );
  for (const outcome of ['abnormal', 'drift', 'normal'])
    t.ok((outcomes.get(outcome) ?? 0) >= 20, `${outcome}: ${outcomes.get(outcome)} times`);
});

t.test('limits: criticity never decreases as a day moves away', async () => {
  fc.assert(
    fc.property(parts, part, part, (own, a, b) => {
      const criticity = (level: number): number =>
        check(dayWith(own.map((value, slice) => Math.abs(value) / 4 + level + slice * 1e-4))).finding
          ?.criticity ?? 0;
      const [low, high] = [Math.min(Math.abs(a), Math.abs(b)), Math.max(Math.abs(a), Math.abs(b))];
      return criticity(low) <= criticity(high) && criticity(high) <= 1;
    }),
    { seed: 20261121, numRuns: 300 },
  );
});

t.test('trial: recent days are checked in order, and `recheck` checks other values of a day', async t => {
  const made = madeDays({ count: 196, slices: 24, seed: 21 });
  const lifted = made.map((day, index) =>
    index < 140 ? day : { ...day, activity: day.activity.map(value => 1.8 * value) },
  );
  const setting = { modelCount: 2, coverage: 0.99, calendar: null, seed: 1 };
  const tried = trial(lifted.slice(0, 140), [...lifted.slice(140)].reverse(), setting);
  t.same(
    tried.days.map(({ day: checkedDay }) => checkedDay.date),
    lifted.slice(140).map(({ date }) => date),
  );
  t.same(tried.learned, typicalDays(lifted.slice(0, 140), setting));
  const working = tried.days.filter(({ plan }) => plan.working);
  const early = working.slice(0, 10).filter(({ outcome }) => outcome === 'abnormal').length;
  const late = working.slice(22).filter(({ outcome }) => outcome === 'abnormal').length;
  t.ok(early >= 7, `${early} of the first ten days are abnormal`);
  t.ok(late <= 3, `${late} of the last ${working.length - 22} days are abnormal`);
  const driftFindings = tried.days.filter(({ finding }) => finding?.kind === 'drift');
  t.ok(driftFindings.length >= 1 && driftFindings.length <= 2, `${driftFindings.length} drift findings`);
  for (const { day: checkedDay, outcome, finding } of tried.days)
    t.same(
      tried.recheck(checkedDay),
      { outcome, finding },
      'rechecking the same values gives the same result',
    );
  const ordinary = made.at(-1)!;
  t.equal(tried.recheck(ordinary).outcome === 'drift', false);
});

t.test(
  'nearest models: least distance, ties go to the first, models of anomalies are never assigned',
  async t => {
    const models = [model(1, [0, 0]), model(2, [10, 10], 1, true), model(3, [20, 20]), model(4, [20, 20])];
    const dated = (date: string, activity: readonly number[], gaps: Day['gaps'] = []): Day => ({
      ...day(activity, gaps),
      date,
    });
    const days = [
      dated('2023-01-03', [10, 10]),
      dated('2023-01-01', [19, 22]),
      dated('2023-01-02', [10, 11]),
      dated('2023-01-04', [0, 0], [[0, 2]]),
      dated('2023-01-05', [0, 18], [[0, 1]]),
    ];
    t.same(assignDays(days, models), [
      { date: '2023-01-01', model: 2 },
      { date: '2023-01-02', model: 2 },
      { date: '2023-01-03', model: 0 },
      { date: '2023-01-05', model: 2 },
    ]);
    t.same(assignDays(days, [model(1, [0, 0], 1, true)]), []);
    t.same(assignDays(days, []), []);
    t.throws(() => assignDays(days, [model(1, [1, 2, 3])]), /got a model of 3 values, expected 2/);
    t.same(
      assignDays([dated('2023-01-01', [1e300, 0])], [model(1, [0, 0])]),
      [{ date: '2023-01-01', model: 0 }],
      'also with infinite distances',
    );
  },
);

const dated = (...dates: readonly string[]) =>
  dates.map(date => ({ date, weekday: weekday(dayNumber(date)), month: month(dayNumber(date)) }));
const range = (from: string, to: string): string[] => {
  const first = dayNumber(from);
  return Array.from({ length: dayNumber(to) - first + 1 }, (_, index) => dateOf(first + index));
};
const year = range('2023-01-01', '2023-12-31');
const on = (weekdays: readonly number[], dates: readonly string[] = year): string[] =>
  dates.filter(date => weekdays.includes(weekday(dayNumber(date))));
const nameOf = (dates: readonly string[], reference: readonly string[] = year): string | undefined =>
  modelNames([{ days: dated(...dates), profile: [1] }], dated(...reference))[0];

t.test('names: weekdays', async t => {
  t.equal(nameOf(on([0, 1, 2, 3, 4])), 'Monday–Friday');
  t.equal(nameOf(on([5])), 'Saturday');
  t.equal(nameOf(on([5, 6])), 'Saturday–Sunday');
  t.equal(nameOf(on([0, 2])), 'Monday and Wednesday');
  t.equal(nameOf(on([6, 0])), 'Sunday–Monday', 'across the end of the week');
  t.equal(nameOf(on([0, 2, 4, 6])), 'Wednesday, Friday and Sunday–Monday');
  t.equal(nameOf(on([0, 2, 3, 4, 5, 6])), 'every day except Tuesday');
  t.equal(nameOf(on([0, 1, 2, 3, 4, 5])), 'Monday–Saturday');
  t.equal(nameOf(on([1, 2, 3, 4, 5, 6])), 'Tuesday–Sunday');
  t.equal(nameOf(on([0, 1, 3, 4])), 'Monday–Friday except Wednesday');
  t.equal(nameOf(on([1, 2, 4, 5, 6])), 'Tuesday–Sunday except Thursday');
  t.equal(nameOf(on([0, 1, 4])), 'Monday–Tuesday and Friday', 'two are missing');
  t.equal(nameOf(on([0, 1, 2, 4, 5])), 'Monday–Saturday except Thursday');
  t.equal(nameOf(year), 'every day');
  t.equal(nameOf([...on([0, 1, 2, 3, 4]), '2023-07-01']), 'Monday–Friday', 'a single Saturday is not named');
});

t.test('names: seasons', async t => {
  const summer = range('2023-07-01', '2023-08-31');
  t.equal(nameOf(on([0, 1, 2, 3, 4], summer)), 'Monday–Friday, Jul–Aug');
  t.equal(nameOf(summer), 'every day, Jul–Aug');
  const winter = year.filter(date => /-(11|12|01|02)-/.test(date));
  t.equal(nameOf(on([5], winter)), 'Saturday, Nov–Feb', 'across the new year');
  t.equal(
    nameOf(
      on(
        [5],
        year.filter(date => /-(01|03|04)-/.test(date)),
      ),
    ),
    'Saturday, Jan and Mar–Apr',
  );
  t.equal(
    nameOf(
      on(
        [6],
        year.filter(date => !date.includes('-12-')),
      ),
    ),
    'Sunday, except Dec',
  );
  t.equal(nameOf(on([5], winter), winter), 'Saturday', 'all months of a reference of less than a year');
});

t.test('names: models of few days are named after their dates', async t => {
  t.equal(nameOf(['2023-01-01', '2023-12-25']), 'only 1 Jan and 25 Dec');
  t.equal(nameOf(['2022-12-25', '2023-01-01']), 'only 25 Dec and 1 Jan');
  t.equal(nameOf(['2023-01-01', '2023-12-25', '2023-12-26']), 'only 1 Jan, 25 Dec and 26 Dec');
  t.equal(nameOf(['2023-01-05']), 'only 5 Jan');
  t.equal(nameOf(['2023-01-01', '2024-01-01']), 'only 1 Jan 2023 and 1 Jan 2024');
});

t.test('names: "public holidays" if they are most of more than three days', async t => {
  const feasts = ['2023-01-01', '2023-04-10', '2023-05-01', '2023-12-25'];
  const named = (dates: readonly string[]): string | undefined =>
    modelNames(
      [
        {
          days: dated(...dates).map(each => ({ ...each, holiday: feasts.includes(each.date) })),
          profile: [1],
        },
      ],
      dated(...year),
    )[0];
  t.equal(named(feasts), 'public holidays');
  t.equal(named([...feasts, '2023-07-14', '2023-08-15', '2023-11-01']), 'public holidays', '4 of 7');
  t.not(
    named([...feasts, '2023-02-06', '2023-02-13', '2023-02-20', '2023-02-27']),
    'public holidays',
    '4 of 8',
  );
  t.equal(named(feasts.slice(0, 3)), 'only 1 Jan, 10 Apr and 1 May', 'three days are named by dates');
});

t.test('names: engines up to 5 list parts with commas', async t => {
  const rules = rulesToUse('daybook-calendar/5');
  const named = (dates: readonly string[]): string | undefined =>
    modelNames([{ days: dated(...dates), profile: [1] }], dated(...year), rules)[0];
  t.equal(named(on([0, 2])), 'Monday, Wednesday');
  t.equal(named(on([0, 2, 3, 4, 5, 6])), 'Wednesday–Monday');
  t.equal(named(['2023-01-01', '2023-12-25']), '1 Jan, 25 Dec');
  const spring = year.filter(date => /-(01|03|04)-/.test(date));
  t.equal(named(on([5], spring)), 'Saturday, Jan, Mar–Apr');
});

t.test('names: a long name of a special day ends with a whole character', async t => {
  const market = `${'m'.repeat(79)}\u{1F389}`;
  const days = dated(...on([0])).map(each => ({ ...each, kind: market }));
  const [name = ''] = modelNames([{ days, profile: [1] }], dated(...year));
  t.ok(name.startsWith('m'.repeat(79)));
  t.notMatch(name, /\p{Surrogate}/u);
});

t.test('names: equal names are distinguished by mean, then by number', async t => {
  const half = (odd: number): string[] => on([0]).filter((_, index) => index % 2 === odd);
  const named = (...levels: readonly number[]): string[] =>
    modelNames(
      levels.map((level, index) => ({ days: dated(...half(index % 2)), profile: [level, level] })),
      dated(...year),
    );
  t.same(named(1, 2), ['Monday, lower', 'Monday, higher']);
  t.same(named(3, 1, 2), ['Monday, highest', 'Monday, lowest', 'Monday, middle']);
  t.same(named(4, 2, 3, 1), [
    'Monday, highest',
    'Monday, level 2 of 4',
    'Monday, level 3 of 4',
    'Monday, lowest',
  ]);
  t.same(named(1, 1), ['Monday, pattern 1', 'Monday, pattern 2']);
});

t.test('names: most of the days of a model are those that its name says', async t => {
  const few = (weekday: number, count: number): string[] => on([weekday]).slice(0, count);
  const scattered = [...few(4, 10), ...few(3, 4), ...few(2, 4), ...few(1, 4), ...few(0, 4)];
  t.equal(nameOf(scattered), 'Monday–Friday, Jan', 'two fifths are Fridays');
  const rules = rulesToUse('daybook-calendar/8');
  t.equal(
    modelNames([{ days: dated(...scattered), profile: [1] }], dated(...year), rules)[0],
    'Friday, Jan–Feb',
    'engine 8 named the weekday with the largest share',
  );
});

t.test('names: special days and dates of the month, also of up to three days', async t => {
  const named = (dates: readonly string[], kinds: number): string | undefined => {
    const days = dated(...dates).map((day, index) => ({
      ...day,
      ...(index < kinds && { kind: 'Last working day of the month' }),
    }));
    return modelNames([{ days, profile: [1] }], dated(...year))[0];
  };
  const ends = ['2023-01-31', '2023-02-28', '2023-03-31', '2023-04-28'];
  t.equal(named(ends, 4), 'Last working day of the month');
  t.equal(named(ends, 3), 'Last working day of the month', '3 of 4');
  t.not(named(ends, 2), 'Last working day of the month', '2 of 4');
  t.equal(named(ends.slice(0, 2), 2), 'Last working day of the month');
  const days = dated(...ends).map(day => ({ ...day, kind: 'x'.repeat(100) }));
  t.equal(modelNames([{ days, profile: [1] }], dated(...year))[0], 'x'.repeat(80));
});

const numbered = (...dates: readonly string[]) =>
  dated(...dates).map(day => ({ ...day, number: dayNumber(day.date) }));
const namedInCycle = (
  length: number,
  isOf: (phase: number) => boolean,
  dates = year,
  named = presentRules,
): string | undefined => {
  const cycle = { kind: 'days', length, first: '2023-01-02' } as const;
  const days = dates.filter(date => isOf((dayNumber(date) - dayNumber('2023-01-02') + 10 * length) % length));
  return modelNames([{ days: numbered(...days), profile: [1] }], numbered(...year), { ...named, cycle })[0];
};

t.test('names: days of a cycle take the place of weekdays', async t => {
  const summer = range('2023-07-01', '2023-08-31');
  const rows: readonly (readonly [number, (phase: number) => boolean, readonly string[], string])[] = [
    [28, phase => phase % 7 < 5, year, 'Monday–Friday'],
    [14, phase => phase === 9, year, 'Wednesday of week 2 of 2'],
    [
      14,
      phase => phase % 7 < 5 && phase !== 9,
      year,
      'Monday–Friday of week 1 and Monday–Friday except Wednesday of week 2 of 2',
    ],
    [28, phase => phase % 4 < 2, year, '14 days of a cycle of 28'],
    [14, phase => phase === 5, summer, 'Saturday of week 1 of 2, Jul–Aug'],
    [4, phase => phase === 1, year, 'day 2 of 4'],
    [4, phase => phase !== 1, year, 'days 3–1 of 4'],
    [4, () => true, year, 'every day'],
    [14, phase => phase < 7, year, 'every day of week 1 of 2'],
    [14, phase => phase !== 13, year, 'every day of week 1 and Monday–Saturday of week 2 of 2'],
  ];
  for (const [length, isOf, dates, name] of rows) t.equal(namedInCycle(length, isOf, [...dates]), name);
  t.equal(
    namedInCycle(14, phase => phase < 7, year, rulesToUse('daybook-calendar/13')),
    '',
  );
});

t.test('names: always unique and at most 100 characters', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 365, maxLength: 365 }), fc.nat(9), (labels, few) => {
      const models = [...new Set(labels)].map(label => ({
        days: numbered(...year.filter((_, index) => labels[index] === label)),
        profile: [label % (few + 1)],
      }));
      const all = numbered(...year);
      const cycle = { kind: 'days', length: [8, 14, 28, 30][few % 4]!, first: '2023-01-02' } as const;
      const rules = { ...rulesToUse('daybook-calendar/9'), ...(few > 2 && { cycle }) };
      const names = modelNames(models, all, rules);
      return (
        new Set(names).size === names.length && names.every(name => name.length > 0 && name.length <= 100)
      );
    }),
    { seed: 20261121, numRuns: amount({ quick: 10, slow: 50 }) },
  );
});

t.test('colours: at least 64 distinct, then repeated', async t => {
  t.ok(palette.length >= 64);
  t.equal(new Set(palette).size, palette.length);
  t.ok(palette.every(color => /^#[0-9A-F]{6}$/.test(color)));
  t.same(palette.slice(0, 2), ['#0072B2', '#E69F00']);
  t.equal(colorOf(3), palette[3]);
  t.equal(colorOf(palette.length), palette[0]);
});

t.test('limits: bounds that a person put on the profile are held apart from it', async t => {
  const closed = (slice: number): boolean => slice < 6;
  const usual = limited(1);
  const edited: Model = {
    ...usual,
    activity: usual.activity.map((value, slice) => (closed(slice) ? 0 : value)),
    topTolerance: usual.topTolerance.map((value, slice) => (closed(slice) ? 0 : value)),
  };
  const night = (value: number): Day => ({
    ...day(edited.activity.map((usual, slice) => (slice === 3 ? value : usual))),
  });
  t.equal(check(night(0), { models: [edited] }).outcome, 'normal');
  t.equal(check(night(1e-3), { models: [edited] }).outcome, 'normal');
  const { finding } = check(night(1e3), { models: [edited] });
  t.match(finding, { kind: 'activity', slices: exactList({ from: 3, to: 4, direction: 'over' }) });
  t.ok(finding!.criticity > 0.5 && finding!.criticity <= 1, `${finding!.criticity}`);
  t.ok(finding!.severity! > 0 && Number.isFinite(finding!.facts?.limits[0]?.score));
});

t.test('adaptive factor: alerts of models with bounds only do not widen the limits', async t => {
  const models = [limited(1), model(2, Array<number>(hours).fill(8))];
  const checked = (planned: number, rules = presentRules) =>
    checkDay(
      dayWith(residuals(3, 5, 9)),
      { models, checks: facts, completeness: 1, plan: always(planned), referenceGaps: () => Infinity, rules },
      () => [],
      notAdapted,
    );
  t.strictSame([checked(1).outcome, checked(2).outcome], ['abnormal', 'abnormal']);
  t.notSame(checked(1).adaptation, notAdapted);
  t.same(checked(2).adaptation, notAdapted);
  t.notSame(checked(2, rulesToUse('daybook-calendar/12')).adaptation, notAdapted);
});

t.test('check: a date that no reference day is like is not compared, unless a person planned it', async t => {
  const far = dayWith(residuals(3, 20, 9));
  const unlike = { share: null, similar: 'none' } as const;
  t.equal(check(far, { plan: always(1, unlike) }).outcome, 'notCompared');
  t.equal(check(far, { plan: always(1, { ...unlike, origin: 'manual' }) }).outcome, 'abnormal');
  const flagged = [limited(1), { ...limited(2), anomaly: true }];
  t.equal(check(far, { models: flagged, plan: always(1, unlike) }).outcome, 'notCompared');
  const own = [model(1, Array<number>(hours).fill(8))];
  t.equal(check(far, { models: own, plan: always(1, unlike) }).outcome, 'abnormal', 'by bounds of a person');
  const working = madeDays({ count: 140, slices: 24, seed: 8 }).filter(
    ({ date }) => weekday(dayNumber(date)) < 5,
  );
  const { recheck } = trial(working, [], { modelCount: null, coverage: null, calendar: null, seed: 1 });
  const on = (date: string): Day => ({ ...working[0]!, date, activity: Array<number>(24).fill(0.1) });
  t.equal(recheck(on('2023-05-27')).outcome, 'notCompared', 'a Saturday');
  t.equal(recheck(on('2023-05-26')).outcome, 'abnormal', 'a Friday');
});

t.test('check: dates without data of weekdays that the reference never has are no gaps', async t => {
  const [none, half] = [hours, hours / 2 + 2].map((end): Day => ({
    ...dayWith(residuals(0, 0, 0)),
    gaps: [[0, end]],
  }));
  const outcomes = (facts: Partial<DayPlan>, rules = presentRules) =>
    [none!, half!].map(one => check(one, { plan: always(1, facts), rules }).outcome);
  t.strictSame(outcomes({}), ['gap', 'gap']);
  t.strictSame(outcomes({ similar: 'others' }), ['notCompared', 'gap'], 'other weekdays are similar');
  t.strictSame(outcomes({ similar: 'none', share: null }), ['notCompared', 'notCompared']);
  t.strictSame(outcomes({ similar: 'none', origin: 'manual' }), ['gap', 'gap'], 'a person planned it');
  const engine13 = rulesToUse('daybook-calendar/13');
  t.strictSame(outcomes({ similar: 'none', share: null }, engine13), ['gap', 'gap']);
  t.strictSame(outcomes({ similar: 'others' }, engine13), ['gap', 'gap']);
});

t.test('check: a day of zeros of a weekday that the reference never has is one without data', async t => {
  const zeros: Day = { ...dayWith(residuals(0, 0, 0)), activity: Array<number>(hours).fill(0) };
  const outcome = (one: Day, facts: Partial<DayPlan>, rules = presentRules) =>
    check(one, { plan: always(1, facts), rules }).outcome;
  t.equal(outcome(zeros, { similar: 'others' }), 'notCompared', 'a Sunday without work');
  t.not(outcome(zeros, {}), 'notCompared', 'a usual weekday');
  t.not(outcome(zeros, { similar: 'others', origin: 'manual' }), 'notCompared', 'a person planned it');
  const once = { ...zeros, activity: zeros.activity.with(3, 1) };
  t.not(outcome(once, { similar: 'others' }), 'notCompared', 'a Sunday with some work');
  t.not(outcome(zeros, { similar: 'others' }, rulesToUse('daybook-calendar/14')), 'notCompared');
});
