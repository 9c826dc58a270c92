import fc from 'fast-check';
import t from 'tap';
import { changeFrom, recentBaseline } from '../../analysis/checking/recentBaseline.js';
import { adjustedRandIndex } from '../../analysis/math/adjustedRandIndex.js';
import { chosenModelCount } from '../../analysis/learning/modelCount.js';
import { criticityOf, pValue } from '../../analysis/checking/criticity.js';
import { levelShift } from '../../analysis/checking/levelShift.js';
import { exp, ln } from '../../analysis/math/portableMath.js';
import { longestFlatline } from '../../analysis/checking/flatline.js';
import {
  forEachSimilar,
  similarityWeights,
  type SimilarityWeights,
} from '../../analysis/learning/similarityWeights.js';
import { learn } from '../../analysis/learning/learn.js';
import { nearestProfile } from '../../analysis/learning/profiles.js';
import { smoothedDays, clustersOf } from '../../analysis/learning/clustering/smoothedDays.js';
import {
  foldsOf,
  crossFit,
  plannedLoss,
  residualsFrom,
  type CrossFittedDay,
} from '../../analysis/learning/crossFitting.js';
import { calibrate } from '../../analysis/learning/limits/calibrate.js';
import { similarMean, scaledDistance } from '../../analysis/learning/profiles.js';
import { prepare, type PreparedReference } from '../../analysis/learning/prepare.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { referenceOf } from '../../analysis/learning/reference.js';
import { jointScore, scoresOf, normalise, limitUse } from '../../analysis/checking/scores.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';
import { fromScale, toScale } from '../../analysis/math/logScale.js';
import { tolerancesOf } from '../../analysis/learning/tolerances.js';
import { typicalDays } from '../../analysis/learning/typicalDays.js';
import { outliers } from '../../analysis/learning/outliers.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { noCalendar } from '../../domain/calendar.js';
import { madeDays } from '../helpers/madeDays.js';

const seeded = { seed: 20261121 };
const near = (found: number, wanted: number, share = 1e-12): boolean =>
  Math.abs(found - wanted) <= share * Math.max(1, Math.abs(wanted));

/** Units of the last place between two numbers, by the smaller neighbour's distance. */
const ulps = (a: number, b: number): number => {
  if (a === b) return 0;
  const size = Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) / 2 ** (Math.floor(Math.log2(size)) - 52);
};

t.test('ln: known constants, within one unit in the last place', async t => {
  for (const [x, wanted] of [
    [1, 0],
    [2, 0.6931471805599453],
    [0.5, -0.6931471805599453],
    [3, 1.0986122886681098],
    [10, 2.302585092994046],
    [1.5, 0.4054651081081644],
    [Math.E, 1],
    [1e100, 230.25850929940458],
    [1e-300, -690.7755278982137],
    [Number.MAX_VALUE, 709.782712893384],
    [1 + 2 ** -52, 2 ** -52 - 2 ** -105],
    [1 - 2 ** -53, -(2 ** -53) - 2 ** -107],
  ] as const)
    t.ok(ulps(ln(x), wanted) <= 1, `ln ${x} is ${ln(x)}, expected ${wanted}`);
});

t.test('exp: known constants, within one unit in the last place; clamped at both ends', async t => {
  for (const [x, wanted] of [
    [0, 1],
    [1, Math.E],
    [-1, 0.36787944117144233],
    [0.5, 1.6487212707001282],
    [10, 22026.465794806718],
    [-10, 4.5399929762484854e-5],
    [100, 2.6881171418161356e43],
  ] as const)
    t.ok(ulps(exp(x), wanted) <= 1, `exp ${x} is ${exp(x)}, expected ${wanted}`);
  t.ok(near(exp(700) / 1.0142320547350045e304, 1));
  t.equal(exp(1e6), exp(700));
  t.equal(exp(Number.POSITIVE_INFINITY), exp(700));
  t.equal(exp(-1e6), exp(-700));
  t.ok(exp(-700) > 0);
});

const positive = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.double({ min: 1, max: 2, noNaN: true }))
  .map(([power, m]) => m * 2 ** power);
const exponent = fc.double({ min: -700, max: 700, noNaN: true });

t.test(
  'ln and exp: within four units in the last place of Math.log and Math.exp, over the whole range',
  async () => {
    fc.assert(
      fc.property(
        positive,
        exponent,
        (x, y) => ulps(ln(x), Math.log(x)) <= 4 && ulps(exp(y), Math.exp(y)) <= 4,
      ),
      { ...seeded, numRuns: 5000 },
    );
    for (let step = 1; step < 4000; step += 1) {
      const x = step / 1000;
      if (ulps(ln(x), Math.log(x)) > 4 || ulps(exp(x), Math.exp(x)) > 4) throw new Error(`at ${x}`);
    }
  },
);

t.test('ln and exp: monotone, and inverse to each other', async () => {
  fc.assert(
    fc.property(positive, positive, exponent, exponent, (a, b, x, y) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const [less, more] = [Math.min(x, y), Math.max(x, y)];
      return (
        ln(low) <= ln(high) && exp(less) <= exp(more) && near(ln(exp(x)), x) && ln(low * 1.0001) > ln(low)
      );
    }),
    { ...seeded, numRuns: 3000 },
  );
  // Across the places where the power of two changes.
  for (const power of [-5, -1, 0, 1, 7])
    for (const root of [1, Math.SQRT2])
      for (let step = -50; step < 50; step += 1) {
        const x = root * 2 ** power * (1 + step * 1e-12);
        if (ln(x) > ln(x * (1 + 1e-12))) throw new Error(`ln falls at ${x}`);
      }
  for (let k = -20; k <= 20; k += 1)
    for (let step = -50; step < 50; step += 1) {
      const x = (k + 0.5) * Math.LN2 + step * 1e-12;
      if (exp(x) > exp(x + 1e-12)) throw new Error(`exp falls at ${x}`);
    }
});

const scale = fc.record({
  unit: fc.constantFrom(1e-9, 0.3, 1, 250, 1e12),
  offset: fc.constantFrom(0.1, 0.5, 1, 2),
});

t.test('log scale: worked example', async t => {
  const of = { unit: 8, offset: 1 };
  t.equal(toScale(of, 0), 0);
  t.ok(near(toScale(of, 8), Math.LN2));
  t.ok(near(toScale(of, 24), 2 * Math.LN2));
  t.equal(toScale(of, -8), -1, 'a straight line below 0');
  t.ok(near(toScale({ unit: 2, offset: 0.5 }, -2), -Math.LN2 - 2), 'of the slope that it has at 0');
  t.equal(fromScale(of, 0), 0);
  t.ok(near(fromScale(of, Math.LN2), 8));
  t.equal(fromScale(of, -1), -8);
  t.equal(fromScale({ unit: 1e12, offset: 0.5 }, 1e6), Number.MAX_VALUE, 'a number, however far');
});

t.test('log scale: invertible and monotone', async () => {
  fc.assert(
    fc.property(
      scale,
      fc.double({ min: -50, max: 1e6, noNaN: true }),
      fc.double({ min: -50, max: 1e6, noNaN: true }),
      (of, a, b) => {
        const [low, high] = [Math.min(a, b) * of.unit, Math.max(a, b) * of.unit];
        const [y, z] = [toScale(of, low), toScale(of, high)];
        return (
          y <= z &&
          fromScale(of, y) <= fromScale(of, z) &&
          near(fromScale(of, y) / of.unit, low / of.unit, 1e-11) &&
          near(toScale(of, fromScale(of, y)), y, 1e-11)
        );
      },
    ),
    { ...seeded, numRuns: 2000 },
  );
});

const f = (...values: readonly number[]): Float64Array => Float64Array.from(values);
const none = Number.NaN;

t.test('scores: worked example', async t => {
  // Six slices of four hours: a window of eight hours has two.
  t.same(scoresOf(f(0, 1, -3, -2, 0, 1), 8), {
    slice: -3,
    window: -2.5,
    where: { from: 2, to: 4 },
    day: -0.5,
  });
  t.same(scoresOf(f(2, 1, 0, 0, 1, 2), 8).where, { from: 0, to: 2 }, 'the earliest of equals');
  t.same(scoresOf(f(0, 0, 0, 0, 3, 1), 8).where, { from: 4, to: 6 }, 'to the end of the day');
  const gappy = scoresOf(f(none, 2, none, none, -1, -1), 8);
  t.match(gappy, { slice: 2, window: 2, where: { from: 0, to: 2 }, day: 0 });
  t.equal(scoresOf(f(none, 3, 1, none, none, 2), 8).day, 2, 'the mean of what was observed');
  t.equal(scoresOf(f(none, none, none, 5, none, none), 12).window, 0, 'a third of a window is too little');
  t.same(scoresOf(f(none, none), 8), { slice: 0, window: 0, where: { from: 0, to: 1 }, day: 0 });
  t.same(scoresOf(f(3, 1), 8).where, { from: 0, to: 1 }, 'a window is a slice at least');
});

t.test('scores: use of each limit, worked example', async t => {
  const where = { from: 0, to: 1 };
  const scores = (slice: number, window: number, day: number) => ({ slice, window, where, day });
  const limits = { slice: 2, window: 1, day: 0.5, windowChange: 2, dayChange: 1 };
  const unused = { slice: 0, window: 0, day: 0, windowChange: 0, dayChange: 0 };
  t.same(limitUse(scores(-3, 0.5, -0.25), null, limits), { ...unused, slice: 1.5, window: 0.5, day: 0.5 });
  t.equal(jointScore(scores(-3, 1, 0.1), null, limits), 1.5);
  t.equal(jointScore(scores(1, -2, 0), null, limits), 2);
  t.equal(jointScore(scores(0, 0, -1.5), null, limits), 3);

  t.match(limitUse(scores(0, 2, 2), scores(9, 5, 4), limits), { windowChange: 2.5, dayChange: 4 }, 'away');
  t.match(limitUse(scores(0, -2, -2), scores(9, -5, -4), limits), { windowChange: 2.5, dayChange: 4 });
  t.match(limitUse(scores(0, -2, -2), scores(9, 5, 4), limits), { windowChange: 0, dayChange: 0 }, 'back');
  t.match(
    limitUse(scores(0, 0.4, 0.2), scores(9, 5, 4), limits),
    { windowChange: 0.8, dayChange: 0.8 },
    'near',
  );
  t.equal(jointScore(scores(0, 0.75, 0), scores(0, 5, 0), limits), 1.5, 'by what it is away');
  t.equal(jointScore(scores(0, 0, 0.375), scores(0, 0, 4), limits), 1.5);
  t.equal(jointScore(scores(0, 0.75, 0), scores(0, 2.5, 0), limits), 1.25, 'or by the change, which is less');
  t.equal(jointScore(scores(0, 0, 0.375), scores(0, 0, 1.25), limits), 1.25);
});

t.test('recent baseline: worked example', async t => {
  const at = (daysAgo: number, sameKind: boolean, ...values: number[]) => ({
    daysAgo,
    sameKind,
    normalised: f(...values),
  });
  t.equal(recentBaseline([]), null);
  t.equal(recentBaseline([at(1, true, 1), at(2, true, 1)]), null, 'two days tell nothing');
  // Weights 9/16, 3/16 (a quarter of 3/4) and 1, 28/16 together, of which the middle 7/16 are all of the 14.
  t.same(
    [...recentBaseline([at(3, true, 7, none), at(2, false, 28, none), at(1, true, 14, none)])!],
    [14, 0],
  );
  // Alike the second weighs 12/16: the middle of 37/16 runs from 13.875 to 23.125, 9 and 25 being the ends of the 14.
  t.ok(near(recentBaseline([at(3, true, 7), at(2, true, 28), at(1, true, 14)])![0]!, 14));
  // And the last day's 16/16 in the lowest place end at 16: 2.125 of the middle are its own, the rest the next one's.
  const own = (2.125 * 7 + 7.125 * 14) / 9.25;
  t.ok(
    near(recentBaseline([at(3, true, 28), at(2, true, 14), at(1, true, 7)])![0]!, own),
    'the last weighs most',
  );
  const fortnight = (last: number) =>
    recentBaseline(
      Array.from({ length: 14 }, (_, ago) => at(ago + 1, ago % 7 < 5, ago === 0 ? last : ago % 3)),
    )![0]!;
  t.equal(fortnight(1e9), fortnight(3), 'no day alone moves it');
  t.same(
    [...recentBaseline([at(3, true, 2), at(2, true, 2), at(1, true, none)])!],
    [2],
    'gaps count nothing',
  );
  t.same([...changeFrom(f(1, -2, 0), f(3, 1, none))], [2, 3, none]);
});

t.test('scores: a sliding sum is the mean of each window', async () => {
  const shares = fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(none)), {
    minLength: 12,
    maxLength: 12,
  });
  fc.assert(
    fc.property(shares, values => {
      let most = 0;
      for (let from = 0; from <= 8; from += 1) {
        const seen = values.slice(from, from + 4).filter(value => value === value);
        if (seen.length >= 2) most = Math.max(most, Math.abs(seen.reduce((a, b) => a + b, 0) / seen.length));
      }
      return near(Math.abs(scoresOf(f(...values), 8).window), most);
    }),
    seeded,
  );
});

t.test('p-values: worked example', async t => {
  const scores = [0.1, 0.2, 0.5, 0.5, 1];
  t.equal(pValue(0.05, scores), 1);
  t.equal(pValue(0.5, scores), 4 / 6, 'three others are as high, and itself');
  t.equal(pValue(0.6, scores), 2 / 6);
  t.equal(pValue(1, scores), 2 / 6);
  t.ok(near(pValue(1.0000001, scores), 1 / 6, 1e-6), 'beyond the highest it begins at 1/(n + 1)');
  // The highest tenth of five are two at least: 0.5 and 1, of index 1 / (½ ln 2) = 2.885.
  t.ok(near(pValue(2, scores), 2 ** -(2 / Math.LN2) / 6));
  t.equal(pValue(3, []), 1, 'nothing to compare with');
  t.equal(pValue(3, [0, 0, 0]), 1 / 4, 'no tail to go by');
  // Equal scores: the steepest tail, of index 8; far apart: the flattest, 2.
  t.ok(near(pValue(2, [1, 1, 1]), 2 ** -8 / 4));
  t.ok(near(pValue(2e6, [1e-3, 1e6]), 2 ** -2 / 3));
  t.equal(criticityOf(1), 0);
  t.ok(near(criticityOf(0.0001), 0.9));
  t.ok(near(criticityOf(0.0625), 0.5));
});

t.test('p-values: from 0 to 1, and never increasing with the score', async () => {
  const score = fc.oneof(
    fc.double({ min: 0, max: 3, noNaN: true }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(score, { maxLength: 40 }), score, score, (raw, a, b) => {
      const scores = [...raw].sort((x, y) => x - y);
      const [p, q] = [pValue(Math.min(a, b), scores), pValue(Math.max(a, b), scores)];
      return p >= q && q >= 0 && p <= 1 && criticityOf(p) >= 0 && criticityOf(q) <= 1;
    }),
    { ...seeded, numRuns: 2000 },
  );
});

t.test('flatline: the longest run of one value', async t => {
  const all = (count: number): boolean[] => Array<boolean>(count).fill(true);
  t.same(
    longestFlatline([1, 2, 2, 3, 3], all(5)),
    { from: 1, length: 2, value: 2 },
    'the earliest of equals',
  );
  t.same(longestFlatline([1, 2, 2, 3, 3, 3], all(6)), { from: 3, length: 3, value: 3 });
  t.same(longestFlatline([5, 5, 5, 5], [true, true, false, true]), { from: 0, length: 2, value: 5 });
  t.same(longestFlatline([5, 5, 5, 5], [false, true, true, true]), { from: 1, length: 3, value: 5 });
  t.same(longestFlatline([5, 5], [false, false]), { from: 0, length: 0, value: 0 });
  t.same(longestFlatline([], []), { from: 0, length: 0, value: 0 });
});

t.test('level shift: the median of recent days, with missing days as 0', async t => {
  const days = (count: number, value: number): Float64Array[] =>
    Array.from({ length: count }, () => f(value, -value));
  t.equal(levelShift([], true), null);
  t.equal(levelShift(days(10, 1), true), null, 'half of twenty working days');
  t.same(levelShift(days(11, 1), true), f(1, -1), 'nine zeros and eleven days');
  t.same(levelShift(days(20, 1), true), f(1, -1));
  t.equal(levelShift(days(4, 1), false), null, 'half of eight free days');
  t.same(levelShift(days(5, 1), false), f(1, -1));
  // Of twenty days eleven are 1 to 11, nine are missing: the median is between 1 and 2.
  t.same(
    levelShift(
      Array.from({ length: 11 }, (_, index) => f(index + 1)),
      true,
    ),
    f(1.5),
  );
  t.same(levelShift([...days(11, 0), ...days(9, 5)], true), f(0, 0), 'an event of nine days moves nothing');
  const gappy = days(20, 1).map((of, index) => (index < 12 ? f(none, -1) : of));
  t.same(levelShift(gappy, true), f(0, -1), 'a slice that was seldom observed has not moved');
});

t.test('level shift: smoothed over one hour for shorter slices', async t => {
  const peak = Float64Array.from({ length: 144 }, (_, slice) => (slice === 50 ? 7 : 0));
  const shift = levelShift(
    Array.from({ length: 20 }, () => peak),
    true,
  );
  t.same(
    Array.from(shift ?? []).flatMap((value, slice) => (value === 0 ? [] : [[slice, value]])),
    [47, 48, 49, 50, 51, 52, 53].map(slice => [slice, 1]),
  );
  const hourly = Float64Array.from({ length: 24 }, (_, slice) => (slice === 5 ? 7 : 0));
  t.same(
    levelShift(
      Array.from({ length: 20 }, () => hourly),
      true,
    ),
    hourly,
  );
});

t.test('similarity weights: near days, and all days when no near day is included', async t => {
  const weights = new Map([
    [1, 1],
    [2, 0.5],
    [3, 1e-6],
    [4, 0],
  ]);
  const row = similarityWeights(0, [1, 2, 3, 4], (_, reference) => weights.get(reference) ?? 0);
  t.same(row.near, [0, 1]);
  t.same(row.nearWeights, f(1, 0.5));
  t.same(row.all, f(1, 0.5, 1e-6, 0));
  const visited = (of: SimilarityWeights, included: (index: number) => number): [number, number][] => {
    const seen: [number, number][] = [];
    forEachSimilar(of, included, (index, weight) => seen.push([index, weight]));
    return seen;
  };
  t.same(
    visited(row, () => 1),
    [
      [0, 1],
      [1, 0.5],
    ],
  );
  t.same(
    visited(row, index => (index === 1 ? 0.5 : 0)),
    [[1, 0.25]],
    'by a share',
  );
  t.same(
    visited(row, index => (index > 1 ? 1 : 0)),
    [[2, 1e-6]],
    'the far one when nothing is nearer',
  );
  t.same(
    visited(row, index => (index > 2 ? 1 : 0)),
    [],
    'what has no weight is no kin',
  );
  t.same(similarityWeights(0, [], () => 1).near, []);
});

/** Monday 2 January 2023. */
const monday = dayNumber('2023-01-02');
const day = (index: number, activity: readonly number[], gaps: Day['gaps'] = []): Day => ({
  date: dateOf(monday + index),
  activity,
  gaps,
  filled: [],
});
const prepared = (days: readonly Day[]): PreparedReference => prepare(referenceOf(days), noCalendar);

t.test('prepare: the unit is the mean magnitude of usable values', async t => {
  const { scale, days } = prepared([day(0, [2, -4, 99], [[2, 3]]), day(1, [6, 0, 0])]);
  t.equal(scale.unit, 12 / 5);
  t.equal(days[0]?.scaled[0], toScale(scale, 2));
  t.ok(Number.isNaN(days[0]?.scaled[2]));
  t.equal(prepared([day(0, [0, 0])]).scale.unit, 1, 'of nothing it is 1');
});

t.test('profiles: the mean of similar days uses days with a usable slice only', async t => {
  const of = prepared([day(0, [1, 5]), day(7, [3, 0], [[1, 2]])]);
  const row: SimilarityWeights = { near: [0, 1], nearWeights: f(3, 1), all: f(3, 1) };
  const y = (value: number): number => toScale(of.scale, value);
  const mean = similarMean(of, row, f(1, 1));
  t.ok(near(mean[0]!, (3 * y(1) + y(3)) / 4));
  t.equal(mean[1], y(5));
  t.ok(Number.isNaN(similarMean(of, row, f(0, 1))[1]), 'none observed it');
  t.equal(scaledDistance(f(1, 2, none), f(4, none, 1)), 9);
  t.equal(scaledDistance(f(1, 2), f(2, 4)), 2.5);
  t.equal(scaledDistance(f(none, 2), f(2, none)), Number.POSITIVE_INFINITY);
});

t.test('learn: the profile is the median of the days planned for a model, ties go to the first', async t => {
  t.equal(nearestProfile(f(1, 1), [f(0, 0), f(2, 2), f(1, none)]), 2);
  t.equal(nearestProfile(f(1), [f(0), f(2)]), 0);
  t.equal(nearestProfile(f(none), [f(0), f(2)]), 0);
  // Five Mondays of one kind: the median is 3, though their mean is not.
  const of = prepared([1, 2, 3, 4, 90].map((value, week) => day(7 * week, [value])));
  const smoothed = smoothedDays(
    of,
    of.days.map(() => true),
  );
  const { profiles, nearest, expected } = learn(of, smoothed, clustersOf(smoothed, 1, 1));
  t.same(profiles, [f(toScale(of.scale, 3))]);
  t.same(
    [nearest, expected],
    [
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ],
  );
  const without = smoothedDays(of, [true, true, true, false, false]);
  const fewer = learn(of, without, clustersOf(without, 1, 1));
  t.same(fewer.profiles, [f(toScale(of.scale, 2))]);
  t.same(fewer.expected, [0, 0, 0, null, null], 'those that were not learned from follow nothing');
});

t.test('cross-fitting: neither profile nor plan depends on the held-out block', async t => {
  // Days that are blocks of their own: each meets the median of the two others.
  const of = prepared([1, 2, 6].map((value, week) => day(7 * week, [value])));
  const folds = foldsOf(of);
  t.same(
    folds.map(({ block, smoothed }) => [block, smoothed.indices]),
    [
      [0, [1, 2]],
      [1, [0, 2]],
      [2, [0, 1]],
    ],
  );
  const left = crossFit(of, folds, ({ smoothed }) => clustersOf(smoothed, 1, 1));
  const y = (value: number): number => toScale(of.scale, value);
  const middles = [(y(2) + y(6)) / 2, (y(1) + y(6)) / 2, (y(1) + y(2)) / 2];
  left.forEach(({ index, learned }, at) => {
    t.equal(index, at);
    t.ok(near(learned.profiles[0]![0]!, middles[at]!));
  });
  const errors = [1, 2, 6].map((value, at) => Math.abs(value - fromScale(of.scale, middles[at]!)));
  t.ok(near(plannedLoss(of, left), (errors[0]! + errors[1]! + errors[2]!) / 9));
  t.same(
    normalise(residualsFrom(f(0, 0, 0), f(1, -1, none)), { up: f(2, 2, 2), down: f(4, 4, 4) }),
    f(0.5, -0.25, none),
  );
});

t.test('cross-fitting: slices without usable values do not count as errors', async t => {
  const of = prepared([day(0, [5, 0], [[1, 2]]), day(1, [4, 1])]);
  const learned = {
    profiles: [f(toScale(of.scale, 4), toScale(of.scale, 2))],
    nearest: [0, 0],
    expected: [0, 0],
    plan: () => 0,
  };
  const left: CrossFittedDay[] = [0, 1].map(index => ({ index, learned, model: 0, hit: true }));
  // Errors 1, 0 and 1 of 5 + 4 + 1.
  t.ok(near(plannedLoss(of, left), 0.2));
});

t.test('tolerances: separate above and below, from ordinary days of the model and of all models', async t => {
  // One model of 201 days whose residuals are −100 to 100 in steps of a hundredth, those above doubled.
  const days = Array.from({ length: 201 }, (_, index) => {
    const step = (((index * 7) % 201) - 100) / 100;
    return day(index, [10 * Math.exp(step > 0 ? 2 * step : step)]);
  });
  const of: PreparedReference = prepared(days);
  const flat = {
    ...of,
    days: of.days.map((each, index) => ({ ...each, scaled: f(Math.log(days[index]!.activity[0]! / 10)) })),
  };
  const learned = {
    profiles: [f(0)],
    nearest: days.map(() => 0),
    expected: days.map(() => 0),
    plan: () => 0,
  };
  const [tolerance] = tolerancesOf(flat, learned);
  const { up, down } = tolerance!;
  t.ok(up[0]! > 1.8 * down[0]! && up[0]! < 2.2 * down[0]!, `above ${up[0]}, below ${down[0]}`);
  t.ok(down[0]! > 0.5 && down[0]! < 1, 'in the tail of residuals, not beyond all');
  const odd = { ...flat, days: flat.days.map(each => ({ ...each, ordinary: each.scaled[0]! < 0.5 })) };
  t.ok(tolerancesOf(odd, learned)[0]!.up[0]! < 0.5, 'days that are not ordinary widen nothing');
  const still = { ...flat, days: flat.days.map(each => ({ ...each, scaled: f(0) })) };
  const least = tolerancesOf(still, learned)[0]!;
  t.ok(least.up[0]! > 0 && least.up[0] === least.down[0], 'a tolerance is never 0');
});

t.test('outliers: the farthest of the included ordinary days, at most a tenth', async t => {
  const made = madeDays({ count: 60, slices: 8, seed: 31 });
  const odd = (index: number): boolean => [17, 40].includes(index);
  const days = made.map((of, index) =>
    odd(index) ? { ...of, activity: of.activity.map(value => value * 12) } : of,
  );
  const of = prepared(days);
  const all = of.days.map(() => true);
  const found = outliers(of, all);
  t.same(
    [...found.keys()].sort((a, b) => a - b),
    [17, 40],
  );
  t.ok(
    [...found.values()].every(times => times > 3),
    'many times the median distance',
  );
  const included = all.map((_, index) => index !== 17);
  t.same([...outliers(of, included).keys()], [40], 'others are not judged');
  const special = { ...of, days: of.days.map((each, index) => ({ ...each, ordinary: index !== 40 })) };
  t.same([...outliers(special, all).keys()], [17], 'nor are days that may differ');
  const many = prepared(
    made.map((each, index) =>
      index % 5 === 2 ? { ...each, activity: each.activity.map(value => value * 50) } : each,
    ),
  );
  t.ok(outliers(many, all).size <= 6);
  t.equal(outliers(prepared(made), all).size <= 1, true, 'noise alone is not unusual');
});

t.test('model count: the smallest number whose loss is good enough', async t => {
  const tried = (...losses: readonly number[]) =>
    losses.map((loss, at) => ({ modelCount: at + 2, loss, predictability: 1, stability: 1 }));
  t.equal(chosenModelCount(tried(0.9, 0.5, 0.4999999, 0.7)), 3);
  t.equal(chosenModelCount(tried(0.5, 0.5, 0.5)), 2);
  t.equal(chosenModelCount(tried(0.9, 0.7, 0.3)), 4);
  t.equal(chosenModelCount(tried(0, 0)), 2, 'nothing is lost');
  t.equal(chosenModelCount([]), 1);
});

t.test('adjusted Rand index: known examples', async t => {
  t.equal(adjustedRandIndex([0, 0, 1, 1], [1, 1, 0, 0]), 1, 'names do not count');
  // Two pairs crossed: no pair is together in both, a third of 2 by chance, of 2 at most.
  t.ok(near(adjustedRandIndex([0, 0, 1, 1], [0, 1, 0, 1]), -0.5));
  // The example of scikit-learn's documentation.
  t.ok(near(adjustedRandIndex([0, 0, 1, 1], [0, 0, 1, 2]), 4 / 7));
  // Six rows by hand: pairs together 6 and 6 of 15, both 2; chance 12/5.
  t.ok(near(adjustedRandIndex([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), (2 - 1.2) / (4.5 - 1.2)));
  t.equal(adjustedRandIndex([0, 0, 0], [0, 1, 2]), 0, 'one against all: as by chance');
  t.equal(adjustedRandIndex([0, 0], [5, 5]), 1);
  t.equal(adjustedRandIndex([0], [0]), 1);
});

t.test('limits: with a target coverage, the score of rank ⌈(n + 1)·coverage⌉ is on a limit', async t => {
  for (const [count, level, rank] of [
    [100, 0.9, 91],
    [100, 0.95, 96],
    [100, 0.99, 100],
    [100, 0.995, 100],
    [60, 0.9, 55],
    [99, 0.9, 90],
  ] as const) {
    const days = madeDays({ count, slices: 6, seed: 8 });
    const of = prepared(days);
    const learned = {
      profiles: [of.days[2]!.scaled, of.days[5]!.scaled],
      nearest: [],
      expected: days.map((_, index) => (index % 7 > 4 ? 1 : 0)),
      plan: () => 0,
    };
    const left = days.map((_, index) => ({ index, learned, model: index % 7 > 4 ? 1 : 0, hit: true }));
    const { scores, bounds } = calibrate(of, left, new Map(), level);
    t.match(bounds, { targetCoverage: level, guaranteedCoverage: null, calibrationDays: count });
    t.equal(bounds.measuredCoverage, rank / (count + 1), `${count} days, level ${level}`);
    t.equal(bounds.falseAlertsPerYear, Math.round(3650 * (1 - rank / (count + 1))) / 10);
    t.equal(scores[rank - 1], 1);
    t.ok(rank === count || scores[rank]! > 1);
    const unusual = new Map([[3, 9]]);
    t.equal(
      calibrate(of, left, unusual, level).bounds.calibrationDays,
      count - 1,
      'unusual days calibrate nothing',
    );
    const higher = calibrate(of, left, new Map(), null);
    t.ok(
      higher.bounds.measuredCoverage <= count / (count + 1),
      'never said to be more than the days can show',
    );
    t.equal(higher.bounds.targetCoverage, null);
  }
});

t.test('limits: proportions are constant, and limits increase with the coverage', async t => {
  const days = madeDays({ count: 90, slices: 8, seed: 2 });
  const of = (coverage: number | null) =>
    typicalDays(days, { modelCount: 2, coverage, calendar: null, seed: 1 }).models[0]!;
  const [low, high, ruled] = [of(0.9), of(0.99), of(null)];
  for (const model of [low, high]) {
    t.ok(near(model.limits!.window, ruled.limits!.window));
    t.ok(near(model.limits!.day, ruled.limits!.day));
    t.ok(near(model.limits!.windowChange!, ruled.limits!.windowChange!));
    t.ok(near(model.limits!.dayChange!, ruled.limits!.dayChange!));
  }
  t.ok(low.topTolerance.every((top, slice) => top < high.topTolerance[slice]!));
  t.ok(low.bottomTolerance.every((bottom, slice) => bottom > high.bottomTolerance[slice]!));
});

t.test('limits: the more alike consecutive days are, the smaller the detected change', async t => {
  const learn = (days: readonly Day[]) =>
    typicalDays(days, { modelCount: 2, coverage: null, calendar: null, seed: 1 });
  const days = madeDays({ count: 360, slices: 8, seed: 3 });
  const random = seededRandom(4);
  let level = 0;
  const lasting = days.map(day => {
    level = 0.95 * level + 0.2 * (random() - 0.5);
    return { ...day, activity: day.activity.map(value => value * Math.exp(level)) };
  });
  const [apart, alike] = [days, lasting].map(of => learn(of).models[0]!.limits!);
  t.ok(apart!.dayChange! > 0.9 * apart!.day, 'what each day has of its own the days before do not tell');
  t.ok(alike!.dayChange! < 0.8 * alike!.day, 'what lasts they tell');
  const apiece = [0, 0];
  const other = seededRandom(14);
  const kinds = madeDays({ count: 360, slices: 8, seed: 5 }).map((day, index) => {
    apiece.forEach((of, kind) => (apiece[kind] = 0.95 * of + 0.3 * (other() - 0.5)));
    const factor = Math.exp(apiece[index % 7 > 4 ? 1 : 0]!);
    return { ...day, activity: day.activity.map(value => value * factor) };
  });
  const each = learn(kinds).models[0]!.limits!;
  t.ok(each.dayChange! < 0.83 * each.day, 'working and free days each by their own kind');
  const few = learn(days.slice(0, 12)).models[0]!.limits!;
  t.notOk('dayChange' in few || 'windowChange' in few, 'nine days with three before them are too few');
  t.ok('dayChange' in learn(days.slice(0, 13)).models[0]!.limits!);
});

t.test('minimum detectable change: larger when days vary more', async t => {
  const power = (spread: number) => {
    const days = madeDays({ count: 84, slices: 8, seed: 2 }).map((of, index) => {
      const usual = index % 7 > 4 ? 5 : 10;
      return { ...of, activity: of.activity.map(value => usual * (value / usual) ** spread) };
    });
    return typicalDays(days, { modelCount: 2, coverage: 0.95, calendar: null, seed: 1 }).bounds
      .minimumDetectableChange!;
  };
  const [calm, wild] = [power(0.1), power(2)];
  for (const kind of ['wholeDay', 'eightHours'] as const)
    for (const way of ['more', 'less'] as const)
      t.ok((calm[kind][way] ?? 2) <= (wild[kind][way] ?? 2), `${kind}, ${way}`);
  t.ok((calm.wholeDay.more ?? 1) < (wild.wholeDay.more ?? 2));
});

t.test('statistics: sortedQuantile equals quantiles', async t => {
  t.equal(sortedQuantile([1, 2, 3, 4, 5], 0.1), 1.4);
  t.equal(sortedQuantile([1, 2, 3, 4, 5], 1), 5);
  t.equal(sortedQuantile([1, 2, 3, 4, 5], 0), 1);
  t.equal(sortedQuantile([7], 0.3), 7);
  t.equal(sortedQuantile([], 0.3), 0);
});
