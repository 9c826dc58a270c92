import { neverStops, type CheckStop } from '../../checkStop.js';
import { clusterRows, distinctCount, scaledRows } from './clusterRows.js';
import type { PreparedReference, ScaledProfile } from '../prepare.js';
import { commonProfile, similarMean } from '../profiles.js';

/** Days to learn from: their indices, and for each the weighted mean of similar days. */
export type SmoothedDays = { readonly indices: readonly number[]; readonly rows: readonly ScaledProfile[] };

/** The included days of a reference, smoothed by their calendar features: the input of k-means. */
export const smoothedDays = (prepared: PreparedReference, included: readonly boolean[]): SmoothedDays => {
  const common = commonProfile(prepared, included);
  const indices = prepared.days.flatMap((_, index) => (included[index] ? index : []));
  const factors = Float64Array.from(included, isIncluded => (isIncluded ? 1 : 0));
  const rows = indices.map(index => {
    const row = similarMean(prepared, prepared.weights[index]!, factors);
    for (let slice = 0; slice < row.length; slice += 1)
      if (row[slice] !== row[slice]) row[slice] = common[slice]!;
    return row;
  });
  return { indices, rows };
};

/** A row without its last digits, in which the means of equal days differ. */
const rounded = (row: ScaledProfile): ScaledProfile => {
  const short = new Float64Array(row.length);
  for (let slice = 0; slice < row.length; slice += 1) short[slice] = Math.round(row[slice]! * 1e9) / 1e9;
  return short;
};

/** Rows without their last digits, scaled rows, and their clusters by number of models and seed. */
type ClusterInput = {
  readonly points: readonly ScaledProfile[];
  readonly scaled: number[][];
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
