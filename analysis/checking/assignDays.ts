import { usable, type Day } from '../../domain/day.js';
import type { ModelDraft, TypicalDays, Model } from '../../domain/planning/models.js';
import type { Finding } from '../../domain/alerts/findings.js';
import { widened } from './dayScores.js';
import { residualsOf, scaledModelOf, jointScore, normalise, scoresOf } from './scores.js';

/**
 * Assigns each reference day to its nearest model, for models that people supplied. The distance is the sum of squared
 * differences over the usable slices; ties go to the smaller index. Models of anomalies are never planned, so they get
 * no days. Days without a usable slice are omitted.
 * @param days   reference days of one length, in any order
 * @param models models of that length, in the unit of the source
 * @returns      by date, with model indices; empty when all models are anomalies
 * @throws RangeError when a day and a model differ in length
 */
export const assignDays = (
  days: readonly Day[],
  models: readonly Pick<ModelDraft, 'anomaly' | 'activity'>[],
): TypicalDays['assignments'] => {
  const plannable = models.flatMap(({ anomaly, activity }, index) => (anomaly ? [] : { index, activity }));
  if (plannable.length === 0) return [];
  return [...days]
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .flatMap(day => {
      const flags = usable(day);
      if (!flags.includes(true)) return [];
      let nearest = -1;
      let least = Number.POSITIVE_INFINITY;
      for (const { index, activity } of plannable) {
        const distance = usableDistance(day.activity, activity, flags);
        // The first model is taken even when squares overflow to Infinity, so that every day gets a model.
        if (distance < least || nearest < 0) {
          nearest = index;
          least = distance;
        }
      }
      return { date: day.date, model: nearest };
    });
};

/**
 * Sum of squared differences over the flagged slices. All models are compared with a day over the same slices, so that
 * sums give the same order as means.
 * @throws RangeError when the lengths differ
 */
export const usableDistance = (
  values: readonly number[],
  profile: readonly number[],
  flags: readonly boolean[],
): number => {
  if (profile.length !== values.length)
    throw new RangeError(`got a model of ${profile.length} values, expected ${values.length} as the day has`);
  let total = 0;
  for (let slice = 0; slice < values.length; slice += 1) {
    if (!flags[slice]) continue;
    const difference = values[slice]! - profile[slice]!;
    total += difference * difference;
  }
  return total;
};

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
    const value = activity[slice]!;
    if (flags[slice] && (value > top[slice]! || value < bottom[slice]!)) return false;
  }
  return true;
};
