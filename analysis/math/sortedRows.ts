/** Rows in the order of their values, slice after slice. */
export type SortedRows = {
  readonly rows: number;
  /** For each slice, the rows in ascending order of their values there; rows without a value are last. */
  readonly order: Uint16Array;
  /** For each slice, the place of each row in that order, from 0. */
  readonly places: Uint16Array;
  /** Their values in that order; Infinity for none. */
  readonly values: Float64Array;
  /** For each slice, the number of values. */
  readonly counts: Int32Array;
};

/** Most rows whose indices fit 16 bits. */
const rowsMax = 65_536;

/**
 * Sorts rows by their values in each slice.
 * @param rows of one length, NaN in slices without a value
 * @throws RangeError when there are more than 65,536 rows
 */
export const sortedRows = (rows: readonly Float64Array[]): SortedRows => {
  if (rows.length > rowsMax) throw new RangeError(`got ${rows.length} rows, expected at most ${rowsMax}`);
  const slices = rows[0]?.length ?? 0;
  const order = new Uint16Array(rows.length * slices);
  const places = new Uint16Array(rows.length * slices);
  const values = new Float64Array(rows.length * slices);
  const counts = new Int32Array(slices);
  for (let slice = 0; slice < slices; slice += 1) {
    const from = slice * rows.length;
    // Smooth days keep most of the order of the slice before.
    if (slice > 0) order.copyWithin(from, from - rows.length, from);
    else for (let row = 0; row < rows.length; row += 1) order[row] = row;
    counts[slice] = sortSlice(rows, slice, order, values);
    for (let place = 0; place < rows.length; place += 1) places[from + order[from + place]!] = place;
  }
  return { rows: rows.length, order, places, values, counts };
};

/** Sorts the rows of one slice by its values, from an order of the rows; returns the number of values. */
const sortSlice = (
  rows: readonly Float64Array[],
  slice: number,
  order: Uint16Array,
  values: Float64Array,
): number => {
  const from = slice * rows.length;
  let count = 0;
  // Insertion sort: its cost is the number of pairs that change places, small when the order hardly changes.
  for (let end = from; end < from + rows.length; end += 1) {
    const row = order[end]!;
    let value = rows[row]![slice]!;
    if (value === value) count += 1;
    else value = Number.POSITIVE_INFINITY;
    let at = end;
    for (; at > from && values[at - 1]! > value; at -= 1) {
      values[at] = values[at - 1]!;
      order[at] = order[at - 1]!;
    }
    values[at] = value;
    order[at] = row;
  }
  return count;
};
