import { countFilledBy, finestCount, type Aggregation, type SliceCount } from '../../domain/day.js';
import type { DayRule, SampledDay } from './assembleDays.js';

const secondsPerDay = 86_400;
const secondsPerSlice = secondsPerDay / finestCount;

/** Sums and numbers of the points of a day in 144 slices of ten minutes. */
type Points = { readonly sums: Float64Array; readonly counts: Uint32Array };

/** The values of a day in `size` slices; NaN for slices without points. */
const sample = ({ sums, counts }: Points, size: SliceCount, aggregation: Aggregation): number[] => {
  const per = finestCount / size;
  const values: number[] = [];
  for (let slice = 0; slice < size; slice += 1) {
    let sum = 0;
    let count = 0;
    for (let fine = slice * per; fine < (slice + 1) * per; fine += 1) {
      sum += sums[fine] ?? 0;
      count += counts[fine] ?? 0;
    }
    values.push(count === 0 ? NaN : aggregation === 'mean' ? sum / count : sum);
  }
  return values;
};

/** The lower median of the indices that a histogram counts; `undefined` when it is empty. */
const medianOf = (histogram: Uint32Array): number | undefined => {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  let below = 0;
  const found = histogram.findIndex(count => {
    below += count;
    return below > 0 && 2 * below >= total;
  });
  return found < 0 ? undefined : found;
};

/**
 * Groups readings into days. Without an activitySize in the rule it is the finest one that the readings fill, by the
 * median of the seconds between two readings of a day. Until it is known the days have 144 slices.
 * @returns `add` takes readings: strictly ascending seconds since 1970 and as many values, NaN for a missing one.
 *          `finish`, to be called once, returns the days with readings, ascending
 */
export const foldDays = ({
  activitySize,
  aggregation,
}: Pick<DayRule, 'activitySize' | 'aggregation'>): {
  add: (times: Float64Array, values: Float64Array) => void;
  finish: () => { activitySize: SliceCount; sampled: SampledDay[] };
} => {
  const steps = activitySize === undefined ? new Uint32Array(secondsPerDay) : undefined;
  const open = { sums: new Float64Array(finestCount), counts: new Uint32Array(finestCount) };
  const sampled: SampledDay[] = [];
  const unsized: (Points & { readonly dayNumber: number })[] = [];
  let dayNumber: number | undefined;
  let lastAt = -Infinity;

  const close = (): void => {
    if (dayNumber === undefined) return;
    if (activitySize === undefined)
      unsized.push({ dayNumber, sums: open.sums.slice(), counts: open.counts.slice() });
    else sampled.push({ dayNumber, values: sample(open, activitySize, aggregation) });
    open.sums.fill(0);
    open.counts.fill(0);
  };

  return {
    add: (times, values) => {
      const { sums, counts } = open;
      // The sums of a slice are local variables, because variables of a closure are slow to write.
      let last = lastAt;
      for (let index = 0; index < times.length;) {
        const first = times[index] ?? NaN;
        const day = Math.floor(first / secondsPerDay);
        if (day !== dayNumber) {
          close();
          dayNumber = day;
        }
        const dayStart = day * secondsPerDay;
        const slice = Math.floor((first - dayStart) / secondsPerSlice);
        const sliceEnd = dayStart + (slice + 1) * secondsPerSlice;
        let sum = sums[slice] ?? 0;
        let count = counts[slice] ?? 0;
        for (; index < times.length; index += 1) {
          const at = times[index] ?? NaN;
          if (at >= sliceEnd) break;
          if (steps && last >= dayStart) steps[at - last] = (steps[at - last] ?? 0) + 1;
          last = at;
          const value = values[index] ?? NaN;
          if (Number.isNaN(value)) continue;
          sum += value;
          count += 1;
        }
        sums[slice] = sum;
        counts[slice] = count;
      }
      lastAt = last;
    },
    finish: () => {
      close();
      if (steps === undefined || activitySize !== undefined)
        return { activitySize: activitySize ?? finestCount, sampled };
      const size = countFilledBy(medianOf(steps) ?? secondsPerDay);
      return {
        activitySize: size,
        sampled: unsized.map(points => ({
          dayNumber: points.dayNumber,
          values: sample(points, size, aggregation),
        })),
      };
    },
  };
};
