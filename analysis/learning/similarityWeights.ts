import type { WeightedRows } from '../math/flatRows.js';

/** Similarity weights of the reference days for one date: indices and weights > 0, in order of date. */
export type SimilarityWeights = {
  /** Days with more than one ten-thousandth of the largest weight. */
  readonly near: Int32Array;
  readonly nearWeights: Float64Array;
  /** Weights of all days, for dates whose near days are all excluded. */
  readonly all: Float64Array;
};

/** Days below this share of the largest weight are used only when no near day is included. */
const nearShareMin = 1e-4;

/**
 * Similarity weights of the reference days for a date.
 * @param count    number of reference days
 * @param weightOf weight of a reference day for the date, ≥ 0 (domain/planning/similarity.ts)
 */
export const similarityWeights = (count: number, weightOf: (index: number) => number): SimilarityWeights => {
  const all = new Float64Array(count);
  let most = 0;
  for (let index = 0; index < count; index += 1) {
    all[index] = weightOf(index);
    most = Math.max(most, all[index]!);
  }
  const least = most * nearShareMin;
  let nearCount = 0;
  for (let index = 0; index < count; index += 1) if (all[index]! > least) nearCount += 1;
  const near = new Int32Array(nearCount);
  const nearWeights = new Float64Array(nearCount);
  for (let index = 0, at = 0; at < nearCount; index += 1) {
    near[at] = index;
    nearWeights[at] = all[index]!;
    if (all[index]! > least) at += 1;
  }
  return { near, nearWeights, all };
};

/** Whether two choices of days agree on the near days of a date: all have the same factors, and one is chosen. */
export const hasSameSimilar = (
  { near }: SimilarityWeights,
  one: Float64Array,
  other: Float64Array,
): boolean => {
  let isIn = false;
  for (let at = 0; at < near.length; at += 1) {
    const index = near[at]!;
    if (one[index] !== other[index]) return false;
    if (one[index]! > 0) isIn = true;
  }
  return isIn;
};

/**
 * Writes each near day that is included, with its weight, or all included days when no near day is.
 * @param factors factor on the weight of each day, 0 (excluded) to 1
 * @param chosen  is overwritten; as long as the reference
 */
export const chooseSimilar = (
  { near, nearWeights, all }: SimilarityWeights,
  factors: Float64Array,
  chosen: WeightedRows,
): WeightedRows => {
  const { indices, weights } = chosen;
  let count = 0;
  for (let at = 0; at < near.length; at += 1) {
    const index = near[at]!;
    const weight = nearWeights[at]! * factors[index]!;
    indices[count] = index;
    weights[count] = weight;
    if (weight > 0) count += 1;
  }
  const hasNear = count > 0;
  for (let index = 0; index < all.length && !hasNear; index += 1) {
    const weight = all[index]! * factors[index]!;
    indices[count] = index;
    weights[count] = weight;
    if (weight > 0) count += 1;
  }
  chosen.count = count;
  return chosen;
};
