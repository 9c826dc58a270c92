import type { Day } from '../../domain/day.js';
import type { Limits, ShapeFacts } from '../../domain/planning/models.js';
import { presentRules, type EngineRules } from '../engine.js';
import { hourlyScore, referenceHours, type ReferenceHours } from './hours.js';
import {
  addNearest,
  farthestOf,
  isWithin,
  noneNearest,
  ownDistances,
  relativeDistance,
  type OwnDistances,
} from './nearestDays.js';
import { scaledDay } from './scores.js';

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

/** Slices between two comparisons of a distance with the farthest of the nearest ones. */
const slicesPerLook = 24;

/** Squared distance of a course from a row; Infinity when it is at least `most`. NaN of a course does not count. */
export const squaredUpTo = (
  course: Float64Array,
  { values, from }: { readonly values: Float64Array; readonly from: number },
  most: number,
): number => {
  let total = 0;
  for (let at = 0; at < course.length;) {
    const end = Math.min(course.length, at + slicesPerLook);
    for (; at < end; at += 1) {
      const difference = course[at]! - values[from + at]!;
      if (difference === difference) total += difference * difference;
    }
    if (total >= most) return Number.POSITIVE_INFINITY;
  }
  return total;
};

/** Smallest share of the differences of a day that its shape is judged by. */
const differencesShareMin = 0.5;

/** Reference days that the shape of a day is compared with. */
export type ReferenceShapes = OwnDistances & {
  readonly courses: Courses;
  /** Null in models of engines up to 10. */
  readonly hours: ReferenceHours | null;
};

/** Smallest share of its days with which a reference that lost some is still compared. */
const leftShareMin = 0.5;

/** Facts of the reference days at some places, ascending. */
const factsAt = (places: readonly number[], { dates, distances, hours }: ShapeFacts): ShapeFacts => {
  const free = new Set(hours?.free);
  const only = hours?.only;
  const compared = dates.flatMap((_, place) => (!only || free.has(place) === (only === 'free') ? place : []));
  const own = new Map(compared.map((place, at) => [place, at]));
  return {
    dates: places.map(place => dates[place]!),
    distances: places.map(place => distances[place]!),
    ...(hours && {
      hours: {
        ...hours,
        distances: places.flatMap(place => hours.distances[own.get(place) ?? -1] ?? []),
        free: places.flatMap((place, at) => (free.has(place) ? at : [])),
      },
    }),
  };
};

/**
 * Reference days that shapes are compared with, in the order of the facts. Some of them are missing after an extension
 * of the reference that leaves out old days.
 * @returns null when less than half of them are left; for earlier engines when one is missing
 */
export const referenceShapes = (
  reference: readonly Day[],
  facts: ShapeFacts,
  limits: Limits,
  rules: Pick<EngineRules, 'comparesLeftShapes' | 'needsLikeDays'> = presentRules,
): ReferenceShapes | null => {
  const byDate = new Map(reference.map(day => [day.date, day]));
  const places = facts.dates.flatMap((date, place) => (byDate.has(date) ? place : []));
  const leastLeft = facts.dates.length * (rules.comparesLeftShapes ? leftShareMin : 1);
  if (places.length === 0 || places.length < leastLeft) return null;
  const { dates, distances, hours } = places.length < facts.dates.length ? factsAt(places, facts) : facts;
  const scaled = dates.map(date => scaledDay(byDate.get(date)!, limits));
  return {
    ...ownDistances(distances),
    courses: coursesOf(scaled),
    hours: hours ? referenceHours(scaled, hours, rules) : null,
  };
};

/** A day before with its kind: whether it is planned as a working day. */
export type KindOfDay = { readonly day: Day; readonly working: boolean };

/** The same with its values on the log scale. */
type ScaledDay = KindOfDay & { readonly scaled: Float64Array };

/** Reference days, limit and days before that the shape of a day is compared with. */
export type ShapeComparison = {
  readonly shapes: ReferenceShapes;
  readonly limits: Limits;
  /** Largest allowed score. */
  readonly limit: number;
  /** Days before; read only when the reference days alone do not explain the day. */
  readonly before: () => readonly KindOfDay[];
};

/** Shape score of a day, and whether it is that of its hours alone: its differences are within the limit. */
export type ShapeScore = { readonly score: number; readonly ofHours: boolean };

/**
 * Shape score of a day: the larger one of the score of its differences and that of its hours (hours.ts), both in units
 * of the same limit. A day before counts with the median own distance.
 * @param isExact whether the score is needed; otherwise 0 stands for any score within the limit
 */
export const shapeScore = (
  { day, working }: KindOfDay,
  comparison: ShapeComparison,
  isExact = false,
): ShapeScore => {
  const { shapes, limits, limit } = comparison;
  const scaled = scaledDay(day, limits);
  let known: readonly ScaledDay[] | undefined;
  const before = () =>
    (known ??= comparison.before().map(one => ({ ...one, scaled: scaledDay(one.day, limits) })));
  const differences = differenceScore(scaled, { shapes, limit, before }, isExact);
  if (!shapes.hours || (!isExact && differences > limit)) return { score: differences, ofHours: false };
  const alike = () => before().flatMap(one => (one.working === working ? [one.scaled] : []));
  const hours = hourlyScore({ scaled, working }, shapes.hours, { limit, before: alike }, isExact);
  return { score: Math.max(differences, hours), ofHours: differences <= limit && hours > limit };
};

/**
 * Distance of the differences between neighbouring slices from the nearest days, of the reference and of the 28 days
 * before, over what is usual. Slices without a value are left out; the score is 0 where they leave less than half of
 * the differences.
 */
const differenceScore = (
  scaled: Float64Array,
  {
    shapes,
    limit,
    before,
  }: Pick<ShapeComparison, 'shapes' | 'limit'> & { readonly before: () => readonly ScaledDay[] },
  isExact: boolean,
): number => {
  const { courses, distances, median, least } = shapes;
  const { values, width, means } = courses;
  const course = courseOf(scaled, new Float64Array(means.length).fill(NaN));
  const known = course.reduce((count, difference) => count + Number(difference === difference), 0);
  if (known < differencesShareMin * width) return 0;
  const nearest = noneNearest();
  const add = (values: Float64Array, from: number, own: number): void =>
    addNearest(nearest, squaredUpTo(course, { values, from }, farthestOf(nearest)), own);
  for (let row = 0; row < distances.length; row += 1) {
    add(values, row * width, distances[row]!);
    if (!isExact && isWithin(nearest, known, shapes, limit)) return 0;
  }
  for (const other of before()) {
    const own = courseOf(other.scaled, means);
    add(own, 0, Math.max(least, median));
  }
  return relativeDistance(nearest, known, median);
};
