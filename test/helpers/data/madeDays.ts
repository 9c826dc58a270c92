import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';

/** Approximate standard normal number: the sum of twelve uniform ones (Irwin–Hall distribution). */
const normalFrom = (random: () => number): number => {
  let sum = -6;
  for (let count = 0; count < 12; count += 1) sum += random();
  return sum;
};

/**
 * A day that is exchangeable with others of its kind: a profile of its weekday times lognormal noise that is
 * correlated within the day (a factor of the day, and a random walk over slices) and independent between days.
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

/** Random days from Monday 2 January 2023, reproducible by seed. */
export const madeDays = (of: {
  readonly count: number;
  readonly slices: number;
  readonly seed: number;
}): Day[] => {
  const random = seededRandom(of.seed);
  const first = dayNumber('2023-01-02');
  return Array.from({ length: of.count }, (_, index) => madeDay(dateOf(first + index), of.slices, random));
};

/** Monday 2 January 2023. */
export const monday = dayNumber('2023-01-02');
/** The day `index` days after `monday`, with these values. */
export const mondayPlus = (index: number, activity: readonly number[], gaps: Day['gaps'] = []): Day => ({
  date: dateOf(monday + index),
  activity,
  gaps,
  filled: [],
});
