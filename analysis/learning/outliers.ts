import { ln } from '../math/exactLog.js';
import { kinMean, scaledDistance, type Prepared } from './prepare.js';
import { sortedQuantile } from '../math/statistics.js';

/** Times that days are weighed down by how far they are from the mean of the others. */
const reweightings = 3;

/** A day farther than so many times the median distance weighs less, by the square of what it is beyond. */
const tuning = 2;

/** Robust standard deviations of the log distance beyond which a day is unusual, and the most that may be. */
const deviations = 3.5;
const shareMax = 0.1;

/** Upper quartile of a standard normal distribution. */
const upperQuartile = 0.6744897501960817;

/**
 * The unusual days of a reference: ordinary dates whose root mean square distance to the weighted mean of their kin,
 * themselves left out and the unusual weighed down (iteratively reweighted, as Holland and Welsch 1977), lies in the
 * upper tail: ln of the distance more than 3.5 robust deviations (of its upper quartile) above the median. At most a
 * tenth of the days, the farthest; never holidays or days round Christmas, whose kin are few.
 * @param included whether each day may be used; others are neither judged nor kin
 * @returns        for each unusual day its index and how many times the median distance it is away
 */
export const unusualDays = (
  prepared: Prepared,
  included: readonly boolean[],
): ReadonlyMap<number, number> => {
  const { days, rows } = prepared;
  const indices = days.flatMap((_, index) => (included[index] ? index : []));
  const weights = Float64Array.from(included, use => (use ? 1 : 0));
  const distances = new Map<number, number>();
  for (let round = 0; round < reweightings; round += 1) {
    for (const index of indices) {
      const mean = kinMean(prepared, rows[index]!, other => (other === index ? 0 : weights[other]!));
      const distance = scaledDistance(days[index]!.scaled, mean);
      distances.set(index, distance < Number.POSITIVE_INFINITY ? Math.sqrt(distance) : 0);
    }
    const median = sortedQuantile(Float64Array.from(distances.values()).sort(), 0.5);
    for (const [index, distance] of distances) {
      const share = distance > tuning * median ? (tuning * median) / distance : 1;
      weights[index] = share * share;
    }
  }
  const logs = new Map([...distances].map(([index, distance]) => [index, ln(Math.max(distance, 1e-12))]));
  const sorted = Float64Array.from(logs.values()).sort();
  const median = sortedQuantile(sorted, 0.5);
  const spread = Math.max((sortedQuantile(sorted, 0.75) - median) / upperQuartile, 1e-9);
  const middle = sortedQuantile(Float64Array.from(distances.values()).sort(), 0.5);
  return new Map(
    [...logs]
      .filter(([index, log]) => days[index]!.ordinary && (log - median) / spread > deviations)
      .sort(([a, logA], [b, logB]) => logB - logA || a - b)
      .slice(0, Math.floor(days.length * shareMax))
      .map(([index]) => [index, (distances.get(index) ?? 0) / Math.max(middle, 1e-12)]),
  );
};
