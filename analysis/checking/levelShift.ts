import { sortedQuantile } from '../math/statistics.js';

/** Days before a day that tell whether the source has moved; an event of up to half of them moves no median. */
export const driftDays = 28;

/** Days of one kind in so many, fewer than which are made up by days without a residual. */
const workingSlots = 20;
const freeSlots = 8;

/**
 * How a source has moved lately: slice by slice the median residual of the days before, days that are missing counted
 * as 0, smoothed over the hour. null when too few are there to move a median.
 * @param residuals of the days before, of the same kind (working or free), on the tolerance scale; NaN where not
 *                  observed
 * @param working   which kind
 */
export const shiftOf = (residuals: readonly Float64Array[], working: boolean): Float64Array | null => {
  const slots = working ? workingSlots : freeSlots;
  const first = residuals[0];
  if (!first || residuals.length * 2 <= slots) return null;
  const values = new Float64Array(Math.max(residuals.length, slots));
  const medians = first.map((_, slice) => {
    let count = 0;
    for (const residual of residuals) {
      const value = residual[slice]!;
      if (value === value) values[count++] = value;
    }
    while (count < slots) values[count++] = 0;
    return sortedQuantile(values.subarray(0, count).sort(), 0.5);
  });
  const reach = Math.round(medians.length / 24) >> 1;
  if (reach === 0) return medians;
  return medians.map((_, slice) => {
    const near = medians.subarray(Math.max(0, slice - reach), slice + reach + 1);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
};
