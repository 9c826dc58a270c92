import type { HourFacts, ShapeFacts } from '../../../domain/planning/models.js';
import { coursesOf, squaredUpTo, type Courses } from '../../checking/shape.js';
import { hoursOf, squaredAtOneLevel } from '../../checking/hours.js';
import {
  addNearest,
  farthestOf,
  meanDistance,
  noneNearest,
  relativeDistance,
  type Nearest,
} from '../../checking/nearestDays.js';
import type { EngineRules } from '../../engine.js';
import { sortedQuantile } from '../../math/statistics.js';
import type { PreparedDay, PreparedReference } from '../prepare.js';

/**
 * The rule of the other limits (calibrate.ts) with values of its own, chosen on real series: docs/quality.md. `min` is
 * for sources that repeat exactly, whose scores are 0.
 */
const rule = { quantile: 0.99, margin: 1.15, medians: 2.3, lowerShare: 0.4, min: 1 } as const;

/** Factor on the limit on differences where hours have a limit of their own. */
const besideHours = 1.1;

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
  { comparesHours, comparesKindsAlone }: Pick<EngineRules, 'comparesHours' | 'comparesKindsAlone'>,
): ShapeCalibration | null => {
  if (indices.length < daysMin) return null;
  const days = indices.map(index => prepared.days[index]!);
  const courses = coursesOf(days.map(({ scaled }) => scaled));
  const differences = scoresOf(nearestByDifferences(courses, days), courses.width);
  if (!differences) return null;
  const limit = (comparesHours ? besideHours : 1) * limitOf(Float64Array.from(differences.scores).sort());
  const hours = comparesHours ? hoursCalibration(days, limit, comparesKindsAlone) : null;
  return {
    facts: {
      dates: days.map(({ date }) => date),
      distances: differences.distances,
      ...(hours && { hours: hours.facts }),
    },
    scores: differences.scores.map((score, at) => Math.max(score, hours?.scores[at] ?? 0)),
    limit: widening * limit,
  };
};

/**
 * Scores of the hours in units of the limit on the shape; 0 for a kind of day with a day that has too few nearest ones.
 * @param alone whether the other kind is compared then
 * @returns     null when no kind is compared
 */
const hoursCalibration = (
  days: readonly PreparedDay[],
  limit: number,
  alone: boolean,
): { readonly facts: HourFacts; readonly scores: readonly number[] } | null => {
  const rows = days.map(({ scaled }) => hoursOf(scaled));
  const nearest = nearestByHours(rows, days);
  const lacking = new Set(days.flatMap(({ working }, place) => (isFull(nearest[place]!) ? [] : [working])));
  if (lacking.size > (alone ? 1 : 0)) return null;
  const places = days.flatMap(({ working }, place) => (lacking.has(working) ? [] : place));
  const own = new Map(places.map((place, index) => [place, index]));
  const compared = places.map(place => {
    const { squares, own: rows } = nearest[place]!;
    return { squares, own: rows.map(row => own.get(row)!) };
  });
  const found = scoresOf(compared, rows[0]!.length);
  if (!found) return null;
  const factor = limit / limitOf(Float64Array.from(found.scores).sort());
  const [without] = lacking;
  return {
    facts: {
      distances: found.distances,
      free: days.flatMap(({ working }, place) => (working ? [] : place)),
      factor,
      ...(without !== undefined && { only: without ? 'free' : 'working' }),
    },
    scores: days.map((_, place) => factor * (found.scores[own.get(place) ?? -1] ?? 0)),
  };
};

/** Whether a day has as many nearest days as its distance is a mean of. */
const isFull = (nearest: Nearest): boolean => farthestOf(nearest) < Number.POSITIVE_INFINITY;

/** Own distances, rounded, and scores of days from their nearest ones; null when a day has too few. */
const scoresOf = (
  nearest: readonly Nearest[],
  width: number,
): { readonly distances: readonly number[]; readonly scores: readonly number[] } | null => {
  if (!nearest.every(isFull)) return null;
  const distances = nearest.map(one => Math.round(meanDistance(one, width) * distanceScale) / distanceScale);
  const median = sortedQuantile(Float64Array.from(distances).sort(), 0.5);
  const scores = nearest.map(({ squares, own }) =>
    relativeDistance({ squares, own: own.map(place => distances[place]!) }, width, median),
  );
  return { distances, scores };
};

/** The nearest days of each day in other blocks; `own` has their places. */
const nearestByDifferences = ({ values, width }: Courses, days: readonly PreparedDay[]): Nearest[] =>
  days.map(({ block }, place) => {
    const nearest = noneNearest();
    const course = values.subarray(place * width, (place + 1) * width);
    days.forEach((other, row) => {
      if (other.block === block) return;
      const square = squaredUpTo(course, { values, from: row * width }, farthestOf(nearest));
      addNearest(nearest, square, row);
    });
    return nearest;
  });

/** The same by their hours, among days of the same kind. */
const nearestByHours = (rows: readonly Float64Array[], days: readonly PreparedDay[]): Nearest[] =>
  days.map(({ block, working }, place) => {
    const nearest = noneNearest();
    days.forEach((other, row) => {
      if (other.block !== block && other.working === working)
        addNearest(nearest, squaredAtOneLevel(rows[place]!, rows[row]!), row);
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
