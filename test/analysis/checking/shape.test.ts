import t from 'tap';
import fc from '../../helpers/property.js';
import { adaptedAfter } from '../../../analysis/checking/adaptiveFactor.js';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import type { Checked } from '../../../analysis/checking/comparison.js';
import {
  referenceShapes,
  shapeScore,
  type KindOfDay,
  type ReferenceShapes,
} from '../../../analysis/checking/shape.js';
import { unchangedDay } from '../../../analysis/checking/shapeCheck.js';
import { changedDates } from '../../../analysis/changes/changedModel.js';
import { presentRules, rulesToUse, type EngineRules } from '../../../analysis/engine.js';
import { shapeFindingFacts, shapeRuns } from '../../../analysis/findings/shapeFacts.js';
import { limitOf, shapeLimit } from '../../../analysis/learning/limits/shapeLimit.js';
import { prepare, referenceOf } from '../../../analysis/learning/prepare.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { trial } from '../../../analysis/tuning/trial.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { Day, Run } from '../../../domain/day.js';
import type { Limits } from '../../../domain/planning/models.js';
import type { AcceptedChange } from '../../../domain/source/acceptedChanges.js';

const limits: Limits = { unit: 1, offset: 1, windowHours: 8, window: 1, day: 1 };

/** A day with these values on the scale ln(x + 1). */
const scaledDay = (date: string, scaled: readonly number[], gaps: readonly Run[] = []): Day => ({
  date,
  activity: scaled.map(value => Math.exp(value) - 1),
  gaps,
  filled: [],
});
const dates = ['2024-01-01', '2024-01-02', '2024-01-03'];
const reference = [
  scaledDay(dates[0]!, [1, 1, 1]),
  scaledDay(dates[1]!, [1, 2, 2]),
  scaledDay(dates[2]!, [1, 1, 3]),
];
const shapesOf = (distances: readonly number[], days = reference): ReferenceShapes =>
  referenceShapes(days, { dates, distances }, limits)!;

/** A working day. */
const kept = (day: Day): KindOfDay => ({ day, working: true });

const scoreOf = (
  day: Day,
  distances: readonly number[],
  {
    before = [],
    limit = 9,
    isExact = true,
  }: { before?: readonly Day[]; limit?: number; isExact?: boolean } = {},
): number =>
  Math.round(
    1e6 *
      shapeScore(
        kept(day),
        { shapes: shapesOf(distances), limits, limit, before: () => before.map(kept) },
        isExact,
      ).score,
  ) / 1e6;
const six = (value: number): number => Math.round(1e6 * value) / 1e6;

t.test('shape: mean distance of the differences to the three nearest days, over what is usual', async t => {
  const day = scaledDay('2024-02-01', [2, 2, 2]);
  // The differences are 0 0; those of the reference 0 0, 1 0 and 0 2: distances 0, 1 and 2 over the root of 2.
  t.equal(scoreOf(day, [1, 1, 1]), six(1 / Math.SQRT2));
  t.equal(
    scoreOf(day, [1, 1, 4]),
    six(1 / Math.SQRT2 / (0.5 * 2 + 0.5 * 1)),
    'half of the own distances, half median',
  );
  t.equal(scoreOf(day, [0, 0, 0]), six(1 / Math.SQRT2 / 0.005), 'at least 0.005');
});

t.test('shape: slices without a value are left out, of half of the differences at most', async t => {
  const day = scaledDay('2024-02-01', [1, 1, 9], [[2, 3]]);
  // The first differences of the reference are 0, 1 and 0.
  t.equal(scoreOf(day, [1, 1, 1]), six((0 + 1 + 0) / 3));
  t.equal(scoreOf(scaledDay('2024-02-01', [1, 9, 2], [[1, 2]]), [1, 1, 1]), 0, 'no difference is left');
});

t.test(
  'shape: days before count as well, and are read only when the reference is not near enough',
  async t => {
    const day = scaledDay('2024-02-01', [1, 5, 1]);
    const like = [1, 2, 3].map(index => scaledDay(`2024-01-2${index}`, [1, 5, 1]));
    t.ok(scoreOf(day, [1, 1, 1]) > 2);
    t.equal(scoreOf(day, [1, 1, 1], { before: like }), 0);
    let reads = 0;
    const before = (): readonly KindOfDay[] => {
      reads += 1;
      return [];
    };
    const near = kept(scaledDay('2024-02-01', [1, 1, 1]));
    shapeScore(near, { shapes: shapesOf([1, 1, 1]), limits, limit: 2, before });
    t.equal(reads, 0);
  },
);

t.test('shape: the fast answer is 0 or the exact score, and 0 only within the limit', async () => {
  const values = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 3, maxLength: 3 });
  const own = fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(
      values,
      own,
      values,
      fc.double({ min: 0.1, max: 3, noNaN: true }),
      (scaled, distances, other, limit) => {
        const day = scaledDay('2024-02-01', scaled);
        const before = [scaledDay('2024-01-31', other)];
        const exact = scoreOf(day, distances, { before, limit });
        const fast = scoreOf(day, distances, { before, limit, isExact: false });
        return fast === exact || (fast === 0 && exact <= limit + 1e-6);
      },
    ),
  );
});

t.test(
  'shape: a reference that lost days is compared by the others, while half of them are left',
  async t => {
    const days = Array.from({ length: 8 }, (_, at) => scaledDay(`2024-01-0${at + 1}`, [1, at, 2 * at]));
    const all = days.map(({ date }) => date);
    const distances = [1, 2, 3, 4, 5, 6, 7, 8];
    const hours = { distances, free: [2, 5, 7], factor: 2 };
    const left = (from: number, more: object = {}, rules = presentRules) =>
      referenceShapes(
        days.slice(from),
        { dates: all, distances, hours: { ...hours, ...more } },
        limits,
        rules,
      );
    t.strictSame(left(3)?.distances, [4, 5, 6, 7, 8]);
    t.strictSame(left(3)?.hours?.isFree, [false, false, true, false, true]);
    t.strictSame(left(3)?.hours?.distances, [4, 5, 6, 7, 8]);
    t.strictSame(left(3, { only: 'free', distances: [30, 60, 80] })?.hours?.distances, [60, 80]);
    t.strictSame(left(3, { only: 'working', distances: [1, 2, 4, 5, 7] })?.hours?.distances, [4, 5, 7]);
    const without = { dates: all.slice(3), distances: distances.slice(3) };
    t.strictSame(left(3)?.courses, referenceShapes(days, without, limits)?.courses);
    t.equal(left(5), null);
    t.equal(left(1, {}, rulesToUse('daybook-calendar/12')), null);
  },
);

/** Smooth days of 48 slices whose level varies; working days have a higher hump from 5 to 21 o'clock. */
const smoothDays = (from: string, count: number, seed: number): Day[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const number = dayNumber(from) + index;
    const level = 0.6 + 0.8 * random();
    const hump = weekday(number) < 5 ? 30 : 8;
    const activity = Array.from({ length: 48 }, (_, slice) => {
      const part = Math.max(0, Math.sin((Math.PI * (slice / 2 - 5)) / 16)) ** 2;
      return level * (10 + hump * part) * (1 + 0.01 * (random() - 0.5));
    });
    return { date: dateOf(number), activity, gaps: [], filled: [] };
  });
};

const setting = { modelCount: 2, coverage: null, calendar: null, seed: 1 };
const tried = trial(smoothDays('2023-01-02', 364, 1), smoothDays('2024-01-01', 84, 2), setting);
const [wednesday] = tried.days.filter(({ day }) => day.date === '2024-03-13').map(({ day }) => day) as [Day];
const changed = (valueOf: (value: number, slice: number) => number): Day => ({
  ...wednesday,
  activity: wednesday.activity.map(valueOf),
});
const shifted = (slices: number): Day =>
  changed((_, slice) => wednesday.activity[(slice - slices + 48) % 48]!);
/** Kind, direction and limits of a finding. */
const broken = ({ finding }: Checked): unknown => [
  finding?.kind,
  finding?.direction,
  ...(finding?.limits ?? []),
];
const shapeFound = ({ finding }: Checked): unknown => finding?.facts?.shape;

t.test('shape: ordinary days raise no alert, and learning stores days, distances and the limit', async t => {
  t.ok(tried.days.filter(({ finding }) => finding).length <= 2, 'of 84 days');
  const { checks, models } = tried.learned;
  t.equal(checks?.shape?.dates.length, checks?.shape?.distances.length);
  t.ok(checks!.shape!.dates.length > 300);
  t.ok(models[0]!.limits!.shape! >= 1 && models[0]!.limits!.shape! < 5);
});

t.test('shape: a day that comes late is found by its shape alone, with its hours', async t => {
  const late = tried.recheck(shifted(1));
  t.strictSame(broken(late), ['activity', null, 'shape']);
  t.strictSame(shapeFound(late), { type: 'clock', minutes: 30 });
  t.equal(late.finding?.betterModelId, null);
  t.strictSame(
    late.finding?.slices.map(({ from, to }) => [from, to]),
    [[0, 48]],
  );
  t.strictSame(shapeFound(tried.recheck(shifted(-2))), { type: 'clock', minutes: -60 });
  const seven = checkDay(shifted(1), { ...tried.comparison, rules: rulesToUse('daybook-calendar/7') }, () =>
    tried.before(wednesday.date),
  );
  t.strictSame(seven, { outcome: 'normal', finding: null }, 'engine 7 has no such limit');
});

t.test('shape: a course that moves slowly is found by its hours, from engine 11 on', async t => {
  const tilted = changed((value, slice) => value * (0.88 + slice / 196));
  t.strictSame(broken(tried.recheck(tilted)), ['activity', 'both', 'shape']);
  const { referenceShapes } = tried.comparison;
  const shapes = { ...referenceShapes!()!, hours: null };
  const ten = checkDay(tilted, { ...tried.comparison, referenceShapes: () => shapes }, () =>
    tried.before(wednesday.date),
  );
  t.equal(ten.outcome, 'normal', 'the differences alone are like those of other days');
  const prepared = prepare(referenceOf(smoothDays('2023-01-02', 60, 1)), { holidays: null, specials: [] });
  const facts = (rules: EngineRules) =>
    shapeLimit(
      prepared,
      prepared.days.map((_, index) => index),
      1,
      rules,
    )?.facts;
  t.equal(facts(rulesToUse('daybook-calendar/10'))?.hours, undefined);
  const hours = facts(presentRules)?.hours;
  t.equal(hours?.distances.length, 60);
  t.strictSame(hours?.free.slice(0, 4), [5, 6, 12, 13], 'weekends');
});

t.test('shape: a day with the hours of another kind of day keeps the model that it fits', async t => {
  const sunday = tried.days.find(({ day }) => day.date === '2024-03-10')!;
  const { finding } = tried.recheck({ ...sunday.day, date: wednesday.date });
  t.ok(finding?.limits?.includes('shape'));
  t.equal(finding?.betterModelId, sunday.plan.modelId);
});

t.test('shape: noise, a repeated value and another course have their names', async t => {
  const random = seededRandom(3);
  const noisy = tried.recheck(changed(value => value * (0.85 + 0.3 * random())));
  t.strictSame(broken(noisy), ['activity', null, 'shape']);
  t.strictSame(shapeFound(noisy), { type: 'noise' });
  const value = wednesday.activity[24]!;
  const frozen = tried.recheck(changed((other, slice) => (slice >= 24 && slice < 30 ? value : other)));
  t.match(shapeFound(frozen) ?? frozen, { type: 'frozen', flatline: { from: 24, to: 30, value } });
  const bump = tried.recheck(changed((other, slice) => (slice === 4 || slice === 5 ? 1.25 * other : other)));
  t.strictSame(broken(bump), ['activity', 'over', 'shape']);
  t.strictSame(shapeFound(bump), { type: 'shape' });
  t.match(bump.finding?.slices[0], { from: 4, to: 6, direction: 'over' });
  t.match(bump.finding?.facts?.deviation, { from: 4, to: 6, others: 0 });
});

t.test('shape: a profile around 0 is not turned round to be at the level of a day', async t => {
  const activity = [4, -4, 1, -1, 4, -4, 1, -1];
  const model = { ...tried.models[0]!, activity };
  const day: Day = {
    ...wednesday,
    activity: activity.map((value, slice) => (slice < 4 ? -value : -0.5 * value)),
  };
  const found = (rules: EngineRules) => {
    const checks = { longestRun: 8, minimum: -9 };
    const compared = { day, model, residuals: new Float64Array(8), checks, rules, score: 2, allowed: 1 };
    const runs = shapeRuns(compared, { type: 'shape' });
    return [runs[0], shapeFindingFacts(compared, { type: 'shape' }, runs).deviation] as const;
  };
  const [run, deviation] = found(presentRules);
  t.match(run, { from: 0, to: 1, direction: 'under' });
  t.match(deviation, { actual: -4, expected: 4, comparedWith: 'model' });
  t.match(found(rulesToUse('daybook-calendar/13'))[1], { expected: /^-/, comparedWith: 'dayLevel' });
});

t.test('shape: a date in progress and a drifting day are not judged by it', async t => {
  const late = { ...shifted(1), gaps: [[47, 48]] as Run[], inProgress: { elapsed: 47, closesAt: '' } };
  t.equal(tried.recheck(late).outcome, 'normal');
});

t.test('shape: a floor hides a shape whose slices are all below it', async t => {
  const floor = (absolute: number): Checked =>
    checkDay(shifted(1), { ...tried.comparison, floor: { absolute, percent: null, proposed: false } }, () =>
      tried.before(wednesday.date),
    );
  t.match(floor(1), { outcome: 'abnormal' });
  t.strictSame(floor(20), { outcome: 'normal', finding: null, belowFloor: true });
});

const accepted = (change: Partial<AcceptedChange>): AcceptedChange =>
  ({
    type: 'clock',
    size: 60,
    from: '2024-03-01',
    incidentId: 'inc-1-20240301-1',
    ...change,
  }) as AcceptedChange;

t.test('shape: an accepted change is taken back before the shape is compared', async t => {
  const day = scaledDay('2024-02-01', [1, 2, 3, 4]);
  const unchanged = (one: Day, ...changes: readonly AcceptedChange[]) =>
    unchangedDay(one, changes, presentRules);
  t.strictSame(unchanged(day, accepted({ size: 360 }))?.activity, [
    ...day.activity.slice(1),
    day.activity[0],
  ]);
  const level = unchanged(day, accepted({ type: 'level', size: 0.25 }))!;
  t.same(
    level.activity.map(six),
    day.activity.map(value => six(value / 1.25)),
  );
  t.equal(unchanged(day, accepted({ type: 'opening', size: -60 })), null);
  const partly: Day = { ...day, gaps: [[0, 2]], filled: [[3, 4]] };
  const runsAfter = (size: number) => {
    const { gaps, filled } = unchanged(partly, accepted({ size }))!;
    return [gaps, filled];
  };
  t.strictSame(runsAfter(360), [
    [
      [0, 1],
      [3, 4],
    ],
    [[2, 3]],
  ]);
  t.strictSame(runsAfter(-360), [[[0, 3]], []]);

  const check = (changes: readonly AcceptedChange[]): Checked =>
    checkDay(shifted(2), { ...tried.comparison, changed: changedDates(changes) }, () =>
      tried.before(wednesday.date),
    );
  t.equal(check([]).outcome, 'abnormal');
  t.equal(check([accepted({})]).outcome, 'normal');
});

t.test('shape: its alerts widen its own limit only', async t => {
  const start = { units: 0, counted: null };
  const alert = (...broken: ('slice' | 'shape')[]) => ({ kind: 'activity', limits: broken }) as const;
  const date = '2024-03-13';
  const counted = { units: 99, counted: date };
  t.strictSame(adaptedAfter(start, date, alert('shape')), { ...start, shape: counted });
  t.strictSame(adaptedAfter(start, date, alert('slice')), counted);
  t.strictSame(adaptedAfter(start, date, alert('slice', 'shape')), { ...counted, shape: counted });
  t.strictSame(adaptedAfter({ ...start, shape: counted }, '2024-03-14', null), {
    ...start,
    shape: { units: 98, counted: date },
  });
  t.strictSame(adaptedAfter(start, date, null), start, 'no state of the shape without an alert');
});

t.test(
  'shape: the limit needs 28 days; its minimum is 1, or 1.1 when the hours have a limit too',
  async t => {
    const prepared = (count: number, days = smoothDays('2023-01-02', count, 1)) =>
      prepare(referenceOf(days), { holidays: null, specials: [] });
    const all = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
    t.equal(shapeLimit(prepared(27), all(27), 1, presentRules), null);
    t.ok(shapeLimit(prepared(60), all(60), 1, presentRules));
    const [first] = smoothDays('2023-01-02', 1, 1) as [Day];
    const same = all(60).map(index => ({ ...first, date: dateOf(dayNumber(first.date) + index) }));
    const limit = (widening: number, rules: EngineRules) =>
      six(shapeLimit(prepared(60, same), all(60), widening, rules)?.limit ?? NaN);
    t.equal(limit(1, rulesToUse('daybook-calendar/10')), 1);
    t.equal(limit(1, presentRules), 1.1);
    t.equal(limit(1.2, presentRules), 1.32);
  },
);

t.test('shape: a limit that leaves too many days outside moves out, from 150 days on at a tenth', async t => {
  const limit = (count: number, far: number): number =>
    limitOf(Float64Array.from({ length: count }, (_, index) => (index < count - far ? 1 : 100)));
  t.equal(limit(149, 22), 2.3, 'a fifth of few days may be outside');
  t.equal(limit(150, 22), 100);
  t.equal(limit(149, 31), 100);
  t.equal(limit(150, 13), 2.3);
  const spread = Float64Array.from({ length: 150 }, (_, index) => (index < 120 ? 1 : index));
  t.equal(limitOf(spread), 147, 'the score of rank 0.975 · 151, from 1');
});

t.test('shape: bounds are those of engine 7, and with a coverage all limits have one factor', async t => {
  const days = smoothDays('2023-01-02', 364, 1);
  const bounds = (engine: string, coverage: number | null = null) => {
    const { models, bounds } = typicalDays(days, { ...setting, coverage, engine });
    return {
      bounds,
      models: models.map(({ limits: { shape, ...rest } = limits, ...model }) => ({ ...model, rest })),
    };
  };
  t.strictSame(bounds('daybook-calendar/8').models, bounds('daybook-calendar/7').models);
  const { measuredCoverage, calibrationDays } = bounds('daybook-calendar/8', 0.95).bounds;
  t.equal(Math.round(measuredCoverage * (calibrationDays + 1)), Math.ceil(0.95 * (calibrationDays + 1)));
});

t.test('a single day of a rare kind leaves the hours of the other days compared', async t => {
  const random = seededRandom(9);
  const all = Array.from({ length: 210 }, (_, index) => {
    const date = dateOf(dayNumber('2024-01-01') + index);
    const activity = Array.from(
      { length: 24 },
      (_, hour) => 10 + (hour > 8 && hour < 18 ? 20 : 0) + random(),
    );
    return { date, activity, gaps: [], filled: [] };
  });
  const working = all.filter(({ date }) => weekday(dayNumber(date)) < 5);
  const learned = (days: readonly Day[], engine?: string) =>
    typicalDays(days, { modelCount: 2, coverage: null, calendar: null, seed: 1, ...(engine && { engine }) })
      .checks?.shape?.hours;
  const saturday = all.find(({ date }) => weekday(dayNumber(date)) === 5)!;
  const withOne = [...working, saturday];
  t.equal(learned(working)?.only, undefined);
  t.match(learned(withOne), { only: 'working', distances: { length: working.length } });
  t.equal(learned(withOne, 'daybook-calendar/11'), undefined);
});
