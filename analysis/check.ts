import type { BrokenRun, Direction, Finding, Outcome } from '../domain/alerts.js';
import { completeness, runsWhere, usable, type Day } from '../domain/day.js';
import type { Model } from '../domain/models.js';
import { usableDistance } from './assign.js';

/** What a check says of a day; a finding comes with the outcomes `abnormal` and `gap` alone. */
export type Checked = { readonly outcome: Outcome; readonly finding: Finding | null };

/** A day with less than this share of the reference's completeness is not compared. */
const gapShare = 0.5;

const notCompared: Checked = { outcome: 'notCompared', finding: null };
const normal: Checked = { outcome: 'normal', finding: null };

/**
 * Compares a day with the bounds of its planned model.
 *
 * A source without models compares nothing. A day with less than half of the reference's completeness is a `gap`,
 * of criticity 1 − completeness / reference's. Otherwise each usable slice strictly above `topTolerance` or below
 * `bottomTolerance` breaks a bound, and one is enough for `abnormal`. Criticity is 1 − 1/z there, with z the
 * largest distance from the curve in multiples of the distance from the curve to the bound broken: just over a
 * bound it is near 0, twice as far out 0.5, and 1 where the bound lies on the curve.
 *
 * @param day                   values finite, in the source's unit
 * @param models                the source's models, of the day's length
 * @param plannedModelId        one of theirs, or null when none is planned
 * @param referenceCompleteness median completeness of the reference days, 0–1
 * @throws RangeError when the planned model is none of the models, or lengths differ
 */
export const checkDay = (
  day: Day,
  models: readonly Model[],
  plannedModelId: number | null,
  referenceCompleteness: number,
): Checked => {
  if (models.length === 0) return notCompared;
  const complete = completeness(day);
  if (complete < gapShare * referenceCompleteness)
    return gap(plannedModelId, 1 - complete / referenceCompleteness);
  if (plannedModelId === null) return notCompared;

  const planned = models.find(model => model.id === plannedModelId);
  if (!planned)
    throw new RangeError(
      `got planned model ${plannedModelId}, expected one of ${models.map(model => model.id).join(', ')}`,
    );
  if (planned.activity.length !== day.activity.length)
    throw new RangeError(
      `got ${day.activity.length} values on ${day.date}, expected ${planned.activity.length} as the model has`,
    );
  const flags = usable(day);
  if (!flags.includes(true)) return notCompared;
  return fits(day, planned, flags)
    ? normal
    : { outcome: 'abnormal', finding: findingOf(day, models, planned, flags) };
};

const gap = (plannedModelId: number | null, criticity: number): Checked => ({
  outcome: 'gap',
  finding: {
    kind: 'gap',
    direction: null,
    criticity,
    slices: [],
    plannedModelId,
    closestModelId: null,
    betterModelId: null,
    looksLikeAnomaly: false,
  },
});

const fits = ({ activity }: Day, model: Model, flags: readonly boolean[]): boolean => {
  const { topTolerance: top, bottomTolerance: bottom } = model;
  for (let slice = 0; slice < activity.length; slice += 1) {
    const value = activity[slice] ?? 0;
    if (flags[slice] && (value > (top[slice] ?? value) || value < (bottom[slice] ?? value))) return false;
  }
  return true;
};

const findingOf = (
  day: Day,
  models: readonly Model[],
  planned: Model,
  flags: readonly boolean[],
): Finding => {
  const slices = [
    ...brokenRuns(day, planned, flags, 'over'),
    ...brokenRuns(day, planned, flags, 'under'),
  ].sort((a, b) => a.from - b.from);
  const nearest = models
    .map(model => ({ model, distance: usableDistance(day.activity, model.activity, flags) }))
    .sort((a, b) => (a.distance === b.distance ? a.model.id - b.model.id : a.distance < b.distance ? -1 : 1))
    .map(({ model }) => model);
  // The planned model is broken, so what fits is another.
  const better = nearest.find(model => fits(day, model, flags));
  return {
    kind: 'activity',
    direction: directionOf(slices),
    criticity: criticityOf(day, planned, slices),
    slices,
    plannedModelId: planned.id,
    closestModelId: nearest[0]?.id ?? null,
    betterModelId: better?.id ?? null,
    looksLikeAnomaly: nearest[0]?.anomaly ?? false,
  };
};

/** How far a value lies beyond a model's bound in one direction; > 0 where it breaks it. */
const excessAt = (day: Day, model: Model, slice: number, direction: 'over' | 'under'): number => {
  const value = day.activity[slice] ?? 0;
  return direction === 'over'
    ? value - (model.topTolerance[slice] ?? value)
    : (model.bottomTolerance[slice] ?? value) - value;
};

const brokenRuns = (
  day: Day,
  model: Model,
  flags: readonly boolean[],
  direction: 'over' | 'under',
): BrokenRun[] =>
  runsWhere(
    day.activity.length,
    slice => flags[slice] === true && excessAt(day, model, slice, direction) > 0,
  ).map(([from, to]) => {
    let excess = 0;
    for (let slice = from; slice < to; slice += 1)
      excess = Math.max(excess, excessAt(day, model, slice, direction));
    return { from, to, direction, excess };
  });

const directionOf = (slices: readonly BrokenRun[]): Direction => {
  const first = slices[0]?.direction ?? 'over';
  return slices.some(({ direction }) => direction !== first) ? 'both' : first;
};

/** 1 − 1/z with 1/z counted directly, so that a bound on the curve (z infinite) needs no case of its own. */
const criticityOf = (day: Day, model: Model, slices: readonly BrokenRun[]): number => {
  let least = 1;
  for (const { from, to, direction } of slices) {
    const bounds = direction === 'over' ? model.topTolerance : model.bottomTolerance;
    for (let slice = from; slice < to; slice += 1) {
      const curve = model.activity[slice] ?? 0;
      const toBound = Math.abs((bounds[slice] ?? curve) - curve);
      least = Math.min(least, toBound / Math.abs((day.activity[slice] ?? 0) - curve));
    }
  }
  return 1 - least;
};
