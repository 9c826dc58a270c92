/**
 * Silhouette of each row (Rousseeuw 1987, J. Comput. Appl. Math. 20): (b − a) / max(a, b), where a is its mean
 * distance to the other rows of its cluster and b the least mean distance to the rows of another cluster. Distances
 * are Euclidean. Near 1 the row fits its cluster, near 0 it is between two, below 0 another cluster is nearer. A row
 * that is alone in its cluster has 0.
 * @param rows   n × m finite values, scaled as for clustering (scaledRows)
 * @param labels the cluster of each row, integers from 0
 * @returns      n values, −1 to 1; null when there are fewer than two clusters
 * @throws RangeError when the number of labels is not n
 */
export const silhouettes = (
  rows: readonly (readonly number[])[],
  labels: readonly number[],
): number[] | null => {
  if (labels.length !== rows.length)
    throw new RangeError(`got ${labels.length} labels, expected ${rows.length}, one a row`);
  const sizes = sizesOf(labels);
  if (sizes.filter(size => size > 0).length < 2) return null;

  return distanceSums(rows, labels, sizes.length).map((sums, index) => {
    const own = labels[index] ?? 0;
    const size = sizes[own] ?? 0;
    if (size < 2) return 0;
    const within = (sums[own] ?? 0) / (size - 1);
    let between = Number.POSITIVE_INFINITY;
    sums.forEach((sum, label) => {
      const count = sizes[label] ?? 0;
      if (label !== own && count > 0) between = Math.min(between, sum / count);
    });
    const larger = Math.max(within, between);
    return larger > 0 ? (between - within) / larger : 0;
  });
};

/** Number of rows of each cluster. */
const sizesOf = (labels: readonly number[]): number[] => {
  const count = labels.reduce((most, label) => Math.max(most, label), -1) + 1;
  const sizes = Array<number>(count).fill(0);
  for (const label of labels) sizes[label]! += 1;
  return sizes;
};

/** For each row the sum of its distances to the rows of each cluster. Each distance is computed once. */
const distanceSums = (
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  clusters: number,
): number[][] => {
  const sums = rows.map(() => Array<number>(clusters).fill(0));
  rows.forEach((row, index) => {
    for (let other = index + 1; other < rows.length; other += 1) {
      const apart = distance(row, rows[other] ?? []);
      add(sums[index], labels[other], apart);
      add(sums[other], labels[index], apart);
    }
  });
  return sums;
};

const add = (sums: number[] | undefined, label: number | undefined, value: number): void => {
  if (sums && label !== undefined) sums[label] = (sums[label] ?? 0) + value;
};

/** Half of the time of a sweep's silhouettes is spent here: no fallback for missing values. */
const distance = (a: readonly number[], b: readonly number[]): number => {
  let total = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const difference = a[slice]! - b[slice]!;
    total += difference * difference;
  }
  return Math.sqrt(total);
};
