/** Days before a day that tell how the source lies of late; a check is given those of twice as many (drift.ts). */
export const changeDays = 14;

/** Fewer days than this tell nothing. */
const least = 3;

/** What a day counts of the one after it, and a day of the other kind (working or free) of one of the same. */
const fading = 0.75;
const otherKind = 0.25;

/** One of the days before a day. */
export type PastShares = {
  /** How many days before, 1 to 14. */
  readonly apart: number;
  /** Whether both are working days, or neither. */
  readonly alike: boolean;
  /** Shares of the tolerance of its own model that it used, slice by slice (scores.ts); NaN where not observed. */
  readonly shares: Float64Array;
};

/**
 * Share of the weight that is left out at either end: more than one day has of a whole fortnight, so that none alone,
 * however far away, moves what is left.
 */
const trimmed = 0.375;

/**
 * Where a source lies of late beside its models: slice by slice the trimmed mean (Tukey 1962) of the shares
 * that the days before used of their tolerances, with weights that fade as days are longer ago (Roberts 1959); 0 where
 * none observed the slice. null when they are fewer than three.
 * @param before in any order
 *
 * Weather, growth and habits last for days, so that what a day has beside its model is half told by the days before:
 * a day less this level varies less than the day, and shows smaller changes.
 */
export const levelBefore = (before: readonly PastShares[]): Float64Array | null => {
  const [first] = before;
  if (!first || before.length < least) return null;
  const weights = before.map(({ apart, alike }) => {
    let weight = alike ? 1 : otherKind;
    for (let back = 1; back < apart; back += 1) weight *= fading;
    return weight;
  });
  const values = new Float64Array(before.length);
  const sizes = new Float64Array(before.length);
  return first.shares.map((_, slice) => {
    let count = 0;
    before.forEach(({ shares }, day) => {
      const share = shares[slice]!;
      if (share !== share) return;
      // Few enough to be put in their place one by one: checks of thousands of days pass here.
      let at = count++;
      for (; at > 0 && values[at - 1]! > share; at -= 1) {
        values[at] = values[at - 1]!;
        sizes[at] = sizes[at - 1]!;
      }
      values[at] = share;
      sizes[at] = weights[day]!;
    });
    return trimmedMean(values.subarray(0, count), sizes);
  });
};

/** Of ascending values, each with its weight; 0 of none. */
const trimmedMean = (values: Float64Array, weights: Float64Array): number => {
  let total = 0;
  for (let at = 0; at < values.length; at += 1) total += weights[at]!;
  const [from, to] = [trimmed * total, (1 - trimmed) * total];
  let [passed, sum] = [0, 0];
  for (let at = 0; at < values.length; at += 1) {
    const end = passed + weights[at]!;
    sum += Math.max(0, Math.min(to, end) - Math.max(from, passed)) * values[at]!;
    passed = end;
  }
  return total > 0 ? sum / (to - from) : 0;
};

/** Shares of a day less those of the days before. */
export const changeFrom = (level: Float64Array, shares: Float64Array): Float64Array =>
  shares.map((share, slice) => share - level[slice]!);
