import { addDays } from '../overview/days.js';
import type { Range } from './YearGrid.js';

/** Dates that one act changes at most: a year. */
const datesMax = 366;

/** Dates of a range. */
export const datesOf = ({ from, to }: Range): string[] => {
  const dates: string[] = [];
  for (let date = from; date <= to && dates.length < datesMax; date = addDays(date, 1)) dates.push(date);
  return dates;
};
