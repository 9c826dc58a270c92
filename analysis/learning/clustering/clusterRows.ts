import { kmeans } from 'ml-kmeans';
import { neverStops, type CheckStop } from '../../checkStop.js';
import { seededRandom } from '../../math/seededRandom.js';
import {
  clusterMeans,
  flatRows,
  lloyd,
  rowOf,
  rowsOf,
  squaredDistance,
  squaredDistanceUpTo,
  type FlatRows,
} from './lloyd.js';

/** Number of k-means runs; the one with the least inertia is kept. */
const starts = 10;

/** A run ends when no centre moves farther than this squared distance, or after so many iterations. */
const tolerance = 1e-6;
const maxIterations = 300;

/**
 * Standardises rows to mean 0 and standard deviation 1 (population, 'uncorrected') over all values together. One scale
 * for all slices preserves the shape of a day. k-means needs it because its tolerance is absolute.
 * @param rows n × m finite values within ±1e150
 * @returns    n × m values without a unit; all 0 when all values are equal
 */
export const scaledRows = (rows: readonly ArrayLike<number>[]): number[][] => {
  const width = rows[0]?.length ?? 0;
  let largest = 0;
  for (const row of rows)
    for (let slice = 0; slice < width; slice += 1) largest = Math.max(largest, Math.abs(row[slice]!));
  if (largest === 0) return rows.map(() => new Array<number>(width).fill(0));
  // Division by the largest magnitude first prevents overflow and underflow of the squares.
  const unit = rows.map(row => Array.from(row, x => x / largest));
  const count = rows.length * width;
  const mean = sum(unit.map(sum)) / count;
  const sd = Math.sqrt(sum(unit.map(row => squaresAround(row, mean))) / count);
  for (const row of unit)
    for (let slice = 0; slice < width; slice += 1) row[slice] = sd > 0 ? (row[slice]! - mean) / sd : 0;
  return unit;
};

/** Sum of squared differences to a value, in the order of the values. */
const squaresAround = (values: readonly number[], centre: number): number => {
  let total = 0;
  for (const value of values) total += (value - centre) * (value - centre);
  return total;
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
 * ten runs by inertia. The runs are those of ml-kmeans, with bounds (lloyd.ts); ml-kmeans finishes the best one.
 * Empty clusters are dropped; the others are numbered largest first, then by first row.
 * @param rows  n × m scaled values, in an order that depends on the data only
 * @param count number of clusters, 1 to n
 * @param seed  an integer; the same rows, count and seed give the same clusters
 * @returns     the cluster of each row, from 0; there may be fewer clusters than `count`
 * @throws RangeError when `count` or the seed is out of range
 */
export const clusterRows = (
  rows: number[][],
  count: number,
  seed: number,
  checkStop: CheckStop = neverStops,
): number[] => {
  if (!Number.isInteger(count) || count < 1 || count > rows.length)
    throw new RangeError(`got ${count} clusters, expected an integer from 1 to ${rows.length}`);
  const random = seededRandom((seed | 0) ^ Math.imul(count, 0x9e3779b1));
  const points = flatRows(rows);
  let best: { readonly centres: FlatRows; readonly inertia: number } | undefined;
  for (let start = 0; start < starts; start += 1) {
    checkStop();
    const { labels, centres } = lloyd(points, seedCentres(points, count, random), tolerance, maxIterations);
    const inertia = inertiaOf(points, labels, centres.count);
    if (!best || inertia < best.inertia) best = { centres, inertia };
    if (inertia === 0) break;
  }
  const initialization = rowsOf(best!.centres);
  const { clusters } = kmeans(rows, initialization.length, {
    initialization,
    maxIterations,
    tolerance,
    seed: 0, // unused: the centres are given
  });
  return largestFirst(clusters);
};

/** k-means++: draws each next centre among the rows, weighted by the squared distance to the nearest centre. */
const seedCentres = (points: FlatRows, count: number, random: () => number): FlatRows => {
  const pairs = { rows: points, others: points };
  const chosen = [Math.floor(random() * points.count)];
  const nearest = Float64Array.from({ length: points.count }, (_, row) =>
    squaredDistance(points, row, points, chosen[0]!),
  );
  while (chosen.length < count) {
    const total = sum(nearest);
    // All rows are centres already.
    if (total === 0) break;
    let remaining = random() * total;
    // Rounding can leave a remainder after the last row; then the last row that is no centre is chosen.
    let next = -1;
    for (let index = 0; index < points.count && remaining >= 0; index += 1) {
      const distance = nearest[index]!;
      if (distance > 0) next = index;
      remaining -= distance;
    }
    chosen.push(next);
    for (let row = 0; row < points.count; row += 1)
      nearest[row] = Math.min(nearest[row]!, squaredDistanceUpTo(pairs, row, next, nearest[row]!));
  }
  return flatRows(chosen.map(row => [...rowOf(points, row)]));
};

/** Sum of squared distances of rows to the mean of their cluster, added in the order of the rows. */
const inertiaOf = (points: FlatRows, labels: Int32Array, clusters: number): number => {
  const means = clusterMeans(points, labels, clusters);
  let inertia = 0;
  for (let row = 0; row < points.count; row += 1)
    inertia += squaredDistance(points, row, means, labels[row]!);
  return inertia;
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

const sum = (values: ArrayLike<number> & Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
