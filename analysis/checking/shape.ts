import type { Day } from '../../domain/day.js';
import type { Limits, ShapeFacts } from '../../domain/planning/models.js';
import { sortedQuantile } from '../math/statistics.js';
import { scaledDay } from './residuals.js';

/** Number of nearest days whose distances are averaged. */
export const nearestCount = 3;

/** Part of the own distances of the nearest days in what a distance is divided by; the rest is their median. */
const localShare = 0.5;

/** Courses of some days: differences between neighbouring slices on the log scale, in one array, row after row. */
export type Courses = {
  readonly values: Float64Array;
  /** Number of differences of a day. */
  readonly width: number;
  /** Mean of each slice on the log scale, which a slice without a value gets. */
  readonly means: Float64Array;
};

/** Differences of neighbouring slices, written from a place on. @param scaled NaN in slices without a value */
const writeCourse = (scaled: Float64Array, means: Float64Array, into: Float64Array, from: number): void => {
  const at = (slice: number): number => {
    const value = scaled[slice]!;
    return value === value ? value : means[slice]!;
  };
  for (let slice = 1; slice < scaled.length; slice += 1) into[from + slice - 1] = at(slice) - at(slice - 1);
};

const meansOf = (rows: readonly Float64Array[]): Float64Array => {
  const means = new Float64Array(rows[0]?.length ?? 0);
  for (let slice = 0; slice < means.length; slice += 1) {
    let sum = 0;
    let count = 0;
    for (const row of rows) {
      const value = row[slice]!;
      if (value !== value) continue;
      sum += value;
      count += 1;
    }
    means[slice] = count > 0 ? sum / count : 0;
  }
  return means;
};

/** Courses of days on the log scale. @param rows at least one; NaN in slices without a value */
export const coursesOf = (rows: readonly Float64Array[]): Courses => {
  const means = meansOf(rows);
  const width = Math.max(0, means.length - 1);
  const values = new Float64Array(rows.length * width);
  rows.forEach((row, index) => writeCourse(row, means, values, index * width));
  return { values, width, means };
};

/** Course of one more day. @param means values of slices without one; NaN leaves them out */
const courseOf = (scaled: Float64Array, means: Float64Array): Float64Array => {
  const course = new Float64Array(Math.max(0, scaled.length - 1));
  writeCourse(scaled, means, course, 0);
  return course;
};

/** The nearest days: squared distances, ascending, and their own distances; Infinity where there are fewer. */
export type Nearest = { readonly squares: Float64Array; readonly own: Float64Array };

export const noneNearest = (): Nearest => ({
  squares: new Float64Array(nearestCount).fill(Number.POSITIVE_INFINITY),
  own: new Float64Array(nearestCount),
});

/** Slices between two comparisons of a distance with the farthest of the nearest ones. */
const slicesPerLook = 24;

/** Adds a row to the nearest days if it is one of them; NaN of a course does not count. @param own its own distance */
export const addNearest = (
  nearest: Nearest,
  course: Float64Array,
  { values, from }: { readonly values: Float64Array; readonly from: number },
  own: number,
): void => {
  const { squares } = nearest;
  const most = squares[nearestCount - 1]!;
  let total = 0;
  for (let at = 0; at < course.length;) {
    const end = Math.min(course.length, at + slicesPerLook);
    for (; at < end; at += 1) {
      const difference = course[at]! - values[from + at]!;
      if (difference === difference) total += difference * difference;
    }
    if (total >= most) return;
  }
  let place = nearestCount - 1;
  for (; place > 0 && squares[place - 1]! > total; place -= 1) {
    squares[place] = squares[place - 1]!;
    nearest.own[place] = nearest.own[place - 1]!;
  }
  squares[place] = total;
  nearest.own[place] = own;
};

/** Mean distance to the nearest days, per difference. */
export const meanDistance = ({ squares }: Nearest, width: number): number => {
  let sum = 0;
  for (const square of squares) sum += Math.sqrt(square);
  return sum / nearestCount / Math.sqrt(Math.max(1, width));
};

/** Smallest share of the differences of a day that its shape is judged by. */
const differencesShareMin = 0.5;

/** Smallest distance that others are divided by: a source that repeats exactly has distances of 0. */
const distanceMin = 0.005;

/** Distance in units of what is usual: in equal parts the median own distance and those of the nearest days. */
export const relativeDistance = (nearest: Nearest, width: number, median: number): number => {
  let own = 0;
  for (const distance of nearest.own) own += distance;
  const usual = localShare * (own / nearestCount) + (1 - localShare) * median;
  return meanDistance(nearest, width) / Math.max(distanceMin, usual);
};

/** Reference days that the shape of a day is compared with. */
export type ReferenceShapes = {
  readonly courses: Courses;
  /** Distance of each reference day to its nearest ones in other blocks; ascending they give the median. */
  readonly distances: readonly number[];
  readonly median: number;
  readonly least: number;
};

/**
 * Reference days that shapes are compared with, in the order of the facts.
 * @returns null when one of them is missing, as after a reference that lost days
 */
export const referenceShapes = (
  reference: readonly Day[],
  { dates, distances }: ShapeFacts,
  limits: Limits,
): ReferenceShapes | null => {
  const byDate = new Map(reference.map(day => [day.date, day]));
  const days = dates.flatMap(date => byDate.get(date) ?? []);
  if (days.length === 0 || days.length !== dates.length) return null;
  const sorted = Float64Array.from(distances).sort();
  return {
    courses: coursesOf(days.map(day => scaledDay(day, limits))),
    distances,
    median: sortedQuantile(sorted, 0.5),
    least: sorted[0]!,
  };
};

/** Reference days, limit and days before that the shape of a day is compared with. */
export type ShapeComparison = {
  readonly shapes: ReferenceShapes;
  readonly limits: Limits;
  /** Largest allowed score. */
  readonly limit: number;
  /** Days before; read only when the reference days alone do not explain the day. */
  readonly before: () => readonly Day[];
};

/** Whether the nearest days so far show that the final score is within a limit: a distance only becomes smaller. */
const isWithin = (
  nearest: Nearest,
  width: number,
  { median, least }: ReferenceShapes,
  limit: number,
): boolean =>
  meanDistance(nearest, width) <=
  limit * Math.max(distanceMin, localShare * least + (1 - localShare) * median);

/**
 * Shape score of a day: its distance from the nearest days, of the reference and of the 28 days before, over what is
 * usual. A day before counts with the median own distance. Slices without a value are left out; the score is 0 where
 * they leave less than half of the differences.
 * @param isExact whether the score is needed; otherwise 0 stands for any score within the limit
 */
export const shapeScore = (
  day: Day,
  { shapes, limits, limit, before }: ShapeComparison,
  isExact = false,
): number => {
  const { courses, distances, median, least } = shapes;
  const { values, width, means } = courses;
  const course = courseOf(scaledDay(day, limits), new Float64Array(means.length).fill(NaN));
  const known = course.reduce((count, difference) => count + Number(difference === difference), 0);
  if (known < differencesShareMin * width) return 0;
  const nearest = noneNearest();
  for (let row = 0; row < distances.length; row += 1) {
    addNearest(nearest, course, { values, from: row * width }, distances[row]!);
    if (!isExact && isWithin(nearest, known, shapes, limit)) return 0;
  }
  for (const other of before()) {
    const own = courseOf(scaledDay(other, limits), means);
    addNearest(nearest, course, { values: own, from: 0 }, Math.max(least, median));
  }
  return relativeDistance(nearest, known, median);
};
