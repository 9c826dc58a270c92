import type { Day } from '../../domain/day.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { EngineRules } from '../engine.js';
import { levelShift, changeFrom, baselineOf, type ComparedRecentDay } from './recentLevel.js';
import {
  residualsOf,
  scaledModelOf,
  type ScaledModel,
  jointScore,
  limitUse,
  normalise,
  ownScoreShareMin,
  scoresOf,
  type ScoreLimits,
  type Scores,
} from './scores.js';

/** A level shift counts when its slice score alone uses this share of the slice limit, in a season that was seen. */
const shiftUseMin = 0.3;

/** `unseen` of a season from which every level shift counts: 20 of 90 days (domain/planning/planning.ts). */
const unseenMax = 20 / 90;

/** A day compared with its planned model: residuals, scores, and the use of each limit. */
export type DayScores = {
  readonly model: ScaledModel;
  readonly residuals: Float64Array;
  /** Residuals divided by the distances to the bounds. */
  readonly normalised: Float64Array;
  readonly scores: Scores;
  /** Recent baseline, and scores of the change from it; null when they are not needed or not known. */
  readonly baseline: Float64Array | null;
  readonly change: Scores | null;
  /** Limits after widening, and the use of each. */
  readonly limits: ScoreLimits;
  readonly use: ScoreLimits;
};

/** Limits of a model on the scores. @param widening factor on all limits, ≥ 1 */
export const widened = ({ window, day, windowChange, dayChange }: Limits, widening: number): ScoreLimits => ({
  slice: widening,
  window: window * widening,
  day: day * widening,
  windowChange: (windowChange ?? Number.POSITIVE_INFINITY) * widening,
  dayChange: (dayChange ?? Number.POSITIVE_INFINITY) * widening,
});

/**
 * Scores of the slices of a day that have elapsed. Only slices and windows that have elapsed whole count, so each score
 * of the whole day has at least the magnitude of this one.
 */
const scoresSoFar = (normalised: Float64Array, windowHours: number, elapsed: number): Scores => ({
  ...scoresOf(normalised, windowHours, elapsed),
  day: 0,
});

/**
 * Compares a day with its planned model.
 * @param widening factor on all limits, ≥ 1, and the number of elapsed slices of a date in progress
 * @param recent   reads the recent days; called only when they can change the result
 */
export const dayScores = (
  day: Day,
  planned: { readonly model: Model; readonly limits: Limits },
  { widening, elapsed }: { readonly widening: number; readonly elapsed: number | undefined },
  recent: () => readonly ComparedRecentDay[],
): DayScores => {
  const limits = widened(planned.limits, widening);
  const model = scaledModelOf(planned.model, planned.limits);
  const residuals = residualsOf(day, planned.model, planned.limits);
  const normalised = normalise(residuals, model);
  const { windowHours } = planned.limits;
  if (elapsed !== undefined) {
    const scores = scoresSoFar(normalised, windowHours, elapsed);
    const use = { ...limitUse(scores, null, limits), day: 0 };
    return { model, residuals, normalised, scores, baseline: null, change: null, limits, use };
  }
  const scores = scoresOf(normalised, windowHours);
  // Below this score a day can break no limit on changes, independent of the recent days.
  const baseline = jointScore(scores, null, limits) < ownScoreShareMin ? null : baselineOf(recent());
  const change = baseline && scoresOf(changeFrom(baseline, normalised), windowHours);
  const use = limitUse(scores, change, limits);
  return { model, residuals, normalised, scores, baseline, change, limits, use };
};

/**
 * Whether a level shift of the recent days explains a day: after the shift is subtracted, it breaks no limit. A shift
 * that explains the elapsed slices of a day may not explain the whole day.
 */
export const isDrift = (
  { model, residuals, limits, use }: DayScores,
  recent: readonly ComparedRecentDay[],
  plan: DayPlan,
  {
    windowHours,
    driftInterval,
    elapsed,
  }: Pick<Limits, 'windowHours'> &
    Pick<EngineRules, 'driftInterval'> & { readonly elapsed: number | undefined },
): boolean => {
  if (use.windowChange > 1 || use.dayChange > 1) return false;
  const sameKind = recent.flatMap(({ sameKind, residuals }) => (sameKind ? [residuals] : []));
  const shift = levelShift(sameKind, plan.working);
  if (!shift) return false;
  const useMin = shiftUseMin * (1 - Math.min(1, plan.unseen / unseenMax));
  const scoresAt = (residuals: Float64Array): Scores => scoresOf(normalise(residuals, model), windowHours);
  const unshifted = new Float64Array(residuals.length);
  for (let slice = 0; slice < residuals.length; slice += 1) {
    const residual = residuals[slice]!;
    unshifted[slice] = residual - (driftInterval ? between(residual, shift[slice]!) : shift[slice]!);
  }
  if (Math.abs(scoresAt(shift).slice) / limits.slice < useMin) return false;
  const scores =
    elapsed === undefined
      ? scoresAt(unshifted)
      : scoresSoFar(normalise(unshifted, model), windowHours, elapsed);
  return jointScore(scores, null, limits) <= 1;
};

/** The value nearest to a residual between 0 and a level shift; NaN stays NaN. */
const between = (residual: number, shift: number): number =>
  Math.max(Math.min(0, shift), Math.min(Math.max(0, shift), residual));
