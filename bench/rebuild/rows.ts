import { clockOf } from '../../adapters/timeZones.js';
import { dateOf, dayNumber } from '../../domain/dates.js';

/** Values by local time, in minutes since 1970; a missing sample has no entry. */
export type Samples = Map<number, number>;

/** How a series is made from files of its origin. */
export type Transformation = {
  /** Paths in the repository of the origin, read in this order. */
  readonly files: readonly string[];
  readonly samplesOf: (files: readonly Buffer[]) => Samples;
};

const minutesPerDay = 1440;

/**
 * Minutes since 1970 of a local time.
 * @throws RangeError when a part is not a number
 */
export const minutesOf = (year: number, month: number, day: number, minutes = 0): number => {
  const at = Date.UTC(year, month - 1, day) / 60_000 + minutes;
  if (!Number.isFinite(at))
    throw new RangeError(`got ${year}-${month}-${day} + ${minutes} min, expected a date`);
  return at;
};

/** Minutes since 1970 of `YYYY-MM-DDThh:mm:ss`. */
export const minutesOfStamp = (stamp: string): number => Date.parse(`${stamp}Z`) / 60_000;

/** Numbers without sign in a text, in order: the parts of a date. */
export const digitsOf = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);

/** Hour of a day by an hour of its half, 1 to 12, and a text with AM or PM. */
export const hoursOf = (hour: number, half: string): number => (hour % 12) + (/p/i.test(half) ? 12 : 0);

/** Cells of a line with commas; quotes around a cell are dropped, and a comma within them stays. */
export const cellsOf = (line: string): string[] => {
  const cells: string[] = [];
  for (let at = 0; at <= line.length;) {
    const [whole, quoted, plain = ''] = /^\s*(?:"([^"]*)"\s*|([^,]*))/.exec(line.slice(at)) ?? [''];
    cells.push(quoted ?? plain.trim());
    at += whole.length + 1;
  }
  return cells;
};

/** Cells of each line that is not empty. */
export function* linesOf(text: string): Generator<string[]> {
  for (const line of text.split(/\r?\n/)) if (line.trim() !== '') yield cellsOf(line);
}

/**
 * Rows of a table with a head, by the names of its columns.
 * @throws Error when a wanted column is missing
 */
export function* rowsOf<Name extends string>(
  text: string,
  wanted: readonly Name[],
): Generator<Record<Name, string>> {
  const lines = linesOf(text);
  const heads: string[] = lines.next().value ?? [];
  const places = wanted.map(name => [name, heads.indexOf(name)] as const);
  for (const [name, place] of places)
    if (place < 0) throw new Error(`got the columns ${heads.join(', ')}, expected ${name}`);
  for (const cells of lines)
    yield Object.fromEntries(places.map(([name, place]) => [name, cells[place] ?? ''])) as Record<
      Name,
      string
    >;
}

/** Means of slices of some minutes, of the samples that are there. */
export const meansOf = (samples: Iterable<readonly [number, number]>, minutes: number): Samples => {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [at, value] of samples) {
    const slice = Math.floor(at / minutes) * minutes;
    const kept = sums.get(slice) ?? { sum: 0, count: 0 };
    sums.set(slice, { sum: kept.sum + value, count: kept.count + 1 });
  }
  return new Map([...sums].map(([slice, { sum, count }]) => [slice, sum / count]));
};

/** Samples of which the first of a repeated time is kept. */
export const firstOf = (samples: Iterable<readonly [number, number]>): Samples => {
  const kept: Samples = new Map();
  for (const [at, value] of samples) if (!kept.has(at)) kept.set(at, value);
  return kept;
};

/** A value with at most four decimals and a decimal comma. */
const textOf = (value: number): string => String(Number(value.toFixed(4))).replace('.', ',');

/** CSV of the samples from one local time to another, both included, as the files of series are. */
export const csvOf = (samples: Samples, from: number, to: number): string => {
  const rows = [...samples].filter(([at]) => at >= from && at <= to).sort(([one], [other]) => one - other);
  const stampOf = (at: number): string => new Date(at * 60_000).toISOString().slice(0, 19);
  return ['"date";"value"\n', ...rows.map(([at, value]) => `"${stampOf(at)}";"${textOf(value)}"\n`)].join('');
};

/**
 * Local times, in minutes since 1970, of minutes of UTC.
 * @throws Error when Node.js has no data of the zone
 */
export const localTime = (zone: string): ((at: number) => number) => {
  const clock = clockOf(zone);
  if (!clock) throw new Error(`got no time zone ${zone}, expected it in the data of Node.js`);
  return at => at + clock.periodAt(60 * at).offset / 60;
};

/** A car park of the parking guidance: places in use are all places less the free ones. */
export type CarPark = {
  readonly column: string;
  /** Largest number of free places. */
  readonly places: number;
  /** Last date that is read, in UTC; the first one is the last day of 2022. */
  readonly last: string;
  /** Whether the last known value of a day is still known on the next one. */
  readonly carries: boolean;
};

const firstDate = '2022-12-31';
const step = 10;
/** Minutes without a scrape after which a value is not known. */
const silentMax = 20;

/** A scrape: its minute, and the free places when they changed. */
type Scrape = readonly [at: number, free: number | null];

const scrapesOf = (text: string, column: string): Scrape[] => {
  const [heads = [], ...lines] = linesOf(text);
  const place = heads.indexOf(column);
  return lines.map(cells => {
    const free = cells[place] ?? '';
    return [minutesOfStamp((cells[0] ?? '').slice(0, 16)), free === '' ? null : Number(free)];
  });
};

/** Transformation of a car park: the last known value at each 10 minutes of the local clock. */
export const carPark = ({ column, places, last, carries }: CarPark): Transformation => {
  const first = dayNumber(firstDate);
  const dates = Array.from({ length: dayNumber(last) - first + 1 }, (_, day) => dateOf(first + day));
  return {
    files: dates.map(date => `csv/${date.slice(0, 4)}/${date.slice(0, 7)}/${date}.csv`),
    samplesOf: files => {
      const local = localTime('Europe/Berlin');
      const known: [at: number, inUse: number][] = [];
      let free: number | null = null;
      let scraped = -Infinity;
      files.forEach((file, day) => {
        if (!carries) free = null;
        const scrapes = scrapesOf(file.toString(), column);
        let next = 0;
        const midnight = (first + day) * minutesPerDay;
        for (let at = midnight; at < midnight + minutesPerDay; at += step) {
          for (; (scrapes[next]?.[0] ?? Infinity) <= at; next += 1) {
            scraped = scrapes[next]?.[0] ?? scraped;
            free = scrapes[next]?.[1] ?? free;
          }
          if (free !== null && at - scraped < silentMax) known.push([local(at), Math.max(0, places - free)]);
        }
      });
      return firstOf(known);
    },
  };
};
