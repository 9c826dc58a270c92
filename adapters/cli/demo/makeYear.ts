import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, dayOfYear, weekday } from '../../../domain/dates.js';

/** One sample: the instant its ten minutes begin (`YYYY-MM-DDThh:mm:ss`, UTC) and the visitors counted in them. */
export type Sample = readonly [at: string, visitors: number];

/** One unusual day among the recent ones. Hours run 0–24, `fromHour` inclusive, `toHour` exclusive. */
export type Planted = {
  readonly date: string;
  /** `gap`: rows are missing; `activity`: the visitors behave unusually. */
  readonly kind: 'activity' | 'gap';
  readonly fromHour: number;
  readonly toHour: number;
  readonly what: string;
};

/** A reference year, the recent months after it, and what is unusual among these. */
export type MadeYear = {
  readonly reference: readonly Sample[];
  readonly recent: readonly Sample[];
  readonly planted: readonly Planted[];
};

/** Length of a sample. */
export const sampleMinutes = 10;

/** First and last date of both parts. The recent part has no public holiday, so that only what is planted is unusual. */
export const madeDates = {
  reference: ['2024-01-01', '2024-12-31'],
  recent: ['2025-08-26', '2025-12-21'],
} as const;

/** The hall is closed on these. */
const closed = new Set(['2024-01-01', '2024-12-25']);

/** Public holidays (England) on which the offices round it are as empty as at the height of summer. */
const holidays = new Set([
  '2024-03-29',
  '2024-04-01',
  '2024-05-06',
  '2024-05-27',
  '2024-08-26',
  '2024-12-26',
]);

/** Visitors gained a year, as a share. */
const growthPerYear = 0.03;

type Opening = {
  readonly opensHour: number;
  readonly closesHour: number;
  /** Visitors per sample while open. */
  readonly base: number;
  /** Rushes: hour of the peak, visitors per sample at the peak, width (standard deviation) in hours. */
  readonly rushes: readonly (readonly [hour: number, visitors: number, widthHours: number])[];
};

const working: Opening = {
  opensHour: 8,
  closesHour: 20,
  base: 60,
  rushes: [
    [12.6, 170, 0.8],
    [17.6, 110, 1],
  ],
};
/** At the height of summer the offices round it are half empty, and travellers come in the afternoon. */
const workingSummer: Opening = {
  opensHour: 8,
  closesHour: 20,
  base: 60,
  rushes: [
    [12.6, 90, 0.9],
    [15.4, 100, 1.6],
  ],
};
const saturday: Opening = {
  opensHour: 9,
  closesHour: 19,
  base: 90,
  rushes: [
    [11.4, 150, 1.2],
    [15, 90, 1.4],
  ],
};
const sunday: Opening = { opensHour: 11, closesHour: 16.5, base: 60, rushes: [[13.5, 60, 1.2]] };

/** A normal number of mean 0 and standard deviation 1 (Box–Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** How much it is summer, 0–1: most on 27 July, nothing two months before and after. */
const summerOn = (number: number): number => {
  const apart = Math.abs(dayOfYear(number) - 208) / 60;
  return apart < 1 ? (1 + Math.cos(Math.PI * apart)) / 2 : 0;
};

/** Visitors to expect per sample at an hour of the day (0–24), by the opening alone. */
const openAt = (opening: Opening, hour: number): number => {
  // People drift in once it opens, and are asked to leave a little before the end.
  const edge = Math.min((hour - opening.opensHour) / 0.5, (opening.closesHour - hour) / 0.5, 1);
  // Traders come an hour before.
  if (edge <= 0) return hour >= opening.opensHour - 1 && hour < opening.opensHour ? 5 : 0;
  const rushes = opening.rushes.map(
    ([peak, visitors, width]) => visitors * Math.exp(-(((hour - peak) / width) ** 2) / 2),
  );
  return edge * rushes.reduce((sum, visitors) => sum + visitors, opening.base);
};

/** Visitors to expect per sample on a day, at an hour of it, by the calendar. */
const expectedAt = (number: number, hour: number): number => {
  const date = dateOf(number);
  if (closed.has(date)) return 0;
  const of = weekday(number);
  if (of === 5) return openAt(saturday, hour);
  if (of === 6) return openAt(sunday, hour);
  const summer = holidays.has(date) ? 0.6 : summerOn(number);
  return summer * openAt(workingSummer, hour) + (1 - summer) * openAt(working, hour);
};

/** `visitors` answers what the day makes of the visitors to expect, `undefined` where no row is written. */
type Plant = Planted & { readonly visitors: (expected: number, hour: number) => number | undefined };

/** The planted days: each in its own week, its weekday (Monday to Thursday) by the seed. */
const plantsBy = (random: () => number): Plant[] => {
  const inWeekOf = (monday: string) => dateOf(dayNumber(monday) + Math.floor(random() * 4));
  return [
    {
      date: inWeekOf('2025-09-15'),
      kind: 'activity',
      fromHour: 8,
      toHour: 20,
      what: 'closed on a working day, only traders at the door',
      visitors: () => 1,
    },
    {
      date: inWeekOf('2025-10-06'),
      kind: 'activity',
      fromHour: 13,
      toHour: 18,
      what: 'a famous cook at the stoves, twice the visitors 13:00–18:00',
      visitors: expected => 2 * expected,
    },
    {
      date: inWeekOf('2025-10-27'),
      kind: 'activity',
      fromHour: 10,
      toHour: 14,
      what: 'power cut, the counts fall to zero 10:00–14:00',
      visitors: () => 0,
    },
    {
      date: inWeekOf('2025-11-10'),
      kind: 'activity',
      fromHour: 20,
      toHour: 24,
      what: 'night of the market, visitors until midnight',
      visitors: (_, hour) => 50 + 40 * Math.exp(-((hour - 22) ** 2) / 2),
    },
    {
      date: inWeekOf('2025-12-01'),
      kind: 'gap',
      fromHour: 7,
      toHour: 20,
      what: 'sensor outage, no rows 07:00–20:00',
      visitors: () => undefined,
    },
  ];
};

/**
 * A made-up market hall: visitors at its door every ten minutes, passages in and out halved, so in steps of
 * one half. Working days, Saturdays and Sundays differ, summer has rushes of its own, public holidays are quiet
 * or closed, some days draw more people than others, and three in a hundred more come every year.
 * @param seed integer, of which the lower 32 bits count; the same seed gives the same samples
 */
export const makeYear = (seed: number): MadeYear => {
  const random = seededRandom(seed);
  const plants = plantsBy(random);
  const started = dayNumber(madeDates.reference[0]);
  let drawn = 0;

  const samplesOf = ([first, last]: readonly [string, string]): Sample[] => {
    const samples: Sample[] = [];
    for (let number = dayNumber(first); number <= dayNumber(last); number += 1) {
      const date = dateOf(number);
      const plant = plants.find(day => day.date === date);
      // A rainy week keeps people away for days: the level of a day remembers the day before.
      drawn = 0.6 * drawn + 0.04 * normal(random);
      const level = Math.exp(drawn) * (1 + (growthPerYear * (number - started)) / 365);
      for (let minute = 0; minute < 1440; minute += sampleMinutes) {
        const hour = minute / 60;
        const usual = expectedAt(number, hour + sampleMinutes / 120);
        const planted = plant && hour >= plant.fromHour && hour < plant.toHour;
        const expected = planted ? plant.visitors(usual, hour) : usual;
        const noise = normal(random);
        if (expected === undefined) continue;
        // Passages are counted one by one: their variance is about their number, twice the visitors'.
        const passages = 2 * expected * level + Math.sqrt(2 * expected) * noise;
        samples.push([`${date}T${clock(minute)}:00`, Math.max(0, Math.round(passages)) / 2]);
      }
    }
    return samples;
  };

  return {
    reference: samplesOf(madeDates.reference),
    recent: samplesOf(madeDates.recent),
    planted: plants.map(({ visitors: _, ...planted }) => planted),
  };
};

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** The lines of samples in the CSV format of an import, each with its line feed: header first, decimal comma. */
export function* csvLines(samples: readonly Sample[]): Generator<string> {
  yield '"date";"value"\n';
  for (const [at, visitors] of samples) yield `"${at}";"${String(visitors).replace('.', ',')}"\n`;
}
