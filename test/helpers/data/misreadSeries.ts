import { type ReadDay, hourRows, correlation, quantile, unexplained, windowPairs } from '../../../analysis/misread/windows.js';
import { misreadings, type Misreading } from '../../../analysis/misread/misreadings.js';
import { otherDateVotes } from '../../../analysis/misread/wrongTimes.js';
import { readCsvDays } from '../../../adapters/csv/csvBody.js';
import { readDays } from '../../../application/requests/imports/importWarnings.js';
import { readPart, seriesNames } from '../../../bench/quality/dataFolder.js';
import { later, type Damage, type Reading } from './damages.js';
import { realFacts } from './realSeries.js';

/** A series for the measurement of misreadings. */
export type MisreadSeries = {
  readonly name: string;
  readonly reference: readonly ReadDay[];
  readonly recent: readonly ReadDay[];
  /** Whether the source writes UTC although its days follow a clock with summer time. */
  readonly isUtc: boolean;
};

/** Names of all series of a folder. */
export const misreadSeriesNames = (folder: string): readonly string[] =>
  [...seriesNames(folder)].sort();

async function* bodyOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Reads a series as an import does. */
export const readMisreadSeries = async (folder: string, name: string): Promise<MisreadSeries> => {
  const { activitySize, clock } = realFacts(folder, name);
  const rule = { kind: 'recent', activitySize, aggregation: 'mean', interpolationMethod: 'zero' } as const;
  const read = async (part: string): Promise<readonly ReadDay[]> =>
    readDays((await readCsvDays(bodyOf(readPart(folder, name, part)), rule)).days);
  const isUtc = clock.startsWith('UTC: the source does not follow summer time');
  return { name, reference: await read('reference'), recent: await read('recent'), isUtc };
};

/** Whether Great Britain has summer time on a day: the sources that write UTC are there. */
const changes = ['2019-03-31', '2019-10-27', '2020-03-29', '2020-10-25'].map(
  date => Date.parse(date) / 86_400_000,
);
const isBritishSummer = (day: number): boolean => changes.filter(change => change <= day).length % 2 === 1;

/** A series by the clock that its days follow. */
export const byItsClock = (series: MisreadSeries): MisreadSeries => {
  if (!series.isUtc) return series;
  const shifted = later(1, isBritishSummer);
  return { ...series, reference: shifted(series.reference), recent: shifted(series.recent) };
};

/** Codes of the misreadings of a reading. */
export const reportedBy = ({ known, fresh }: Reading): readonly Misreading['code'][] => {
  const dates = new Set(fresh.map(day => day.dayNumber));
  const others = known.filter(day => !dates.has(day.dayNumber));
  return [...misreadings(fresh, others)].flatMap(found => found?.code ?? []);
};

/** Facts of an undamaged series that decide which damages can be seen in it. */
export type Facts = {
  /** Days of the part. */
  readonly days: number;
  /** Median part of the shape that the weeks before do not explain. */
  readonly unlike: number;
  /** Median change of level from weeks to weeks, as a natural logarithm. */
  readonly level: number;
  /** Part of the shape that a shift by so many hours changes. */
  readonly movedBy: (hours: number) => number;
  /** Largest factor by which another hour explains weeks of the undamaged series better. */
  readonly moves: number;
  /** Share of the recent days without a missing hour. */
  readonly complete: number;
  /** Share of days with fewer than four different values. */
  readonly flat: number;
  /** Days that both readings of their dates have, and the share that fits the other one better. */
  readonly swaps: { readonly days: number; readonly votes: number };
};

/** Largest ratio of the unexplained part of weeks to that with another hour. */
const movesOf = (days: readonly ReadDay[]): number =>
  windowPairs(hourRows(days), Infinity).near.reduce((most, { before: { shape: one }, after: { shape: other } }) => {
    if (!one || !other) return most;
    const apart = [-2, -1, 0, 1, 2].map(hours => 1 - correlation(one, other, hours));
    return Math.max(most, (apart[2] ?? 0) / Math.min(...apart));
  }, 1);

/** Facts of an undamaged series. */
export const factsOf = ({ reference: days, recent }: MisreadSeries): Facts => {
  const rows = hourRows(days);
  const { near } = windowPairs(rows, Infinity);
  const numbers = near.map(unexplained).filter(Number.isFinite);
  const levels = near.flatMap(({ before, after }) => {
    const total = (week: Float64Array): number => week.reduce((sum, value) => sum + (value || 0), 0);
    const change = Math.abs(Math.log(total(after.week) / total(before.week)));
    return Number.isNaN(change) ? [] : [change];
  });
  const shapes = near.flatMap(({ before }) => before.shape ?? []);
  return {
    days: days.length,
    unlike: quantile(numbers, 0.5),
    level: quantile(levels, 0.5),
    movedBy: hours =>
      quantile(
        shapes.map(shape => 1 - correlation(shape, shape, Math.round((hours * rows.parts) / 24))),
        0.5,
      ),
    moves: movesOf([...days, ...recent]),
    complete: recent.filter(({ values }) => !values.some(Number.isNaN)).length / recent.length,
    swaps: otherDateVotes(rows, new Set(rows.dayNumbers)),
    flat: days.filter(({ values }) => new Set(values).size < 4).length / days.length,
  };
};

/** Why a damage of a series cannot be seen; undefined when it can. */
export const undecidable = (
  { code, size = 1 }: Damage,
  { days, unlike, level, movedBy, moves, complete, flat, swaps }: Facts,
): string | undefined => {
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  if (code === 'repeatedBlock' && flat > 0.5) return `${percent(flat)} of the days have hardly any values`;
  if (code === 'dayMonthSwapped' && swaps.votes > 0.3)
    return `${percent(swaps.votes)} of the undamaged days would fit the other date as well`;
  if (code !== 'unitChanged' && code !== 'clockShifted') return undefined;
  if (days < 84) return `${days} days are too few to know ordinary weeks`;
  if (complete < 0.5) return `${percent(complete)} of the recent days are complete`;
  if (!(unlike <= 0.25)) return `${percent(unlike)} of the shape differs from weeks to weeks`;
  if (code === 'unitChanged' && Math.abs(Math.log(size)) < 5 * level + 0.2)
    return `the level changes by ${percent(Math.exp(level) - 1)} in ordinary weeks`;
  if (code === 'clockShifted' && movedBy(size) < 3 * unlike)
    return `the shift changes ${percent(movedBy(size))} of the shape, ordinary weeks ${percent(unlike)}`;
  if (code === 'clockShifted' && moves > 3) return `the undamaged days have moved by hours, too`;
  return undefined;
};
