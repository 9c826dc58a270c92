import { sortedQuantile } from '../math/statistics.js';

/** Share of the values at either end of a covariate between which its range is measured, and the factor on it. */
const range = { share: 0.05, factor: 10 } as const;

/**
 * Values of a covariate; NaN for those far beyond the others, which count as missing.
 * @param values NaN without one
 */
export const plausibleCovariate = (values: Float64Array): Float64Array => {
  const sorted = values.filter(value => value === value).sort();
  const low = sortedQuantile(sorted, range.share);
  const high = sortedQuantile(sorted, 1 - range.share);
  const reach = range.factor * (high - low);
  if (reach === 0) return values;
  return values.map(value => (value < low - reach || value > high + reach ? Number.NaN : value));
};
