import type { FlatRows } from '../../math/flatRows.js';
import { oncePer } from '../../math/oncePer.js';
import { neverStops, type CheckStop } from '../../checkStop.js';
import { clusterRows, distinctCount, scaledRows } from './clusterRows.js';
import type { PreparedReference, ScaledProfile } from '../prepare.js';
import { commonProfile, similarMean } from '../profiles.js';
import { hasSameSimilar } from '../similarityWeights.js';

/** Days to learn from: their indices, and for each the weighted mean of similar days. */
export type SmoothedDays = { readonly indices: readonly number[]; readonly rows: readonly ScaledProfile[] };

/** Days of a reference that were smoothed first: 1 for those that were included, and rows by index. */
type FirstSmoothed = {
  factors?: Float64Array;
  readonly rows: Map<number, ScaledProfile>;
};

/** One for all folds: a day whose similar days are included as at first has the same row. */
const firstSmoothed = oncePer((_: PreparedReference): FirstSmoothed => ({ rows: new Map() }));

/** The included days of a reference, smoothed by their calendar features: the input of k-means. */
export const smoothedDays = (prepared: PreparedReference, included: readonly boolean[]): SmoothedDays => {
  const { weights, isComplete } = prepared;
  let common: ScaledProfile | undefined;
  const indices = prepared.days.flatMap((_, index) => (included[index] ? index : []));
  const factors = Float64Array.from(included, isIncluded => (isIncluded ? 1 : 0));
  const first = firstSmoothed(prepared);
  const before = isComplete ? first.factors : undefined;
  const rows = indices.map(index => {
    const same = before && first.rows.get(index);
    if (same && hasSameSimilar(weights[index]!, factors, before)) return same;
    const row = similarMean(prepared, weights[index]!, factors);
    for (let slice = 0; slice < row.length; slice += 1)
      if (row[slice] !== row[slice]) row[slice] = (common ??= commonProfile(prepared, included))[slice]!;
    return row;
  });
  if (!first.factors) {
    first.factors = factors;
    indices.forEach((index, at) => first.rows.set(index, rows[at]!));
  }
  return { indices, rows };
};

/** A row without its last digits, in which the means of equal days differ. Folds share most of their rows. */
const rounded = oncePer((row: ScaledProfile): ScaledProfile =>
  row.map(value => Math.round(value * 1e9) / 1e9),
);

/** Rows without their last digits, scaled rows, and their clusters by number of models and seed. */
type ClusterInput = {
  readonly points: readonly ScaledProfile[];
  readonly scaled: FlatRows;
  readonly clusters: Map<string, readonly number[]>;
};

/** Prepared once for all numbers of models. */
const inputOf = oncePer((rows: readonly ScaledProfile[]): ClusterInput => {
  const points = rows.map(rounded);
  return { points, scaled: scaledRows(points), clusters: new Map() };
});

/** Clusters of smoothed days: the cluster of each row. There are at most as many clusters as distinct rows. */
export const clustersOf = (
  { rows }: SmoothedDays,
  modelCount: number,
  seed: number,
  checkStop: CheckStop = neverStops,
): readonly number[] => {
  const { points, scaled, clusters } = inputOf(rows);
  const key = `${modelCount} ${seed}`;
  const found =
    clusters.get(key) ??
    clusterRows(scaled, Math.min(modelCount, distinctCount(points, modelCount)), seed, checkStop);
  clusters.set(key, found);
  return found;
};
