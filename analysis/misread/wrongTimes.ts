import { dateOf, dayNumberOf } from '../../domain/dates.js';
import {
  weekdayOf,
  type HourRows,
  correlation,
  ordinary,
  unexplained,
  unexplainedMax,
  type WindowPair,
  type WindowPairs,
  weekDays,
  quantile,
} from './windows.js';
import { remembering } from '../math/oncePer.js';

const hoursOfDay = 24;
/** Longest shift that is looked for, in hours, in both directions. */
const hoursMax = 12;
/** Fewest parts of a day from which a shift can be seen. */
const partsMin = 8;
/** The unexplained part of the profile must be so many times smaller after the shift is undone. */
const gainMin = 1.75;
/** Smallest share of days that fit better with the shift undone. */
const shiftVotesMin = 0.75;
/** Largest unexplained part with the shift undone, as a multiple of the ordinary one plus what is always accepted. */
const remainderMax = 1.5;
const slack = 0.02;
/** Unexplained part of a fit that is exact but for rounding, which may leave less than 0. */
const exactFit = 1e-9;

/** A shift of whole hours: values come `hours` later than before (negative: earlier), from day number `at` on. */
export type Shift = {
  readonly at: number;
  readonly hours: number;
  /** Unexplained part of the profile as it is, over that with the shift undone. */
  readonly gain: number;
  /** Share of days that fit better with the shift undone. */
  readonly votes: number;
};

/** The shift that fits best, in parts, and the unexplained parts with and without it. */
const bestShift = (before: Float64Array, after: Float64Array, most: number) => {
  const unshifted = correlation(before, after, 0);
  let best = 0;
  let highest = unshifted;
  for (let shift = -most; shift <= most; shift += 1) {
    const fit = correlation(before, after, shift);
    if (fit > highest) [best, highest] = [shift, fit];
  }
  return { best, as: 1 - unshifted, undone: 1 - highest };
};

/** Correlation of the values of a day, read `shift` parts later, with a typical week; NaN for flat or missing days. */
const dayFit = (
  { parts, values, rowOf }: HourRows,
  day: number,
  week: Float64Array,
  shift: number,
): number => {
  const sums = { n: 0, x: 0, y: 0, xx: 0, yy: 0, xy: 0 };
  const weekday = weekdayOf(day) * parts;
  for (let part = 0; part < parts; part += 1) {
    const moved = part + shift;
    const over = Math.floor(moved / parts);
    const row = rowOf.get(day + over);
    const x = row === undefined ? NaN : (values[row * parts + moved - over * parts] ?? NaN);
    const y = week[weekday + part] ?? NaN;
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    sums.n += 1;
    sums.x += x;
    sums.y += y;
    sums.xx += x * x;
    sums.yy += y * y;
    sums.xy += x * y;
  }
  const { n, x, y, xx, yy, xy } = sums;
  if (n < parts / 2) return NaN;
  return (n * xy - x * y) / Math.sqrt((n * xx - x * x) * (n * yy - y * y));
};

/** Share of the days of a pair that fit the weeks before better with a shift undone; 0 for none. */
const votesFor = (rows: HourRows, { at, to, before }: WindowPair, shift: number): number => {
  let pro = 0;
  let all = 0;
  for (let day = at; day < to; day += 1) {
    const gain = dayFit(rows, day, before.week, shift) - dayFit(rows, day, before.week, 0);
    if (!Number.isFinite(gain)) continue;
    all += 1;
    if (gain > 0) pro += 1;
  }
  return all === 0 ? 0 : pro / all;
};

/**
 * The clearest shift by whole hours that begins on `from` or later.
 * @returns undefined when there is none, and when the days are too coarse or too irregular to show one
 */
export const clearestShift = (
  rows: HourRows,
  from: number,
  { near, season }: WindowPairs,
): Shift | undefined => {
  const { parts } = rows;
  if (parts < partsMin) return undefined;
  const most = Math.floor((hoursMax * parts) / hoursOfDay);
  const unexplainedBy = remembering(unexplained);
  const clearestOf = (pairs: readonly WindowPair[]): Shift | undefined => {
    let clearest: Shift | undefined;
    let isExact = false;
    for (const pair of pairs) {
      const { at, before, after } = pair;
      if (at < from || !before.shape || !after.shape) continue;
      const { best, as, undone } = bestShift(before.shape, after.shape, most);
      const gain = as / Math.max(exactFit, undone);
      if (best === 0 || gain < gainMin) continue;
      const usual = ordinary(near, unexplainedBy, at);
      if (!(usual <= unexplainedMax && undone <= Math.min(unexplainedMax, remainderMax * usual + slack)))
        continue;
      const votes = votesFor(rows, pair, best);
      // Weeks that repeat exactly fit on dates before the shift too, but on fewer days.
      const areExact = undone <= exactFit && isExact;
      if (votes < shiftVotesMin || (clearest && !(areExact ? votes > clearest.votes : gain > clearest.gain)))
        continue;
      clearest = { at, hours: (best * hoursOfDay) / parts, gain, votes };
      isExact = undone <= exactFit;
    }
    return clearest;
  };
  return clearestOf(near) ?? clearestOf(season);
};

/** Fewest dates of an import whose order of day and month can be judged. */
const datesMin = 3;
/** The other reading must have so many times fewer holes. */
const runsRatioMin = 3;
/** Fewest days whose values are compared at both dates. */
const comparedMin = 20;
/** Smallest share of days that fit better at the other date. */
const swapVotesMin = 0.65;
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
  return days >= comparedMin && votes >= swapVotesMin ? { shownBy: 'values', days, votes } : undefined;
};

/**
 * Whether new days have day and month in the wrong order; undefined when nothing shows it.
 * @param rows  the new days and those around them
 * @param fresh ascending day numbers of the new days
 */
export const swappedDates = (rows: HourRows, fresh: readonly number[]): SwappedDates | undefined =>
  byDates(fresh) ?? byValues(rows, new Set(fresh));
