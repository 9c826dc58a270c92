import { ln } from '../math/portableMath.js';
import { sortedQuantile } from '../math/statistics.js';
import type { PreparedReference } from './prepare.js';
import { scaledDistance, similarMean } from './profiles.js';

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
  const distances = robustDistances(prepared, included);
  const logs = new Map([...distances].map(([index, distance]) => [index, ln(Math.max(distance, 1e-12))]));
  const sorted = Float64Array.from(logs.values()).sort();
  const medianLog = sortedQuantile(sorted, 0.5);
  const spread = Math.max((sortedQuantile(sorted, 0.75) - medianLog) / upperQuartile, 1e-9);
  const medianDistance = medianOf(distances);
  return new Map(
    [...logs]
      .filter(([index, log]) => days[index]!.ordinary && (log - medianLog) / spread > deviationsMin)
      .sort(([a, logA], [b, logB]) => logB - logA || a - b)
      .slice(0, Math.floor(days.length * shareMax))
      .map(([index]) => [index, (distances.get(index) ?? 0) / Math.max(medianDistance, 1e-12)]),
  );
};

/** Distance of each included day, by index, after the last reweighting round. */
const robustDistances = (
  prepared: PreparedReference,
  included: readonly boolean[],
): ReadonlyMap<number, number> => {
  const { days } = prepared;
  const indices = days.flatMap((_, index) => (included[index] ? index : []));
  const factors = Float64Array.from(included, use => (use ? 1 : 0));
  const distances = new Map<number, number>();
  const mean = new Float64Array(prepared.slices);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of indices) {
      const own = factors[index]!;
      factors[index] = 0;
      similarMean(prepared, prepared.weights[index]!, factors, mean);
      factors[index] = own;
      const distance = scaledDistance(days[index]!.scaled, mean);
      distances.set(index, distance < Number.POSITIVE_INFINITY ? Math.sqrt(distance) : 0);
    }
    const medianDistance = medianOf(distances);
    for (const [index, distance] of distances) {
      const factor = distance > tuning * medianDistance ? (tuning * medianDistance) / distance : 1;
      factors[index] = factor * factor;
    }
  }
  return distances;
};

const medianOf = (distances: ReadonlyMap<number, number>): number =>
  sortedQuantile(Float64Array.from(distances.values()).sort(), 0.5);
