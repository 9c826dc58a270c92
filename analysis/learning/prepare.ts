import { dayNumber, month, weekday } from '../../domain/dates.js';
import { observed, usable, type Day } from '../../domain/day.js';
import { dayTypes, isWorkingDay, type PlanningCalendar } from '../../domain/planning/calendar.js';
import { periodOf } from '../../domain/planning/dayCycles.js';
import type { TypicalDays } from '../../domain/planning/models.js';
import {
  calendarFeatures,
  similarityWeight,
  type CalendarFeatures,
} from '../../domain/planning/similarity.js';
import { findCycles } from '../calendar/findCycles.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { presentRules, type EngineRules } from '../engine.js';
import { remembering } from '../math/oncePer.js';
import { toScale, type LogScale } from '../math/portableMath.js';
import { omissions } from './omissions.js';
import { similarityWeights, type SimilarityWeights } from './similarityWeights.js';

/** A reference day with its calendar and its usable slices. */
export type ReferenceDay = {
  readonly date: string;
  /** Day number (domain/dates.ts). */
  readonly number: number;
  readonly weekday: number;
  readonly month: number;
  /** Days of one block are held out together in cross-fitting. */
  readonly block: number;
  readonly activity: readonly number[];
  readonly usable: readonly boolean[];
  /** Usable and not interpolated. */
  readonly observed: readonly boolean[];
};

/** Reference days by date, and the days that were omitted. `slices` is the number of slices of each day. */
export type Reference = {
  readonly slices: number;
  readonly days: readonly ReferenceDay[];
  readonly omitted: TypicalDays['leftOut'];
};

/** Largest accepted magnitude: the square of a difference of two such values is still finite. */
const magnitudeMax = 1e150;

/** Shortest reference, in days, whose blocks are calendar months; the blocks of shorter ones are fortnights. */
const monthBlocksFrom = 240;

/**
 * Validates reference days and prepares them for learning. Days with less than three quarters of their slices are
 * omitted (isLearnable).
 * @param days one length, any order, each date once, values in the unit of the source
 * @throws RangeError when there is no such day, a date is invalid or repeated, lengths differ, or a value is not
 *                    finite or beyond ±1e150
 */
export const referenceOf = (days: readonly Day[], rules: EngineRules = presentRules): Reference => {
  const sorted = [...days].sort((a, b) => (a.date < b.date ? -1 : 1));
  const slices = sorted[0]?.activity.length ?? 0;
  validate(sorted, slices);

  const reasonOf = omissions(sorted, rules);
  const kept = sorted.filter(day => reasonOf(day) === null);
  if (kept.length === 0)
    throw new RangeError(
      `got ${days.length} days with too few usable slices, expected at least one day with three quarters`,
    );

  const numbers = kept.map(({ date }) => dayNumber(date));
  const blocks = blocksOf(numbers, rules);
  return {
    slices,
    days: kept.map((day, index) => ({
      date: day.date,
      number: numbers[index] ?? 0,
      weekday: weekday(numbers[index] ?? 0),
      month: month(numbers[index] ?? 0),
      block: blocks[index] ?? 0,
      activity: day.activity,
      usable: usable(day),
      observed: observed(day),
    })),
    omitted: sorted.flatMap(day => {
      const reason = reasonOf(day);
      return reason === null ? [] : { date: day.date, reason };
    }),
  };
};

const validate = (sorted: readonly Day[], slices: number): void => {
  sorted.forEach(({ date, activity }, index) => {
    if (sorted[index + 1]?.date === date) throw new RangeError(`got ${date} twice, expected each date once`);
    if (activity.length !== slices || slices === 0)
      throw new RangeError(
        `got ${activity.length} values on ${date}, expected ${slices || 'at least 1'} as on the first day`,
      );
    const slice = activity.findIndex(value => !(Math.abs(value) <= magnitudeMax));
    if (slice >= 0)
      throw new RangeError(
        `got ${activity[slice]} in slice ${slice} of ${date}, expected a number within ±${magnitudeMax}`,
      );
  });
};

/**
 * Block of each day: calendar months, equal months of different years together, since seasons repeat. Fortnights when
 * the reference is shorter than 240 days or has fewer than three months; single days when there would be fewer than
 * three blocks.
 */
const blocksOf = (
  numbers: readonly number[],
  { blocksFewMonths }: Pick<EngineRules, 'blocksFewMonths'>,
): number[] => {
  const first = numbers[0] ?? 0;
  const span = (numbers.at(-1) ?? first) - first + 1;
  const months = numbers.map(month);
  const areMonths = span >= monthBlocksFrom && (!blocksFewMonths || isEnough(months));
  const blocks = areMonths ? months : numbers.map(number => Math.floor((number - first) / 14));
  return isEnough(blocks) ? blocks : numbers.map((_, index) => index);
};

/** Whether there are as many blocks as cross-fitting needs. */
const isEnough = (blocks: readonly number[]): boolean => new Set(blocks).size >= 3;

/** A day profile on the log scale; NaN in slices without a usable value. */
export type ScaledProfile = Float64Array;

/** A reference day ready for learning. */
export type PreparedDay = ReferenceDay & {
  readonly scaled: ScaledProfile;
  /** An ordinary or bridge day. Only these determine tolerances and limits: the other types are rare and vary. */
  readonly ordinary: boolean;
  /** See `isWorkingDay`. */
  readonly working: boolean;
};

/** A reference on its log scale, with the similarity weights of its days. */
export type PreparedReference = {
  readonly slices: number;
  readonly scale: LogScale;
  readonly days: readonly PreparedDay[];
  /** Profiles that models are learned from, in the order of the days. Gaps may be completed (profiles.ts). */
  readonly profiles: readonly ScaledProfile[];
  /** Whether each profile has a value in each slice. */
  readonly isComplete: boolean;
  /** Similarity weights for the date of each day, in the order of the days. */
  readonly weights: readonly SimilarityWeights[];
  /** Similarity weights for any date, given as its day number. Results are kept. */
  readonly weightsFor: (date: number) => SimilarityWeights;
  /** Whether a date, given as its day number, is an ordinary or bridge day. */
  readonly isOrdinary: (date: number) => boolean;
  /** The calendar with the cycles that were found. */
  readonly calendar: PlanningCalendar;
  /** The date some days later or earlier, given as day numbers, with the same place in the week or the cycles. */
  readonly shifted: (date: number, days: number) => number | undefined;
  readonly checkStop: CheckStop;
  readonly rules: Pick<
    EngineRules,
    | 'withstandsFaults'
    | 'measuresGapsBelow'
    | 'findsCycles'
    | 'beginsAfterMissing'
    | 'expectsByAllDays'
    | 'withstandsImplausibleValues'
    | 'comparesRareCovariates'
  >;
};

/**
 * Offset of the log scale. Real series gave better models than with 0.2 (nights dominate) and 1 (nights have no
 * effect).
 */
const offset = 0.5;

/**
 * Offset for sources whose negative values make up more than this share of their magnitude (temperatures, net power).
 * Factors have no meaning there, and with this offset the scale is almost linear.
 */
const signedOffset = 1000;
const signedShare = 0.01;

/**
 * Converts a reference to its log scale, finds its cycles and computes the similarity weights of its days.
 * @param given calendar; its cycles are not read
 */
export const prepare = (
  reference: Reference,
  given: PlanningCalendar,
  checkStop: CheckStop = neverStops,
  rules: PreparedReference['rules'] = presentRules,
): PreparedReference => {
  const scale = scaleOf(reference, rules);
  const scaled = reference.days.map(day => ({ ...day, scaled: scaledDay(scale, day) }));
  const calendar = rules.findsCycles ? withCycles(scaled, given, rules) : given;
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const numbers = reference.days.map(({ number }) => number);
  const featuresOf = remembering(calendarFeatures(calendar));
  const references = numbers.map(featuresOf);
  const weightsFor = remembering((date: number): SimilarityWeights => {
    const features = featuresOf(date);
    return similarityWeights(references.length, index => similarityWeight(features, references[index]!));
  });
  const isOrdinary = remembering((date: number): boolean =>
    ['ordinary', 'bridge'].includes(typeOf(date).type),
  );
  const days = scaled.map(day => ({
    ...day,
    ordinary: isOrdinary(day.number),
    working: isWorkingDay(day.weekday, typeOf(day.number)),
  }));
  return {
    slices: reference.slices,
    scale,
    days,
    profiles: days.map(({ scaled }) => scaled),
    isComplete: days.every(({ usable }) => usable.every(Boolean)),
    weights: numbers.map(weightsFor),
    weightsFor,
    isOrdinary,
    calendar,
    shifted: shiftedDates(calendar, featuresOf),
    checkStop,
    rules,
  };
};

/** A calendar with the cycles of the days; the same one when there are none. */
const withCycles = (
  days: Parameters<typeof findCycles>[0],
  calendar: PlanningCalendar,
  rules: PreparedReference['rules'],
): PlanningCalendar => {
  const cycles = findCycles(days, calendar, rules);
  return cycles.length > 0 ? { ...calendar, cycles } : calendar;
};

/** Returns dates some days away, rounded to whole cycles; undefined where a date of the month would become none. */
const shiftedDates = (
  { cycles }: PlanningCalendar,
  featuresOf: (date: number) => CalendarFeatures,
): PreparedReference['shifted'] => {
  const period = periodOf(cycles);
  return (date, days) => {
    const other = date + period * Math.round(days / period);
    return cycles && featuresOf(date).monthDay !== featuresOf(other).monthDay ? undefined : other;
  };
};

const scaledDay = (scale: LogScale, { activity, usable }: ReferenceDay): ScaledProfile => {
  const scaled = new Float64Array(activity.length).fill(Number.NaN);
  for (let slice = 0; slice < activity.length; slice += 1)
    if (usable[slice]) scaled[slice] = toScale(scale, activity[slice]!);
  return scaled;
};

/** Smallest unit: dividing by a smaller one may give infinity. */
const unitMin = 1e-300;

const scaleOf = (
  { days }: Reference,
  { withstandsImplausibleValues }: PreparedReference['rules'],
): LogScale => {
  let above = 0;
  let below = 0;
  let count = 0;
  for (const { activity, usable } of days)
    activity.forEach((value, slice) => {
      if (!usable[slice]) return;
      if (value >= 0) above += value;
      else below -= value;
      count += 1;
    });
  const total = above + below;
  return {
    unit: total > 0 ? Math.max(total / count, withstandsImplausibleValues ? unitMin : 0) : 1,
    offset: below > signedShare * total ? signedOffset : offset,
  };
};
