import type { Tolerance } from '../checking/scores.js';
import { movedProfile } from '../covariates/effectShape.js';
import { exp, ln } from '../math/portableMath.js';
import { repeatedQuantile } from '../math/statistics.js';
import type { Learned } from './learn.js';
import type { PreparedReference, ScaledProfile } from './prepare.js';

/** Quantile of the residuals that is the upper tolerance; the lower one is the same quantile from below. */
const quantile = 0.9;

/** A model with this many days uses its own residuals and those of all models in equal parts. */
const pooledDays = 100;

/** Smallest tolerance, as a share of the mean tolerance of the model, or of half the mean of all models. */
const floorShare = 0.25;

/** Smallest tolerance, as a share of the mean activity at mean activity: smaller changes matter to no user. */
const floorActivity = 0.0075;

/** Standard deviation in hours of the smoothing over neighbouring slices; the day is treated as a circle. */
const smoothingHours = 1;

/** Weeks by which seasons may come earlier or later than in the reference. */
const seasonShifts = [-8, -4, 0, 4, 8];

/** Exponent of the tolerance of the slice in the geometric mean with the mean tolerance of the day. */
const sliceExponent = 0.7;

/** Upper and lower end of the residuals of one slice, ≥ 0. */
type Ends = readonly [up: number, down: number];

/**
 * Tolerances of each model on the log scale, > 0. They are quantiles of the residuals of ordinary days planned to
 * follow the model, also with seasons shifted by up to eight weeks. Up and down differ, since activity has a longer
 * upper tail.
 */
export const tolerancesOf = (prepared: PreparedReference, learned: Learned): Tolerance[] => {
  const { slices, scale } = prepared;
  const floor = floorActivity / (1 + scale.offset);
  const members = membersOf(prepared, learned);
  const { own, pooled } = residualEnds(learned, members, slices);
  const pooledMean = mean(pooled.flat());
  return learned.profiles.map((_, model) => {
    const count = members[model]!.times.reduce((sum, times) => sum + times, 0) / seasonShifts.length;
    const weight = count / (count + pooledDays);
    const blend = (side: 0 | 1): ScaledProfile =>
      Float64Array.from(
        pooled,
        (all, slice) => own[model]![slice]![side] * weight + all[side] * (1 - weight),
      );
    const [up, down] = [blend(0), blend(1)];
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

/** Days of a model, and how often each counts. */
type Members = { readonly days: readonly ScaledProfile[]; readonly times: Int32Array };

/** Ends of the residuals by slice: of each model by its members, and pooled over all models. */
const residualEnds = (
  { profiles }: Learned,
  members: readonly Members[],
  slices: number,
): { readonly own: readonly Ends[][]; readonly pooled: readonly Ends[] } => {
  const own: Ends[][] = profiles.map(() => []);
  const pooled: Ends[] = [];
  const count = members.reduce((sum, { days }) => sum + days.length, 0);
  const residuals = new Float64Array(count);
  const times = new Int32Array(count);
  for (let slice = 0; slice < slices; slice += 1) {
    let end = 0;
    members.forEach((member, model) => {
      const expected = profiles[model]![slice]!;
      const begin = end;
      for (let at = 0; at < member.days.length; at += 1) {
        const residual = member.days[at]![slice]! - expected;
        if (residual !== residual) continue;
        residuals[end] = residual;
        times[end++] = member.times[at]!;
      }
      // Views of the buffer, which quantiles may reorder.
      own[model]!.push(endsOf(residuals.subarray(begin, end), times.subarray(begin, end)));
    });
    pooled.push(endsOf(residuals.subarray(0, end), times.subarray(0, end)));
  }
  return { own, pooled };
};

/** Ends of some residuals, each of which counts some times. Reorders both in place. */
const endsOf = (residuals: Float64Array, times: Int32Array): Ends =>
  residuals.length === 0
    ? [0, 0]
    : [
        Math.max(0, repeatedQuantile(residuals, times, quantile)),
        Math.max(0, -repeatedQuantile(residuals, times, 1 - quantile)),
      ];

/** Days of each model, once for every season shift that plans the model for them. */
const membersOf = (
  { days, scale, weightsFor, isOrdinary }: PreparedReference,
  { profiles, expected, plan, effect }: Learned,
): readonly Members[] => {
  const times = profiles.map(() => new Int32Array(days.length));
  const known = new Map<number, number>();
  /** A day as it would have been at the usual values of the covariates. */
  const withoutEffect = (scaled: ScaledProfile, model: number, moved: number): ScaledProfile => {
    const profile = profiles[model]!;
    const expectedThen = movedProfile(scale, profile, moved);
    return scaled.map((y, slice) => y - (expectedThen[slice]! - profile[slice]!));
  };
  const planOf = (date: number): number => {
    const model = known.get(date) ?? plan(weightsFor(date));
    known.set(date, model);
    return model;
  };
  days.forEach(({ number, ordinary }, index) => {
    if (!ordinary || expected[index] === null) return;
    for (const weeks of seasonShifts)
      if (isOrdinary(number + 7 * weeks)) times[planOf(number + 7 * weeks)]![index]! += 1;
  });
  return times.map((counts, model) => ({
    days: days.flatMap(({ scaled }, index) => {
      if (counts[index] === 0) return [];
      return [effect ? withoutEffect(scaled, model, effect(index, model)) : scaled];
    }),
    times: counts.filter(count => count > 0),
  }));
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
