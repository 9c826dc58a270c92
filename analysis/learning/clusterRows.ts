import { kmeans } from 'ml-kmeans';
import { randomFrom } from '../math/seededRandom.js';
import { neverStops, type CheckStop } from '../checkStop.js';

/** Starts of k-means for each number of clusters; the one with the least inertia is kept. */
const starts = 10;

/**
 * Rows brought to mean 0 and standard deviation 1 (population, 'uncorrected') over all values together. One
 * scale for all slices keeps the shape of the day; k-means needs it because its tolerance is absolute.
 * @param rows n × m finite values within ±1e150
 * @returns    n × m values without a unit; all 0 when the values are all equal
 */
export const scaledRows = (rows: readonly (readonly number[])[]): number[][] => {
  const largest = rows.reduce((most, row) => row.reduce((max, x) => Math.max(max, Math.abs(x)), most), 0);
  if (largest === 0) return rows.map(row => row.map(() => 0));
  // Dividing by the largest first keeps the squares from overflowing, and from vanishing, in any unit.
  const unit = rows.map(row => row.map(x => x / largest));
  const count = rows.length * (rows[0]?.length ?? 0);
  const mean = sum(unit.map(sum)) / count;
  const sd = Math.sqrt(sum(unit.map(row => sum(row.map(x => (x - mean) * (x - mean))))) / count);
  return unit.map(row => row.map(x => (sd > 0 ? (x - mean) / sd : 0)));
};

/** Number of rows that differ from one another. */
export const distinctCount = (rows: readonly (readonly number[])[]): number =>
  new Set(rows.map(row => row.join())).size;

/**
 * Clusters of rows: k-means of Lloyd (1982) by ml-kmeans, from our own k-means++ seeding (Arthur and
 * Vassilvitskii 2007), the best of ten starts by inertia. Empty clusters are dropped, the others numbered
 * largest first, then by their earliest row.
 * @param rows  n × m scaled values, in an order that the data decide
 * @param count clusters asked for, 1 to n
 * @param seed  an integer; the same rows, count and seed give the same clusters whatever else was asked
 * @returns     the cluster of each row, 0 to one less than the number found, which may be below `count`
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
  const random = randomFrom((seed | 0) ^ Math.imul(count, 0x9e3779b1));
  let best: { readonly labels: number[]; readonly inertia: number } | undefined;
  for (let start = 0; start < starts; start += 1) {
    checkStop();
    const initialization = seedCentres(rows, count, random);
    const { clusters: labels } = kmeans(rows, initialization.length, {
      initialization,
      maxIterations: 300,
      tolerance: 1e-6,
      distanceFunction: squaredDistance,
      seed: 0, // not drawn from, since the centres are given
    });
    const inertia = inertiaOf(rows, labels);
    if (!best || inertia < best.inertia) best = { labels, inertia };
    if (inertia === 0) break;
  }
  return largestFirst(best?.labels ?? []);
};

/** k-means++: each next centre is a row, drawn by its squared distance to the nearest centre so far. */
const seedCentres = (rows: readonly number[][], count: number, random: () => number): number[][] => {
  const first = rows[Math.floor(random() * rows.length)] ?? [];
  const centres = [[...first]];
  const nearest = rows.map(row => squaredDistance(row, first));
  while (centres.length < count) {
    const total = sum(nearest);
    // Every row is a centre already: more would only be copies.
    if (total === 0) break;
    let left = random() * total;
    // Rounding may leave a remainder past the last row, so the last row that is no centre ends the search.
    let chosen = -1;
    for (let index = 0; index < rows.length && left >= 0; index += 1) {
      const distance = nearest[index] ?? 0;
      if (distance > 0) chosen = index;
      left -= distance;
    }
    const centre = rows[chosen] ?? [];
    centres.push([...centre]);
    rows.forEach((row, index) => {
      nearest[index] = Math.min(nearest[index] ?? 0, squaredDistance(row, centre));
    });
  }
  return centres;
};

/** Sum over rows of the squared distance to the mean of their cluster, added in the order of the rows. */
const inertiaOf = (rows: readonly number[][], labels: readonly number[]): number => {
  const sums = new Map<number, { readonly total: number[]; count: number }>();
  rows.forEach((row, index) => {
    const label = labels[index] ?? 0;
    const of = sums.get(label) ?? { total: row.map(() => 0), count: 0 };
    row.forEach((x, slice) => (of.total[slice] = (of.total[slice] ?? 0) + x));
    of.count += 1;
    sums.set(label, of);
  });
  const means = new Map([...sums].map(([label, { total, count }]) => [label, total.map(x => x / count)]));
  return sum(rows.map((row, index) => squaredDistance(row, means.get(labels[index] ?? 0) ?? [])));
};

const largestFirst = (labels: readonly number[]): number[] => {
  const members = new Map<number, { readonly first: number; count: number }>();
  labels.forEach((label, index) => {
    const of = members.get(label);
    if (of) of.count += 1;
    else members.set(label, { first: index, count: 1 });
  });
  const order = [...members].sort(([, a], [, b]) => b.count - a.count || a.first - b.first);
  const rank = new Map(order.map(([label], index) => [label, index]));
  return labels.map(label => rank.get(label) ?? 0);
};

/** The analysis spends its time here: a fallback for missing values (`?? 0`) would double it. */
const squaredDistance = (a: readonly number[], b: readonly number[]): number => {
  let total = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const apart = a[slice]! - b[slice]!;
    total += apart * apart;
  }
  return total;
};

const sum = (values: readonly number[]): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
