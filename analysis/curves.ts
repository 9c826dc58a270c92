import type { Reference, ReferenceDay } from './reference.js';

/** One value a slice, in the source's unit. */
export type Curve = readonly number[];

/**
 * The curve of some days: the median, slice by slice, of the values observed there. The median, not the mean,
 * since one holiday among fifty working days should not bend the curve, and since it is the curve with the
 * least mean absolute error, which is how the number of models is chosen.
 * @param days     any number of days of one length
 * @param fallback the value of a slice that none of them observed
 */
export const medianCurve = (days: readonly ReferenceDay[], fallback: Curve): number[] => {
  const observed = new Float64Array(days.length);
  return fallback.map((otherwise, slice) => {
    let count = 0;
    for (const day of days)
      if (day.usable[slice]) {
        observed[count] = day.activity[slice] ?? 0;
        count += 1;
      }
    if (count === 0) return otherwise;
    const sorted = observed.subarray(0, count).sort();
    const half = count >> 1;
    const upper = sorted[half] ?? 0;
    return count % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
  });
};

/**
 * The curve of all days, for slices of which a model knows nothing. A slice that no day observed takes the
 * value of the nearest one that some day did, the earlier of two.
 */
export const commonCurve = ({ days, slices }: Reference): number[] => {
  const known = medianCurve(days, Array<number>(slices).fill(Number.NaN));
  return known.map((value, slice) => {
    if (!Number.isNaN(value)) return value;
    for (let apart = 1; apart < slices; apart += 1)
      for (const near of [known[slice - apart], known[slice + apart]])
        if (near !== undefined && !Number.isNaN(near)) return near;
    return 0;
  });
};

/** The curve of each model. `labels` says the model of each day, 0 to `count` − 1. */
export const modelCurves = (
  { days }: Reference,
  labels: readonly number[],
  count: number,
  common: Curve,
): number[][] =>
  Array.from({ length: count }, (_, model) =>
    medianCurve(
      days.filter((_, index) => labels[index] === model),
      common,
    ),
  );
