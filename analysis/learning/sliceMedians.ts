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
  const orders = Array.from({ length: slices }, (_, slice) => {
    const present = rows.flatMap((row, index) => (row[slice] === row[slice] ? index : []));
    return Uint16Array.from(present.sort((a, b) => rows[a]![slice]! - rows[b]![slice]!));
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
  const passed = new Int32Array(fallbacks.length);
  const lows = new Float64Array(fallbacks.length);
  const all = sizesOf(rows.keys(), groups, fallbacks.length);
  ordersOf(rows).forEach((order, slice) => {
    const sizes = order.length === rows.length ? all : sizesOf(order, groups, fallbacks.length);
    passed.fill(0);
    for (let at = 0; at < order.length; at += 1) {
      const group = groups[order[at]!]!;
      if (group < 0) continue;
      const place = passed[group]!++;
      const middle = (sizes[group]! - 1) / 2;
      if (place < middle - 0.5 || place > middle + 0.5) continue;
      const value = rows[order[at]!]![slice]!;
      // The same arithmetic as `sortedQuantile` at 0.5; −0 becomes 0.
      if (place <= middle) lows[group] = medians[group]![slice] = value + 0;
      else medians[group]![slice] = lows[group]! + 0.5 * (value - lows[group]!);
    }
  });
  return medians;
};

/** Number of rows of each group. */
const sizesOf = (indices: Iterable<number>, groups: ArrayLike<number>, count: number): Int32Array => {
  const sizes = new Int32Array(count);
  for (const index of indices) {
    const group = groups[index]!;
    if (group >= 0) sizes[group]! += 1;
  }
  return sizes;
};
