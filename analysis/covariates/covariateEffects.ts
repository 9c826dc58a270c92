import { percent } from '../../domain/text.js';
import type { CovariateEffect, CovariateSeries, ExplainedBy } from '../../domain/source/covariates.js';
import type { EngineRules } from '../engine.js';
import type { CrossFittedDay } from '../learning/crossFitting.js';
import type { Learned } from '../learning/learn.js';
import type { PreparedReference } from '../learning/prepare.js';
import { hingeAt, hingeEnds, type Hinge } from './effectOn.js';
import {
  bestOf,
  coefficientsOf,
  errorsOf,
  gainOf,
  type Gain,
  type Tried,
  deviationOf,
  knownValues,
  meansByModel,
  sampleOf,
  type Candidate,
  type Fit,
  type OrdinarySample,
} from './heldOutErrors.js';

/** Fewest ordinary reference days with a value, and their smallest share. */
const daysMin = 60;
const daysShareMin = 0.5;

/** A covariate is used when it lowers the held-out error by this share, in this share of the blocks. */
const errorReductionMin = 0.02;
const blocksShareMin = 0.6;

/** A fit whose models know the effects of covariates. `usual` of the effects is in the order of the learned models. */
export type ExplainedFit = Fit & {
  readonly effects: readonly CovariateEffect[];
  readonly explainedBy: readonly ExplainedBy[];
};

/**
 * Learns how covariates move the level of a day, as two straight lines that meet at a knee. The mean effect on the days
 * planned to follow a model is subtracted, because the model contains it. A covariate is used when it lowers the
 * error of the level of days whose block was held out; the best one goes first, then the best of the others.
 * @param outliers indices of outliers; they are not learned from
 * @returns        `explainedBy` in the order of the series
 */
export const learnEffects = (
  prepared: PreparedReference,
  outliers: ReadonlyMap<number, number>,
  fit: Fit,
  series: readonly CovariateSeries[],
): ExplainedFit => {
  const sample = sampleOf({ prepared, outliers, ...fit });
  const refused = new Map<CovariateSeries, Refusal>();
  const open = series.filter(one => {
    const refusal = unusable(one, sample);
    if (refusal) refused.set(one, refusal);
    return !refusal;
  });
  const chosen: Chosen[] = [];
  for (let present = errorsOf(sample, []); open.length > 0;) {
    const best = bestOf(open, sample, chosen);
    const gain = gainOf(present, best.errors, sample);
    if (gain.reduction < errorReductionMin || gain.blocks < blocksShareMin) break;
    chosen.push({ ...best, errorReduction: gain.reduction });
    open.splice(open.indexOf(best.series), 1);
    present = best.errors;
  }
  const present = errorsOf(sample, chosen);
  for (const one of open) {
    const gain = gainOf(present, bestOf([one], sample, chosen).errors, sample);
    refused.set(one, { errorReduction: rounded(gain.reduction), reason: noHelp(gain) });
  }
  return resultOf(sample, series, chosen, refused);
};

type Refusal = Pick<ExplainedBy, 'errorReduction' | 'reason'>;

type Chosen = Tried & { readonly errorReduction: number };

const unusable = (series: CovariateSeries, sample: OrdinarySample): Refusal | undefined => {
  const { places, fitted, valuesOf, prepared } = sample;
  if (series.archived) return { errorReduction: null, reason: 'it is archived' };
  const values = valuesOf(series);
  const known = places.map(place => values[fitted[place]!.index]!).filter(value => value === value);
  const wanted = Math.max(daysMin, Math.ceil(daysShareMin * places.length));
  if (known.length < wanted)
    return {
      errorReduction: null,
      reason: `it has a value on ${known.length} of ${places.length} ordinary reference days, expected at least ${wanted}`,
    };
  // The squares of differences may be too small for a number.
  const varies = prepared.rules.withstandsImplausibleValues
    ? deviationOf(sample, series) > 0
    : new Set(known).size > 1;
  return varies ? undefined : { errorReduction: null, reason: 'it has the same value on all reference days' };
};

const tenths = (share: number): string => percent(share, 1);

// Events contain these texts: a change of them needs a new engine version.
const noHelp = ({ reduction, blocks }: Gain): string =>
  reduction < errorReductionMin
    ? `the error on held-out days ${reduction < 0 ? `grows by ${tenths(-reduction)}` : `falls by ${tenths(reduction)}`}, expected a fall of at least ${tenths(errorReductionMin)}`
    : `the error falls in ${tenths(blocks)} of the held-out blocks, expected at least ${tenths(blocksShareMin)}`;

/** Six significant digits of a learned number; further ones are noise. */
const rounded = (value: number): number => Number(value.toPrecision(6));

const resultOf = (
  sample: OrdinarySample,
  series: readonly CovariateSeries[],
  chosen: readonly Chosen[],
  refused: ReadonlyMap<CovariateSeries, Refusal>,
): ExplainedFit => {
  const { learned, fitted } = sample;
  const effects = effectsOf(sample, chosen, learned);
  return {
    effects: effects.map((effect, at) => ({ ...effect, spread: spreadOf(sample, chosen[at]!, effect) })),
    explainedBy: series.map(one => explainedByOf(one, chosen, effects, refused)),
    learned: withEffect(sample, chosen, learned, effects),
    fitted: chosen.length === 0 ? fitted : crossFitted(sample, chosen),
  };
};

const explainedByOf = (
  series: CovariateSeries,
  chosen: readonly Chosen[],
  effects: readonly CovariateEffect[],
  refused: ReadonlyMap<CovariateSeries, Refusal>,
): ExplainedBy => {
  const { sourceId, name } = series;
  const at = chosen.findIndex(one => one.series === series);
  const effect = effects[at];
  if (!effect) return { sourceId, name, used: false, ...refused.get(series)! };
  const { knee, below, above, from, to } = effect;
  const { errorReduction } = chosen[at]!;
  return {
    sourceId,
    name,
    used: true,
    errorReduction: rounded(errorReduction),
    reason: `the error on held-out days falls by ${tenths(errorReduction)}`,
    effect: { knee, below, above, from, to },
  };
};

/** Cross-fitted days whose models know the effects that were learned without their block. */
const crossFitted = (sample: OrdinarySample, chosen: readonly Candidate[]): readonly CrossFittedDay[] => {
  const { fitted, prepared } = sample;
  const folds = new Map<Learned, Learned>();
  return fitted.map(day => {
    const { block } = prepared.days[day.index]!;
    const learned =
      folds.get(day.learned) ??
      withEffect(sample, chosen, day.learned, effectsOf(sample, chosen, day.learned, block));
    folds.set(day.learned, learned);
    return { ...day, learned };
  });
};

/** Effects of the chosen covariates on days of some models, learned from the days outside a block. */
const effectsOf = (
  sample: OrdinarySample,
  chosen: readonly Candidate[],
  learned: Learned,
  without?: number,
): CovariateEffect[] => {
  const coefficients = coefficientsOf(sample, chosen, without);
  return chosen.map(({ series, knee }, at): CovariateEffect => {
    const sorted = knownValues(sample, series);
    const deviation = deviationOf(sample, series);
    const hinge: Hinge = {
      knee: rounded(knee),
      below: rounded(coefficients[2 * at]! / deviation),
      above: rounded(coefficients[2 * at + 1]! / deviation),
      from: sorted[0]!,
      to: sorted.at(-1)!,
    };
    const means = meansByModel(learned, sample.valuesOf(series), value =>
      Float64Array.of(hingeAt(hinge, value)),
    );
    const usual = means.map(mean => rounded(mean[0]!));
    return { sourceId: series.sourceId, name: series.name, ...hinge, usual };
  });
};

/** By model: least and largest effect on its planned days minus the usual one; of all values for one without values. */
const spreadOf = (
  { learned: { profiles, expected }, valuesOf }: OrdinarySample,
  { series }: Candidate,
  effect: CovariateEffect,
): NonNullable<CovariateEffect['spread']> => {
  const values = valuesOf(series);
  return profiles.map((_, model) => {
    const own = [...values].flatMap((value, index) =>
      value === value && expected[index] === model ? hingeAt(effect, value) : [],
    );
    const [least, largest] = own.length > 0 ? [Math.min(...own), Math.max(...own)] : hingeEnds(effect);
    const usual = effect.usual[model]!;
    return [rounded(least - usual), rounded(largest - usual)];
  });
};

/** Models with the effects of covariates on reference days. */
const withEffect = (
  { valuesOf }: OrdinarySample,
  chosen: readonly Candidate[],
  learned: Learned,
  effects: readonly CovariateEffect[],
): Learned => {
  if (effects.length === 0) return learned;
  const values = chosen.map(({ series }) => valuesOf(series));
  return {
    ...learned,
    effect: (day, model) =>
      effects.reduce((sum, effect, at) => {
        const value = values[at]![day]!;
        return value === value ? sum + hingeAt(effect, value) - effect.usual[model]! : sum;
      }, 0),
  };
};

/**
 * Effects with the models in another order: `order` has the index of each.
 * @param rules of the engine that learns; older ones do not record `spread`
 */
export const effectsInOrder = (
  effects: readonly CovariateEffect[],
  order: readonly number[],
  { doubtsMissingCovariates }: Pick<EngineRules, 'doubtsMissingCovariates'>,
): CovariateEffect[] =>
  effects.map(({ usual, spread, ...effect }) => ({
    ...effect,
    usual: order.map(model => usual[model]!),
    ...(doubtsMissingCovariates && spread && { spread: order.map(model => spread[model]!) }),
  }));
