/** Rows of one length in one array, row after row: distances are computed without following pointers. */
export type FlatRows = { readonly values: Float64Array; readonly count: number; readonly width: number };

export const flatRows = (rows: readonly (readonly number[])[]): FlatRows => {
  const width = rows[0]?.length ?? 0;
  const values = new Float64Array(rows.length * width);
  rows.forEach((row, index) => values.set(row, index * width));
  return { values, count: rows.length, width };
};

/** One row, as a view. */
export const rowOf = ({ values, width }: FlatRows, row: number): Float64Array =>
  values.subarray(row * width, (row + 1) * width);

export const rowsOf = (rows: FlatRows): number[][] =>
  Array.from({ length: rows.count }, (_, row) => [...rowOf(rows, row)]);

/** Squared distance of two rows, summed in the order of their values. */
export const squaredDistance = (a: FlatRows, row: number, b: FlatRows, other: number): number => {
  const { values: x, width } = a;
  const { values: y } = b;
  const [from, to] = [row * width, other * width];
  let total = 0;
  for (let at = 0; at < width; at += 1) {
    const difference = x[from + at]! - y[to + at]!;
    total += difference * difference;
  }
  return total;
};

/** Values between two looks at the limit of a distance. */
const valuesPerLook = 16;

/** Rows, and the rows that they are compared with. */
export type RowPairs = { readonly rows: FlatRows; readonly others: FlatRows };

/** `squaredDistance`, or Infinity as soon as it is above `most`: a sum of squares never decreases. */
export const squaredDistanceUpTo = (
  { rows, others }: RowPairs,
  row: number,
  other: number,
  most: number,
): number => {
  const { values: x, width } = rows;
  const { values: y } = others;
  const [from, to] = [row * width, other * width];
  let total = 0;
  for (let at = 0; at < width;) {
    const end = Math.min(width, at + valuesPerLook);
    for (; at < end; at += 1) {
      const difference = x[from + at]! - y[to + at]!;
      total += difference * difference;
    }
    if (total > most) return Number.POSITIVE_INFINITY;
  }
  return total;
};

/** Bounds are compared with this relative margin, which is far above the rounding of a distance. */
const margin = 1e-9;

/** Labels of the rows, and the centres that they are nearest to. */
export type Lloyd = { readonly labels: Int32Array; readonly centres: FlatRows };

/**
 * k-means from given centres (Lloyd 1982), with bounds that skip rows whose label cannot change (Hamerly 2010). Labels
 * are the same as those of ml-kmeans from the same centres: distances and means are summed in the same order, and ties
 * go to the first centre.
 * @param start         centres, as many as wanted
 * @param tolerance     squared distance: ends when no centre moves farther
 * @param maxIterations at least 1
 */
export const lloyd = (rows: FlatRows, start: FlatRows, tolerance: number, maxIterations: number): Lloyd => {
  const { count } = rows;
  const k = start.count;
  const labels = new Int32Array(count).fill(-1);
  /** Distance to the own centre at most, and to any other centre at least. */
  const upper = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const lower = new Float64Array(count);
  const changed = new Uint8Array(k);
  let centres = start;
  for (let iteration = 1; ; iteration += 1) {
    const nearOther = halfGaps(centres);
    changed.fill(0);
    for (let row = 0; row < count; row += 1) {
      const label = labels[row]!;
      if (label >= 0) {
        const safe = Math.max(lower[row]!, nearOther[label]!) * (1 - margin);
        if (upper[row]! < safe) continue;
        upper[row] = Math.sqrt(squaredDistance(rows, row, centres, label)) * (1 + margin);
        if (upper[row]! < safe) continue;
      }
      const nearest = nearestTwo(rows, row, centres);
      upper[row] = Math.sqrt(nearest.least) * (1 + margin);
      lower[row] = Math.sqrt(nearest.second);
      if (nearest.label === label) continue;
      if (label >= 0) changed[label] = 1;
      changed[nearest.label] = 1;
      labels[row] = nearest.label;
    }
    const moved = meansOf(rows, labels, centres, changed);
    const moves = Float64Array.from({ length: k }, (_, centre) =>
      changed[centre] === 1 ? squaredDistance(moved, centre, centres, centre) : 0,
    );
    const most = moves.reduce((max, move) => Math.max(max, move), 0);
    if (most <= tolerance || iteration >= maxIterations) return { labels, centres };
    centres = moved;
    const farthest = Math.sqrt(most) * (1 + margin);
    for (let row = 0; row < count; row += 1) {
      upper[row]! += Math.sqrt(moves[labels[row]!]!) * (1 + margin);
      lower[row]! -= farthest;
    }
  }
};

/** Half of the distance of each centre to the nearest other centre. */
const halfGaps = (centres: FlatRows): Float64Array => {
  const gaps = new Float64Array(centres.count).fill(Number.POSITIVE_INFINITY);
  for (let one = 0; one < centres.count; one += 1)
    for (let other = 0; other < one; other += 1) {
      const half = Math.sqrt(squaredDistance(centres, one, centres, other)) / 2;
      if (half < gaps[one]!) gaps[one] = half;
      if (half < gaps[other]!) gaps[other] = half;
    }
  return gaps;
};

/** The nearest centre, the first of equals, its squared distance, and that of the second nearest. */
const nearestTwo = (
  rows: FlatRows,
  row: number,
  centres: FlatRows,
): { readonly label: number; readonly least: number; readonly second: number } => {
  const pairs = { rows, others: centres };
  let label = 0;
  let [least, second] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let centre = 0; centre < centres.count; centre += 1) {
    const distance = squaredDistanceUpTo(pairs, row, centre, second);
    if (distance < least) [label, least, second] = [centre, distance, least];
    else if (distance < second) second = distance;
  }
  return { label, least, second };
};

/** Means of the rows of each label that changed, summed in the order of the rows; other centres stay. */
const meansOf = (rows: FlatRows, labels: Int32Array, centres: FlatRows, changed: Uint8Array): FlatRows => {
  const { count, width } = rows;
  const values = Float64Array.from(centres.values);
  const sizes = new Int32Array(centres.count);
  for (let row = 0; row < count; row += 1) sizes[labels[row]!]! += 1;
  const isMoved = (centre: number): boolean => changed[centre] === 1 && sizes[centre]! > 0;
  for (let centre = 0; centre < centres.count; centre += 1)
    if (isMoved(centre)) values.fill(0, centre * width, (centre + 1) * width);
  for (let row = 0; row < count; row += 1) {
    const label = labels[row]!;
    if (changed[label] === 0) continue;
    const [from, to] = [row * width, label * width];
    for (let at = 0; at < width; at += 1) values[to + at]! += rows.values[from + at]!;
  }
  for (let centre = 0; centre < centres.count; centre += 1)
    if (isMoved(centre))
      for (let at = centre * width; at < (centre + 1) * width; at += 1) values[at]! /= sizes[centre]!;
  return { values, count: centres.count, width };
};

/** Means of the rows of each label; 0 for a label without rows. */
export const clusterMeans = (rows: FlatRows, labels: Int32Array, count: number): FlatRows => {
  const none = { values: new Float64Array(count * rows.width), count, width: rows.width };
  return meansOf(rows, labels, none, new Uint8Array(count).fill(1));
};
