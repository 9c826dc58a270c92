import type { ResidualLimit } from '../../domain/alerts/findings.js';
import { usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { lastPer } from '../math/oncePer.js';
import { toScale, type LogScale } from '../math/portableMath.js';

/** Normal spread of residuals above (`up`) and below (`down`) a model, by slice, ≥ 0. */
export type Tolerance = { readonly up: Float64Array; readonly down: Float64Array };

/** Slices over which a mean was taken: `from` inclusive, `to` exclusive. */
export type Window = { readonly from: number; readonly to: number };

/** Statistics of the normalised residuals of one day. All are signed: positive above the model. */
export type Scores = {
  /** The normalised residual with the largest magnitude. */
  readonly slice: number;
  /** The mean over a window with the largest magnitude, and that window. */
  readonly window: number;
  readonly where: Window;
  /** The mean over the day. */
  readonly day: number;
};

/**
 * Slice, window and day score of a day.
 * @param normalised  normalised residuals, one per slice; NaN in slices that are not usable
 * @param windowHours length of the window; a window counts when at least half of its slices have a value
 * @param end         slices from here on are ignored
 */
export const scoresOf = (normalised: Float64Array, windowHours: number, end = normalised.length): Scores => {
  const size = normalised.length;
  const width = Math.max(1, Math.round((windowHours * size) / 24));
  let slice = 0;
  let window = 0;
  let total = 0;
  let count = 0;
  // Where the window with the largest magnitude ends.
  let windowEnd = width;
  let sum = 0;
  let used = 0;
  for (let at = 0; at < end; at += 1) {
    const value = normalised[at]!;
    if (value === value) {
      if (Math.abs(value) > Math.abs(slice)) slice = value;
      total += value;
      count += 1;
      sum += value;
      used += 1;
    }
    const leaving = at >= width ? normalised[at - width]! : Number.NaN;
    if (leaving === leaving) {
      sum -= leaving;
      used -= 1;
    }
    if (at < width - 1 || used * 2 < width) continue;
    const mean = sum / used;
    if (Math.abs(mean) > Math.abs(window)) {
      window = mean;
      windowEnd = at + 1;
    }
  }
  return {
    slice,
    window,
    where: { from: windowEnd - width, to: windowEnd },
    day: count > 0 ? total / count : 0,
  };
};

/** Normalised residuals: those above the model divided by `up`, those below by `down`; NaN stays NaN. */
export const normalise = (residuals: Float64Array, { up, down }: Tolerance): Float64Array => {
  const normalised = new Float64Array(residuals.length);
  for (let slice = 0; slice < residuals.length; slice += 1) {
    const residual = residuals[slice]!;
    // A tolerance can be 0 when a bound equals the profile.
    normalised[slice] = residual === 0 ? 0 : residual / (residual > 0 ? up[slice]! : down[slice]!);
  }
  return normalised;
};

/** Largest allowed magnitude of each score of residuals; Infinity where a score has no limit. */
export type ScoreLimits = Readonly<Record<ResidualLimit, number>>;

/**
 * A change score breaks its limit only when the day's own score exceeds this share of its limit in the same direction.
 * So a return to the model after a storm or a holiday season raises no alert.
 */
export const ownScoreShareMin = 0.5;

/**
 * Use of each limit: the magnitude of a score divided by its limit, ≥ 0. A limit is broken when its use is above 1.
 * When all limits are multiplied by a factor, all uses are divided by it; the conformal ranks depend on that.
 * @param change scores of the residuals minus the recent baseline (recentLevel.ts); null without a baseline
 */
export const limitUse = (scores: Scores, change: Scores | null, limits: ScoreLimits): ScoreLimits => {
  const changeUse = (mean: 'window' | 'day', limit: number): number => {
    if (change === null) return 0;
    const own = (scores[mean] * Math.sign(change[mean])) / (ownScoreShareMin * limits[mean]);
    return Math.max(0, Math.min(own, Math.abs(change[mean]) / limit));
  };
  return {
    slice: Math.abs(scores.slice) / limits.slice,
    window: Math.abs(scores.window) / limits.window,
    day: Math.abs(scores.day) / limits.day,
    windowChange: changeUse('window', limits.windowChange),
    dayChange: changeUse('day', limits.dayChange),
  };
};

/** The largest use of any limit: above 1, at least one limit is broken. */
export const largestUse = ({ slice, window, day, windowChange, dayChange }: ScoreLimits): number =>
  Math.max(slice, window, day, windowChange, dayChange);

/** Joint score of a day: the largest use of any limit. */
export const jointScore = (scores: Scores, change: Scores | null, limits: ScoreLimits): number =>
  largestUse(limitUse(scores, change, limits));

/** A model on the log scale: its profile, and the distances from the profile to the upper and lower bounds. */
export type ScaledModel = {
  readonly profile: Float64Array;
  readonly up: Float64Array;
  readonly down: Float64Array;
};

const isSameScale = (a: LogScale, b: LogScale): boolean => a.unit === b.unit && a.offset === b.offset;

/** A model on the log scale of its limits. A check compares many days with few models, so each is scaled once. */
export const scaledModelOf = lastPer((model: Model, scale: LogScale): ScaledModel => {
  const profile = Float64Array.from(model.activity, value => toScale(scale, value));
  const distances = (bounds: readonly number[]): Float64Array =>
    Float64Array.from(bounds, (value, slice) => Math.abs(toScale(scale, value) - profile[slice]!));
  return { profile, up: distances(model.topTolerance), down: distances(model.bottomTolerance) };
}, isSameScale);

/**
 * Residuals of a day in multiples of the distances from the profile to the bounds of a model; not to be changed. A day
 * is the recent day of a fortnight of days.
 */
export const normalisedBy: (residuals: Float64Array, model: ScaledModel) => Float64Array = lastPer(normalise);

/** A day on the log scale; NaN in slices that are not usable; not to be changed. Models of a source have one scale. */
export const scaledDay = lastPer((day: Day, scale: LogScale): Float64Array => {
  const flags = usable(day);
  const scaled = new Float64Array(day.activity.length);
  for (let slice = 0; slice < scaled.length; slice += 1)
    scaled[slice] = flags[slice] ? toScale(scale, day.activity[slice]!) : Number.NaN;
  return scaled;
}, isSameScale);

/**
 * Residuals of a day against a model on the log scale; NaN in slices that are not usable; not to be changed. A day is
 * read again for each of the 28 days after it.
 */
export const residualsOf = lastPer((day: Day, model: Model, scale: LogScale): Float64Array => {
  const { profile } = scaledModelOf(model, scale);
  const scaled = scaledDay(day, scale);
  return scaled.map((value, slice) => value - profile[slice]!);
});
