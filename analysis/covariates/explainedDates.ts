import type { CovariateEffect, CovariateReading, ExplainedFacts } from '../../domain/source/covariates.js';
import type { Model } from '../../domain/planning/models.js';
import { mean } from '../math/statistics.js';
import { presentRules, type EngineRules } from '../engine.js';
import { effectOn, missingRange, valueIn, movedModel, plausibleReadings } from './effectOn.js';

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
