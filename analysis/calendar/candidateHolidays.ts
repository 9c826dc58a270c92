import { createRequire } from 'node:module';
import { dayNumber } from '../../domain/dates.js';
import { holidaysOf, library } from './holidays.js';

/** Holidays of the candidates by code and by year from `firstYear` on, as days since 1 January. */
export type HolidayTable = {
  readonly library: string;
  readonly firstYear: number;
  readonly days: Readonly<Record<string, readonly (readonly number[])[]>>;
};

const require = createRequire(import.meta.url);

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
