import { dayNumberOf, dateOf, secondsPerDay } from '../../../domain/dates.js';
import type { LocalClock } from '../../../application/ports/localClock.js';
import { placeAt, startOf } from '../../../application/requests/points/sliceTimes.js';
import { pointsMax, type AskedRange } from './rangeAnswer.js';

/** Longest window, in days: servers limit the range of a query. */
const windowDaysMax = 31;
/** Longest local day, in hours. */
const dayHoursMax = 25;

/** Instants from (inclusive) to (exclusive), in seconds since 1970. */
export type Span = { readonly from: number; readonly to: number };

/** Local date of an instant, as a day number. */
export const dayAt = (clock: LocalClock, at: number): number => placeAt(clock, 24, at).dayNumber;

/** The date a year after a date; both as day numbers. 29 February is followed by 1 March. */
export const yearLater = (day: number): number => {
  const [year = 0, month = 0, date = 0] = dateOf(day).split('-').map(Number);
  return dayNumberOf(year + 1, month, date) ?? day + 366;
};

/**
 * Windows of whole local days that cover a span, each with at most 11,000 instants. Instants are multiples of `step`
 * seconds since 1970, so that every pull asks for the same ones. Both ends of a window are inclusive.
 */
export const windowsOf = (clock: LocalClock, { from, to }: Span, step: number): readonly AskedRange[] => {
  const daySteps = Math.ceil((dayHoursMax * 3600) / step);
  const days = Math.max(1, Math.min(windowDaysMax, Math.floor(pointsMax / daySteps)));
  const windows: AskedRange[] = [];
  for (let at = from; at < to;) {
    const end = Math.min(to, startOf(clock, dayAt(clock, at) + days));
    const first = Math.ceil(at / step) * step;
    const last = (Math.ceil(end / step) - 1) * step;
    if (first <= last) windows.push({ from: first, to: last });
    at = end;
  }
  return windows;
};

/** Shortest step, in seconds: a day is one window at most. */
export const stepSecondsMin = 15;
/** Longest step, in seconds. */
export const stepSecondsMax = secondsPerDay;
