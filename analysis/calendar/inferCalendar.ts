import type { Calendar } from '../../domain/calendar.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { usable, type Day } from '../../domain/day.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { holidaysOf, holidaysRound, library, placeName } from './holidays.js';
import { median } from '../math/statistics.js';

/** Weeks on either side whose same weekdays say what is usual for a day, and how many of them it takes. */
const weeksAround = 5;
const neighboursMin = 4;

/** Weekday holidays that the days must have, and how many of them beside those from 21 December to 5 January. */
const holidaysMin = 5;
const awayFromChristmasMin = 3;

/** Share of a country's weekday holidays that must be among the odd days. */
const oddShareMin = 0.6;

/**
 * How improbable the holidays' oddness must be by chance, as −log10: with all candidates together one year in 400
 * without any holiday would pass. And how far it must be beyond the best of the same dates moved through the year.
 */
const surpriseMin = 4.5;
const marginMin = 1;

/**
 * Countries and regions that a source may be of: the large ones, and regions where their holidays differ from those
 * of their country. Each further one is a chance more to be wrong, and takes time.
 */
const candidates: readonly string[] = (
  'AR AT AU AU-NSW AU-QLD AU-SA AU-VIC AU-WA BE BG BR CA CA-BC CA-ON CA-QC CH CL CN CO CZ DE DE-BE DE-BW DE-BY DE-HE ' +
  'DE-NW DE-SN DK EE EG ES FI FR FR-57 GB GB-ENG GB-NIR GB-SCT GR HR HU ID IE IL IN IS IT JP KR LT LU LV MA MX NG NL ' +
  'NO NZ PE PH PL PT RO RS RU SE SI SK TH TR TW UA US UY VE VN ZA'
).split(' ');

/** A working day and how odd it is, ≥ 0: 1 is usual. */
type OddDay = { readonly number: number; readonly oddness: number };

/** A country whose holidays may explain the odd days. */
type Explanation = {
  readonly code: string;
  /** Its weekday holidays within the days, by rank of oddness from 0. */
  readonly ranks: readonly number[];
  readonly odd: number;
  readonly surprise: number;
};

/**
 * How odd each working day (Monday to Friday) is: the mean absolute distance to the median of the same weekdays of
 * five weeks on either side, over that of those days themselves (median). Days without enough neighbours have none.
 */
const oddDays = (days: readonly Day[]): OddDay[] => {
  const working = new Map(
    days
      .map(day => ({ number: dayNumber(day.date), activity: day.activity, flags: usable(day) }))
      .filter(({ number, flags }) => weekday(number) < 5 && flags.filter(Boolean).length * 2 >= flags.length)
      .map(day => [day.number, day]),
  );
  const around = (number: number): number[] =>
    Array.from({ length: 2 * weeksAround + 1 }, (_, index) => number + 7 * (index - weeksAround)).filter(
      other => other !== number && working.has(other),
    );
  const distances = new Map<number, number>();
  for (const { number, activity, flags } of working.values()) {
    const others = around(number).flatMap(other => working.get(other) ?? []);
    if (others.length < neighboursMin) continue;
    let total = 0;
    let count = 0;
    activity.forEach((value, slice) => {
      const there = others.filter(other => other.flags[slice]).map(other => other.activity[slice] ?? 0);
      if (!flags[slice] || there.length === 0) return;
      total += Math.abs(value - median(there));
      count += 1;
    });
    if (count > 0) distances.set(number, total / count);
  }
  return [...distances].flatMap(([number, distance]) => {
    const others = around(number).flatMap(other => distances.get(other) ?? []);
    if (others.length < neighboursMin) return [];
    const usual = median(others);
    if (usual === 0) return { number, oddness: distance > 0 ? Number.MAX_VALUE : 0 };
    return { number, oddness: distance / usual };
  });
};

/**
 * −log10 of the probability that as many random days are at least as odd: oddness as −ln(rank / (days + 1)), which
 * is exponential, so that a sum of n has Erlang's distribution. More holidays need more oddness to surprise as much.
 */
const surpriseOf = (ranks: readonly number[], days: number): number => {
  const sum = ranks.reduce((total, rank) => total - Math.log((rank + 1) / (days + 1)), 0);
  let term = 1;
  let tail = 1;
  for (let k = 1; k < ranks.length; k += 1) {
    term *= sum / k;
    tail += term;
  }
  return ranks.length === 0 ? 0 : (sum - Math.log(tail)) / Math.LN10;
};

const isChristmas = (number: number): boolean => {
  const day = dateOf(number).slice(5);
  return day >= '12-21' || day <= '01-05';
};

/**
 * The country whose public holidays explain the odd days of a reference, or null where the evidence is not strong.
 * Of several that explain them it takes the one whose explanation is the least probable by chance, then the one with
 * more holidays explained, fewer that are not, and the first by code.
 *
 * Not proven: neighbours that share most holidays can hardly be told apart by one year, and it does not matter much.
 * @param days          the reference, one length
 * @param referenceYear whose round years the calendar shall hold
 */
export const inferCalendar = (
  days: readonly Day[],
  referenceYear: number,
  checkStop: CheckStop = neverStops,
): Calendar | null => {
  const working = oddDays(days);
  const count = working.length;
  const inOrder = [...working].sort((a, b) => a.number - b.number).map(({ number }) => number);
  const rankOf = new Map(
    [...working]
      .sort((a, b) => b.oddness - a.oddness || a.number - b.number)
      .map((day, rank) => [day.number, rank]),
  );
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || last === undefined) return null;
  const oddCount = Math.ceil(count / 10);
  const years = [Number(dateOf(first).slice(0, 4)), Number(dateOf(last).slice(0, 4))] as const;
  const indexOf = new Map(inOrder.map((number, index) => [number, index]));

  const explanationOf = (code: string): Explanation | undefined => {
    checkStop();
    const numbers = holidaysOf(code, ...years)
      .map(({ date }) => dayNumber(date))
      .filter(number => rankOf.has(number));
    const ranks = numbers.map(number => rankOf.get(number) ?? count);
    const isOdd = (number: number): boolean => (rankOf.get(number) ?? count) < oddCount;
    const odd = numbers.filter(isOdd);
    const surprise = surpriseOf(ranks, count);
    if (
      ranks.length < holidaysMin ||
      odd.length < oddShareMin * ranks.length ||
      odd.filter(number => !isChristmas(number)).length < awayFromChristmasMin ||
      surprise < surpriseMin
    )
      return undefined;
    // The same pattern of dates, moved through the year: odd days that come in runs surprise there as well.
    const moved = inOrder.slice(1).map((_, by) =>
      surpriseOf(
        numbers.map(
          number => rankOf.get(inOrder[((indexOf.get(number) ?? 0) + by + 1) % count] ?? 0) ?? count,
        ),
        count,
      ),
    );
    return surprise >= Math.max(...moved) + marginMin
      ? { code, ranks, odd: odd.length, surprise }
      : undefined;
  };

  const best = candidates
    .flatMap(code => explanationOf(code) ?? [])
    .sort(
      (a, b) =>
        b.surprise - a.surprise ||
        b.odd - a.odd ||
        a.ranks.length - a.odd - (b.ranks.length - b.odd) ||
        (a.code < b.code ? -1 : 1),
    )[0];
  if (!best) return null;
  const chance = (best.ranks.length * oddCount) / count;
  return {
    code: best.code,
    origin: 'inferred',
    evidence:
      `${best.odd} of the ${best.ranks.length} weekday holidays of ${placeName(best.code)} are among the ` +
      `${oddCount} oddest of ${count} working days; by chance ${chance.toFixed(1)} would be`,
    library,
    holidays: holidaysRound(best.code, referenceYear),
  };
};
