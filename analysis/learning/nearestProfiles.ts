import type { ScaledProfile } from './prepare.js';
import { nearestProfile, scaledDistance } from './profiles.js';

/** Nearest profile of each row. `upper` bounds the root mean square distance to it, `lower` that to any other one. */
export type NearestProfiles = {
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
