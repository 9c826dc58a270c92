import type { ShapeFacts } from '../../../domain/planning/models.js';
import {
  addNearest,
  coursesOf,
  meanDistance,
  nearestCount,
  noneNearest,
  relativeDistance,
  type Courses,
  type Nearest,
} from '../../checking/shape.js';
import { sortedQuantile } from '../../math/statistics.js';
import type { PreparedReference } from '../prepare.js';

/**
 * The rule of the other limits (calibrate.ts) with values of its own, chosen on real series: docs/quality.md. `min` is
 * for sources that repeat exactly, whose scores are 0.
 */
const rule = { quantile: 0.99, margin: 1.15, medians: 2.3, lowerShare: 0.4, min: 1 } as const;

/** Fewest reference days of a shape limit. */
const daysMin = 28;

/** Smallest share of the days within the limit, for many days and for few, and the rank that is on it otherwise. */
const guard = { manyDays: 150, many: 0.9, few: 0.8, rank: 0.975 } as const;

/** Digits of stored distances. */
const distanceScale = 1e4;

/** Shape scores of reference days, and the limit on them. */
export type ShapeCalibration = {
  readonly facts: ShapeFacts;
  /** In the order of the given days. */
  readonly scores: readonly number[];
  readonly limit: number;
};

/**
 * Limit on the shape score (checking/shape.ts) from scores that reference days get without the days of their block.
 * @param indices  days that limits are computed from, ascending
 * @param widening factor on the limit, ≥ 1
 * @returns        null when there are too few days
 */
export const shapeLimit = (
  prepared: PreparedReference,
  indices: readonly number[],
  widening: number,
): ShapeCalibration | null => {
  if (indices.length < daysMin) return null;
  const days = indices.map(index => prepared.days[index]!);
  const courses = coursesOf(days.map(({ scaled }) => scaled));
  const blocks = days.map(({ block }) => block);
  const nearest = nearestPlaces(courses, blocks);
  if (nearest.some(({ squares }) => squares[nearestCount - 1] === Number.POSITIVE_INFINITY)) return null;
  const distances = nearest.map(
    one => Math.round(meanDistance(one, courses.width) * distanceScale) / distanceScale,
  );
  const median = sortedQuantile(Float64Array.from(distances).sort(), 0.5);
  const scores = nearest.map(({ squares, own }) =>
    relativeDistance({ squares, own: own.map(place => distances[place]!) }, courses.width, median),
  );
  return {
    facts: { dates: days.map(({ date }) => date), distances },
    scores,
    limit: widening * limitOf(Float64Array.from(scores).sort()),
  };
};

/** The nearest days of each day in other blocks; `own` has their places. */
const nearestPlaces = ({ values, width }: Courses, blocks: readonly number[]): Nearest[] =>
  blocks.map((block, place) => {
    const nearest = noneNearest();
    const course = values.subarray(place * width, (place + 1) * width);
    blocks.forEach((other, row) => {
      if (other !== block) addNearest(nearest, course, { values, from: row * width }, row);
    });
    return nearest;
  });

/** The limit by the rule; when it leaves too many days outside, a rank of their scores. @param sorted ascending */
export const limitOf = (sorted: Float64Array): number => {
  const count = sorted.length;
  const upper = rule.medians * sortedQuantile(sorted, 0.5);
  const byQuantile = rule.margin * sortedQuantile(sorted, rule.quantile);
  const limit = Math.max(rule.min, Math.min(upper, Math.max(rule.lowerShare * upper, byQuantile)));
  const inside = sorted.filter(score => score <= limit).length / (count + 1);
  const isKept = inside >= (count >= guard.manyDays ? guard.many : guard.few);
  return isKept ? limit : sorted[Math.min(count, Math.ceil((count + 1) * guard.rank)) - 1]!;
};
