import { dateOf, dayNumber } from './dates.js';
import { learnedShareMin } from './day.js';
import { Rejection } from './rejection.js';

/** Dates of the year that a source is learned again from. */
export const relearnedDates = 365;

/** Fewest of these dates with three quarters of their slices: one in two. */
export const relearnedDaysMin = 183;

/** A recent day: its date and the share of its slices that have data, 0–1. */
export type RecentDay = { readonly date: string; readonly completeness: number };

/** The year that a source is learned again from, `from` and `to` inclusive. */
export type RelearnedYear = { readonly from: string; readonly to: string };

const lastYearOf = (lastDate: string): RelearnedYear => ({
  from: dateOf(dayNumber(lastDate) - relearnedDates + 1),
  to: lastDate,
});

/**
 * The last full year of recent days: the 365 dates up to the last one.
 * @param days recent days by ascending date
 * @throws Rejection `recentTooShort` when the days begin later, or fewer than 183 of the dates have enough data
 */
export const relearnedYear = (days: readonly RecentDay[]): RelearnedYear => {
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  if (first === undefined || last === undefined)
    throw new Rejection('recentTooShort', `got no recent days, expected ${relearnedDates} dates of them`);
  const year = lastYearOf(last);
  if (first > year.from) {
    const count = dayNumber(last) - dayNumber(first) + 1;
    throw new Rejection(
      'recentTooShort',
      `got recent days of ${count} dates, ${first} to ${last}, expected ${relearnedDates}: the year is full on ${fullOn(first)}`,
    );
  }
  const enough = days.filter(
    ({ date, completeness }) => date >= year.from && completeness >= learnedShareMin,
  );
  if (enough.length < relearnedDaysMin)
    throw new Rejection(
      'recentTooShort',
      `got ${enough.length} recent days with three quarters of their slices, ${year.from} to ${year.to}, ` +
        `expected at least ${relearnedDaysMin}`,
    );
  return year;
};

/** The date on which recent days that begin on a date are a full year. */
const fullOn = (first: string): string => dateOf(dayNumber(first) + relearnedDates - 1);
