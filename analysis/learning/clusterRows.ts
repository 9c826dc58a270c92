import { kmeans } from 'ml-kmeans';
import { neverStops, type CheckStop } from '../checkStop.js';
import { seededRandom } from '../math/seededRandom.js';

/** Number of k-means runs; the one with the least inertia is kept. */
const starts = 10;

/**
 * Standardises rows to mean 0 and standard deviation 1 (population, 'uncorrected') over all values together. One scale
 * for all slices preserves the shape of a day. k-means needs it because its tolerance is absolute.
 * @param rows n × m finite values within ±1e150
 * @returns    n × m values without a unit; all 0 when all values are equal
 */
export const scaledRows = (rows: readonly (readonly number[])[]): number[][] => {
  const largest = rows.reduce((most, row) => row.reduce((max, x) => Math.max(max, Math.abs(x)), most), 0);
  if (largest === 0) return rows.map(row => row.map(() => 0));
  // Division by the largest magnitude first prevents overflow and underflow of the squares.
  const unit = rows.map(row => row.map(x => x / largest));
  const count = rows.length * (rows[0]?.length ?? 0);
  const mean = sum(unit.map(sum)) / count;
  const sd = Math.sqrt(sum(unit.map(row => sum(row.map(x => (x - mean) * (x - mean))))) / count);
  return unit.map(row => row.map(x => (sd > 0 ? (x - mean) / sd : 0)));
};

/** Number of distinct rows. */
export const distinctCount = (rows: readonly (readonly number[])[]): number =>
  new Set(rows.map(row => row.join())).size;

/**
 * Clusters rows by k-means (Lloyd 1982, ml-kmeans) with k-means++ starting centres (Arthur and Vassilvitskii 2007); the
 * best of ten runs by inertia. Empty clusters are dropped; the others are numbered largest first, then by first row.
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
  let best: { readonly labels: number[]; readonly inertia: number } | undefined;
  for (let start = 0; start < starts; start += 1) {
    checkStop();
    const initialization = seedCentres(rows, count, random);
    const { clusters: labels } = kmeans(rows, initialization.length, {
      initialization,
      maxIterations: 300,
      tolerance: 1e-6,
      distanceFunction: squaredDistance,
      seed: 0, // unused: the centres are given
    });
    const inertia = inertiaOf(rows, labels);
    if (!best || inertia < best.inertia) best = { labels, inertia };
    if (inertia === 0) break;
  }
  return largestFirst(best?.labels ?? []);
};

/** k-means++: draws each next centre among the rows, weighted by the squared distance to the nearest centre. */
const seedCentres = (rows: readonly number[][], count: number, random: () => number): number[][] => {
  const first = rows[Math.floor(random() * rows.length)] ?? [];
  const centres = [[...first]];
  const nearest = rows.map(row => squaredDistance(row, first));
  while (centres.length < count) {
    const total = sum(nearest);
    // All rows are centres already.
    if (total === 0) break;
    let remaining = random() * total;
    // Rounding can leave a remainder after the last row; then the last row that is no centre is chosen.
    let chosen = -1;
    for (let index = 0; index < rows.length && remaining >= 0; index += 1) {
      const distance = nearest[index] ?? 0;
      if (distance > 0) chosen = index;
      remaining -= distance;
    }
    const centre = rows[chosen] ?? [];
    centres.push([...centre]);
    rows.forEach((row, index) => {
      nearest[index] = Math.min(nearest[index] ?? 0, squaredDistance(row, centre));
    });
  }
  return centres;
};

/** Sum of squared distances of rows to the mean of their cluster, added in the order of the rows. */
const inertiaOf = (rows: readonly number[][], labels: readonly number[]): number => {
  const sums = new Map<number, { readonly total: number[]; count: number }>();
  rows.forEach((row, index) => {
    const label = labels[index] ?? 0;
    const cluster = sums.get(label) ?? { total: row.map(() => 0), count: 0 };
    row.forEach((x, slice) => (cluster.total[slice] = (cluster.total[slice] ?? 0) + x));
    cluster.count += 1;
    sums.set(label, cluster);
  });
  const means = new Map([...sums].map(([label, { total, count }]) => [label, total.map(x => x / count)]));
  return sum(rows.map((row, index) => squaredDistance(row, means.get(labels[index] ?? 0) ?? [])));
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

/** Hottest function of the analysis: a fallback for missing values (`?? 0`) would double the time of a run. */
const squaredDistance = (a: readonly number[], b: readonly number[]): number => {
  let total = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const difference = a[slice]! - b[slice]!;
    total += difference * difference;
  }
  return total;
};

const sum = (values: readonly number[]): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
