import type { CovariateSeries } from '../../domain/source/covariates.js';
import { sortedQuantile, selectedQuantile } from '../math/statistics.js';
import { knownValues, type Candidate, type OrdinarySample } from './sample.js';

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
