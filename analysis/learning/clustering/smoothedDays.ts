import type { FlatRows } from '../../math/flatRows.js';
import { neverStops, type CheckStop } from '../../checkStop.js';
import { clusterRows, distinctCount, scaledRows } from './clusterRows.js';
import type { PreparedReference, ScaledProfile } from '../prepare.js';
import { commonProfile, similarMean } from '../profiles.js';
import { hasSameSimilar } from '../similarityWeights.js';

/** Days to learn from: their indices, and for each the weighted mean of similar days. */
export type SmoothedDays = { readonly indices: readonly number[]; readonly rows: readonly ScaledProfile[] };

/** Days of a reference that were smoothed first: 1 for those that were included, and rows by index. */
type FirstSmoothed = {
  readonly factors: Float64Array;
  readonly rows: ReadonlyMap<number, ScaledProfile>;
};

/** Kept for the folds: a day whose similar days are included as at first has the same row. */
const knownSmoothed = new WeakMap<PreparedReference, FirstSmoothed>();

/** The included days of a reference, smoothed by their calendar features: the input of k-means. */
export const smoothedDays = (prepared: PreparedReference, included: readonly boolean[]): SmoothedDays => {
  const { weights, isComplete } = prepared;
  let common: ScaledProfile | undefined;
  const indices = prepared.days.flatMap((_, index) => (included[index] ? index : []));
  const factors = Float64Array.from(included, isIncluded => (isIncluded ? 1 : 0));
  const known = isComplete ? knownSmoothed.get(prepared) : undefined;
  const rows = indices.map(index => {
    const same = known?.rows.get(index);
    if (same && hasSameSimilar(weights[index]!, factors, known!.factors)) return same;
    const row = similarMean(prepared, weights[index]!, factors);
    for (let slice = 0; slice < row.length; slice += 1)
      if (row[slice] !== row[slice]) row[slice] = (common ??= commonProfile(prepared, included))[slice]!;
    return row;
  });
  if (!known) {
    const byIndex = new Map(indices.map((index, at) => [index, rows[at]!]));
    knownSmoothed.set(prepared, { factors, rows: byIndex });
  }
  return { indices, rows };
};

/** Kept for each row: folds share most of their rows. */
const knownRounded = new WeakMap<ScaledProfile, ScaledProfile>();

/** A row without its last digits, in which the means of equal days differ. */
const rounded = (row: ScaledProfile): ScaledProfile => {
  const known = knownRounded.get(row);
  if (known) return known;
  const short = new Float64Array(row.length);
  for (let slice = 0; slice < row.length; slice += 1) short[slice] = Math.round(row[slice]! * 1e9) / 1e9;
  knownRounded.set(row, short);
  return short;
};

/** Rows without their last digits, scaled rows, and their clusters by number of models and seed. */
type ClusterInput = {
  readonly points: readonly ScaledProfile[];
  readonly scaled: FlatRows;
  readonly clusters: Map<string, readonly number[]>;
};

/** Prepared once for all numbers of models. */
const knownInputs = new WeakMap<readonly ScaledProfile[], ClusterInput>();

const inputOf = (rows: readonly ScaledProfile[]): ClusterInput => {
  const known = knownInputs.get(rows);
  if (known) return known;
  const points = rows.map(rounded);
  const input = { points, scaled: scaledRows(points), clusters: new Map<string, readonly number[]>() };
  knownInputs.set(rows, input);
  return input;
};

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
