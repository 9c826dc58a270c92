import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { expectedVisitors } from './marketHall.js';
import { plantedDays, type Plant, type Planted } from './plantedDays.js';

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

/** Length of a sample. */
export const sampleMinutes = 10;

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
  for (let minute = 0; minute < 1440; minute += sampleMinutes) {
    const hour = minute / 60;
    const usual = expectedVisitors(number, hour + sampleMinutes / 120);
    const isPlanted = plant && hour >= plant.fromHour && hour < plant.toHour;
    const expected = isPlanted ? plant.visitors(usual, hour) : usual;
    const noise = normal(random);
    if (expected === undefined) continue;
    // Passages are counted one by one, so their variance is about their number, twice that of visitors.
    const passages = 2 * expected * level + Math.sqrt(2 * expected) * noise;
    samples.push([`${dateOf(number)}T${clock(minute)}:00`, Math.max(0, Math.round(passages)) / 2]);
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
