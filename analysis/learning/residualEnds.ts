import { valueAt, type Repeated } from '../math/statistics.js';
import type { ScaledProfile } from './prepare.js';

/** Quantile of the residuals that is the upper end; the lower one is the same quantile from below. */
const quantile = 0.9;

/** Upper and lower end of the residuals of one slice, ≥ 0. */
export type Ends = readonly [up: number, down: number];

/** Days of a model with its profile, and how often each day counts, ≥ 1. Values are NaN in slices without one. */
export type Members = {
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
