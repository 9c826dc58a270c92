import type { ScaledProfile } from './prepare.js';
import { nearestProfile, scaledDistance } from './profiles.js';

/** Nearest profile of each row, with bounds: the root mean square distance to it at most, to any other at least. */
export type NearestProfiles = {
  readonly profiles: readonly ScaledProfile[];
  readonly labels: Int32Array;
  readonly upper: Float64Array;
  readonly lower: Float64Array;
};

/** Slices between two looks at the limit of a distance, a multiple of four. */
const slicesPerLook = 24;

/** Bounds are compared with this relative margin, which is far above the rounding of a distance. */
const margin = 1e-9;

/**
 * The nearest profile of each row, the first of equals, as `nearestProfile`. Profiles that moved little leave most
 * labels as they were (Hamerly 2010): those rows are skipped.
 * @param rows   without gaps, as the profiles
 * @param before for the same rows and the profiles before; null when there are none
 */
export const nearestProfiles = (
  rows: readonly ScaledProfile[],
  profiles: readonly ScaledProfile[],
  before: NearestProfiles | null,
): NearestProfiles => {
  const { labels, upper, lower } = before ? movedBounds(before, profiles) : noBounds(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    if (upper[at]! < lower[at]! * (1 - margin)) continue;
    const row = rows[at]!;
    let label = 0;
    let least = Number.POSITIVE_INFINITY;
    let second = Number.POSITIVE_INFINITY;
    for (let model = 0; model < profiles.length; model += 1) {
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
    lower[at] = Math.sqrt(second / row.length) * (1 - margin);
  }
  return { profiles, labels, upper, lower };
};

/** Squared distance in four sums, since a sum waits for each of its steps; Infinity when it is above `most`. */
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

type Bounds = Omit<NearestProfiles, 'profiles'>;

const noBounds = (count: number): Bounds => ({
  labels: new Int32Array(count),
  upper: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  lower: new Float64Array(count),
});

/** Bounds after the profiles moved. */
const movedBounds = (before: NearestProfiles, profiles: readonly ScaledProfile[]): Bounds => {
  const moves = profiles.map((profile, model) => {
    const old = before.profiles[model]!;
    return old === profile ? 0 : Math.sqrt(scaledDistance(old, profile)) * (1 + margin);
  });
  const farthest = Math.max(...moves);
  return {
    labels: before.labels,
    upper: before.upper.map((bound, at) => bound + moves[before.labels[at]!]!),
    lower: before.lower.map(bound => bound - farthest),
  };
};
