/** A run of slices of one value: the first, how many, and the value. */
export type FrozenRun = { readonly from: number; readonly length: number; readonly value: number };

/**
 * The longest run of observed slices of one day that all have the same value, the earliest of equals.
 * @param activity one value a slice
 * @param observed which slices hold observed points; another ends a run, an interpolated one too
 */
export const longestRunOf = (activity: readonly number[], observed: readonly boolean[]): FrozenRun => {
  let longest: FrozenRun = { from: 0, length: 0, value: 0 };
  for (let from = 0; from < activity.length;) {
    const value = activity[from]!;
    let to = from;
    while (to < activity.length && observed[to] && activity[to] === value) to += 1;
    if (to - from > longest.length) longest = { from, length: to - from, value };
    from = Math.max(to, from + 1);
  }
  return longest;
};
