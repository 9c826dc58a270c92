import { weekDays, type ReadDay } from './hours.js';

/** Fewest consecutive days of a repeated block. */
const blockMin = 3;
/** Fewest different values of a day that is compared: flat days are often equal. */
const differentMin = 4;
/** Earlier dates with the same values that are remembered. */
const datesMax = 8;
/** Share of days equal to earlier ones from which the days follow a timetable. */
const timetableMin = 0.5;

/** Days `from` to `to` (both inclusive) that have the values of the days `offset` days before them. */
export type RepeatedBlock = { readonly from: number; readonly to: number; readonly offset: number };

const prime = 0x01000193;

/** A hash of 52 bits of the values of a day; undefined for a day with too few different values. */
const hashOf = (values: readonly number[]): number | undefined => {
  const different = new Set<number>();
  for (const value of values) {
    if (!Number.isNaN(value)) different.add(value);
    if (different.size >= differentMin) break;
  }
  if (different.size < differentMin) return undefined;
  const words = new Uint32Array(new Float64Array(values).buffer);
  let high = 0x811c9dc5;
  let low = 0x2a5b1e97;
  for (const word of words) {
    high = Math.imul(high ^ word, prime);
    low = Math.imul(low + word, prime) ^ (low >>> 15);
  }
  return (high >>> 6) * 2 ** 26 + (low >>> 6);
};

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, slice) => Object.is(value, other[slice]));

/** Finds out whether most days follow a timetable: equal to the day before or a week before, or some weeks before. */
const timetable = () => {
  let all = 0;
  let comparable = 0;
  let close = 0;
  let weekly = 0;
  return {
    add: (hasWeekBefore: boolean, offsets: readonly number[]): void => {
      all += 1;
      if (hasWeekBefore) comparable += 1;
      if (offsets.some(offset => offset === 1 || offset === weekDays)) close += 1;
      if (offsets.some(offset => offset % weekDays === 0)) weekly += 1;
    },
    holds: (): boolean => close > timetableMin * comparable || weekly > timetableMin * all,
  };
};

/**
 * The longest block of at least three days from `from` on whose values other dates have too. Days that follow a
 * timetable, where weekdays repeat, have none.
 * @param days ascending, one of each date
 */
export const repeatedBlock = (days: readonly ReadDay[], from: number): RepeatedBlock | undefined => {
  const seen = new Map<number, ReadDay[]>();
  // By offset, the first and the last day of the latest block.
  const blocks = new Map<number, { from: number; to: number }>();
  const dates = new Set<number>();
  const regular = timetable();
  let longest: RepeatedBlock | undefined;
  for (const day of days) {
    const { dayNumber } = day;
    dates.add(dayNumber);
    const hash = hashOf(day.values);
    if (hash === undefined) continue;
    const offsets = (seen.get(hash) ?? [])
      .filter(({ values }) => isSame(values, day.values))
      .map(earlier => dayNumber - earlier.dayNumber);
    regular.add(dates.has(dayNumber - weekDays), offsets);
    for (const offset of offsets) {
      const block = blocks.get(offset);
      const begun = block?.to === dayNumber - 1 ? block.from : Math.max(from, dayNumber);
      blocks.set(offset, { from: begun, to: dayNumber });
      const least = longest ? longest.to - longest.from + 2 : blockMin;
      if (dayNumber - begun + 1 >= least) longest = { from: begun, to: dayNumber, offset };
    }
    seen.set(hash, [...(seen.get(hash) ?? []), day].slice(-datesMax));
  }
  return regular.holds() ? undefined : longest;
};
