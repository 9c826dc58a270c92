import { secondsPerDay } from '../../../domain/dates.js';
import { finestCount } from '../../../domain/day.js';
import { utcClock, type LocalClock } from '../../ports/localClock.js';
import { recentDaysMax } from './assembleDays.js';
import { InvalidInput } from './faults.js';

const secondsPerSlice = secondsPerDay / finestCount;

/** Amounts of a local day in 144 slices of ten minutes. */
export type RegisterDay = {
  readonly dayNumber: number;
  readonly sums: Float64Array;
  /** Seconds between the readings around a slice, the most of them; 0 without any, Infinity where a part is unknown. */
  readonly spans: Float32Array;
  /** Whether a row lies in the day; one at its first instant only ends the day before. */
  hasRow: boolean;
};

/** The ten-minute slice that contains an instant: day, index, first instant, and its end or that of the period. */
export type Place = {
  readonly day: number;
  readonly slice: number;
  readonly from: number;
  readonly to: number;
};

/** Days whose amounts are collected, in any order. */
export type RegisterDays = {
  readonly placeOf: (at: number) => Place;
  /** The day of a number; made when there is none. @throws InvalidInput for more days than an import may have */
  readonly day: (dayNumber: number) => RegisterDay;
  /** Adds an amount between two instants, evenly. */
  readonly spread: (from: number, to: number, amount: number) => void;
  /** Marks the slice that an instant cuts: a part of it is unknown. */
  readonly cutAt: (at: number) => void;
  /** Marks all slices between two instants as unknown. */
  readonly forget: (from: number, to: number) => void;
  /** The days so far, ascending. */
  readonly all: () => readonly RegisterDay[];
};

/** An empty collection of days of a clock. */
export const registerDays = (clock: LocalClock = utcClock): RegisterDays => {
  const days = new Map<number, RegisterDay>();
  let last: RegisterDay | undefined;

  const day = (dayNumber: number): RegisterDay => {
    if (last?.dayNumber === dayNumber) return last;
    last = days.get(dayNumber);
    if (last !== undefined) return last;
    if (days.size >= recentDaysMax)
      throw new InvalidInput(
        'csvInvalid',
        `got more than ${recentDaysMax} days, expected at most as many in an import`,
        [],
      );
    last = {
      dayNumber,
      sums: new Float64Array(finestCount),
      spans: new Float32Array(finestCount),
      hasRow: false,
    };
    days.set(dayNumber, last);
    return last;
  };
  const placeOf = (at: number): Place => {
    const { offset, to } = clock.periodAt(at);
    const dayNumber = Math.floor((at + offset) / secondsPerDay);
    const midnight = dayNumber * secondsPerDay - offset;
    const slice = Math.floor((at - midnight) / secondsPerSlice);
    const start = midnight + slice * secondsPerSlice;
    return { day: dayNumber, slice, from: start, to: Math.min(to, start + secondsPerSlice) };
  };
  const forEachPart = (
    from: number,
    to: number,
    take: (day: RegisterDay, slice: number, seconds: number) => void,
  ): void => {
    for (let at = from; at < to;) {
      const place = placeOf(at);
      const end = Math.min(to, place.to);
      take(day(place.day), place.slice, end - at);
      at = end;
    }
  };

  return {
    placeOf,
    day,
    spread: (from, to, amount) => {
      const seconds = to - from;
      forEachPart(from, to, ({ sums, spans }, slice, part) => {
        sums[slice] = (sums[slice] ?? 0) + (part === seconds ? amount : (amount * part) / seconds);
        spans[slice] = Math.max(spans[slice] ?? 0, seconds);
      });
    },
    cutAt: at => {
      const place = placeOf(at);
      if (at > place.from) day(place.day).spans[place.slice] = Infinity;
    },
    forget: (from, to) => {
      forEachPart(from, to, ({ spans }, slice) => {
        spans[slice] = Infinity;
      });
    },
    all: () => [...days.values()].sort((a, b) => a.dayNumber - b.dayNumber),
  };
};
