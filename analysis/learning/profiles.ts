import type { PreparedReference, ScaledProfile } from './prepare.js';
import { flatRows, weightedRows, weightedSum, type FlatRows, type WeightedRows } from '../math/flatRows.js';
import { oncePer } from '../math/oncePer.js';
import { groupMedians } from './sliceMedians.js';
import { chooseSimilar, type SimilarityWeights } from './similarityWeights.js';
import type { EngineRules } from '../engine.js';

/**
 * Mean of the reference days by their similarity weights, slice by slice.
 * @param factors factor on the weight of each day, 0 (excluded) to 1
 * @param mean    is overwritten, for callers that need many means one after the other
 * @returns       NaN in slices without a usable value
 */
export const similarMean = (
  { profiles, slices, isComplete }: PreparedReference,
  similar: SimilarityWeights,
  factors: Float64Array,
  mean: ScaledProfile = new Float64Array(slices),
): ScaledProfile => {
  const { flat, chosen } = averagingOf(profiles);
  const { weights, count } = chooseSimilar(similar, factors, chosen);
  if (!isComplete) return meanOfUsable(profiles, chosen, mean);
  let total = 0;
  for (let at = 0; at < count; at += 1) total += weights[at]!;
  weightedSum(flat, chosen, mean);
  for (let slice = 0; slice < slices; slice += 1) mean[slice] = total > 0 ? mean[slice]! / total : Number.NaN;
  return mean;
};

/** Profiles in one array, and a buffer for the days of a mean. */
type Averaging = { readonly flat: FlatRows; readonly chosen: WeightedRows };

/** One for many means of the same profiles. */
const averagingOf = oncePer((profiles: readonly ScaledProfile[]): Averaging => ({
  flat: flatRows(profiles),
  chosen: weightedRows(profiles.length),
}));

/** Weighted mean of the profiles that have a value, slice by slice. */
const meanOfUsable = (
  profiles: readonly ScaledProfile[],
  { indices, weights, count }: WeightedRows,
  mean: ScaledProfile,
): ScaledProfile => {
  mean.fill(0);
  const totals = new Float64Array(mean.length);
  for (let at = 0; at < count; at += 1) {
    const profile = profiles[indices[at]!]!;
    const weight = weights[at]!;
    for (let slice = 0; slice < mean.length; slice += 1) {
      const value = profile[slice]!;
      if (value !== value) continue;
      mean[slice]! += weight * value;
      totals[slice]! += weight;
    }
  }
  for (let slice = 0; slice < mean.length; slice += 1)
    mean[slice] = totals[slice]! > 0 ? mean[slice]! / totals[slice]! : Number.NaN;
  return mean;
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

/** Slices between two comparisons of a distance with its limit. */
const slicesPerLook = 24;

/** `scaledDistance`, or Infinity as soon as it cannot be below `most`. */
const distanceBelow = (a: ScaledProfile, b: ScaledProfile, most: number): number => {
  const enough = most * a.length;
  let total = 0;
  let count = 0;
  for (let slice = 0; slice < a.length;) {
    const end = Math.min(a.length, slice + slicesPerLook);
    for (; slice < end; slice += 1) {
      const difference = a[slice]! - b[slice]!;
      if (difference !== difference) continue;
      total += difference * difference;
      count += 1;
    }
    // The mean over fewer slices is not smaller.
    if (total > enough) return Number.POSITIVE_INFINITY;
  }
  return count > 0 ? total / count : Number.POSITIVE_INFINITY;
};

/** Index of the profile nearest to a day; ties go to the smaller index. */
export const nearestProfile = (day: ScaledProfile, profiles: readonly ScaledProfile[]): number => {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let model = 0; model < profiles.length; model += 1) {
    const distance = distanceBelow(day, profiles[model]!, least);
    if (distance < least) [best, least] = [model, distance];
  }
  return best;
};

/** Median of all included days. A slice without a usable value takes that of the nearest slice that has one. */
export const commonProfile = (
  { profiles, slices }: PreparedReference,
  included: readonly boolean[],
): ScaledProfile => {
  const groups = included.map(isIncluded => (isIncluded ? 0 : -1));
  const none = new Float64Array(slices).fill(Number.NaN);
  const known = groupMedians(profiles, groups, [none])[0] ?? none;
  return known.map((value, slice) => {
    if (value === value) return value;
    for (let distance = 1; distance < slices; distance += 1)
      for (const near of [known[slice - distance], known[slice + distance]])
        if (near !== undefined && near === near) return near;
    return 0;
  });
};

/** Number of rounds: in the second one, similar days are complete. */
const rounds = 2;

/** A reference whose profiles have no gaps; the same reference when it has none, or by the rules of older engines. */
export const withoutGaps = (
  prepared: PreparedReference,
  { completesGaps }: Pick<EngineRules, 'completesGaps'>,
): PreparedReference =>
  prepared.isComplete || !completesGaps
    ? prepared
    : { ...prepared, profiles: completedProfiles(prepared), isComplete: true };

/**
 * Profiles of reference days without gaps. A slice without a usable value takes the mean of similar days, moved by the
 * line between the residuals of the slices around the gap; so a day that is high stays high. Only profiles are learned
 * from these values: tolerances, limits and losses use observed slices alone.
 * @param prepared a reference whose profiles have gaps
 */
const completedProfiles = (prepared: PreparedReference): ScaledProfile[] => {
  const { days } = prepared;
  const common = commonProfile(
    prepared,
    days.map(() => true),
  );
  const factors = new Float64Array(days.length).fill(1);
  let profiles = prepared.profiles.map(profile => profile);
  for (let round = 0; round < rounds; round += 1) {
    const known = { ...prepared, profiles, isComplete: round > 0 };
    profiles = days.map(({ scaled, usable }, index) => {
      if (!usable.includes(false)) return scaled;
      factors[index] = 0;
      const expected = similarMean(known, prepared.weights[index]!, factors).map((value, slice) =>
        value === value ? value : common[slice]!,
      );
      factors[index] = 1;
      return completed(scaled, expected);
    });
  }
  return profiles;
};

/** A profile whose gaps have the expected values plus the line between the residuals at their ends. */
const completed = (scaled: ScaledProfile, expected: ScaledProfile): ScaledProfile => {
  const filled = Float64Array.from(scaled);
  for (let from = 0; from < filled.length;) {
    if (scaled[from] === scaled[from]) {
      from += 1;
      continue;
    }
    let to = from;
    while (to < filled.length && scaled[to] !== scaled[to]) to += 1;
    const left = from > 0 ? scaled[from - 1]! - expected[from - 1]! : null;
    const right = to < filled.length ? scaled[to]! - expected[to]! : null;
    const first = left ?? right ?? 0;
    const last = right ?? left ?? 0;
    for (let slice = from; slice < to; slice += 1)
      filled[slice] = expected[slice]! + first + ((last - first) * (slice - from + 1)) / (to - from + 1);
    from = to;
  }
  return filled;
};
