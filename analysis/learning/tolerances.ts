import type { Tolerance } from '../checking/scores.js';
import { movedProfile } from '../covariates/effectOn.js';
import { oncePer } from '../math/oncePer.js';
import { exp, ln, type LogScale } from '../math/portableMath.js';
import type { Learned } from './learn.js';
import type { PreparedReference, ScaledProfile } from './prepare.js';
import type { SimilarityWeights } from './similarityWeights.js';
import { valueAt, type Repeated } from '../math/statistics.js';

/** Quantile of the residuals that is the upper end; the lower one is the same quantile from below. */
const quantile = 0.9;

/** Upper and lower end of the residuals of one slice, ≥ 0. */
export type Ends = readonly [up: number, down: number];

/** Days of a model with its profile, and how often each day counts, ≥ 1. Values are NaN in slices without one. */
type Members = {
  readonly profile: ScaledProfile;
  readonly days: readonly ScaledProfile[];
  readonly times: Int32Array;
};

/** Ends of the residuals by slice: of each model, and pooled over all models; 0 in slices without a residual. */
export const residualEnds = (
  models: readonly Members[],
  slices: number,
): { readonly own: readonly (readonly Ends[])[]; readonly pooled: readonly Ends[] } => ({
  own: models.map(model => endsBySlice([model], slices)),
  pooled: endsBySlice(models, slices),
});

/** Some residuals; `count` is their number with their repetitions. */
type Tail = Repeated & { count: number };

/** Residuals of one slice at either end: a quantile near an end needs no others. `count` is the number of all. */
type Tails = { readonly low: Tail; readonly high: Tail; count: number };

/** Share of the end of a slice from which on residuals of the next slice are kept: ends change little. */
const keptShare = 0.6;

const endsBySlice = (models: readonly Members[], slices: number): Ends[] => {
  const size = models.reduce((sum, { days }) => sum + days.length, 0);
  const tails: Tails = { low: emptyTail(size), high: emptyTail(size), count: 0 };
  const all: Ends = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let ends: Ends = [0, 0];
  return Array.from({ length: slices }, (_, slice) => {
    gather(models, slice, [keptShare * ends[0], keptShare * ends[1]], tails);
    if (!hasEnds(tails)) gather(models, slice, all, tails);
    ends = endsOf(tails);
    return ends;
  });
};

const emptyTail = (size: number): Tail => ({
  values: new Float64Array(size),
  times: new Int32Array(size),
  size: 0,
  count: 0,
});

/** Writes the residuals of a slice that are at least `up` above or at least `down` below 0. */
const gather = (models: readonly Members[], slice: number, [up, down]: Ends, tails: Tails): void => {
  const { low, high } = tails;
  for (const tail of [low, high]) tail.size = tail.count = 0;
  tails.count = 0;
  for (const { profile, days, times } of models) {
    const expected = profile[slice]!;
    for (let at = 0; at < days.length; at += 1) {
      const residual = days[at]![slice]! - expected;
      if (residual !== residual) continue;
      tails.count += times[at]!;
      if (residual >= up) keep(high, residual, times[at]!);
      if (residual <= -down) keep(low, residual, times[at]!);
    }
  }
};

const keep = (tail: Tail, residual: number, times: number): void => {
  tail.values[tail.size] = residual;
  tail.times[tail.size] = times;
  tail.size += 1;
  tail.count += times;
};

/** Places of the two quantiles among all residuals in ascending order, with fractions. */
const placesOf = (count: number): Ends => [(count - 1) * quantile, (count - 1) * (1 - quantile)];

/** Whether the tails contain both quantiles: the values at their places and at the next ones. */
const hasEnds = ({ low, high, count }: Tails): boolean => {
  const [up, down] = placesOf(count);
  return count - high.count <= up && Math.min(count, Math.floor(down) + 2) <= low.count;
};

const endsOf = ({ low, high, count }: Tails): Ends => {
  if (count === 0) return [0, 0];
  const [up, down] = placesOf(count);
  const upPlace = Math.floor(up);
  const downPlace = Math.floor(down);
  const left = count - high.count;
  return [
    Math.max(0, valueAt(high, upPlace - left, up - upPlace)),
    Math.max(0, -valueAt(low, downPlace, down - downPlace)),
  ];
};

/** A model with this many days uses its own residuals and those of all models in equal parts. */
const pooledDays = 100;

/** Smallest tolerance, as a share of the mean tolerance of the model, or of half the mean of all models. */
const floorShare = 0.25;

/** Smallest tolerance, as a share of the mean activity at mean activity: smaller changes matter to no user. */
const floorActivity = 0.0075;

/** Smallest tolerance on a log scale. */
export const toleranceMin = ({ offset }: Pick<LogScale, 'offset'>): number => floorActivity / (1 + offset);

/** Standard deviation in hours of the smoothing over neighbouring slices; the day is treated as a circle. */
const smoothingHours = 1;

/** Weeks by which seasons may come earlier or later than in the reference. */
const seasonShifts = [-8, -4, 0, 4, 8];

/** Exponent of the tolerance of the slice in the geometric mean with the mean tolerance of the day. */
const sliceExponent = 0.7;

/**
 * Tolerances of each model on the log scale, > 0. They are quantiles of the residuals of ordinary days planned to
 * follow the model, also with seasons shifted by up to eight weeks. Up and down differ, since activity has a longer
 * upper tail.
 */
export const tolerancesOf = (prepared: PreparedReference, learned: Learned): Tolerance[] => {
  const { slices, scale } = prepared;
  const floor = toleranceMin(scale);
  const members = membersOf(prepared, learned);
  const { own, pooled } = residualEnds(members, slices);
  const pooledMean = mean(pooled.flat());
  return learned.profiles.map((_, model) => {
    const count = members[model]!.times.reduce((sum, times) => sum + times, 0) / seasonShifts.length;
    const weight = count / (count + pooledDays);
    const blend = (side: 0 | 1): ScaledProfile =>
      Float64Array.from(
        pooled,
        (all, slice) => own[model]![slice]![side] * weight + all[side] * (1 - weight),
      );
    const up = blend(0);
    const down = blend(1);
    const least = Math.max(floor, floorShare * Math.max((mean(up) + mean(down)) / 2, pooledMean / 2));
    const finished = (side: ScaledProfile): ScaledProfile => {
      const smooth = smoothed(
        side.map(value => Math.max(value, least)),
        (smoothingHours * slices) / 24,
      );
      const logMean = ln(mean(smooth));
      return smooth.map(value => exp(sliceExponent * ln(value) + (1 - sliceExponent) * logMean));
    };
    return { up: finished(up), down: finished(down) };
  });
};

/** Similarity weights of the dates that ordinary reference days have in all shifted seasons, each date once. */
type ShiftedDates = {
  readonly similar: readonly SimilarityWeights[];
  /** For each reference day, the places of its dates among those; none for days that are not ordinary. */
  readonly placesOf: readonly (readonly number[])[];
};

/** Found once for each reference: the models of all folds are planned for the same dates. */
const shiftedDatesOf = oncePer(
  ({ days, weightsFor, isOrdinary, shifted }: PreparedReference): ShiftedDates => {
    const places = new Map<number, number>();
    const placeOf = (date: number): number => {
      const place = places.get(date) ?? places.size;
      places.set(date, place);
      return place;
    };
    const placesOf = days.map(({ number, ordinary }) =>
      ordinary
        ? seasonShifts.flatMap(weeks => {
            const date = shifted(number, 7 * weeks);
            return date !== undefined && isOrdinary(date) ? placeOf(date) : [];
          })
        : [],
    );
    return { similar: [...places.keys()].map(weightsFor), placesOf };
  },
);

/** Days of each model, once for every season shift that plans the model for them. */
const membersOf = (prepared: PreparedReference, learned: Learned): readonly Members[] => {
  const { profiles, expected, plan } = learned;
  const { similar, placesOf } = shiftedDatesOf(prepared);
  const planned = similar.map(plan);
  const times = profiles.map(() => new Int32Array(placesOf.length));
  placesOf.forEach((places, index) => {
    if (expected[index] === null) return;
    for (const place of places) times[planned[place]!]![index]! += 1;
  });
  return times.map((counts, model) => {
    const days: ScaledProfile[] = [];
    counts.forEach((count, index) => {
      if (count > 0) days.push(withoutEffect(prepared, learned, index, model));
    });
    return { profile: profiles[model]!, days, times: counts.filter(count => count > 0) };
  });
};

/** A reference day as it would have been at the usual values of the covariates of a model. */
const withoutEffect = (
  { days, scale }: PreparedReference,
  { profiles, effect }: Learned,
  day: number,
  model: number,
): ScaledProfile => {
  const { scaled } = days[day]!;
  if (!effect) return scaled;
  const profile = profiles[model]!;
  const moved = movedProfile(scale, profile, effect(day, model));
  return scaled.map((y, slice) => y - (moved[slice]! - profile[slice]!));
};

const mean = (values: ArrayLike<number>): number => {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += values[index]!;
  return total / values.length;
};

/** Gaussian smoothing of a circle of values. @param deviation standard deviation in slices */
const smoothed = (values: ScaledProfile, deviation: number): ScaledProfile => {
  const reach = Math.ceil(3 * deviation);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, at) => {
    const distance = (at - reach) / deviation;
    return exp((-distance * distance) / 2);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const size = values.length;
  return values.map((_, slice) => {
    let sum = 0;
    weights.forEach((weight, at) => {
      sum += weight * values[(((slice + at - reach) % size) + size) % size]!;
    });
    return sum / total;
  });
};
