import { seededRandom } from '../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';

/** A standard normal number, nearly: the sum of twelve uniform ones (Irwin and Hall) needs no logarithm. */
const normalFrom = (random: () => number): number => {
  let sum = -6;
  for (let count = 0; count < 12; count += 1) sum += random();
  return sum;
};

/**
 * A day that is exchangeable with all others of its kind: the rhythm of its weekday times lognormal noise that is
 * correlated within the day (a factor of the day, and one that wanders from slice to slice) and with no other day.
 */
export const madeDay = (date: string, slices: number, random: () => number): Day => {
  const free = weekday(dayNumber(date)) > 4;
  const whole = normalFrom(random);
  let wandering = normalFrom(random);
  const activity = Array.from({ length: slices }, (_, slice) => {
    wandering = 0.8 * wandering + 0.6 * normalFrom(random);
    const hour = (slice * 24) / slices;
    const rhythm = hour < 6 ? 2 : free ? (hour < 20 ? 6 : 4) : hour < 18 ? 12 : 5;
    return rhythm * Math.exp(0.1 * whole + 0.12 * wandering);
  });
  return { date, activity, gaps: [], filled: [] };
};

/** Made days from Monday 2 January 2023 on, the same for the same seed. */
export const madeDays = (of: {
  readonly count: number;
  readonly slices: number;
  readonly seed: number;
}): Day[] => {
  const random = seededRandom(of.seed);
  const first = dayNumber('2023-01-02');
  return Array.from({ length: of.count }, (_, index) => madeDay(dateOf(first + index), of.slices, random));
};
