/** Days before a day that tell how the source lies of late. */
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
  const weighed = before.map(({ apart, alike, shares }) => {
    let weight = alike ? 1 : otherKind;
    for (let back = 1; back < apart; back += 1) weight *= fading;
    return { weight, shares };
  });
  return first.shares.map((_, slice) =>
    trimmedMean(
      weighed
        .map(({ weight, shares }) => ({ weight, share: shares[slice]! }))
        .filter(({ share }) => share === share),
    ),
  );
};

const trimmedMean = (of: { readonly weight: number; readonly share: number }[]): number => {
  of.sort((a, b) => a.share - b.share);
  const total = of.reduce((sum, { weight }) => sum + weight, 0);
  const [from, to] = [trimmed * total, (1 - trimmed) * total];
  let [passed, sum] = [0, 0];
  for (const { weight, share } of of) {
    const inside = Math.min(to, passed + weight) - Math.max(from, passed);
    if (inside > 0) sum += inside * share;
    passed += weight;
  }
  return total > 0 ? sum / (to - from) : 0;
};

/** Shares of a day less those of the days before. */
export const changeFrom = (level: Float64Array, shares: Float64Array): Float64Array =>
  shares.map((share, slice) => share - level[slice]!);
