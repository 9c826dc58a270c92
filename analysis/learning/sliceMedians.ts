import { oncePer } from '../math/oncePer.js';
import type { ScaledProfile } from './prepare.js';

/** Rows in the order of their values, slice after slice. */
type SortedRows = {
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
const sortedRows = (rows: readonly Float64Array[]): SortedRows => {
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

/** Middle values of groups of rows. Arrays by slice and group have a last group for rows without one. */
type Middles = {
  /** Group of each row; the number of groups for none. */
  readonly groupOf: Int32Array;
  readonly groups: number;
  /** By slice and group: the number of values. */
  readonly sizes: Int32Array;
  /** By slice and group: the index of the lower middle value in the sorted values. */
  readonly middles: Int32Array;
};

/** Rows that were sorted, and the middles of their last grouping. */
type Known = { readonly sorted: SortedRows; last: Middles | undefined };

/** One for each array of rows: the groupings of folds and rounds differ in few rows. */
const knownOf = oncePer((rows: readonly ScaledProfile[]): Known => ({
  sorted: sortedRows(rows),
  last: undefined,
}));

/** Maximum share of changed rows for which middles are moved; with more of them a new search is faster. */
const movedShareMax = 1 / 3;

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
  const known = knownOf(rows);
  const groupOf = new Int32Array(rows.length);
  for (let row = 0; row < rows.length; row += 1)
    groupOf[row] = groups[row]! < 0 ? fallbacks.length : groups[row]!;
  const { sorted, last } = known;
  const changed = last?.groups === fallbacks.length ? changedRows(last.groupOf, groupOf) : null;
  known.last =
    last && changed && changed.length <= movedShareMax * rows.length
      ? movedMiddles(sorted, last, groupOf, changed)
      : foundMiddles(sorted, groupOf, fallbacks.length);
  return mediansAt(sorted, known.last, fallbacks);
};

const changedRows = (before: Int32Array, after: Int32Array): Int32Array => {
  const changed = new Int32Array(after.length);
  let count = 0;
  for (let row = 0; row < after.length; row += 1) {
    changed[count] = row;
    if (before[row] !== after[row]) count += 1;
  }
  return changed.subarray(0, count);
};

/** Finds the middle value of each group: rows are counted in the order of their values until half of it is passed. */
const foundMiddles = ({ rows, order, counts }: SortedRows, groupOf: Int32Array, groups: number): Middles => {
  const width = groups + 1;
  const sizes = new Int32Array(counts.length * width);
  const middles = new Int32Array(counts.length * width);
  // Rows of each group up to its middle value.
  const left = new Int32Array(width);
  for (let slice = 0; slice < counts.length; slice += 1) {
    const from = slice * rows;
    const end = from + counts[slice]!;
    const base = slice * width;
    if (slice > 0 && counts[slice] === rows && counts[slice - 1] === rows)
      sizes.copyWithin(base, base - width, base);
    else for (let at = from; at < end; at += 1) sizes[base + groupOf[order[at]!]!]! += 1;
    let open = 0;
    for (let group = 0; group < groups; group += 1) {
      const size = sizes[base + group]!;
      left[group] = (size + 1) >> 1;
      middles[base + group] = from - 1;
      if (size > 0) open += 1;
    }
    // Rows without a group count from 0 downwards.
    left[groups] = 0;
    for (let at = from; open > 0; at += 1) {
      const group = groupOf[order[at]!]!;
      const rest = left[group]! - 1;
      left[group] = rest;
      if (rest !== 0) continue;
      middles[base + group] = at;
      open -= 1;
    }
  }
  return { groupOf, groups, sizes, middles };
};

/** Moves middle values by the rows that changed their group. The given middles are overwritten. */
const movedMiddles = (
  { rows, order, places, counts }: SortedRows,
  { groupOf: before, groups, sizes, middles }: Middles,
  groupOf: Int32Array,
  changed: Int32Array,
): Middles => {
  const width = groups + 1;
  // Values of each group up to its previous middle.
  const passed = new Int32Array(width);
  for (let slice = 0; slice < counts.length; slice += 1) {
    const from = slice * rows;
    const base = slice * width;
    for (let group = 0; group < groups; group += 1) passed[group] = (sizes[base + group]! + 1) >> 1;
    for (let change = 0; change < changed.length; change += 1) {
      const row = changed[change]!;
      const place = places[from + row]!;
      if (place >= counts[slice]!) continue;
      const left = before[row]!;
      const joined = groupOf[row]!;
      sizes[base + left]! -= 1;
      sizes[base + joined]! += 1;
      if (from + place <= middles[base + left]!) passed[left]! -= 1;
      if (from + place <= middles[base + joined]!) passed[joined]! += 1;
    }
    for (let group = 0; group < groups; group += 1) {
      const wanted = (sizes[base + group]! + 1) >> 1;
      let at = middles[base + group]!;
      let count = passed[group]!;
      for (; count > wanted; at -= 1) if (groupOf[order[at]!] === group) count -= 1;
      while (count < wanted) {
        at += 1;
        if (groupOf[order[at]!] === group) count += 1;
      }
      // The row at the middle may have left its group.
      while (count > 0 && groupOf[order[at]!] !== group) at -= 1;
      middles[base + group] = at;
    }
  }
  return { groupOf, groups, sizes, middles };
};

/** Medians by their middle values, with the same arithmetic as `sortedQuantile` at 0.5; −0 becomes 0. */
const mediansAt = (
  { order, values, counts }: SortedRows,
  { groupOf, groups, sizes, middles }: Middles,
  fallbacks: readonly ScaledProfile[],
): ScaledProfile[] =>
  fallbacks.map((fallback, group) => {
    const median = fallback.slice();
    for (let slice = 0; slice < counts.length; slice += 1) {
      const size = sizes[slice * (groups + 1) + group]!;
      if (size === 0) continue;
      let at = middles[slice * (groups + 1) + group]!;
      const low = values[at]! + 0;
      median[slice] = low;
      if (size % 2 === 1) continue;
      do at += 1;
      while (groupOf[order[at]!] !== group);
      median[slice] = low + 0.5 * (values[at]! + 0 - low);
    }
    return median;
  });
