import type { ScaledProfile } from './prepare.js';

/** Rows of one array, prepared for the medians of many groups. */
type RowOrders = {
  /** For each slice, the indices of the rows that have a value there, in ascending order of their values. */
  readonly slices: readonly Uint16Array[];
  readonly isComplete: boolean;
  /** Medians of groups by their members (memberKeys), when all rows are complete. */
  readonly medians: Map<string, ScaledProfile>;
};

/** Most rows whose indices fit an order. */
const rowsMax = 65_535;

/** Most medians that are kept for one array of rows. */
const mediansMax = 4096;

/** Sorted once for each array of rows: medians of many groupings read the same orders. */
const knownOrders = new WeakMap<readonly ScaledProfile[], RowOrders>();

const ordersOf = (rows: readonly ScaledProfile[]): RowOrders => {
  const known = knownOrders.get(rows);
  if (known) return known;
  if (rows.length > rowsMax) throw new RangeError(`got ${rows.length} rows, expected at most ${rowsMax}`);
  const values = new Float64Array(rows.length);
  const slices = Array.from({ length: rows[0]?.length ?? 0 }, (_, slice) => {
    const present = new Uint16Array(rows.length);
    let count = 0;
    for (let index = 0; index < rows.length; index += 1) {
      const value = (values[index] = rows[index]![slice]!);
      if (value === value) present[count++] = index;
    }
    return present.slice(0, count).sort((a, b) => values[a]! - values[b]!);
  });
  const isComplete = slices.every(order => order.length === rows.length);
  const orders = { slices, isComplete, medians: new Map<string, ScaledProfile>() };
  knownOrders.set(rows, orders);
  return orders;
};

/** Members of each group as a string, 16 rows a character; null for a group without rows. */
const memberKeys = (groups: ArrayLike<number>, count: number): (string | null)[] => {
  const width = (groups.length + 15) >> 4;
  const words = new Uint16Array(count * width);
  const isUsed = new Uint8Array(count);
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row]!;
    if (group < 0) continue;
    words[group * width + (row >> 4)]! |= 1 << (row & 15);
    isUsed[group] = 1;
  }
  return Array.from(isUsed, (used, group) =>
    used === 1 ? String.fromCharCode(...words.subarray(group * width, (group + 1) * width)) : null,
  );
};

/**
 * Median of the rows of each group, slice by slice.
 * @param rows      NaN in slices without a value; the same array must always hold the same rows
 * @param groups    group of each row, −1 for none
 * @param fallbacks values for slices in which a group has none, one profile for each group
 * @returns         not to be changed: complete groups with the same rows get the same array in each call
 */
export const groupMedians = (
  rows: readonly ScaledProfile[],
  groups: ArrayLike<number>,
  fallbacks: readonly ScaledProfile[],
): ScaledProfile[] => {
  const { slices, isComplete, medians: known } = ordersOf(rows);
  const keys = isComplete ? memberKeys(groups, fallbacks.length) : [];
  const kept = fallbacks.map((_, group) => known.get(keys[group] ?? ''));
  const wanted = fallbacks.flatMap((_, group) => (kept[group] ? [] : group));
  // One array type and no group below 0: loops over rows are hot spots. The last group has all other rows.
  const places = new Int32Array(fallbacks.length + 1).fill(wanted.length);
  wanted.forEach((group, place) => (places[group] = place));
  const groupOf = Int32Array.from(groups, group => places[group < 0 ? fallbacks.length : group]!);
  const found = wanted.map(group => Float64Array.from(fallbacks[group]!));
  if (wanted.length > 0) fillMedians(rows, slices, groupOf, found);
  if (known.size > mediansMax) known.clear();
  wanted.forEach((group, place) => {
    const key = keys[group];
    if (key) known.set(key, found[place]!);
  });
  return fallbacks.map((_, group) => kept[group] ?? found[places[group]!]!);
};

/** Writes the medians of each group but the last one; slices in which a group has no value are not written. */
const fillMedians = (
  rows: readonly ScaledProfile[],
  slices: readonly Uint16Array[],
  groupOf: Int32Array,
  medians: readonly ScaledProfile[],
): void => {
  const count = medians.length;
  const lows = new Float64Array(count);
  const left = new Int32Array(count + 1);
  let sizes: Int32Array = new Int32Array(count + 1);
  let before: Uint16Array | undefined;
  slices.forEach((order, slice) => {
    // Orders of all rows have the same sizes.
    if (order.length < rows.length || before?.length !== rows.length)
      sizes = sizesOf(order, groupOf, count + 1);
    before = order;
    // Rows of each group up to the lower one of its two middle rows; groups without their median.
    let open = 0;
    for (let group = 0; group < count; group += 1) {
      left[group] = (sizes[group]! + 1) >> 1;
      if (sizes[group]! > 0) open += 1;
    }
    left[count] = order.length + 1;
    for (let at = 0; open > 0; at += 1) {
      const row = order[at]!;
      const group = groupOf[row]!;
      const rest = (left[group]! -= 1);
      if (rest > 0 || rest < -1) continue;
      const isEven = sizes[group]! % 2 === 0;
      if (rest < 0 && !isEven) continue;
      const value = rows[row]![slice]!;
      // The same arithmetic as `sortedQuantile` at 0.5; −0 becomes 0.
      if (rest === 0) lows[group] = medians[group]![slice] = value + 0;
      else medians[group]![slice] = lows[group]! + 0.5 * (value - lows[group]!);
      if (rest < 0 || !isEven) open -= 1;
    }
  });
};

/** Number of rows of each group. */
const sizesOf = (order: Uint16Array, groupOf: Int32Array, count: number): Int32Array => {
  const sizes = new Int32Array(count);
  for (let at = 0; at < order.length; at += 1) sizes[groupOf[order[at]!]!]! += 1;
  return sizes;
};
