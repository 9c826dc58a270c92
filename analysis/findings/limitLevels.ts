import { residualLimits, type ResidualLimit, type Stretch } from '../../domain/alerts/findings.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import { fromScale } from '../math/portableMath.js';
import { widened } from '../checking/dayScores.js';
import { scaledModelOf, type ScaledModel } from '../checking/scores.js';

/** A limit on residuals as two lines of a chart, in the unit of the source: a day on one of them just keeps it. */
export type LimitLevels = {
  readonly limit: ResidualLimit;
  readonly lower: readonly number[];
  readonly upper: readonly number[];
};

/**
 * Values of a day, in the unit of the source, with given normalised residuals by slice.
 * @param stretch slices to compute, by default all; the others are 0
 */
export const valuesAt = (
  { profile, up, down }: ScaledModel,
  limits: Limits,
  normalisedAt: (slice: number) => number,
  { from, to }: Stretch = { from: 0, to: profile.length },
): number[] => {
  const values = new Array<number>(profile.length).fill(0);
  for (let slice = from; slice < to; slice += 1) {
    const normalised = normalisedAt(slice);
    const tolerance = normalised > 0 ? up[slice]! : down[slice]!;
    values[slice] = fromScale(limits, profile[slice]! + normalised * tolerance);
  }
  return values;
};

/** Whether a limit is set on the change from the days before. */
export const isOnChange = (limit: ResidualLimit): boolean =>
  limit === 'windowChange' || limit === 'dayChange';

/** A model, and the slices of a line: all without a stretch. */
type Line = { readonly model: ScaledModel; readonly limits: Limits; readonly stretch?: Stretch };

/** One line of a limit: the upper one for sign 1, the lower one for sign −1. */
export const limitLevel = (
  { model, limits, stretch }: Line,
  limit: ResidualLimit,
  signedLimit: number,
  baseline: ArrayLike<number> | null,
): number[] =>
  valuesAt(model, limits, slice => (isOnChange(limit) ? (baseline?.[slice] ?? 0) : 0) + signedLimit, stretch);

/**
 * The limits of a model on a day as lines of a chart. Models that people supplied have their bounds only.
 * @param widening factor on all limits of an automatic model, ≥ 1
 * @param baseline level of the days before as normalised residuals; without it there are no limits on changes
 */
export const limitLevels = (
  model: Model,
  widening: number,
  baseline: ArrayLike<number> | null,
): LimitLevels[] => {
  const { limits, bottomTolerance, topTolerance } = model;
  if (!limits) return [{ limit: 'slice', lower: bottomTolerance, upper: topTolerance }];
  const scoreLimits = widened(limits, widening);
  const scaled = { model: scaledModelOf(model, limits), limits };
  return residualLimits
    .filter(limit => Number.isFinite(scoreLimits[limit]) && (!isOnChange(limit) || baseline !== null))
    .map(limit => ({
      limit,
      lower: limitLevel(scaled, limit, -scoreLimits[limit], baseline),
      upper: limitLevel(scaled, limit, scoreLimits[limit], baseline),
    }));
};
