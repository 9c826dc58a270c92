import { flatRows, weightedRows, weightedSum, type FlatRows, type WeightedRows } from '../math/flatRows.js';
import { oncePer } from '../math/oncePer.js';
import { ln } from '../math/portableMath.js';
import { sortedQuantile } from '../math/statistics.js';
import type { PreparedReference, ScaledProfile } from './prepare.js';
import { scaledDistance, similarMean } from './profiles.js';

/** Number of reweighting rounds. */
const rounds = 3;

/** A day farther than this multiple of the median distance has a smaller weight, by the square of the excess. */
const tuning = 2;

/** An outlier is more than this many robust standard deviations above the median log distance. */
const deviationsMin = 3.5;

/**
 * Days beyond a gap in the deviations are outliers, too: so many days, at least this far away, beyond a gap of this
 * width. Clean references have narrower gaps (ADR 98, ADR 108). Engine 8 measured them by the spread above the median.
 */
const gaps = { from: 1.5, few: { days: 4, min: 0.6 }, many: { days: 10, min: 0.4 } } as const;

/** Largest number of passes over the deviations. */
const passesMax = 3;

/** Largest share of the days that can be outliers. */
const shareMax = 0.1;

/**
 * Distances from sums differ from exact ones by rounding, about 1e-12. They decide when the median distance is large
 * enough, and when no log distance is so near to the limit.
 */
const clear = { medianMin: 1e-3, margin: 1e-6 } as const;

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
  const indices = includedIndices(included);
  const distances = robustDistances(prepared, indices, distancesToOthers(prepared));
  const { places, medianDistance } = judged(prepared, indices, distances);
  return new Map(places.map(at => [indices[at]!, distances[at]! / Math.max(medianDistance, 1e-12)]));
};

/** The indices of `outliers`, found faster for many choices of days: by sums over all days where they suffice. */
export const outlierIndices = (
  prepared: PreparedReference,
  included: readonly boolean[],
): ReadonlySet<number> => {
  const indices = includedIndices(included);
  const judgedBy = (distanceOf: DayDistance): Judged =>
    judged(prepared, indices, robustDistances(prepared, indices, distanceOf));
  const bySums = prepared.isComplete ? judgedBy(distancesBySums(prepared)) : null;
  const { places } = bySums?.isClear ? bySums : judgedBy(distancesToOthers(prepared));
  return new Set(places.map(at => indices[at]!));
};

const includedIndices = (included: readonly boolean[]): number[] =>
  included.flatMap((isIncluded, index) => (isIncluded ? index : []));

/** Places of outliers among some days, the farthest first, and whether distances from sums must have the same. */
type Judged = {
  readonly places: readonly number[];
  readonly medianDistance: number;
  readonly isClear: boolean;
};

const judged = (
  { days, rules }: PreparedReference,
  indices: readonly number[],
  distances: Float64Array,
): Judged => {
  const logs = distances.map(distance => ln(Math.max(distance, 1e-12)));
  const medianDistance = medianOf(distances);
  const most = Math.floor(days.length * shareMax);
  const ordinary = [...indices.keys()]
    .filter(at => days[indices[at]!]!.ordinary)
    .sort((a, b) => logs[b]! - logs[a]! || a - b);
  const farthest = Float64Array.from(ordinary, at => logs[at]!);
  let pass = farDays(logs.slice().sort(), farthest, 0, rules);
  let isClear = medianDistance > clear.medianMin && pass.isClear;
  // The days beyond a gap made the spread of the others too large.
  for (let passes = 1; pass.hasGap && pass.count < most && passes < passesMax; passes += 1) {
    const left = new Set(ordinary.slice(0, pass.count));
    const others = logs.filter((_, at) => !left.has(at)).sort();
    const next = farDays(others, farthest, pass.count, rules);
    isClear &&= next.isClear;
    if (next.count === pass.count) break;
    pass = next;
  }
  return {
    places: ordinary.slice(0, Math.min(most, pass.count)),
    medianDistance,
    isClear: isClear && pass.count <= most,
  };
};

/** Number of the farthest days that are outliers, and whether rounding cannot have made or hidden one. */
type FarDays = { readonly count: number; readonly hasGap: boolean; readonly isClear: boolean };

/**
 * Days beyond 3.5 robust deviations, or beyond a gap. Faults of a source are far from all of its days, while ordinary
 * days become fewer with their distance without a gap.
 * @param sorted   log distances without those of the `known` farthest ordinary days, ascending
 * @param farthest log distances of the ordinary days, the farthest first
 * @param known    number of them that are outliers already
 */
const farDays = (
  sorted: Float64Array,
  farthest: Float64Array,
  known: number,
  { withstandsFaults, measuresGapsBelow }: PreparedReference['rules'],
): FarDays => {
  const median = sortedQuantile(sorted, 0.5);
  const spread = Math.max((sortedQuantile(sorted, 0.75) - median) / upperQuartile, 1e-9);
  const beyond = Math.max(known, farthest.filter(log => (log - median) / spread > deviationsMin).length);
  let isClear = sorted.every(log => Math.abs(log - median - deviationsMin * spread) > clear.margin);
  if (!withstandsFaults) return { count: beyond, hasGap: false, isClear };
  const unit = measuresGapsBelow ? usualSpread(sorted, median, spread) : spread;
  const deviations = farthest.map(log => (log - median) / unit);
  let count = beyond;
  for (let at = beyond + gaps.few.days; at < deviations.length && deviations[at - 1]! > gaps.from; at += 1) {
    const width = deviations[at - 1]! - deviations[at]!;
    const { min } = at - beyond < gaps.many.days ? gaps.few : gaps.many;
    if (Math.abs(width - min) < clear.margin || Math.abs(deviations[at - 1]! - gaps.from) < clear.margin)
      isClear = false;
    if (width >= min) count = at;
  }
  return { count, hasGap: count > beyond, isClear };
};

/**
 * Spread of the log distances by the nearer half: faults make the spread above the median larger, not the one below it.
 * At least half of the spread above, since days that repeat exactly have none below.
 */
const usualSpread = (sorted: Float64Array, median: number, above: number): number => {
  const below = (median - sortedQuantile(sorted, 0.25)) / upperQuartile;
  return Math.max(above / 2, Math.min(above, below));
};

/** Root mean square difference of a day to the mean of similar days without it; `mean` is overwritten. */
type DayDistance = (index: number, factors: Float64Array, mean: ScaledProfile) => number;

/** Distance of each of some days after the last reweighting round, in their order. */
const robustDistances = (
  prepared: PreparedReference,
  indices: readonly number[],
  distanceOf: DayDistance,
): Float64Array => {
  const factors = new Float64Array(prepared.days.length);
  for (const index of indices) factors[index] = 1;
  const mean = new Float64Array(prepared.slices);
  const distances = new Float64Array(indices.length);
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) {
      const medianDistance = medianOf(distances);
      indices.forEach((index, at) => {
        const distance = distances[at]!;
        const factor = distance > tuning * medianDistance ? (tuning * medianDistance) / distance : 1;
        factors[index] = factor * factor;
      });
    }
    indices.forEach((index, at) => (distances[at] = distanceOf(index, factors, mean)));
  }
  return distances;
};

const distancesToOthers =
  (prepared: PreparedReference): DayDistance =>
  (index, factors, mean) => {
    const own = factors[index]!;
    factors[index] = 0;
    similarMean(prepared, prepared.weights[index]!, factors, mean);
    factors[index] = own;
    return distanceTo(prepared, index, mean);
  };

const distanceTo = ({ days }: PreparedReference, index: number, mean: ScaledProfile): number => {
  const distance = scaledDistance(days[index]!.scaled, mean);
  return distance < Number.POSITIVE_INFINITY ? Math.sqrt(distance) : 0;
};

/** For each day: its near days added by their similarity weights, and the sum of those weights. */
type SimilarSums = {
  readonly profiles: FlatRows;
  readonly sums: FlatRows;
  readonly totals: Float64Array;
  /** Buffer for the days that are subtracted. */
  readonly subtracted: WeightedRows;
};

/** Computed once for all folds. */
const sumsOf = oncePer(({ weights, profiles: rows }: PreparedReference): SimilarSums => {
  const profiles = flatRows(rows);
  return {
    profiles,
    sums: flatRows(
      weights.map(({ near, nearWeights }) =>
        weightedSum(profiles, { indices: near, weights: nearWeights, count: near.length }),
      ),
    ),
    totals: Float64Array.from(weights, ({ nearWeights }) =>
      nearWeights.reduce((sum, weight) => sum + weight, 0),
    ),
    subtracted: weightedRows(weights.length),
  };
});

/** Subtracts days of less than full weight from the sums; with many of them, all others are added instead. */
const distancesBySums = (prepared: PreparedReference): DayDistance => {
  const { profiles, sums, totals, subtracted } = sumsOf(prepared);
  const { indices, weights } = subtracted;
  const exactly = distancesToOthers(prepared);
  return (index, factors, mean) => {
    const { near, nearWeights } = prepared.weights[index]!;
    let rest = totals[index]!;
    let count = 0;
    for (let at = 0; at < near.length; at += 1) {
      const other = near[at]!;
      const weight = nearWeights[at]! * (other === index ? 1 : 1 - factors[other]!);
      indices[count] = other;
      weights[count] = weight;
      rest -= weight;
      if (weight > 0) count += 1;
    }
    if (2 * count > near.length || !(rest > totals[index]! / 10)) return exactly(index, factors, mean);
    subtracted.count = count;
    weightedSum(profiles, subtracted, mean);
    const from = index * mean.length;
    for (let slice = 0; slice < mean.length; slice += 1)
      mean[slice] = (sums.values[from + slice]! - mean[slice]!) / rest;
    return distanceTo(prepared, index, mean);
  };
};

const medianOf = (distances: Float64Array): number => sortedQuantile(distances.slice().sort(), 0.5);
