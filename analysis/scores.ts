/** A stretch of slices over which a mean was taken: `from` inclusive, `to` exclusive. */
export type Window = { readonly from: number; readonly to: number };

/** How far a day is from its model in three ways: signed means of shares of the tolerance, NaN where none. */
export type Scores = {
  /** The share with the largest magnitude of a single slice. */
  readonly slice: number;
  /** The mean share with the largest magnitude over a window, and where. */
  readonly window: number;
  readonly where: Window;
  /** The mean share of the day. */
  readonly day: number;
};

/**
 * The three scores of a day.
 * @param shares      one a slice: residual over tolerance, positive above the curve; NaN where not observed
 * @param windowHours length of the window; it counts where at least half of its slices were observed
 */
export const scoresOf = (shares: Float64Array, windowHours: number): Scores => {
  const size = shares.length;
  const width = Math.max(1, Math.round((windowHours * size) / 24));
  let [slice, window, total, count] = [0, 0, 0, 0];
  let where = { from: 0, to: width };
  let [sum, observed] = [0, 0];
  for (let at = 0; at < size; at += 1) {
    const share = shares[at]!;
    if (share === share) {
      if (Math.abs(share) > Math.abs(slice)) slice = share;
      total += share;
      count += 1;
      sum += share;
      observed += 1;
    }
    const left = at >= width ? shares[at - width]! : Number.NaN;
    if (left === left) {
      sum -= left;
      observed -= 1;
    }
    if (at < width - 1 || observed * 2 < width) continue;
    const mean = sum / observed;
    if (Math.abs(mean) > Math.abs(window)) [window, where] = [mean, { from: at - width + 1, to: at + 1 }];
  }
  return { slice, window, where, day: count > 0 ? total / count : 0 };
};

/** Residuals over tolerances, slice by slice: above the curve over `up`, below it over `down`; NaN where not observed. */
export const sharesOf = (
  residuals: Float64Array,
  { up, down }: { readonly up: Float64Array; readonly down: Float64Array },
): Float64Array =>
  residuals.map((residual, slice) =>
    // A bound may lie on the curve.
    residual === 0 ? 0 : residual / (residual > 0 ? up[slice]! : down[slice]!),
  );

/** What each score may be at most, in magnitude. */
export type ScoreLimits = { readonly slice: number; readonly window: number; readonly day: number };

/** The largest of the scores over its limit: above 1 a limit is broken. */
export const jointScore = ({ slice, window, day }: Scores, limits: ScoreLimits): number =>
  Math.max(Math.abs(slice) / limits.slice, Math.abs(window) / limits.window, Math.abs(day) / limits.day);
