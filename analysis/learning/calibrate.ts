import type { BrokenLimit } from '../../domain/alerts.js';
import type { BoundsFacts } from '../../domain/models.js';
import { changeDays, changeFrom, levelBefore, type PastShares } from '../checking/recentBaseline.js';
import type { LeftOutDay } from './crossFitting.js';
import { leftOutShares, residualsOf, type LeftOutShares } from './crossFitting.js';
import type { Prepared } from './prepare.js';
import { jointScore, scoresOf, sharesOf, type ScoreLimits, type Scores } from '../checking/scores.js';
import { sortedQuantile } from '../math/statistics.js';
import { toScale } from '../math/logScale.js';

/** Hours of the window: half a working day and more is what outages, events and closures last. */
export const windowHours = 8;

/**
 * A limit lies at this quantile of the left-out scores times a margin, but never beyond so many times their median,
 * nor nearer than a share of that. The median decides where the reference is short or full of faults, since its
 * highest scores are faults then; the quantile where days hardly vary, since then less is enough. Measured on real
 * series, swapped parts and shortened references: `npm run quality`.
 */
const rule = {
  quantile: 0.99,
  margin: { slice: 1.4, window: 1.15, day: 1.15, windowChange: 1.15, dayChange: 1.15 },
  mostMedians: { slice: 4.5, window: 3.7, day: 6, windowChange: 4.1, dayChange: 4.9 },
  leastShare: 0.6,
  /** In tolerances: days that repeat exactly score 0, and would leave no width at all. */
  least: { slice: 1, window: 0.3, day: 0.1, windowChange: 0.3, dayChange: 0.1 },
  /** A reference of a part of a year has not seen the others: wider by up to so much of itself. */
  short: 0.35,
  /** Scores of a change that its limit needs: those of fewer days say nothing. */
  fewest: 10,
} as const;

/** Limits, what they rest on, and the left-out scores that a day's own can be compared with. */
export type Calibration = {
  readonly limits: ScoreLimits;
  /** Joint scores of the calibration days, ascending: 1 is on a limit. */
  readonly scores: readonly number[];
  readonly bounds: BoundsFacts;
};

/**
 * Limits on the scores of a day (scores.ts) and of its change from the days before (change.ts), from the scores of
 * reference days whose block was left out: cross-conformal scores (Vovk 2015; a supremum of scaled residuals for the
 * whole day as in Diquigiovanni, Fontana and Vantini 2022) of ordinary days that are not unusual.
 *
 * Without a level the limits follow the rule above, which guarantees nothing: what is stated is the level measured
 * on the left-out days. With a level all are moved together until the rank ⌈(n + 1)·level⌉ of the n joint
 * scores lies on a limit (the largest where there are too few days), so that the stated level is at most n/(n + 1).
 * That is the split-conformal rank (Lei, Rinaldo and Wasserman 2015) of scores that are only nearly exchangeable with
 * those of new days (each was made by models of other blocks): it is measured too, not guaranteed.
 * @param left    every reference day with its block left out
 * @param unusual indices of unusual days
 * @param level   0–1, null for the rule
 */
export const calibrate = (
  prepared: Prepared,
  left: readonly LeftOutDay[],
  unusual: ReadonlyMap<number, number>,
  level: number | null,
): Calibration => {
  const { days } = prepared;
  const plain = left.filter(({ index }) => days[index]!.ordinary && !unusual.has(index));
  const judged = new Set((plain.length > 0 ? plain : left).map(({ index }) => index));
  const known = knownOf(prepared, left).filter(({ index }) => judged.has(index));
  const first = days[0]?.number ?? 0;
  const span = Math.min(1, ((days.at(-1)?.number ?? first) - first + 1) / 365);
  const ruled = limitsBy(known, 1 + rule.short * (1 - span));
  const joint = Float64Array.from(known, ({ scores, change }) => jointScore(scores, change, ruled)).sort();
  const count = joint.length;
  const factor =
    level === null ? 1 : Math.max(1e-3, joint[Math.min(count, Math.ceil((count + 1) * level - 1e-9)) - 1]!);
  const limits = eachLimit(kind => ruled[kind] * factor);
  const inside = joint.filter(score => score <= factor).length;
  const measuredLevel = inside / (count + 1);
  const changed = (by: Change): number => shareChanged(prepared, known, limits, by);
  return {
    limits,
    scores: Array.from(joint, score => Math.round((score / factor) * 1e4) / 1e4),
    bounds: {
      method:
        'largest slice, 8-hour mean and day mean of residuals in robust tolerances, and the means against the days ' +
        'before, on left-out blocks' +
        (level === null ? ', limited by their median and 99 % quantile' : ', at a common conformal rank'),
      target: level,
      guaranteedLevel: null,
      calibrationDays: count,
      measuredLevel,
      falseAlertsPerYear: Math.round(365 * (1 - measuredLevel) * 10) / 10,
      power: {
        wholeDay: {
          more: smallest(by => changed({ by, eightHours: false })),
          less: smallest(by => changed({ by: -by, eightHours: false })),
        },
        eightHours: {
          more: smallest(by => changed({ by, eightHours: true })),
          less: smallest(by => changed({ by: -by, eightHours: true })),
        },
      },
    },
  };
};

/** A left-out day with its scores; `level` and `change` are null where too few days are before it. */
type Known = LeftOutShares & {
  readonly index: number;
  readonly level: Float64Array | null;
  readonly scores: Scores;
  readonly change: Scores | null;
};

const knownOf = (prepared: Prepared, left: readonly LeftOutDay[]): Known[] => {
  const all = leftOutShares(prepared, left);
  const dayAt = (at: number) => prepared.days[left[at]!.index]!;
  return left.map(({ index }, at) => {
    const { number, working } = dayAt(at);
    const before: PastShares[] = [];
    for (let past = at - 1; past >= 0 && number - dayAt(past).number <= changeDays; past -= 1) {
      const { number: other, working: kind } = dayAt(past);
      before.push({ apart: number - other, alike: kind === working, shares: all[past]!.shares });
    }
    const level = levelBefore(before);
    return { ...all[at]!, index, level, ...scoresBeside(all[at]!.shares, level) };
  });
};

const scoresBeside = (
  shares: Float64Array,
  level: Float64Array | null,
): { readonly scores: Scores; readonly change: Scores | null } => ({
  scores: scoresOf(shares, windowHours),
  change: level && scoresOf(changeFrom(level, shares), windowHours),
});

const eachLimit = (of: (kind: BrokenLimit) => number): ScoreLimits => ({
  slice: of('slice'),
  window: of('window'),
  day: of('day'),
  windowChange: of('windowChange'),
  dayChange: of('dayChange'),
});

const limitsBy = (known: readonly Known[], widening: number): ScoreLimits => {
  const changes = known.flatMap(({ change }) => change ?? []);
  const scoresFor = {
    slice: known.map(({ scores }) => scores.slice),
    window: known.map(({ scores }) => scores.window),
    day: known.map(({ scores }) => scores.day),
    windowChange: changes.map(({ window }) => window),
    dayChange: changes.map(({ day }) => day),
  };
  const fewest = { slice: 0, window: 0, day: 0, windowChange: rule.fewest, dayChange: rule.fewest };
  return eachLimit(kind => {
    if (scoresFor[kind].length < fewest[kind]) return Number.POSITIVE_INFINITY;
    const sorted = Float64Array.from(scoresFor[kind], Math.abs).sort();
    const most = rule.mostMedians[kind] * sortedQuantile(sorted, 0.5);
    const byQuantile = rule.margin[kind] * sortedQuantile(sorted, rule.quantile);
    const between = Math.min(most, Math.max(rule.leastShare * most, byQuantile));
    return widening * Math.max(rule.least[kind], between);
  });
};

/** A change of a day by a share of its total: of all its slices in proportion, or of its eight busiest hours. */
type Change = { readonly by: number; readonly eightHours: boolean };

/** Share of days that break a limit after a change, values not below 0 where the reference never is. */
const shareChanged = (
  { days, scale, slices }: Prepared,
  known: readonly Known[],
  limits: ScoreLimits,
  { by, eightHours }: Change,
): number => {
  const lowest = days.every(({ activity, usable }) =>
    activity.every((value, slice) => value >= 0 || !usable[slice]),
  )
    ? 0
    : Number.NEGATIVE_INFINITY;
  const width = Math.max(1, Math.round(slices / 3));
  let broken = 0;
  for (const { index, curve, tolerance, level } of known) {
    const { activity, usable } = days[index]!;
    const total = activity.reduce((sum, value, slice) => (usable[slice] ? sum + value : sum), 0);
    const from = eightHours ? busiest(curve, width) : 0;
    const changed = Float64Array.from(activity, (value, slice) => {
      if (!usable[slice]) return Number.NaN;
      if (!eightHours) return toScale(scale, value * (1 + by));
      const inside = slice >= from && slice < from + width;
      return toScale(scale, inside ? Math.max(lowest, value + (by * total) / width) : value);
    });
    const { scores, change } = scoresBeside(sharesOf(residualsOf(changed, curve), tolerance), level);
    if (jointScore(scores, change, limits) > 1) broken += 1;
  }
  return broken / known.length;
};

/** Where the `width` slices with the largest sum of a curve begin. */
const busiest = (curve: Float64Array, width: number): number => {
  let sum = 0;
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < curve.length; at += 1) {
    sum += curve[at]! - (at >= width ? curve[at - width]! : 0);
    if (at >= width - 1 && sum > most) [best, most] = [at - width + 1, sum];
  }
  return best;
};

/** Changes that are tried, as shares of the day's total, and the share of days that must show one. */
const changesTried = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const shown = 0.8;

/** The smallest change that four of five days show; null when not even the largest does. */
const smallest = (shareAt: (by: number) => number): number | null => {
  let [low, high] = [0, changesTried.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shareAt(changesTried[middle]!) >= shown) high = middle;
    else low = middle + 1;
  }
  return changesTried[low] ?? null;
};
