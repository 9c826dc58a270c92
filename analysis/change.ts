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
 * Where a source lies of late beside its models: slice by slice the exponentially weighted mean (Roberts 1959) of the
 * shares that the days before used of their tolerances; 0 where none observed the slice. null when they are fewer
 * than three.
 *
 * Weather, growth and habits last for days, so that what a day has beside its model is half told by the days before:
 * a day less this level varies less than the day, and shows smaller changes. A weighted median does no better.
 */
export const levelBefore = (before: readonly PastShares[]): Float64Array | null => {
  const [first] = before;
  if (!first || before.length < least) return null;
  const sums = new Float64Array(first.shares.length);
  const weights = new Float64Array(first.shares.length);
  for (const { apart, alike, shares } of before) {
    let weight = alike ? 1 : otherKind;
    for (let back = 1; back < apart; back += 1) weight *= fading;
    shares.forEach((share, slice) => {
      if (share !== share) return;
      sums[slice]! += weight * share;
      weights[slice]! += weight;
    });
  }
  return sums.map((sum, slice) => (weights[slice]! > 0 ? sum / weights[slice]! : 0));
};

/** Shares of a day less those of the days before. */
export const changeFrom = (level: Float64Array, shares: Float64Array): Float64Array =>
  shares.map((share, slice) => share - level[slice]!);
