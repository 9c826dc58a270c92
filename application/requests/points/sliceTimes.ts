import { secondsPerDay, dateOf } from '../../../domain/dates.js';
import { type SliceCount, isIn, type Day } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import { fallsTooOften, stretchFrom, stretchSecondsMax } from '../../../domain/register.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { LocalClock } from '../../ports/localClock.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import type { SampledDay } from '../imports/faults.js';
import { counted, plural } from '../../../domain/text.js';

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

type Days = Pick<ReadModels['days'], 'wholeDayRevision' | 'recent'>;
type Where = { readonly source: Pick<SourceSetup, 'id' | 'activitySize'>; readonly clock: LocalClock };

/** The readings of a buffer whose time has come, and that came after the last event that set their whole day. */
export type CountedReadings = Pick<PointBuffer, 'between' | 'lastBefore'> & {
  /** The first reading from an instant on. */
  readonly firstFrom: (sourceId: number, from: number) => Promise<BufferedPoint | undefined>;
  /** The readings of a list that count. */
  readonly of: <One extends { readonly at: number; readonly base: number }>(
    readings: readonly One[],
  ) => One[];
};

const pageSize = 100;

/** The first reading of a buffer from an instant to another one that `isWanted`, read in pages. */
const firstReading = async (
  buffer: Pick<PointBuffer, 'between'>,
  id: number,
  [from, to]: readonly [number, number],
  isWanted: (reading: BufferedPoint) => boolean,
): Promise<BufferedPoint | undefined> => {
  for (let next = from; ;) {
    const page = await buffer.between(id, next, to, pageSize);
    const found = page.find(isWanted);
    if (found || page.length < pageSize) return found;
    next = page.at(-1)!.at + 1;
  }
};

/**
 * The readings of a source that count.
 * @param end microseconds since 1970 from which on readings are of the future
 */
export const countedReadings = (
  {
    models,
    buffer,
  }: { readonly models: { readonly days: Pick<Days, 'wholeDayRevision'> }; readonly buffer: PointBuffer },
  { source, clock }: Where,
  end: number,
): CountedReadings => {
  const revisions = new Map<number, number>();
  const dayOf = (at: number): number => placeAt(clock, source.activitySize, at / 1e6).dayNumber;
  const isCounted = ({ at, base }: { readonly at: number; readonly base: number }): boolean => {
    if (at >= end) return false;
    const number = dayOf(at);
    const whole = revisions.get(number) ?? models.days.wholeDayRevision(source.id, dateOf(number));
    revisions.set(number, whole);
    return base >= whole;
  };
  return {
    of: readings => readings.filter(isCounted),
    firstFrom: (id, from) => firstReading(buffer, id, [from, end], isCounted),
    between: async (...range) => (await buffer.between(...range)).filter(isCounted),
    lastBefore: async (id, before) => {
      for (let to = Math.min(before, end); ;) {
        const last = await buffer.lastBefore(id, to);
        if (!last || isCounted(last)) return last;
        const midnight = Math.round(startOf(clock, dayOf(last.at)) * 1e6);
        const found = (await buffer.between(id, midnight, to)).findLast(isCounted);
        if (found) return found;
        to = midnight;
      }
    },
  };
};

/**
 * Days of readings, ascending, with the dates between them that have no value any more. Their slices were filled from
 * readings that have changed since, so all of these are unknown.
 * @param range seconds since 1970
 */
export const withLostDays = (
  { days }: { readonly days: Pick<Days, 'recent'> },
  { source: { id, activitySize }, clock }: Where,
  sampled: readonly SampledDay[],
  range: { readonly from: number; readonly to: number },
): SampledDay[] => {
  const lost: SampledDay[] = [];
  const last = placeAt(clock, activitySize, range.to).dayNumber;
  for (let number = placeAt(clock, activitySize, range.from).dayNumber; number <= last; number += 1) {
    if (sampled.some(({ dayNumber }) => dayNumber === number)) continue;
    const isFilled = (days.recent(id, dateOf(number))?.filled.length ?? 0) > 0;
    if (isFilled) lost.push({ dayNumber: number, values: Array<number>(activitySize).fill(NaN) });
  }
  return [...sampled, ...lost].sort((one, other) => one.dayNumber - other.dayNumber);
};

/** Last readings of which falls are counted. */
const readingsJudged = 12;

/**
 * A warning when readings that came one by one fall as often as those of no register. A body of them would be refused.
 * @param found warnings about the same readings; without a reset there is nothing to say
 * @param last  key of the readings in the buffer, and the instant of the last one
 */
export const fallWarnings = async (
  buffer: Pick<PointBuffer, 'lastBefore'>,
  found: ImportSummary['warnings'],
  { id, at }: { readonly id: number; readonly at: number },
): Promise<ImportSummary['warnings']> => {
  if (!found.some(({ code }) => code === 'counterReset')) return [];
  let [falls, changes] = [0, 0];
  let later = await buffer.lastBefore(id, at + 1);
  for (let read = 1; later && read < readingsJudged; read += 1) {
    const earlier = await buffer.lastBefore(id, later.at);
    if (earlier && earlier.value !== later.value) changes += 1;
    if (earlier && earlier.value > later.value) falls += 1;
    later = earlier;
  }
  if (!fallsTooOften(falls, changes)) return [];
  const detail =
    `${counted(falls)} of the last ${plural(changes, 'change')} of the value fall, ` +
    'expected readings of a register, which rise except for a rare reset';
  return [{ code: 'notCumulative', detail }];
};

/** The slices that the time between two readings is in. */
const slicesBetween = ({ source: { activitySize }, clock }: Where, from: number, to: number): Place[] => {
  // Half a slice, because a clock may skip half of one.
  const step = secondsPerDay / activitySize / 2;
  const places: Place[] = [];
  for (let at = from; at < to && to - from <= stretchSecondsMax; at += step)
    places.push(placeAt(clock, activitySize, at));
  return [placeAt(clock, activitySize, from), ...places, placeAt(clock, activitySize, to - 1e-6)];
};

/**
 * Whether a slice keeps what it has: it is between two readings far apart, and a slice between these was measured, by
 * `days`. Their rise has its amount, so what is left for the other slices is unknown.
 * @param times of readings, ascending, in seconds since 1970
 */
export const keptSlices = (
  { days }: { readonly days: Days },
  where: Where,
  times: readonly number[],
): ((dayNumber: number, slice: number) => boolean) => {
  const { id, activitySize } = where.source;
  const read = new Map<number, Day | undefined>();
  const dayOf = (number: number): Day | undefined => {
    if (!read.has(number)) read.set(number, days.recent(id, dateOf(number)));
    return read.get(number);
  };
  const isMeasured = ({ dayNumber, slice }: Place): boolean => {
    const day = dayOf(dayNumber);
    return day !== undefined && !isIn(day.gaps, slice) && !isIn(day.filled, slice);
  };
  const kept = new Set<number>();
  for (const [index, to] of times.entries()) {
    const from = times[index - 1] ?? to;
    if (to - from < (stretchFrom * secondsPerDay) / activitySize) continue;
    const places = slicesBetween(where, from, to);
    if (places.some(isMeasured))
      for (const { dayNumber, slice } of places) kept.add(dayNumber * activitySize + slice);
  }
  return (dayNumber, slice) => kept.has(dayNumber * activitySize + slice);
};
