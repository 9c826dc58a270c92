import type { BrokenLimit } from '../../domain/alerts.js';

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

/** What each score may be at most, in magnitude; infinite where there is no such limit. */
export type ScoreLimits = Readonly<Record<BrokenLimit, number>>;

/**
 * A change breaks its limit only where the day itself uses more than so much of the limit on the same mean, in the
 * same direction: coming back to the model after a storm or a holiday season is none.
 */
export const awayShare = 0.5;

/**
 * How much of each limit a day uses, ≥ 0: above 1 it is broken. Limits that are all times as wide are all used that
 * many times less, which conformal ranks rest on.
 * @param change scores of the day's shares less those of the days before (change.ts); null where these are too few
 */
export const usedOf = (scores: Scores, change: Scores | null, limits: ScoreLimits): ScoreLimits => {
  const changed = (mean: 'window' | 'day', limit: number): number => {
    if (change === null) return 0;
    const away = (scores[mean] * Math.sign(change[mean])) / (awayShare * limits[mean]);
    return Math.max(0, Math.min(away, Math.abs(change[mean]) / limit));
  };
  return {
    slice: Math.abs(scores.slice) / limits.slice,
    window: Math.abs(scores.window) / limits.window,
    day: Math.abs(scores.day) / limits.day,
    windowChange: changed('window', limits.windowChange),
    dayChange: changed('day', limits.dayChange),
  };
};

/** The most that is used of a limit: above 1 one is broken. */
export const mostUsed = ({ slice, window, day, windowChange, dayChange }: ScoreLimits): number =>
  Math.max(slice, window, day, windowChange, dayChange);

/** The same of a day's scores. */
export const jointScore = (scores: Scores, change: Scores | null, limits: ScoreLimits): number =>
  mostUsed(usedOf(scores, change, limits));
