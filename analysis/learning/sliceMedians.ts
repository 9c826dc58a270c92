import type { ScaledProfile } from './prepare.js';

/** For each slice, the indices of the rows that have a value there, in ascending order of their values. */
type SliceOrders = readonly Uint16Array[];

/** Most rows whose indices fit an order. */
const rowsMax = 65_535;

/** Sorted once for each set of rows: medians of many groupings read the same orders. */
const knownOrders = new WeakMap<readonly ScaledProfile[], SliceOrders>();

const ordersOf = (rows: readonly ScaledProfile[]): SliceOrders => {
  const known = knownOrders.get(rows);
  if (known) return known;
  if (rows.length > rowsMax) throw new RangeError(`got ${rows.length} rows, expected at most ${rowsMax}`);
  const slices = rows[0]?.length ?? 0;
  const values = new Float64Array(rows.length);
  const orders = Array.from({ length: slices }, (_, slice) => {
    const present = new Uint16Array(rows.length);
    let count = 0;
    for (let index = 0; index < rows.length; index += 1) {
      const value = (values[index] = rows[index]![slice]!);
      if (value === value) present[count++] = index;
    }
    return present.slice(0, count).sort((a, b) => values[a]! - values[b]!);
  });
  knownOrders.set(rows, orders);
  return orders;
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
  const medians = fallbacks.map(fallback => Float64Array.from(fallback));
  const count = fallbacks.length;
  // One array type and no group below 0: this loop is a hot spot. The last group has the rows of none.
  const groupOf = Int32Array.from(groups, group => (group < 0 ? count : group));
  const lows = new Float64Array(count);
  const left = new Int32Array(count + 1);
  let sizes: Int32Array = new Int32Array(count + 1);
  let before: Uint16Array | undefined;
  ordersOf(rows).forEach((order, slice) => {
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
  return medians;
};

/** Number of rows of each group. */
const sizesOf = (order: Uint16Array, groupOf: Int32Array, count: number): Int32Array => {
  const sizes = new Int32Array(count);
  for (let at = 0; at < order.length; at += 1) sizes[groupOf[order[at]!]!]! += 1;
  return sizes;
};
