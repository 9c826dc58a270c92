import { usable, type Day } from '../../domain/day.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import { normalise } from './scores.js';
import { toScale } from '../math/portableMath.js';

/** A model on the log scale: its profile, and the distances from the profile to the upper and lower bounds. */
export type ScaledModel = {
  readonly profile: Float64Array;
  readonly up: Float64Array;
  readonly down: Float64Array;
};

/** A check compares many days with few models, so each model is scaled once. */
const scaledModels = new WeakMap<Model, ScaledModel>();

/** A model on the log scale of its limits. */
export const scaledModelOf = (model: Model, limits: Limits): ScaledModel => {
  const known = scaledModels.get(model);
  if (known) return known;
  const profile = Float64Array.from(model.activity, value => toScale(limits, value));
  const distances = (bounds: readonly number[]): Float64Array =>
    Float64Array.from(bounds, (value, slice) => Math.abs(toScale(limits, value) - profile[slice]!));
  const scaled = { profile, up: distances(model.topTolerance), down: distances(model.bottomTolerance) };
  scaledModels.set(model, scaled);
  return scaled;
};

/** Residuals of each day against one model: a day is read again for each of the 28 days after it. */
const keptResiduals = new WeakMap<Day, { readonly model: Model; readonly residuals: Float64Array }>();

/** Normalised residuals by residuals: a day is the recent day of a fortnight of days. */
const keptNormalised = new WeakMap<
  Float64Array,
  { readonly model: ScaledModel; readonly normalised: Float64Array }
>();

/** Residuals of a day in multiples of the distances from the profile to the bounds of a model; not to be changed. */
export const normalisedBy = (residuals: Float64Array, model: ScaledModel): Float64Array => {
  const known = keptNormalised.get(residuals);
  if (known?.model === model) return known.normalised;
  const normalised = normalise(residuals, model);
  keptNormalised.set(residuals, { model, normalised });
  return normalised;
};

/** Days on the log scale: all models of a source have one scale, and a finding compares a day with each of them. */
const keptScaled = new WeakMap<Day, { readonly limits: Limits; readonly scaled: Float64Array }>();

/** A day on the log scale; NaN in slices that are not usable; not to be changed. */
export const scaledDay = (day: Day, limits: Limits): Float64Array => {
  const known = keptScaled.get(day);
  if (known?.limits.unit === limits.unit && known.limits.offset === limits.offset) return known.scaled;
  const flags = usable(day);
  const scaled = new Float64Array(day.activity.length);
  for (let slice = 0; slice < scaled.length; slice += 1)
    scaled[slice] = flags[slice] ? toScale(limits, day.activity[slice]!) : Number.NaN;
  keptScaled.set(day, { limits, scaled });
  return scaled;
};

/** Residuals of a day against a model on the log scale; NaN in slices that are not usable. */
export const residualsOf = (day: Day, model: Model, limits: Limits): Float64Array => {
  const known = keptResiduals.get(day);
  if (known?.model === model) return known.residuals;
  const { profile } = scaledModelOf(model, limits);
  const scaled = scaledDay(day, limits);
  const residuals = new Float64Array(scaled.length);
  for (let slice = 0; slice < residuals.length; slice += 1)
    residuals[slice] = scaled[slice]! - profile[slice]!;
  keptResiduals.set(day, { model, residuals });
  return residuals;
};
