import { squaredDistanceTo, weightedSum, type FlatRows } from '../../math/flatRows.js';
import type { Projection } from './projection.js';

/** Rows to cluster, and their projection. */
export type Points = { readonly rows: FlatRows; readonly projection: Projection };

/** Centres in the projection of the rows. Their values are computed when a label depends on them. */
export type Centres = {
  readonly count: number;
  /** Centre after centre. */
  readonly coordinates: Float64Array;
  /** Norm of the remainder of each centre, at least and at most. */
  readonly remaindersMin: Float64Array;
  readonly remaindersMax: Float64Array;
  /** A centre is the mean of the rows with its label. `sizes` are 0 for centres that are no such mean. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Values that were computed, by centre. */
  readonly values: (Float64Array | undefined)[];
};

/** Rows as centres. */
export const rowsAsCentres = ({ rows, projection }: Points, chosen: readonly number[]): Centres => {
  const { dimensions, coordinates, remainders } = projection;
  const chosenRemainders = Float64Array.from(chosen, row => remainders[row]!);
  return {
    count: chosen.length,
    coordinates: Float64Array.from({ length: chosen.length * dimensions }, (_, at) => {
      const centre = Math.floor(at / dimensions);
      return coordinates[chosen[centre]! * dimensions + at - centre * dimensions]!;
    }),
    remaindersMin: chosenRemainders,
    remaindersMax: chosenRemainders,
    labels: new Int32Array(0),
    sizes: new Int32Array(chosen.length),
    values: chosen.map(row => rows.values.slice(row * rows.width, (row + 1) * rows.width)),
  };
};

/** The values of a centre: the mean of its rows, summed in their order. */
export const centreValues = ({ rows }: Points, { labels, values }: Centres, centre: number): Float64Array =>
  (values[centre] ??= meanOf(rows, labels, centre));

const meanOf = (rows: FlatRows, labels: Int32Array, label: number): Float64Array => {
  const indices: number[] = [];
  for (let row = 0; row < labels.length; row += 1) if (labels[row] === label) indices.push(row);
  const sum = weightedSum(rows, indices, new Float64Array(indices.length).fill(1));
  for (let at = 0; at < sum.length; at += 1) sum[at]! /= indices.length;
  return sum;
};

/** Labels of rows after a step, and for each centre the remainders of the rows that it won and lost, added. */
export type Step = {
  readonly labels: Int32Array;
  readonly hasChanged: Uint8Array;
  readonly turnover: Float64Array;
};

/** The means of the rows of each label. A centre keeps its place when its rows did not change, or when it lost all. */
export const movedCentres = (points: Points, before: Centres, { labels, hasChanged }: Step): Centres => {
  const { dimensions, coordinates, remainders } = points.projection;
  const sizes = new Int32Array(before.count);
  for (let row = 0; row < labels.length; row += 1) sizes[labels[row]!]! += 1;
  const moved = {
    count: before.count,
    coordinates: before.coordinates.slice(),
    remaindersMin: before.remaindersMin.slice(),
    remaindersMax: before.remaindersMax.slice(),
    labels: labels.slice(),
    sizes,
    values: before.values.slice(),
  };
  const isMoved = Uint8Array.from(hasChanged, (changed, centre) =>
    changed === 1 && sizes[centre]! > 0 ? 1 : 0,
  );
  for (let centre = 0; centre < before.count; centre += 1) {
    if (sizes[centre] === 0) moved.values[centre] = centreValues(points, before, centre);
    if (isMoved[centre] === 0) continue;
    moved.values[centre] = undefined;
    moved.coordinates.fill(0, centre * dimensions, (centre + 1) * dimensions);
    moved.remaindersMin[centre] = 0;
    moved.remaindersMax[centre] = 0;
  }
  for (let row = 0; row < labels.length; row += 1) {
    const label = labels[row]!;
    if (isMoved[label] === 0) continue;
    const [from, to] = [row * dimensions, label * dimensions];
    for (let at = 0; at < dimensions; at += 1) moved.coordinates[to + at]! += coordinates[from + at]!;
    moved.remaindersMax[label]! += remainders[row]!;
  }
  for (let centre = 0; centre < before.count; centre += 1) {
    if (isMoved[centre] === 0) continue;
    for (let at = 0; at < dimensions; at += 1) moved.coordinates[centre * dimensions + at]! /= sizes[centre]!;
    moved.remaindersMax[centre]! /= sizes[centre]!;
  }
  return moved;
};

/** Squared distance of two centres in the projection, without their remainders. */
export const squaredApart = (a: Centres, one: number, b: Centres, other: number): number => {
  const dimensions = a.coordinates.length / a.count;
  let squared = 0;
  for (let at = 0; at < dimensions; at += 1) {
    const difference = a.coordinates[one * dimensions + at]! - b.coordinates[other * dimensions + at]!;
    squared += difference * difference;
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

/** Lower bound of `inertiaOf`, from the means in the projection. */
export const inertiaAtLeast = ({ rows, projection }: Points, { labels, coordinates }: Centres): number => {
  const { dimensions, slack } = projection;
  let inertia = 0;
  for (let row = 0; row < rows.count; row += 1) {
    const [from, to] = [row * dimensions, labels[row]! * dimensions];
    let squared = 0;
    for (let at = 0; at < dimensions; at += 1) {
      const difference = projection.coordinates[from + at]! - coordinates[to + at]!;
      squared += difference * difference;
    }
    inertia += Math.max(0, squared - slack);
  }
  return inertia * (1 - 1e-9);
};
