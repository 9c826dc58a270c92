import { neverStops, type CheckStop } from '../../checkStop.js';
import { flatRows, rowsOf, type FlatRows } from '../../math/flatRows.js';
import { oncePer } from '../../math/oncePer.js';
import { seededRandom } from '../../math/seededRandom.js';
import type { PreparedReference, ScaledProfile } from '../prepare.js';
import { commonProfile, similarMean } from '../profiles.js';
import { hasSameSimilar } from '../similarityWeights.js';
import { centreValues, distancesTo, inertiaBounds, inertiaOf, pointsOf, type Points } from './centres.js';
import { kmeans } from './kmeans.js';
import { lloyd, type Lloyd } from './lloyd.js';

/** Number of k-means runs; the one with the least inertia is kept. */
const starts = 10;

/** End of a run. */
const end = { tolerance: 1e-6, maxIterations: 300 };

/**
 * Standardises rows to mean 0 and standard deviation 1 (population, 'uncorrected') over all values together. One scale
 * for all slices preserves the shape of a day. k-means needs it because its tolerance is absolute.
 * @param rows n × m finite values within ±1e150
 * @returns    n × m values without a unit; all 0 when all values are equal
 */
export const scaledRows = (rows: readonly ArrayLike<number>[]): FlatRows => {
  const scaled = flatRows(rows);
  const { values, count, width } = scaled;
  let largest = 0;
  for (let at = 0; at < values.length; at += 1) largest = Math.max(largest, Math.abs(values[at]!));
  if (largest === 0) {
    values.fill(0);
    return scaled;
  }
  // Division by the largest magnitude first prevents overflow and underflow of the squares.
  for (let at = 0; at < values.length; at += 1) values[at]! /= largest;
  const sums = new Float64Array(count);
  for (let row = 0; row < count; row += 1)
    for (let at = row * width; at < (row + 1) * width; at += 1) sums[row]! += values[at]!;
  const mean = sum(sums) / values.length;
  const squares = new Float64Array(count);
  for (let row = 0; row < count; row += 1)
    for (let at = row * width; at < (row + 1) * width; at += 1)
      squares[row]! += (values[at]! - mean) * (values[at]! - mean);
  const sd = Math.sqrt(sum(squares) / values.length);
  for (let at = 0; at < values.length; at += 1) values[at] = sd > 0 ? (values[at]! - mean) / sd : 0;
  return scaled;
};

/** Number of distinct rows, or `enough` when there are at least so many. */
export const distinctCount = (rows: readonly ArrayLike<number>[], enough: number): number => {
  const distinct: ArrayLike<number>[] = [];
  for (const row of rows) {
    if (distinct.length >= enough) break;
    if (!distinct.some(other => isSame(row, other))) distinct.push(row);
  }
  return distinct.length;
};

const isSame = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  for (let slice = 0; slice < a.length; slice += 1) if (a[slice] !== b[slice]) return false;
  return true;
};

/**
 * Clusters rows by k-means (Lloyd 1982) with k-means++ starting centres (Arthur and Vassilvitskii 2007); the best of
 * ten runs by inertia. The runs are those of ml-kmeans, found with bounds (lloyd.ts); ml-kmeans finishes the best one.
 * Empty clusters are dropped; the others are numbered largest first, then by first row.
 * @param rows  n × m scaled values, in an order that depends on the data only; the same object must hold the same rows
 * @param count number of clusters, 1 to n
 * @param seed  an integer; the same rows, count and seed give the same clusters
 * @returns     the cluster of each row, from 0; there may be fewer clusters than `count`
 * @throws RangeError when `count` or the seed is out of range
 */
export const clusterRows = (
  rows: FlatRows,
  count: number,
  seed: number,
  checkStop: CheckStop = neverStops,
): number[] => {
  if (!Number.isInteger(count) || count < 1 || count > rows.count)
    throw new RangeError(`got ${count} clusters, expected an integer from 1 to ${rows.count}`);
  const random = seededRandom((seed | 0) ^ Math.imul(count, 0x9e3779b1));
  const prepared = preparedRows(rows);
  const { points } = prepared;
  let best: Clustering | undefined;
  let spare: Lloyd | undefined;
  for (let start = 0; start < starts; start += 1) {
    checkStop();
    const clustering = clusteringOf(lloyd(points, seedRows(points, count, random), end, spare), points);
    if (!best || isBetter(clustering, best)) {
      spare = best?.run;
      best = clustering;
    } else spare = clustering.run;
    if (best.least === 0 && best.inertia() === 0) break;
  }
  return largestFirst(finished(prepared, best!.run));
};

/** Labels of ml-kmeans from the centres of a run: those of the run, unless its iterations ended before it converged. */
const finished = ({ points, values }: PreparedRows, { centres }: Lloyd): readonly number[] =>
  kmeans(values, centres.count, {
    initialization: Array.from({ length: centres.count }, (_, centre) =>
      Array.from(centreValues(points, centres, centre)),
    ),
    ...end,
    seed: 0, // unused: the centres are given
  }).clusters;

/** A run with bounds of its inertia, which is computed only when they leave a comparison open. */
type Clustering = {
  readonly run: Lloyd;
  readonly least: number;
  readonly most: number;
  readonly inertia: () => number;
};

const clusteringOf = (run: Lloyd, points: Points): Clustering => {
  let inertia: number | undefined;
  return {
    run,
    ...inertiaBounds(points, run.means),
    inertia: () => (inertia ??= inertiaOf(points, run.means)),
  };
};

/** Whether a clustering has less inertia than another one. */
const isBetter = (one: Clustering, other: Clustering): boolean =>
  one.least < other.most &&
  !hasSameClusters(one.run.step.labels, other.run.step.labels) &&
  (one.most < other.least || one.inertia() < other.inertia());

/** Whether rows are clustered in the same way, up to the numbers of the clusters. */
const hasSameClusters = (a: Int32Array, b: Int32Array): boolean => {
  const ofA = new Map<number, number>();
  const ofB = new Map<number, number>();
  return a.every((label, row) => {
    const other = b[row]!;
    if (!ofA.has(label) && !ofB.has(other)) {
      ofA.set(label, other);
      ofB.set(other, label);
    }
    return ofA.get(label) === other && ofB.get(other) === label;
  });
};

/** Rows to cluster, and the same values as ml-kmeans takes them. */
type PreparedRows = { readonly points: Points; readonly values: number[][] };

/** Prepared once for all numbers of clusters. */
const preparedRows = oncePer((rows: FlatRows): PreparedRows => ({
  points: pointsOf(rows),
  values: rowsOf(rows),
}));

/** k-means++: draws each next centre among the rows, weighted by the squared distance to the nearest centre. */
const seedRows = (points: Points, count: number, random: () => number): number[] => {
  const rows = points.rows.count;
  const chosen = [Math.floor(random() * rows)];
  const nearest = Float64Array.from(distancesTo(points, chosen[0]!));
  while (chosen.length < count) {
    const total = sum(nearest);
    // All rows are centres already.
    if (total === 0) break;
    let remaining = random() * total;
    // Rounding can leave a remainder after the last row; then the last row that is no centre is chosen.
    let next = -1;
    for (let index = 0; index < rows && remaining >= 0; index += 1) {
      const distance = nearest[index]!;
      if (distance > 0) next = index;
      remaining -= distance;
    }
    chosen.push(next);
    const distances = distancesTo(points, next);
    for (let row = 0; row < rows; row += 1)
      if (distances[row]! < nearest[row]!) nearest[row] = distances[row]!;
  }
  return chosen;
};

const largestFirst = (labels: readonly number[]): number[] => {
  const members = new Map<number, { readonly first: number; count: number }>();
  labels.forEach((label, index) => {
    const cluster = members.get(label);
    if (cluster) cluster.count += 1;
    else members.set(label, { first: index, count: 1 });
  });
  const order = [...members].sort(([, a], [, b]) => b.count - a.count || a.first - b.first);
  const rank = new Map(order.map(([label], index) => [label, index]));
  return labels.map(label => rank.get(label) ?? 0);
};

const sum = (values: ArrayLike<number>): number => {
  let total = 0;
  for (let at = 0; at < values.length; at += 1) total += values[at]!;
  return total;
};

/** Days to learn from: their indices, and for each the weighted mean of similar days. */
export type SmoothedDays = { readonly indices: readonly number[]; readonly rows: readonly ScaledProfile[] };

/** Days of a reference that were smoothed first: 1 for those that were included, and rows by index. */
type FirstSmoothed = {
  factors?: Float64Array;
  readonly rows: Map<number, ScaledProfile>;
};

/** One for all folds: a day whose similar days are included as at first has the same row. */
const firstSmoothed = oncePer((_: PreparedReference): FirstSmoothed => ({ rows: new Map() }));

/** The included days of a reference, smoothed by their calendar features: the input of k-means. */
export const smoothedDays = (prepared: PreparedReference, included: readonly boolean[]): SmoothedDays => {
  const { weights, isComplete } = prepared;
  let common: ScaledProfile | undefined;
  const indices = prepared.days.flatMap((_, index) => (included[index] ? index : []));
  const factors = Float64Array.from(included, isIncluded => (isIncluded ? 1 : 0));
  const first = firstSmoothed(prepared);
  const before = isComplete ? first.factors : undefined;
  const rows = indices.map(index => {
    const same = before && first.rows.get(index);
    if (same && hasSameSimilar(weights[index]!, factors, before)) return same;
    const row = similarMean(prepared, weights[index]!, factors);
    for (let slice = 0; slice < row.length; slice += 1)
      if (row[slice] !== row[slice]) row[slice] = (common ??= commonProfile(prepared, included))[slice]!;
    return row;
  });
  if (!first.factors) {
    first.factors = factors;
    indices.forEach((index, at) => first.rows.set(index, rows[at]!));
  }
  return { indices, rows };
};

/** A row without its last digits, in which the means of equal days differ. Folds share most of their rows. */
const rounded = oncePer((row: ScaledProfile): ScaledProfile =>
  row.map(value => Math.round(value * 1e9) / 1e9),
);

/** Rows without their last digits, scaled rows, and their clusters by number of models and seed. */
type ClusterInput = {
  readonly points: readonly ScaledProfile[];
  readonly scaled: FlatRows;
  readonly clusters: Map<string, readonly number[]>;
};

/** Prepared once for all numbers of models. */
const inputOf = oncePer((rows: readonly ScaledProfile[]): ClusterInput => {
  const points = rows.map(rounded);
  return { points, scaled: scaledRows(points), clusters: new Map() };
});

/** Clusters of smoothed days: the cluster of each row. There are at most as many clusters as distinct rows. */
export const clustersOf = (
  { rows }: SmoothedDays,
  modelCount: number,
  seed: number,
  checkStop: CheckStop = neverStops,
): readonly number[] => {
  const { points, scaled, clusters } = inputOf(rows);
  const key = `${modelCount} ${seed}`;
  const found =
    clusters.get(key) ??
    clusterRows(scaled, Math.min(modelCount, distinctCount(points, modelCount)), seed, checkStop);
  clusters.set(key, found);
  return found;
};
