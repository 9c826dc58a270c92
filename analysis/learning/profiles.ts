import { sortedQuantile } from '../math/statistics.js';
import type { PreparedReference, ScaledProfile } from './prepare.js';
import { forEachSimilar, type SimilarityWeights } from './similarityWeights.js';

/**
 * Mean of the reference days by their similarity weights, slice by slice.
 * @param included factor on the weight of each day, 0 (excluded) to 1
 * @returns        NaN in slices without a usable value
 */
export const similarMean = (
  { days, slices }: PreparedReference,
  similar: SimilarityWeights,
  included: (index: number) => number,
): ScaledProfile => {
  const sums = new Float64Array(slices);
  const weights = new Float64Array(slices);
  forEachSimilar(similar, included, (index, weight) => {
    const { scaled } = days[index]!;
    for (let slice = 0; slice < slices; slice += 1) {
      const value = scaled[slice]!;
      if (value !== value) continue;
      sums[slice]! += weight * value;
      weights[slice]! += weight;
    }
  });
  return sums.map((sum, slice) => (weights[slice]! > 0 ? sum / weights[slice]! : Number.NaN));
};

/** Mean squared difference over the slices that both profiles have; Infinity when there are none. */
export const scaledDistance = (a: ScaledProfile, b: ScaledProfile): number => {
  let total = 0;
  let count = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const difference = a[slice]! - b[slice]!;
    if (difference !== difference) continue;
    total += difference * difference;
    count += 1;
  }
  return count > 0 ? total / count : Number.POSITIVE_INFINITY;
};

/** Index of the profile nearest to a day; ties go to the smaller index. */
export const nearestProfile = (day: ScaledProfile, profiles: readonly ScaledProfile[]): number => {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  profiles.forEach((profile, model) => {
    const distance = scaledDistance(day, profile);
    if (distance < least) [best, least] = [model, distance];
  });
  return best;
};

/** Median of some days, slice by slice; the value of `fallback` in slices without a usable value. */
export const medianProfile = (days: readonly ScaledProfile[], fallback: ScaledProfile): ScaledProfile =>
  fallback.map((value, slice) => {
    const values = days.map(day => day[slice]!).filter(present => present === present);
    return values.length > 0 ? sortedQuantile(Float64Array.from(values).sort(), 0.5) : value;
  });

/** Median of all included days. A slice without a usable value takes that of the nearest slice that has one. */
export const commonProfile = (
  { days, slices }: PreparedReference,
  included: readonly boolean[],
): ScaledProfile => {
  const known = medianProfile(
    days.filter((_, index) => included[index]).map(day => day.scaled),
    new Float64Array(slices).fill(Number.NaN),
  );
  return known.map((value, slice) => {
    if (value === value) return value;
    for (let distance = 1; distance < slices; distance += 1)
      for (const near of [known[slice - distance], known[slice + distance]])
        if (near !== undefined && near === near) return near;
    return 0;
  });
};
