import t from 'tap';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { presentRules, rulesToUse, type EngineRules } from '../../../analysis/engine.js';
import type { DayBefore } from '../../../analysis/checking/comparison.js';
import { limitLevels } from '../../../analysis/findings/limitLevels.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import type { FindingFacts } from '../../../domain/alerts/findings.js';
import type { Limits, Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import { exactList } from '../../helpers/exactList.js';
import { planOf } from '../../helpers/data/plans.js';

// Doubling x + 1 is one tolerance: x + 1 is 10 on the profile, 20 on the upper bound, 5 on the lower bound.

const size = 8;
const each = (value: number): number[] => Array<number>(size).fill(value);
const model: Model = {
  ...{ id: 1, name: 'Monday–Friday', color: '#0072B2', anomaly: false, days: 200 },
  activity: each(9),
  topTolerance: each(19),
  bottomTolerance: each(4),
  limits: { unit: 1, offset: 1, windowHours: 6, window: 0.8, day: 0.5, windowChange: 0.6, dayChange: 0.4 },
};
/** A value with a normalised residual. */
const at = (normalised: number): number => 10 * 2 ** normalised - 1;
const dayOf = (residuals: readonly number[], date = '2024-03-04'): Day => ({
  date,
  activity: residuals.map(at),
  gaps: [],
  filled: [],
});

const factsOf = (
  day: Day,
  {
    before = [],
    plan = {},
    ...more
  }: {
    readonly before?: readonly DayBefore[];
    readonly plan?: Partial<DayPlan>;
    readonly limits?: Partial<Limits>;
    readonly rules?: EngineRules;
  } = {},
): FindingFacts | undefined =>
  checkDay(
    day,
    {
      models: [{ ...model, limits: { ...model.limits!, ...more.limits } }],
      checks: { scores: [0.5, 0.9], longestRun: 8, minimum: 0 },
      referenceGaps: () => 0,
      rules: more.rules ?? presentRules,
      completeness: 1,
      plan: date => planOf(date, plan),
    },
    () => before,
  ).finding?.facts;

/** Rounds numbers to eight digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'number' ? Number(part.toPrecision(8)) : part,
    ) ?? 'null',
  );

t.test('facts: a slice outside its bound has a run, its means and the bound', async t => {
  const facts = factsOf(dayOf([0, 0, 0, 2, 0, 0, 0, 0]));
  t.strictSame(rounded(facts), {
    deviation: {
      ...{ from: 3, to: 4, slices: 1, actual: 39, expected: 9, others: 0 },
      comparedWith: 'model',
    },
    limits: [
      { limit: 'slice', from: 3, to: 4, score: 2, allowed: 1, actual: 39, bound: 19 },
      // Two slices of three hours; the mean of a residual of 2 and one of 0 is 1.
      { limit: 'window', from: 2, to: 4, score: 1, allowed: 0.8, actual: 24, bound: rounded(at(0.8)) },
    ],
    widening: 1,
    straight: true,
    plannedAs: { origin: 'automatic', type: 'ordinary', name: null },
  });
  t.notOk(factsOf(dayOf([0, 0, 0, 3, 0, 0, 0, 0]), { limits: { offset: 0.5 } })?.straight);
});

t.test(
  'facts: runs are joined if the values between them are on the same side; other runs are counted',
  async t => {
    const facts = factsOf(dayOf([-1.5, -0.5, -1.5, 0.1, 0, 0, 1.5, 0]));
    t.match(
      rounded(facts?.deviation),
      { from: 6, to: 7, others: 1 },
      'the deviation above is larger in the unit of the source',
    );
    t.match(factsOf(dayOf([-2, -0.5, -2, 0.1, 0, 0, 1.1, 0]))?.deviation, { from: 0, to: 3, others: 1 });
    t.match(factsOf(dayOf([-2, 0.1, -2, 0.1, 0, 0, 0, 0]))?.deviation, { from: 0, to: 1, others: 1 });
  },
);

t.test('facts: means ignore a gap inside a stretch', async t => {
  const day = dayOf([0, 0, -1.5, -1, -1.5, 0, 0, 0]);
  const gappy = { ...day, gaps: [[3, 4] as const] };
  t.match(factsOf(gappy)?.deviation, { from: 2, to: 5, slices: 2, actual: at(-1.5), expected: 9 });
});

t.test('facts: a day outside its day limit is described as a whole', async t => {
  const facts = factsOf(dayOf([-0.7, -0.7, -0.7, -1.1, -0.7, -0.7, -0.7, -0.7]));
  t.match(facts?.deviation, { from: 0, to: size, slices: size, others: 0 });
  t.strictSame(
    facts?.limits.map(({ limit }) => limit),
    ['slice', 'window', 'day'],
  );
});

/** Finding on a day of 24 hours, by a model whose window of eight hours has a limit of 0.3. */
const findingOn = (
  residuals: readonly number[],
  engine?: string,
  { day = 9, activity = Array<number>(24).fill(9) } = {},
) => {
  const limits = { unit: 1, offset: 1, windowHours: 8, window: 0.3, day };
  const wide = {
    ...model,
    limits,
    activity,
    topTolerance: activity.map(value => 2 * value + 1),
    bottomTolerance: activity.map(value => (value - 1) / 2),
  };
  const rules = engine ? rulesToUse(engine) : presentRules;
  return checkDay(
    { ...dayOf(residuals), activity: residuals.map((part, hour) => (activity[hour]! + 1) * 2 ** part - 1) },
    {
      ...{ models: [wide], checks: { scores: [0.5, 0.9], longestRun: 24, minimum: 0 } },
      ...{ referenceGaps: () => 0, rules, completeness: 1, plan: (date: string) => planOf(date) },
    },
    () => [],
  ).finding;
};
const deviationOf = (residuals: readonly number[], engine?: string) =>
  findingOn(residuals, engine)?.facts?.deviation;
/** Residuals of the hours, 0 in the others. */
const hoursWith = (from: number, values: readonly number[]): number[] =>
  Array.from({ length: 24 }, (_, hour) => values[hour - from] ?? 0);

t.test('facts: the stretch of a broken window follows the day', async t => {
  const five = hoursWith(9, [0.5, 0.8, 0.9, 0.8, 0.5]);
  t.match(deviationOf(five), { from: 9, to: 14 }, 'hours with half of the largest one');
  const [from, to] = [
    deviationOf(five, 'daybook-calendar/11')?.from,
    deviationOf(five, 'daybook-calendar/11')?.to,
  ];
  t.equal(Number(to) - Number(from), 8, 'earlier engines have the eight hours of the limit');
  const night = hoursWith(0, Array<number>(13).fill(-0.5));
  t.match(deviationOf(night), { from: 0, to: 13 }, 'longer than the window');
  const scattered = hoursWith(8, [0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0]);
  const kept = deviationOf(scattered);
  t.equal(kept && kept.to - kept.from, 8, 'a stretch with less than half of the deviation says less');
  t.match(deviationOf([...hoursWith(9, [0.5, 0.8, 0.9, 0.8, 0.5])].map(value => -value)), {
    from: 9,
    to: 14,
  });
});

t.test('facts: the main stretch has the direction of the score', async t => {
  const isNight = (hour: number): boolean => hour < 9;
  const activity = Array.from({ length: 24 }, (_, hour) => (isNight(hour) ? 10 : 1000));
  const nights = Array.from({ length: 24 }, (_, hour) => (isNight(hour) ? 0.29 : -0.05));
  const by = (engine?: string) => findingOn(nights, engine, { day: 0.07, activity })!;
  t.match(by(), { direction: 'over', facts: { deviation: { from: 0, to: 9 } } });
  const { deviation } = by('daybook-calendar/12').facts!;
  t.ok(deviation!.actual < deviation!.expected, 'earlier: over, with a sentence that says under');
  // A peak above the bound on a day whose mean is below its limit.
  const peak = Array.from({ length: 24 }, (_, hour) => (hour === 12 ? 1.2 : -0.2));
  const found = findingOn(peak, undefined, { day: 0.1 })!;
  t.match(found, { direction: 'over', facts: { deviation: { from: 12, to: 13 } } });
});

t.test('facts: limits are wider in unseen seasons', async t => {
  const facts = factsOf(dayOf([0, 0, 0, 2, 0, 0, 0, 0]), { plan: { unseen: 1 } });
  t.equal(facts?.widening, 1.25);
  t.match(rounded(facts?.limits[0]), { limit: 'slice', allowed: 1.25, bound: rounded(at(1.25)) });
});

t.test('facts: a change is compared with the level of the days before', async t => {
  const number = dayNumber('2024-03-04');
  const before = [3, 2, 1].map((back): DayBefore => ({
    day: dayOf(each(-0.25), dateOf(number - back)),
    drifting: false,
  }));
  const facts = factsOf(dayOf([0.45, 0.45, 0.46, 0.46, 0.45, 0.45, 0.45, 0.45]), { before });
  t.match(rounded(facts), {
    deviation: {
      // The window of the limit has two slices; the change goes on all day.
      ...{ from: 0, to: size, slices: size, comparedWith: 'daysBefore', others: 0 },
      expected: rounded(at(-0.25)),
    },
    limits: exactList(
      { limit: 'windowChange', score: 0.71, allowed: 0.6, from: 2, to: 4, bound: rounded(at(0.35)) },
      { limit: 'dayChange', score: 0.7025, allowed: 0.4, from: 0, to: size, bound: rounded(at(0.15)) },
    ),
    baseline: each(-0.25),
  });
  t.notOk(
    factsOf(dayOf([0, 0, 0, 2, 0, 0, 0, 0]), { before })?.baseline === undefined,
    'the change limit is broken as well',
  );
  t.equal(factsOf(dayOf([0, 0, 0, 2, 0, 0, 0, 0]))?.baseline, undefined);
});

t.test('facts: a day planned by hand, and a holiday', async t => {
  const day = dayOf([0, 0, 0, 2, 0, 0, 0, 0]);
  t.strictSame(factsOf(day, { plan: { origin: 'manual', dayType: { type: 'bridge' } } })?.plannedAs, {
    ...{ origin: 'manual', type: 'bridge', name: null },
  });
  t.match(factsOf(day, { plan: { dayType: { type: 'holiday', name: 'Ostern' } } })?.plannedAs, {
    ...{ type: 'holiday', name: 'Ostern' },
  });
  const place = { phase: 2, length: 8 };
  t.same(factsOf(day, { plan: { place } })?.plannedAs.place, place);
  t.notOk(factsOf(day, { plan: { place }, rules: rulesToUse('daybook-calendar/13') })?.plannedAs.place);
});

t.test('limits as lines: a day on the line keeps the limit, a day beyond breaks it', async t => {
  const levels = limitLevels(model, 1.25, each(-0.5));
  t.strictSame(rounded(levels), [
    { limit: 'slice', lower: rounded(each(at(-1.25))), upper: rounded(each(at(1.25))) },
    { limit: 'window', lower: rounded(each(at(-1))), upper: rounded(each(at(1))) },
    { limit: 'day', lower: rounded(each(at(-0.625))), upper: rounded(each(at(0.625))) },
    { limit: 'windowChange', lower: rounded(each(at(-1.25))), upper: rounded(each(at(0.25))) },
    { limit: 'dayChange', lower: rounded(each(at(-1))), upper: rounded(each(at(0))) },
  ]);
  t.strictSame(
    limitLevels(model, 1, null).map(({ limit }) => limit),
    ['slice', 'window', 'day'],
    'without days before, no lines of change limits',
  );
  const { limits: _, ...supplied } = model;
  t.strictSame(limitLevels(supplied, 1.25, null), [{ limit: 'slice', lower: each(4), upper: each(19) }]);
  const upper = levels.find(({ limit }) => limit === 'day')?.upper ?? [];
  const followed = { ...dayOf(each(0)), activity: upper.map(value => value * 0.999) };
  const more = { ...followed, activity: upper.map(value => value * 1.001) };
  const plan = { unseen: 1 };
  t.equal(factsOf(followed, { plan }), undefined);
  t.strictSame(
    factsOf(more, { plan })?.limits.map(({ limit }) => limit),
    ['day'],
  );
});
