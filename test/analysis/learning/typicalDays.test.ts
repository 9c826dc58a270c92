import fc from '../../helpers/property.js';
import t from 'tap';
import { dateOf, weekday } from '../../../domain/dates.js';
import { isLearnable, type Day } from '../../../domain/day.js';
import { modelFaults, withIds, type TypicalDays } from '../../../domain/planning/models.js';
import { planner } from '../../../domain/planning/planning.js';
import { chosenModelCount } from '../../../analysis/learning/crossFitting.js';
import { clusterRows, distinctCount, scaledRows } from '../../../analysis/learning/clustering/clusterRows.js';
import { calendarOf } from '../../../analysis/calendar/holidays.js';
import { flatRows, rowsOf } from '../../../analysis/math/flatRows.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { referenceOf } from '../../../analysis/learning/prepare.js';
import { type Setting, typicalDays as learn } from '../../../analysis/learning/typicalDays.js';
import { median, quantiles } from '../../../analysis/math/statistics.js';
import { engine, rulesToUse } from '../../../analysis/engine.js';
import { madeDays, monday, mondayPlus as day } from '../../helpers/data/madeDays.js';
import { exactList } from '../../helpers/exactList.js';

/** Learns without a calendar and with default limits. */
const typicalDays = (
  days: readonly Day[],
  modelCount: number | null,
  seed: number,
  others: Partial<Setting> = {},
): TypicalDays => learn(days, { modelCount, coverage: null, calendar: null, seed, ...others });

const daysOf = (count: number, activity: (index: number) => readonly number[]): Day[] =>
  Array.from({ length: count }, (_, index) => day(index, activity(index)));
const isFree = (index: number): boolean => weekday(monday + index) >= 5;
const working = [1, 8, 9, 2];
const free = [1, 3, 4, 3];
const calendarDays = (count: number): Day[] => daysOf(count, index => (isFree(index) ? free : working));
const timesAll = (days: readonly Day[], factor: number): Day[] =>
  days.map(day => ({ ...day, activity: day.activity.map(value => value * factor) }));

/** Name of the model that is planned for a date. */
const plannedName = (learned: TypicalDays): ((date: string) => string) => {
  const { models, assignments } = withIds(learned, 1);
  const plan = planner(models, assignments, { holidays: learned.calendar?.holidays ?? null, specials: [] });
  return date => models.find(({ id }) => id === plan(date).modelId)?.name ?? 'none';
};

/** Largest difference between two profiles over the mean magnitude of the second. */
const difference = (a: readonly number[], b: readonly number[]): number => {
  const size = b.reduce((sum, value) => sum + Math.abs(value), 0) / b.length;
  return a.reduce((most, value, slice) => Math.max(most, Math.abs(value - (b[slice] ?? 0))), 0) / (size || 1);
};

/** Violated invariants of a result; see the docstring of typicalDays. */
const violations = (days: readonly Day[], result: TypicalDays): string[] => {
  const faults: string[] = modelFaults(result.models).map(({ detail }) => detail);
  const check = (valid: boolean, fault: string): void => {
    if (!valid) faults.push(fault);
  };
  const { models, assignments, leftOut, bounds, choice, checks } = result;
  const dates = [...assignments, ...leftOut].map(({ date }) => date).sort();
  check(
    dates.join() ===
      days
        .map(({ date }) => date)
        .sort()
        .join(),
    'each day is assigned or left out, once',
  );
  check(
    assignments.every(({ date }, index) => date > (assignments[index - 1]?.date ?? '')),
    'assignments in order of date',
  );
  const plannedTo = models.map((_, index) => assignments.filter(({ planned }) => planned === index).length);
  const first = models.map((_, index) => assignments.findIndex(({ planned }) => planned === index));
  models.forEach(({ days: count, name }, index) => {
    check(plannedTo[index] === count, `days of ${index}`);
    check(plannedTo[index]! > 0, 'each model is planned for a day');
    if (index > 0)
      check(
        plannedTo[index]! < plannedTo[index - 1]! ||
          (plannedTo[index] === plannedTo[index - 1] && first[index - 1]! < first[index]!),
        'largest first, then earliest',
      );
    check(name.length >= 1 && name.length <= 100, `name of ${name.length} characters`);
  });
  check(
    assignments.every(({ model, planned }) => models[model] && models[planned ?? -1]),
    'models exist',
  );
  check(new Set(models.map(model => model.color)).size === models.length, 'colours differ');
  for (const { activity, topTolerance: top, bottomTolerance: bottom, limits } of models) {
    check([...activity, ...top, ...bottom].every(Number.isFinite), 'profiles and bounds are finite');
    check(
      // Subnormal numbers have too few neighbours to have bounds.
      limits!.unit < 1e-300 ||
        activity.every((value, slice) => top[slice]! > value && bottom[slice]! < value),
      'bounds have width on both sides',
    );
  }
  check(bounds.measuredCoverage >= 0 && bounds.measuredCoverage < 1, 'measured coverage is a share below 1');
  check(bounds.calibrationDays >= 1 && bounds.calibrationDays <= days.length, 'calibration days are days');
  const share = (x: number | null): boolean => x !== null && x >= 0 && x <= 1;
  check(share(result.hitRate), 'hit rate is a share');
  check(
    choice.every(
      ({ loss, predictability, stability }) => loss >= 0 && share(predictability) && stability! <= 1,
    ),
    'losses, predictability and stability',
  );
  check(
    checks!.scores.length === bounds.calibrationDays &&
      checks!.scores.every((score, at) => score >= (checks!.scores[at - 1] ?? 0)),
    'scores of the calibration days, ascending',
  );
  return faults;
};

const shuffled = <T>(values: readonly T[], seed: number): T[] => {
  const random = seededRandom(seed);
  return values
    .map(value => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
};

t.test('learning: two kinds of days that repeat exactly have exact profiles', async t => {
  const days = calendarDays(28);
  const result = typicalDays(days, 2, 1);
  t.equal(result.engine, engine);
  t.equal(result.seed, 1);
  t.same(
    result.models.map(({ name, days, anomaly }) => ({ name, days, anomaly })),
    [
      { name: 'Monday–Friday', days: 20, anomaly: false },
      { name: 'Saturday–Sunday', days: 8, anomaly: false },
    ],
  );
  t.ok(difference(result.models[0]!.activity, working) < 1e-12);
  t.ok(difference(result.models[1]!.activity, free) < 1e-12);
  t.same(
    result.assignments,
    days.map(({ date }, index) => ({ date, model: isFree(index) ? 1 : 0, planned: isFree(index) ? 1 : 0 })),
  );
  t.equal(result.hitRate, 1);
  t.match(result.choice, exactList({ modelCount: 2, predictability: 1, stability: 1 }));
  t.ok(result.choice[0]!.loss < 1e-12, 'plans from other weeks are correct');
  t.match(result.bounds, {
    targetCoverage: null,
    guaranteedCoverage: null,
    calibrationDays: 28,
    measuredCoverage: 28 / 29,
  });
  t.equal(result.bounds.falseAlertsPerYear, 7, 'one alert in 29 days, calibrated');
  t.same(result.leftOut, []);
  t.same(violations(days, result), []);
});

t.test('learning: a weekly pattern is planned correctly, also in other years', async t => {
  for (const days of [calendarDays(56), madeDays({ count: 112, slices: 24, seed: 3 })]) {
    const plan = plannedName(typicalDays(days, 2, 1));
    for (const [date, name] of [
      ['2023-02-01', 'Monday–Friday'],
      ['2023-02-04', 'Saturday–Sunday'],
      ['2024-02-09', 'Monday–Friday'],
      ['2024-02-11', 'Saturday–Sunday'],
      ['2024-08-12', 'Monday–Friday'],
    ] as const)
      t.equal(plan(date), name, date);
  }
});

t.test(
  'learning: an unusual day has the planned model of its date and the nearest model assigned',
  async t => {
    const days = calendarDays(84).map((day, index) => (index === 30 ? { ...day, activity: free } : day));
    const result = typicalDays(days, 2, 1);
    const odd = result.assignments.find(({ date }) => date === days[30]!.date);
    const isOutlier = result.leftOut.some(({ date }) => date === days[30]!.date);
    t.ok(isOutlier || (odd?.model === 1 && odd.planned === 0));
    t.ok(difference(result.models[0]!.activity, working) < 1e-12);
  },
);

t.test('learning: two seasons give two models, planned by season', async t => {
  const days = daysOf(365, index => (index > 120 && index < 245 ? [2, 2, 20, 20] : [1, 9, 9, 1]));
  const result = typicalDays(days, 2, 1);
  t.same(violations(days, result), []);
  const plan = plannedName(result);
  t.not(plan('2024-07-10'), plan('2024-01-10'));
  t.equal(plan('2024-12-01'), plan('2024-01-10'));
});

t.test('model count: the requested number if there are as many kinds of days', async t => {
  // Each weekday has its peak in another slice.
  const kinds = daysOf(140, index => Array.from({ length: 7 }, (_, slice) => (slice === index % 7 ? 9 : 3)));
  for (const count of [1, 2, 3, 5, 7]) t.equal(typicalDays(kinds, count, 1).models.length, count);
  t.equal(typicalDays(kinds, 12, 1).models.length, 7, 'not more than there are kinds');
  t.equal(typicalDays(kinds, 1, 1).models[0]?.name, 'every day');
  t.equal(typicalDays(calendarDays(28), 5, 1).models.length, 2, 'two distinct days');
  t.ok(typicalDays(madeDays({ count: 70, slices: 4, seed: 1 }), 70, 1).models.length <= 64);
  const each = madeDays({ count: 14, slices: 4, seed: 2 });
  t.same(violations(each, typicalDays(each, 14, 1)), []);
});

t.test('model count: the smallest number with a loss near the best is chosen', async t => {
  t.equal(typicalDays(calendarDays(364), null, 1).models.length, 2);
  const three = daysOf(364, index =>
    weekday(monday + index) === 6 ? [0, 0, 5, 0] : isFree(index) ? free : working,
  );
  const chosen = typicalDays(three, null, 1);
  t.same(
    chosen.models.map(({ name }) => name),
    ['Monday–Friday', 'Saturday', 'Sunday'],
  );
  t.ok(chosen.choice[0]!.loss > 2 * chosen.choice[1]!.loss, 'two are too few');

  const days = madeDays({ count: 120, slices: 8, seed: 1 });
  const { choice, models } = typicalDays(days, null, 1);
  t.equal(choice.length, new Set(choice.map(({ modelCount }) => modelCount)).size);
  t.ok(
    choice.length >= 5 &&
      choice.every(({ modelCount }, at) => modelCount > (choice[at - 1]?.modelCount ?? 1)),
  );
  t.ok(choice.every(({ predictability, stability }) => predictability !== null && stability !== null));
  t.equal(models.length, chosenModelCount(choice));
  t.equal(models.length, 2, 'two kinds of days need two models at any noise');
});

t.test('model count: a chosen number gives the same models as the same requested number', async t => {
  const days = madeDays({ count: 120, slices: 8, seed: 5 });
  const chosen = typicalDays(days, null, 3);
  const asked = typicalDays(days, chosen.models.length, 3);
  t.same({ ...asked, choice: [] }, { ...chosen, choice: [] });
  t.same(
    asked.choice,
    chosen.choice.filter(({ modelCount }) => modelCount === chosen.models.length),
  );
});

t.test('learning: equal days, and days of zeros', async t => {
  const same = daysOf(28, () => working);
  for (const count of [3, null]) {
    const result = typicalDays(same, count, 1);
    t.same(violations(same, result), []);
    t.match(result.models, exactList({ name: 'every day', days: 28 }));
    t.equal(result.models.length, 1, 'one kind of days is one model');
    t.ok(difference(result.models[0]!.activity, working) < 1e-12);
    t.ok(difference(result.models[0]!.topTolerance, working) < 0.1, 'the tolerance is narrow, but not 0');
  }
  const zeros = daysOf(30, () => [0, 0, 0, 0]);
  const none = typicalDays(zeros, null, 1);
  t.same(violations(zeros, none), []);
  t.match(none.models, exactList({ name: 'every day', activity: exactList(0, 0, 0, 0) }));
  t.match(none, { choice: exactList({ loss: 0 }), checks: { longestRun: 0, minimum: 0 } });
  t.same(none.bounds.minimumDetectableChange, {
    wholeDay: { more: null, less: null },
    eightHours: { more: null, less: null },
    timesOfDay: [0, 1, 2, 3].map(from => ({ from, to: from + 1, more: null, less: null })),
  });
});

t.test('learning: a fortnight, three days, one day', async t => {
  for (const count of [14, 3, 2, 1]) {
    const days = madeDays({ count, slices: 24, seed: 4 });
    for (const coverage of [null, 0.99]) {
      const result = typicalDays(days, null, 1, { coverage });
      t.same(violations(days, result), [], `${count} days`);
      t.equal(result.assignments.length, count);
    }
  }
  const one = typicalDays([day(0, working)], null, 1);
  t.match(one, {
    models: exactList({ name: 'only 2 Jan', days: 1 }),
    bounds: { calibrationDays: 1, measuredCoverage: 0.5 },
  });
  t.ok(difference(one.models[0]!.activity, working) < 1e-12);
});

t.test('unit: assignments and coverage do not depend on it, profiles and bounds scale with it', async t => {
  const base = madeDays({ count: 60, slices: 8, seed: 6 });
  const plain = typicalDays(base, 3, 1);
  for (const factor of [1000, 1e12, 1e-9, 1e-200, 1e100]) {
    const result = typicalDays(timesAll(base, factor), 3, 1);
    t.same(result.assignments, plain.assignments, `times ${factor}: the same assignments`);
    t.match(result.bounds, plain.bounds, 'the same coverages and minimum detectable changes');
    result.models.forEach((model, index) => {
      for (const part of ['activity', 'topTolerance', 'bottomTolerance'] as const)
        t.ok(
          difference(
            model[part].map(value => value / factor),
            plain.models[index]![part],
          ) < 1e-9,
          `${part} of ${index}`,
        );
    });
  }
  const binary = typicalDays(timesAll(base, 1024), 3, 1);
  t.same(
    binary.models.map(({ activity }) => activity),
    plain.models.map(({ activity }) => activity.map(value => value * 1024)),
    'a power of two keeps all bits of the mantissa',
  );
});

t.test('learning: negative values', async t => {
  const days = timesAll(madeDays({ count: 84, slices: 8, seed: 6 }), -1);
  const result = typicalDays(days, 2, 1);
  t.same(violations(days, result), []);
  t.same(
    result.models.map(({ name }) => name),
    ['Monday–Friday', 'Saturday–Sunday'],
  );
  t.ok(result.models.every(({ activity }) => activity.every(value => value < 0)));
  const both = daysOf(56, index => (isFree(index) ? [1, -3, -4, 3] : [1, -8, 9, -2]));
  const found = typicalDays(both, 2, 1);
  t.same(violations(both, found), []);
  t.ok(difference(found.models[0]!.activity, [1, -8, 9, -2]) < 1e-12);
  t.equal(found.checks?.minimum, -8);
});

t.test('learning: invalid input is rejected with got and expected', async t => {
  const refuses = (days: readonly Day[], message: RegExp, count: number | null = 2, seed = 1) =>
    t.throws(() => typicalDays(days, count, seed), { name: 'RangeError', message });
  refuses([], /got 0 days with too few usable slices, expected at least one/);
  refuses([day(0, [0, 0], [[0, 2]])], /got 1 days with too few usable slices/);
  refuses([day(0, [])], /got 0 values on 2023-01-02, expected at least 1/);
  refuses([day(0, [1, 2]), day(1, [1])], /got 1 values on 2023-01-03, expected 2/);
  refuses([day(0, [1, Number.NaN])], /got NaN in slice 1 of 2023-01-02, expected a number/);
  refuses([day(0, [Number.POSITIVE_INFINITY])], /got Infinity in slice 0/);
  refuses([day(0, [1]), day(0, [2])], /got 2023-01-02 twice/);
  refuses([{ ...day(0, [1]), date: '2023-02-30' }], /got date "2023-02-30"/);
  for (const count of [0, -1, 1.5, Number.NaN]) refuses([day(0, [1])], /got model count/, count);
  refuses([day(0, [1])], /got seed 0.5, expected an integer/, 1, 0.5);
  for (const coverage of [0, 1, -0.5, Number.NaN])
    t.throws(() => typicalDays([day(0, [1])], 1, 1, { coverage }), {
      name: 'RangeError',
      message: /got coverage/,
    });
});

t.test('learning: days with few usable slices are left out, of others the usable slices count', async t => {
  const days = calendarDays(56).map((day, index): Day => {
    if (index === 3) return { ...day, activity: [0, 0, 0, 2], gaps: [[0, 3]] };
    if (index === 4) return { ...day, activity: [0, 8, 9, 2], gaps: [[0, 1]] };
    if (index === 5) return { ...day, activity: [0, 0, day.activity[2]!, 2], gaps: [[0, 2]] };
    if (index === 8) return { ...day, activity: [0, 0, 0, 0], gaps: [[0, 4]] };
    return day;
  });
  const result = typicalDays(days, 2, 1);
  t.same(result.leftOut, [
    { date: '2023-01-05', reason: '1 of 4 slices usable, less than three quarters' },
    { date: '2023-01-07', reason: '2 of 4 slices usable, less than three quarters' },
    { date: '2023-01-10', reason: '0 of 4 slices usable, less than three quarters' },
  ]);
  t.same(
    result.models.map(({ days }) => days),
    [38, 15],
  );
  t.ok(
    difference(result.models[0]!.activity, working) < 1e-12,
    'a half-empty Friday does not lower the profile',
  );
  t.equal(result.checks?.minimum, 1, 'values of gaps are ignored');
  t.same(violations(days, result), []);

  const never = typicalDays(
    calendarDays(28).map(day => ({ ...day, gaps: [[1, 2]] as const })),
    2,
    1,
  );
  t.ok(
    difference(never.models[0]!.activity, [1, 1, 9, 2]) < 1e-12,
    'a slice that is never observed has the value of its neighbour',
  );
});

t.test('learning: values of gaps do not change the result', async () => {
  const base = madeDays({ count: 42, slices: 8, seed: 9 }).map((day, index): Day => {
    const from = (index * 3) % 8;
    return index % 3 === 0 ? { ...day, gaps: [[from, Math.min(8, from + 3)]] } : day;
  });
  const expected = JSON.stringify(typicalDays(base, 3, 1));
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 8, maxLength: 8 }),
      values => {
        const changed = base.map(day => ({
          ...day,
          activity: day.activity.map((value, slice) =>
            day.gaps.some(([from, to]) => slice >= from && slice < to) ? values[slice]! : value,
          ),
        }));
        return JSON.stringify(typicalDays(changed, 3, 1)) === expected;
      },
    ),
    { seed: 20261121, numRuns: 15 },
  );
});

t.test('outliers: listed, without effect on profiles and bounds', async t => {
  const usual = madeDays({ count: 140, slices: 24, seed: 12 });
  const odd = new Map([
    [31, (value: number) => 5 * value],
    [58, (value: number) => value / 20],
    [75, (value: number, slice: number) => (slice < 12 ? 8 * value : value)],
    [103, () => 0],
  ]);
  const days = usual.map((day, index) => {
    const change = odd.get(index);
    return change ? { ...day, activity: day.activity.map((value, slice) => change(value, slice)) } : day;
  });
  const [without, result] = [typicalDays(usual, 2, 1), typicalDays(days, 2, 1)];
  t.same(violations(days, result), []);
  const outlierDates = result.leftOut.map(({ date }) => date);
  t.same(
    [...odd.keys()].filter(index => !outlierDates.includes(days[index]!.date)),
    [],
    'all are found',
  );
  t.ok(outlierDates.length <= odd.size + 2, 'at most two others');
  t.ok(
    result.leftOut.every(({ reason }) =>
      /^unusual: \d+\.\d times as far from days of its season/.test(reason),
    ),
  );
  t.equal(
    result.bounds.calibrationDays,
    days.length - outlierDates.length,
    'outliers are not used for calibration',
  );
  result.models.forEach((model, index) => {
    const clean = without.models[index]!;
    t.ok(difference(model.activity, clean.activity) < 0.06, 'profile');
    t.ok(difference(model.topTolerance, clean.topTolerance) < 0.15, 'upper bound');
    t.ok(difference(model.bottomTolerance, clean.bottomTolerance) < 0.15, 'lower bound');
  });
  const checks = result.models[0]!.limits!;
  t.ok(
    Math.abs(checks.unit / without.models[0]!.limits!.unit - 1) < 0.1,
    'the unit changes by less than a tenth',
  );
});

t.test('calendar: holidays have their own model and plan', async t => {
  const calendar = calendarOf('FR', 2023);
  const holidays = new Set(calendar.holidays.map(({ date }) => date));
  const closed = [1, 1, 1, 12];
  const days = daysOf(360, index => (isFree(index) ? free : working)).map(day =>
    holidays.has(day.date) ? { ...day, activity: closed } : day,
  );
  const result = typicalDays(days, 3, 1, { calendar });
  t.same(violations(days, result), []);
  t.same(
    result.models.map(({ name }) => name),
    ['Monday–Friday', 'Saturday–Sunday', 'public holidays'],
  );
  t.ok(difference(result.models[2]!.activity, closed) < 1e-12);
  t.equal(result.bounds.calibrationDays < 360 - 11, true, 'only ordinary days calibrate limits');
  const plan = plannedName(result);
  t.equal(plan('2024-05-01'), 'public holidays', 'Labour Day');
  t.equal(plan('2024-07-14'), 'public holidays', 'a holiday on a Sunday');
  t.equal(plan('2024-05-15'), 'Monday–Friday');
  t.equal(plan('2024-06-16'), 'Saturday–Sunday');
  t.notOk(
    typicalDays(days, 3, 1).models.some(({ name }) => name === 'public holidays'),
    'not without a calendar',
  );
});

t.test('calendar: special days do not affect other days', async t => {
  const specials = [14, 42, 70].map(index => ({ date: dateOf(monday + index), name: 'Fair' }));
  const days = daysOf(112, index =>
    [14, 42, 70].includes(index) ? [30, 30, 30, 30] : isFree(index) ? free : working,
  );
  const result = typicalDays(days, 3, 1, { specials });
  t.same(violations(days, result), []);
  t.ok(difference(result.models[0]!.activity, working) < 1e-12);
  t.equal(result.models[2]?.name, 'Fair');
  t.ok(difference(result.models[2]!.activity, [30, 30, 30, 30]) < 1e-12);
  t.equal(result.bounds.calibrationDays, 109);
});

t.test('facts of the reference for checks: longest run and minimum', async t => {
  const days = calendarDays(28).map((day, index): Day => {
    if (index % 7 === 1) return { ...day, activity: [1, 9, 9, 2] };
    if (index % 7 === 2) return { ...day, activity: [8, 8, 8, 8], gaps: [[3, 4]] };
    if (index % 7 === 3) return { ...day, activity: [0.5, 8, 9, 2] };
    return day;
  });
  const { checks } = typicalDays(days, 2, 1);
  t.equal(checks?.longestRun, 3, 'a gap ends a run');
  t.equal(checks?.minimum, 0.5);
  const closed = days.map((day): Day => ({ ...day, activity: [0.5, 0.5, 0.5, 7] }));
  t.equal(typicalDays([...days.slice(0, 21), ...closed.slice(21)], 2, 1).checks?.longestRun, 3);
  t.equal(typicalDays(closed, 2, 1).checks?.longestRun, 1, 'runs at the minimum do not count');
});

t.test('determinism: the order of days and a second run do not change a byte', async t => {
  const gappy = madeDays({ count: 84, slices: 12, seed: 8 }).map((day, index): Day =>
    index % 9 === 0 ? { ...day, gaps: [[3, 6]] } : day,
  );
  const inOrder = JSON.stringify(typicalDays(gappy, null, 5, { coverage: 0.95 }));
  t.equal(JSON.stringify(typicalDays(gappy, null, 5, { coverage: 0.95 })), inOrder);
  for (const seed of [1, 2])
    t.equal(JSON.stringify(typicalDays(shuffled(gappy, seed), null, 5, { coverage: 0.95 })), inOrder);
  t.equal(JSON.stringify(typicalDays([...gappy].reverse(), null, 5, { coverage: 0.95 })), inOrder);
  t.not(
    JSON.stringify(typicalDays(gappy, null, 6, { coverage: 0.95 })),
    inOrder,
    'the seed is part of the result',
  );
});

t.test('learning: all invariants are valid for any days', async () => {
  const value = fc.oneof(
    fc.double({ min: -1e3, max: 1e3, noNaN: true }),
    fc.constantFrom(0, 0, 1, 1e12, -1e12, 1e-9, 5e-324),
  );
  const arbitrary = fc.integer({ min: 1, max: 5 }).chain(slices =>
    fc.array(
      fc.record({
        activity: fc.array(value, { minLength: slices, maxLength: slices }),
        gap: fc.tuple(fc.nat(slices), fc.nat(slices)),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  );
  fc.assert(
    fc.property(
      arbitrary,
      fc.option(fc.integer({ min: 1, max: 12 })),
      fc.constantFrom(null, 0.9, 0.995),
      fc.integer(),
      (raw, count, coverage, seed) => {
        const days = raw.map(({ activity, gap: [a, b] }, index) => {
          const [from, to] = a < b ? [a, b] : [b, a];
          const gap = index % 3 === 0 && from < to;
          return day(
            index,
            activity.map((x, slice) => (gap && slice >= from && slice < to ? 0 : x)),
            gap ? [[from, to]] : [],
          );
        });
        if (!days.some(isLearnable)) return;
        const faults = violations(days, typicalDays(days, count, seed, { coverage }));
        if (faults.length > 0) throw new Error(faults.join('; '));
      },
    ),
    { seed: 20261121, numRuns: 150 },
  );
});

t.test('reference: blocks are months, fortnights or days, depending on its length', async t => {
  const blocks = (count: number, step = 1): number[] =>
    referenceOf(Array.from({ length: count }, (_, index) => day(index * step, [1]))).days.map(
      block => block.block,
    );
  t.same([...new Set(blocks(365))], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  t.equal(blocks(365).at(-1), 0, '1 January of the next year');
  t.equal(new Set(blocks(240)).size, 8);
  t.equal(new Set(blocks(239)).size, Math.ceil(239 / 14));
  t.same(blocks(29).slice(12, 16), [0, 0, 1, 1]);
  t.same(blocks(5), [0, 1, 2, 3, 4]);
  t.equal(new Set(blocks(28)).size, 28);
  const summers = [0, 365].flatMap(from => Array.from({ length: 40 }, (_, index) => from + index));
  const days = summers.map(index => day(index, [1]));
  const numbered = (engine: string): number =>
    new Set(referenceOf(days, rulesToUse(engine)).days.map(({ block }) => block)).size;
  t.equal(numbered('daybook-calendar/12'), 6, 'fortnights of two months in two years');
  t.equal(numbered('daybook-calendar/11'), 80);
  t.same(blocks(2, 300), [0, 1], 'two days far apart make two months, which are too few');
});

t.test('clusters: k-means separates distinct groups', async t => {
  const rows = flatRows([
    [0, 0],
    [0.1, 0],
    [5, 5],
    [5.1, 5],
    [5, 5.1],
    [-5, 5],
  ]);
  t.same(clusterRows(rows, 3, 1), [1, 1, 0, 0, 0, 2], 'largest first, then by the earliest row');
  t.same(clusterRows(rows, 1, 1), [0, 0, 0, 0, 0, 0]);
  t.same(new Set(clusterRows(rows, 6, 1)).size, 6);
  t.same(clusterRows(flatRows([[1], [1], [2]]), 3, 1), [0, 0, 1], 'two distinct rows make two clusters');
  t.throws(() => clusterRows(rows, 7, 1), { name: 'RangeError', message: /got 7 clusters/ });
  t.throws(() => clusterRows(rows, 0, 1), RangeError);
  const scaled = (values: readonly number[][]): number[][] => rowsOf(scaledRows(values));
  t.equal(distinctCount([[1, 2], [1, 2], [12]], 64), 2);
  t.equal(distinctCount([[1], [2], [3]], 2), 2, 'as many clusters as requested');
  t.same(
    scaled([
      [2, 4],
      [4, 2],
    ]),
    [
      [-1, 1],
      [1, -1],
    ],
    'mean 3, population standard deviation 1',
  );
  t.same(scaled([[0, 0]]), [[0, 0]]);
  t.same(
    scaled([
      [2, 2],
      [2, 2],
    ]),
    [
      [0, 0],
      [0, 0],
    ],
  );
});

/** Least inertia of n sorted numbers in k clusters. The best clusters on a line are runs: tries all splits. */
const leastInertia = (line: readonly number[], count: number): number => {
  const inertia = (run: readonly number[]): number => {
    const mean = run.reduce((sum, x) => sum + x, 0) / run.length;
    return run.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  };
  if (count === 1) return inertia(line);
  const splits = Array.from({ length: line.length - count + 1 }, (_, index) => index + 1);
  return Math.min(...splits.map(at => inertia(line.slice(0, at)) + leastInertia(line.slice(at), count - 1)));
};

t.test('clusters: the best of ten runs is optimal for most inputs', async t => {
  // One-dimensional example: {0,1,2} {10,11,12} {100}.
  t.same(clusterRows(flatRows([[0], [100], [10], [1], [11], [2], [12]]), 3, 9), [0, 2, 1, 0, 1, 0, 1]);

  const random = seededRandom(11);
  const lines = Array.from({ length: 60 }, () =>
    Array.from({ length: 14 }, () => random()).sort((a, b) => a - b),
  );
  const best = lines.filter(line => {
    const labels = clusterRows(flatRows(line.map(x => [x])), 4, 1);
    const inertia = [0, 1, 2, 3].reduce((sum, label) => {
      const run = line.filter((_, index) => labels[index] === label);
      return sum + leastInertia(run, 1);
    }, 0);
    return inertia <= leastInertia(line, 4) * (1 + 1e-9);
  });
  t.comment(`${best.length} of ${lines.length} lines have the least inertia`);
  t.ok(best.length >= 56);
});

t.test('random: the same for the same seed, uniform, and never 1', async t => {
  const first = (seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 1000 }, () => random());
  };
  t.same(first(42), first(42));
  t.not(first(42)[0], first(43)[0]);
  t.ok(first(-1).every(x => x >= 0 && x < 1));
  const mean = first(1).reduce((sum, x) => sum + x, 0) / 1000;
  t.ok(Math.abs(mean - 0.5) < 0.04, 'the mean is within four standard errors of 0.5');
  t.throws(() => seededRandom(0.5), RangeError);
});

t.test('statistics: quantiles between order statistics', async t => {
  t.same(quantiles([4, 1, 3, 2, 5], [0, 0.1, 0.5, 1]), [1, 1.4, 3, 5]);
  t.same(quantiles([7], [0.1, 0.9]), [7, 7]);
  t.equal(median([10, 9]), 9.5);
});
