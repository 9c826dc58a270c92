/**
 * How well each row sits in its cluster: (b − a) / max(a, b), where a is its mean distance to the others of its own
 * cluster and b the least of its mean distances to the other clusters. 1 is far from all others, 0 between two,
 * below 0 nearer to another. Distances are Euclidean. A row alone in its cluster has 0, as the author says.
 * @param rows   n × m finite values of one scale: `scaledRows`, on which the clusters were made
 * @param labels the cluster of each row, integers from 0
 * @returns      n values from −1 to 1, in the order of the rows; null when there are fewer than two clusters,
 *               since nothing is then between any
 * @throws RangeError when there is not one label a row
 * @see P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis",
 *      Journal of Computational and Applied Mathematics 20 (1987), 53–65
 */
export const silhouettes = (
  rows: readonly (readonly number[])[],
  labels: readonly number[],
): number[] | null => {
  if (labels.length !== rows.length)
    throw new RangeError(`got ${labels.length} labels, expected ${rows.length}, one a row`);
  const sizes: number[] = Array<number>(labels.reduce((most, label) => Math.max(most, label), -1) + 1).fill(
    0,
  );
  for (const label of labels) sizes[label] = (sizes[label] ?? 0) + 1;
  if (sizes.filter(size => size > 0).length < 2) return null;

  // One total a row and cluster; each distance is counted once and belongs to both of its rows.
  const totals = rows.map(() => sizes.map(() => 0));
  rows.forEach((row, index) => {
    for (let other = index + 1; other < rows.length; other += 1) {
      const apart = distance(row, rows[other] ?? []);
      add(totals[index], labels[other], apart);
      add(totals[other], labels[index], apart);
    }
  });
  return totals.map((total, index) => {
    const own = labels[index] ?? 0;
    const size = sizes[own] ?? 0;
    if (size < 2) return 0;
    const within = (total[own] ?? 0) / (size - 1);
    let between = Number.POSITIVE_INFINITY;
    total.forEach((sum, label) => {
      const count = sizes[label] ?? 0;
      if (label !== own && count > 0) between = Math.min(between, sum / count);
    });
    const most = Math.max(within, between);
    return most > 0 ? (between - within) / most : 0;
  });
};

const add = (totals: number[] | undefined, label: number | undefined, apart: number): void => {
  if (totals && label !== undefined) totals[label] = (totals[label] ?? 0) + apart;
};

/** Half of the time of a sweep's silhouettes is spent here, so no fallback for missing values. */
const distance = (a: readonly number[], b: readonly number[]): number => {
  let total = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const apart = a[slice]! - b[slice]!;
    total += apart * apart;
  }
  return Math.sqrt(total);
};
