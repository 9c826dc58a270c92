/** Similarity weights of the reference days for one date: indices and weights > 0, in order of date. */
export type SimilarityWeights = {
  /** Days with more than one ten-thousandth of the largest weight. */
  readonly near: readonly number[];
  readonly nearWeights: Float64Array;
  /** Weights of all days, for dates whose near days are all excluded. */
  readonly all: Float64Array;
};

/** Days below this share of the largest weight are used only when no near day is included. */
const nearShareMin = 1e-4;

/**
 * Similarity weights of the reference days for a date.
 * @param count    number of reference days
 * @param weightOf weight of a reference day for the date, ≥ 0 (domain/similarity.ts)
 */
export const similarityWeights = (count: number, weightOf: (index: number) => number): SimilarityWeights => {
  const all = new Float64Array(count);
  let most = 0;
  for (let index = 0; index < count; index += 1) {
    all[index] = weightOf(index);
    most = Math.max(most, all[index]!);
  }
  const least = most * nearShareMin;
  const near: number[] = [];
  for (let index = 0; index < count; index += 1) if (all[index]! > least) near.push(index);
  return { near, nearWeights: Float64Array.from(near, index => all[index]!), all };
};

/**
 * Calls `visit` for each near day that is included, or for all included days when no near day is.
 * @param included factor on the weight of each day, 0 (excluded) to 1
 */
export const forEachSimilar = (
  { near, nearWeights, all }: SimilarityWeights,
  included: (index: number) => number,
  visit: (index: number, weight: number) => void,
): void => {
  let any = false;
  for (let at = 0; at < near.length; at += 1) {
    const index = near[at]!;
    const weight = nearWeights[at]! * included(index);
    if (weight === 0) continue;
    any = true;
    visit(index, weight);
  }
  if (any) return;
  for (let index = 0; index < all.length; index += 1) {
    const weight = all[index]! * included(index);
    if (weight > 0) visit(index, weight);
  }
};
