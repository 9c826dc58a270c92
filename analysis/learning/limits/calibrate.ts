import { presentRules, type EngineRules } from '../../engine.js';
import type { BoundsFacts } from '../../../domain/planning/models.js';
import { jointScore, type ScoreLimits } from '../../checking/scores.js';
import { alertGuarantee } from '../../checking/adaptiveFactor.js';
import { calibrationDays } from './calibrationDays.js';
import type { CrossFittedDay } from '../crossFitting.js';
import { expectedAlertsPerYear } from './expectedAlerts.js';
import { eachLimit, limitsByRule } from './limitRule.js';
import { minimumDetectableChange } from './minimumDetectableChange.js';
import type { PreparedReference } from '../prepare.js';

/** Limits, the joint scores that a day's own can be compared with, and the measured quality of the limits. */
export type Calibration = {
  readonly limits: ScoreLimits;
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
  const byDate = calibration.map(({ index, scores, change }) => ({
    date: days[index]!.date,
    joint: jointScore(scores, change, byRule),
  }));
  const joint = Float64Array.from(byDate, ({ joint }) => joint).sort();
  const count = joint.length;
  const rank = (share: number): number => Math.min(count, Math.ceil((count + 1) * share - 1e-9));
  const guard = coverage === null && rules.guard ? guardOf(joint) : null;
  const factor = coverage === null ? (guard?.factor ?? 1) : Math.max(1e-3, joint[rank(coverage) - 1]!);
  const limits = eachLimit(kind => byRule[kind] * factor);
  const inside = joint.filter(score => score <= factor).length;
  const measured = inside / (count + 1);
  const adapts = rules.adaptive && coverage === null;
  const falseAlerts =
    adapts && rules.calibratedAlerts
      ? expectedAlertsPerYear(byDate.map(({ date, joint }) => ({ date, joint: joint / factor })))
      : 365 * (1 - measured);
  return {
    limits,
    scores: Array.from(joint, score => Math.round((score / factor) * 1e4) / 1e4),
    bounds: {
      method: methodOf(coverage),
      targetCoverage: coverage,
      guaranteedCoverage: null,
      calibrationDays: count,
      measuredCoverage: measured,
      falseAlertsPerYear: Math.round(falseAlerts * 10) / 10,
      ...(guard && { guard }),
      ...(adapts && { guarantee: alertGuarantee }),
      minimumDetectableChange: minimumDetectableChange(prepared, calibration, limits),
    },
  };
};

/** Smallest measured coverage for default limits, for many calibration days and for few. */
const guardCoverage = { manyDays: 150, many: 0.9, few: 0.8 } as const;

/** Rank of the joint score that the guard puts on the limit. */
const guardRank = 0.975;

/**
 * Guard: when too few calibration days are inside the default limits, the days of the reference vary too much, and all
 * limits are multiplied by the joint score of rank ⌈0.975 (n + 1)⌉.
 * @param joint joint scores of the n calibration days, ascending
 * @returns     the coverage before and the factor; null when the limits need no widening
 */
const guardOf = (joint: Float64Array): { readonly coverage: number; readonly factor: number } | null => {
  const count = joint.length;
  const coverage = joint.filter(score => score <= 1).length / (count + 1);
  const least = count >= guardCoverage.manyDays ? guardCoverage.many : guardCoverage.few;
  if (coverage >= least) return null;
  const factor = joint[Math.min(count, Math.ceil((count + 1) * guardRank - 1e-9)) - 1]!;
  return factor > 1 ? { coverage, factor } : null;
};

/** The method in words. Events contain this text: a change of it needs a new engine version. */
const methodOf = (coverage: number | null): string =>
  'largest slice, 8-hour mean and day mean of residuals in robust tolerances, and the means against the days ' +
  'before, on left-out blocks' +
  (coverage === null ? ', limited by their median and 99 % quantile' : ', at a common conformal rank');
