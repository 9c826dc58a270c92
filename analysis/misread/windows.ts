import { remembering } from '../math/oncePer.js';

/** A day as the rules of this folder read it: its values, NaN for slices without points. */
export type ReadDay = { readonly dayNumber: number; readonly values: readonly number[] };

/** Days as rows of equal parts, hours unless slices are longer; ascending dates, each once. */
export type HourRows = {
  readonly dayNumbers: readonly number[];
  /** Parts of a day, at most 24. */
  readonly parts: number;
  /** `parts` means of observed slices for each day; NaN for a part without any. */
  readonly values: Float64Array;
  readonly rowOf: ReadonlyMap<number, number>;
};

const partsMax = 24;

/** Means of the observed slices of each part of a day are written from `at` on. */
const writeParts = ({ values }: ReadDay, parts: number, into: Float64Array, at: number): void => {
  const per = values.length / parts;
  for (let part = 0; part < parts; part += 1) {
    let sum = 0;
    let count = 0;
    for (let slice = part * per; slice < (part + 1) * per; slice += 1) {
      const value = values[slice] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    into[at + part] = count === 0 ? NaN : sum / count;
  }
};

/** Rows of days. @param days ascending, with equal numbers of slices */
export const hourRows = (days: readonly ReadDay[]): HourRows => {
  const parts = Math.min(partsMax, days[0]?.values.length ?? 1);
  const values = new Float64Array(days.length * parts);
  days.forEach((day, row) => writeParts(day, parts, values, row * parts));
  const dayNumbers = days.map(({ dayNumber }) => dayNumber);
  return { dayNumbers, parts, values, rowOf: new Map(dayNumbers.map((number, row) => [number, row])) };
};

/** Days of a week: profiles have a row for each. */
export const weekDays = 7;

/** Middle of up to four numbers: the mean of the two inner ones of four. */
const middleOf = (sorted: Float64Array, count: number): number => {
  if (count === 0) return NaN;
  const half = count >> 1;
  const upper = sorted[half] ?? NaN;
  return count % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? NaN)) / 2;
};

const weeksMax = 4;
/** Longest window of a profile, in days. */
export const windowMax = weeksMax * weekDays;

/**
 * Typical week of the days `from` (inclusive) to `to` (exclusive): for each weekday, by day number modulo 7, and each
 * part the median of its values; NaN where there is none.
 */
const weekProfile = (rows: HourRows, from: number, to: number): Float64Array => {
  const { parts, values, rowOf } = rows;
  const profile = new Float64Array(weekDays * parts).fill(NaN);
  const sorted = new Float64Array(weeksMax);
  for (let first = from; first < Math.min(to, from + weekDays); first += 1) {
    const starts: number[] = [];
    for (let day = first; day < to && starts.length < weeksMax; day += weekDays) {
      const row = rowOf.get(day);
      if (row !== undefined) starts.push(row * parts);
    }
    const at = weekdayOf(first) * parts;
    for (let part = 0; part < parts; part += 1) {
      let count = 0;
      for (const start of starts) {
        const value = values[start + part] ?? NaN;
        if (Number.isNaN(value)) continue;
        let place = count;
        for (; place > 0 && (sorted[place - 1] ?? NaN) > value; place -= 1)
          sorted[place] = sorted[place - 1] ?? NaN;
        sorted[place] = value;
        count += 1;
      }
      profile[at + part] = middleOf(sorted, count);
    }
  }
  return profile;
};

/** Row of a day in a profile. */
export const weekdayOf = (dayNumber: number): number => ((dayNumber % weekDays) + weekDays) % weekDays;

/** Smallest number of days with data in a window: a week before and after for each weekday. */
const beforeMin = 2 * weekDays;
const afterMin = weekDays;
/** Whole weeks of a year. */
const yearDays = 52 * weekDays;
/** Years that are searched back for the same season. */
const yearsMax = 3;

/** Comparison of the weeks from a date on with the weeks before it. */
export type WindowPair = {
  /** First day number of the weeks before. */
  readonly from: number;
  /** First day number of the weeks after. */
  readonly at: number;
  /** Day number after their last day. */
  readonly to: number;
  /** Typical weeks before and after. */
  readonly before: Profile;
  readonly after: Profile;
};

/** A typical week, and its shape: deviations from its mean, of length 1 as a vector; undefined for flat ones. */
export type Profile = { readonly week: Float64Array; readonly shape: Float64Array | undefined };
const profileOf = (week: Float64Array): Profile => ({ week, shape: normalised(week) });

/** Number of days with data from `from` (inclusive) to `to` (exclusive). */
const daysIn = ({ rowOf }: HourRows, from: number, to: number): number => {
  let count = 0;
  for (let day = from; day < to; day += 1) if (rowOf.has(day)) count += 1;
  return count;
};

/** First day of the weeks of the same season of an earlier year; undefined when there are none. */
const seasonFrom = (rows: HourRows, at: number): number | undefined => {
  for (let year = 1; year <= yearsMax; year += 1) {
    const from = at - year * yearDays - windowMax / 2;
    if (daysIn(rows, from, from + windowMax) >= beforeMin) return from;
  }
  return undefined;
};

/** Pairs for each date with data before and after it: with the weeks before, and with the season of an earlier year. */
export type WindowPairs = { readonly near: readonly WindowPair[]; readonly season: readonly WindowPair[] };

/**
 * Pairs of days, ascending. Typical weeks are computed when they are read.
 * @param seasonsFrom the first day number that is compared with its season
 */
export const windowPairs = (rows: HourRows, seasonsFrom: number): WindowPairs => {
  const [first = 0] = rows.dayNumbers;
  const last = rows.dayNumbers.at(-1) ?? 0;
  const profileFrom = remembering((from: number) => profileOf(weekProfile(rows, from, from + windowMax)));
  const pairOf = (at: number, from: number): WindowPair => ({
    from,
    at,
    to: Math.min(last + 1, at + windowMax),
    get before() {
      return profileFrom(from);
    },
    get after() {
      return profileFrom(at);
    },
  });
  const pairs: { readonly near: WindowPair[]; readonly season: WindowPair[] } = { near: [], season: [] };
  for (const at of rows.dayNumbers) {
    if (at < first + beforeMin || at > last + 1 - afterMin || daysIn(rows, at, at + windowMax) < afterMin)
      continue;
    if (daysIn(rows, at - windowMax, at) >= beforeMin) pairs.near.push(pairOf(at, at - windowMax));
    const from = at < seasonsFrom ? undefined : seasonFrom(rows, at);
    if (from !== undefined) pairs.season.push(pairOf(at, from));
  }
  return pairs;
};

/** Smallest share of common values of two profiles that are compared. */
const commonShareMin = 0.5;

/** Deviations of a profile from its mean as a vector of length 1, 0 for missing values; undefined for flat profiles. */
const normalised = (profile: Float64Array): Float64Array | undefined => {
  let count = 0;
  let sum = 0;
  for (const value of profile) {
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  if (count < commonShareMin * profile.length) return undefined;
  const mean = sum / count;
  const deviations = new Float64Array(profile.length);
  let squares = 0;
  for (let index = 0; index < profile.length; index += 1) {
    const deviation = (profile[index] ?? NaN) - mean;
    if (Number.isNaN(deviation)) continue;
    deviations[index] = deviation;
    squares += deviation * deviation;
  }
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Infinity)) return undefined;
  for (let index = 0; index < deviations.length; index += 1)
    deviations[index] = (deviations[index] ?? 0) / length;
  return deviations;
};

/** Correlation of two normalised profiles; the second one is read `shift` parts later, around the end of the week. */
export const correlation = (one: Float64Array, other: Float64Array, shift: number): number => {
  const { length } = one;
  let sum = 0;
  let at = (shift + length) % length;
  for (let index = 0; index < length; index += 1) {
    sum += (one[index] ?? 0) * (other[at] ?? 0);
    at += 1;
    if (at === length) at = 0;
  }
  return sum;
};

/** Logarithm of the magnitude of a day over that of a typical week's day, where both have values; NaN without any. */
export const dayLevel = ({ parts, values, rowOf }: HourRows, day: number, week: Float64Array): number => {
  const start = (rowOf.get(day) ?? NaN) * parts;
  const weekday = weekdayOf(day) * parts;
  let total = 0;
  let usual = 0;
  for (let part = 0; part < parts; part += 1) {
    const value = values[start + part] ?? NaN;
    const typical = week[weekday + part] ?? NaN;
    if (Number.isNaN(value) || Number.isNaN(typical)) continue;
    total += Math.abs(value);
    usual += Math.abs(typical);
  }
  return total > 0 && usual > 0 ? Math.log(total / usual) : NaN;
};

/** Part of the shape of the weeks after a date that the weeks before do not explain; NaN for flat weeks. */
export const unexplained = ({ before, after }: WindowPair): number =>
  before.shape && after.shape ? 1 - correlation(before.shape, after.shape, 0) : NaN;

/** Largest unexplained part, ordinary or not: weeks that resemble each other less show neither units nor clocks. */
export const unexplainedMax = 0.4;

/** The number below which a share of numbers lies, the lower one of two; NaN for none. */
export const quantile = (numbers: readonly number[], share: number): number =>
  new Float64Array(numbers).sort()[Math.floor(share * (numbers.length - 1))] ?? NaN;

/** Fewest other pairs from which the ordinary size of a number is taken. */
const othersMin = 2 * weekDays;

/** Median of a number over the pairs whose weeks do not touch a date; NaN when there are too few. */
export const ordinary = (
  pairs: readonly WindowPair[],
  numberOf: (pair: WindowPair) => number,
  at: number,
): number => {
  const others = pairs
    .filter(pair => Math.abs(pair.at - at) >= windowMax)
    .map(numberOf)
    .filter(number => !Number.isNaN(number));
  return others.length < othersMin ? NaN : quantile(others, 0.5);
};
