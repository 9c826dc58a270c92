import { createRequire } from 'node:module';
import type Holidays from 'date-holidays';
import type { HolidaysTypes } from 'date-holidays';
import type { Calendar, NamedDay } from '../../domain/calendar.js';
import { dateOf, dayNumber } from '../../domain/dates.js';

// The only module that knows the library of holidays.

const require = createRequire(import.meta.url);
const { version } = require('date-holidays/package.json') as { readonly version: string };

/** The library's class, loaded when first asked for: a start without a calendar has no need of it. */
const holidaysClass = (): typeof Holidays => require('date-holidays') as typeof Holidays;

/** Name and version of what knows the holidays. */
export const library = `date-holidays ${version}`;

/** Years that the library is asked for: lunar calendars take minutes, or for ever, far from our time. */
const yearMin = 1900;
const yearMax = 2100;

/** Years of a calendar before and after its reference year. */
const yearsBefore = 1;
const yearsAfter = 15;

/** Country and region of a code, or `undefined` when it is not written as one. */
const partsOf = (code: string): readonly [country: string, region: string | undefined] | undefined => {
  const parts = /^([A-Z]{2})(?:-([A-Z0-9]{1,3}))?$/.exec(code);
  return parts?.[1] === undefined ? undefined : [parts[1], parts[2]];
};

/** Whether a code is that of a country whose holidays are known (ISO 3166-1), or of one of its regions (ISO 3166-2). */
export const isCalendarCode = (code: string): boolean => {
  const parts = partsOf(code);
  if (!parts) return false;
  const [country, region] = parts;
  const all = new (holidaysClass())();
  if (!Object.hasOwn(all.getCountries(), country)) return false;
  return region === undefined || Object.hasOwn(all.getStates(country) ?? {}, region);
};

/** The English name of a country or region, for sentences; its code where it has none. */
export const placeName = (code: string): string => {
  const [country = '', region] = partsOf(code) ?? [];
  const all = new (holidaysClass())();
  const name = all.getCountries('en')[country] ?? code;
  const part = region === undefined ? undefined : all.getStates(country, 'en')?.[region];
  return part === undefined ? name : `${name} (${part})`;
};

/**
 * The three days of the Korean New Year begin on its eve; the library begins them a day late (rule
 * `korean 01-0-01 P3D`, seen in 3.37.0).
 */
const dayLate = 'korean 01-0-01 P3D';

/**
 * The dates of a holiday. `date` is that of its first day where it is kept, whatever the machine's zone; `end` less
 * `start` its length, an hour off where clocks change in between. Holidays of part of a day, as those that begin at
 * noon, have none.
 */
const datesOf = ({ date, start, end, rule }: HolidaysTypes.Holiday): string[] => {
  const hours = (end.getTime() - start.getTime()) / 3_600_000;
  const first = dayNumber(date.slice(0, 10)) - (rule === dayLate ? 1 : 0);
  return Array.from({ length: hours < 23 ? 0 : Math.floor((hours + 1) / 24) }, (_, day) =>
    dateOf(first + day),
  );
};

/**
 * The public holidays of some years, by ascending date, one name a date: of several on one date the first that is
 * no substitute for another day. Empty for years outside 1900 to 2100.
 * @param code as isCalendarCode knows it
 */
export const holidaysOf = (code: string, from: number, to: number): NamedDay[] => {
  const [country = '', region] = partsOf(code) ?? [];
  const options: HolidaysTypes.Options = { types: ['public'], languages: ['en'] };
  const Known = holidaysClass();
  const known = region === undefined ? new Known(country, options) : new Known(country, region, options);
  const names = new Map<string, { readonly name: string; readonly substitute: boolean }>();
  for (let year = Math.max(from, yearMin); year <= Math.min(to, yearMax); year += 1)
    for (const holiday of known.getHolidays(year))
      for (const date of datesOf(holiday)) {
        const there = names.get(date);
        const substitute = holiday.substitute ?? false;
        if (!there || (there.substitute && !substitute)) names.set(date, { name: holiday.name, substitute });
      }
  return [...names]
    .map(([date, { name }]) => ({ date, name }))
    .filter(({ date }) => Number(date.slice(0, 4)) >= from && Number(date.slice(0, 4)) <= to)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
};

/** The holidays round a reference year: of the year before it, and of all years to the fifteenth after it. */
export const holidaysRound = (code: string, referenceYear: number): NamedDay[] =>
  holidaysOf(code, referenceYear - yearsBefore, referenceYear + yearsAfter);

/**
 * The calendar that somebody named.
 * @param code          a country or region: `FR`, `DE-NW`
 * @param referenceYear the year of the reference days
 * @throws RangeError   when the holidays of the code are not known
 */
export const calendarOf = (code: string, referenceYear: number): Calendar => {
  if (!isCalendarCode(code))
    throw new RangeError(`got calendar ${code}, expected a country or region whose holidays are known`);
  return { code, origin: 'given', evidence: null, library, holidays: holidaysRound(code, referenceYear) };
};
