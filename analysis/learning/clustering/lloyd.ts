import { flatRows, squaredDistancesToTwo, squaredDistanceTo } from '../../math/flatRows.js';
import {
  centreValues,
  distancesTo,
  moveCentres,
  placeOnRows,
  squaredApart,
  squaredTo,
  squaredUpTo,
  unplacedCentres,
  type Centres,
  type Points,
  type Step,
} from './centres.js';

/** The end of a run: no centre moves farther than this squared distance, or so many iterations are done. */
export type LloydEnd = { readonly tolerance: number; readonly maxIterations: number };

/** A run of k-means. Its arrays are written in each iteration: new ones would take as long as the distances. */
export type Lloyd = {
  /** The centres that the rows are nearest to, and the means of the rows of each label. */
  centres: Centres;
  means: Centres;
  readonly step: Step;
  /** Upper bound of the distance of each row to its own centre, and lower bound of that to any other centre. */
  readonly upper: Float64Array;
  readonly lower: Float64Array;
  /** Rows whose label is open. */
  readonly open: Int32Array;
  /** Lower bounds of half the distance between two centres, and of a centre to the nearest other one. */
  readonly gaps: Float64Array;
  readonly halfGaps: Float64Array;
  /** For each centre: lower bound of its squared distance to the present row. */
  readonly least: Float64Array;
  /** For each centre: upper bounds of the distances that it and any other centre move. */
  readonly moves: Float64Array;
  readonly otherMoves: Float64Array;
};

/** The arrays of a run with so many centres. */
const emptyRun = (points: Points, count: number): Lloyd => {
  const rows = points.rows.count;
  return {
    centres: unplacedCentres(points, count),
    means: unplacedCentres(points, count),
    step: {
      labels: new Int32Array(rows),
      rows: new Int32Array(rows),
      changes: 0,
      hasChanged: new Uint8Array(count),
      turnover: new Float64Array(count),
    },
    upper: new Float64Array(rows),
    lower: new Float64Array(rows),
    open: new Int32Array(rows),
    gaps: new Float64Array(count * count),
    halfGaps: new Float64Array(count),
    least: new Float64Array(count),
    moves: new Float64Array(count),
    otherMoves: new Float64Array(count),
  };
};

/** Bounds are compared with this relative margin, which is far above the rounding of a distance. */
const margin = 1e-9;

/**
 * k-means from rows as centres (Lloyd 1982), with bounds that skip rows whose label cannot change (Hamerly 2010).
 * Distances are bounded in a projection; only those that leave a label open are computed. Labels are those of
 * ml-kmeans from the same centres: distances and means are summed in the same order, and ties go to the first centre.
 * @param start indices of the rows that are the first centres
 * @param spare a run of the same points that is no longer needed; its arrays are written again
 */
export const lloyd = (points: Points, start: readonly number[], end: LloydEnd, spare?: Lloyd): Lloyd => {
  const run = spare?.centres.count === start.length ? spare : emptyRun(points, start.length);
  placeOnRows(points, start, run.centres);
  for (let iteration = 1; ; iteration += 1) {
    if (iteration === 1) assignFirst(points, start, run);
    else {
      boundGaps(points, run);
      assign(points, run);
    }
    moveCentres(points, run.centres, run.step, run.means);
    if (iteration >= end.maxIterations || hasConverged(points, run, end.tolerance)) return run;
    boundMoves(points, run);
    const { centres, means } = run;
    run.centres = means;
    run.means = centres;
  }
};

/** Gives each row the label of its nearest start, the first of equals. Drawing the starts computed the distances. */
const assignFirst = (points: Points, start: readonly number[], { step, upper, lower, gaps }: Lloyd): void => {
  const { labels } = step;
  gaps.fill(Number.NaN);
  clearStep(step);
  upper.fill(Number.POSITIVE_INFINITY);
  lower.fill(Number.POSITIVE_INFINITY);
  start.forEach((chosen, label) => {
    const distances = distancesTo(points, chosen);
    for (let row = 0; row < labels.length; row += 1) {
      const distance = distances[row]!;
      if (distance < upper[row]!) {
        lower[row] = upper[row]!;
        upper[row] = distance;
        labels[row] = label;
      } else if (distance < lower[row]!) lower[row] = distance;
    }
  });
  for (let row = 0; row < labels.length; row += 1) {
    upper[row] = Math.sqrt(upper[row]!) * (1 + margin);
    lower[row] = Math.sqrt(lower[row]!) * (1 - margin);
    changeLabel(points, step, row, -1);
  }
};

/** Gives each row the label of its nearest centre, the first of equals. */
const assign = (points: Points, run: Lloyd): void => {
  const { step, open } = run;
  const { labels } = step;
  clearStep(step);
  // Loops without calls: the compiler checks their arrays once.
  const count = tightened(points, run, widened(run));
  for (let at = 0; at < count; at += 1) {
    const row = open[at]!;
    const before = labels[row]!;
    labels[row] = labelOf(points, run, row);
    if (labels[row] !== before) changeLabel(points, step, row, before);
  }
};

/** Widens the bounds of the rows by the last moves. Writes the rows that they leave open; returns their number. */
const widened = ({ step: { labels }, upper, lower, halfGaps, moves, otherMoves, open }: Lloyd): number => {
  let count = 0;
  for (let row = 0; row < labels.length; row += 1) {
    const label = labels[row]!;
    const most = upper[row]! + moves[label]!;
    const least = lower[row]! - otherMoves[label]!;
    upper[row] = most;
    lower[row] = least;
    open[count] = row;
    if (most >= (least > halfGaps[label]! ? least : halfGaps[label]!) * (1 - margin)) count += 1;
  }
  return count;
};

/** Computes upper bounds of open rows, since moves only widen them. Keeps the rows that are still open. */
const tightened = (points: Points, run: Lloyd, opened: number): number => {
  const {
    centres,
    step: { labels },
    upper,
    lower,
    halfGaps,
    open,
  } = run;
  let count = 0;
  for (let at = 0; at < opened; at += 1) {
    const row = open[at]!;
    const label = labels[row]!;
    const most = Math.min(upper[row]!, distanceAtMost(points, centres, label, row));
    upper[row] = most;
    open[count] = row;
    if (most >= Math.max(lower[row]!, halfGaps[label]!) * (1 - margin)) count += 1;
  }
  return count;
};

const clearStep = (step: Step): void => {
  step.changes = 0;
  step.hasChanged.fill(0);
  step.turnover.fill(0);
};

/** Upper bound of the distance of a row to a centre. */
const distanceAtMost = ({ projection }: Points, centres: Centres, centre: number, row: number): number => {
  const { dimensions, coordinates, remainders, slack } = projection;
  const remainder = remainders[row]! + centres.remaindersMax[centre]!;
  const squared = squaredTo(coordinates, row * dimensions, centres, centre);
  return Math.sqrt(squared + remainder * remainder + slack) * (1 + margin);
};

/** Notes that a row has another label than before; −1 for none. */
const changeLabel = (
  { projection: { remainders } }: Points,
  step: Step,
  row: number,
  before: number,
): void => {
  const { labels, rows, hasChanged, turnover } = step;
  const label = labels[row]!;
  hasChanged[label] = 1;
  turnover[label]! += remainders[row]!;
  if (before >= 0) {
    hasChanged[before] = 1;
    turnover[before]! += remainders[row]!;
  }
  rows[step.changes] = row;
  step.changes += 1;
};

/**
 * The label of the centre nearest to a row; its bounds are written. Centres far from that of its label before are
 * skipped (Elkan 2003).
 */
const labelOf = (points: Points, run: Lloyd, row: number): number => {
  const { centres, step, gaps, least, upper, lower } = run;
  const { dimensions, coordinates, remainders, slack } = points.projection;
  const { count, remaindersMin, remaindersMax } = centres;
  const remainder = remainders[row]!;
  const reach = upper[row]!;
  const place = { coordinates, from: row * dimensions };
  const before = step.labels[row]!;
  let label = before;
  let most = Number.POSITIVE_INFINITY;
  // The least distance to any other centre than the label.
  let second = Number.POSITIVE_INFINITY;
  for (let at = 0; at < count; at += 1) {
    // The label before is the first, as it is often the nearest.
    const centre = at === 0 ? before : at <= before ? at - 1 : at;
    const half = at === 0 ? 0 : gaps[before * count + centre]!;
    if (half > reach) {
      const apart = 2 * half - reach;
      least[centre] = apart * apart;
      if (least[centre]! < second) second = least[centre]!;
      continue;
    }
    // Above this a centre is neither the nearest nor the second nearest.
    const enough = Math.max(most, second + slack);
    const squared = squaredUpTo(place, centres, centre, enough);
    const low = remaindersMin[centre]!;
    const high = remaindersMax[centre]!;
    const gap = remainder > high ? remainder - high : remainder < low ? low - remainder : 0;
    const atLeast = squared + gap * gap - slack;
    const atMost =
      squared > enough ? Number.POSITIVE_INFINITY : squared + (remainder + high) * (remainder + high) + slack;
    least[centre] = atLeast;
    if (atMost < most) {
      if (at > 0) second = Math.min(second, least[label]!);
      label = centre;
      most = atMost;
    } else if (atLeast < second) second = atLeast;
  }
  if (second <= most) ({ label, most, second } = nearestOf(points, centres, { row, least, most }));
  upper[row] = Math.sqrt(most) * (1 + margin);
  lower[row] = Math.sqrt(Math.max(0, second)) * (1 - margin);
  return label;
};

/** A row with lower bounds of its squared distances to the centres, and an upper bound of that to the nearest one. */
type Open = { readonly row: number; readonly least: Float64Array; readonly most: number };

/** The nearest centre of a row, the first of equals; its squared distance, and a lower bound of the second smallest. */
const nearestOf = (
  points: Points,
  centres: Centres,
  { row, least, most: enough }: Open,
): { readonly label: number; readonly most: number; readonly second: number } => {
  measureOpen(points, centres, { row, least, most: enough });
  let label = 0;
  let most = Number.POSITIVE_INFINITY;
  let second = Number.POSITIVE_INFINITY;
  for (let centre = 0; centre < centres.count; centre += 1) {
    const squared = least[centre]!;
    if (squared < most) {
      second = most;
      most = squared;
      label = centre;
    } else if (squared < second) second = squared;
  }
  return { label, most, second };
};

/** Replaces the bounds of the centres that may be nearest by their distances, two at a time. */
const measureOpen = (points: Points, centres: Centres, { row, least, most }: Open): void => {
  const { rows } = points;
  let waiting = -1;
  for (let centre = 0; centre < centres.count; centre += 1) {
    if (least[centre]! > most) continue;
    if (waiting < 0) waiting = centre;
    else {
      const one = centreValues(points, centres, waiting);
      const distances = squaredDistancesToTwo(rows, row, one, centreValues(points, centres, centre));
      least[waiting] = distances[0];
      least[centre] = distances[1];
      waiting = -1;
    }
  }
  if (waiting >= 0) least[waiting] = squaredDistanceTo(rows, row, centreValues(points, centres, waiting));
};

/** Writes lower bounds of half the distances between centres, and keeps the bounds of centres that did not move. */
const boundGaps = (points: Points, { centres, step: { hasChanged }, gaps, halfGaps }: Lloyd): void => {
  const { count } = centres;
  halfGaps.fill(Number.POSITIVE_INFINITY);
  for (let one = 0; one < count; one += 1)
    for (let other = 0; other < one; other += 1) {
      const at = one * count + other;
      if (hasChanged[one] === 1 || hasChanged[other] === 1 || Number.isNaN(gaps[at]!))
        gaps[at] = gaps[other * count + one] = halfGap(points, centres, one, other);
      const half = gaps[at]!;
      if (half < halfGaps[one]!) halfGaps[one] = half;
      if (half < halfGaps[other]!) halfGaps[other] = half;
    }
};

/** Lower bound of half the distance between two centres. */
const halfGap = ({ projection: { slack } }: Points, centres: Centres, one: number, other: number): number => {
  const { remaindersMin, remaindersMax } = centres;
  const remainder = Math.max(
    0,
    remaindersMin[one]! - remaindersMax[other]!,
    remaindersMin[other]! - remaindersMax[one]!,
  );
  const squared = squaredApart(centres, one, centres, other) + remainder * remainder - slack;
  return Math.sqrt(Math.max(0, squared)) / 2;
};

/** Whether no centre moves farther than a squared distance. Values are computed when the projection leaves it open. */
const hasConverged = (
  points: Points,
  { centres, means, step: { hasChanged } }: Lloyd,
  tolerance: number,
): boolean => {
  const { slack } = points.projection;
  const moved: number[] = [];
  for (let at = 0; at < means.count; at += 1)
    if (hasChanged[at] === 1 && means.sizes[at]! > 0) moved.push(at);
  return (
    moved.every(at => squaredApart(means, at, centres, at) - slack <= tolerance) &&
    moved.every(at => {
      const values = centreValues(points, centres, at);
      return squaredDistanceTo(flatRows([values]), 0, centreValues(points, means, at)) <= tolerance;
    })
  );
};

/**
 * Writes upper bounds of the distances that each centre and any other one move. The remainder of a mean moves by no
 * more than the remainders of the rows that came and went, and by its share of the change in their number.
 */
const boundMoves = (
  { projection: { slack } }: Points,
  { centres, means, step: { hasChanged, turnover }, moves, otherMoves }: Lloyd,
): void => {
  for (let at = 0; at < moves.length; at += 1) {
    const sizeBefore = centres.sizes[at]!;
    const size = means.sizes[at]!;
    moves[at] = 0;
    if (hasChanged[at] === 0 || size === 0) continue;
    const before = centres.remaindersMax[at]!;
    const remainder = Math.min(
      before + means.remaindersMax[at]!,
      sizeBefore > 0
        ? (turnover[at]! + before * Math.abs(size - sizeBefore)) / size
        : Number.POSITIVE_INFINITY,
    );
    const squared = squaredApart(means, at, centres, at) + remainder * remainder + slack;
    moves[at] = Math.sqrt(squared) * (1 + margin);
  }
  let farthest = 0;
  let second = 0;
  for (let at = 1; at < moves.length; at += 1)
    if (moves[at]! > moves[farthest]!) {
      second = moves[farthest]!;
      farthest = at;
    } else second = Math.max(second, moves[at]!);
  otherMoves.fill(moves[farthest]!);
  otherMoves[farthest] = second;
};
