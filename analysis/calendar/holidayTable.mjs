// Writes build/analysis/calendar/holidayTable.json: the holidays of the candidates of inferCalendar.ts.
import { writeFileSync } from 'node:fs';

const build = new URL('../../build/', import.meta.url);
const { candidates } = await import(new URL('analysis/calendar/inferCalendar.js', build));
const { holidaysOf, library } = await import(new URL('analysis/calendar/holidays.js', build));
const { dayNumber } = await import(new URL('domain/dates.js', build));

const firstYear = 2010;
const lastYear = 2030;

/** Holidays of a place in a year as days since 1 January. */
const daysOf = (code, year) => {
  const first = dayNumber(`${year}-01-01`);
  return holidaysOf(code, year, year).map(({ date }) => dayNumber(date) - first);
};
const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index);
const days = Object.fromEntries(candidates.map(code => [code, years.map(year => daysOf(code, year))]));
writeFileSync(
  new URL('analysis/calendar/holidayTable.json', build),
  JSON.stringify({ library, firstYear, days }),
);
