import { weightedSum, type FlatRows } from '../../math/flatRows.js';

/**
 * Rows in few dimensions: their coordinates in an orthonormal basis, and the norms of the remainders, which are
 * orthogonal to it. Both bound the distances of rows, so that most distances of many values need not be computed.
 */
export type Projection = {
  /** A multiple of four: coordinates in excess of the basis are 0. */
  readonly dimensions: number;
  /** Row after row. Sums of coordinates or of remainders are exact (onGrid). */
  readonly coordinates: Float64Array;
  readonly remainders: Float64Array;
  /** The mean of the rows, whose coordinates are 0, as the only row. */
  readonly origin: FlatRows;
  /** Largest error of a squared distance that is computed from coordinates and remainders. */
  readonly slack: number;
};

/** Most dimensions: with more, distances in the basis take longer than the distances that they save. */
const dimensionsMax = 16;

/** Rows of at most so many values may have as many dimensions: no distance of them is left open then. */
const narrowMax = 32;

/** A basis is large enough when no remainder exceeds this share of the largest norm. */
const remainderShare = 0.01;

/** Slack as a share of the largest squared norm, far above the rounding of sums and of the grid. */
const slackShare = 1e-9;

/** Steps of the grid up to the largest norm, as a power of two. Sums of 2¹⁶ values need 16 of 53 bits more. */
const gridBits = 36;

/**
 * Projects rows on a basis from Gram–Schmidt with pivots: each axis is the remainder of the row that is farthest from
 * the basis so far. Smooth day profiles need few axes.
 */
export const projection = (rows: FlatRows): Projection => {
  const { count, width } = rows;
  const origin = meanOf(rows);
  const rest = rows.values.slice();
  for (let from = 0; from < rest.length; from += width)
    for (let at = 0; at < width; at += 1) rest[from + at]! -= origin[at]!;
  const norms = normsOf(rest, rows);
  const largest = norms.reduce((most, norm) => Math.max(most, norm), 0);
  // Squared norms of what the basis leaves of each row. Their rounding only influences the choice of the axes.
  const squares = norms.map(norm => norm * norm);
  const axes: Float64Array[] = [];
  const places: Float64Array[] = [];
  while (axes.length < (width <= narrowMax ? width : dimensionsMax)) {
    const farthest = squares.reduce((best, square, row) => (square > squares[best]! ? row : best), 0);
    if (!(squares[farthest]! > (remainderShare * largest) ** 2)) break;
    const axis = rest.slice(farthest * width, (farthest + 1) * width);
    // Twice is enough (Kahan, in Parlett 1980): rounding leaves some of the axes before in a small remainder.
    for (const other of axes) removeAxis(axis, 0, other);
    const norm = normAt(axis, 0, width);
    for (let at = 0; at < width; at += 1) axis[at]! /= norm;
    axes.push(axis);
    const place = new Float64Array(count);
    for (let row = 0; row < count; row += 1) {
      const coordinate = removeAxis(rest, row * width, axis);
      place[row] = coordinate;
      squares[row]! -= coordinate * coordinate;
    }
    places.push(place);
  }
  const dimensions = Math.ceil(axes.length / 4) * 4;
  const coordinates = new Float64Array(count * dimensions);
  places.forEach((place, axis) => {
    for (let row = 0; row < count; row += 1) coordinates[row * dimensions + axis] = place[row]!;
  });
  return {
    dimensions,
    coordinates: onGrid(coordinates, largest),
    remainders: onGrid(normsOf(rest, rows), largest),
    origin: { values: origin, count: 1, width },
    slack: slackShare * largest * largest,
  };
};

/** Values rounded to multiples of a power of two, so that they can be added and subtracted without an error. */
const onGrid = (values: Float64Array, largest: number): Float64Array => {
  if (largest === 0) return values;
  const step = 2 ** (Math.ceil(Math.log2(largest)) - gridBits);
  return values.map(value => Math.round(value / step) * step);
};

const meanOf = (rows: FlatRows): Float64Array => {
  const indices = Int32Array.from({ length: rows.count }, (_, row) => row);
  const weights = new Float64Array(rows.count).fill(1);
  return weightedSum(rows, { indices, weights, count: rows.count }).map(sum => sum / rows.count);
};

/** Removes the part along an axis from the values at a place; returns the coordinate on the axis. */
const removeAxis = (values: Float64Array, from: number, axis: Float64Array): number => {
  // Two sums, because the additions of one sum wait for each other.
  let even = 0;
  let odd = 0;
  const width = axis.length;
  const last = width - (width % 2);
  for (let at = 0; at < last; at += 2) {
    even += values[from + at]! * axis[at]!;
    odd += values[from + at + 1]! * axis[at + 1]!;
  }
  if (last < width) even += values[from + last]! * axis[last]!;
  const coordinate = even + odd;
  for (let at = 0; at < width; at += 1) values[from + at]! -= coordinate * axis[at]!;
  return coordinate;
};

/** Norm of each row of some values. */
const normsOf = (values: Float64Array, { count, width }: FlatRows): Float64Array => {
  const norms = new Float64Array(count);
  for (let row = 0; row < count; row += 1) norms[row] = normAt(values, row * width, width);
  return norms;
};

const normAt = (values: Float64Array, from: number, width: number): number => {
  let even = 0;
  let odd = 0;
  const end = from + width;
  let at = from;
  for (; at + 1 < end; at += 2) {
    even += values[at]! * values[at]!;
    odd += values[at + 1]! * values[at + 1]!;
  }
  if (at < end) even += values[at]! * values[at]!;
  return Math.sqrt(even + odd);
};
