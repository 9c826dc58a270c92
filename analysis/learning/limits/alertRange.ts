import type { BoundsFacts } from '../../../domain/planning/models.js';

/**
 * Rates of sources with one expected number vary like a gamma distribution of this shape, so counts of a year have a
 * negative binomial distribution. Measured on open series (docs/quality.md).
 */
const shape = 4;

/** Shares of sources below the ends of the range: it holds for nine of ten. */
const ends = { low: 0.05, high: 0.95 } as const;

/** Fewest held-out days for a range: series with fewer were not measured. */
const daysMin = 100;

/** The smallest count that at least a share of the sources does not exceed. */
const quantile = (share: number, mean: number): number => {
  const stop = shape / (shape + mean);
  let probability = stop * stop * stop * stop;
  let count = 0;
  for (let sum = probability; sum < share && probability > 0; sum += probability) {
    probability *= ((count + shape) / (count + 1)) * (1 - stop);
    count += 1;
  }
  return count;
};

/**
 * Range of the false alerts of a year, which holds for nine of ten sources that state one expected number.
 * @param perYear expected number, ≥ 0
 * @param days    held-out days that it is computed from
 * @param isWild  whether the guard has widened the limits: such sources are too few to be measured
 * @returns       null where nothing is known
 */
export const alertRange = (
  perYear: number,
  days: number,
  isWild: boolean,
): NonNullable<BoundsFacts['falseAlertsRange']> | null =>
  isWild || days < daysMin ? null : { low: quantile(ends.low, perYear), high: quantile(ends.high, perYear) };
