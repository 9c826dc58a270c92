import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * mathjs, loaded on first use as its one-file bundle: 50 ms instead of 1.2 s for the package with its thousand modules.
 * No other module may load it. It is too slow for hot loops: use `sortedQuantile` and `sortedMedian` there.
 */
const math = (): typeof import('mathjs') => require('mathjs/lib/browser/math.js') as typeof import('mathjs');

/** Mean of numbers, added in their order; NaN for none. */
export const mean = (values: readonly number[] | Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

/**
 * Quantiles by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
 * @param values        at least one, finite, in any order
 * @param probabilities each 0–1
 * @returns             one quantile per probability, in the unit of the values
 */
export const quantiles = (values: readonly number[], probabilities: readonly number[]): number[] => {
  const sorted = Float64Array.from(values).sort();
  // Probabilities go in as an array: mathjs reads a single integer above 1 as a number of equal parts.
  return math().quantileSeq(Array.from(sorted), [...probabilities], true) as unknown as number[];
};

/** Median of at least one value, in any order. */
export const median = (values: readonly number[]): number => quantiles(values, [0.5])[0] ?? 0;

/**
 * The median that `median` has, to the last digit, for hot loops. `sortedQuantile` may differ in that digit.
 * @param sorted its first `count` values, at least one, are ascending
 */
export const sortedMedian = (sorted: ArrayLike<number>, count = sorted.length): number => {
  const middle = (count - 1) >> 1;
  const low = sorted[middle]!;
  return count % 2 === 1 ? low : 0.5 * low + 0.5 * sorted[middle + 1]!;
};

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

/** `repeatedQuantile` of values that count once. Reorders them in place. */
export const selectedQuantile = (values: Float64Array, probability: number): number =>
  repeatedQuantile(values, new Int32Array(values.length).fill(1), probability);

/**
 * The quantile that `sortedQuantile` has for the sorted values, without sorting all of them.
 * @param values      at least one, no NaN; reordered in place
 * @param times       how often each value counts, ≥ 1; reordered in place
 * @param probability 0–1
 */
export const repeatedQuantile = (values: Float64Array, times: Int32Array, probability: number): number => {
  let count = 0;
  for (let at = 0; at < times.length; at += 1) count += times[at]!;
  const place = (count - 1) * probability;
  const below = Math.floor(place);
  return valueAt({ values, times, size: values.length }, below, place - below);
};

/** Values without NaN, and how often each counts, ≥ 1: the first `size` of both arrays. */
export type Repeated = { readonly values: Float64Array; readonly times: Int32Array; size: number };

/**
 * Value between a place and the next one of the sorted values, without sorting all of them (Hoare 1961, "Find").
 * @param repeated reordered in place
 * @param place    an integer from 0, below the number of values with their repetitions
 * @param part     0 for the value at the place, 1 for the next one; the last value has itself as the next one
 */
export const valueAt = (repeated: Repeated, place: number, part: number): number => {
  const { values, times, size } = repeated;
  const at = select(repeated, place);
  const low = values[at]!;
  // The place after the last repetition of the selected value.
  let end = 0;
  for (let other = 0; other <= at; other += 1) end += times[other]!;
  let next = low;
  if (end === place + 1 && at + 1 < size) {
    // All values after the selected one are at least as large.
    next = values[at + 1]!;
    for (let other = at + 2; other < size; other += 1) if (values[other]! < next) next = values[other]!;
  }
  return low + part * (next - low);
};

/**
 * Index of the value that sorting would put at a place. Values before it are not larger, values behind it not smaller.
 */
const select = ({ values, times, size }: Repeated, place: number): number => {
  let from = 0;
  let to = size - 1;
  let before = 0;
  while (from < to) {
    const pivot = values[(from + to) >> 1]!;
    let left = from;
    let right = to;
    while (left <= right) {
      while (values[left]! < pivot) left += 1;
      while (values[right]! > pivot) right -= 1;
      if (left > right) break;
      const value = values[left]!;
      const count = times[left]!;
      values[left] = values[right]!;
      times[left] = times[right]!;
      values[right] = value;
      times[right] = count;
      left += 1;
      right -= 1;
    }
    // No value up to `right` is above the pivot, none from `left` on is below it.
    let low = before;
    for (let at = from; at <= right; at += 1) low += times[at]!;
    let middle = low;
    for (let at = right + 1; at < left; at += 1) middle += times[at]!;
    if (place < low) to = right;
    else if (place >= middle) {
      from = left;
      before = middle;
    } else {
      from = right + 1;
      to = from;
    }
  }
  return from;
};

/**
 * Adjusted Rand index of two labellings of the same items (Hubert and Arabie 1985): 1 when they are equal up to names,
 * 0 on average for random labellings.
 */
export const adjustedRandIndex = (a: readonly number[], b: readonly number[]): number => {
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  const pairsWithin = (labels: readonly (number | string)[]): number => {
    const counts = new Map<number | string, number>();
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
    return [...counts.values()].reduce((sum, count) => sum + pairs(count), 0);
  };
  const inA = pairsWithin(a);
  const inB = pairsWithin(b);
  const inBoth = pairsWithin(a.map((label, at) => `${label}/${b[at]}`));
  const all = pairs(a.length);
  const expected = all > 0 ? (inA * inB) / all : 0;
  const most = (inA + inB) / 2;
  return most === expected ? 1 : (inBoth - expected) / (most - expected);
};

/**
 * Benjamini–Hochberg procedure (Benjamini and Hochberg 1995): of `count` p-values the k smallest are discoveries, with
 * the largest k whose k-th smallest is at most k · rate / count. The expected share of false ones among them is at most
 * `rate` for valid p-values that are independent or positively dependent (Benjamini and Yekutieli 2001).
 * @param pValues those of some hypotheses, 0–1, in any order; the others count as 1, which adds no discovery
 * @param count   number of all hypotheses, at least that of the p-values
 * @param rate    false-discovery rate, above 0 and below 1
 * @returns       the largest p-value of a discovery; null without one
 */
export const discoveredUpTo = (pValues: readonly number[], count: number, rate: number): number | null => {
  const ascending = Float64Array.from(pValues).sort();
  for (let rank = ascending.length; rank > 0; rank -= 1) {
    const value = ascending[rank - 1]!;
    if (value <= (rank * rate) / count) return value;
  }
  return null;
};
