import { createRequire } from 'node:module';
import type Holidays from 'date-holidays';
import type { HolidaysTypes } from 'date-holidays';
import type { Calendar, NamedDay } from '../../domain/planning/calendar.js';
import { dateOf, dayNumber } from '../../domain/dates.js';

// No other module uses the holiday library.

const require = createRequire(import.meta.url);
const { version } = require('date-holidays/package.json') as { readonly version: string };

/** The class of the library, loaded on first use: a service without calendars does not need it. */
const holidaysClass = (): typeof Holidays => require('date-holidays') as typeof Holidays;

/** Name and version of the holiday library. */
export const library = `date-holidays ${version}`;

/** Years that are looked up: for distant years, lunar calendars take minutes or never end. */
const yearMin = 1900;
const yearMax = 2100;

/** Years of a calendar before and after its reference year. */
const yearsBefore = 1;
const yearsAfter = 15;

/** Country and region of a code; undefined when its format is invalid. */
const partsOf = (code: string): readonly [country: string, region: string | undefined] | undefined => {
  const parts = /^([A-Z]{2})(?:-([A-Z0-9]{1,3}))?$/.exec(code);
  return parts?.[1] === undefined ? undefined : [parts[1], parts[2]];
};

/** Whether the holidays of a country (ISO 3166-1) or region (ISO 3166-2) are known. */
export const isCalendarCode = (code: string): boolean => {
  const parts = partsOf(code);
  if (!parts) return false;
  const [country, region] = parts;
  const all = new (holidaysClass())();
  if (!Object.hasOwn(all.getCountries(), country)) return false;
  return region === undefined || Object.hasOwn(all.getStates(country) ?? {}, region);
};

/** English name of a country or region; its code if there is no name. */
export const placeName = (code: string): string => {
  const [country = '', region] = partsOf(code) ?? [];
  const all = new (holidaysClass())();
  const name = all.getCountries('en')[country] ?? code;
  const part = region === undefined ? undefined : all.getStates(country, 'en')?.[region];
  return part === undefined ? name : `${name} (${part})`;
};

/** Rule of the Korean New Year. Its three days start on the eve, but the library (3.37.0) starts them a day late. */
const dayLate = 'korean 01-0-01 P3D';

/**
 * Dates of a holiday. `date` is its first day at its place. `end` − `start` is its length by the clock of the machine,
 * which may change by an hour in between. A holiday of less than a day, such as one from noon, has no dates.
 */
const datesOf = ({ date, start, end, rule }: HolidaysTypes.Holiday): string[] => {
  const hours = (end.getTime() - start.getTime()) / 3_600_000;
  const first = dayNumber(date.slice(0, 10)) - (rule === dayLate ? 1 : 0);
  return Array.from({ length: hours < 23 ? 0 : Math.floor((hours + 1) / 24) }, (_, day) =>
    dateOf(first + day),
  );
};

/** A date of a holiday that the library lists. */
type ListedDate = NamedDay & { readonly substitute: boolean };

/** Lists by code and year: the library takes some milliseconds for each, and sources often share their years. */
const lists = new Map<string, readonly ListedDate[]>();
const listsMax = 2000;

/** Returns a function that lists the holidays of a place in a year. */
const listerOf = (code: string): ((year: number) => readonly ListedDate[]) => {
  const [country = '', region] = partsOf(code) ?? [];
  const options: HolidaysTypes.Options = { types: ['public'], languages: ['en'] };
  let calendar: Holidays | undefined;
  return year => {
    const key = `${code} ${year}`;
    const kept = lists.get(key);
    if (kept) return kept;
    const Library = holidaysClass();
    if (!calendar) {
      calendar = region === undefined ? new Library(country, options) : new Library(country, region, options);
      // Instants in the zone of a place take most of the time; dates do not need them.
      calendar.setTimezone('');
    }
    const list = calendar
      .getHolidays(year)
      .flatMap(holiday =>
        datesOf(holiday).map(date => ({ date, name: holiday.name, substitute: holiday.substitute ?? false })),
      );
    if (lists.size >= listsMax) lists.clear();
    lists.set(key, list);
    return list;
  };
};

/**
 * Public holidays of the years `from` to `to` (both inclusive), by date, with one name per date. If a date has several
 * holidays, the first that is not a substitute for another day is taken. Years outside 1900 to 2100 have no holidays.
 * @param code a code that isCalendarCode accepts
 */
export const holidaysOf = (code: string, from: number, to: number): NamedDay[] => {
  const listOf = listerOf(code);
  const names = new Map<string, ListedDate>();
  for (let year = Math.max(from, yearMin); year <= Math.min(to, yearMax); year += 1)
    for (const listed of listOf(year)) {
      const known = names.get(listed.date);
      if (!known || (known.substitute && !listed.substitute)) names.set(listed.date, listed);
    }
  return [...names.values()]
    .map(({ date, name }) => ({ date, name }))
    .filter(({ date }) => Number(date.slice(0, 4)) >= from && Number(date.slice(0, 4)) <= to)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
};

/** Holidays of the candidates by code and by year from `firstYear` on, as days since 1 January. */
export type HolidayTable = {
  readonly library: string;
  readonly firstYear: number;
  readonly days: Readonly<Record<string, readonly (readonly number[])[]>>;
};

/** The table that the build writes (holidayTable.mjs). */
export const holidayTable = (): HolidayTable => require('./holidayTable.json') as HolidayTable;

/**
 * Holidays of a country or region in the years `from` to `to`, both inclusive, as day numbers, ascending: those of
 * `holidaysOf`. The table has them for candidates in the years of most references, because the library takes half a
 * second for all candidates.
 */
export const holidayNumbers = (code: string, from: number, to: number): number[] => {
  const { library: lister, firstYear, days } = holidayTable();
  const years = lister === library ? days[code] : undefined;
  if (years === undefined || from < firstYear || to >= firstYear + years.length)
    return holidaysOf(code, from, to).map(({ date }) => dayNumber(date));
  return years.slice(from - firstYear, to - firstYear + 1).flatMap((some, index) => {
    const first = dayNumber(`${from + index}-01-01`);
    return some.map(day => first + day);
  });
};

/** Public holidays of a calendar: from the year before its reference year to the fifteenth year after it. */
export const holidaysAround = (code: string, referenceYear: number): NamedDay[] =>
  holidaysOf(code, referenceYear - yearsBefore, referenceYear + yearsAfter);

/**
 * The calendar that a client gave.
 * @param code          a country or region: `FR`, `DE-NW`
 * @param referenceYear year of the reference days
 * @throws RangeError   when the holidays of the code are not known
 */
export const calendarOf = (code: string, referenceYear: number): Calendar => {
  if (!isCalendarCode(code))
    throw new RangeError(`got calendar ${code}, expected a country or region whose holidays are known`);
  return { code, origin: 'given', evidence: null, library, holidays: holidaysAround(code, referenceYear) };
};
