import { sortedQuantile, mean } from '../math/statistics.js';
import type { CovariateEffect, CovariateReading, ExplainedFacts } from '../../domain/source/covariates.js';
import { fromScale, toScale, type LogScale } from '../math/portableMath.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import { presentRules, type EngineRules } from '../engine.js';

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
    const usual = effect.usual[model]!;
    const [least, largest] = hingeEnds(effect);
    return effect.spread?.[model] ?? ([least - usual, largest - usual] as const);
  });
  return [
    ranges.reduce((sum, [least]) => sum + least, 0),
    ranges.reduce((sum, [, largest]) => sum + largest, 0),
  ];
};

/** Value of a covariate among those of a date; null without one. */
const valueIn = (readings: readonly CovariateReading[], covariateId: number): number | null =>
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
    return value === null ? sum : sum + hingeAt(effect, value) - effect.usual[model]!;
  }, 0);

/** Scales from this offset on are practically straight: factors have no meaning there. */
const straightOffset = 1;

/** Whether a scale is practically straight. */
export const isStraight = ({ offset }: Pick<LogScale, 'offset'>): boolean => offset >= straightOffset;

/**
 * Share of an effect that each slice of a profile takes. On a scale where a change by a factor is a shift, it is the
 * derivative by the logarithm of the value: a slice at 0 stays at 0. On a straight scale every slice takes all of it.
 * @param profile values on the log scale
 */
export const effectShape = (scale: LogScale, profile: Float64Array): Float64Array =>
  profile.map(y => {
    if (isStraight(scale)) return 1;
    const multiples = Math.max(0, fromScale(scale, y)) / scale.unit;
    return multiples / (multiples + scale.offset);
  });

/** Effect that explains residuals best: their projection on the shape of an effect. NaN slices do not count. */
export const levelOf = (shape: Float64Array, residuals: Float64Array): number => {
  let product = 0;
  let size = 0;
  residuals.forEach((residual, slice) => {
    if (residual !== residual) return;
    product += shape[slice]! * residual;
    size += shape[slice]! * shape[slice]!;
  });
  return size > 0 ? product / size : 0;
};

/** A profile moved by an effect; the same object without one. */
export const movedProfile = (scale: LogScale, profile: Float64Array, effect: number): Float64Array => {
  if (effect === 0) return profile;
  const shape = effectShape(scale, profile);
  return profile.map((y, slice) => y + effect * shape[slice]!);
};

/** An automatic model with its profile and bounds moved by an effect; the same object without one. */
export const movedModel = (model: Model & { readonly limits?: Limits }, effect: number): Model => {
  const { limits, activity } = model;
  if (!limits || effect === 0) return model;
  const profile = Float64Array.from(activity, value => toScale(limits, value));
  const shape = effectShape(limits, profile);
  const moved = (values: readonly number[]): number[] =>
    values.map((value, slice) => fromScale(limits, toScale(limits, value) + effect * shape[slice]!));
  return {
    ...model,
    activity: moved(activity),
    topTolerance: moved(model.topTolerance),
    bottomTolerance: moved(model.bottomTolerance),
  };
};

/** Share of the values at either end of a covariate between which its range is measured, and the factor on it. */
const plausibleRange = { share: 0.05, factor: 10 } as const;

/**
 * Values of a covariate; NaN for those far beyond the others, which count as missing. A rare covariate, which has one
 * value on nearly all days, is measured by the range of all values but the lowest, or the highest one.
 * @param values NaN without one
 */
export const plausibleCovariate = (
  values: Float64Array,
  { comparesRareCovariates }: Pick<EngineRules, 'comparesRareCovariates'>,
): Float64Array => {
  const sorted = values.filter(value => value === value).sort();
  const low = sortedQuantile(sorted, plausibleRange.share);
  const high = sortedQuantile(sorted, 1 - plausibleRange.share);
  const reach = plausibleRange.factor * (high - low);
  if (reach === 0) {
    const mark = comparesRareCovariates ? markIn(sorted) : undefined;
    return mark === undefined ? values : values.map(value => (value === mark ? Number.NaN : value));
  }
  return values.map(value => (value < low - reach || value > high + reach ? Number.NaN : value));
};

/** The lowest or highest value, farther from the others than ten times their range; undefined without one. */
const markIn = (sorted: Float64Array): number | undefined => {
  const low = sorted[0]!;
  const high = sorted.at(-1)!;
  const second = sorted.find(value => value > low) ?? low;
  const secondHighest = sorted.findLast(value => value < high) ?? high;
  const { factor } = plausibleRange;
  if (high > second && second - low > factor * (high - second)) return low;
  return secondHighest > low && high - secondHighest > factor * (secondHighest - low) ? high : undefined;
};

/** Values of covariates on a date; null for those as far beyond the ones that their effect was learned from. */
const plausibleReadings = (
  effects: readonly CovariateEffect[],
  readings: readonly CovariateReading[],
): readonly CovariateReading[] =>
  readings.map(reading => {
    const effect = effects.find(({ sourceId }) => sourceId === reading.sourceId);
    if (!effect || reading.value === null) return reading;
    const { from, to } = effect;
    const reach = plausibleRange.factor * (to - from);
    return reading.value < from - reach || reading.value > to + reach ? { ...reading, value: null } : reading;
  });

/** Models of a source as its covariates move them on one date. */
export type ExplainedDate = {
  /** A model with the effect of the date; the same object for the same model. */
  readonly moved: (model: Model) => Model;
  readonly facts: (model: Model) => ExplainedFacts;
  /** Range of the further effect of covariates without a value; null when all have one. */
  readonly missingRange: (model: Model) => readonly [least: number, largest: number] | null;
};

/**
 * Models by date. Results are kept, because checks keep values for each model object.
 * @param models     all models, in the order of `usual` of the effects
 * @param readingsOn values of the covariates on a date
 */
export const explainedDates = (
  models: readonly Model[],
  effects: readonly CovariateEffect[],
  readingsOn: (date: string) => readonly CovariateReading[],
  { checksCovariateValues }: Pick<EngineRules, 'checksCovariateValues'> = presentRules,
): ((date: string) => ExplainedDate) => {
  const known = new Map<string, ExplainedDate>();
  const usedOn = (date: string): readonly CovariateReading[] =>
    checksCovariateValues ? plausibleReadings(effects, readingsOn(date)) : readingsOn(date);
  return date => {
    const kept = known.get(date) ?? explainedDate(models, effects, usedOn(date));
    known.set(date, kept);
    return kept;
  };
};

const explainedDate = (
  models: readonly Model[],
  effects: readonly CovariateEffect[],
  readings: readonly CovariateReading[],
): ExplainedDate => {
  const kept = new Map<number, Model>();
  const placeOf = ({ id }: Model): number => models.findIndex(model => model.id === id);
  const effectOf = (model: Model): number => effectOn(effects, readings, placeOf(model));
  const moved = (model: Model): Model => {
    const known = kept.get(model.id) ?? movedModel(model, effectOf(model));
    kept.set(model.id, known);
    return known;
  };
  return {
    moved,
    facts: model => explainedFacts(effects, readings, effectOf(model), [model, moved(model)]),
    missingRange: model => missingRange(effects, readings, placeOf(model)),
  };
};

const explainedFacts = (
  effects: readonly CovariateEffect[],
  readings: readonly CovariateReading[],
  effect: number,
  [planned, expected]: readonly [Model, Model],
): ExplainedFacts => {
  const valueOf = ({ sourceId }: CovariateEffect): number | null => valueIn(readings, sourceId);
  const missing = effects.filter(one => valueOf(one) === null).map(({ name }) => name);
  return {
    effect,
    planned: mean(planned.activity),
    expected: mean(expected.activity),
    covariates: effects.flatMap(one => {
      const value = valueOf(one);
      return value === null ? [] : { sourceId: one.sourceId, name: one.name, value };
    }),
    ...(missing.length > 0 && { missing }),
  };
};
