import { dayNumber, weekday } from '../../domain/dates.js';
import { usable, type Day } from '../../domain/day.js';
import { median } from '../math/statistics.js';

/** Weeks before and after a day whose same weekdays are its neighbours, and fewest neighbours needed. */
const weeksAround = 5;
const neighboursMin = 4;

/** A working day and its oddness, ≥ 0: 1 is normal. */
export type OddDay = { readonly number: number; readonly oddness: number };

type WorkingDay = {
  readonly number: number;
  readonly activity: readonly number[];
  readonly flags: readonly boolean[];
};

/**
 * Oddness of each working day (Monday to Friday): its mean absolute distance to the median of its neighbours, divided
 * by the median of their distances. Days with too few neighbours are omitted.
 */
export const oddDays = (days: readonly Day[]): OddDay[] => {
  const working = new Map(
    days
      .map((day): WorkingDay => ({ number: dayNumber(day.date), activity: day.activity, flags: usable(day) }))
      .filter(({ number, flags }) => weekday(number) < 5 && flags.filter(Boolean).length * 2 >= flags.length)
      .map(day => [day.number, day]),
  );
  const neighbours = (number: number): number[] =>
    Array.from({ length: 2 * weeksAround + 1 }, (_, index) => number + 7 * (index - weeksAround)).filter(
      other => other !== number && working.has(other),
    );
  const distances = new Map<number, number>();
  for (const day of working.values()) {
    const others = neighbours(day.number).flatMap(other => working.get(other) ?? []);
    const distance = others.length < neighboursMin ? undefined : distanceToMedian(day, others);
    if (distance !== undefined) distances.set(day.number, distance);
  }
  return [...distances].flatMap(([number, distance]) => {
    const others = neighbours(number).flatMap(other => distances.get(other) ?? []);
    if (others.length < neighboursMin) return [];
    const normal = median(others);
    if (normal === 0) return { number, oddness: distance > 0 ? Number.MAX_VALUE : 0 };
    return { number, oddness: distance / normal };
  });
};

/** Mean absolute distance of a day to the median of others over the usable slices; undefined when there are none. */
const distanceToMedian = (
  { activity, flags }: WorkingDay,
  others: readonly WorkingDay[],
): number | undefined => {
  let total = 0;
  let count = 0;
  activity.forEach((value, slice) => {
    const values = others.filter(other => other.flags[slice]).map(other => other.activity[slice] ?? 0);
    if (!flags[slice] || values.length === 0) return;
    total += Math.abs(value - median(values));
    count += 1;
  });
  return count > 0 ? total / count : undefined;
};
