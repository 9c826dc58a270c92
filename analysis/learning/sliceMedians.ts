import type { ScaledProfile } from './prepare.js';

/** Rows of one array in the order of their values, slice after slice. */
type SortedRows = {
  /** For each slice, the rows in ascending order of their values there; rows without a value are last. */
  readonly order: Uint16Array;
  /** Their values in that order; Infinity for none. */
  readonly values: Float64Array;
  /** For each slice, the number of values. */
  readonly counts: Int32Array;
};

/** Most rows whose indices fit 16 bits. */
const rowsMax = 65_536;

/** Sorted once for each array of rows: medians of many groupings read the same order. */
const knownSorted = new WeakMap<readonly ScaledProfile[], SortedRows>();

const sortedRowsOf = (rows: readonly ScaledProfile[]): SortedRows => {
  const known = knownSorted.get(rows);
  if (known) return known;
  if (rows.length > rowsMax) throw new RangeError(`got ${rows.length} rows, expected at most ${rowsMax}`);
  const slices = rows[0]?.length ?? 0;
  const order = new Uint16Array(rows.length * slices);
  const values = new Float64Array(rows.length * slices);
  const counts = new Int32Array(slices);
  for (let slice = 0; slice < slices; slice += 1) {
    const from = slice * rows.length;
    // Smooth days keep most of the order of the slice before.
    if (slice > 0) order.copyWithin(from, from - rows.length, from);
    else for (let row = 0; row < rows.length; row += 1) order[row] = row;
    counts[slice] = sortSlice(rows, slice, order, values);
  }
  const found = { order, values, counts };
  knownSorted.set(rows, found);
  return found;
};

/** Sorts the rows of one slice by its values, from an order of the rows; returns the number of values. */
const sortSlice = (
  rows: readonly ScaledProfile[],
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

/**
 * Median of the rows of each group, slice by slice.
 * @param rows      NaN in slices without a value; the same array must always hold the same rows
 * @param groups    group of each row, −1 for none
 * @param fallbacks values for slices in which a group has none, one profile for each group
 */
export const groupMedians = (
  rows: readonly ScaledProfile[],
  groups: ArrayLike<number>,
  fallbacks: readonly ScaledProfile[],
): ScaledProfile[] => {
  const medians = fallbacks.map(fallback => fallback.slice());
  const none = medians.length;
  const groupOf = new Int32Array(rows.length);
  for (let row = 0; row < rows.length; row += 1) groupOf[row] = groups[row]! < 0 ? none : groups[row]!;
  fillMedians(sortedRowsOf(rows), groupOf, medians);
  return medians;
};

/**
 * Writes medians; slices in which a group has no value are not written. Rows are counted in the order of their values,
 * so that a median is the value at which half of its group is passed.
 * @param groupOf group of each row; the number of groups for none
 */
const fillMedians = (
  { order, values, counts }: SortedRows,
  groupOf: Int32Array,
  medians: readonly ScaledProfile[],
): void => {
  const rows = groupOf.length;
  const sizes = new Int32Array(medians.length + 1);
  // Rows of each group up to its next middle value, and whether its lower one was found.
  const left = new Int32Array(medians.length + 1);
  const hasLower = new Uint8Array(medians.length);
  for (let slice = 0; slice < counts.length; slice += 1) {
    const from = slice * rows;
    const end = from + counts[slice]!;
    if (slice === 0 || counts[slice] !== rows || counts[slice - 1] !== rows)
      countRows(order.subarray(from, end), groupOf, sizes);
    let open = 0;
    for (let group = 0; group < medians.length; group += 1) {
      left[group] = (sizes[group]! + 1) >> 1;
      hasLower[group] = 0;
      if (sizes[group]! > 0) open += 1;
    }
    // Rows without a group count from 0 downwards.
    left[medians.length] = 0;
    for (let at = from; at < end && open > 0; at += 1) {
      const group = groupOf[order[at]!]!;
      const rest = left[group]! - 1;
      left[group] = rest;
      if (rest !== 0) continue;
      const median = medians[group]!;
      // The same arithmetic as `sortedQuantile` at 0.5; −0 becomes 0.
      const value = values[at]! + 0;
      if (hasLower[group] === 1) median[slice]! += 0.5 * (value - median[slice]!);
      else median[slice] = value;
      if (hasLower[group] === 1 || sizes[group]! % 2 === 1) open -= 1;
      else {
        hasLower[group] = 1;
        left[group] = 1;
      }
    }
  }
};

/** Writes the number of some rows in each group. */
const countRows = (rows: Uint16Array, groupOf: Int32Array, sizes: Int32Array): void => {
  sizes.fill(0);
  for (let at = 0; at < rows.length; at += 1) sizes[groupOf[rows[at]!]!]! += 1;
};
