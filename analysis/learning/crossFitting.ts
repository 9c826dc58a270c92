import { clustersOf, learn, nearestCurve, smoothedDays, type Learned, type Smoothed } from './learn.js';
import type { Prepared, ScaledCurve } from './prepare.js';
import { sharesOf } from '../checking/scores.js';
import { fromScale } from '../math/logScale.js';
import { tolerancesOf, type Tolerance } from './tolerances.js';
import { unusualDays } from './outliers.js';

/** A block of the reference left out, and the other days made ready to be learned from without it. */
export type Fold = { readonly block: number; readonly smoothed: Smoothed };

/**
 * The blocks of a reference (reference.ts), each left out once; unusual days are found anew without it. A reference of
 * one day has nothing beside it, so that day is kept.
 */
export const foldsOf = (prepared: Prepared): Fold[] => {
  const blocks = [...new Set(prepared.days.map(day => day.block))];
  return blocks.map(block => {
    prepared.checkStop();
    const others = prepared.days.map(day => day.block !== block || blocks.length === 1);
    const unusual = unusualDays(prepared, others);
    const included = others.map((other, index) => other && !unusual.has(index));
    return { block, smoothed: smoothedDays(prepared, included) };
  });
};

/** What would have been expected of a day had its block not been in the reference. */
export type LeftOutDay = {
  readonly index: number;
  readonly learned: Learned;
  readonly model: number;
  /** Whether the model that was planned is the one that the day is nearest to. */
  readonly hit: boolean;
};

/**
 * Every day of the reference as it would have been planned by models that were learned without its block: blocks
 * (cross-fitting), since days that follow one another are alike and single days left out would flatter.
 * @param clusters of the days of a fold, in their order
 */
export const leaveOut = (
  prepared: Prepared,
  folds: readonly Fold[],
  clusters: (fold: Fold) => readonly number[],
): LeftOutDay[] => {
  const left: LeftOutDay[] = [];
  for (const fold of folds) {
    prepared.checkStop();
    const learned = learn(prepared, fold.smoothed, clusters(fold));
    prepared.days.forEach((day, index) => {
      if (day.block !== fold.block) return;
      const model = learned.plan(prepared.rows[index]!);
      left.push({ index, learned, model, hit: nearestCurve(day.scaled, learned.curves) === model });
    });
  }
  return left.sort((a, b) => a.index - b.index);
};

/** Days with their own clusters in each fold: nothing of a block has a part in what is expected of it. */
export const leaveOutWhole = (
  prepared: Prepared,
  folds: readonly Fold[],
  modelCount: number,
  seed: number,
): LeftOutDay[] =>
  leaveOut(prepared, folds, fold => clustersOf(fold.smoothed, modelCount, seed, prepared.checkStop));

/** Share of days that are nearest to the model that was planned for them. */
export const hitRate = (left: readonly LeftOutDay[]): number =>
  left.filter(({ hit }) => hit).length / left.length;

/**
 * How far days are from the curves planned for them: the mean absolute error over all usable slices, in the source's
 * unit, as a share of the mean magnitude there. 0 for a source that is always 0.
 */
export const plannedLoss = ({ days, scale }: Prepared, left: readonly LeftOutDay[]): number => {
  const curves = new Map<Float64Array, Float64Array>();
  let error = 0;
  let size = 0;
  for (const { index, learned, model } of left) {
    const scaled = learned.curves[model]!;
    const curve = curves.get(scaled) ?? scaled.map(y => fromScale(scale, y));
    curves.set(scaled, curve);
    const { activity, usable } = days[index]!;
    activity.forEach((value, slice) => {
      if (!usable[slice]) return;
      error += Math.abs(value - curve[slice]!);
      size += Math.abs(value);
    });
  }
  return size > 0 ? error / size : 0;
};

/** What a left-out day uses of the tolerance round the curve that was planned for it. */
export type LeftOutShares = {
  readonly shares: Float64Array;
  readonly tolerance: Tolerance;
  readonly curve: Float64Array;
};

/** Shares of the tolerance that left-out days use, by models that have not seen their blocks; in their order. */
export const leftOutShares = (prepared: Prepared, left: readonly LeftOutDay[]): LeftOutShares[] => {
  const tolerances = new Map<Learned, Tolerance[]>();
  return left.map(({ index, learned, model }) => {
    const known = tolerances.get(learned) ?? tolerancesOf(prepared, learned);
    tolerances.set(learned, known);
    const curve = learned.curves[model]!;
    const tolerance = known[model]!;
    return {
      shares: sharesOf(residualsOf(prepared.days[index]!.scaled, curve), tolerance),
      tolerance,
      curve,
    };
  });
};

/** How far a day lies above a curve, slice by slice; NaN where not observed. */
export const residualsOf = (scaled: ScaledCurve, curve: ScaledCurve): Float64Array =>
  scaled.map((y, slice) => y - curve[slice]!);
