import { dateOf, dayNumberOf } from '../../domain/dates.js';
import { weekDays, type HourRows } from './hours.js';
import { quantile } from './windows.js';

/** Fewest dates of an import whose order of day and month can be judged. */
const datesMin = 3;
/** The other reading must have so many times fewer holes. */
const runsRatioMin = 3;
/** Fewest days whose values are compared at both dates. */
const comparedMin = 20;
/** Smallest share of days that fit better at the other date. */
const votesMin = 0.65;
/** Weeks before and after a date whose days are compared with it. */
const weeksAround = 3;

/** Signs that day and month were swapped: the dates, or the values of dates that exist in both readings. */
export type SwappedDates =
  | { readonly shownBy: 'dates'; readonly runs: number; readonly runsSwapped: number }
  | { readonly shownBy: 'values'; readonly days: number; readonly votes: number };

/** The date with day and month swapped; undefined when there is none or the same one. */
export const swapped = (dayNumber: number): number | undefined => {
  const [year = 0, month = 0, day = 0] = dateOf(dayNumber).split('-').map(Number);
  return day === month ? undefined : dayNumberOf(year, day, month);
};

/** Number of runs of consecutive dates. */
const runsOf = (dates: ReadonlySet<number>): number => [...dates].filter(day => !dates.has(day - 1)).length;

/** Dates that lie apart, and follow each other when day and month are swapped. */
const byDates = (dates: readonly number[]): SwappedDates | undefined => {
  if (dates.length < datesMin) return undefined;
  const runs = runsOf(new Set(dates));
  if (runs < datesMin) return undefined;
  const runsSwapped = runsOf(new Set(dates.map(day => swapped(day) ?? day)));
  return runs >= runsRatioMin * runsSwapped ? { shownBy: 'dates', runs, runsSwapped } : undefined;
};

/** Distance of the day of a row from a typical day, as a share of it; NaN without common values. */
const distanceFrom = ({ parts, values }: HourRows, row: number, typical: readonly number[]): number => {
  let distance = 0;
  let size = 0;
  typical.forEach((expected, part) => {
    const value = values[row * parts + part] ?? NaN;
    if (Number.isNaN(value) || Number.isNaN(expected)) return;
    distance += Math.abs(value - expected);
    size += Math.abs(expected);
  });
  return distance / size;
};

/** Typical day around a date, from days of its weekday that have one reading only; undefined for fewer than two. */
const typicalAround = (
  { rowOf, parts, values }: HourRows,
  dayNumber: number,
): readonly number[] | undefined => {
  const around: number[] = [];
  for (let week = -weeksAround; week <= weeksAround; week += 1) {
    const day = dayNumber + week * weekDays;
    const row = rowOf.get(day);
    if (row !== undefined && swapped(day) === undefined) around.push(row * parts);
  }
  if (around.length < 2) return undefined;
  return Array.from({ length: parts }, (_, part) =>
    quantile(
      around.map(start => values[start + part] ?? NaN).filter(value => !Number.isNaN(value)),
      0.5,
    ),
  );
};

/** Number of days that can be compared on both readings of their date, and the share that fits the other one better. */
export const otherDateVotes = (
  rows: HourRows,
  fresh: ReadonlySet<number>,
): { readonly days: number; readonly votes: number } => {
  let days = 0;
  let pro = 0;
  for (const [day, row] of rows.rowOf) {
    const other = fresh.has(day) ? swapped(day) : undefined;
    const otherRow = other === undefined || !fresh.has(other) ? undefined : rows.rowOf.get(other);
    const typical = otherRow === undefined ? undefined : typicalAround(rows, day);
    if (otherRow === undefined || typical === undefined) continue;
    const gain = distanceFrom(rows, row, typical) - distanceFrom(rows, otherRow, typical);
    if (Number.isNaN(gain)) continue;
    days += 1;
    if (gain > 0) pro += 1;
  }
  return { days, votes: pro / days };
};

/** Days whose values fit the other reading of their dates better. */
const byValues = (rows: HourRows, fresh: ReadonlySet<number>): SwappedDates | undefined => {
  const { days, votes } = otherDateVotes(rows, fresh);
  return days >= comparedMin && votes >= votesMin ? { shownBy: 'values', days, votes } : undefined;
};

/**
 * Whether new days have day and month in the wrong order; undefined when nothing shows it.
 * @param rows  the new days and those around them
 * @param fresh ascending day numbers of the new days
 */
export const swappedDates = (rows: HourRows, fresh: readonly number[]): SwappedDates | undefined =>
  byDates(fresh) ?? byValues(rows, new Set(fresh));
