import type { BoundsFacts } from '../../../domain/planning/models.js';
import { changeFrom } from '../../checking/recentBaseline.js';
import { jointScore, ownScoreShareMin, scoresOf, type ScoreLimits } from '../../checking/scores.js';
import { presentRules, type EngineRules } from '../../engine.js';
import { sortedQuantile } from '../../math/statistics.js';
import { toScale } from '../../math/portableMath.js';
import { windowHours, type CalibrationDay } from './calibrationDays.js';
import type { PreparedReference } from '../prepare.js';

/** Changes that are tried, as shares of the day's total, and the share of days that must show one. */
const changesTried = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const daysShareMin = 0.8;

/** A change of a day by a share of its total: of all slices in proportion, or of the eight busiest hours. */
type Change = { readonly by: number; readonly eightHours: boolean };

/**
 * Minimum detectable change: the smallest increase and decrease that four of five calibration days would show, for the
 * whole day and for the eight busiest hours. It is tried on the days themselves.
 * @returns shares of the day's total; null where even the largest change tried would not be detected, and for a fall in
 *          eight hours by more than four of five days have in them, when values end at 0
 */
export const minimumDetectableChange = (
  prepared: PreparedReference,
  days: readonly CalibrationDay[],
  limits: ScoreLimits,
  { statesRanges }: Pick<EngineRules, 'statesRanges'> = presentRules,
): NonNullable<BoundsFacts['minimumDetectableChange']> => {
  const lowest = prepared.days.every(({ activity, usable }) =>
    activity.every((value, slice) => value >= 0 || !usable[slice]),
  )
    ? 0
    : Number.NEGATIVE_INFINITY;
  const normalised = new Float64Array(prepared.slices);
  const changeable = { prepared, days: [...days], limits, lowest, normalised };
  const detected = (change: Change): boolean => isShown(changeable, change);
  const possible = (by: number | null): number | null =>
    statesRanges && lowest === 0 && by !== null && by > shareInEightHours(prepared, days) ? null : by;
  return {
    wholeDay: {
      more: smallest(by => detected({ by, eightHours: false })),
      less: smallest(by => detected({ by: -by, eightHours: false })),
    },
    eightHours: {
      more: smallest(by => detected({ by, eightHours: true })),
      less: possible(smallest(by => detected({ by: -by, eightHours: true }))),
    },
  };
};

/** Share of the total of the day in the eight busiest hours that four of five days have at least. */
const shareInEightHours = (prepared: PreparedReference, days: readonly CalibrationDay[]): number => {
  const width = widthOfEightHours(prepared.slices);
  const shares = days.map(({ index, profile }) => {
    const { activity, usable } = prepared.days[index]!;
    const from = busiestFrom(profile, width);
    const within = usable.map((isUsable, slice) => isUsable && slice >= from && slice < from + width);
    const total = usableTotal(activity, usable);
    return total > 0 ? usableTotal(activity, within) / total : 0;
  });
  return sortedQuantile(Float64Array.from(shares).sort(), 1 - daysShareMin);
};

/** Slices of eight hours. */
const widthOfEightHours = (slices: number): number => Math.max(1, Math.round(slices / 3));

/** The smallest change that enough days show; null when even the largest is shown by too few. */
const smallest = (isDetected: (by: number) => boolean): number | null => {
  let low = 0;
  let high = changesTried.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isDetected(changesTried[middle]!)) high = middle;
    else low = middle + 1;
  }
  return changesTried[low] ?? null;
};

/** Days that are changed. Values stay at or above `lowest`: 0 if the reference has none below. */
type Changeable = {
  readonly prepared: PreparedReference;
  /** In any order; days that did not show the change before come first, since they decide soonest. */
  readonly days: CalibrationDay[];
  readonly limits: ScoreLimits;
  readonly lowest: number;
  /** Normalised residuals of the present day after a change; written for each day. */
  readonly normalised: Float64Array;
};

/** Whether enough days break a limit after a change. It ends as soon as the other days cannot change the answer. */
const isShown = (changeable: Changeable, change: Change): boolean => {
  const { days } = changeable;
  let detected = 0;
  let missed = 0;
  for (let at = 0; at < days.length; at += 1) {
    const day = days[at]!;
    if (isDetected(changeable, day, change)) detected += 1;
    else {
      [days[at], days[missed]] = [days[missed]!, day];
      missed += 1;
    }
    if (detected / days.length >= daysShareMin) return true;
    if ((days.length - missed) / days.length < daysShareMin) return false;
  }
  return false;
};

/** Whether a day breaks a limit after a change. The baseline is compared only where it can decide. */
const isDetected = (changeable: Changeable, day: CalibrationDay, change: Change): boolean => {
  const { limits, normalised } = changeable;
  if (breaksSlice(changeable, day, change)) return true;
  const scores = scoresOf(normalised, windowHours);
  const own = jointScore(scores, null, limits);
  if (own > 1 || own < ownScoreShareMin || !day.baseline) return own > 1;
  const recentChange = scoresOf(changeFrom(day.baseline, normalised), windowHours);
  return jointScore(scores, recentChange, limits) > 1;
};

/**
 * Whether a slice of a day breaks its limit after a change; the slices after it are not computed then. Writes the
 * normalised residuals of the changed day; NaN in slices that are not usable.
 */
const breaksSlice = (
  { prepared: { days, scale, slices }, limits, lowest, normalised }: Changeable,
  day: CalibrationDay,
  { by, eightHours }: Change,
): boolean => {
  const { activity, usable } = days[day.index]!;
  const { up, down } = day.tolerance;
  const width = eightHours ? widthOfEightHours(slices) : slices;
  const from = eightHours ? busiestFrom(day.profile, width) : 0;
  const added = eightHours ? (by * usableTotal(activity, usable)) / width : 0;
  normalised.set(day.normalised);
  for (let slice = from; slice < Math.min(slices, from + width); slice += 1) {
    if (!usable[slice]) continue;
    const value = activity[slice]!;
    const changed = eightHours ? Math.max(lowest, value + added) : value * (1 + by);
    const residual = toScale(scale, changed) - day.profile[slice]!;
    const share = residual === 0 ? 0 : residual / (residual > 0 ? up[slice]! : down[slice]!);
    normalised[slice] = share;
    if (Math.abs(share) / limits.slice > 1) return true;
  }
  return false;
};

const usableTotal = (activity: readonly number[], usable: readonly boolean[]): number => {
  let total = 0;
  for (let slice = 0; slice < activity.length; slice += 1) if (usable[slice]) total += activity[slice]!;
  return total;
};

/** First of the `width` consecutive slices with the largest sum. */
const busiestFrom = (profile: Float64Array, width: number): number => {
  let sum = 0;
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < profile.length; at += 1) {
    sum += profile[at]! - (at >= width ? profile[at - width]! : 0);
    if (at >= width - 1 && sum > most) [best, most] = [at - width + 1, sum];
  }
  return best;
};
