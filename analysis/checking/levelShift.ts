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
  const medians = new Float64Array(first.length);
  const values = new Float64Array(Math.max(residuals.length, expected));
  for (let slice = 0; slice < medians.length; slice += 1) {
    let count = 0;
    for (let day = 0; day < residuals.length; day += 1) {
      const value = residuals[day]![slice]!;
      if (value === value) insertSorted(values, count++, value);
    }
    while (count < expected) insertSorted(values, count++, 0);
    medians[slice] = medianOfSorted(values, count);
  }
  const reach = Math.round(medians.length / 24) >> 1;
  return reach === 0 ? medians : smoothed(medians, reach);
};

/** Inserts a value into the first `count` values, ascending: a fortnight or two of values need no faster sort. */
const insertSorted = (values: Float64Array, count: number, value: number): void => {
  let at = count;
  for (; at > 0 && values[at - 1]! > value; at -= 1) values[at] = values[at - 1]!;
  values[at] = value;
};

/** `sortedQuantile` at 0.5 of the first `count` values. */
const medianOfSorted = (values: Float64Array, count: number): number => {
  const place = (count - 1) * 0.5;
  const below = Math.floor(place);
  const low = values[below]!;
  const next = below + 1 < count ? values[below + 1]! : low;
  return low + (place - below) * (next - low);
};

/** Mean of each value and its neighbours within a reach; fewer at both ends. */
const smoothed = (values: Float64Array, reach: number): Float64Array => {
  const means = new Float64Array(values.length);
  for (let slice = 0; slice < values.length; slice += 1) {
    const from = Math.max(0, slice - reach);
    const to = Math.min(values.length, slice + reach + 1);
    let sum = 0;
    for (let at = from; at < to; at += 1) sum += values[at]!;
    means[slice] = sum / (to - from);
  }
  return means;
};
