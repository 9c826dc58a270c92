import t from 'tap';
import {
  chosenModelCount,
  foldsOf,
  crossFit,
  crossFitClusters,
  plannedLoss,
  residualsFrom,
  type CrossFittedDay,
} from '../../../analysis/learning/crossFitting.js';
import {
  chooseSimilar,
  similarityWeights,
  type SimilarityWeights,
} from '../../../analysis/learning/similarityWeights.js';
import { learn, nearestModels } from '../../../analysis/learning/learn.js';
import {
  nearestProfile,
  similarMean,
  scaledDistance,
  withoutGaps,
} from '../../../analysis/learning/profiles.js';
import { smoothedDays, clustersOf } from '../../../analysis/learning/clustering/clusterRows.js';
import { expectedAlertsPerYear, calibrate, eachLimit } from '../../../analysis/learning/limits/calibrate.js';
import { calibrationDays, scoresWith } from '../../../analysis/learning/limits/calibrationDays.js';
import { minimumDetectableChange } from '../../../analysis/learning/limits/minimumDetectableChange.js';
import { weightedRows } from '../../../analysis/math/flatRows.js';
import { prepare, type PreparedReference, referenceOf } from '../../../analysis/learning/prepare.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { jointScore, normalise } from '../../../analysis/checking/scores.js';
import { fromScale, toScale } from '../../../analysis/math/portableMath.js';
import { tolerancesOf } from '../../../analysis/learning/tolerances.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { outlierIndices, outliers } from '../../../analysis/learning/outliers.js';
import { presentRules, rulesOf } from '../../../analysis/engine.js';
import { dateOf } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { noCalendar } from '../../../domain/planning/calendar.js';
import { madeDays, monday, mondayPlus as day } from '../../helpers/data/madeDays.js';

const near = (found: number, wanted: number, share = 1e-12): boolean =>
  Math.abs(found - wanted) <= share * Math.max(1, Math.abs(wanted));

const f = (...values: readonly number[]): Float64Array => Float64Array.from(values);
const none = Number.NaN;

t.test('similarity weights: near days, and all days when no near day is included', async t => {
  const weights = new Map([
    [1, 1],
    [2, 0.5],
    [3, 1e-6],
    [4, 0],
  ]);
  const row = similarityWeights(4, index => weights.get(index + 1) ?? 0);
  t.same([...row.near], [0, 1]);
  t.same(row.nearWeights, f(1, 0.5));
  t.same(row.all, f(1, 0.5, 1e-6, 0));
  const chosen = (row: SimilarityWeights, included: (index: number) => number): [number, number][] => {
    const factors = Float64Array.from(row.all, (_, index) => included(index));
    const { indices, weights, count } = chooseSimilar(row, factors, weightedRows(factors.length));
    return [...indices.subarray(0, count)].map((index, at) => [index, weights[at]!]);
  };
  t.same(
    chosen(row, () => 1),
    [
      [0, 1],
      [1, 0.5],
    ],
  );
  t.same(
    chosen(row, index => (index === 1 ? 0.5 : 0)),
    [[1, 0.25]],
    'a day can be included in part',
  );
  t.same(
    chosen(row, index => (index > 1 ? 1 : 0)),
    [[2, 1e-6]],
    'a distant day counts if no near day is included',
  );
  t.same(
    chosen(row, index => (index > 2 ? 1 : 0)),
    [],
    'a day without weight never counts',
  );
  t.same(similarityWeights(0, () => 1).near.length, 0);
  t.same([...similarityWeights(2, index => [1e-5, 1e-10][index] ?? 0).near], [0], 'near the largest weight');
});

const prepared = (days: readonly Day[]): PreparedReference =>
  withoutGaps(prepare(referenceOf(days), noCalendar), presentRules);
/** With the rules of engine 3, which leaves gaps as they are and takes days with half of the usual slices. */
const preparedWithGaps = (days: readonly Day[]): PreparedReference =>
  prepare(referenceOf(days, rulesOf('daybook-calendar/3')), noCalendar);

t.test('prepare: the unit is the mean magnitude of usable values', async t => {
  const { scale, days } = preparedWithGaps([day(0, [2, -4, 99], [[2, 3]]), day(1, [6, 0, 0])]);
  t.equal(scale.unit, 12 / 5);
  t.equal(days[0]?.scaled[0], toScale(scale, 2));
  t.ok(Number.isNaN(days[0]?.scaled[2]));
  t.equal(prepared([day(0, [0, 0])]).scale.unit, 1, 'the unit is 1 if all values are 0');
});

t.test('profiles: the mean of similar days uses days with a usable slice only', async t => {
  const reference = preparedWithGaps([day(0, [1, 5]), day(7, [3, 0], [[1, 2]])]);
  const row: SimilarityWeights = { near: Int32Array.of(0, 1), nearWeights: f(3, 1), all: f(3, 1) };
  const y = (value: number): number => toScale(reference.scale, value);
  const mean = similarMean(reference, row, f(1, 1));
  t.ok(near(mean[0]!, (3 * y(1) + y(3)) / 4));
  t.equal(mean[1], y(5));
  t.ok(Number.isNaN(similarMean(reference, row, f(0, 1))[1]), 'no included day observed the slice');
  t.equal(scaledDistance(f(1, 2, none), f(4, none, 1)), 9);
  t.equal(scaledDistance(f(1, 2), f(2, 4)), 2.5);
  t.equal(scaledDistance(f(none, 2), f(2, none)), Number.POSITIVE_INFINITY);
});

t.test('expected alerts: calibrated, and limits that adapt keep them few', async t => {
  const rate = (jointAt: (index: number) => number): number =>
    expectedAlertsPerYear(
      Array.from({ length: 364 }, (_, index) => ({ date: dateOf(monday + index), joint: jointAt(index) })),
    );
  t.ok(
    near(
      rate(() => 0.5),
      3.5,
    ),
    'one in a year where no day is outside',
  );
  const weekly = (joint: number) => (index: number) => (index % 7 === 0 ? joint : 0.5);
  t.ok(rate(weekly(9)) > rate(weekly(1.2)), 'scores below the factor raise no more alerts');
  t.ok(rate(weekly(1.2)) > rate(() => 0.5));
});

t.test(
  'completed: a gap takes the mean of similar days, moved to the level of the day around it',
  async t => {
    const gapped = (gaps: Day['gaps'], factor = 1): Float64Array => {
      const low = [10, 20, 40, 20, 10, 10, 10, 10];
      const days = [0, 7, 14, 21].map(index => day(index, index === 7 ? low.map(x => x * factor) : low));
      const reference = prepared(days.map((each, index) => (index === 1 ? { ...each, gaps } : each)));
      t.ok(reference.isComplete);
      t.equal(reference.profiles[0], reference.days[0]!.scaled, 'a complete day stays as it is');
      return reference.profiles[1]!.map(y => fromScale(reference.scale, y));
    };
    const at = (profile: Float64Array, slice: number): number => Math.round(profile[slice]!);
    t.equal(at(gapped([[2, 3]]), 2), 40);
    t.equal(at(gapped([[0, 1]]), 0), 10, 'at the beginning');
    t.equal(at(gapped([[6, 8]]), 7), 10, 'at the end');
    const high = gapped([[2, 3]], 1.5);
    t.ok(high[2]! > 55 && high[2]! < 65, `a day that is half as high again: ${high[2]}`);
    t.equal(at(high, 1), 30, 'observed values stay');
    const never = prepared([0, 7, 14].map(index => day(index, [1, 2, 0, 4, 4], [[2, 3]])));
    t.ok(
      never.profiles.every(profile => profile.every(Number.isFinite)),
      'a slice without a value on any day',
    );
  },
);

t.test(
  'learn: a profile is the median of the days planned for its model; ties go to the first model',
  async t => {
    t.equal(nearestProfile(f(1, 1), [f(0, 0), f(2, 2), f(1, none)]), 2);
    t.equal(nearestProfile(f(1), [f(0), f(2)]), 0);
    t.equal(nearestProfile(f(none), [f(0), f(2)]), 0);
    // Five Mondays of one model: the median is 3, the mean 20.
    const reference = prepared([1, 2, 3, 4, 90].map((value, week) => day(7 * week, [value])));
    const smoothed = smoothedDays(
      reference,
      reference.days.map(() => true),
    );
    const learned = learn(reference, smoothed, clustersOf(smoothed, 1, 1));
    t.same(learned.profiles, [f(toScale(reference.scale, 3))]);
    t.same(
      [nearestModels(reference, learned), learned.expected],
      [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
    );
    const without = smoothedDays(reference, [true, true, true, false, false]);
    const fewer = learn(reference, without, clustersOf(without, 1, 1));
    t.same(fewer.profiles, [f(toScale(reference.scale, 2))]);
    t.same(fewer.expected, [0, 0, 0, null, null], 'days excluded from learning have no planned model');
  },
);

t.test('cross-fitting: neither profile nor plan depends on the held-out block', async t => {
  // Each day is its own block, so its profile is the median of the two other days.
  const reference = prepared([1, 2, 6].map((value, week) => day(7 * week, [value])));
  const folds = foldsOf(reference);
  t.same(
    folds.map(({ heldOut, smoothed }) => [heldOut, smoothed.indices]),
    [
      [[0], [1, 2]],
      [[1], [0, 2]],
      [[2], [0, 1]],
    ],
  );
  const heldOut = crossFit(reference, folds, ({ smoothed }) => clustersOf(smoothed, 1, 1));
  const y = (value: number): number => toScale(reference.scale, value);
  const middles = [(y(2) + y(6)) / 2, (y(1) + y(6)) / 2, (y(1) + y(2)) / 2];
  heldOut.forEach(({ index, learned }, at) => {
    t.equal(index, at);
    t.ok(near(learned.profiles[0]![0]!, middles[at]!));
  });
  const errors = [1, 2, 6].map((value, at) => Math.abs(value - fromScale(reference.scale, middles[at]!)));
  t.ok(near(plannedLoss(reference, heldOut), (errors[0]! + errors[1]! + errors[2]!) / 9));
  t.same(
    normalise(residualsFrom(f(0, 0, 0), f(1, -1, none)), { up: f(2, 2, 2), down: f(4, 4, 4) }),
    f(0.5, -0.25, none),
  );
});

t.test('cross-fitting: slices without usable values do not count as errors', async t => {
  const reference = preparedWithGaps([day(0, [5, 0], [[1, 2]]), day(1, [4, 1])]);
  const learned = {
    profiles: [f(toScale(reference.scale, 4), toScale(reference.scale, 2))],
    nearest: [0, 0],
    expected: [0, 0],
    plan: () => 0,
  };
  const heldOut: CrossFittedDay[] = [0, 1].map(index => ({ index, learned, model: 0, hit: true }));
  // Errors 1, 0 and 1 of 5 + 4 + 1.
  t.ok(near(plannedLoss(reference, heldOut), 0.2));
});

t.test('tolerances: separate above and below, from ordinary days only', async t => {
  // One model of 201 days with residuals from −1 to 1 in steps of 0.01; positive ones are doubled.
  const days = Array.from({ length: 201 }, (_, index) => {
    const step = (((index * 7) % 201) - 100) / 100;
    return day(index, [10 * Math.exp(step > 0 ? 2 * step : step)]);
  });
  const reference: PreparedReference = prepared(days);
  const flat = {
    ...reference,
    days: reference.days.map((each, index) => ({
      ...each,
      scaled: f(Math.log(days[index]!.activity[0]! / 10)),
    })),
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
  t.ok(down[0]! > 0.5 && down[0]! < 1, 'in the tail of the residuals, below the largest');
  const odd = { ...flat, days: flat.days.map(each => ({ ...each, ordinary: each.scaled[0]! < 0.5 })) };
  t.ok(tolerancesOf(odd, learned)[0]!.up[0]! < 0.5, 'days that are not ordinary do not widen a tolerance');
  const still = { ...flat, days: flat.days.map(each => ({ ...each, scaled: f(0) })) };
  const least = tolerancesOf(still, learned)[0]!;
  t.ok(least.up[0]! > 0 && least.up[0] === least.down[0], 'a tolerance is never 0');
});

t.test('minimum detectable change: that of all days, each compared with limits and baseline', async t => {
  const reference = prepared(madeDays({ count: 120, slices: 8, seed: 6 }));
  const days = calibrationDays(reference, crossFitClusters(reference, foldsOf(reference), 2, 1));
  const shares = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
  for (const factor of [0.3, 1, 2, 4]) {
    const limits = { slice: 2.5, window: 2, day: 1.5, windowChange: 0.8, dayChange: 0.5 };
    const scaled = eachLimit(kind => factor * limits[kind]);
    const isShown = (by: number): boolean => {
      const shown = days.filter(({ index, profile, tolerance, baseline }) => {
        const changed = Float64Array.from(reference.days[index]!.activity, value =>
          toScale(reference.scale, value * (1 + by)),
        );
        const { scores, change } = scoresWith(
          baseline,
          normalise(residualsFrom(profile, changed), tolerance),
        );
        return jointScore(scores, change, scaled) > 1;
      });
      return shown.length / days.length >= 0.8;
    };
    const { wholeDay } = minimumDetectableChange(reference, days, scaled);
    // More days show a larger change of these days.
    t.equal(wholeDay.more, shares.find(isShown) ?? null, `limits × ${factor}: more`);
    t.equal(wholeDay.less, shares.find(by => isShown(-by)) ?? null, `limits × ${factor}: less`);
  }
});

t.test('minimum detectable change: no fall by more than eight hours have, where values end at 0', async t => {
  const days = madeDays({ count: 120, slices: 8, seed: 6 });
  const lessIn = (all: readonly Day[], factor: number, statesRanges: boolean): number | null => {
    const reference = prepared(all);
    const calibration = calibrationDays(reference, crossFitClusters(reference, foldsOf(reference), 2, 1));
    const limits = eachLimit(() => factor);
    return minimumDetectableChange(reference, calibration, limits, { ...presentRules, statesRanges })
      .eightHours.less;
  };
  // The three busiest of eight slices have 0.47 to 0.61 of a day, on four of five days at least 0.494.
  const factors = [4, 6, 7, 8, 9, 10, 12];
  const before = factors.map(factor => lessIn(days, factor, false));
  t.ok(
    before.some(by => by !== null && by >= 0.5),
    `engine 8 stated a fall by more than they have: ${before.join(' ')}`,
  );
  t.strictSame(
    factors.map(factor => lessIn(days, factor, true)),
    before.map(by => (by !== null && by >= 0.5 ? null : by)),
  );
  const shifted = days.map(day => ({ ...day, activity: day.activity.map(value => value - 20) }));
  t.strictSame(lessIn(shifted, 2, true), lessIn(shifted, 2, false), 'values below 0 have no end there');
});

t.test('days kept from the whole reference: folds equal those that are computed alone', async t => {
  const all = madeDays({ count: 250, slices: 8, seed: 5 }).map((made, at) =>
    at % 40 === 7 ? { ...made, activity: made.activity.map(value => 3 * value) } : made,
  );
  const everyDay = all.map(() => true);
  const kept = prepared(all);
  const found = outliers(kept, everyDay);
  const whole = smoothedDays(
    kept,
    everyDay.map((_, index) => !found.has(index)),
  );
  for (const block of new Set(kept.days.map(day => day.block))) {
    const alone = prepared(all);
    const others = kept.days.map(day => day.block !== block);
    t.same(
      [...outlierIndices(kept, others)].sort(),
      [...outliers(alone, others).keys()].sort(),
      `block ${block}: outliers`,
    );
    const fold = smoothedDays(kept, others);
    t.same(fold, smoothedDays(alone, others), `block ${block}: smoothed days`);
    t.ok(
      fold.rows.some(row => whole.rows.includes(row)),
      'rows far from the block are shared',
    );
  }
});

t.test('outliers: sums over all days find those of exact distances, for any included days', async t => {
  // Noise of many sizes, equal days, and days that differ by less than rounding decides.
  for (const [run, noise] of [1, 0.1, 1e-3, 1e-9, 1e-11, 3e-12, 0]
    .flatMap(noise => [noise, noise, noise])
    .entries()) {
    const random = seededRandom(run);
    const days = Array.from({ length: 120 }, (_, at) =>
      day(
        at,
        [5, 9, 7].map(value => value * (1 + noise * random()) * (random() < 0.04 ? 1 + random() : 1)),
      ),
    );
    const reference = prepared(days);
    for (const share of [0.2, 0.5, 0.9, 1]) {
      const included = days.map(() => random() < share);
      t.same(
        [...outlierIndices(reference, included)].sort(),
        [...outliers(reference, included).keys()].sort(),
        `noise ${noise}, ${share * 100} % of the days`,
      );
    }
  }
});

t.test('outliers: the farthest included ordinary days, at most a tenth of all', async t => {
  const made = madeDays({ count: 60, slices: 8, seed: 31 });
  const odd = (index: number): boolean => [17, 40].includes(index);
  const days = made.map((day, index) =>
    odd(index) ? { ...day, activity: day.activity.map(value => value * 12) } : day,
  );
  const reference = prepared(days);
  const all = reference.days.map(() => true);
  const found = outliers(reference, all);
  t.same(
    [...found.keys()].sort((a, b) => a - b),
    [17, 40],
  );
  t.ok(
    [...found.values()].every(times => times > 3),
    'many times the median distance',
  );
  const included = all.map((_, index) => index !== 17);
  t.same([...outliers(reference, included).keys()], [40], 'excluded days are no outliers');
  const special = {
    ...reference,
    days: reference.days.map((each, index) => ({ ...each, ordinary: index !== 40 })),
  };
  t.same([...outliers(special, all).keys()], [17], 'days that are not ordinary are no outliers');
  const many = prepared(
    made.map((each, index) =>
      index % 5 === 2 ? { ...each, activity: each.activity.map(value => value * 50) } : each,
    ),
  );
  t.ok(outliers(many, all).size <= 6);
  t.equal(outliers(prepared(made), all).size <= 1, true, 'noise alone gives at most one outlier');
});

t.test('model count: the smallest number with a loss near the best', async t => {
  const tried = (...losses: readonly number[]) =>
    losses.map((loss, at) => ({ modelCount: at + 2, loss, predictability: 1, stability: 1 }));
  t.equal(chosenModelCount(tried(0.9, 0.5, 0.4999999, 0.7)), 3);
  t.equal(chosenModelCount(tried(0.5, 0.5, 0.5)), 2);
  t.equal(chosenModelCount(tried(0.9, 0.7, 0.3)), 4);
  t.equal(chosenModelCount(tried(0, 0)), 2, 'all losses are 0');
  t.equal(chosenModelCount([]), 1);
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
    const reference = prepared(days);
    const learned = {
      profiles: [reference.days[2]!.scaled, reference.days[5]!.scaled],
      nearest: [],
      expected: days.map((_, index) => (index % 7 > 4 ? 1 : 0)),
      plan: () => 0,
    };
    const heldOut = days.map((_, index) => ({ index, learned, model: index % 7 > 4 ? 1 : 0, hit: true }));
    const { scores, bounds } = calibrate(reference, heldOut, new Map(), { coverage: level });
    t.match(bounds, { targetCoverage: level, guaranteedCoverage: null, calibrationDays: count });
    t.equal(bounds.measuredCoverage, rank / (count + 1), `${count} days, level ${level}`);
    t.equal(bounds.falseAlertsPerYear, Math.round(3650 * (1 - rank / (count + 1))) / 10);
    t.equal(scores[rank - 1], 1);
    t.ok(rank === count || scores[rank]! > 1);
    const unusual = new Map([[3, 9]]);
    t.equal(
      calibrate(reference, heldOut, unusual, { coverage: level }).bounds.calibrationDays,
      count - 1,
      'outliers are not used for calibration',
    );
    const higher = calibrate(reference, heldOut, new Map(), { coverage: null });
    t.ok(higher.bounds.measuredCoverage <= count / (count + 1), 'measured coverage is at most n/(n + 1)');
    t.equal(higher.bounds.targetCoverage, null);
  }
});

t.test('limits: their proportions are constant, and they increase with the coverage', async t => {
  const days = madeDays({ count: 90, slices: 8, seed: 2 });
  const modelFor = (coverage: number | null) =>
    typicalDays(days, { modelCount: 2, coverage, calendar: null, seed: 1 }).models[0]!;
  const [low, high, ruled] = [modelFor(0.9), modelFor(0.99), modelFor(null)];
  for (const model of [low, high]) {
    t.ok(near(model.limits!.window, ruled.limits!.window));
    t.ok(near(model.limits!.day, ruled.limits!.day));
    t.ok(near(model.limits!.windowChange!, ruled.limits!.windowChange!));
    t.ok(near(model.limits!.dayChange!, ruled.limits!.dayChange!));
  }
  t.ok(low.topTolerance.every((top, slice) => top < high.topTolerance[slice]!));
  t.ok(low.bottomTolerance.every((bottom, slice) => bottom > high.bottomTolerance[slice]!));
});

t.test('limits: the more similar consecutive days are, the smaller the change limits', async t => {
  const learn = (days: readonly Day[]) =>
    typicalDays(days, { modelCount: 2, coverage: null, calendar: null, seed: 1 });
  const days = madeDays({ count: 360, slices: 8, seed: 3 });
  const random = seededRandom(4);
  let level = 0;
  const lasting = days.map(day => {
    level = 0.95 * level + 0.2 * (random() - 0.5);
    return { ...day, activity: day.activity.map(value => value * Math.exp(level)) };
  });
  const [apart, alike] = [days, lasting].map(days => learn(days).models[0]!.limits!);
  t.ok(apart!.dayChange! > 0.9 * apart!.day, 'independent days: the change limit is not smaller');
  t.ok(alike!.dayChange! < 0.8 * alike!.day, 'autocorrelated days: the change limit is smaller');
  const levels = [0, 0];
  const other = seededRandom(14);
  const kinds = madeDays({ count: 360, slices: 8, seed: 5 }).map((day, index) => {
    levels.forEach((value, kind) => (levels[kind] = 0.95 * value + 0.3 * (other() - 0.5)));
    const factor = Math.exp(levels[index % 7 > 4 ? 1 : 0]!);
    return { ...day, activity: day.activity.map(value => value * factor) };
  });
  const each = learn(kinds).models[0]!.limits!;
  t.ok(each.dayChange! < 0.83 * each.day, 'working and free days have separate baselines');
  const few = learn(days.slice(0, 12)).models[0]!.limits!;
  t.notOk('dayChange' in few || 'windowChange' in few, 'nine days with three days before them are too few');
  t.ok('dayChange' in learn(days.slice(0, 13)).models[0]!.limits!);
});

t.test('minimum detectable change: larger when days vary more', async t => {
  const power = (spread: number) => {
    const days = madeDays({ count: 84, slices: 8, seed: 2 }).map((day, index) => {
      const usual = index % 7 > 4 ? 5 : 10;
      return { ...day, activity: day.activity.map(value => usual * (value / usual) ** spread) };
    });
    return typicalDays(days, { modelCount: 2, coverage: 0.95, calendar: null, seed: 1 }).bounds
      .minimumDetectableChange!;
  };
  const [calm, wild] = [power(0.1), power(2)];
  for (const kind of ['wholeDay', 'eightHours'] as const)
    for (const direction of ['more', 'less'] as const)
      t.ok((calm[kind][direction] ?? 2) <= (wild[kind][direction] ?? 2), `${kind}, ${direction}`);
  t.ok((calm.wholeDay.more ?? 1) < (wild.wholeDay.more ?? 2));
});
