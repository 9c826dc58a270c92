import { flatRows, squaredDistanceTo } from '../../math/flatRows.js';
import {
  centreValues,
  movedCentres,
  rowsAsCentres,
  squaredApart,
  type Centres,
  type Points,
  type Step,
} from './centres.js';

/** The end of a run: no centre moves farther than this squared distance, or so many iterations are done. */
export type LloydEnd = { readonly tolerance: number; readonly maxIterations: number };

/** Labels of the rows, the centres that they are nearest to, and the means of the rows of each label. */
export type Lloyd = { readonly labels: Int32Array; readonly centres: Centres; readonly means: Centres };

/** Label of each row, its distance to the own centre at most, and to any other centre at least. */
type Assignment = {
  readonly labels: Int32Array;
  readonly upper: Float64Array;
  readonly lower: Float64Array;
};

/** Bounds are compared with this relative margin, which is far above the rounding of a distance. */
const margin = 1e-9;

/**
 * k-means from rows as centres (Lloyd 1982), with bounds that skip rows whose label cannot change (Hamerly 2010).
 * Distances are bounded in a projection; only those that leave a label open are computed. Labels are those of
 * ml-kmeans from the same centres: distances and means are summed in the same order, and ties go to the first centre.
 * @param start indices of the rows that are the first centres
 */
export const lloyd = (points: Points, start: readonly number[], end: LloydEnd): Lloyd => {
  const { count } = points.rows;
  const labels = new Int32Array(count).fill(-1);
  const upper = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const lower = new Float64Array(count);
  let centres = rowsAsCentres(points, start);
  for (let iteration = 1; ; iteration += 1) {
    const step = assign(points, centres, { labels, upper, lower });
    const means = movedCentres(points, centres, step);
    if (iteration >= end.maxIterations || hasSettled(points, { centres, means, step }, end.tolerance))
      return { labels, centres, means };
    const moves = movesAtMost(points, { centres, means, step });
    const farthest = moves.reduce((most, move) => Math.max(most, move), 0);
    for (let row = 0; row < count; row += 1) {
      upper[row]! += moves[labels[row]!]!;
      lower[row]! -= farthest;
    }
    centres = means;
  }
};

/** Gives each row the label of its nearest centre, the first of equals. */
const assign = (points: Points, centres: Centres, { labels, upper, lower }: Assignment): Step => {
  const { dimensions, coordinates, remainders, slack } = points.projection;
  const { count } = centres;
  const hasChanged = new Uint8Array(count);
  const turnover = new Float64Array(count);
  const nearOther = halfGaps(points, centres);
  const least = new Float64Array(count);
  for (let row = 0; row < labels.length; row += 1) {
    const before = labels[row]!;
    if (before >= 0 && upper[row]! < Math.max(lower[row]!, nearOther[before]!) * (1 - margin)) continue;
    const remainder = remainders[row]!;
    let [label, most] = [0, Number.POSITIVE_INFINITY];
    for (let centre = 0; centre < count; centre += 1) {
      const [from, to] = [row * dimensions, centre * dimensions];
      let squared = 0;
      for (let at = 0; at < dimensions; at += 1) {
        const difference = coordinates[from + at]! - centres.coordinates[to + at]!;
        squared += difference * difference;
      }
      const [low, high] = [centres.remaindersMin[centre]!, centres.remaindersMax[centre]!];
      const gap = remainder > high ? remainder - high : remainder < low ? low - remainder : 0;
      least[centre] = squared + gap * gap - slack;
      const squaredMost = squared + (remainder + high) * (remainder + high) + slack;
      if (squaredMost < most) [label, most] = [centre, squaredMost];
    }
    let second = Number.POSITIVE_INFINITY;
    for (let centre = 0; centre < count; centre += 1)
      if (centre !== label && least[centre]! < second) second = least[centre]!;
    if (second <= most) ({ label, most, second } = nearestOf(points, centres, { row, least, most }));
    upper[row] = Math.sqrt(most) * (1 + margin);
    lower[row] = Math.sqrt(Math.max(0, second)) * (1 - margin);
    if (label === before) continue;
    if (before >= 0) {
      hasChanged[before] = 1;
      turnover[before]! += remainder;
    }
    hasChanged[label] = 1;
    turnover[label]! += remainder;
    labels[row] = label;
  }
  return { labels, hasChanged, turnover };
};

/** A row, and the squared distances to each centre at least, and to its nearest centre at most. */
type Open = { readonly row: number; readonly least: Float64Array; readonly most: number };

/** The nearest centre of a row, the first of equals, its squared distance, and that of the second nearest at least. */
const nearestOf = (
  points: Points,
  centres: Centres,
  { row, least, most: enough }: Open,
): { readonly label: number; readonly most: number; readonly second: number } => {
  let label = 0;
  let [most, second] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let centre = 0; centre < centres.count; centre += 1) {
    const squared =
      least[centre]! > enough
        ? least[centre]!
        : squaredDistanceTo(points.rows, row, centreValues(points, centres, centre));
    if (squared < most && least[centre]! <= enough)
      [label, most, second] = [centre, squared, Math.min(most, second)];
    else if (squared < second) second = squared;
  }
  return { label, most, second };
};

/** Half of the distance of each centre to the nearest other centre, at least. */
const halfGaps = ({ projection: { slack } }: Points, centres: Centres): Float64Array => {
  const { remaindersMin, remaindersMax } = centres;
  const gaps = new Float64Array(centres.count).fill(Number.POSITIVE_INFINITY);
  for (let one = 0; one < centres.count; one += 1)
    for (let other = 0; other < one; other += 1) {
      const gap = Math.max(
        0,
        remaindersMin[one]! - remaindersMax[other]!,
        remaindersMin[other]! - remaindersMax[one]!,
      );
      const squared = squaredApart(centres, one, centres, other) + gap * gap - slack;
      const half = Math.sqrt(Math.max(0, squared)) / 2;
      if (half < gaps[one]!) gaps[one] = half;
      if (half < gaps[other]!) gaps[other] = half;
    }
  return gaps;
};

/** An iteration: the centres, the step that they caused, and the means of the rows after it. */
type Iteration = { readonly centres: Centres; readonly means: Centres; readonly step: Step };

/** Whether no centre moves farther than a squared distance. Values are computed when the projection leaves it open. */
const hasSettled = (
  points: Points,
  { centres, means, step: { hasChanged } }: Iteration,
  tolerance: number,
): boolean => {
  const { slack } = points.projection;
  const moved = [...hasChanged.keys()].filter(at => hasChanged[at] === 1 && means.sizes[at]! > 0);
  return (
    moved.every(at => squaredApart(means, at, centres, at) - slack <= tolerance) &&
    moved.every(at => {
      const values = centreValues(points, centres, at);
      return squaredDistanceTo(flatRows([values]), 0, centreValues(points, means, at)) <= tolerance;
    })
  );
};

/**
 * Distance that each centre moves, at most. The remainder of a mean moves by no more than the remainders of the rows
 * that came and went, and by its share of the change in their number.
 */
const movesAtMost = (
  { projection: { slack } }: Points,
  { centres, means, step: { hasChanged, turnover } }: Iteration,
): Float64Array =>
  Float64Array.from(hasChanged, (changed, at) => {
    const [sizeBefore, size] = [centres.sizes[at]!, means.sizes[at]!];
    if (changed === 0 || size === 0) return 0;
    const before = centres.remaindersMax[at]!;
    const remainder = Math.min(
      before + means.remaindersMax[at]!,
      sizeBefore > 0
        ? (turnover[at]! + before * Math.abs(size - sizeBefore)) / size
        : Number.POSITIVE_INFINITY,
    );
    const squared = squaredApart(means, at, centres, at) + remainder * remainder + slack;
    return Math.sqrt(squared) * (1 + margin);
  });
