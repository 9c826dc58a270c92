import type { DayCycle } from './dayCycles.js';
import { dateOf, dayNumber, month, weekday } from '../dates.js';

/** A date with a name: a public holiday, or a special day that a person named. */
export type NamedDay = { readonly date: string; readonly name: string };

/** Public holidays that models were learned with, and their origin. */
export type Calendar = {
  /** ISO 3166 country, with its region if there is one: `FR`, `DE-NW`. */
  readonly code: string;
  readonly origin: 'given' | 'inferred';
  /** Why it was inferred, in words; null when a client gave it. */
  readonly evidence: string | null;
  /** Name and version of the holiday library. */
  readonly library: string;
  /** By ascending date, for all years that can be planned. */
  readonly holidays: readonly NamedDay[];
};

/** Holidays and special days that the planning takes into account. */
export type PlanningCalendar = {
  /** Public holidays, null when no calendar is known. */
  readonly holidays: readonly NamedDay[] | null;
  /** Special days that people named. */
  readonly specials: readonly NamedDay[];
  /** Cycles of the source that are no week; absent for none. */
  readonly cycles?: readonly DayCycle[];
};

/** A calendar without holidays and special days. */
export const noCalendar: PlanningCalendar = { holidays: null, specials: [] };

/**
 * Type of a date. A bridge is a single working day between a holiday and a weekend or another holiday. The type
 * `christmas` is for the other dates from 21 December to 5 January. Without a calendar there are no such types.
 */
export type DayType =
  | { readonly type: 'ordinary' | 'bridge' | 'christmas' }
  | { readonly type: 'holiday' | 'special'; readonly name: string };

/** Whether a date is a working day: Monday to Friday (weekdays 0 to 4) and no holiday. */
export const isWorkingDay = (weekday: number, { type }: DayType): boolean =>
  weekday < 5 && type !== 'holiday';

const ordinary: DayType = { type: 'ordinary' };
const bridge: DayType = { type: 'bridge' };
const christmas: DayType = { type: 'christmas' };

const isAroundChristmas = (number: number): boolean => {
  const months = month(number);
  if (months > 0 && months < 11) return false;
  const day = Number(dateOf(number).slice(8));
  return months === 11 ? day >= 21 : day <= 5;
};

/**
 * Returns the type of a date, given as its day number (dates.ts).
 * @param holidays public holidays, null when no calendar is known
 * @param specials special days that people named; they take precedence over holidays
 */
export const dayTypes = (
  holidays: readonly NamedDay[] | null,
  specials: readonly NamedDay[],
): ((number: number) => DayType) => {
  const holidayNames = new Map((holidays ?? []).map(({ date, name }) => [dayNumber(date), name]));
  const specialNames = new Map(specials.map(({ date, name }) => [dayNumber(date), name]));
  const isFree = (number: number): boolean => weekday(number) > 4 || holidayNames.has(number);
  const isHoliday = (number: number): boolean => holidayNames.has(number);

  return number => {
    const special = specialNames.get(number);
    if (special !== undefined) return { type: 'special', name: special };
    const holiday = holidayNames.get(number);
    if (holiday !== undefined) return { type: 'holiday', name: holiday };
    if (holidays === null) return ordinary;
    if (isAroundChristmas(number)) return christmas;
    const between = isFree(number - 1) && isFree(number + 1);
    return !isFree(number) && between && (isHoliday(number - 1) || isHoliday(number + 1)) ? bridge : ordinary;
  };
};
