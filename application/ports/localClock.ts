import { dateOf, secondsPerDay } from '../../domain/dates.js';
import { finestCount, runsWhere, type Run, type SliceCount } from '../../domain/day.js';

const secondsPerSlice = secondsPerDay / finestCount;
/** Largest distance of a local clock from UTC, in days; the date line moved by a day in some zones. */
const offsetDaysMax = 2;
/** Block offsets that are kept; a year needs 366. */
const keptMax = 4096;

/** Instants `from` (inclusive) to `to` (exclusive), in seconds since 1970, between which the offset is constant. */
export type OffsetPeriod = {
  readonly from: number;
  readonly to: number;
  /** Seconds to add to an instant for the local time. */
  readonly offset: number;
};

/** The clock of a time zone. Times are seconds since 1970: of UTC for instants, of the local clock for local times. */
export type LocalClock = {
  /** IANA name. */
  readonly timeZone: string;
  /** Release of the time-zone data, such as 2025b; undefined for UTC, which needs none. */
  readonly zoneData: string | undefined;
  /** The period of constant offset that contains an instant. */
  readonly periodAt: (at: number) => OffsetPeriod;
  /** The instants that show a local time, ascending: one, none in a skipped hour, two in a repeated hour. */
  readonly instantsOf: (localTime: number) => readonly number[];
  /** Seconds that each of the 144 slices of a local day lasts; undefined for a day of 24 hours without a change. */
  readonly sliceSeconds: (dayNumber: number) => Float64Array | undefined;
};

const endless: OffsetPeriod = { from: -Infinity, to: Infinity, offset: 0 };

/** The clock of UTC. */
export const utcClock: LocalClock = {
  timeZone: 'UTC',
  zoneData: undefined,
  periodAt: () => endless,
  instantsOf: localTime => [localTime],
  sliceSeconds: () => undefined,
};

/**
 * A function from instants to periods of constant offset. Days of UTC are compared at their ends; a change of the
 * offset within one is found by bisection. No zone changes its offset twice within a day.
 */
const periodFinder = (offsetAt: (at: number) => number): ((at: number) => OffsetPeriod) => {
  const kept = new Map<number, number>();
  const offsetOfBlock = (block: number): number => {
    const known = kept.get(block);
    if (known !== undefined) return known;
    if (kept.size >= keptMax) kept.clear();
    const offset = offsetAt(block * secondsPerDay);
    kept.set(block, offset);
    return offset;
  };
  // A zone has a few hundred changes; finding one takes 17 offsets.
  const changes = new Map<number, number>();
  const changeBetween = (from: number, to: number, before: number): number => {
    let low = from;
    let high = to;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  };
  let current: OffsetPeriod = { from: 0, to: 0, offset: 0 };
  const find = (at: number): OffsetPeriod => {
    const block = Math.floor(at / secondsPerDay);
    const from = block * secondsPerDay;
    const to = (block + 1) * secondsPerDay;
    const before = offsetOfBlock(block);
    const after = offsetOfBlock(block + 1);
    if (before === after) return { from, to, offset: before };
    const change = changes.get(block) ?? changeBetween(from, to, before);
    changes.set(block, change);
    return at < change ? { from, to: change, offset: before } : { from: change, to, offset: after };
  };
  return at => {
    if (at < current.from || at >= current.to) current = find(at);
    return current;
  };
};

/**
 * The clock of a zone.
 * @param offsetAt seconds to add to an instant, given in whole seconds since 1970, for the local time
 */
export const localClock = (
  timeZone: string,
  zoneData: string,
  offsetAt: (at: number) => number,
): LocalClock => {
  const periodAt = periodFinder(offsetAt);

  /** The periods around a local time: all that may contain its instant. */
  const periodsAround = (localFrom: number, localTo: number): OffsetPeriod[] => {
    const found: OffsetPeriod[] = [];
    const end = localTo + offsetDaysMax * secondsPerDay;
    for (let at = localFrom - offsetDaysMax * secondsPerDay; at < end; at = found.at(-1)?.to ?? end)
      found.push(periodAt(at));
    return found;
  };

  const sliceSeconds = (dayNumber: number): Float64Array | undefined => {
    const midnight = dayNumber * secondsPerDay;
    const periods = periodsAround(midnight, midnight + secondsPerDay);
    if (periods.every(({ offset }) => offset === periods[0]?.offset)) return undefined;
    const seconds = new Float64Array(finestCount);
    for (const { from, to, offset } of periods)
      for (let slice = 0; slice < finestCount; slice += 1) {
        const start = midnight + slice * secondsPerSlice - offset;
        seconds[slice] =
          (seconds[slice] ?? 0) + Math.max(0, Math.min(to, start + secondsPerSlice) - Math.max(from, start));
      }
    return seconds.every(each => each === secondsPerSlice) ? undefined : seconds;
  };

  return {
    timeZone,
    zoneData,
    periodAt,
    instantsOf: localTime =>
      periodsAround(localTime, localTime)
        .filter(({ from, to, offset }) => localTime - offset >= from && localTime - offset < to)
        .map(({ offset }) => localTime - offset),
    sliceSeconds,
  };
};

/** Day number of tomorrow by a clock. @param at instant, ISO 8601 UTC */
export const tomorrowOf = (clock: Pick<LocalClock, 'periodAt'>, at: string): number => {
  const seconds = Date.parse(at) / 1000;
  return Math.floor((seconds + clock.periodAt(Math.floor(seconds)).offset) / secondsPerDay) + 1;
};

const none: readonly Run[] = [];

/** Slices of a day that the local clock skips whole, out of `size`. */
export const skippedSlices = (clock: LocalClock, dayNumber: number, size: SliceCount): readonly Run[] => {
  const seconds = clock.sliceSeconds(dayNumber);
  if (seconds === undefined) return none;
  const per = finestCount / size;
  return runsWhere(size, slice => !seconds.subarray(slice * per, (slice + 1) * per).some(each => each > 0));
};

/** Why a source with a clock has no day of a date: the clock skips all of it. Undefined for other dates. */
export const skippedDateText = (clock: LocalClock, dayNumber: number): string | undefined =>
  clock.sliceSeconds(dayNumber)?.every(each => each === 0)
    ? `got ${dateOf(dayNumber)}, a date that the clock of ${clock.timeZone} skips whole: leave it out`
    : undefined;
