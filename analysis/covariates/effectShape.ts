import { fromScale, toScale, type LogScale } from '../math/logScale.js';
import type { Limits, Model } from '../../domain/planning/models.js';

/** Scales from this offset on are practically straight: factors have no meaning there. */
const straightOffset = 1;

/**
 * Share of an effect that each slice of a profile takes. On a scale where a change by a factor is a shift, it is the
 * derivative by the logarithm of the value: a slice at 0 stays at 0. On a straight scale every slice takes all of it.
 * @param profile values on the log scale
 */
export const effectShape = (scale: LogScale, profile: Float64Array): Float64Array =>
  profile.map(y => {
    if (scale.offset >= straightOffset) return 1;
    const multiples = Math.max(0, fromScale(scale, y)) / scale.unit;
    return multiples / (multiples + scale.offset);
  });

/** Effect that explains residuals best: their projection on the shape of an effect. NaN slices do not count. */
export const levelOf = (shape: Float64Array, residuals: Float64Array): number => {
  let product = 0;
  let size = 0;
  residuals.forEach((residual, slice) => {
    if (residual !== residual) return;
    product += shape[slice]! * residual;
    size += shape[slice]! * shape[slice]!;
  });
  return size > 0 ? product / size : 0;
};

/** A profile moved by an effect; the same object without one. */
export const movedProfile = (scale: LogScale, profile: Float64Array, effect: number): Float64Array => {
  if (effect === 0) return profile;
  const shape = effectShape(scale, profile);
  return profile.map((y, slice) => y + effect * shape[slice]!);
};

/** An automatic model with its profile and bounds moved by an effect; the same object without one. */
export const movedModel = (model: Model & { readonly limits?: Limits }, effect: number): Model => {
  const { limits, activity } = model;
  if (!limits || effect === 0) return model;
  const profile = Float64Array.from(activity, value => toScale(limits, value));
  const shape = effectShape(limits, profile);
  const moved = (values: readonly number[]): number[] =>
    values.map((value, slice) => fromScale(limits, toScale(limits, value) + effect * shape[slice]!));
  return {
    ...model,
    activity: moved(activity),
    topTolerance: moved(model.topTolerance),
    bottomTolerance: moved(model.bottomTolerance),
  };
};
