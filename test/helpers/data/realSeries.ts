import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { benchmarkFolder, readPart, seriesFacts, seriesNames } from '../../../bench/quality/dataFolder.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { runsWhere, type Day, type SliceCount } from '../../../domain/day.js';

/** A real series: reference days, recent days and dates of known events. */
export type RealSeries = {
  readonly name: string;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  /** Dates within one day of a known event. */
  readonly eventful: ReadonlySet<string>;
};

/** Folder of real series: `shared/data` above the working directory, else those of the public benchmark. */
export const realSeriesFolder = (): string => {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const found = join(folder, 'shared', 'data');
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return benchmarkFolder;
  }
};

/** Names of series that are not sampled by the minute, sorted. */
export const realSeriesNames = (folder: string): string[] =>
  seriesNames(folder)
    .filter(name => realFacts(folder, name).samplingMinutes > 1)
    .sort();

/** Facts of a series that tests use. */
export type RealFacts = {
  readonly activitySize: SliceCount;
  readonly samplingMinutes: number;
  readonly calendar: string | null;
  readonly clock: string;
  readonly knownEvents: readonly { readonly date: string; readonly until?: string }[];
};

/** Facts of a series of a folder. */
export const realFacts = (folder: string, name: string): RealFacts =>
  seriesFacts(folder, name) as RealFacts;

/** The wanted series if the folder has them all, else others of the benchmark. */
export const seriesOr = (wanted: readonly string[], others: readonly string[]): readonly string[] => {
  const there = new Set(seriesNames(realSeriesFolder()));
  return wanted.every(name => there.has(name)) ? wanted : others;
};

/** Reads one series; expects well-formed files. */
export const readRealSeries = (folder: string, name: string): RealSeries => {
  const { activitySize, knownEvents } = realFacts(folder, name);
  const daysOf = (part: string): Day[] => daysFrom(readPart(folder, name, part).toString(), activitySize);
  const eventful = new Set<string>();
  for (const { date, until } of knownEvents)
    for (let day = dayNumber(date) - 1; day <= dayNumber(until ?? date) + 1; day += 1)
      eventful.add(dateOf(day));
  return { name, reference: daysOf('reference'), recent: daysOf('recent'), eventful };
};

const daysFrom = (csv: string, slices: number): Day[] => {
  const sums = new Map<string, { readonly total: number[]; readonly count: number[] }>();
  for (const line of csv.split('\n').slice(1)) {
    const [, date = '', hour, minute, value] =
      /^"(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):\d\d";"([^"]*)"$/.exec(line) ?? [];
    if (value === undefined) continue;
    const daySums = sums.get(date) ?? {
      total: Array<number>(slices).fill(0),
      count: Array<number>(slices).fill(0),
    };
    const slice = Math.floor(((Number(hour) * 60 + Number(minute)) * slices) / 1440);
    daySums.total[slice] = (daySums.total[slice] ?? 0) + Number(value.replace(',', '.'));
    daySums.count[slice] = (daySums.count[slice] ?? 0) + 1;
    sums.set(date, daySums);
  }
  return [...sums].map(([date, { total, count }]) => ({
    date,
    activity: total.map((sum, slice) => sum / (count[slice] || 1)),
    gaps: runsWhere(slices, slice => count[slice] === 0),
    filled: [],
  }));
};
