import type { PreparedReference, ScaledProfile } from './prepare.js';
import { nearestProfile, scaledDistance } from './profiles.js';
import type { SimilarityWeights } from './similarityWeights.js';
import { groupMedians } from './sliceMedians.js';
import type { SmoothedDays } from './clustering/clusterRows.js';

/** Nearest profile of each row. `upper` bounds the root mean square distance to it, `lower` that to any other one. */
type NearestProfiles = {
  readonly profiles: readonly ScaledProfile[];
  readonly labels: Int32Array;
  readonly upper: Float64Array;
  readonly lower: Float64Array;
};

/** Labels as a guess of the nearest profiles: they are tried first, and their bounds exclude nothing. */
export const guessedProfiles = (
  profiles: readonly ScaledProfile[],
  labels: ArrayLike<number>,
): NearestProfiles => ({
  profiles,
  labels: Int32Array.from(labels),
  upper: new Float64Array(labels.length).fill(Number.POSITIVE_INFINITY),
  lower: new Float64Array(labels.length),
});

/** Slices between two comparisons of a distance with its limit, a multiple of four. */
const slicesPerLook = 24;

/** Bounds are compared with this relative margin, which is far above the rounding of a distance. */
const margin = 1e-9;

/**
 * The nearest profile of each row, the first of equals, as `nearestProfile`. A row keeps its label while no other
 * profile can be as near (Hamerly 2010); of the others, those far from its profile are skipped (Elkan 2003).
 * @param rows   without gaps, as the profiles
 * @param before for the same rows and the profiles before; its arrays are written again
 */
export const nearestProfiles = (
  rows: readonly ScaledProfile[],
  profiles: readonly ScaledProfile[],
  before: NearestProfiles,
): NearestProfiles => {
  moveBounds(before, profiles);
  const nearest = { ...before, profiles };
  const gaps = gapsBetween(profiles);
  for (let at = 0; at < rows.length; at += 1)
    if (!isNearest(nearest, gaps, at)) findNearest(rows, gaps, nearest, at);
  return nearest;
};

/** Whether the bounds of a row show that no other profile is as near as that of its label. */
const isNearest = (
  { profiles, labels, upper, lower }: NearestProfiles,
  gaps: Float64Array,
  at: number,
): boolean => {
  const nearest = gaps[labels[at]! * (profiles.length + 1)]!;
  return upper[at]! < Math.max(lower[at]!, nearest / 2) * (1 - margin);
};

/** Finds the nearest profile of a row; its bounds are written. */
const findNearest = (
  rows: readonly ScaledProfile[],
  gaps: Float64Array,
  nearest: NearestProfiles,
  at: number,
): void => {
  const { profiles, labels, upper, lower } = nearest;
  const row = rows[at]!;
  const before = labels[at]!;
  let least = squaredUpTo(row, profiles[before]!, Number.POSITIVE_INFINITY);
  const reach = Math.sqrt(least / row.length) * (1 + margin);
  upper[at] = reach;
  if (isNearest(nearest, gaps, at)) return;
  let label = before;
  let second = Number.POSITIVE_INFINITY;
  let skipped = Number.POSITIVE_INFINITY;
  for (let model = 0; model < profiles.length; model += 1) {
    if (model === before) continue;
    const gap = gaps[before * profiles.length + model]!;
    if (gap > 2 * reach) {
      skipped = Math.min(skipped, gap - reach);
      continue;
    }
    const squared = squaredUpTo(row, profiles[model]!, second);
    if (squared < least) {
      second = least;
      least = squared;
      label = model;
    } else if (squared < second) second = squared;
  }
  // Sums in another order differ in their last digits: near ties are left to the exact distances.
  labels[at] = least < second * (1 - margin) ? label : nearestProfile(row, profiles);
  upper[at] = Math.sqrt(least / row.length) * (1 + margin);
  lower[at] = Math.min(skipped, Math.sqrt(second / row.length)) * (1 - margin);
};

/** Squared distance in four sums, since additions to one sum wait for each other; Infinity when it is above `most`. */
const squaredUpTo = (a: ScaledProfile, b: ScaledProfile, most: number): number => {
  const last = a.length - (a.length % 4);
  let total = 0;
  for (let slice = 0; slice < last;) {
    const end = Math.min(last, slice + slicesPerLook);
    let p = 0;
    let q = 0;
    let r = 0;
    let s = 0;
    for (; slice < end; slice += 4) {
      const e = a[slice]! - b[slice]!;
      const f = a[slice + 1]! - b[slice + 1]!;
      const g = a[slice + 2]! - b[slice + 2]!;
      const h = a[slice + 3]! - b[slice + 3]!;
      p += e * e;
      q += f * f;
      r += g * g;
      s += h * h;
    }
    total += p + q + (r + s);
    if (total > most) return Number.POSITIVE_INFINITY;
  }
  for (let slice = last; slice < a.length; slice += 1) total += (a[slice]! - b[slice]!) ** 2;
  return total;
};

/** Lower bounds of the distances between profiles, row by row; on the diagonal, of that to the nearest other one. */
const gapsBetween = (profiles: readonly ScaledProfile[]): Float64Array => {
  const count = profiles.length;
  const gaps = new Float64Array(count * count).fill(Number.POSITIVE_INFINITY);
  for (let one = 0; one < count; one += 1)
    for (let other = 0; other < one; other += 1) {
      const squared = squaredUpTo(profiles[one]!, profiles[other]!, Number.POSITIVE_INFINITY);
      const gap = Math.sqrt(squared / profiles[one]!.length) * (1 - margin);
      gaps[one * count + other] = gaps[other * count + one] = gap;
      for (const nearest of [one * (count + 1), other * (count + 1)])
        gaps[nearest] = Math.min(gaps[nearest]!, gap);
    }
  return gaps;
};

/** Widens the bounds by upper bounds of the distances that the profiles moved. */
const moveBounds = (
  { profiles: before, labels, upper, lower }: NearestProfiles,
  profiles: readonly ScaledProfile[],
): void => {
  const moves = Float64Array.from(
    profiles,
    (profile, model) => Math.sqrt(scaledDistance(before[model]!, profile)) * (1 + margin),
  );
  const farthest = moves.reduce((most, move, model) => (move > moves[most]! ? model : most), 0);
  const second = moves.reduce((most, move, model) => (model === farthest ? most : Math.max(most, move)), 0);
  for (let at = 0; at < labels.length; at += 1) {
    const label = labels[at]!;
    upper[at]! += moves[label]!;
    lower[at]! -= label === farthest ? second : moves[farthest]!;
  }
};

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
