import { exp, ln } from '../math/exactLog.js';
import type { Learned } from './learn.js';
import type { Prepared, ScaledCurve } from './prepare.js';
import { sortedQuantile } from '../math/statistics.js';

/** How far days usually lie above and below a model, slice by slice, on the tolerance scale; > 0. */
export type Tolerance = { readonly up: Float64Array; readonly down: Float64Array };

/** The quantile of residuals that is a tolerance, above; below it is the same from the other end. */
const quantile = 0.9;

/** A model with so many days relies on its own residuals for half, on those of all models for the rest. */
const pooledDays = 100;

/** A tolerance is at least this share of the mean one of its model (or of half the mean of all). */
const floorShare = 0.25;

/** And at least so much of the mean activity, where the activity is the mean: less is no difference to anybody. */
const floorActivity = 0.0075;

/** Smoothing over neighbouring slices, standard deviation in hours, round the day. */
const smoothingHours = 1;

/** Weeks by which the seasons may come earlier or later than in the reference year. */
const seasonShifts = [-8, -4, 0, 4, 8];

/** How much of a tolerance is the slice's own, the rest is the mean of its day: a geometric mean. */
const ownShare = 0.7;

/**
 * The tolerances of each model, from the days that were learned from and are planned to follow it, or would be were
 * they up to eight weeks earlier or later: a spring comes early in one year and late in another. Ordinary dates only. Above and below are told apart, since activity has a longer tail upwards.
 */
export const tolerancesOf = (prepared: Prepared, learned: Learned): Tolerance[] => {
  const { slices, scale } = prepared;
  const floor = floorActivity / (1 + scale.offset);
  const { curves } = learned;
  const members = membersOf(prepared, learned);
  const at = Array.from({ length: slices }, (_, slice) => slice);
  const own: (readonly [up: number, down: number])[][] = curves.map(() => []);
  const pooled: (readonly [up: number, down: number])[] = [];
  const residuals = new Float64Array(members.reduce((sum, of) => sum + of.length, 0));
  for (const slice of at) {
    let end = 0;
    members.forEach((of, model) => {
      const centre = curves[model]![slice]!;
      const begin = end;
      for (const day of of) {
        const residual = day[slice]! - centre;
        if (residual === residual) residuals[end++] = residual;
      }
      own[model]!.push(ends(residuals.slice(begin, end)));
    });
    pooled.push(ends(residuals.slice(0, end)));
  }
  const pooledMean = mean(pooled.flat());
  return curves.map((_, model) => {
    const count = members[model]!.length / seasonShifts.length;
    const weight = count / (count + pooledDays);
    const blend = (side: 0 | 1): ScaledCurve =>
      Float64Array.from(
        at,
        slice => own[model]![slice]![side] * weight + pooled[slice]![side] * (1 - weight),
      );
    const [up, down] = [blend(0), blend(1)];
    const least = Math.max(floor, floorShare * Math.max((mean(up) + mean(down)) / 2, pooledMean / 2));
    const finished = (side: ScaledCurve): ScaledCurve => {
      const smooth = smoothed(
        side.map(value => Math.max(value, least)),
        (smoothingHours * slices) / 24,
      );
      const level = ln(mean(smooth));
      return smooth.map(value => exp(ownShare * ln(value) + (1 - ownShare) * level));
    };
    return { up: finished(up), down: finished(down) };
  });
};

/** The ends of residuals, which are put in order: how far up and down they usually lie. */
const ends = (residuals: Float64Array): readonly [up: number, down: number] => {
  if (residuals.length === 0) return [0, 0];
  residuals.sort();
  return [
    Math.max(0, sortedQuantile(residuals, quantile)),
    Math.max(0, -sortedQuantile(residuals, 1 - quantile)),
  ];
};

/** The days of each model, once for every week's shift that makes them planned to follow it. */
const membersOf = (
  { days, rowOf, isOrdinary }: Prepared,
  { curves, expected, plan }: Learned,
): readonly ScaledCurve[][] => {
  const members: ScaledCurve[][] = curves.map(() => []);
  const planned = new Map<number, number>();
  const planOf = (date: number): number => {
    const model = planned.get(date) ?? plan(rowOf(date));
    planned.set(date, model);
    return model;
  };
  days.forEach(({ number, ordinary, scaled }, index) => {
    if (!ordinary || expected[index] === null) return;
    for (const weeks of seasonShifts)
      if (isOrdinary(number + 7 * weeks)) members[planOf(number + 7 * weeks)]!.push(scaled);
  });
  return members;
};

const mean = (values: ArrayLike<number>): number => {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += values[index]!;
  return total / values.length;
};

/** Gaussian smoothing round the day, `deviation` in slices. */
const smoothed = (values: ScaledCurve, deviation: number): ScaledCurve => {
  const reach = Math.ceil(3 * deviation);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, at) => {
    const apart = (at - reach) / deviation;
    return exp((-apart * apart) / 2);
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
