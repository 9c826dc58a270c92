import { dayNumber } from '../dates.js';

/**
 * Gain of planning by a cycle on reference days that were held out: the share by which the error falls, and the number
 * of blocks (`days`) or of dates (`monthDay`) on which it falls, of all.
 */
export type CycleEvidence = { readonly errorReduction: number; readonly better: number; readonly of: number };

/** A cycle of a whole number of days. Its first day is `first`, an instance of it within the reference. */
export type CycleOfDays = {
  readonly kind: 'days';
  readonly length: number;
  readonly first: string;
  /**
   * For a cycle of whole weeks, which begins on a Monday: the weekdays (0 Monday) whose weeks differ. The others are
   * the same each week. Absent for other cycles, in which each day is of its own kind.
   */
  readonly weekdays?: readonly number[];
};

/**
 * One date of each month: `place` counts from 1 at the start of the month and from −1 at its end; it counts days,
 * working days, or the days of a weekday (0 Monday).
 */
export type MonthDay = {
  readonly kind: 'monthDay';
  readonly counts: 'days' | 'workingDays' | 'weekdays';
  readonly place: number;
  readonly weekday?: number;
};

/** A cycle of a source that is no week. */
export type DayCycle = (CycleOfDays | MonthDay) & { readonly evidence: CycleEvidence };

/** Place of a date in the cycles of a source; both are absent where the week alone counts. */
export type CyclePlace = {
  /** Day of the cycle of days, from 0. */
  readonly phase?: number;
  /** Index of the cycle whose date of the month it is. */
  readonly monthDay?: number;
};

/** Whether a cycle of days consists of whole weeks. */
export const isOfWeeks = ({ length }: Pick<CycleOfDays, 'length'>): boolean => length % 7 === 0;

/** The cycle of days among the cycles of a source. */
export const cycleOfDays = (cycles: readonly DayCycle[] | undefined): CycleOfDays | undefined =>
  cycles?.find(cycle => cycle.kind === 'days');

/** Number of days after which a cycle repeats: 7 without one. */
export const periodOf = (cycles: readonly DayCycle[] | undefined): number => cycleOfDays(cycles)?.length ?? 7;

/** Day of a cycle of days, from 0, of a day number. */
export const phaseOf = ({ length, first }: CycleOfDays, number: number): number => {
  const phase = (number - dayNumber(first)) % length;
  return phase < 0 ? phase + length : phase;
};
