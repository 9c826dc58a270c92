import { usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { normalise } from './scores.js';
import { lastPer } from '../math/oncePer.js';
import { toScale, type LogScale } from '../math/portableMath.js';

/** A model on the log scale: its profile, and the distances from the profile to the upper and lower bounds. */
export type ScaledModel = {
  readonly profile: Float64Array;
  readonly up: Float64Array;
  readonly down: Float64Array;
};

const isSameScale = (a: LogScale, b: LogScale): boolean => a.unit === b.unit && a.offset === b.offset;

/** A model on the log scale of its limits. A check compares many days with few models, so each is scaled once. */
export const scaledModelOf = lastPer((model: Model, scale: LogScale): ScaledModel => {
  const profile = Float64Array.from(model.activity, value => toScale(scale, value));
  const distances = (bounds: readonly number[]): Float64Array =>
    Float64Array.from(bounds, (value, slice) => Math.abs(toScale(scale, value) - profile[slice]!));
  return { profile, up: distances(model.topTolerance), down: distances(model.bottomTolerance) };
}, isSameScale);

/**
 * Residuals of a day in multiples of the distances from the profile to the bounds of a model; not to be changed. A day
 * is the recent day of a fortnight of days.
 */
export const normalisedBy: (residuals: Float64Array, model: ScaledModel) => Float64Array = lastPer(normalise);

/** A day on the log scale; NaN in slices that are not usable; not to be changed. Models of a source have one scale. */
export const scaledDay = lastPer((day: Day, scale: LogScale): Float64Array => {
  const flags = usable(day);
  const scaled = new Float64Array(day.activity.length);
  for (let slice = 0; slice < scaled.length; slice += 1)
    scaled[slice] = flags[slice] ? toScale(scale, day.activity[slice]!) : Number.NaN;
  return scaled;
}, isSameScale);

/**
 * Residuals of a day against a model on the log scale; NaN in slices that are not usable; not to be changed. A day is
 * read again for each of the 28 days after it.
 */
export const residualsOf = lastPer((day: Day, model: Model, scale: LogScale): Float64Array => {
  const { profile } = scaledModelOf(model, scale);
  const scaled = scaledDay(day, scale);
  return scaled.map((value, slice) => value - profile[slice]!);
});
