import type { Model } from '../../domain/planning/models.js';
import { toleranceMin } from '../learning/tolerances.js';
import { oncePer } from '../math/oncePer.js';
import { fromScale, toScale } from '../math/portableMath.js';
import type { Comparison } from './comparison.js';

/** A model whose bounds on its profile are moved away by the smallest tolerance; the same object without such ones. */
const heldApart = (model: Model): Model => {
  const { activity, limits } = model;
  if (!limits) return model;
  const held = (bounds: readonly number[], sign: 1 | -1): readonly number[] => {
    if (!bounds.some((bound, slice) => bound === activity[slice])) return bounds;
    return bounds.map((bound, slice) =>
      bound === activity[slice]
        ? fromScale(limits, toScale(limits, bound) + sign * toleranceMin(limits))
        : bound,
    );
  };
  const [topTolerance, bottomTolerance] = [held(model.topTolerance, 1), held(model.bottomTolerance, -1)];
  return topTolerance === model.topTolerance && bottomTolerance === model.bottomTolerance
    ? model
    : { ...model, topTolerance, bottomTolerance };
};

/**
 * A comparison without bounds on a profile, as a person may set them for hours that are closed: a value over a distance
 * of 0 has no finite residual.
 */
export const withHeldBounds = oncePer((comparison: Comparison): Comparison => {
  if (!comparison.rules.holdsBoundsApart) return comparison;
  const models = comparison.models.map(heldApart);
  return models.every((model, place) => model === comparison.models[place])
    ? comparison
    : { ...comparison, models };
});
