import type { CovariateEffect, CovariateReading } from '../../domain/source/covariates.js';

/** Two straight lines that meet at a knee. */
export type Hinge = Pick<CovariateEffect, 'knee' | 'below' | 'above' | 'from' | 'to'>;

/** Effect of a value on the log scale, before the usual effect is subtracted. */
export const hingeAt = ({ knee, below, above, from, to }: Hinge, value: number): number => {
  const clamped = Math.min(to, Math.max(from, value));
  return below * Math.max(0, knee - clamped) + above * Math.max(0, clamped - knee);
};

/**
 * Effect of covariates on the expectation of a date on the log scale. Covariates without a value have none.
 * @param model index of the planned model, in the order of the models
 */
export const effectOn = (
  effects: readonly CovariateEffect[],
  readings: readonly CovariateReading[],
  model: number,
): number =>
  effects.reduce((sum, effect) => {
    const value = readings.find(({ sourceId }) => sourceId === effect.sourceId)?.value ?? null;
    return value === null ? sum : sum + hingeAt(effect, value) - (effect.usual[model] ?? 0);
  }, 0);
