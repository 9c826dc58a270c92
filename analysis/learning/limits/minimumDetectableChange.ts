import type { BoundsFacts } from '../../../domain/planning/models.js';
import { changeFrom } from '../../checking/recentLevel.js';
import { jointScore, ownScoreShareMin, scoresOf, type ScoreLimits } from '../../checking/scores.js';
import { presentRules, type EngineRules } from '../../engine.js';
import { sortedQuantile } from '../../math/statistics.js';
import { fromScale, toScale } from '../../math/portableMath.js';
import { windowHours, type CalibrationDay } from './calibrationDays.js';
import type { PreparedReference } from '../prepare.js';

/** Changes that are tried, as shares, and the share of days that must show one. */
const changesTried = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const daysShareMin = 0.8;

/** Changes of a part of the day: a part may have several times the mean of the day. */
const changesOfParts = [...changesTried, 1.25, 1.5, 2];

/** Parts of the day that changes are stated for, if it has at least as many slices. */
const partCount = 4;

/** Slices `from` to `to`, exclusive. */
type Part = { readonly from: number; readonly to: number };

/**
 * A change of a day: of all slices in proportion, of the eight busiest hours by a share of the total of the day, or of
 * each slice of a part by a share of the mean of the day.
 */
type Change = { readonly by: number; readonly of: 'wholeDay' | 'eightHours' | Part };

/**
 * Minimum detectable change: the smallest increase and decrease that four of five calibration days would show, for the
 * whole day, for the eight busiest hours and for each quarter of the day. It is tried on the days themselves.
 * @returns shares of the total of the day, for quarters of its mean; null where even the largest change tried would not
 *          be detected, and for a fall by more than four of five days have at that time, when values end at 0
 */
export const minimumDetectableChange = (
  prepared: PreparedReference,
  days: readonly CalibrationDay[],
  limits: ScoreLimits,
  rules: Pick<EngineRules, 'statesRanges' | 'statesTimesOfDay' | 'changesByMagnitude'> = presentRules,
): NonNullable<BoundsFacts['minimumDetectableChange']> => {
  const { statesRanges, statesTimesOfDay, changesByMagnitude } = rules;
  const lowest = prepared.days.every(({ activity, usable }) =>
    activity.every((value, slice) => value >= 0 || !usable[slice]),
  )
    ? 0
    : Number.NEGATIVE_INFINITY;
  const normalised = new Float64Array(prepared.slices);
  const busiest = busiestHoursOf(prepared, days, changesByMagnitude);
  const changed = days.map(day => changedDay(prepared, day, busiest.get(day.index)!, changesByMagnitude));
  const changeable = { prepared, days: changed, limits, lowest, normalised, changesByMagnitude };
  const smallestOf = (of: Change['of'], direction: 1 | -1): number | null =>
    smallest(typeof of === 'string' ? changesTried : changesOfParts, by =>
      isShown(changeable, { by: direction * by, of }),
    );
  const possible = (by: number | null, most: () => number): number | null =>
    lowest === 0 && by !== null && by > most() ? null : by;
  const lessInEightHours = smallestOf('eightHours', -1);
  const less = (part: Part): number | null =>
    possible(smallestOf(part, -1), () => leastLevelIn(prepared, days, part));
  return {
    wholeDay: { more: smallestOf('wholeDay', 1), less: smallestOf('wholeDay', -1) },
    eightHours: {
      more: smallestOf('eightHours', 1),
      less: statesRanges
        ? possible(lessInEightHours, () => shareInEightHours(prepared, busiest))
        : lessInEightHours,
    },
    ...(statesTimesOfDay &&
      prepared.slices >= partCount && {
        timesOfDay: partsOf(prepared.slices).map(part => ({
          ...part,
          more: smallestOf(part, 1),
          less: less(part),
        })),
      }),
  };
};

/** Quarters of a day. */
const partsOf = (slices: number): Part[] => {
  const ends = Array.from({ length: partCount + 1 }, (_, end) => Math.round((end * slices) / partCount));
  return ends.slice(1).map((to, at) => ({ from: ends[at]!, to }));
};

/** The value that four of five days have at least at some times. */
const onMostDays = (values: readonly number[]): number =>
  sortedQuantile(Float64Array.from(values).sort(), 1 - daysShareMin);

/** Share of the total of the day in the eight busiest hours that four of five days have at least. */
const shareInEightHours = ({ days }: PreparedReference, busiest: ReadonlyMap<number, Part>): number =>
  onMostDays(
    Array.from(busiest, ([index, part]) => {
      const { activity, usable } = days[index]!;
      const total = usableTotal(activity, usable);
      return total > 0 ? usableTotal(activity, within(usable, part)) / total : 0;
    }),
  );

/** Mean of a part of the day, as a share of that of the day, that four of five days have at least. */
const leastLevelIn = (prepared: PreparedReference, days: readonly CalibrationDay[], part: Part): number =>
  onMostDays(
    days.map(({ index }) => {
      const { activity, usable } = prepared.days[index]!;
      const mean = usableSize(activity, usable);
      return mean > 0 ? usableSize(activity, within(usable, part)) / mean : 0;
    }),
  );

/** Usable slices of a part of the day. */
const within = (usable: readonly boolean[], { from, to }: Part): boolean[] =>
  usable.map((isUsable, slice) => isUsable && slice >= from && slice < to);

/** Slices of eight hours. */
const widthOfEightHours = (slices: number): number => Math.max(1, Math.round(slices / 3));

/** The eight busiest hours of each day, by its index: those of its profile, by magnitudes or by logarithms. */
const busiestHoursOf = (
  { scale, slices }: PreparedReference,
  days: readonly CalibrationDay[],
  byMagnitude: boolean,
): ReadonlyMap<number, Part> => {
  const width = widthOfEightHours(slices);
  return new Map(
    days.map(({ index, profile }) => {
      const sizes = byMagnitude ? profile.map(y => Math.abs(fromScale(scale, y))) : profile;
      const from = busiestFrom(sizes, width);
      return [index, { from, to: from + width }];
    }),
  );
};

/** The smallest change that enough days show; null when even the largest is shown by too few. */
const smallest = (tried: readonly number[], isDetected: (by: number) => boolean): number | null => {
  let low = 0;
  let high = tried.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isDetected(tried[middle]!)) high = middle;
    else low = middle + 1;
  }
  return tried[low] ?? null;
};

/** A day that is changed, with its sizes, which all changes are shares of. */
type ChangedDay = {
  readonly day: CalibrationDay;
  readonly activity: readonly number[];
  readonly usable: readonly boolean[];
  /** Mean magnitude of the usable slices, and their sum, of magnitudes or of values. */
  readonly size: number;
  readonly total: number;
  readonly busiest: Part;
  /** The slice that broke its limit last: often it does so again, so it is compared first. */
  broken: number;
};

const changedDay = (
  { days }: PreparedReference,
  day: CalibrationDay,
  busiest: Part,
  byMagnitude: boolean,
): ChangedDay => {
  const { activity, usable } = days[day.index]!;
  const total = usableTotal(byMagnitude ? activity.map(Math.abs) : activity, usable);
  return { day, activity, usable, size: usableSize(activity, usable), total, busiest, broken: 0 };
};

/** Days that are changed. Values stay at or above `lowest`: 0 if the reference has none below. */
type Changeable = {
  readonly prepared: PreparedReference;
  /** In any order; days that did not show the change before come first, since they decide soonest. */
  readonly days: ChangedDay[];
  readonly limits: ScoreLimits;
  readonly lowest: number;
  /** Normalised residuals of the present day after a change; written for each day. */
  readonly normalised: Float64Array;
  readonly changesByMagnitude: boolean;
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
const isDetected = (changeable: Changeable, changed: ChangedDay, change: Change): boolean => {
  const { limits, normalised } = changeable;
  if (breaksSlice(changeable, changed, change)) return true;
  const scores = scoresOf(normalised, windowHours);
  const own = jointScore(scores, null, limits);
  const { baseline } = changed.day;
  if (own > 1 || own < ownScoreShareMin || !baseline) return own > 1;
  const recentChange = scoresOf(changeFrom(baseline, normalised), windowHours);
  return jointScore(scores, recentChange, limits) > 1;
};

/**
 * Whether a slice of a day breaks its limit after a change; the others are not computed then. Writes the normalised
 * residuals of the changed day; NaN in slices that are not usable.
 */
const breaksSlice = (changeable: Changeable, changed: ChangedDay, change: Change): boolean => {
  const { limits, normalised } = changeable;
  const { usable, broken, day } = changed;
  const amount = amountOf(change, changed, normalised.length);
  const breaks = (slice: number): boolean => {
    const share = shareAfter(changeable, changed, amount, slice);
    normalised[slice] = share;
    return Math.abs(share) / limits.slice > 1;
  };
  if (usable[broken] && broken >= amount.from && broken < amount.to && breaks(broken)) return true;
  normalised.set(day.normalised);
  for (let slice = amount.from; slice < amount.to; slice += 1) {
    if (!usable[slice] || !breaks(slice)) continue;
    changed.broken = slice;
    return true;
  }
  return false;
};

/** The normalised residual of a slice of a day after a change. */
const shareAfter = (
  { prepared, lowest, changesByMagnitude }: Changeable,
  { activity, day }: ChangedDay,
  { by, added }: Amount,
  slice: number,
): number => {
  const { profile, tolerance } = day;
  const value = activity[slice]!;
  const changed =
    by === null
      ? Math.max(lowest, value + added)
      : value * (1 + (changesByMagnitude && value < 0 ? -by : by));
  const residual = toScale(prepared.scale, changed) - profile[slice]!;
  return residual === 0 ? 0 : residual / (residual > 0 ? tolerance.up[slice]! : tolerance.down[slice]!);
};

/** Slices of a change, with its factor less 1, or null with what is added to each slice. */
type Amount = Part & { readonly by: number | null; readonly added: number };

const amountOf = ({ by, of }: Change, { size, total, busiest }: ChangedDay, slices: number): Amount => {
  if (of === 'wholeDay') return { from: 0, to: slices, by, added: 0 };
  if (of !== 'eightHours') return { from: of.from, to: of.to, by: null, added: by * size };
  const { from, to } = busiest;
  return { from, to: Math.min(slices, to), by: null, added: (by * total) / (to - from) };
};

/** Mean magnitude of the usable slices; 0 without one. */
const usableSize = (activity: readonly number[], usable: readonly boolean[]): number => {
  let size = 0;
  let count = 0;
  for (let slice = 0; slice < activity.length; slice += 1) {
    if (!usable[slice]) continue;
    size += Math.abs(activity[slice]!);
    count += 1;
  }
  return count > 0 ? size / count : 0;
};

const usableTotal = (activity: readonly number[], usable: readonly boolean[]): number => {
  let total = 0;
  for (let slice = 0; slice < activity.length; slice += 1) if (usable[slice]) total += activity[slice]!;
  return total;
};

/** First of the `width` consecutive slices with the largest sum. */
export const busiestFrom = (profile: Float64Array, width: number): number => {
  let sum = 0;
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < profile.length; at += 1) {
    sum += profile[at]! - (at >= width ? profile[at - width]! : 0);
    if (at >= width - 1 && sum > most) [best, most] = [at - width + 1, sum];
  }
  return best;
};
