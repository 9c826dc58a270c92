import type { Calendar } from '../../domain/planning/calendar.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { type Day, usable } from '../../domain/day.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { holidayNumbers, holidaysAround, library, placeName } from './holidays.js';
import { ln } from '../math/portableMath.js';
import { sortedMedian } from '../math/statistics.js';

/** Weeks before and after a day whose same weekdays are its neighbours, and fewest neighbours needed. */
const weeksAround = 5;
const neighboursMin = 4;

/** A working day and its oddness, ≥ 0: 1 is normal. */
type OddDay = { readonly number: number; readonly oddness: number };

type WorkingDay = {
  readonly number: number;
  readonly activity: readonly number[];
  readonly flags: readonly boolean[];
};

/**
 * Oddness of each working day (Monday to Friday): its mean absolute distance to the median of its neighbours, divided
 * by the median of their distances. Days with too few neighbours are omitted.
 */
const oddDays = (days: readonly Day[]): OddDay[] => {
  const working = new Map(
    days
      .map((day): WorkingDay => ({ number: dayNumber(day.date), activity: day.activity, flags: usable(day) }))
      .filter(({ number, flags }) => weekday(number) < 5 && flags.filter(Boolean).length * 2 >= flags.length)
      .map(day => [day.number, day]),
  );
  const neighbours = (number: number): number[] =>
    Array.from({ length: 2 * weeksAround + 1 }, (_, index) => number + 7 * (index - weeksAround)).filter(
      other => other !== number && working.has(other),
    );
  const distances = new Map<number, number>();
  for (const day of working.values()) {
    const others = neighbours(day.number).flatMap(other => working.get(other) ?? []);
    const distance = others.length < neighboursMin ? undefined : distanceToMedian(day, others);
    if (distance !== undefined) distances.set(day.number, distance);
  }
  return [...distances].flatMap(([number, distance]) => {
    const others = neighbours(number).flatMap(other => distances.get(other) ?? []);
    if (others.length < neighboursMin) return [];
    const normal = sortedMedian(others.sort((a, b) => a - b));
    if (normal === 0) return { number, oddness: distance > 0 ? Number.MAX_VALUE : 0 };
    return { number, oddness: distance / normal };
  });
};

/** Mean absolute distance of a day to the median of others over the usable slices; undefined when there are none. */
const distanceToMedian = (
  { activity, flags }: WorkingDay,
  others: readonly WorkingDay[],
): number | undefined => {
  const values = new Float64Array(others.length);
  let total = 0;
  let count = 0;
  for (let slice = 0; slice < activity.length; slice += 1) {
    if (!flags[slice]) continue;
    let known = 0;
    for (const other of others) if (other.flags[slice]) known = insert(values, known, other.activity[slice]!);
    if (known === 0) continue;
    total += Math.abs(activity[slice]! - sortedMedian(values, known));
    count += 1;
  }
  return count > 0 ? total / count : undefined;
};

/** Puts a value among the first `count` values, which are ascending; returns their new number. */
const insert = (values: Float64Array, count: number, value: number): number => {
  let at = count;
  for (; at > 0 && values[at - 1]! > value; at -= 1) values[at] = values[at - 1]!;
  values[at] = value;
  return count + 1;
};

/** Fewest holidays on weekdays within the days, and fewest odd ones of them outside 21 December to 5 January. */
const holidaysMin = 5;
const awayFromChristmasMin = 3;

/** Smallest share of a country's weekday holidays that must be among the odd days. */
const oddShareMin = 0.6;

/**
 * Smallest surprise: with all candidates together, one in 400 years without any holiday would exceed it. The surprise
 * must also exceed that of the same dates moved through the year by this margin.
 */
const surpriseMin = 4.5;
const marginMin = 1;

/**
 * Countries and regions to try: the large countries, and regions whose holidays differ from those of their country.
 * Each further one increases the risk of a wrong result and the time.
 */
export const candidates: readonly string[] = (
  'AR AT AU AU-NSW AU-QLD AU-SA AU-VIC AU-WA BE BG BR CA CA-BC CA-ON CA-QC CH CL CN CO CZ DE DE-BE DE-BW DE-BY DE-HE ' +
  'DE-NW DE-SN DK EE EG ES FI FR FR-57 GB GB-ENG GB-NIR GB-SCT GR HR HU ID IE IL IN IS IT JP KR LT LU LV MA MX NG NL ' +
  'NO NZ PE PH PL PT RO RS RU SE SI SK TH TR TW UA US UY VE VN ZA'
).split(' ');

/** Working days of a reference: in order of date, and by rank of oddness from 0. */
type WorkingDays = {
  readonly numbers: readonly number[];
  readonly indexOf: ReadonlyMap<number, number>;
  readonly rankOf: ReadonlyMap<number, number>;
  /** Days with a lower rank are odd: a tenth of all. */
  readonly oddCount: number;
  readonly firstYear: number;
  readonly lastYear: number;
};

/** A country whose holidays explain the odd days. */
type Explanation = {
  readonly code: string;
  /** Number of its weekday holidays within the days, and of the odd ones of them. */
  readonly holidays: number;
  readonly odd: number;
  readonly surprise: number;
};

/**
 * Infers the country of a source: the one whose public holidays explain the odd days of the reference. If several do:
 * the one with the largest surprise, then with more odd holidays, then with fewer others, then the first by code.
 * Neighbouring countries that share most holidays can hardly be distinguished by one year.
 * @param days          reference days of one length
 * @param referenceYear the calendar contains the years around it
 * @returns             null when the evidence is not strong enough
 */
export const inferCalendar = (
  days: readonly Day[],
  referenceYear: number,
  checkStop: CheckStop = neverStops,
): Calendar | null => {
  const working = workingDaysOf(days);
  if (!working) return null;
  const best = candidates
    .flatMap(code => {
      checkStop();
      return explanationOf(code, working) ?? [];
    })
    .sort(
      (a, b) =>
        b.surprise - a.surprise ||
        b.odd - a.odd ||
        a.holidays - a.odd - (b.holidays - b.odd) ||
        (a.code < b.code ? -1 : 1),
    )[0];
  if (!best) return null;
  return {
    code: best.code,
    origin: 'inferred',
    evidence: evidenceOf(best, working),
    library,
    holidays: holidaysAround(best.code, referenceYear),
  };
};

const workingDaysOf = (days: readonly Day[]): WorkingDays | undefined => {
  const odd = oddDays(days);
  const numbers = odd.map(({ number }) => number).sort((a, b) => a - b);
  const first = numbers[0];
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const byOddness = [...odd].sort((a, b) => b.oddness - a.oddness || a.number - b.number);
  return {
    numbers,
    indexOf: new Map(numbers.map((number, index) => [number, index])),
    rankOf: new Map(byOddness.map(({ number }, rank) => [number, rank])),
    oddCount: Math.ceil(numbers.length / 10),
    firstYear: Number(dateOf(first).slice(0, 4)),
    lastYear: Number(dateOf(last).slice(0, 4)),
  };
};

/** How well the holidays of a country explain the odd days; undefined when the evidence is not strong enough. */
const explanationOf = (code: string, working: WorkingDays): Explanation | undefined => {
  const { numbers, rankOf, oddCount, firstYear, lastYear } = working;
  const count = numbers.length;
  const holidays = holidayNumbers(code, firstYear, lastYear).filter(number => rankOf.has(number));
  const ranks = holidays.map(number => rankOf.get(number) ?? count);
  const odd = holidays.filter(number => (rankOf.get(number) ?? count) < oddCount);
  const surprise = surpriseOf(ranks, count);
  if (
    ranks.length < holidaysMin ||
    odd.length < oddShareMin * ranks.length ||
    odd.filter(number => !isChristmas(number)).length < awayFromChristmasMin ||
    surprise < surpriseMin ||
    surprise < largestMovedSurprise(holidays, working) + marginMin
  )
    return undefined;
  return { code, holidays: ranks.length, odd: odd.length, surprise };
};

/** Largest surprise of the same pattern of dates, moved through the year: odd days in runs surprise there as well. */
const largestMovedSurprise = (
  holidays: readonly number[],
  { numbers, indexOf, rankOf }: WorkingDays,
): number => {
  const count = numbers.length;
  const moved = numbers.slice(1).map((_, by) =>
    surpriseOf(
      holidays.map(
        number => rankOf.get(numbers[((indexOf.get(number) ?? 0) + by + 1) % count] ?? 0) ?? count,
      ),
      count,
    ),
  );
  return Math.max(...moved);
};

/** Equal patterns of dates have equal surprises, although their sums may differ in the last digits. */
const surpriseScale = 1e9;

/**
 * −log10 of the probability that as many random days are at least as odd. The oddness −ln(rank / (days + 1)) of a
 * random day is exponential, so that a sum of n has an Erlang distribution.
 * @param ranks of the days among all by oddness, from 0 for the oddest
 */
export const surpriseOf = (ranks: readonly number[], days: number): number => {
  const sum = ranks.reduce((total, rank) => total - ln((rank + 1) / (days + 1)), 0);
  let term = 1;
  let tail = 1;
  for (let k = 1; k < ranks.length; k += 1) {
    term *= sum / k;
    tail += term;
  }
  return ranks.length === 0 ? 0 : Math.round(((sum - ln(tail)) / Math.LN10) * surpriseScale) / surpriseScale;
};

const isChristmas = (number: number): boolean => {
  const day = dateOf(number).slice(5);
  return day >= '12-21' || day <= '01-05';
};

/** The evidence in words. Events contain this text: a change of it needs a new engine version. */
const evidenceOf = ({ code, holidays, odd }: Explanation, { numbers, oddCount }: WorkingDays): string => {
  const chance = (holidays * oddCount) / numbers.length;
  return (
    `${odd} of the ${holidays} weekday holidays of ${placeName(code)} are among the ` +
    `${oddCount} oddest of ${numbers.length} working days; by chance ${chance.toFixed(1)} would be`
  );
};
