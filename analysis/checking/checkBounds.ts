import type { BrokenRun } from '../../domain/alerts/findings.js';
import { runsWhere, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import { directionOf } from '../findings/brokenRuns.js';
import { boundsFindingFacts, plannedAs } from '../findings/findingFacts.js';
import type { Checked } from './comparison.js';
import { isWithinBounds, similarModels } from './similarModels.js';

/** The plan of a day, its model, and all models of the source. */
type PlannedModel = {
  readonly plan: DayPlan;
  readonly model: Model;
  readonly models: readonly Model[];
};

/**
 * Compares a day with a model that people supplied. One usable slice outside the bounds makes the day `abnormal`.
 * Its criticity is 1 − 1/z, where z is the largest distance from the profile in multiples of the distance to the bound.
 * @param flags which slices are usable
 */
export const checkBounds = (
  day: Day,
  { plan, model: planned, models }: PlannedModel,
  flags: readonly boolean[],
): Checked => {
  if (isWithinBounds(day, planned, flags)) return { outcome: 'normal', finding: null };
  const slices = [
    ...outsideRuns(day, planned, flags, 'over'),
    ...outsideRuns(day, planned, flags, 'under'),
  ].sort((a, b) => a.from - b.from);
  return {
    outcome: 'abnormal',
    finding: {
      ...similarModels(day, models, planned, 1),
      kind: 'activity',
      direction: directionOf(slices),
      criticity: boundsCriticity(day, planned, slices),
      slices,
      plannedModelId: planned.id,
      facts: { plannedAs: plannedAs(plan), ...boundsFindingFacts(day, planned, slices) },
    },
  };
};

/** Distance of a value beyond a bound in one direction, in the unit of the source; > 0 outside the bound. */
const excessOf = (day: Day, model: Model, slice: number, direction: 'over' | 'under'): number => {
  const value = day.activity[slice] ?? 0;
  return direction === 'over'
    ? value - (model.topTolerance[slice] ?? value)
    : (model.bottomTolerance[slice] ?? value) - value;
};

const outsideRuns = (
  day: Day,
  model: Model,
  flags: readonly boolean[],
  direction: 'over' | 'under',
): BrokenRun[] =>
  runsWhere(
    day.activity.length,
    slice => flags[slice] === true && excessOf(day, model, slice, direction) > 0,
  ).map(([from, to]) => {
    let excess = 0;
    for (let slice = from; slice < to; slice += 1)
      excess = Math.max(excess, excessOf(day, model, slice, direction));
    return { from, to, direction, excess };
  });

/** 1 − 1/z. It computes 1/z directly, so that a bound on the profile (z infinite) needs no special case. */
const boundsCriticity = (day: Day, model: Model, slices: readonly BrokenRun[]): number => {
  let least = 1;
  for (const { from, to, direction } of slices) {
    const bounds = direction === 'over' ? model.topTolerance : model.bottomTolerance;
    for (let slice = from; slice < to; slice += 1) {
      const expected = model.activity[slice] ?? 0;
      const toBound = Math.abs((bounds[slice] ?? expected) - expected);
      least = Math.min(least, toBound / Math.abs((day.activity[slice] ?? 0) - expected));
    }
  }
  return 1 - least;
};
