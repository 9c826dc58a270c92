import type { HourFacts } from '../../domain/planning/models.js';
import type { EngineRules } from '../engine.js';
import {
  addNearest,
  isWithin,
  noneNearest,
  ownDistances,
  relativeDistance,
  type OwnDistances,
} from './nearestDays.js';

const hoursOfDay = 24;

/** Means of the hours of a day on the log scale, or its slices when they are longer; NaN without a value. */
export const hoursOf = (scaled: Float64Array): Float64Array => {
  const size = Math.max(1, Math.floor(scaled.length / hoursOfDay));
  const hours = new Float64Array(Math.ceil(scaled.length / size));
  for (let hour = 0; hour < hours.length; hour += 1) {
    let sum = 0;
    let count = 0;
    for (let slice = hour * size; slice < Math.min(scaled.length, (hour + 1) * size); slice += 1) {
      const value = scaled[slice]!;
      if (value !== value) continue;
      sum += value;
      count += 1;
    }
    hours[hour] = count > 0 ? sum / count : Number.NaN;
  }
  return hours;
};

/** Smallest share of the hours that two days are compared by. */
const hoursShareMin = 0.5;

/**
 * Squared distance of two days at the same level: the mean of their differences is subtracted. Hours that one of them
 * lacks count as the others do on average; Infinity when fewer than half are left.
 */
export const squaredAtOneLevel = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (let hour = 0; hour < a.length; hour += 1) {
    const difference = a[hour]! - b[hour]!;
    if (difference !== difference) continue;
    sum += difference;
    squares += difference * difference;
    count += 1;
  }
  return count > 0 && count >= hoursShareMin * a.length
    ? Math.max(0, squares - (sum * sum) / count) * (a.length / count)
    : Number.POSITIVE_INFINITY;
};

/** Hours of the reference days of the kinds that are compared. */
export type ReferenceHours = OwnDistances & {
  readonly rows: readonly Float64Array[];
  /** For each of them, whether it is no working day. */
  readonly isFree: readonly boolean[];
  /** Whether a kind of day without reference days has no score. Earlier: that by the days before. */
  readonly needsLikeDays: boolean;
  /** Limit on the shape over the limit on the score of the hours. */
  readonly factor: number;
};

/** @param scaled days on the log scale, in the order of the facts */
export const referenceHours = (
  scaled: readonly Float64Array[],
  { distances, free, factor, only }: HourFacts,
  { needsLikeDays }: Pick<EngineRules, 'needsLikeDays'>,
): ReferenceHours => {
  const freePlaces = new Set(free);
  const compared = scaled
    .map((values, place) => ({ values, isFree: freePlaces.has(place) }))
    .filter(({ isFree }) => only === undefined || isFree === (only === 'free'));
  return {
    ...ownDistances(distances),
    rows: compared.map(({ values }) => hoursOf(values)),
    isFree: compared.map(({ isFree }) => isFree),
    needsLikeDays,
    factor,
  };
};

/**
 * Score of the hours of a day: their distance at the same level from the nearest days of its kind, over what is usual,
 * in units of the limit on the shape. 0 when too few days of the kind are known.
 * @param limit   largest allowed shape score
 * @param before  days before of the same kind on the log scale
 * @param isExact whether the score is needed; otherwise 0 stands for any score within the limit
 */
export const hourlyScore = (
  { scaled, working }: { readonly scaled: Float64Array; readonly working: boolean },
  reference: ReferenceHours,
  { limit, before }: { readonly limit: number; readonly before: () => readonly Float64Array[] },
  isExact: boolean,
): number => {
  const { rows, isFree, distances, median, least, factor } = reference;
  if (reference.needsLikeDays && !isFree.includes(!working)) return 0;
  const hours = hoursOf(scaled);
  const width = hours.length;
  const nearest = noneNearest();
  for (let row = 0; row < rows.length; row += 1) {
    if (isFree[row] === working) continue;
    addNearest(nearest, squaredAtOneLevel(hours, rows[row]!), distances[row]!);
    if (!isExact && isWithin(nearest, width, reference, limit / factor)) return 0;
  }
  for (const other of before())
    addNearest(nearest, squaredAtOneLevel(hours, hoursOf(other)), Math.max(least, median));
  const score = factor * relativeDistance(nearest, width, median);
  return score < Number.POSITIVE_INFINITY ? score : 0;
};
