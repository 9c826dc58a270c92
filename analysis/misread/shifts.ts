import { weekdayOf, type HourRows } from './hours.js';
import {
  correlation,
  ordinary,
  remembering,
  unexplained,
  unexplainedMax,
  type WindowPair,
  type WindowPairs,
} from './windows.js';

const hoursOfDay = 24;
/** Longest shift that is looked for, in hours, in both directions. */
const hoursMax = 12;
/** Fewest parts of a day from which a shift can be seen. */
const partsMin = 8;
/** The unexplained part of the profile must be so many times smaller after the shift is undone. */
const gainMin = 1.75;
/** Smallest share of days that fit better with the shift undone. */
const votesMin = 0.75;
/** Largest unexplained part with the shift undone, as a multiple of the ordinary one plus what is always accepted. */
const remainderMax = 1.5;
const slack = 0.02;

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
    for (const pair of pairs) {
      const { at, before, after } = pair;
      if (at < from || !before.shape || !after.shape) continue;
      const { best, as, undone } = bestShift(before.shape, after.shape, most);
      const gain = as / undone;
      if (best === 0 || gain < gainMin || (clearest && gain <= clearest.gain)) continue;
      const usual = ordinary(near, unexplainedBy, at);
      if (!(usual <= unexplainedMax && undone <= Math.min(unexplainedMax, remainderMax * usual + slack)))
        continue;
      const votes = votesFor(rows, pair, best);
      if (votes >= votesMin) clearest = { at, hours: (best * hoursOfDay) / parts, gain, votes };
    }
    return clearest;
  };
  return clearestOf(near) ?? clearestOf(season);
};
