import { dayNumber } from '../../domain/dates.js';
import { completeness, usable, type Day } from '../../domain/day.js';
import type { CheckFacts, Limits, Model } from '../../domain/models.js';
import type { DayPlan } from '../../domain/planning.js';
import { changeDays, changeFrom, levelBefore } from './recentBaseline.js';
import { shiftOf } from './levelShift.js';
import {
  awayShare,
  jointScore,
  scoresOf,
  sharesOf,
  usedOf,
  type ScoreLimits,
  type Scores,
} from './scores.js';
import { toScale } from '../math/logScale.js';

/** What a day is compared with. */
export type Comparison = {
  /** The source's models, of the day's length. */
  readonly models: readonly Model[];
  /** What was measured beside them; null for models that people supplied. */
  readonly checks: CheckFacts | null;
  /** Median completeness of the reference days, 0–1. */
  readonly completeness: number;
  readonly plan: (date: string) => DayPlan;
};

/** A recent day before the one that is checked, and whether it was outside its limits as a whole stretch of days. */
export type DayBefore = { readonly day: Day; readonly drifting: boolean };

/** A day with less than this share of the reference's completeness is not compared. */
export const gapShare = 0.5;

/** A shift counts when it alone uses so much of a bound, in a season that the reference has seen. */
const shiftShare = 0.3;

/** How unseen a season is from which on every shift counts: 20 days. */
const unseenShift = 20 / 90;

/** A model on its tolerance scale: its curve, and the distances from there to its bounds. */
type ScaledModel = { readonly centre: Float64Array; readonly up: Float64Array; readonly down: Float64Array };

/** Kept with the model: a check compares many days with few models. */
const scaledModels = new WeakMap<Model, ScaledModel>();

/** The scaled model of a model with limits. */
export const scaledOf = (model: Model, limits: Limits): ScaledModel => {
  const known = scaledModels.get(model);
  if (known) return known;
  const centre = Float64Array.from(model.activity, value => toScale(limits, value));
  const to = (bounds: readonly number[]): Float64Array =>
    Float64Array.from(bounds, (value, slice) => Math.abs(toScale(limits, value) - centre[slice]!));
  const scaled = { centre, up: to(model.topTolerance), down: to(model.bottomTolerance) };
  scaledModels.set(model, scaled);
  return scaled;
};

/** Kept with the day, for its model: each day is one of those before the 28 days after it. */
const keptResiduals = new WeakMap<Day, { readonly model: Model; readonly residuals: Float64Array }>();

/** Residuals of a day against a model on the tolerance scale; NaN where a slice was not observed. */
export const residualsOf = (day: Day, model: Model, limits: Limits): Float64Array => {
  const known = keptResiduals.get(day);
  if (known?.model === model) return known.residuals;
  const flags = usable(day);
  const { centre } = scaledOf(model, limits);
  const residuals = Float64Array.from(day.activity, (value, slice) =>
    flags[slice] ? toScale(limits, value) - centre[slice]! : Number.NaN,
  );
  keptResiduals.set(day, { model, residuals });
  return residuals;
};

/** Residuals less what the source has moved by. */
const shifted = (residuals: Float64Array, shift: Float64Array): Float64Array =>
  residuals.map((residual, slice) => residual - shift[slice]!);

/** A day before the one that is checked, beside the model that was planned for it. */
type Past = {
  readonly apart: number;
  readonly alike: boolean;
  readonly residuals: Float64Array;
  readonly reach: ScaledModel;
};

/** The days before that were observed enough to be compared with their models. */
export const pastOf = (
  { date }: Day,
  { working }: DayPlan,
  { models, plan: planOf, completeness: complete }: Comparison,
  before: readonly DayBefore[],
): Past[] => {
  const number = dayNumber(date);
  return before.flatMap(({ day }) => {
    const plan = planOf(day.date);
    const model = models.find(({ id }) => id === plan.modelId);
    if (!model?.limits || completeness(day) < gapShare * complete) return [];
    return {
      apart: number - dayNumber(day.date),
      alike: plan.working === working,
      residuals: residualsOf(day, model, model.limits),
      reach: scaledOf(model, model.limits),
    };
  });
};

const levelOf = (past: readonly Past[]): Float64Array | null =>
  levelBefore(
    past
      .filter(({ apart }) => apart <= changeDays)
      .map(({ apart, alike, residuals, reach }) => ({ apart, alike, shares: sharesOf(residuals, reach) })),
  );

/** A day beside its planned model: its shares, its scores and what they use of the limits they must stay within. */
export type Beside = {
  readonly reach: ScaledModel;
  readonly residuals: Float64Array;
  readonly shares: Float64Array;
  readonly scores: Scores;
  /** Where the days before lay, and the scores of the change from there; null where they tell nothing. */
  readonly level: Float64Array | null;
  readonly change: Scores | null;
  readonly within: ScoreLimits;
  readonly used: ScoreLimits;
};

/** A model's limits as scores must keep them. @param widening how many times as wide they are, ≥ 1 */
export const withinOf = (
  { window, day, windowChange, dayChange }: Limits,
  widening: number,
): ScoreLimits => ({
  slice: widening,
  window: window * widening,
  day: day * widening,
  windowChange: (windowChange ?? Number.POSITIVE_INFINITY) * widening,
  dayChange: (dayChange ?? Number.POSITIVE_INFINITY) * widening,
});

/**
 * Puts a day beside its planned model.
 * @param widening how many times as wide the limits are, ≥ 1
 * @param past     the days before; asked for only where they can tell something
 */
export const besideOf = (
  day: Day,
  planned: Model,
  limits: Limits,
  widening: number,
  past: () => readonly Past[],
): Beside => {
  const within = withinOf(limits, widening);
  const reach = scaledOf(planned, limits);
  const residuals = residualsOf(day, planned, limits);
  const shares = sharesOf(residuals, reach);
  const scores = scoresOf(shares, limits.windowHours);
  // So near its model a day breaks no limit, whatever the days before were.
  const level = jointScore(scores, null, within) < awayShare ? null : levelOf(past());
  const change = level && scoresOf(changeFrom(level, shares), limits.windowHours);
  return { reach, residuals, shares, scores, level, change, within, used: usedOf(scores, change, within) };
};

/** Whether a day would keep its limits were its model moved as the days before were, and they were moved at all. */
export const movedAsBefore = (
  { reach, residuals, within, used }: Beside,
  past: readonly Past[],
  plan: DayPlan,
  { windowHours }: Limits,
): boolean => {
  if (used.windowChange > 1 || used.dayChange > 1) return false;
  const alike = past.flatMap(({ alike, residuals }) => (alike ? [residuals] : []));
  const shift = shiftOf(alike, plan.working);
  if (!shift) return false;
  const needed = shiftShare * (1 - Math.min(1, plan.unseen / unseenShift));
  const scoresAt = (at: Float64Array): Scores => scoresOf(sharesOf(at, reach), windowHours);
  return (
    Math.abs(scoresAt(shift).slice) / within.slice >= needed &&
    jointScore(scoresAt(shifted(residuals, shift)), null, within) <= 1
  );
};
