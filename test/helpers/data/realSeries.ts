import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { runsWhere, type Day } from '../../../domain/day.js';

/** A real series of the folder `shared/data`: reference days, recent days and dates of known events. */
export type RealSeries = {
  readonly name: string;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  /** Dates within one day of a known event. */
  readonly eventful: ReadonlySet<string>;
};

/** Folder of real series, searched from the working directory upwards; null if there is none. */
export const realSeriesFolder = (): string | null => {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const found = join(folder, 'shared', 'data');
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return null;
  }
};

/** Names of series whose two parts are uncompressed CSV. */
export const realSeriesNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter(file => file.endsWith('.recent.csv'))
    .map(file => file.slice(0, -'.recent.csv'.length));

/** CSV of one part of a series, decompressed. */
export const readRealPart = (folder: string, name: string, part: string): Buffer => {
  const file = join(folder, `${name}.${part}.csv`);
  return existsSync(file) ? readFileSync(file) : gunzipSync(readFileSync(`${file}.gz`));
};

/** Reads one series; expects well-formed files. */
export const readRealSeries = (folder: string, name: string): RealSeries => {
  const { activitySize, knownEvents } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as {
    readonly activitySize: number;
    readonly knownEvents: readonly { readonly date: string; readonly until?: string }[];
  };
  const daysOf = (part: string): Day[] =>
    daysFrom(readFileSync(join(folder, `${name}.${part}.csv`), 'utf8'), activitySize);
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
