import fc from 'fast-check';
import t from 'tap';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { modelFaults, type TypicalDays } from '../../domain/models.js';
import { bandsOf } from '../../analysis/bands.js';
import { clusterRows, distinctCount, scaledRows } from '../../analysis/clusters.js';
import { commonCurve, medianCurve } from '../../analysis/curves.js';
import { planHeldOut, plannedLoss } from '../../analysis/heldOut.js';
import { randomFrom } from '../../analysis/random.js';
import { filledRows, referenceOf } from '../../analysis/reference.js';
import { medianOf, quantiles } from '../../analysis/statistics.js';
import { engine, typicalDays as learn } from '../../analysis/typicalDays.js';

/** What is learned without a calendar and with the default limits. */
const typicalDays = (days: readonly Day[], modelCount: number | null, seed: number): TypicalDays =>
  learn(days, { modelCount, level: null, calendar: null, seed });

/** Monday 2 January 2023. */
const monday = dayNumber('2023-01-02');
const day = (index: number, activity: readonly number[], gaps: Day['gaps'] = []): Day => ({
  date: dateOf(monday + index),
  activity,
  gaps,
  filled: [],
});
const daysOf = (count: number, activity: (index: number) => readonly number[]): Day[] =>
  Array.from({ length: count }, (_, index) => day(index, activity(index)));
const isFree = (index: number): boolean => weekday(monday + index) >= 5;
const working = [1, 8, 9, 2];
const free = [1, 3, 4, 3];
const calendarDays = (count: number): Day[] => daysOf(count, index => (isFree(index) ? free : working));

/** Values round a weekly rhythm, different every time, the same for the same seed. */
const noisy = (count: number, slices: number, seed = 7): Day[] => {
  const random = randomFrom(seed);
  return daysOf(count, index =>
    Array.from({ length: slices }, (_, slice) => {
      const hour = (slice * 24) / slices;
      const rhythm = hour < 6 ? 1 : isFree(index) ? 3 : 8;
      const season = index % 365 < 180 ? 1.3 : 1;
      return rhythm * season * (0.8 + 0.4 * random());
    }),
  );
};

/** What must hold of any result: see the docstrings of typicalDays and bandsOf. */
const sound = (days: readonly Day[], result: TypicalDays): string[] => {
  const faults: string[] = modelFaults(result.models).map(({ detail }) => detail);
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  const kept = result.assignments.length;
  check(kept + result.leftOut.length === days.length, 'each day is assigned or left out');
  check(
    result.models.reduce((sum, model) => sum + model.days, 0) === kept,
    'the days of the models are the days assigned',
  );
  result.models.forEach(({ days: count, name }, index) => {
    check(result.assignments.filter(({ model }) => model === index).length === count, `days of ${index}`);
    check(count > 0, 'no model is empty');
    check(count <= (result.models[index - 1]?.days ?? count), 'largest first');
    check(name.length >= 1 && name.length <= 100, `name of ${name.length} characters`);
  });
  check(
    result.assignments.every(({ model }) => result.models[model] !== undefined),
    'models exist',
  );
  check(new Set(result.models.map(model => model.color)).size === result.models.length, 'colours differ');
  const flat = result.models.flatMap(model => [...model.topTolerance, ...model.bottomTolerance]);
  check(flat.every(Number.isFinite), 'bounds are finite');
  const learnable = days.filter(({ date }) => result.assignments.some(of => of.date === date));
  if (learnable.every(({ activity }) => activity.every(value => value >= 0)))
    check(
      result.models.every(model => model.bottomTolerance.every(value => value >= 0)),
      'nothing below 0 where nothing was',
    );
  result.models.forEach(({ topTolerance, bottomTolerance }) =>
    topTolerance.forEach((top, slice) => {
      const values = new Set(learnable.filter(isUsableAt(slice)).map(({ activity }) => activity[slice]));
      check(top > (bottomTolerance[slice] ?? top) || values.size <= 1, `no width in slice ${slice}`);
    }),
  );
  check(result.bounds.measuredLevel >= 0 && result.bounds.measuredLevel <= 1, 'measured level is a share');
  check(
    result.choice.every(({ loss }) => loss >= 0 && Number.isFinite(loss)),
    'losses are finite',
  );
  return faults;
};
const isUsableAt =
  (slice: number) =>
  ({ gaps }: Day): boolean =>
    !gaps.some(([from, to]) => slice >= from && slice < to);

const shuffled = <T>(values: readonly T[], seed: number): T[] => {
  const random = randomFrom(seed);
  return values
    .map(value => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
};

t.test('two kinds of days that repeat exactly are found as they are', async t => {
  const result = typicalDays(calendarDays(28), 2, 1);
  t.equal(result.engine, engine);
  t.equal(result.seed, 1);
  t.same(
    result.models.map(({ name, activity, days, anomaly }) => ({ name, activity, days, anomaly })),
    [
      { name: 'Monday–Friday', activity: working, days: 20, anomaly: false },
      { name: 'Saturday–Sunday', activity: free, days: 8, anomaly: false },
    ],
  );
  t.same(
    result.assignments,
    calendarDays(28).map(({ date }, index) => ({ date, model: isFree(index) ? 1 : 0 })),
  );
  t.same(result.choice, [{ modelCount: 2, loss: 0 }], 'what is planned from the other fortnight is right');
  t.equal(result.bounds.calibrationDays, 28);
  t.equal(result.bounds.measuredLevel, 1);
  t.equal(result.bounds.target, 0.99);
  t.same(sound(calendarDays(28), result), []);
});

t.test('the smallest number of models that is as good as any is chosen', async t => {
  const result = typicalDays(calendarDays(364), null, 1);
  t.equal(result.models.length, 2);
  t.same(result.choice, [{ modelCount: 2, loss: 0 }], 'no more models are tried than days are distinct');

  const three = daysOf(364, index =>
    weekday(monday + index) === 6 ? [0, 0, 5, 0] : isFree(index) ? free : working,
  );
  const chosen = typicalDays(three, null, 1);
  t.equal(chosen.models.length, 3);
  t.same(
    chosen.models.map(({ name }) => name),
    ['Monday–Friday', 'Saturday', 'Sunday'],
  );
  t.match(chosen.choice, [{ modelCount: 2 }, { modelCount: 3, loss: 0 }]);
  t.ok((chosen.choice[0]?.loss ?? 0) > 0.01);
});

t.test('the number chosen is the smallest whose loss is within 2 % of the least', async t => {
  for (const days of [noisy(364, 8, 1), noisy(364, 8, 2), noisy(90, 8, 3)]) {
    const { choice, models } = typicalDays(days, null, 1);
    t.same(
      choice.map(({ modelCount }) => modelCount),
      [2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    const least = Math.min(...choice.map(({ loss }) => loss));
    t.equal(models.length, choice.find(({ loss }) => loss <= 1.02 * least)?.modelCount);
    t.not(models.length, 10);
  }
  const losses = typicalDays(noisy(364, 8, 1), null, 1).choice.map(({ loss }) => loss);
  t.ok((losses[0] ?? 0) > 1.1 * Math.min(...losses), 'two models are too few for two seasons of two kinds');
});

t.test('fewer models than asked for are a result', async t => {
  t.equal(typicalDays(calendarDays(28), 5, 1).models.length, 2, 'two distinct days');
  const same = typicalDays(
    daysOf(28, () => working),
    3,
    1,
  );
  t.same(
    same.models.map(({ name, days }) => ({ name, days })),
    [{ name: 'every day', days: 28 }],
  );
  t.same(
    typicalDays(
      daysOf(28, () => working),
      null,
      1,
    ).choice,
    [{ modelCount: 1, loss: 0 }],
  );
  const each = typicalDays(noisy(14, 4), 14, 1);
  t.equal(each.models.length, 14, 'as many models as days');
  t.ok(each.models.every(model => model.days === 1));
  t.equal(each.models[0]?.name, '2 Jan', 'equally large models are in order of date');
  t.equal(typicalDays(noisy(70, 4), 70, 1).models.length, 64, 'never more than a source may have');
  t.same(sound(noisy(70, 4), typicalDays(noisy(70, 4), 70, 1)), []);
});

t.test('a fortnight, one day', async t => {
  const fortnight = typicalDays(noisy(14, 24), null, 1);
  t.same(sound(noisy(14, 24), fortnight), []);
  const one = typicalDays([day(0, working)], null, 1);
  t.match(one, { models: [{ name: '2 Jan', activity: working, days: 1 }], bounds: { measuredLevel: 1 } });
});

t.test('any size of values', async t => {
  const base = noisy(60, 4);
  const plain = typicalDays(base, 3, 1);
  for (const factor of [1e12, 1e-9, -1, 1e-200, 1e100]) {
    const scaled = base.map(of => ({ ...of, activity: of.activity.map(value => value * factor) }));
    const result = typicalDays(scaled, 3, 1);
    t.same(sound(scaled, result), [], `times ${factor}`);
    t.same(
      result.assignments.map(({ model }) => model),
      plain.assignments.map(({ model }) => model),
      `times ${factor}: the same clusters`,
    );
  }
  const zeros = daysOf(30, () => [0, 0, 0, 0]);
  const none = typicalDays(zeros, null, 1);
  t.same(sound(zeros, none), []);
  t.match(none.models, [
    { activity: [0, 0, 0, 0], topTolerance: [0, 0, 0, 0], bottomTolerance: [0, 0, 0, 0] },
  ]);
  const constant = typicalDays(
    daysOf(30, () => [0.1, 0.1, 0.1, 0.1]),
    null,
    1,
  );
  t.same(constant.models[0]?.activity, [0.1, 0.1, 0.1, 0.1]);
  t.ok((constant.models[0]?.topTolerance[0] ?? 0) > 0.1);
  t.ok((constant.models[0]?.topTolerance[0] ?? 1) < 0.1000001, 'rounding has room, a change has none');
  const odd = daysOf(30, index => (index === 3 ? [1e12, -1e12, 0, 1] : [1, 2, 3, 4]));
  t.same(sound(odd, typicalDays(odd, null, 1)), []);
});

t.test('what cannot be learned from is refused in words', async t => {
  const refuses = (days: readonly Day[], message: RegExp, count: number | null = 2, seed = 1) =>
    t.throws(() => typicalDays(days, count, seed), { name: 'RangeError', message });
  refuses([], /got 0 days without a usable slice, expected at least one/);
  refuses([day(0, [0, 0], [[0, 2]])], /got 1 days without a usable slice/);
  refuses([day(0, [])], /got 0 values on 2023-01-02, expected at least 1/);
  refuses([day(0, [1, 2]), day(1, [1])], /got 1 values on 2023-01-03, expected 2/);
  refuses([day(0, [1, Number.NaN])], /got NaN in slice 1 of 2023-01-02, expected a number/);
  refuses([day(0, [Number.POSITIVE_INFINITY])], /got Infinity in slice 0/);
  refuses([day(0, [1]), day(0, [2])], /got 2023-01-02 twice/);
  refuses([{ ...day(0, [1]), date: '2023-02-30' }], /got date "2023-02-30"/);
  for (const count of [0, -1, 1.5, Number.NaN]) refuses([day(0, [1])], /got model count/, count);
  refuses([day(0, [1])], /got seed 0.5, expected an integer/, 1, 0.5);
});

t.test('days with few usable slices are left out, gaps count nowhere', async t => {
  const days = calendarDays(28).map((of, index): Day => {
    if (index === 3) return { ...of, activity: [0, 0, 0, 2], gaps: [[0, 3]] };
    if (index === 4) return { ...of, activity: [0, 0, 9, 2], gaps: [[0, 2]] };
    if (index === 8) return { ...of, activity: [0, 0, 0, 0], gaps: [[0, 4]] };
    return of;
  });
  const result = typicalDays(days, 2, 1);
  t.same(result.leftOut, [
    { date: '2023-01-05', reason: "1 of 4 slices usable, less than half of the median day's 4" },
    { date: '2023-01-10', reason: "0 of 4 slices usable, less than half of the median day's 4" },
  ]);
  t.same(
    result.models.map(({ activity, days }) => ({ activity, days })),
    [
      { activity: working, days: 18 },
      { activity: free, days: 8 },
    ],
    'the half-empty Friday belongs to the working days and does not pull them down',
  );
  t.same(sound(days, result), []);

  const never = typicalDays(
    calendarDays(28).map(of => ({ ...of, gaps: [[1, 2]] as const })),
    2,
    1,
  );
  t.same(never.models[0]?.activity, [1, 1, 9, 2], 'a slice that was never observed takes its neighbour');
});

t.test('the order in which days come changes no byte', async t => {
  const gappy = noisy(120, 24).map((of, index): Day => (index % 9 === 0 ? { ...of, gaps: [[3, 6]] } : of));
  const inOrder = JSON.stringify(typicalDays(gappy, null, 5));
  for (const seed of [1, 2, 3]) t.equal(JSON.stringify(typicalDays(shuffled(gappy, seed), null, 5)), inOrder);
  t.equal(JSON.stringify(typicalDays([...gappy].reverse(), null, 5)), inOrder);
  t.not(JSON.stringify(typicalDays(gappy, null, 6)), inOrder, 'the seed is part of the result');
});

t.test('a number that was chosen gives the same models as that number asked for', async t => {
  const chosen = typicalDays(noisy(200, 12), null, 3);
  const asked = typicalDays(noisy(200, 12), chosen.models.length, 3);
  t.same(asked.models, chosen.models);
  t.same(asked.assignments, chosen.assignments);
});

t.test('whatever the days, the result is sound', async () => {
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
      { minLength: 1, maxLength: 40 },
    ),
  );
  fc.assert(
    fc.property(arbitrary, fc.option(fc.integer({ min: 1, max: 12 })), fc.integer(), (raw, count, seed) => {
      const days = raw.map(({ activity, gap: [a, b] }, index) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const gap = index % 3 === 0 && from < to;
        return day(
          index,
          activity.map((x, slice) => (gap && slice >= from && slice < to ? 0 : x)),
          gap ? [[from, to]] : [],
        );
      });
      if (days.every(({ gaps, activity }) => gaps[0]?.[0] === 0 && gaps[0][1] === activity.length)) return;
      const faults = sound(days, typicalDays(days, count, seed));
      if (faults.length > 0) throw new Error(faults.join('; '));
    }),
    { seed: 20261121, numRuns: 200 },
  );
});

t.test('reference: blocks are months of a year, fortnights of less, days of little', async t => {
  const blocks = (count: number, step = 1): number[] =>
    referenceOf(Array.from({ length: count }, (_, index) => day(index * step, [1]))).days.map(of => of.block);
  t.same([...new Set(blocks(365))], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  t.equal(blocks(365).at(-1), 0, 'the first of January again, of the next year');
  t.equal(new Set(blocks(240)).size, 8);
  t.equal(new Set(blocks(239)).size, Math.ceil(239 / 14));
  t.same(blocks(29).slice(12, 16), [0, 0, 1, 1]);
  t.same(blocks(5), [0, 1, 2, 3, 4]);
  t.equal(new Set(blocks(28)).size, 28);
  t.same(blocks(2, 300), [0, 1], 'two days far apart make two months, which are too few');
});

t.test('reference: an unusable slice is filled for clustering from its weekday, else from all', async t => {
  const days = [
    day(0, [1, 0], [[1, 2]]),
    day(1, [1, 30]),
    day(2, [1, 50]),
    day(7, [1, 10]),
    day(14, [1, 20]),
    day(3, [0, 4], [[0, 1]]),
  ];
  t.same(filledRows(referenceOf(days)), [
    [1, 15],
    [1, 30],
    [1, 50],
    [1, 4],
    [1, 10],
    [1, 20],
  ]);
});

t.test('curves: the median of what was observed', async t => {
  const { days } = referenceOf([day(0, [1, 5]), day(1, [2, 0], [[1, 2]]), day(2, [9, 7]), day(3, [4, 100])]);
  t.same(medianCurve(days, [0, 0]), [3, 7]);
  t.same(medianCurve(days.slice(1, 2), [-1, -2]), [2, -2]);
  t.same(medianCurve([], [-1, -2]), [-1, -2]);
  const gappy = referenceOf([
    day(
      0,
      [0, 6, 0, 0, 8, 0],
      [
        [0, 1],
        [2, 4],
        [5, 6],
      ],
    ),
  ]);
  t.same(commonCurve(gappy), [6, 6, 6, 8, 8, 8]);
});

t.test('clusters: k-means finds what is apart, whatever the labels', async t => {
  const rows = [
    [0, 0],
    [0.1, 0],
    [5, 5],
    [5.1, 5],
    [5, 5.1],
    [-5, 5],
  ];
  t.same(clusterRows(rows, 3, 1), [1, 1, 0, 0, 0, 2], 'largest first, then by the earliest row');
  t.same(clusterRows(rows, 1, 1), [0, 0, 0, 0, 0, 0]);
  t.same(new Set(clusterRows(rows, 6, 1)).size, 6);
  t.same(clusterRows([[1], [1], [2]], 3, 1), [0, 0, 1], 'two distinct rows make two clusters');
  t.throws(() => clusterRows(rows, 7, 1), { name: 'RangeError', message: /got 7 clusters/ });
  t.throws(() => clusterRows(rows, 0, 1), RangeError);
  t.equal(distinctCount([[1, 2], [1, 2], [12]]), 2);
  t.same(
    scaledRows([
      [2, 4],
      [4, 2],
    ]),
    [
      [-1, 1],
      [1, -1],
    ],
    'mean 3, population standard deviation 1',
  );
  t.same(scaledRows([[0, 0]]), [[0, 0]]);
  t.same(
    scaledRows([
      [2, 2],
      [2, 2],
    ]),
    [
      [0, 0],
      [0, 0],
    ],
  );
});

/** Least inertia of n sorted numbers in k clusters: on a line the best clusters are runs, so try all splits. */
const leastInertia = (line: readonly number[], count: number): number => {
  const inertia = (run: readonly number[]): number => {
    const mean = run.reduce((sum, x) => sum + x, 0) / run.length;
    return run.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  };
  if (count === 1) return inertia(line);
  const splits = Array.from({ length: line.length - count + 1 }, (_, index) => index + 1);
  return Math.min(...splits.map(at => inertia(line.slice(0, at)) + leastInertia(line.slice(at), count - 1)));
};

t.test('clusters: the best of ten starts is nearly always the best there is', async t => {
  // 1-D k-means by hand: {0,1,2} {10,11,12} {100}.
  t.same(clusterRows([[0], [100], [10], [1], [11], [2], [12]], 3, 9), [0, 2, 1, 0, 1, 0, 1]);

  const random = randomFrom(11);
  const lines = Array.from({ length: 60 }, () =>
    Array.from({ length: 14 }, () => random()).sort((a, b) => a - b),
  );
  const best = lines.filter(line => {
    const labels = clusterRows(
      line.map(x => [x]),
      4,
      1,
    );
    const inertia = [0, 1, 2, 3].reduce((sum, label) => {
      const run = line.filter((_, index) => labels[index] === label);
      return sum + leastInertia(run, 1);
    }, 0);
    return inertia <= leastInertia(line, 4) * (1 + 1e-9);
  });
  t.comment(`${best.length} of ${lines.length} lines have the least inertia`);
  t.ok(best.length >= 56);
});

t.test('random: the same for the same seed, even, and never 1', async t => {
  const first = (seed: number): number[] => {
    const random = randomFrom(seed);
    return Array.from({ length: 1000 }, () => random());
  };
  t.same(first(42), first(42));
  t.not(first(42)[0], first(43)[0]);
  t.ok(first(-1).every(x => x >= 0 && x < 1));
  const mean = first(1).reduce((sum, x) => sum + x, 0) / 1000;
  t.ok(Math.abs(mean - 0.5) < 0.04, 'within four standard errors of a half');
  t.throws(() => randomFrom(0.5), RangeError);
});

t.test('statistics: quantiles between order statistics', async t => {
  t.same(quantiles([4, 1, 3, 2, 5], [0, 0.1, 0.5, 1]), [1, 1.4, 3, 5]);
  t.same(quantiles([7], [0.1, 0.9]), [7, 7]);
  t.equal(medianOf([10, 9]), 9.5);
});

t.test('held out: neither plan nor curve has seen the block', async t => {
  // Three days that are blocks of their own; each is planned from the two others, all of one model.
  const reference = referenceOf([day(0, [1]), day(7, [2]), day(14, [6])]);
  const planned = planHeldOut(reference, [0, 0, 0], [[2]]);
  t.same(planned, [
    { model: 0, curve: [4] },
    { model: 0, curve: [3.5] },
    { model: 0, curve: [1.5] },
  ]);
  t.equal(plannedLoss(reference, planned), (3 + 1.5 + 4.5) / 9);
  t.same(
    planHeldOut(referenceOf([day(0, [1])]), [0], [[1]]),
    [{ model: 0, curve: [1] }],
    'nothing else to go by',
  );
  const kinds = referenceOf([day(0, [1]), day(7, [1]), day(14, [1]), day(5, [9]), day(12, [9])]);
  t.same(
    planHeldOut(kinds, [0, 1, 0, 1, 0], [[1], [9]]).map(({ model }) => model),
    [0, 1, 0, 1, 0],
    'each weekday is planned from its like',
  );
  const weeks = referenceOf([day(0, [1]), day(7, [2]), day(28, [3])]);
  t.same(
    planHeldOut(weeks, [0, 1, 2], [[1], [2], [3]]).map(({ model }) => model),
    [1, 0, 1],
    'a day is planned from the nearest other one, not from itself',
  );
  const gappy = referenceOf([day(0, [5, 0], [[1, 2]]), day(1, [4, 1])]);
  // Errors 1, 0 and 1 of 5 + 4 + 1; what was not observed is no error.
  const curves = [4, 2];
  t.equal(
    plannedLoss(gappy, [
      { model: 0, curve: curves },
      { model: 0, curve: curves },
    ]),
    0.2,
  );
});

t.test('bands: the threshold is the conformal rank of the planned scores', async t => {
  // One model, one slice, curve 0 for all: the residuals are the values, 1 to 200, all upwards. Scores are
  // values over one scale, so the rank ceil(201 × 0.99) = 199 is the day of 199, whatever the scale.
  const values = Array.from({ length: 200 }, (_, index) => ((index * 7) % 200) + 1);
  const bandOf = (values: readonly number[]) =>
    bandsOf(
      referenceOf(values.map((value, index) => day(index, [value]))),
      [[0]],
      values.map(() => ({ model: 0, curve: [0] })),
    );
  const { top, bottom, bounds } = bandOf(values);
  t.ok(Math.abs((top[0]?.[0] ?? 0) - 199) < 1e-9);
  t.equal(bottom[0]?.[0], 0, 'nothing was below 0');
  t.match(bounds, { level: 0.99, calibrationDays: 200, measuredLevel: 199 / 200 });

  const outlier = bandOf(values.map(value => (value === 200 ? 1e6 : value)));
  t.ok(Math.abs((outlier.top[0]?.[0] ?? 0) - 199) < 1e-9, 'one wild day in 200 moves nothing');

  const few = bandOf(values.slice(0, 98));
  t.ok(Math.abs((few.top[0]?.[0] ?? 0) - Math.max(...values.slice(0, 98))) < 1e-9, 'the largest of 98');
  t.equal(few.bounds.measuredLevel, 1);

  const under = bandOf(values.map(value => -value));
  t.ok(Math.abs((under.bottom[0]?.[0] ?? 0) + 199) < 1e-9, 'downwards with the downward scale');
  t.ok((under.top[0]?.[0] ?? 199) < 100, 'nothing was above');
});

t.test('bands: a slice that never varies has a quarter of the mean width', async t => {
  const values = Array.from({ length: 100 }, (_, index) => index - 50);
  const { top } = bandsOf(
    referenceOf(values.map((value, index) => day(index, [value, 0]))),
    [[0, 0]],
    values.map(() => ({ model: 0, curve: [0, 0] })),
  );
  // Scales w and 0 have the mean w / 2, of which a quarter is w / 8.
  t.ok(Math.abs((top[0]?.[0] ?? 0) / (top[0]?.[1] ?? 1) - 8) < 1e-9);
});

t.test('bands: upwards and downwards apart, never below 0 where nothing was', async t => {
  const random = randomFrom(3);
  const values = Array.from({ length: 300 }, () => {
    const x = random();
    return x < 0.5 ? 10 - 4 * random() : 10 + 40 * random();
  });
  const reference = referenceOf(values.map((value, index) => day(index, [value])));
  const { top, bottom } = bandsOf(
    reference,
    [[10]],
    values.map(() => ({ model: 0, curve: [10] })),
  );
  const up = (top[0]?.[0] ?? 0) - 10;
  const down = 10 - (bottom[0]?.[0] ?? 0);
  t.ok(up > 5 * down, `upwards ${up}, downwards ${down}`);
  const low = bandsOf(
    reference,
    [[10], [0.5]],
    values.map(() => ({ model: 0, curve: [10] })),
  );
  t.equal(low.bottom[1]?.[0], 0, 'a model that is never planned has the scale of the source');
});

t.test('speed of a year with the number of models open', async t => {
  const time = (slices: number): number => {
    const days = noisy(366, slices);
    const from = process.hrtime.bigint();
    typicalDays(days, null, 1);
    return Number((process.hrtime.bigint() - from) / 1_000_000n);
  };
  const [hourly, fine] = [time(24), time(144)];
  t.comment(`366 × 24: ${hourly} ms, 366 × 144: ${fine} ms`);
  // Loose, since other work may share the machine: alone it is a quarter of this.
  t.ok(hourly < 4_000);
  t.ok(fine < 16_000);
});
