import {
  rowOf,
  squaredDistancesTo,
  squaredDistanceTo,
  weightedRows,
  weightedSum,
  type FlatRows,
  type WeightedRows,
} from '../../math/flatRows.js';
import { projection, type Projection } from './projection.js';

/** Rows to cluster, their projection, and the squared distances of all rows to some of them, by row. */
export type Points = {
  readonly rows: FlatRows;
  readonly projection: Projection;
  readonly distances: Map<number, Float64Array>;
  /** Rows of the mean that is being computed, all of weight 1. */
  readonly members: WeightedRows;
};

/** Rows to cluster with their projection; no distances yet. */
export const pointsOf = (rows: FlatRows): Points => ({
  rows,
  projection: projection(rows),
  distances: new Map<number, Float64Array>(),
  members: { ...weightedRows(rows.count), weights: new Float64Array(rows.count).fill(1) },
});

/** Most rows whose distances are kept. */
const distancesMax = 400;

/** Squared distances of all rows to one of them, kept: starts choose the same rows many times. */
export const distancesTo = ({ rows, distances }: Points, row: number): Float64Array => {
  const known = distances.get(row);
  if (known) return known;
  if (distances.size >= distancesMax) distances.clear();
  const found = squaredDistancesTo(rows, row);
  distances.set(row, found);
  return found;
};

/** Centres in the projection of the rows. Their values are computed when a label depends on them. */
export type Centres = {
  readonly count: number;
  readonly dimensions: number;
  /** Centre after centre. */
  readonly coordinates: Float64Array;
  /** Lower and upper bound of the norm of the remainder of each centre. */
  readonly remaindersMin: Float64Array;
  readonly remaindersMax: Float64Array;
  /** A centre is the mean of the rows with its label. `sizes` are 0 for centres that are not such a mean. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Sums of the coordinates and of the remainders of those rows, exact. */
  readonly sums: Float64Array;
  readonly remainderSums: Float64Array;
  /** Values that were computed, by centre. */
  readonly values: (Float64Array | undefined)[];
};

/** Centres without a place, to be written by `placeOnRows` or `moveCentres`. */
export const unplacedCentres = ({ rows, projection: { dimensions } }: Points, count: number): Centres => ({
  count,
  dimensions,
  coordinates: new Float64Array(count * dimensions),
  remaindersMin: new Float64Array(count),
  remaindersMax: new Float64Array(count),
  labels: new Int32Array(rows.count),
  sizes: new Int32Array(count),
  sums: new Float64Array(count * dimensions),
  remainderSums: new Float64Array(count),
  values: new Array<Float64Array | undefined>(count).fill(undefined),
});

/** Places centres on some rows. */
export const placeOnRows = (points: Points, chosen: readonly number[], centres: Centres): void => {
  const { rows, projection } = points;
  const { dimensions, coordinates, remainders } = projection;
  centres.labels.fill(-1);
  for (const sums of [centres.sizes, centres.sums, centres.remainderSums]) sums.fill(0);
  chosen.forEach((row, centre) => {
    for (let at = 0; at < dimensions; at += 1)
      centres.coordinates[centre * dimensions + at] = coordinates[row * dimensions + at]!;
    centres.remaindersMin[centre] = remainders[row]!;
    centres.remaindersMax[centre] = remainders[row]!;
    centres.values[centre] = rowOf(rows, row);
  });
};

/** The values of a centre: the mean of its rows, summed in their order. Its remainder is known with them. */
export const centreValues = (points: Points, centres: Centres, centre: number): Float64Array => {
  const known = centres.values[centre];
  if (known) return known;
  const values = meanOf(points, centres.labels, centre);
  centres.values[centre] = values;
  boundRemainder(points, centres, centre);
  return values;
};

/** Narrows the bounds of the remainder of a centre by its values: that of a mean is far below the mean of its rows'. */
const boundRemainder = (
  { projection: { origin, slack } }: Points,
  { values, coordinates, dimensions, remaindersMin, remaindersMax }: Centres,
  centre: number,
): void => {
  let squared = squaredDistanceTo(origin, 0, values[centre]!);
  for (let at = centre * dimensions; at < (centre + 1) * dimensions; at += 1)
    squared -= coordinates[at]! * coordinates[at]!;
  remaindersMin[centre] = Math.max(remaindersMin[centre]!, Math.sqrt(Math.max(0, squared - slack)));
  remaindersMax[centre] = Math.min(remaindersMax[centre]!, Math.sqrt(Math.max(0, squared) + slack));
};

const meanOf = ({ rows, members }: Points, labels: Int32Array, label: number): Float64Array => {
  members.count = 0;
  for (let row = 0; row < labels.length; row += 1) {
    members.indices[members.count] = row;
    if (labels[row] === label) members.count += 1;
  }
  const sum = weightedSum(rows, members);
  for (let at = 0; at < sum.length; at += 1) sum[at]! /= members.count;
  return sum;
};

/** Labels of rows after a step of k-means, and what changed. */
export type Step = {
  readonly labels: Int32Array;
  /** Rows whose label changed: the first `changes` values. */
  readonly rows: Int32Array;
  changes: number;
  /** For each centre, whether it won or lost rows, and the remainders of those rows, added. */
  readonly hasChanged: Uint8Array;
  readonly turnover: Float64Array;
};

/**
 * Writes the means of the rows of each label to `means`. A centre keeps its place when its rows did not change, or
 * when it lost all.
 */
export const moveCentres = (points: Points, before: Centres, step: Step, means: Centres): void => {
  copyCentres(before, means);
  for (let at = 0; at < step.changes; at += 1) {
    const row = step.rows[at]!;
    if (means.labels[row]! >= 0) addRow(points, row, means, -1);
    means.labels[row] = step.labels[row]!;
    addRow(points, row, means, 1);
  }
  const { dimensions } = points.projection;
  for (let centre = 0; centre < means.count; centre += 1) {
    const size = means.sizes[centre]!;
    if (size === 0) means.values[centre] = centreValues(points, before, centre);
    if (size === 0 || step.hasChanged[centre] === 0) continue;
    means.values[centre] = undefined;
    const end = (centre + 1) * dimensions;
    for (let at = centre * dimensions; at < end; at += 1) means.coordinates[at] = means.sums[at]! / size;
    means.remaindersMin[centre] = 0;
    means.remaindersMax[centre] = means.remainderSums[centre]! / size;
  }
};

const copyCentres = (from: Centres, to: Centres): void => {
  to.coordinates.set(from.coordinates);
  to.remaindersMin.set(from.remaindersMin);
  to.remaindersMax.set(from.remaindersMax);
  to.labels.set(from.labels);
  to.sizes.set(from.sizes);
  to.sums.set(from.sums);
  to.remainderSums.set(from.remainderSums);
  for (let centre = 0; centre < to.count; centre += 1) to.values[centre] = from.values[centre];
};

/** Adds a row `times` times to the sums of its label, 1 or −1. */
const addRow = ({ projection }: Points, row: number, means: Centres, times: number): void => {
  const { dimensions, coordinates, remainders } = projection;
  const label = means.labels[row]!;
  const from = row * dimensions;
  const to = label * dimensions;
  for (let at = 0; at < dimensions; at += 1) means.sums[to + at]! += times * coordinates[from + at]!;
  means.remainderSums[label]! += times * remainders[row]!;
  means.sizes[label]! += times;
};

/** A point in the projection, without its remainder: its coordinates are those from a place on. */
export type Point = { readonly coordinates: Float64Array; readonly from: number };

/** Squared distance of two centres in the projection, without their remainders. */
export const squaredApart = (a: Centres, one: number, b: Centres, other: number): number =>
  squaredTo(a.coordinates, one * a.dimensions, b, other);

/** Squared distance of the coordinates from a place on to a centre in the projection, without remainders. */
export const squaredTo = (
  coordinates: Float64Array,
  from: number,
  centres: Centres,
  centre: number,
): number => squaredUpTo({ coordinates, from }, centres, centre, Infinity);

/**
 * Squared distance of a point to a centre in the projection, without remainders. When it is above `enough`, it may be
 * the distance in fewer dimensions.
 */
export const squaredUpTo = (
  { coordinates, from }: Point,
  centres: Centres,
  centre: number,
  enough: number,
): number => {
  const { coordinates: others, dimensions } = centres;
  const to = centre * dimensions;
  let squared = 0;
  for (let at = 0; at < dimensions && squared <= enough; at += 4) {
    const a = coordinates[from + at]! - others[to + at]!;
    const b = coordinates[from + at + 1]! - others[to + at + 1]!;
    const c = coordinates[from + at + 2]! - others[to + at + 2]!;
    const d = coordinates[from + at + 3]! - others[to + at + 3]!;
    squared += a * a + b * b + (c * c + d * d);
  }
  return squared;
};

/** Inertia: squared distances of rows to the mean of their cluster, added in the order of the rows. */
export const inertiaOf = (points: Points, means: Centres): number => {
  const values = Array.from(means.sizes, (size, centre) =>
    size > 0 ? centreValues(points, means, centre) : new Float64Array(0),
  );
  let inertia = 0;
  means.labels.forEach((label, row) => {
    inertia += squaredDistanceTo(points.rows, row, values[label]!);
  });
  return inertia;
};

/** Bounds of `inertiaOf`, from the means in the projection. */
export const inertiaBounds = (
  { rows, projection }: Points,
  means: Centres,
): { readonly least: number; readonly most: number } => {
  const { dimensions, coordinates, remainders, slack } = projection;
  let least = 0;
  let most = 0;
  for (let row = 0; row < rows.count; row += 1) {
    const label = means.labels[row]!;
    const squared = squaredTo(coordinates, row * dimensions, means, label);
    const remainder = remainders[row]! + means.remaindersMax[label]!;
    least += Math.max(0, squared - slack);
    most += squared + remainder * remainder + slack;
  }
  return { least: least * (1 - 1e-9), most: most * (1 + 1e-9) };
};
