import type { CovariateSeries } from '../../domain/source/covariates.js';
import type { CrossFittedDay } from '../learning/crossFitting.js';
import type { Learned } from '../learning/learn.js';
import type { PreparedReference } from '../learning/prepare.js';
import { mean, sortedQuantile, selectedQuantile } from '../math/statistics.js';
import { effectShape, levelOf, plausibleCovariate } from './effectOn.js';

/** The final models of a reference, and its cross-fitted days. */
export type Fit = { readonly learned: Learned; readonly fitted: readonly CrossFittedDay[] };

type FittedReference = Fit & {
  readonly prepared: PreparedReference;
  readonly outliers: ReadonlyMap<number, number>;
};

/** A covariate with a knee that was tried. */
export type Candidate = { readonly series: CovariateSeries; readonly knee: number };
/** Ordinary days, which effects are learned from. */
export type OrdinarySample = FittedReference & {
  /** By place in the sample: place in `fitted`, block, and level of the residuals against the planned model. */
  readonly places: readonly number[];
  readonly blocks: readonly number[];
  readonly levels: Float64Array;
  readonly valuesOf: (series: CovariateSeries) => Float64Array;
  readonly featuresOf: (candidate: Candidate) => readonly Float64Array[];
};

/** The sample of a reference. Values and features are kept, because many fits use them. */
export const sampleOf = (reference: FittedReference): OrdinarySample => {
  const { prepared, fitted, outliers } = reference;
  const places = fitted.flatMap(({ index }, place) =>
    prepared.days[index]!.ordinary && !outliers.has(index) ? place : [],
  );
  const values = new Map<CovariateSeries, Float64Array>();
  const features = new Map<CovariateSeries, Map<number, readonly Float64Array[]>>();
  const valuesOf = (series: CovariateSeries): Float64Array => {
    const known = values.get(series) ?? valuesByDay(series, prepared);
    values.set(series, known);
    return known;
  };
  const sample: OrdinarySample = {
    ...reference,
    places,
    blocks: places.map(place => prepared.days[fitted[place]!.index]!.block),
    levels: Float64Array.from(places, place => dayLevelOf(prepared, fitted[place]!)),
    valuesOf,
    featuresOf: ({ series, knee }) => {
      const known = features.get(series) ?? new Map<number, readonly Float64Array[]>();
      features.set(series, known);
      const own = known.get(knee) ?? featuresAt({ series, knee }, sample);
      known.set(knee, own);
      return own;
    },
  };
  return sample;
};

/** Value of a covariate on each reference day; NaN without one. */
const valuesByDay = (
  { values, archived }: CovariateSeries,
  { days, rules }: PreparedReference,
): Float64Array => {
  const byDate = new Map(values.map(({ date, value }) => [date, value]));
  const known = Float64Array.from(days, ({ date }) =>
    archived ? Number.NaN : (byDate.get(date) ?? Number.NaN),
  );
  return rules.withstandsImplausibleValues ? plausibleCovariate(known, rules) : known;
};

/** Effect that explains the residuals of a day best. */
const dayLevelOf = (
  { days, scale }: PreparedReference,
  { index, learned, model }: CrossFittedDay,
): number => {
  const profile = learned.profiles[model]!;
  const residuals = days[index]!.scaled.map((y, slice) => y - profile[slice]!);
  return levelOf(effectShape(scale, profile), residuals);
};

/** Distance of values below and above a knee, in standard deviations of the covariate. */
const hingeFeatures = (value: number, knee: number, deviation: number): readonly [number, number] => [
  Math.max(0, knee - value) / deviation,
  Math.max(0, value - knee) / deviation,
];

/** Features of each day of the sample, minus their mean over the days planned to follow the same model. */
const featuresAt = ({ series, knee }: Candidate, sample: OrdinarySample): readonly Float64Array[] => {
  const { fitted, places, valuesOf } = sample;
  const values = valuesOf(series);
  const deviation = deviationOf(sample, series);
  const usual = new Map<Learned, readonly Float64Array[]>();
  return places.map(place => {
    const { index, learned, model } = fitted[place]!;
    const value = values[index]!;
    if (value !== value) return new Float64Array(2);
    const means =
      usual.get(learned) ??
      meansByModel(learned, values, other => Float64Array.from(hingeFeatures(other, knee, deviation)));
    usual.set(learned, means);
    const [below, above] = hingeFeatures(value, knee, deviation);
    return Float64Array.of(below - means[model]![0]!, above - means[model]![1]!);
  });
};

/** Mean by model of a function of the values of its days; of all days for a model without values. */
export const meansByModel = (
  { profiles, expected }: Learned,
  values: Float64Array,
  featuresOf: (value: number) => Float64Array,
): readonly Float64Array[] => {
  const meanOf = (isIncluded: (index: number) => boolean): Float64Array | undefined => {
    let sum: Float64Array | undefined;
    let count = 0;
    values.forEach((value, index) => {
      if (value !== value || !isIncluded(index)) return;
      const own = featuresOf(value);
      sum = sum ? sum.map((total, at) => total + own[at]!) : own;
      count += 1;
    });
    return sum?.map(total => total / count);
  };
  const common = meanOf(index => expected[index] !== null) ?? meanOf(() => true)!;
  return profiles.map((_, model) => meanOf(index => expected[index] === model) ?? common);
};

/** Values of a covariate on the days of a sample, ascending. */
export const knownValues = (
  { fitted, places, valuesOf }: OrdinarySample,
  series: CovariateSeries,
): Float64Array => {
  const values = valuesOf(series);
  return Float64Array.from(
    places.map(place => values[fitted[place]!.index]!).filter(value => value === value),
  ).sort();
};

/** Standard deviation of those values. */
export const deviationOf = (sample: OrdinarySample, series: CovariateSeries): number => {
  const values = knownValues(sample, series);
  const middle = mean(values);
  return Math.sqrt(mean(values.map(value => (value - middle) * (value - middle))));
};

/** Rows of features with the value that they explain. */
type Samples = { readonly features: readonly Float64Array[]; readonly values: Float64Array };

/** Penalty on squared coefficients, as a share of the number of samples. Features are in standard deviations. */
const penaltyShare = 0.01;

/** Residuals beyond this many robust standard deviations lose weight (Huber 1964). */
const huberDeviations = 1.5;
const rounds = 5;

/**
 * Robust ridge regression: coefficients of the features. The intercept is not penalised and not returned. Huber's
 * weights by iterated least squares limit the effect of single days.
 * @returns one coefficient for each feature; all 0 without samples
 */
export const robustRidge = ({ features, values }: Samples): Float64Array => {
  const count = features[0]?.length ?? 0;
  let solution: Float64Array = new Float64Array(count + 1);
  const weights = new Float64Array(values.length).fill(1);
  if (values.length === 0) return solution.slice(0, count);
  for (let round = 0; round < rounds; round += 1) {
    solution = weightedRidge({ features, values }, weights);
    const residuals = values.map((value, at) => value - predicted(solution, features[at]!));
    const spread = 1.4826 * selectedQuantile(residuals.map(Math.abs), 0.5);
    if (spread === 0) break;
    residuals.forEach((residual, at) => {
      weights[at] = Math.min(1, (huberDeviations * spread) / Math.max(Math.abs(residual), 1e-300));
    });
  }
  return solution.slice(0, count);
};

const predicted = (solution: Float64Array, features: Float64Array): number =>
  dot(solution, features) + solution[features.length]!;

/** Sum of coefficients times features. */
const dot = (coefficients: Float64Array, features: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < features.length; at += 1) sum += coefficients[at]! * features[at]!;
  return sum;
};

/** Solves the normal equations of weighted ridge regression; the intercept is the last coefficient. */
const weightedRidge = ({ features, values }: Samples, weights: Float64Array): Float64Array => {
  const size = (features[0]?.length ?? 0) + 1;
  const rows = Array.from({ length: size }, () => new Float64Array(size + 1));
  features.forEach((own, at) => {
    const weight = weights[at]!;
    const entry = (column: number): number => (column < size - 1 ? own[column]! : 1);
    for (let row = 0; row < size; row += 1) {
      const scaled = weight * entry(row);
      for (let column = 0; column < size; column += 1) rows[row]![column]! += scaled * entry(column);
      rows[row]![size]! += scaled * values[at]!;
    }
  });
  for (let row = 0; row < size - 1; row += 1) rows[row]![row]! += penaltyShare * values.length;
  return solved(rows);
};

/** Gaussian elimination with pivots on the diagonal, which are positive for a penalised matrix. */
const solved = (rows: readonly Float64Array[]): Float64Array => {
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot += 1) {
    const own = rows[pivot]!;
    if (!(own[pivot]! > 0)) continue;
    for (let row = pivot + 1; row < size; row += 1) {
      const factor = rows[row]![pivot]! / own[pivot]!;
      for (let column = pivot; column <= size; column += 1) rows[row]![column]! -= factor * own[column]!;
    }
  }
  const solution = new Float64Array(size);
  for (let row = size - 1; row >= 0; row -= 1) {
    const own = rows[row]!;
    let sum = own[size]!;
    for (let column = row + 1; column < size; column += 1) sum -= own[column]! * solution[column]!;
    solution[row] = own[row]! > 0 ? sum / own[row]! : 0;
  }
  return solution;
};

/** Quantiles of the values at which a knee is tried. */
const kneeQuantiles = [0.1, 0.25, 0.5, 0.75, 0.9];

/** A candidate with its held-out errors. */
export type Tried = Candidate & { readonly errors: Float64Array };

/** Coefficients of candidates, two each, learned from the days that are not in a block; undefined for all days. */
export const coefficientsOf = (
  sample: OrdinarySample,
  candidates: readonly Candidate[],
  without?: number,
): Float64Array => {
  const { blocks, levels } = sample;
  const features = joined(sample, candidates);
  const kept = blocks.flatMap((block, at) => (block === without ? [] : at));
  return robustRidge({
    features: kept.map(at => features[at]!),
    values: Float64Array.from(kept, at => levels[at]!),
  });
};

const joined = ({ places, featuresOf }: OrdinarySample, candidates: readonly Candidate[]): Float64Array[] => {
  const each = candidates.map(featuresOf);
  return places.map((_, at) => Float64Array.from(each.flatMap(features => [...features[at]!])));
};

/** Absolute error of the level of each day of the sample while its block is held out. */
export const errorsOf = (sample: OrdinarySample, candidates: readonly Candidate[]): Float64Array => {
  const { blocks, levels, prepared } = sample;
  if (candidates.length === 0) return levels.map(Math.abs);
  const features = joined(sample, candidates);
  const coefficients = new Map(
    [...new Set(blocks)].map(block => {
      prepared.checkStop();
      return [block, coefficientsOf(sample, candidates, block)];
    }),
  );
  return levels.map((level, at) => Math.abs(level - dot(coefficients.get(blocks[at]!)!, features[at]!)));
};

/** The covariate and knee with the least held-out error together with those that are chosen. */
export const bestOf = (
  series: readonly CovariateSeries[],
  sample: OrdinarySample,
  chosen: readonly Candidate[],
): Tried => {
  const tried = series.flatMap(one => {
    const sorted = knownValues(sample, one);
    const knees = new Set(kneeQuantiles.map(quantile => sortedQuantile(sorted, quantile)));
    return [...knees].map(knee => {
      const candidate = { series: one, knee };
      return { ...candidate, errors: errorsOf(sample, [...chosen, candidate]) };
    });
  });
  return tried.reduce((best, one) => (sumOf(one.errors) < sumOf(best.errors) ? one : best));
};

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Fall of the errors as a share, and share of the blocks in which they fall. */
export type Gain = { readonly reduction: number; readonly blocks: number };

/** Share by which errors fall, 0 where there were none, and share of the blocks in which they do. */
export const gainOf = (before: Float64Array, after: Float64Array, { blocks }: OrdinarySample): Gain => {
  const gains = new Map<number, number>();
  blocks.forEach((block, at) => gains.set(block, (gains.get(block) ?? 0) + before[at]! - after[at]!));
  const better = [...gains.values()].filter(gain => gain > 0).length;
  const total = sumOf(before);
  return { reduction: total > 0 ? 1 - sumOf(after) / total : 0, blocks: better / gains.size };
};
