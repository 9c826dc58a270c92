/** Consecutive slices with the same value: the first slice, their number, and the value. */
export type Flatline = { readonly from: number; readonly length: number; readonly value: number };

/**
 * The longest run of observed slices with the same value in one day; the earliest of several.
 * @param activity one value per slice
 * @param observed which slices hold observed points; a slice that does not, even an interpolated one, ends a run
 */
export const longestFlatline = (activity: readonly number[], observed: readonly boolean[]): Flatline => {
  let longest: Flatline = { from: 0, length: 0, value: 0 };
  for (let from = 0; from < activity.length;) {
    const value = activity[from]!;
    let to = from;
    while (to < activity.length && observed[to] && activity[to] === value) to += 1;
    if (to - from > longest.length) longest = { from, length: to - from, value };
    from = Math.max(to, from + 1);
  }
  return longest;
};
