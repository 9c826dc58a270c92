import { clockOf } from '../../adapters/timeZones.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { firstOf, linesOf, minutesOfStamp, type Transformation } from './rows.js';

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
const minutesPerDay = 1440;
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
