import { type Day, observed } from '../../domain/day.js';
import { sortedQuantile } from '../math/statistics.js';

/** Where most comparable days were, slice by slice, in the unit of the source. */
export type UsualRange = {
  /** Their 5th and 95th percentile; null for a slice that fewer than ten of them have. */
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  /** Number of comparable days. */
  readonly days: number;
};

/** Most reference days that are compared, spread over the reference, and weeks of recent days before the date. */
export const usualReferenceMax = 60;
export const usualWeeks = 8;
/** Fewest values from which percentiles are shown. */
const valuesMin = 10;
const [lowShare, highShare] = [0.05, 0.95];

/** Elements spread evenly over a list, at most `count`. */
export const spread = <One>(all: readonly One[], count: number): readonly One[] =>
  all.length <= count
    ? all
    : Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]!);

/** A function that moves a value of a day to what is expected on the date of the range. */
export type MoveValue = (value: number, slice: number) => number;

/**
 * The middle 90 % of comparable days by slice.
 * @param days  of one number of slices
 * @param mover returns how the values of a day are moved before they are compared
 * @returns null with fewer than ten days
 */
export const usualRange = (
  days: readonly Day[],
  mover: (day: Day) => MoveValue = () => value => value,
): UsualRange | null => {
  const [first] = days;
  if (!first || days.length < valuesMin) return null;
  const values: number[][] = first.activity.map(() => []);
  for (const day of days) {
    const isObserved = observed(day);
    const moved = mover(day);
    day.activity.forEach((value, slice) => {
      if (isObserved[slice]) values[slice]?.push(moved(value, slice));
    });
  }
  const sorted = values.map(ofSlice => Float64Array.from(ofSlice).sort());
  const percentiles = (share: number): (number | null)[] =>
    sorted.map(ofSlice => (ofSlice.length < valuesMin ? null : sortedQuantile(ofSlice, share)));
  return { low: percentiles(lowShare), high: percentiles(highShare), days: days.length };
};
