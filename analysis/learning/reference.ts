import { dayNumber, month, weekday } from '../../domain/dates.js';
import { observed, usable, type Day } from '../../domain/day.js';
import type { TypicalDays } from '../../domain/models.js';
import { medianOf } from '../math/statistics.js';

/** A reference day as the analysis uses it. `block` is the part of the year that is left out together. */
export type ReferenceDay = {
  readonly date: string;
  /** Day number (domain/dates.ts). */
  readonly number: number;
  readonly weekday: number;
  readonly month: number;
  readonly block: number;
  readonly activity: readonly number[];
  readonly usable: readonly boolean[];
  /** Usable and not interpolated. */
  readonly observed: readonly boolean[];
};

/** The days to learn from, in order of date, and those that were left out. `slices` is the length of each. */
export type Reference = {
  readonly slices: number;
  readonly days: readonly ReferenceDay[];
  readonly leftOut: TypicalDays['leftOut'];
};

/** Largest magnitude that may be learned from: the square of twice as much is still finite. */
const magnitudeMax = 1e150;

/** Days that a reference spans at least for its calendar months to be left out; shorter ones lose fortnights. */
const monthBlocksFrom = 240;

/**
 * The days of a reference year made ready for learning: checked, in order of date, without those whose share
 * of usable slices is below half of the median day's (or nil).
 * @param days one length, any order, each date once, values in the source's unit
 * @throws RangeError when there is no usable day, a date is not one or comes twice, lengths differ, or a value
 *                    is not finite (or beyond ±1e150)
 */
export const referenceOf = (days: readonly Day[]): Reference => {
  const sorted = [...days].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const slices = sorted[0]?.activity.length ?? 0;
  checkDays(sorted, slices);

  const flagged = sorted.map(day => ({ day, usable: usable(day), observed: observed(day) }));
  const counts = flagged.map(({ usable }) => usable.filter(Boolean).length);
  const median = counts.length > 0 ? medianOf(counts) : 0;
  const enough = (count: number): boolean => count > 0 && count >= median / 2;
  const kept = flagged.filter((_, index) => enough(counts[index] ?? 0));
  if (kept.length === 0)
    throw new RangeError(
      `got ${days.length} days without a usable slice, expected at least one day with some`,
    );

  const numbers = kept.map(({ day }) => dayNumber(day.date));
  const blocks = blocksOf(numbers);
  return {
    slices,
    days: kept.map(({ day: { date, activity }, usable, observed }, index) => ({
      date,
      number: numbers[index] ?? 0,
      weekday: weekday(numbers[index] ?? 0),
      month: month(numbers[index] ?? 0),
      block: blocks[index] ?? 0,
      activity,
      usable,
      observed,
    })),
    leftOut: sorted.flatMap(({ date }, index) => {
      const count = counts[index] ?? 0;
      if (enough(count)) return [];
      return {
        date,
        reason: `${count} of ${slices} slices usable, less than half of the median day's ${median}`,
      };
    }),
  };
};

const checkDays = (sorted: readonly Day[], slices: number): void => {
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
 * The block of each day: calendar months, whichever year, since seasons come round; fortnights where the
 * reference is short of 240 days; single days where even those make fewer than three blocks.
 */
const blocksOf = (numbers: readonly number[]): number[] => {
  const first = numbers[0] ?? 0;
  const span = (numbers.at(-1) ?? first) - first + 1;
  const blocks =
    span >= monthBlocksFrom ? numbers.map(month) : numbers.map(number => Math.floor((number - first) / 14));
  return new Set(blocks).size >= 3 ? blocks : numbers.map((_, index) => index);
};
