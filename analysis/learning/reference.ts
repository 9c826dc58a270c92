import { dayNumber, month, weekday } from '../../domain/dates.js';
import { isLearnable, observed, runsLength, usable, type Day } from '../../domain/day.js';
import type { TypicalDays } from '../../domain/planning/models.js';
import { presentRules, type EngineRules } from '../engine.js';
import { median } from '../math/statistics.js';

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

  const { keeps, reason } = rules.completesGaps ? threeQuarters : halfOfMedian(sorted);
  const kept = sorted.filter(keeps);
  if (kept.length === 0)
    throw new RangeError(
      `got ${days.length} days with too few usable slices, expected at least one day with three quarters`,
    );

  const numbers = kept.map(({ date }) => dayNumber(date));
  const blocks = blocksOf(numbers);
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
    omitted: sorted.flatMap(day =>
      keeps(day)
        ? []
        : { date: day.date, reason: `${usableCount(day)} of ${slices} slices usable, less than ${reason}` },
    ),
  };
};

const usableCount = ({ activity, gaps }: Day): number => activity.length - runsLength(gaps);

/** Which days are learned from. Events contain the reason: a change of it needs a new engine version. */
type DayRule = { readonly keeps: (day: Day) => boolean; readonly reason: string };

const threeQuarters: DayRule = { keeps: isLearnable, reason: 'three quarters' };

/** The rule of engines before `daybook-calendar/4`. */
const halfOfMedian = (days: readonly Day[]): DayRule => {
  const counts = days.map(usableCount);
  const medianCount = counts.length > 0 ? median(counts) : 0;
  return {
    keeps: day => usableCount(day) > 0 && usableCount(day) >= medianCount / 2,
    reason: `half of the median day's ${medianCount}`,
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
 * the reference is shorter than 240 days; single days when there would be fewer than three blocks.
 */
const blocksOf = (numbers: readonly number[]): number[] => {
  const first = numbers[0] ?? 0;
  const span = (numbers.at(-1) ?? first) - first + 1;
  const blocks =
    span >= monthBlocksFrom ? numbers.map(month) : numbers.map(number => Math.floor((number - first) / 14));
  return new Set(blocks).size >= 3 ? blocks : numbers.map((_, index) => index);
};
