import type { CovariateEffect, CovariateReading } from '../../domain/source/covariates.js';

/** Two straight lines that meet at a knee. */
export type Hinge = Pick<CovariateEffect, 'knee' | 'below' | 'above' | 'from' | 'to'>;

/** Effect of a value on the log scale, before the usual effect is subtracted. */
export const hingeAt = ({ knee, below, above, from, to }: Hinge, value: number): number => {
  const clamped = Math.min(to, Math.max(from, value));
  return below * Math.max(0, knee - clamped) + above * Math.max(0, clamped - knee);
};

/** Least and largest effect of any value, before the usual effect is subtracted. */
export const hingeEnds = (hinge: Hinge): readonly [least: number, largest: number] => {
  const effects = [hinge.from, hinge.knee, hinge.to].map(value => hingeAt(hinge, value));
  return [Math.min(...effects), Math.max(...effects)];
};

/**
 * Range of the effect that the covariates without a value may have on a date: the one on reference days planned to the
 * model, or on any reference day for models that do not record it. Null when all have a value.
 * @param model index of the planned model, in the order of the models
 */
export const missingRange = (
  effects: readonly CovariateEffect[],
  readings: readonly CovariateReading[],
  model: number,
): readonly [least: number, largest: number] | null => {
  const missing = effects.filter(({ sourceId }) => valueIn(readings, sourceId) === null);
  if (missing.length === 0) return null;
  const ranges = missing.map(effect => {
    const usual = effect.usual[model] ?? 0;
    const [least, largest] = hingeEnds(effect);
    return effect.spread?.[model] ?? ([least - usual, largest - usual] as const);
  });
  return [
    ranges.reduce((sum, [least]) => sum + least, 0),
    ranges.reduce((sum, [, largest]) => sum + largest, 0),
  ];
};

/** Value of a covariate among those of a date; null without one. */
export const valueIn = (readings: readonly CovariateReading[], covariateId: number): number | null =>
  readings.find(({ sourceId }) => sourceId === covariateId)?.value ?? null;

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
    const value = valueIn(readings, effect.sourceId);
    return value === null ? sum : sum + hingeAt(effect, value) - (effect.usual[model] ?? 0);
  }, 0);
