/** Rows of one length in one array, row after row: sums and distances are computed without following pointers. */
export type FlatRows = { readonly values: Float64Array; readonly count: number; readonly width: number };

/** Copies rows of one length into one array. */
export const flatRows = (rows: readonly ArrayLike<number>[]): FlatRows => {
  const width = rows[0]?.length ?? 0;
  const values = new Float64Array(rows.length * width);
  rows.forEach((row, index) => values.set(row, index * width));
  return { values, count: rows.length, width };
};

/** One row, as a view. */
export const rowOf = ({ values, width }: FlatRows, row: number): Float64Array =>
  values.subarray(row * width, (row + 1) * width);

/** Copies flat rows into arrays. */
export const rowsOf = ({ values, count, width }: FlatRows): number[][] =>
  Array.from({ length: count }, (_, row) => {
    const own: number[] = [];
    for (let at = row * width; at < (row + 1) * width; at += 1) own.push(values[at]!);
    return own;
  });

/** Squared distance of a row to some values, summed in their order. */
export const squaredDistanceTo = ({ values, width }: FlatRows, row: number, other: Float64Array): number => {
  const from = row * width;
  let total = 0;
  for (let at = 0; at < width; at += 1) {
    const difference = values[from + at]! - other[at]!;
    total += difference * difference;
  }
  return total;
};

/** `squaredDistanceTo` two others, in one pass: additions to one sum wait for each other. */
export const squaredDistancesToTwo = (
  { values, width }: FlatRows,
  row: number,
  one: Float64Array,
  other: Float64Array,
): readonly [number, number] => {
  const from = row * width;
  let p = 0;
  let q = 0;
  for (let at = 0; at < width; at += 1) {
    const value = values[from + at]!;
    const e = value - one[at]!;
    const f = value - other[at]!;
    p += e * e;
    q += f * f;
  }
  return [p, q];
};

/** `squaredDistanceTo` of each row to one of them; four rows at a time, as additions to one sum wait for each other. */
export const squaredDistancesTo = (rows: FlatRows, row: number): Float64Array => {
  const { values, count, width } = rows;
  const distances = new Float64Array(count);
  const begin = row * width;
  const last = count - (count % 4);
  for (let other = 0; other < last; other += 4) {
    const a = other * width;
    const b = a + width;
    const c = b + width;
    const d = c + width;
    let p = 0;
    let q = 0;
    let r = 0;
    let s = 0;
    for (let at = 0; at < width; at += 1) {
      const value = values[begin + at]!;
      const e = values[a + at]! - value;
      const f = values[b + at]! - value;
      const g = values[c + at]! - value;
      const h = values[d + at]! - value;
      p += e * e;
      q += f * f;
      r += g * g;
      s += h * h;
    }
    distances[other] = p;
    distances[other + 1] = q;
    distances[other + 2] = r;
    distances[other + 3] = s;
  }
  const own = rowOf(rows, row);
  for (let other = last; other < count; other += 1) distances[other] = squaredDistanceTo(rows, other, own);
  return distances;
};

/** Some rows, each with a weight: the first `count` values. Buffers that are written many times. */
export type WeightedRows = { readonly indices: Int32Array; readonly weights: Float64Array; count: number };

/** A buffer for at most `size` rows. */
export const weightedRows = (size: number): WeightedRows => ({
  indices: new Int32Array(size),
  weights: new Float64Array(size),
  count: 0,
});

/**
 * Weighted sum of some rows, each value added in the order of the rows; eight values at a time, since this is a hot
 * spot. Weights of 1 give the same bits as a plain sum.
 * @param sum is overwritten
 */
export const weightedSum = (
  { values, width }: FlatRows,
  { indices, weights, count }: WeightedRows,
  sum: Float64Array = new Float64Array(width),
): Float64Array => {
  const last = width - (width % 8);
  for (let slice = 0; slice < last; slice += 8) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let at = 0; at < count; at += 1) {
      const from = indices[at]! * width + slice;
      const weight = weights[at]!;
      a += weight * values[from]!;
      b += weight * values[from + 1]!;
      c += weight * values[from + 2]!;
      d += weight * values[from + 3]!;
      e += weight * values[from + 4]!;
      f += weight * values[from + 5]!;
      g += weight * values[from + 6]!;
      h += weight * values[from + 7]!;
    }
    sum[slice] = a;
    sum[slice + 1] = b;
    sum[slice + 2] = c;
    sum[slice + 3] = d;
    sum[slice + 4] = e;
    sum[slice + 5] = f;
    sum[slice + 6] = g;
    sum[slice + 7] = h;
  }
  for (let slice = last; slice < width; slice += 1) {
    let total = 0;
    for (let at = 0; at < count; at += 1) total += weights[at]! * values[indices[at]! * width + slice]!;
    sum[slice] = total;
  }
  return sum;
};
