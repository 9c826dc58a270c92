import { fastestRises, rollOver, type Rise, stretchSecondsMax } from '../../../domain/register.js';
import type { SliceCount } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import { sizeFilledBy, stepsMax, registerDays, type Place } from './dayFolder.js';
import type { SampledDay } from './faults.js';
import {
  type Turn,
  judgeRegister,
  sampleRegister,
  type Collected,
  type RegisterRule,
} from './registerVerdict.js';

/** Falls through a power of ten that wait for the speeds of the register; more are resets. */
const candidatesMax = 1000;
/** Resets that are kept to be listed. */
const resetsMax = 100;

/** A reading of a register: seconds since 1970, and what it shows. */
export type RegisterReading = { readonly at: number; readonly value: number };

/** Days of a register, and what was found. */
export type FoldedRegister = {
  readonly activitySize: SliceCount;
  readonly sampled: SampledDay[];
  readonly warnings: ImportSummary['warnings'];
  readonly notes: readonly string[];
};

/** Functions that take the intervals between readings, one after the other. */
const intervalTaker = ({ days, fastest, candidates, resets, count }: Collected) => {
  const cut = ({ from, to }: { readonly from: number; readonly to: number }): void => {
    days.cutAt(from);
    days.cutAt(to);
  };
  const rise = (found: Rise): void => {
    const { from, to, amount } = found;
    if (to - from > stretchSecondsMax) {
      cut(found);
      return;
    }
    days.spread(from, to, amount);
    count.intervals += 1;
    count.seconds += to - from;
    if (amount === 0) return;
    count.rises += 1;
    const step = count.seconds / count.intervals;
    if (amount > fastest.slowest() * Math.max(to - from, step)) fastest.add(found, step);
  };
  const fall = (turn: Turn): void => {
    const isCandidate =
      candidates.length < candidatesMax &&
      turn.to - turn.from <= stretchSecondsMax &&
      rollOver(turn.before, turn.after) !== undefined;
    if (isCandidate) {
      candidates.push(turn);
      return;
    }
    cut(turn);
    count.resets += 1;
    if (resets.length < resetsMax) resets.push(turn);
  };
  return { rise, fall };
};

/** The last row: its time, the slice that contains it, and the last reading, which an empty row leaves as it is. */
type LastRow = { at: number; place: Place; reading: { at: number; value: number } };

/** Takes rows one by one: counts the steps between them, and finds the intervals between readings. */
const rowTaker = (collected: Collected, steps: Uint32Array, last: LastRow) => {
  const { days } = collected;
  const { rise, fall } = intervalTaker(collected);
  return (at: number, value: number): void => {
    const step = Math.round(at - last.at);
    if (step < steps.length) steps[step] = (steps[step] ?? 0) + 1;
    last.at = at;
    last.place = days.placeOf(at);
    const { day, slice, from } = last.place;
    // A row at midnight only ends the day before.
    if (slice > 0 || at > from) days.day(day).hasRow = true;
    if (Number.isNaN(value)) return;
    const { at: before, value: register } = last.reading;
    if (Number.isNaN(before)) days.cutAt(at);
    else if (value < register) fall({ from: before, to: at, before: register, after: value });
    else rise({ from: before, to: at, before: register, amount: value - register });
    last.reading = { at, value };
    collected.largest = Math.max(collected.largest, Math.abs(value));
  };
};

/**
 * Takes rises within the slice of the last row, which most rows of fine data are; the result is that of `rowTaker`.
 * @returns function of rows and the index of the first; it returns the index of the first row that it did not take
 */
const sliceTaker =
  (collected: Collected, steps: Uint32Array, last: LastRow) =>
  (times: Float64Array, values: Float64Array, start: number): number => {
    const { place, reading } = last;
    if (last.at !== reading.at || reading.at <= place.from) return start;
    const { sums, spans } = collected.days.day(place.day);
    const slowest = collected.fastest.slowest();
    let [index, sum, span] = [start, sums[place.slice] ?? 0, spans[place.slice] ?? 0];
    let { rises, intervals, seconds } = collected.count;
    let { at: from, value: register } = reading;
    for (; index < times.length; index += 1) {
      const at = times[index] ?? NaN;
      const value = values[index] ?? NaN;
      const amount = value - register;
      const between = at - from;
      if (!(at < place.to && amount >= 0)) break;
      if (amount > slowest * Math.max(between, (seconds + between) / (intervals + 1))) break;
      const step = (between + 0.5) | 0;
      if (step < steps.length) steps[step] = (steps[step] ?? 0) + 1;
      if (amount > 0) rises += 1;
      intervals += 1;
      seconds += between;
      sum += amount;
      if (between > span) span = between;
      from = at;
      register = value;
    }
    sums[place.slice] = sum;
    spans[place.slice] = span;
    Object.assign(collected.count, { rises, intervals, seconds });
    last.at = from;
    last.reading = { at: from, value: register };
    // Readings of a slice rise, so the last one is the largest, or the first one was, below 0.
    collected.largest = Math.max(collected.largest, Math.abs(register));
    return index;
  };

/**
 * Groups cumulative readings of a register into days of the local clock. The rise between two readings is spread
 * evenly over the time between them, so a slice is the difference of the register at its ends. A slice with an unknown
 * part has no value: before the first reading, after the last one, at a reset and at a jump.
 * @param before reading before the first one; undefined when there is none
 * @returns      `add` takes readings: strictly ascending seconds since 1970 and as many values, NaN for a missing one.
 *               `finish`, to be called once, returns the days. @throws InvalidInput `notCumulative`, by `finish`
 */
export const foldRegister = (
  rule: RegisterRule,
  before?: RegisterReading,
): {
  add: (times: Float64Array, values: Float64Array) => void;
  finish: () => FoldedRegister;
} => {
  const steps = new Uint32Array(rule.activitySize === undefined ? stepsMax : 0);
  const collected: Collected = {
    days: registerDays(rule.clock, rule.invalid),
    fastest: fastestRises(),
    candidates: [],
    resets: [],
    count: { resets: 0, rises: 0, intervals: 0, seconds: 0 },
    largest: Math.abs(before?.value ?? 0),
  };
  const last: LastRow = {
    at: NaN,
    place: { day: NaN, slice: 0, from: 0, to: -Infinity },
    reading: before ?? { at: NaN, value: NaN },
  };
  const take = rowTaker(collected, steps, last);
  const takeWithin = sliceTaker(collected, steps, last);
  if (before) collected.days.cutAt(before.at);
  return {
    add: (times, values) => {
      for (let index = 0; index < times.length;) {
        index = takeWithin(times, values, index);
        if (index >= times.length) break;
        take(times[index] ?? NaN, values[index] ?? NaN);
        index += 1;
      }
    },
    finish: () => {
      if (!Number.isNaN(last.reading.at)) collected.days.cutAt(last.reading.at);
      const warnings = judgeRegister(collected, rule);
      const activitySize = rule.activitySize ?? sizeFilledBy(steps, 'counter');
      return { activitySize, warnings, ...sampleRegister(collected, rule, activitySize) };
    },
  };
};

/**
 * The days of a list of readings, with the slices that their intervals cover whole.
 * @param readings ascending, each instant once
 * @param before   reading before the first one: at the start of its slice or earlier, else that slice stays unknown
 */
export const daysOfReadings = (
  readings: readonly RegisterReading[],
  rule: RegisterRule & { readonly activitySize: SliceCount },
  before?: RegisterReading,
): FoldedRegister => {
  const folder = foldRegister(rule, before);
  folder.add(
    Float64Array.from(readings, ({ at }) => at),
    Float64Array.from(readings, ({ value }) => value),
  );
  return folder.finish();
};
