import type { ReadDay } from '../../../analysis/misread/hours.js';
import { secondsPerDay } from '../../../domain/dates.js';

const hours = 24;

/**
 * Days of inspected rows, by their own clock: 24 means, NaN for hours without values.
 * @param times  seconds since 1970, NaN for unreadable ones
 * @param values as many, NaN for missing and unreadable ones
 */
export const inspectedDays = (times: readonly number[], values: readonly number[]): readonly ReadDay[] => {
  const days = new Map<number, { readonly sums: number[]; readonly counts: number[] }>();
  times.forEach((at, row) => {
    const value = values[row] ?? NaN;
    if (Number.isNaN(at) || Number.isNaN(value)) return;
    const dayNumber = Math.floor(at / secondsPerDay);
    const hour = Math.floor(((at / secondsPerDay) % 1) * hours);
    const day = days.get(dayNumber) ?? { sums: Array(hours).fill(0), counts: Array(hours).fill(0) };
    day.sums[hour] = (day.sums[hour] ?? 0) + value;
    day.counts[hour] = (day.counts[hour] ?? 0) + 1;
    days.set(dayNumber, day);
  });
  return [...days]
    .sort(([one], [other]) => one - other)
    .map(([dayNumber, { sums, counts }]) => ({
      dayNumber,
      // 0/0 is NaN.
      values: sums.map((sum, hour) => sum / (counts[hour] ?? 0)),
    }));
};
