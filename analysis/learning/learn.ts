import { clusterRows, distinctCount, scaledRows } from './clusterRows.js';
import { kinMean, scaledDistance, type Prepared, type ScaledCurve } from './prepare.js';
import { eachKin, type KinRow } from './similarityWeights.js';
import { sortedQuantile } from '../math/statistics.js';
import { neverStops, type CheckStop } from '../checkStop.js';

/** Typical days on the tolerance scale, and which of them the calendar expects. */
export type Learned = {
  readonly curves: readonly ScaledCurve[];
  /** Of each reference day that was learned from the model it is nearest to; null for the others. */
  readonly nearest: readonly (number | null)[];
  /** Of each reference day that was learned from the model that its date's kin make expected; null for the others. */
  readonly expected: readonly (number | null)[];
  /** The model that a date is planned to follow, by the weight of its kin. */
  readonly plan: (row: KinRow) => number;
};

/** Times that models are made the median of the days that are planned to follow them. */
const rounds = 3;

/** Days to learn from, by their indices, each as its kin make it expected. */
export type Smoothed = { readonly indices: readonly number[]; readonly rows: number[][] };

/** The days of a reference, smoothed by the calendar: what k-means is given. */
export const smoothedDays = (prepared: Prepared, included: readonly boolean[]): Smoothed => {
  const common = commonCurve(prepared, included);
  const indices = prepared.days.flatMap((_, index) => (included[index] ? index : []));
  const weight = (index: number): number => (included[index] ? 1 : 0);
  const rows = indices.map(index =>
    Array.from(kinMean(prepared, prepared.rows[index]!, weight), (value, slice) =>
      value === value ? value : common[slice]!,
    ),
  );
  return { indices, rows };
};

/** Without the last digits, in which the means of equal days differ. */
const rounded = (value: number): number => Math.round(value * 1e9) / 1e9;

/** Clusters of smoothed days, at most as many as there are different ones. */
export const clustersOf = (
  { rows }: Smoothed,
  modelCount: number,
  seed: number,
  checkStop: CheckStop = neverStops,
): number[] => {
  const points = rows.map(row => row.map(rounded));
  return clusterRows(scaledRows(points), Math.min(modelCount, distinctCount(points)), seed, checkStop);
};

/**
 * Learns typical days that the calendar can foretell. Clusters are of days as their kin make them expected, so that
 * a storm does not found a model; the curve of a model is then the median, slice by slice, of the days that are
 * planned to follow it, found again three times as the planning moves with the curves.
 * @param smoothed the days to learn from
 * @param clusters of those days, in their order: clustersOf
 */
export const learn = (
  { days, slices }: Prepared,
  { indices, rows: smoothed }: Smoothed,
  clusters: readonly number[],
): Learned => {
  const count = clusters.reduce((most, label) => Math.max(most, label), 0) + 1;
  const smooth = smoothed.map(row => Float64Array.from(row));
  let curves = Array.from({ length: count }, (_, model) =>
    medianCurve(
      smooth.filter((_, at) => clusters[at] === model),
      smooth[0] ?? new Float64Array(slices),
    ),
  );
  let labels: readonly number[] = clusters;
  for (let round = 0; round <= rounds; round += 1) {
    // The kin's mean squared distance to a curve is least where their mean is nearest: one comparison does for all.
    labels = withoutEmpty(smooth, curves);
    if (round === rounds) break;
    curves = curves.map((old, model) =>
      medianCurve(
        indices.filter((_, at) => labels[at] === model).map(index => days[index]!.scaled),
        old,
      ),
    );
  }
  const expected: (number | null)[] = days.map(() => null);
  indices.forEach((index, at) => (expected[index] = labels[at]!));
  const nearest: (number | null)[] = days.map(() => null);
  for (const index of indices) nearest[index] = nearestCurve(days[index]!.scaled, curves);
  return { curves, nearest, expected, plan: row => planned(row, expected, count) };
};

/**
 * The model that each day is nearest to; a model that would lose all its days keeps the one that it is nearest to, so
 * that as many are planned as were asked for.
 */
const withoutEmpty = (rows: readonly ScaledCurve[], curves: readonly ScaledCurve[]): number[] => {
  const labels = rows.map(row => nearestCurve(row, curves));
  const counts = curves.map((_, model) => labels.filter(label => label === model).length);
  curves.forEach((curve, model) => {
    if (counts[model]! > 0) return;
    let own = -1;
    let least = Number.POSITIVE_INFINITY;
    rows.forEach((row, at) => {
      const distance = counts[labels[at]!]! > 1 ? scaledDistance(row, curve) : Number.POSITIVE_INFINITY;
      if (distance < least) [own, least] = [at, distance];
    });
    if (own < 0) return;
    counts[labels[own]!]! -= 1;
    counts[model] = 1;
    labels[own] = model;
  });
  return labels;
};

/** The model with the largest weight of kin that are expected to follow it, ties to the smaller index. */
const planned = (row: KinRow, expected: readonly (number | null)[], count: number): number => {
  const weights = new Float64Array(count);
  eachKin(
    row,
    index => (expected[index] === null ? 0 : 1),
    (index, weight) => (weights[expected[index]!]! += weight),
  );
  return weights.reduce((best, weight, model) => (weight > weights[best]! ? model : best), 0);
};

/** The curve that a day is nearest to, ties to the smaller index. */
export const nearestCurve = (day: ScaledCurve, curves: readonly ScaledCurve[]): number => {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  curves.forEach((curve, model) => {
    const distance = scaledDistance(day, curve);
    if (distance < least) [best, least] = [model, distance];
  });
  return best;
};

/** The median of some days, slice by slice; where none observed one, the value of `otherwise`. */
const medianCurve = (of: readonly ScaledCurve[], otherwise: ScaledCurve): ScaledCurve =>
  otherwise.map((value, slice) => {
    const values = of.map(day => day[slice]!).filter(there => there === there);
    return values.length > 0 ? sortedQuantile(Float64Array.from(values).sort(), 0.5) : value;
  });

/** The median of all days; a slice that none observed takes the value of the nearest that some did. */
const commonCurve = ({ days, slices }: Prepared, included: readonly boolean[]): ScaledCurve => {
  const known = medianCurve(
    days.filter((_, index) => included[index]).map(day => day.scaled),
    new Float64Array(slices).fill(Number.NaN),
  );
  return known.map((value, slice) => {
    if (value === value) return value;
    for (let apart = 1; apart < slices; apart += 1)
      for (const near of [known[slice - apart], known[slice + apart]])
        if (near !== undefined && near === near) return near;
    return 0;
  });
};
