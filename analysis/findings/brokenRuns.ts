import type { BrokenRun, Direction } from '../../domain/alerts/findings.js';
import { runsWhere, type Day } from '../../domain/day.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import { fromScale } from '../math/logScale.js';
import type { DayScores } from '../checking/dayScores.js';
import { valuesAt } from './limitLevels.js';

/**
 * Slices of a day outside the widened bounds, as runs. When only a mean is outside its limit: the slices of that mean,
 * with the mean distance beyond what the limit allows.
 */
export const brokenRuns = (day: Day, model: Model, limits: Limits, compared: DayScores): BrokenRun[] => {
  const { normalised, limits: scoreLimits } = compared;
  const { profile, up, down } = compared.model;
  const excessAt = (slice: number): number => {
    const centre = profile[slice]!;
    const bound =
      normalised[slice]! > 0
        ? centre + scoreLimits.slice * up[slice]!
        : centre - scoreLimits.slice * down[slice]!;
    return Math.abs(day.activity[slice]! - fromScale(limits, bound));
  };
  const runsOf = (direction: 'over' | 'under'): BrokenRun[] =>
    runsWhere(normalised.length, slice =>
      direction === 'over' ? normalised[slice]! > scoreLimits.slice : normalised[slice]! < -scoreLimits.slice,
    ).map(([from, to]) => {
      let excess = 0;
      for (let slice = from; slice < to; slice += 1) excess = Math.max(excess, excessAt(slice));
      return { from, to, direction, excess };
    });
  const runs = [...runsOf('over'), ...runsOf('under')].sort((a, b) => a.from - b.from);
  return runs.length > 0 ? runs : [brokenMean(day, model, limits, compared)];
};

/** The window or day whose mean broke a limit. A broken limit on the mean itself goes before one on its change. */
const brokenMean = (day: Day, model: Model, limits: Limits, compared: DayScores): BrokenRun => {
  const { normalised, change, use, limits: scoreLimits } = compared;
  const byChange = use.window <= 1 && use.day <= 1;
  const scores = byChange && change ? change : compared.scores;
  const byWindow = (byChange ? use.windowChange : use.window) > 1;
  const { from, to } = byWindow ? scores.where : { from: 0, to: normalised.length };
  const [mean, limit] = byWindow
    ? [scores.window, byChange ? scoreLimits.windowChange : scoreLimits.window]
    : [scores.day, byChange ? scoreLimits.dayChange : scoreLimits.day];
  const expected = expectedValues(model, limits, compared, byChange);
  let total = 0;
  let count = 0;
  for (let slice = from; slice < to; slice += 1)
    if (normalised[slice]! === normalised[slice]!) {
      total += Math.abs(day.activity[slice]! - expected[slice]!);
      count += 1;
    }
  const excess = (total / Math.max(1, count)) * (1 - limit / Math.abs(mean));
  return { from, to, direction: mean > 0 ? 'over' : 'under', excess };
};

/**
 * Expected value by slice, in the unit of the source: the profile of the model, or that profile moved to the level of
 * the days before.
 */
export const expectedValues = (
  { activity }: Model,
  limits: Limits,
  { baseline, model }: Pick<DayScores, 'baseline' | 'model'>,
  byChange: boolean,
): readonly number[] =>
  byChange && baseline ? valuesAt(model, limits, slice => baseline[slice]!) : activity;

/** Common direction of runs, `both` when they differ. */
export const directionOf = (slices: readonly BrokenRun[]): Direction => {
  const first = slices[0]?.direction ?? 'over';
  return slices.some(({ direction }) => direction !== first) ? 'both' : first;
};
