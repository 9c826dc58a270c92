import { presentRules, type EngineRules } from '../../engine.js';
import type { BoundsFacts } from '../../../domain/planning/models.js';
import { jointScore, type ScoreLimits } from '../../checking/scores.js';
import { alertGuarantee, adaptedBy, adaptiveFactor } from '../../checking/adaptiveFactor.js';
import { calibrationDays, type CalibrationDay } from './calibrationDays.js';
import type { CrossFittedDay } from '../crossFitting.js';
import { minimumDetectableChange } from './minimumDetectableChange.js';
import type { PreparedReference } from '../prepare.js';
import { notAdapted } from '../../../domain/alerts/checks.js';
import { exp, ln } from '../../math/portableMath.js';
import type { ResidualLimit } from '../../../domain/alerts/findings.js';
import { shapeLimit, type ShapeCalibration } from './shapeLimit.js';
import { sortedQuantile } from '../../math/statistics.js';

/**
 * Rates of sources with one expected number vary like a gamma distribution of this shape, so counts of a year have a
 * negative binomial distribution. Measured on open series (docs/quality.md).
 */
const shape = 4;

/** Shares of sources below the ends of the range: it holds for nine of ten. */
const ends = { low: 0.05, high: 0.95 } as const;

/** Fewest held-out days for a range: series with fewer were not measured. */
const daysMin = 100;

/** The smallest count that at least a share of the sources does not exceed. */
const quantile = (share: number, mean: number): number => {
  const stop = shape / (shape + mean);
  let probability = stop * stop * stop * stop;
  let count = 0;
  for (let sum = probability; sum < share && probability > 0; sum += probability) {
    probability *= ((count + shape) / (count + 1)) * (1 - stop);
    count += 1;
  }
  return count;
};

/**
 * Range of the false alerts of a year, which holds for nine of ten sources that state one expected number.
 * @param perYear expected number, ≥ 0
 * @param days    held-out days that it is computed from
 * @param isWild  whether the guard has widened the limits: such sources are too few to be measured
 * @returns       null where nothing is known
 */
export const alertRange = (
  perYear: number,
  days: number,
  isWild: boolean,
): NonNullable<BoundsFacts['falseAlertsRange']> | null =>
  isWild || days < daysMin ? null : { low: quantile(ends.low, perYear), high: quantile(ends.high, perYear) };

/**
 * A limit is a quantile of the cross-fitted scores times a margin, clamped to a range in multiples of their median.
 * The upper end of the range decides when the reference is short or contains many faults, since its highest scores
 * are faults then; the lower end when days hardly vary. Values are chosen on real series: `npm run quality`.
 */
const rule = {
  quantile: 0.99,
  margin: { slice: 1.4, window: 1.15, day: 1.15, windowChange: 1.15, dayChange: 1.15 },
  /** Upper end of the range, in medians. */
  medians: { slice: 4.5, window: 3.7, day: 6, windowChange: 4.1, dayChange: 4.9 },
  /** Lower end of the range, as a share of the upper end. */
  lowerShare: 0.6,
  /**
   * Smallest limits, in tolerances: a source that repeats exactly has score 0, so a limit without a minimum would be
   * 0.
   */
  min: { slice: 1, window: 0.3, day: 0.1, windowChange: 0.3, dayChange: 0.1 },
  /** Limits are wider by up to this share when the reference covers only a part of the year. */
  partialYearWidening: 0.35,
  /** Fewest change scores for a limit on changes. */
  changesMin: 10,
} as const;

/** Calls `limit` for each of the five limits on residuals. */
export const eachLimit = (limit: (kind: ResidualLimit) => number): ScoreLimits => ({
  slice: limit('slice'),
  window: limit('window'),
  day: limit('day'),
  windowChange: limit('windowChange'),
  dayChange: limit('dayChange'),
});

/**
 * Default limits of the calibration days, before they are scaled to a target coverage.
 * @param factor    factor on all limits
 * @param yearShare share of a year that the reference covers, 0–1
 * @returns         Infinity for limits on changes when there are fewer than ten change scores
 */
const limitsByRule = (days: readonly CalibrationDay[], yearShare: number, factor: number): ScoreLimits => {
  const widening = factor * yearWidening(yearShare);
  const changes = days.flatMap(({ change }) => change ?? []);
  const scoresFor = {
    slice: days.map(({ scores }) => scores.slice),
    window: days.map(({ scores }) => scores.window),
    day: days.map(({ scores }) => scores.day),
    windowChange: changes.map(({ window }) => window),
    dayChange: changes.map(({ day }) => day),
  };
  const { changesMin } = rule;
  const countMin = { slice: 0, window: 0, day: 0, windowChange: changesMin, dayChange: changesMin };
  return eachLimit(kind => {
    if (scoresFor[kind].length < countMin[kind]) return Number.POSITIVE_INFINITY;
    const sorted = Float64Array.from(scoresFor[kind], Math.abs).sort();
    const upper = rule.medians[kind] * sortedQuantile(sorted, 0.5);
    const byQuantile = rule.margin[kind] * sortedQuantile(sorted, rule.quantile);
    const clamped = Math.min(upper, Math.max(rule.lowerShare * upper, byQuantile));
    return widening * Math.max(rule.min[kind], clamped);
  });
};

const yearWidening = (yearShare: number): number => 1 + rule.partialYearWidening * (1 - yearShare);

/** A held-out day with its joint score of residuals, and its use of the limit on the shape. */
type JudgedDay = { readonly date: string; readonly joint: number; readonly shape?: number };

/**
 * Rate on recent days from the rate on held-out days: factor · rate^exponent. Held-out months are harder to predict
 * than the next year, and recent days of sources differ less than held-out days. Measured on open series
 * (docs/quality.md).
 */
const calibration = { factor: 3.5, factorWithShape: 4.2, exponent: 0.2 } as const;

/**
 * Alerts that ordinary days are expected to raise in a year. The adaptive factor passes over the held-out days in order
 * of date; one alert is added, as the measured coverage adds one day. The rate is calibrated on open series.
 * @param days     by date, with joint scores of default limits
 * @param hasShape whether there is a limit on the shape
 */
export const expectedAlertsPerYear = (days: readonly JudgedDay[], hasShape = false): number => {
  let residual = notAdapted;
  let shapes = notAdapted;
  let alerts = 1;
  for (const { date, joint, shape = 0 } of days) {
    const isOutside = joint > adaptiveFactor(residual);
    const isUnlike = shape > adaptiveFactor(shapes);
    residual = adaptedBy(residual, date, isOutside);
    shapes = adaptedBy(shapes, date, isUnlike);
    if (isOutside || isUnlike) alerts += 1;
  }
  const perYear = (365 * alerts) / (days.length + 1);
  const factor = hasShape ? calibration.factorWithShape : calibration.factor;
  return factor * power(perYear, calibration.exponent);
};

/** A power of a number above 0, with the same bits on every machine. */
const power = (base: number, exponent: number): number => exp(exponent * ln(base));

/** Limits, the joint scores that a day's own can be compared with, and the measured quality of the limits. */
export type Calibration = {
  readonly limits: ScoreLimits;
  /** Limit on the shape score with its reference days; null without one. */
  readonly shape: Omit<ShapeCalibration, 'scores'> | null;
  /** Joint scores of the calibration days, ascending: 1 is on a limit. */
  readonly scores: readonly number[];
  readonly bounds: BoundsFacts;
};

/**
 * Limits from cross-fitted scores of ordinary days that are not outliers (cross-conformal, Vovk 2015; the largest
 * scaled residual of a day as its score, Diquigiovanni, Fontana and Vantini 2022). Without a target coverage they
 * follow the default rule. With one, all are scaled so that the joint score of rank ⌈(n + 1)·coverage⌉ is on a limit
 * (Lei, Rinaldo and Wasserman 2015). Scores of different models are not exactly exchangeable: nothing is guaranteed,
 * and the stated coverage, at most n/(n + 1), is measured.
 * @param fitted   every reference day, cross-fitted
 * @param outliers indices of outliers
 */
export const calibrate = (
  prepared: PreparedReference,
  fitted: readonly CrossFittedDay[],
  outliers: ReadonlyMap<number, number>,
  { coverage, rules = presentRules }: { readonly coverage: number | null; readonly rules?: EngineRules },
): Calibration => {
  const { days } = prepared;
  const plain = fitted.filter(({ index }) => days[index]!.ordinary && !outliers.has(index));
  const chosen = new Set((plain.length > 0 ? plain : fitted).map(({ index }) => index));
  const calibration = calibrationDays(prepared, fitted).filter(({ index }) => chosen.has(index));
  const first = days[0]?.number ?? 0;
  const yearShare = Math.min(1, ((days.at(-1)?.number ?? first) - first + 1) / 365);
  const byRule = limitsByRule(calibration, yearShare, coverage === null ? rules.limitFactor : 1);
  const shape = rules.comparesShape
    ? shapeLimit(
        prepared,
        calibration.map(({ index }) => index),
        yearWidening(yearShare),
        rules,
      )
    : null;
  const byDate = calibration.map(({ index, scores, change }, at) => ({
    date: days[index]!.date,
    residual: jointScore(scores, change, byRule),
    shape: shape ? shape.scores[at]! / shape.limit : 0,
  }));
  const factors = factorsOf(byDate, coverage, rules);
  const judged = byDate.map(({ date, residual, shape }) => ({
    date,
    joint: residual / factors.residual,
    shape: shape / factors.shape,
    isInside: residual <= factors.residual && shape <= factors.shape,
  }));
  const holds = coverage !== null && rules.holdsSmallestLimits;
  const limits = eachLimit(kind => Math.max(holds ? rule.min[kind] : 0, byRule[kind] * factors.residual));
  const measured = judged.filter(({ isInside }) => isInside).length / (judged.length + 1);
  const adapts = rules.adaptive && coverage === null;
  const falseAlerts =
    adapts && rules.calibratedAlerts ? expectedAlertsPerYear(judged, shape !== null) : 365 * (1 - measured);
  const range =
    adapts && rules.statesRanges ? alertRange(falseAlerts, judged.length, factors.guard !== null) : null;
  return {
    limits,
    shape: shape && { facts: shape.facts, limit: shape.limit * factors.shape },
    scores: Array.from(
      Float64Array.from(judged, ({ joint, shape }) => Math.max(joint, shape)).sort(),
      rounded,
    ),
    bounds: {
      method: methodOf(coverage, shape !== null),
      targetCoverage: coverage,
      guaranteedCoverage: null,
      calibrationDays: judged.length,
      measuredCoverage: measured,
      falseAlertsPerYear: Math.round(falseAlerts * 10) / 10,
      ...(range && { falseAlertsRange: range }),
      ...(factors.guard && { guard: factors.guard }),
      ...(adapts && { guarantee: alertGuarantee }),
      minimumDetectableChange: minimumDetectableChange(prepared, calibration, limits, rules),
    },
  };
};

const rounded = (score: number): number => Math.round(score * 1e4) / 1e4;

/** Factors on the limits by the rule, and the guard that set that on residuals. */
type Factors = { readonly residual: number; readonly shape: number; readonly guard: Guard | null };

/** With a target coverage all limits have one factor; without one the guard widens those on residuals only. */
const factorsOf = (
  days: readonly { readonly residual: number; readonly shape: number }[],
  coverage: number | null,
  rules: EngineRules,
): Factors => {
  const sorted = (value: (day: (typeof days)[number]) => number) => Float64Array.from(days, value).sort();
  if (coverage === null) {
    const guard = rules.guard
      ? guardOf(
          sorted(({ residual }) => residual),
          rules,
        )
      : null;
    return { residual: guard?.factor ?? 1, shape: 1, guard };
  }
  const joint = sorted(({ residual, shape }) => Math.max(residual, shape));
  const rank = Math.min(joint.length, Math.ceil((joint.length + 1) * coverage - 1e-9));
  const factor = Math.max(1e-3, joint[rank - 1]!);
  return { residual: factor, shape: factor, guard: null };
};

/** Smallest measured coverage for default limits, for many calibration days and for few; earlier engines' last. */
const guardCoverage = {
  manyDays: 150,
  present: { many: 0.75, few: 0.7 },
  earlier: { many: 0.9, few: 0.8 },
} as const;

/** Coverage of the limits by the rule, and the factor that widens them. */
type Guard = { readonly coverage: number; readonly factor: number };

/** Rank of the joint score that the guard puts on the limit. */
const guardRank = 0.975;

/**
 * Guard: when too few calibration days are inside the default limits, the days of the reference vary too much, and all
 * limits are multiplied by the joint score of rank ⌈0.975 (n + 1)⌉.
 * @param joint joint scores of the n calibration days, ascending; 1 is on a limit
 * @returns     the coverage before and the factor; null when the limits need no widening
 */
export const guardOf = (joint: Float64Array, rules: EngineRules): Guard | null => {
  const count = joint.length;
  const coverage = joint.filter(score => score <= 1).length / (count + 1);
  const { many, few } = rules.withstandsFaults ? guardCoverage.present : guardCoverage.earlier;
  const least = count >= guardCoverage.manyDays ? many : few;
  if (coverage >= least) return null;
  const factor = joint[Math.min(count, Math.ceil((count + 1) * guardRank - 1e-9)) - 1]!;
  return factor > 1 ? { coverage, factor } : null;
};

/** The method in words. Events contain this text: a change of it needs a new engine version. */
const methodOf = (coverage: number | null, hasShape: boolean): string =>
  'largest slice, 8-hour mean and day mean of residuals in robust tolerances, and the means against the days ' +
  'before, on left-out blocks' +
  (hasShape ? ', and the distance of the shape to its nearest days' : '') +
  (coverage === null ? ', limited by their median and 99 % quantile' : ', at a common conformal rank');
