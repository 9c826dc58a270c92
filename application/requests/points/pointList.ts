import { secondsPerDay } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import type { Series } from '../../../domain/source/feed.js';
import type { LocalClock } from '../../ports/localClock.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import { InvalidInput, type InvalidInputCode, recentDaysMax, tooManyDays } from '../imports/faults.js';

/** Most points of one body. */
export const pointsMax = 10_000_000;

/** Memory that a point of a body needs at most, in bytes: a time and a value, and both once more while sorted. */
export const bytesPerPoint = 32;

/** Points of one body: strictly ascending seconds since 1970, and as many finite values. */
export type PointList = {
  /** Code of the error for points that are found invalid later. */
  readonly invalid: InvalidInputCode;
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Lines of CSV; 0 for JSON. */
  readonly lines: number;
  /** Points that the body repeats with the same value. */
  readonly duplicates: number;
  readonly warnings: ImportSummary['warnings'];
  readonly notes: readonly string[];
};

/** Times and values of points of one body, in ascending order of time. */
export type Points = Pick<PointList, 'times' | 'values'>;

/** Times and values of points in the order of a body. */
type Pairs = { readonly times: Float64Array; readonly values: Float64Array };

/** Points of a block, which has their times and then their values. */
const blockPoints = 65_536;

/** Copies one half of each block. */
const joined = (blocks: readonly Float64Array[], count: number, half: 0 | 1): Float64Array<ArrayBuffer> => {
  const all = new Float64Array(count);
  for (const [index, block] of blocks.entries()) {
    const from = index * blockPoints;
    const start = half * blockPoints;
    all.set(block.subarray(start, start + Math.min(blockPoints, count - from)), from);
  }
  return all;
};

/** Merges the sorted stretches [from, middle) and [middle, to); of equal times the first comes first. */
const merge = (from: Pairs, into: Pairs, [start, middle, end]: readonly [number, number, number]): void => {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const takesLeft = left < middle && (right >= end || from.times[left]! <= from.times[right]!);
    const index = takesLeft ? left++ : right++;
    into.times[at] = from.times[index]!;
    into.values[at] = from.values[index]!;
  }
};

/** Sorts points by time, those of one time in the order of the body: a merge sort that yields to the event loop. */
const sorted = async (pairs: Pairs): Promise<Pairs> => {
  const yieldToEventLoop = eventLoopYielder();
  const count = pairs.times.length;
  let from = pairs;
  let into: Pairs = { times: new Float64Array(count), values: new Float64Array(count) };
  for (let width = 1; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      merge(from, into, [start, Math.min(start + width, count), Math.min(start + 2 * width, count)]);
      if (start % 65_536 === 0) await yieldToEventLoop();
    }
    [from, into] = [into, from];
  }
  return from;
};

/** Index of the first time that is not after the one before it; the length for ascending times. */
const endOfAscent = (times: Float64Array): number => {
  let index = 1;
  while (index < times.length && times[index]! > times[index - 1]!) index += 1;
  return Math.min(index, times.length);
};

/** Collects points in any order. */
export const pointCollector = () => {
  let blocks: Float64Array[] = [];
  let last = new Float64Array(0);
  let count = 0;
  return {
    count: (): number => count,
    add: (at: number, value: number): void => {
      const index = count % blockPoints;
      if (index === 0) {
        last = new Float64Array(2 * blockPoints);
        blocks.push(last);
      }
      last[index] = at;
      last[blockPoints + index] = value;
      count += 1;
    },
    /**
     * The points by time; of several of one instant the last of the body counts. To be called once.
     * @param instantOf the instant of a time and its index in the body; undefined leaves the point out
     */
    finish: async (
      instantOf: (at: number, index: number) => number | undefined = at => at,
    ): Promise<Pairs & { readonly duplicates: number }> => {
      const yieldToEventLoop = eventLoopYielder();
      const [times, values] = [joined(blocks, count, 0), joined(blocks, count, 1)];
      // The sort needs their memory.
      blocks = [];
      let used = 0;
      for (let index = 0; index < count; index += 1) {
        const at = instantOf(times[index]!, index);
        if (index % 65_536 === 0) await yieldToEventLoop();
        if (at === undefined) continue;
        times[used] = at;
        values[used] = values[index]!;
        used += 1;
      }
      count = used;
      const pairs = { times: times.subarray(0, count), values: values.subarray(0, count) };
      if (endOfAscent(pairs.times) === count) return { ...pairs, duplicates: 0 };
      const all = await sorted(pairs);
      let kept = 0;
      let duplicates = 0;
      for (let index = 0; index < count; index += 1) {
        const at = all.times[index]!;
        const isRepeat = kept > 0 && all.times[kept - 1] === at;
        if (isRepeat && all.values[kept - 1] === all.values[index]) duplicates += 1;
        if (!isRepeat) kept += 1;
        all.times[kept - 1] = at;
        all.values[kept - 1] = all.values[index]!;
      }
      return { times: all.times.subarray(0, kept), values: all.values.subarray(0, kept), duplicates };
    },
  };
};

/**
 * Day numbers of ascending points, ascending.
 * @throws InvalidInput with a code for points of more dates than an import may have
 */
export const dayNumbersOf = (
  { times, invalid }: Pick<PointList, 'times' | 'invalid'>,
  clock: LocalClock,
): readonly number[] => {
  const numbers: number[] = [];
  for (let index = 0; index < times.length;) {
    const { offset, to } = clock.periodAt(times[index]!);
    const number = Math.floor((times[index]! + offset) / secondsPerDay);
    // A clock that goes back over midnight returns to the day before.
    if (!(number <= numbers.at(-1)!)) numbers.push(number);
    if (numbers.length > recentDaysMax) throw new InvalidInput(invalid, tooManyDays.detail, [tooManyDays]);
    const end = Math.min(to, (number + 1) * secondsPerDay - offset);
    while (index < times.length && times[index]! < end) index += 1;
  }
  return numbers;
};

/** Points of a series in one body, in its order: microseconds since 1970, finite values, line numbers. */
export type SeriesPoints = Series & {
  readonly at: number[];
  readonly values: number[];
  readonly lines: number[];
};

/** Lines that are not stored, with their reasons. */
export type RejectedLines = {
  /** Adds a line; its reason is only made when it is kept. */
  readonly add: (line: number, reason: () => string) => void;
  /** Number of lines. */
  readonly count: () => number;
  /** The first ones, by line. */
  readonly first: () => readonly { readonly line: number; readonly reason: string }[];
};

/** The points of one body, and the lines that could not be read. */
export type LineBatch = {
  readonly series: readonly SeriesPoints[];
  readonly rejected: RejectedLines;
};

/** Rejected lines whose reasons are kept. */
const reasonsMax = 20;

/** An empty set of whole numbers from 0. It takes a bit of memory for each number up to the largest one. */
export const bitSet = () => {
  let bits = new Uint8Array(1024);
  return {
    has: (number: number): boolean => (((bits[number >> 3] ?? 0) >> (number & 7)) & 1) === 1,
    add: (number: number): void => {
      const index = number >> 3;
      if (index >= bits.length) {
        const larger = new Uint8Array(2 * index);
        larger.set(bits);
        bits = larger;
      }
      bits[index]! |= 1 << (number & 7);
    },
  };
};

/** An empty list. A line with several reasons has the first. It takes a bit of memory for each line of the body. */
export const rejectedLines = (): RejectedLines => {
  const lines = bitSet();
  let count = 0;
  const kept: { readonly line: number; readonly reason: string }[] = [];
  return {
    add: (line, reason) => {
      if (lines.has(line)) return;
      lines.add(line);
      count += 1;
      if (kept.length < reasonsMax) kept.push({ line, reason: reason() });
    },
    count: () => count,
    first: () => kept.toSorted((one, other) => one.line - other.line),
  };
};
