import {
  windowMax,
  type HourRows,
  weekDays,
  type ReadDay,
  dayLevel,
  ordinary,
  quantile,
  unexplained,
  unexplainedMax,
  type WindowPair,
  type WindowPairs,
} from './windows.js';
import { remembering } from '../math/oncePer.js';

/** Smallest share of rises among the steps that change the value: the others are resets. */
const risesMin = 0.9;
/** Fewest rises, and fewest days with data, of a stretch. */
const risesCountMin = 12;
const daysMin = 3;

/** Steps that change values which hardly ever fall: a register read as an activity. */
export type Register = { readonly days: number; readonly rises: number; readonly falls: number };

/** The steps of the rows `from` (inclusive) to `to` (exclusive). */
const stepsOf = ({ parts, values }: HourRows, from: number, to: number): Register => {
  let rises = 0;
  let falls = 0;
  let last = NaN;
  for (let index = from * parts; index < to * parts; index += 1) {
    const value = values[index] ?? NaN;
    if (Number.isNaN(value)) continue;
    if (value > last) rises += 1;
    else if (value < last) falls += 1;
    last = value;
  }
  return { days: to - from, rises, falls };
};

/** The stretches of four weeks from a day number on that look like a register; undefined without any. */
export const registerIn = (rows: HourRows, begun: number): Register | undefined => {
  const { length } = rows.dayNumbers;
  const first = rows.dayNumbers.findIndex(day => day >= begun);
  if (first < 0) return undefined;
  let all: Register | undefined;
  for (let from = first; from < length; from += windowMax) {
    const { days, rises, falls } = stepsOf(rows, from, Math.min(length, from + windowMax));
    if (days < daysMin || rises < risesCountMin || rises < risesMin * (rises + falls)) continue;
    all = {
      days: days + (all?.days ?? 0),
      rises: rises + (all?.rises ?? 0),
      falls: falls + (all?.falls ?? 0),
    };
  }
  return all;
};

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

/** Factors between units: powers of ten, 3.6 and thousands of it (kWh and MJ, m/s and km/h), 60, 24, 1440. */
const factors: readonly number[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(power => 10 ** power),
  ...[3.6, 3600, 3.6e6, 1000 / 3.6, 1e6 / 3.6],
  ...[60, 24, 1440],
];
const changes = factors
  .flatMap(factor => [factor, 1 / factor])
  .map(factor => ({ factor, log: Math.log(factor) }));
/** Largest distance of a change from a factor, as a natural logarithm. */
const distanceMax = 0.2;
/** Smallest change, as a multiple of the ordinary change of level from weeks to weeks. */
const sizeMin = 5;
/** Largest scatter of the days as a share of the change; more is accepted where more is ordinary. */
const scatterShareMax = 0.3;
/** Largest scatter and largest change of shape, as multiples of the ordinary ones plus what is always accepted. */
const ordinaryMax = 1.5;
const scatterSlack = 0.1;
const shapeSlack = 0.03;
/** Share of the days that the scatter covers: the others may be special days. */
const scatterShare = 0.8;

/** A change of level by a factor between units, from day number `at` on; `measured` is the factor as it was seen. */
export type LevelChange = { readonly at: number; readonly factor: number; readonly measured: number };

type Measured = { readonly level: number; readonly scatter: number; readonly shape: number };

/** Median logarithm of some days over a typical week, and the scatter around it. @param to exclusive */
const levelOf = (
  rows: HourRows,
  week: Float64Array,
  from: number,
  to: number,
): Pick<Measured, 'level' | 'scatter'> => {
  const levels: number[] = [];
  for (let day = from; day < to; day += 1) {
    const level = dayLevel(rows, day, week);
    if (!Number.isNaN(level)) levels.push(level);
  }
  const level = quantile(levels, 0.5);
  const scatter = quantile(
    levels.map(each => Math.abs(each - level)),
    scatterShare,
  );
  return { level, scatter };
};

/** The days of a pair over the typical week before. */
const measure = (rows: HourRows, pair: WindowPair): Measured => ({
  ...levelOf(rows, pair.before.week, pair.at, pair.to),
  shape: unexplained(pair),
});

/** The factor that explains a change of level; undefined for none. */
const factorOf = (level: number): number | undefined =>
  changes.find(({ log }) => Math.abs(log - level) <= distanceMax)?.factor;

/** A function that tells whether only the level changed: far more than it does between other weeks. */
const levelOnly =
  (near: readonly WindowPair[], measured: (pair: WindowPair) => Measured) =>
  (pair: WindowPair): boolean => {
    const { level, scatter, shape } = measured(pair);
    if (!(shape <= unexplainedMax)) return false;
    const usual = (number: keyof Measured): number =>
      ordinary(near, other => Math.abs(measured(other)[number]), pair.at);
    const size = Math.abs(level);
    const usualShape = usual('shape');
    return (
      usualShape <= unexplainedMax &&
      shape <= ordinaryMax * usualShape + shapeSlack &&
      size >= sizeMin * usual('level') &&
      scatter <= Math.max(scatterShareMax * size, ordinaryMax * usual('scatter') + scatterSlack)
    );
  };

/**
 * The change of level between units, from `from` on, around which the days scatter least. Level, scatter and shape are
 * compared with those of the other weeks of the same source; a change that is ordinary there is none.
 */
export const clearestLevelChange = (
  rows: HourRows,
  from: number,
  { near, season }: WindowPairs,
): LevelChange | undefined => {
  const measured = remembering((pair: WindowPair) => measure(rows, pair));
  const isLevelOnly = levelOnly(near, measured);
  const clearestOf = (
    pairs: readonly WindowPair[],
    scatterBefore: (pair: WindowPair) => number,
  ): LevelChange | undefined => {
    let clearest: LevelChange | undefined;
    let least = Infinity;
    for (const pair of pairs) {
      if (pair.at < from) continue;
      const { level, scatter } = measured(pair);
      const factor = factorOf(level);
      if (factor === undefined || scatter >= least) continue;
      const around = scatter + scatterBefore(pair);
      if (around >= least || !isLevelOnly(pair)) continue;
      clearest = { at: pair.at, factor, measured: Math.exp(level) };
      least = around;
    }
    return clearest;
  };
  // Weeks of two units have a typical week of neither; a season before has its own scatter, wherever it ends.
  const scatterOf = ({ before, from, at }: WindowPair) => levelOf(rows, before.week, from, at).scatter;
  return clearestOf(near, scatterOf) ?? clearestOf(season, () => 0);
};
