import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, dayOfYear, weekday } from '../../../domain/dates.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readableSize, sourceNameOf } from '../terminal/inputFiles.js';

/** Length of a sample. */
export const sampleMinutes = 10;

/** Dates on which the hall is closed. */
const closed = new Set(['2024-01-01', '2024-12-25']);

/** Public holidays of England. The offices around the hall are as empty as in midsummer. */
const holidays = new Set([
  '2024-03-29',
  '2024-04-01',
  '2024-05-06',
  '2024-05-27',
  '2024-08-26',
  '2024-12-26',
]);

/** Opening hours of a day and its visitors. */
type Opening = {
  readonly opensHour: number;
  readonly closesHour: number;
  /** Visitors per sample during opening hours. */
  readonly base: number;
  /** Peaks: hour, visitors per sample at that hour, width (standard deviation) in hours. */
  readonly peaks: readonly (readonly [hour: number, visitors: number, widthHours: number])[];
};

/** Expected visitors per sample at an hour of the day (0–24), from the opening only. */
const openAt = (opening: Opening, hour: number): number => {
  // The number of visitors rises in the first half hour and falls in the last one.
  const edge = Math.min((hour - opening.opensHour) / 0.5, (opening.closesHour - hour) / 0.5, 1);
  // Traders arrive in the hour before opening.
  if (edge <= 0) return hour >= opening.opensHour - 1 && hour < opening.opensHour ? 5 : 0;
  const peaks = opening.peaks.map(
    ([hourOfPeak, visitors, width]) => visitors * Math.exp(-(((hour - hourOfPeak) / width) ** 2) / 2),
  );
  return edge * peaks.reduce((sum, visitors) => sum + visitors, opening.base);
};

/** Expected visitors of each sample of a day with an opening. */
const curveOf = (opening: Opening): readonly number[] =>
  Array.from({ length: 1440 / sampleMinutes }, (_, index) =>
    openAt(opening, (index * sampleMinutes) / 60 + sampleMinutes / 120),
  );

const working = curveOf({
  opensHour: 8,
  closesHour: 20,
  base: 60,
  peaks: [
    [12.6, 170, 0.8],
    [17.6, 110, 1],
  ],
});
/** In midsummer the offices are half empty, and tourists come in the afternoon. */
const workingSummer = curveOf({
  opensHour: 8,
  closesHour: 20,
  base: 60,
  peaks: [
    [12.6, 90, 0.9],
    [15.4, 100, 1.6],
  ],
});
const saturday = curveOf({
  opensHour: 9,
  closesHour: 19,
  base: 90,
  peaks: [
    [11.4, 150, 1.2],
    [15, 90, 1.4],
  ],
});
const sunday = curveOf({ opensHour: 11, closesHour: 16.5, base: 60, peaks: [[13.5, 60, 1.2]] });
const closedAllDay = working.map(() => 0);

/** How much of the summer pattern a day has, 0–1: 1 on 27 July, 0 two months before and after. */
const summerOn = (number: number): number => {
  const distance = Math.abs(dayOfYear(number) - 208) / 60;
  return distance < 1 ? (1 + Math.cos(Math.PI * distance)) / 2 : 0;
};

/** Expected visitors of each sample of a day (day number), from the calendar. */
const expectedVisitors = (number: number): readonly number[] => {
  const date = dateOf(number);
  if (closed.has(date)) return closedAllDay;
  const day = weekday(number);
  if (day === 5) return saturday;
  if (day === 6) return sunday;
  const summer = holidays.has(date) ? 0.6 : summerOn(number);
  return working.map((visitors, index) => summer * workingSummer[index]! + (1 - summer) * visitors);
};

/** An unusual day in the recent data. Hours run 0–24, `fromHour` inclusive, `toHour` exclusive. */
export type Planted = {
  readonly date: string;
  /** `gap`: rows are missing; `activity`: the number of visitors is unusual. */
  readonly kind: 'activity' | 'gap';
  readonly fromHour: number;
  readonly toHour: number;
  readonly description: string;
};

/** A planted day. `visitors` changes the expected visitors; `undefined` where no row is written. */
type Plant = Planted & { readonly visitors: (expected: number, hour: number) => number | undefined };

/** The planted days, each in a different week; the seed decides the weekday, Monday to Thursday. */
const plantedDays = (random: () => number): Plant[] => {
  const inWeekOf = (monday: string) => dateOf(dayNumber(monday) + Math.floor(random() * 4));
  return [
    {
      date: inWeekOf('2025-09-15'),
      kind: 'activity',
      fromHour: 8,
      toHour: 20,
      description: 'closed on a working day, only traders at the door',
      visitors: () => 1,
    },
    {
      date: inWeekOf('2025-10-06'),
      kind: 'activity',
      fromHour: 13,
      toHour: 18,
      description: 'a famous cook visits, twice the visitors 13:00–18:00',
      visitors: expected => 2 * expected,
    },
    {
      date: inWeekOf('2025-10-27'),
      kind: 'activity',
      fromHour: 10,
      toHour: 14,
      description: 'power cut, the counts fall to zero 10:00–14:00',
      visitors: () => 0,
    },
    {
      date: inWeekOf('2025-11-10'),
      kind: 'activity',
      fromHour: 20,
      toHour: 24,
      description: 'night market, visitors until midnight',
      visitors: (_, hour) => 50 + 40 * Math.exp(-((hour - 22) ** 2) / 2),
    },
    {
      date: inWeekOf('2025-12-01'),
      kind: 'gap',
      fromHour: 7,
      toHour: 20,
      description: 'sensor outage, no rows 07:00–20:00',
      visitors: () => undefined,
    },
  ];
};

/** One sample: the start of its ten minutes (`YYYY-MM-DDThh:mm:ss`, UTC) and the visitors counted in them. */
export type VisitorCount = readonly [at: string, visitors: number];

/** A reference year, the recent months after it, and the planted days in the recent months. */
export type MadeYear = {
  readonly reference: readonly VisitorCount[];
  readonly recent: readonly VisitorCount[];
  readonly planted: readonly Planted[];
};

/** Number of planted days. */
export const plantedCount = 5;

/** First and last date of both parts. The recent part has no public holiday: only planted days are unusual. */
export const madeDates = {
  reference: ['2024-01-01', '2024-12-31'],
  recent: ['2025-08-26', '2025-12-21'],
} as const;

/** Growth of the number of visitors in a year, as a share. */
const growthPerYear = 0.03;

/** A random number of the normal distribution with mean 0 and standard deviation 1 (Box–Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Samples of one day (day number); `level` multiplies the expected visitors. */
const samplesOfDay = (
  number: number,
  level: number,
  plant: Plant | undefined,
  random: () => number,
): VisitorCount[] => {
  const samples: VisitorCount[] = [];
  const date = dateOf(number);
  for (const [index, usual] of expectedVisitors(number).entries()) {
    const minute = index * sampleMinutes;
    const hour = minute / 60;
    const isPlanted = plant && hour >= plant.fromHour && hour < plant.toHour;
    const expected = isPlanted ? plant.visitors(usual, hour) : usual;
    const noise = normal(random);
    if (expected === undefined) continue;
    // Passages are counted one by one, so their variance is about their number, twice that of visitors.
    const passages = 2 * expected * level + Math.sqrt(2 * expected) * noise;
    samples.push([`${date}T${clock(minute)}:00`, Math.max(0, Math.round(passages)) / 2]);
  }
  return samples;
};

/**
 * Visitors of a made-up market hall, counted at its door every ten minutes. Passages in and out are halved, so values
 * are multiples of one half. Working days, Saturdays and Sundays differ, and summer has its own peaks. On public
 * holidays the hall is quiet or closed. Days vary randomly, and the number of visitors grows by 3 % a year.
 * @param seed integer, of which the lower 32 bits count; the same seed gives the same samples
 */
export const makeYear = (seed: number): MadeYear => {
  const random = seededRandom(seed);
  const plants = plantedDays(random);
  const start = dayNumber(madeDates.reference[0]);
  let deviation = 0;

  const samplesOf = ([first, last]: readonly [string, string]): VisitorCount[] => {
    const samples: VisitorCount[] = [];
    for (let number = dayNumber(first); number <= dayNumber(last); number += 1) {
      const plant = plants.find(({ date }) => date === dateOf(number));
      // The deviation of a day depends on the day before, as in a rainy week.
      deviation = 0.6 * deviation + 0.04 * normal(random);
      const level = Math.exp(deviation) * (1 + (growthPerYear * (number - start)) / 365);
      samples.push(...samplesOfDay(number, level, plant, random));
    }
    return samples;
  };

  return {
    reference: samplesOf(madeDates.reference),
    recent: samplesOf(madeDates.recent),
    planted: plants.map(({ visitors: _, ...planted }) => planted),
  };
};

/** `HH:MM` of a minute of the day. */
const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Samples as lines in the CSV format of an import: header first, decimal comma, each with a line feed. */
export function* csvLines(samples: readonly VisitorCount[]): Generator<string> {
  yield '"date";"value"\n';
  for (const [at, visitors] of samples) yield `"${at}";"${String(visitors).replace('.', ',')}"\n`;
}

/** A file with its size in bytes. */
type File = { readonly path: string; readonly bytes: number };

/** The files of a demo. */
export type Data = {
  /** Name of the source. */
  readonly name: string;
  readonly reference: File;
  readonly recent: File;
  /** Only in made-up data: the unusual days. */
  readonly planted?: readonly Planted[];
};

const fileOf = async (path: string): Promise<File> => ({ path, bytes: await readableSize(path) });

/** The user's own files. @throws Unreadable */
export const userData = async ([reference, recent]: readonly [string, string]): Promise<Data> => ({
  name: sourceNameOf(reference, 'demo'),
  reference: await fileOf(reference),
  recent: await fileOf(recent),
});

/** Made-up data, written to `folder`. */
export const madeUpData = async (seed: number, folder: string): Promise<Data> => {
  const { reference, recent, planted } = makeYear(seed);
  const write = async (name: string, samples: readonly VisitorCount[]): Promise<File> => {
    const path = join(folder, name);
    await writeFile(path, [...csvLines(samples)].join(''));
    return fileOf(path);
  };
  return {
    name: 'Market hall',
    reference: await write('reference.csv', reference),
    recent: await write('recent.csv', recent),
    planted,
  };
};
