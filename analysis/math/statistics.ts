import { createRequire } from 'node:module';

/**
 * mathjs, loaded as its one-file bundle: 50 ms instead of 1.2 s for the package with its thousand modules.
 * No other module may load it. It is too slow for hot loops: use `sortedQuantile` there.
 */
const math = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as typeof import('mathjs');

/**
 * Quantiles by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
 * @param values        at least one, finite, in any order
 * @param probabilities each 0–1
 * @returns             one quantile per probability, in the unit of the values
 */
export const quantiles = (values: readonly number[], probabilities: readonly number[]): number[] => {
  const sorted = Float64Array.from(values).sort();
  // Probabilities go in as an array: mathjs reads a single integer above 1 as a number of equal parts.
  return math.quantileSeq(Array.from(sorted), [...probabilities], true) as unknown as number[];
};

/** Median of at least one value, in any order. */
export const median = (values: readonly number[]): number => quantiles(values, [0.5])[0] ?? 0;

/**
 * One quantile of sorted values by linear interpolation (type 7), for hot loops.
 * @param sorted      at least one, ascending
 * @param probability 0–1
 */
export const sortedQuantile = (sorted: ArrayLike<number>, probability: number): number => {
  const place = (sorted.length - 1) * probability;
  const below = Math.floor(place);
  const low = sorted[below] ?? 0;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
};

/**
 * The quantile that `sortedQuantile` has for the sorted values, without sorting all of them (Hoare 1961, "Find").
 * @param values      at least one, no NaN; reordered in place
 * @param probability 0–1
 */
export const selectedQuantile = (values: Float64Array, probability: number): number => {
  const place = (values.length - 1) * probability;
  const below = Math.floor(place);
  const low = select(values, below);
  let next = low;
  if (below + 1 < values.length) {
    // All values after the selected one are at least as large.
    next = values[below + 1]!;
    for (let at = below + 2; at < values.length; at += 1) if (values[at]! < next) next = values[at]!;
  }
  return low + (place - below) * (next - low);
};

/** The value that sorting would put at a place. Values before it are not larger, values after it not smaller. */
const select = (values: Float64Array, place: number): number => {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const pivot = values[(from + to) >> 1]!;
    let [left, right] = [from, to];
    while (left <= right) {
      while (values[left]! < pivot) left += 1;
      while (values[right]! > pivot) right -= 1;
      if (left > right) break;
      const value = values[left]!;
      values[left] = values[right]!;
      values[right] = value;
      left += 1;
      right -= 1;
    }
    if (place <= right) to = right;
    else if (place >= left) from = left;
    else break;
  }
  return values[place]!;
};
