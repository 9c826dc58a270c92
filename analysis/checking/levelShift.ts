import { sortedQuantile } from '../math/statistics.js';

/**
 * Number of days before a day from which a level shift is estimated. An event that lasts less than half of them cannot
 * move the medians.
 */
export const driftDays = 28;

/** Working and free days in that time. Missing days count as days with residual 0. */
const workingDaysExpected = 20;
const freeDaysExpected = 8;

/**
 * Level shift of a source: by slice, the median residual of recent days, smoothed over one hour.
 * @param residuals of recent days of one kind, on the log scale; NaN in slices that are not usable
 * @param working   whether these are working days or free days
 * @returns         null when at most half of the expected days are present
 */
export const levelShift = (residuals: readonly Float64Array[], working: boolean): Float64Array | null => {
  const expected = working ? workingDaysExpected : freeDaysExpected;
  const first = residuals[0];
  if (!first || residuals.length * 2 <= expected) return null;
  const values = new Float64Array(Math.max(residuals.length, expected));
  const medians = first.map((_, slice) => {
    let count = 0;
    for (const residual of residuals) {
      const value = residual[slice]!;
      if (value === value) values[count++] = value;
    }
    while (count < expected) values[count++] = 0;
    return sortedQuantile(values.subarray(0, count).sort(), 0.5);
  });
  const reach = Math.round(medians.length / 24) >> 1;
  if (reach === 0) return medians;
  return medians.map((_, slice) => {
    const near = medians.subarray(Math.max(0, slice - reach), slice + reach + 1);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
};
