import { secondsPerDay } from '../../../domain/dates.js';
import {
  finestCount,
  type Aggregation,
  type SliceCount,
  countFilledBy,
  isTotal,
  sliceCounts,
} from '../../../domain/day.js';
import { utcClock, type LocalClock } from '../../ports/localClock.js';
import type { DayRule } from './assembleDays.js';
import {
  InvalidInput,
  recentDaysMax,
  tooManyDays,
  type InvalidInputCode,
  type SampledDay,
} from './faults.js';

/** A step longer than this multiple of the median step is an interruption, not sampling. */
const interruptedFrom = 3;

/** Largest share of the slices that irregular steps may leave empty. */
const emptyShareMax = 0.01;

/** Sum of the counts of a histogram. A loop: a callback for each of 172,800 lengths took 3 ms of an import. */
const totalOf = (histogram: Uint32Array): number => {
  let total = 0;
  for (let index = 0; index < histogram.length; index += 1) total += histogram[index]!;
  return total;
};

/** The lower median of the `total` indices that a histogram counts; `undefined` when it is empty. */
const medianOf = (histogram: Uint32Array, total: number): number | undefined => {
  let below = 0;
  const found = histogram.findIndex(count => {
    below += count;
    return below > 0 && 2 * below >= total;
  });
  return found < 0 ? undefined : found;
};

/**
 * The number of slices that readings fill. Regular readings, at least half of them at the median step, fill it evenly
 * (countFilledBy). Irregular ones, such as one every 7 to 13 minutes, fill the largest number of slices of which at
 * most one in a hundred stays empty. Their sums would differ from slice to slice, so sums need ten readings a slice;
 * the amounts of a counter are interpolated.
 * @param steps number of steps by their length in seconds
 */
export const sizeFilledBy = (steps: Uint32Array, aggregation: Aggregation): SliceCount => {
  const total = totalOf(steps);
  const median = medianOf(steps, total);
  if (median === undefined) return sliceCounts[0];
  const isRegular = 2 * (steps[median] ?? 0) >= total;
  if (isRegular || aggregation === 'sum') return countFilledBy(median);
  const sampling = steps.subarray(0, interruptedFrom * median + 1);
  const time = sampling.reduce((sum, count, step) => sum + count * step, 0);
  const emptyShare = (size: SliceCount): number => {
    const seconds = secondsPerDay / size;
    return sampling.reduce((sum, count, step) => sum + count * Math.max(0, step - seconds), 0) / time;
  };
  return [...sliceCounts].reverse().find(size => emptyShare(size) <= emptyShareMax) ?? sliceCounts[0];
};

const secondsPerSlice = secondsPerDay / finestCount;
/** Most seconds between two readings of one local day, which lasts up to 48 hours where a date is repeated. */
export const stepsMax = 2 * secondsPerDay;

/** Sums and numbers of the points of a day in 144 slices of ten minutes. */
type Points = { readonly sums: Float64Array; readonly counts: Uint32Array };

/** A day whose points are collected. */
type OpenDay = Points & { dayNumber: number };

const emptyDay = (): OpenDay => ({
  dayNumber: NaN,
  sums: new Float64Array(finestCount),
  counts: new Uint32Array(finestCount),
});

/**
 * Converts the sums of a day with a clock change to those of a day of 24 hours: a repeated hour counts once, and the
 * parts of a new slice that the clock skips count as much as its other parts.
 * @param seconds that each of the 144 slices lasts
 */
export const adjustClockChange = (
  { sums }: Pick<Points, 'sums'>,
  seconds: Float64Array,
  size: SliceCount,
): void => {
  const per = finestCount / size;
  for (let from = 0; from < finestCount; from += per) {
    const lasting = seconds.subarray(from, from + per).filter(each => each > 0).length;
    for (let fine = from; fine < from + per && lasting > 0; fine += 1)
      sums[fine] =
        ((sums[fine] ?? 0) * per * secondsPerSlice) / (lasting * (seconds[fine] || secondsPerSlice));
  }
};

/** The values of a day in `size` slices; NaN for slices without points. */
const sample = ({ sums, counts }: Points, size: SliceCount, aggregation: Aggregation): number[] => {
  const per = finestCount / size;
  const values: number[] = [];
  for (let slice = 0; slice < size; slice += 1) {
    let sum = 0;
    let count = 0;
    for (let fine = slice * per; fine < (slice + 1) * per; fine += 1) {
      sum += sums[fine] ?? 0;
      count += counts[fine] ?? 0;
    }
    values.push(count === 0 ? NaN : isTotal(aggregation) ? sum : sum / count);
  }
  return values;
};

/**
 * Groups readings into days of the local clock. Without an activitySize in the rule it is the finest one that the
 * readings fill, by the seconds between two readings of a day. Until it is known the days have 144
 * slices. Readings of a counter are grouped by registerFolder.ts.
 * @returns `add` takes readings: strictly ascending seconds since 1970 and as many values, NaN for a missing one.
 *          `finish`, to be called once, returns the days with readings, ascending
 */
export const foldDays = ({
  activitySize,
  aggregation,
  clock = utcClock,
}: Pick<DayRule, 'activitySize' | 'aggregation' | 'clock'>): {
  add: (times: Float64Array, values: Float64Array) => void;
  finish: () => { activitySize: SliceCount; sampled: SampledDay[] };
} => {
  const steps = activitySize === undefined ? new Uint32Array(stepsMax) : undefined;
  const closed: (Points & { readonly dayNumber: number })[] = [];
  const sampled: SampledDay[] = [];
  // Two days are open: a clock that goes back after midnight returns to the day before.
  let open = emptyDay();
  let before = emptyDay();
  let began = Infinity;
  let lastAt = -Infinity;

  const sampleDay = (day: OpenDay, size: SliceCount): void => {
    const seconds = isTotal(aggregation) ? clock.sliceSeconds(day.dayNumber) : undefined;
    if (seconds) adjustClockChange(day, seconds, size);
    sampled.push({ dayNumber: day.dayNumber, values: sample(day, size, aggregation) });
  };
  const close = (day: OpenDay): void => {
    if (Number.isNaN(day.dayNumber)) return;
    if (activitySize === undefined)
      closed.push({ dayNumber: day.dayNumber, sums: day.sums.slice(), counts: day.counts.slice() });
    else sampleDay(day, activitySize);
    day.sums.fill(0);
    day.counts.fill(0);
  };
  const turnTo = (dayNumber: number, at: number): void => {
    if (dayNumber !== before.dayNumber) {
      close(before);
      before.dayNumber = dayNumber;
    }
    [open, before] = [before, open];
    began = at;
  };

  return {
    add: (times, values) => {
      // The sums of a slice are local variables, because variables of a closure are slow to write.
      let last = lastAt;
      for (let index = 0; index < times.length;) {
        const first = times[index] ?? NaN;
        const { offset, to } = clock.periodAt(first);
        const day = Math.floor((first + offset) / secondsPerDay);
        if (day !== open.dayNumber) turnTo(day, first);
        const { sums, counts } = open;
        const dayBegan = began;
        const midnight = day * secondsPerDay - offset;
        const slice = Math.floor((first - midnight) / secondsPerSlice);
        const sliceEnd = Math.min(to, midnight + (slice + 1) * secondsPerSlice);
        let sum = sums[slice] ?? 0;
        let count = counts[slice] ?? 0;
        for (; index < times.length; index += 1) {
          const at = times[index] ?? NaN;
          if (at >= sliceEnd) break;
          if (steps && last >= dayBegan) {
            const step = (at - last + 0.5) | 0;
            steps[step] = (steps[step] ?? 0) + 1;
          }
          last = at;
          const value = values[index] ?? NaN;
          if (Number.isNaN(value)) continue;
          sum += value;
          count += 1;
        }
        sums[slice] = sum;
        counts[slice] = count;
      }
      lastAt = last;
    },
    finish: () => {
      for (const day of [before, open].sort((a, b) => a.dayNumber - b.dayNumber)) close(day);
      const size = activitySize ?? sizeFilledBy(steps ?? new Uint32Array(0), aggregation);
      for (const day of closed) sampleDay(day, size);
      return { activitySize: size, sampled };
    },
  };
};

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

/** An empty collection of days of a clock. @param invalid code of the error for too many days */
export const registerDays = (
  clock: LocalClock = utcClock,
  invalid: InvalidInputCode = 'csvInvalid',
): RegisterDays => {
  const days = new Map<number, RegisterDay>();
  let last: RegisterDay | undefined;

  const day = (dayNumber: number): RegisterDay => {
    if (last?.dayNumber === dayNumber) return last;
    last = days.get(dayNumber);
    if (last !== undefined) return last;
    if (days.size >= recentDaysMax) throw new InvalidInput(invalid, tooManyDays.detail, [tooManyDays]);
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
