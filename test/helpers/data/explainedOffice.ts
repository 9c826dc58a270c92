import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';

/** First day of the reference year of the office. */
export const firstDay = dayNumber('2025-01-01');

/** Noise that lasts for days: AR(1) with standard deviation 1. */
export const weather = (random: () => number, count: number): number[] => {
  let last = 0;
  return Array.from({ length: count }, () => {
    const noise = (random() + random() + random() - 1.5) * 2;
    last = 0.7 * last + Math.sqrt(1 - 0.49) * noise;
    return last;
  });
};

/** Outside temperature of a year: 10 ± 9 °C by season, with weather of 4 °C. */
export const temperatures = (seed: number, count = 365): number[] => {
  const random = seededRandom(seed);
  return weather(random, count).map((noise, day) => 10 - 9 * Math.cos((2 * Math.PI * day) / 365) + 4 * noise);
};

/** Heating of an office: 2 % more a degree below 15 °C. */
const heating = (degrees: number): number => 1 + 0.02 * Math.max(0, 15 - degrees);

/** Energy of a heated office, one day for each temperature. */
export const office = (
  degrees: readonly number[],
  { seed, slices = 24, first = firstDay }: { seed: number; slices?: number; first?: number },
): Day[] => {
  const random = seededRandom(seed);
  return degrees.map((outside, index) => {
    const working = weekday(first + index) < 5;
    const level = (1 + 0.08 * (random() - 0.5)) * heating(outside);
    return {
      date: dateOf(first + index),
      activity: Array.from({ length: slices }, (_, slice) => {
        const hour = (24 * slice) / slices;
        const open = hour >= 6 && hour < 18;
        return (open ? (working ? 100 : 40) : 10) * level * (1 + 0.04 * (random() - 0.5));
      }),
      gaps: [],
      filled: [],
    };
  });
};
