import { secondsPerDay } from '../../../domain/dates.js';
import type { SliceCount } from '../../../domain/day.js';
import type { LocalClock } from '../../ports/localClock.js';

/** A slice of a local day. */
export type Place = { readonly dayNumber: number; readonly slice: number };

/** The slice that an instant is in. @param at seconds since 1970 */
export const placeAt = (clock: LocalClock, size: SliceCount, at: number): Place => {
  const local = at + clock.periodAt(at).offset;
  const dayNumber = Math.floor(local / secondsPerDay);
  return { dayNumber, slice: Math.floor(((local - dayNumber * secondsPerDay) * size) / secondsPerDay) };
};

/** The last instant that shows a local time, or would show it if the clock did not skip it. */
const lastInstantOf = (clock: LocalClock, localTime: number): number => {
  const instant = clock.instantsOf(localTime).at(-1);
  return instant ?? localTime - clock.periodAt(localTime - secondsPerDay).offset;
};

/** Instant of the first local midnight of a day, in seconds since 1970. */
export const startOf = (clock: LocalClock, dayNumber: number): number =>
  clock.instantsOf(dayNumber * secondsPerDay)[0] ?? lastInstantOf(clock, dayNumber * secondsPerDay);

/** First instant of a slice, in seconds since 1970. */
export const sliceStart = (clock: LocalClock, size: SliceCount, { dayNumber, slice }: Place): number => {
  const localTime = dayNumber * secondsPerDay + (slice * secondsPerDay) / size;
  return clock.instantsOf(localTime)[0] ?? lastInstantOf(clock, localTime);
};

/** Instant since which the local clock has shown the slice of an instant. @param at seconds since 1970 */
export const shownSince = (clock: LocalClock, size: SliceCount, at: number): number => {
  const { from, offset } = clock.periodAt(at);
  const local = at + offset;
  return Math.max(from, Math.floor((local * size) / secondsPerDay) * (secondsPerDay / size) - offset);
};

/** Instant at which a slice has passed, in seconds since 1970; a repeated slice passes with its second time. */
export const endOf = (clock: LocalClock, size: SliceCount, { dayNumber, slice }: Place): number =>
  lastInstantOf(clock, dayNumber * secondsPerDay + ((slice + 1) * secondsPerDay) / size);

/** Number of slices of a day that have passed at an instant. */
export const slicesBefore = (clock: LocalClock, size: SliceCount, dayNumber: number, at: number): number => {
  const now = placeAt(clock, size, at);
  if (now.dayNumber !== dayNumber) return now.dayNumber > dayNumber ? size : 0;
  // In an hour that the clock repeats, slices of the first time are not over.
  let passed = now.slice;
  while (passed > 0 && endOf(clock, size, { dayNumber, slice: passed - 1 }) > at) passed -= 1;
  return passed;
};
