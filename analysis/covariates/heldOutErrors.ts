import type { CovariateSeries } from '../../domain/source/covariates.js';
import { sortedQuantile } from '../math/statistics.js';
import { dot, robustRidge } from './ridge.js';
import { knownValues, type Candidate, type OrdinarySample } from './sample.js';

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
