import { sortedQuantile } from '../math/statistics.js';

/** Number of nearest days whose distances are averaged. */
export const nearestCount = 3;

/** Part of the own distances of the nearest days in what a distance is divided by; the rest is their median. */
const localShare = 0.5;

/** The nearest days: squared distances, ascending, and their own distances; Infinity where there are fewer. */
export type Nearest = { readonly squares: Float64Array; readonly own: Float64Array };

/** The nearest days before any was compared. */
export const noneNearest = (): Nearest => ({
  squares: new Float64Array(nearestCount).fill(Number.POSITIVE_INFINITY),
  own: new Float64Array(nearestCount),
});

/** Adds a day to the nearest ones if it is one of them. @param own its own distance */
export const addNearest = (nearest: Nearest, square: number, own: number): void => {
  const { squares } = nearest;
  let place = nearestCount - 1;
  if (!(square < squares[place]!)) return;
  for (; place > 0 && squares[place - 1]! > square; place -= 1) {
    squares[place] = squares[place - 1]!;
    nearest.own[place] = nearest.own[place - 1]!;
  }
  squares[place] = square;
  nearest.own[place] = own;
};

/** Largest squared distance of the nearest days. */
export const farthestOf = ({ squares }: Nearest): number => squares[nearestCount - 1]!;

/** Mean distance to the nearest days, per value. */
export const meanDistance = ({ squares }: Nearest, width: number): number => {
  let sum = 0;
  for (const square of squares) sum += Math.sqrt(square);
  return sum / nearestCount / Math.sqrt(Math.max(1, width));
};

/** Smallest distance that others are divided by: a source that repeats exactly has distances of 0. */
const distanceMin = 0.005;

/** Distance in units of what is usual: in equal parts the median own distance and those of the nearest days. */
export const relativeDistance = (nearest: Nearest, width: number, median: number): number => {
  let own = 0;
  for (const distance of nearest.own) own += distance;
  const usual = localShare * (own / nearestCount) + (1 - localShare) * median;
  return meanDistance(nearest, width) / Math.max(distanceMin, usual);
};

/** Own distances of reference days, with their median and the least. */
export type OwnDistances = {
  /** In the order of the days. */
  readonly distances: readonly number[];
  readonly median: number;
  readonly least: number;
};

/** Own distances of reference days, with their median. */
export const ownDistances = (distances: readonly number[]): OwnDistances => {
  const sorted = Float64Array.from(distances).sort();
  return { distances, median: sortedQuantile(sorted, 0.5), least: sorted[0]! };
};

/** Whether the nearest days so far show that the final score is within a limit: a distance only becomes smaller. */
export const isWithin = (
  nearest: Nearest,
  width: number,
  { median, least }: OwnDistances,
  limit: number,
): boolean =>
  meanDistance(nearest, width) <=
  limit * Math.max(distanceMin, localShare * least + (1 - localShare) * median);
