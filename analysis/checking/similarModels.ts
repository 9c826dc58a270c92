import type { Finding } from '../../domain/alerts/findings.js';
import { usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { widened } from './dayScores.js';
import { usableDistance } from './assignDays.js';
import { residualsOf, scaledModelOf } from './residuals.js';
import { jointScore, normalise, scoresOf } from './scores.js';

/**
 * The model nearest to a day, and the nearest model other than the planned one that the day fits.
 * @param widening factor on the limits of automatic models, ≥ 1
 */
export const similarModels = (
  day: Day,
  models: readonly Model[],
  planned: Model,
  widening: number,
): Pick<Finding, 'closestModelId' | 'betterModelId' | 'looksLikeAnomaly'> => {
  const flags = usable(day);
  const byDistance = models
    .map(model => ({ model, distance: usableDistance(day.activity, model.activity, flags) }))
    .sort((a, b) => (a.distance === b.distance ? a.model.id - b.model.id : a.distance < b.distance ? -1 : 1))
    .map(({ model }) => model);
  return {
    closestModelId: byDistance[0]?.id ?? null,
    betterModelId:
      byDistance.find(model => model.id !== planned.id && fits(day, model, flags, widening))?.id ?? null,
    looksLikeAnomaly: byDistance[0]?.anomaly ?? false,
  };
};

const fits = (day: Day, model: Model, flags: readonly boolean[], widening: number): boolean => {
  const { limits } = model;
  if (!limits) return isWithinBounds(day, model, flags);
  const normalised = normalise(residualsOf(day, model, limits), scaledModelOf(model, limits));
  return jointScore(scoresOf(normalised, limits.windowHours), null, widened(limits, widening)) <= 1;
};

/** Whether all flagged slices of a day are within the bounds of a model. */
export const isWithinBounds = ({ activity }: Day, model: Model, flags: readonly boolean[]): boolean => {
  const { topTolerance: top, bottomTolerance: bottom } = model;
  for (let slice = 0; slice < activity.length; slice += 1) {
    const value = activity[slice] ?? 0;
    if (flags[slice] && (value > (top[slice] ?? value) || value < (bottom[slice] ?? value))) return false;
  }
  return true;
};
