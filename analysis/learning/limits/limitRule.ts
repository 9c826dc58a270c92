import type { BrokenLimit } from '../../../domain/alerts/findings.js';
import type { ScoreLimits } from '../../checking/scores.js';
import { sortedQuantile } from '../../math/statistics.js';
import type { CalibrationDay } from './calibrationDays.js';

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

/** Calls `limit` for each of the five limits. */
export const eachLimit = (limit: (kind: BrokenLimit) => number): ScoreLimits => ({
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
export const limitsByRule = (
  days: readonly CalibrationDay[],
  yearShare: number,
  factor: number,
): ScoreLimits => {
  const widening = factor * (1 + rule.partialYearWidening * (1 - yearShare));
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
