import type { TypicalDays } from '../domain/models.js';
import { commonCurve, type Curve } from './curves.js';
import type { HeldOut } from './heldOut.js';
import type { Reference } from './reference.js';
import { quantiles } from './statistics.js';

/** The bounds of each model, a value a slice, and how they came about. */
export type Bands = {
  readonly top: readonly Curve[];
  readonly bottom: readonly Curve[];
  readonly bounds: TypicalDays['bounds'];
};

/** Half-widths of a model's band before the threshold multiplies them: upwards and downwards, ≥ 0. */
type Scales = { readonly up: Curve; readonly down: Curve };

/** Level aimed at, in hundredths so that its rank is exact arithmetic. */
const levelHundredths = 99;

/** The scale is where a tenth of the residuals lie farther out: steady, and not moved by single odd days. */
const scaleQuantile = 0.9;

/** Days for which a model's own scale counts as much as the whole source's. */
const poolingDays = 100;

/** No slice is narrower than this share of the model's mean scale: nobody trusts a night without any width. */
const floorShare = 0.25;

/**
 * Bounds within which a whole day of a model is ordinary: a simultaneous band, not one slice by slice.
 *
 * Method. The residual of each reference day is against the curve *planned* for it while its block of the year
 * is left out, since the check compares with the planned model too. Per model and slice, upwards and downwards
 * apart, a robust scale (0.9 quantile of residuals, blended with the whole source's for models of few days, and
 * floored). The score of a day is the largest residual over its usable slices, in scales. The threshold is
 * the ceil(0.99 (n + 1))-th smallest score, or the largest where n is too small for that, and the bounds are
 * curve + threshold × upward scale, curve − threshold × downward scale. This is split-conformal prediction with
 * a modulated supremum score: Lei, Rinaldo and Wasserman, "A conformal prediction approach to explore
 * functional data" (2015); Diquigiovanni, Fontana and Vantini, "Conformal prediction bands for multivariate
 * functional data" (2022).
 *
 * Not guaranteed. The theorem asks for days that could change places, and for scores that did not see the day
 * scored. Here days follow seasons, next year need not be like this one, the same days gave the clusters and the
 * scales, and below 99 days the rank does not exist, so that the level is n / (n + 1) at best. `measuredLevel`
 * is the share of the same days inside, after the fact; new years will mostly do a little worse.
 *
 * @param reference the days, n ≥ 1 by m
 * @param curves    the curve of each model, m values
 * @param planned   what each day is compared with, in the reference's order
 * @returns         bottom ≤ curve ≤ top, finite, m values a model, in the source's unit; equal only where all
 *                  reference values of the slice are; bottom ≥ 0 where no reference value is negative
 */
export const bandsOf = (
  reference: Reference,
  curves: readonly Curve[],
  planned: readonly HeldOut[],
): Bands => {
  const scales = scalesOf(reference, curves, planned);
  const { days } = reference;
  const scores = days.map(({ activity, usable }, index) => {
    const { model, curve } = planned[index] ?? { model: 0, curve: [] };
    const { up, down } = scales[model] ?? { up: [], down: [] };
    let score = 0;
    activity.forEach((value, slice) => {
      const residual = value - (curve[slice] ?? 0);
      if (!usable[slice] || residual === 0) return;
      score = Math.max(score, residual > 0 ? residual / (up[slice] ?? 0) : -residual / (down[slice] ?? 0));
    });
    return score;
  });

  const count = scores.length;
  const rank = Math.min(count, Math.ceil(((count + 1) * levelHundredths) / 100));
  // At least one scale wide: days that repeat exactly score 0 and would leave no width at all.
  const threshold = Math.max(1, [...scores].sort((a, b) => a - b)[rank - 1] ?? 1);
  const positive = days.every(day => day.activity.every((value, slice) => !day.usable[slice] || value >= 0));
  const lowest = positive ? 0 : Number.NEGATIVE_INFINITY;
  const band = (side: (scale: Scales, slice: number, value: number) => number): number[][] =>
    curves.map((curve, model) =>
      curve.map((value, slice) => side(scales[model] ?? { up: [], down: [] }, slice, value)),
    );
  return {
    top: band(({ up }, slice, value) => value + threshold * (up[slice] ?? 0)),
    bottom: band(({ down }, slice, value) => Math.max(lowest, value - threshold * (down[slice] ?? 0))),
    bounds: {
      method: 'supremum of residuals in robust scales, planned with the block left out, conformal rank',
      target: levelHundredths / 100,
      guaranteedLevel: null,
      calibrationDays: count,
      measuredLevel: scores.filter(score => score <= threshold).length / count,
      falseAlertsPerYear: (365 * scores.filter(score => score > threshold).length) / count,
      power: { wholeDay: { more: null, less: null }, eightHours: { more: null, less: null } },
    },
  };
};

const scalesOf = (reference: Reference, curves: readonly Curve[], planned: readonly HeldOut[]): Scales[] => {
  const { days, slices } = reference;
  const spread = spreadOf(reference);
  const residualsAt = (slice: number, model: number | null): number[] =>
    days.flatMap(({ activity, usable }, index) => {
      const plan = planned[index];
      const counts = usable[slice] && plan && (model === null || plan.model === model);
      return counts ? (activity[slice] ?? 0) - (plan.curve[slice] ?? 0) : [];
    });
  const sliceIndices = Array.from({ length: slices }, (_, slice) => slice);
  const observed = sliceIndices.map(slice => quantileScales(residualsAt(slice, null)));
  // Of a slice that no day observed nothing is known: it is as wide as the widest.
  const widest = {
    up: observed.reduce((most, of) => Math.max(most, of?.up ?? 0), 0),
    down: observed.reduce((most, of) => Math.max(most, of?.down ?? 0), 0),
  };
  const pooled = observed.map(of => of ?? widest);

  return curves.map((curve, model) => {
    const blended = sliceIndices.map(slice => {
      const residuals = residualsAt(slice, model);
      const all = pooled[slice] ?? widest;
      const own = quantileScales(residuals) ?? all;
      const share = residuals.length / (residuals.length + poolingDays);
      return {
        up: share * own.up + (1 - share) * all.up,
        down: share * own.down + (1 - share) * all.down,
      };
    });
    const floored = (side: 'up' | 'down'): number[] => {
      const mean = blended.reduce((sum, of) => sum + of[side], 0) / slices;
      return blended.map((of, slice) => {
        const width = Math.max(of[side], floorShare * mean);
        // Days that repeat exactly have no residuals; then a little of what the slice varies at all must do.
        const wide = width > 0 ? width : lastResort(spread[slice] ?? 0);
        // Room for the rounding of numbers far from 0, such as means of equal values.
        return wide + 1e-9 * Math.abs(curve[slice] ?? 0);
      });
    };
    return { up: floored('up'), down: floored('down') };
  });
};

/** A hundredth of a spread; of the smallest numbers that would be 0. */
const lastResort = (spread: number): number => Math.max(0.01 * spread, spread > 0 ? Number.MIN_VALUE : 0);

const quantileScales = (
  residuals: readonly number[],
): { readonly up: number; readonly down: number } | undefined => {
  if (residuals.length === 0) return undefined;
  const [low, high] = quantiles(residuals, [1 - scaleQuantile, scaleQuantile]);
  return { up: Math.max(0, high ?? 0), down: Math.max(0, -(low ?? 0)) };
};

/** Mean absolute distance of a slice's values from their median: 0 only where they are all equal. */
const spreadOf = (reference: Reference): number[] =>
  commonCurve(reference).map((centre, slice) => {
    const there = reference.days.filter(day => day.usable[slice]);
    const total = there.reduce((sum, day) => sum + Math.abs((day.activity[slice] ?? 0) - centre), 0);
    return total > 0 ? Math.max(total / there.length, Number.MIN_VALUE) : 0;
  });
