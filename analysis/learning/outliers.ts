import { ln } from '../math/portableMath.js';
import { sortedQuantile } from '../math/statistics.js';
import type { PreparedReference } from './prepare.js';
import { scaledDistance, similarMean } from './profiles.js';
import { hasSameSimilar } from './similarityWeights.js';

/** Number of reweighting rounds. */
const rounds = 3;

/** A day farther than this multiple of the median distance has a smaller weight, by the square of the excess. */
const tuning = 2;

/** An outlier is more than this many robust standard deviations above the median log distance. */
const deviationsMin = 3.5;

/** Largest share of the days that can be outliers. */
const shareMax = 0.1;

/** Upper quartile of the standard normal distribution. */
const upperQuartile = 0.6744897501960817;

/**
 * Outliers of a reference. The distance of a day is the root mean square difference to the weighted mean of similar
 * days, without the day itself and with outliers weighted down (iterative reweighting, Holland and Welsch 1977).
 * Outliers are the ordinary days in the upper tail: log distance more than 3.5 robust deviations above the median, at
 * most a tenth of the days. Holidays and days around Christmas have too few similar days to be judged.
 * @param included which days may be used; the others are neither judged nor used as similar days
 * @returns        by index of each outlier, its distance in multiples of the median distance
 */
export const outliers = (
  prepared: PreparedReference,
  included: readonly boolean[],
): ReadonlyMap<number, number> => {
  const { days } = prepared;
  const indices = days.flatMap((_, index) => (included[index] ? index : []));
  const distances = robustDistances(prepared, indices);
  const logs = distances.map(distance => ln(Math.max(distance, 1e-12)));
  const sorted = logs.slice().sort();
  const medianLog = sortedQuantile(sorted, 0.5);
  const spread = Math.max((sortedQuantile(sorted, 0.75) - medianLog) / upperQuartile, 1e-9);
  const medianDistance = medianOf(distances);
  return new Map(
    [...indices.keys()]
      .filter(at => days[indices[at]!]!.ordinary && (logs[at]! - medianLog) / spread > deviationsMin)
      .sort((a, b) => logs[b]! - logs[a]! || a - b)
      .slice(0, Math.floor(days.length * shareMax))
      .map(at => [indices[at]!, distances[at]! / Math.max(medianDistance, 1e-12)]),
  );
};

/** Distance of each of some days after the last reweighting round, in their order. */
const robustDistances = (prepared: PreparedReference, indices: readonly number[]): Float64Array => {
  const factors = new Float64Array(prepared.days.length);
  for (const index of indices) factors[index] = 1;
  let distances = firstDistances(prepared, indices, factors);
  for (let round = 1; round < rounds; round += 1) {
    const medianDistance = medianOf(distances);
    indices.forEach((index, at) => {
      const distance = distances[at]!;
      const factor = distance > tuning * medianDistance ? (tuning * medianDistance) / distance : 1;
      factors[index] = factor * factor;
    });
    distances = distancesToOthers(prepared, indices, factors);
  }
  return distances;
};
/** Distances of the first round among all days, kept for the folds. */
const knownFirst = new WeakMap<PreparedReference, Float64Array>();

/** Distances among some days of full weight. A day that is similar to none of the others has its distance among all. */
const firstDistances = (
  prepared: PreparedReference,
  indices: readonly number[],
  factors: Float64Array,
): Float64Array => {
  const known = knownFirst.get(prepared);
  if (known) {
    const all = new Float64Array(factors.length).fill(1);
    return distancesToOthers(prepared, indices, factors, index =>
      hasSameSimilar(prepared.weights[index]!, index, factors, all) ? known[index] : undefined,
    );
  }
  const distances = distancesToOthers(prepared, indices, factors);
  if (indices.length === factors.length) knownFirst.set(prepared, distances);
  return distances;
};

/** Root mean square difference of some days to the means of similar days without them. */
const distancesToOthers = (
  prepared: PreparedReference,
  indices: readonly number[],
  factors: Float64Array,
  known?: (index: number) => number | undefined,
): Float64Array => {
  const mean = new Float64Array(prepared.slices);
  const distanceOf = (index: number): number => {
    const own = factors[index]!;
    factors[index] = 0;
    similarMean(prepared, prepared.weights[index]!, factors, mean);
    factors[index] = own;
    const distance = scaledDistance(prepared.days[index]!.scaled, mean);
    return distance < Number.POSITIVE_INFINITY ? Math.sqrt(distance) : 0;
  };
  const distances = new Float64Array(indices.length);
  indices.forEach((index, at) => (distances[at] = known?.(index) ?? distanceOf(index)));
  return distances;
};

const medianOf = (distances: Float64Array): number => sortedQuantile(distances.slice().sort(), 0.5);
