import type { PreparedReference, ScaledProfile } from './prepare.js';
import { nearestProfile, scaledDistance } from './profiles.js';
import { guessedProfiles, nearestProfiles, type NearestProfiles } from './nearestProfiles.js';
import type { SimilarityWeights } from './similarityWeights.js';
import { groupMedians } from './sliceMedians.js';
import type { SmoothedDays } from './clustering/smoothedDays.js';

/** Typical days on the log scale, and the reference days that follow them. */
export type Learned = {
  readonly profiles: readonly ScaledProfile[];
  /** For each reference day, the model predicted from similar dates; null for days that were not learned from. */
  readonly expected: readonly (number | null)[];
  /** The model planned for a date, by its similarity weights. */
  readonly plan: (similar: SimilarityWeights) => number;
  /**
   * Effect of covariates on the expectation of a reference day, by its index and a model; absent without covariates.
   */
  readonly effect?: (day: number, model: number) => number;
};

/** Number of times that profiles and assignments are updated. */
const rounds = 3;

/**
 * Learns typical days that the calendar can predict. Clusters are formed of smoothed days, so that outliers create no
 * cluster. The profile of a model is the median of the days that are planned to follow it; profiles and planning are
 * updated in three rounds.
 * @param smoothed the days to learn from
 * @param clusters the cluster of each of those days: clustersOf
 */
export const learn = (
  { days, profiles: dayProfiles, slices }: PreparedReference,
  { indices, rows }: SmoothedDays,
  clusters: readonly number[],
): Learned => {
  const count = clusters.reduce((most, label) => Math.max(most, label), 0) + 1;
  const first = rows[0] ?? new Float64Array(slices);
  let profiles = groupMedians(
    rows,
    clusters,
    Array.from({ length: count }, () => first),
  );
  const groups = new Int8Array(days.length).fill(-1);
  let labels: Int32Array = Int32Array.from(clusters);
  let nearest = guessedProfiles(profiles, clusters);
  for (let round = 0; round <= rounds; round += 1) {
    // The model nearest to the mean of similar days also has the least mean squared distance to those days.
    const before = labels;
    nearest = nearestProfiles(rows, profiles, nearest);
    labels = withoutEmpty(rows, nearest);
    if (round === rounds || (round > 0 && labels.every((label, at) => label === before[at]))) break;
    indices.forEach((index, at) => (groups[index] = labels[at]!));
    profiles = groupMedians(dayProfiles, groups, profiles);
  }
  const expected: (number | null)[] = days.map(() => null);
  indices.forEach((index, at) => (expected[index] = labels[at]!));
  return { profiles, expected, plan: planning(expected, count) };
};

/** For each reference day, the model nearest to it; null for days that were not learned from. */
export const nearestModels = (
  { days }: PreparedReference,
  { profiles, expected }: Learned,
): (number | null)[] =>
  days.map(({ scaled }, index) => (expected[index] === null ? null : nearestProfile(scaled, profiles)));

/** The nearest model of each row. A model that would get no row takes its nearest one, so that no model is lost. */
const withoutEmpty = (
  rows: readonly ScaledProfile[],
  { profiles, labels: nearest }: NearestProfiles,
): Int32Array => {
  const labels = nearest.slice();
  const counts = new Int32Array(profiles.length);
  for (let at = 0; at < labels.length; at += 1) counts[labels[at]!]! += 1;
  profiles.forEach((profile, model) => {
    if (counts[model]! > 0) return;
    let own = -1;
    let least = Number.POSITIVE_INFINITY;
    rows.forEach((row, at) => {
      const distance = counts[labels[at]!]! > 1 ? scaledDistance(row, profile) : Number.POSITIVE_INFINITY;
      if (distance < least) [own, least] = [at, distance];
    });
    if (own < 0) return;
    counts[labels[own]!]! -= 1;
    counts[model] = 1;
    labels[own] = model;
  });
  return labels;
};

/** Returns the model with the largest weight of similar days expected to follow it; ties go to the smaller index. */
const planning = (expected: readonly (number | null)[], count: number): Learned['plan'] => {
  // Days that were not learned from get one more label, which is never chosen.
  const labels = new Int32Array(expected.length);
  expected.forEach((model, index) => (labels[index] = model ?? count));
  const sums = new Float64Array(count + 1);
  return ({ near, nearWeights, all }) => {
    sums.fill(0);
    for (let at = 0; at < near.length; at += 1) sums[labels[near[at]!]!]! += nearWeights[at]!;
    const best = largestOf(sums, count);
    // Weights of near days are above 0.
    if (sums[best]! > 0) return best;
    for (let index = 0; index < all.length; index += 1) sums[labels[index]!]! += all[index]!;
    return largestOf(sums, count);
  };
};

/** Index of the largest of the first `count` values, the first of equals. */
const largestOf = (values: Float64Array, count: number): number => {
  let best = 0;
  for (let at = 1; at < count; at += 1) if (values[at]! > values[best]!) best = at;
  return best;
};
