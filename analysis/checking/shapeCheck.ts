import type { BrokenRun, FindingFacts } from '../../domain/alerts/findings.js';
import { completeness, isIn, runsWhere, type Day, type Run } from '../../domain/day.js';
import type { Limits } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import { brokenRuns, limitFindingFacts, type ComparedDay } from '../findings/findingFacts.js';
import {
  shapeDifference,
  shapeFindingFacts,
  shapeLimitFacts,
  shapeRuns,
  type ComparedShape,
} from '../findings/shapeFacts.js';
import { completenessShareMin, type Comparison, type DayBefore } from './comparison.js';
import { largestUse } from './scores.js';
import { shapeScore, type KindOfDay, type ShapeScore } from './shape.js';
import { changedProfile, slicesOf } from '../changes/changedModel.js';
import type { EngineRules } from '../engine.js';

/** A day of which each slice comes some slices later; the first ones, which belong to another date, have no data. */
const shiftedDay = (day: Day, by: number): Day => {
  const size = day.activity.length;
  const moved = (runs: readonly Run[]): Run[] => runsWhere(size, slice => isIn(runs, slice - by));
  const isOutside = (slice: number): boolean => slice < by || slice >= size + by;
  return {
    ...day,
    gaps: runsWhere(size, slice => isOutside(slice) || isIn(day.gaps, slice - by)),
    filled: moved(day.filled),
    ...(day.skipped && { skipped: moved(day.skipped) }),
  };
};

/**
 * A day as it would have been without accepted changes: levels and shifts of the clock are taken back.
 * @param applied the changes of its date, in their order
 * @returns       null after a change that replaced values
 */
export const unchangedDay = (
  day: Day,
  applied: readonly AcceptedChange[],
  { shiftsGaps }: Pick<EngineRules, 'shiftsGaps'>,
): Day | null => {
  let unchanged = day;
  for (const { type, size } of [...applied].reverse()) {
    if (type === 'opening' || type === 'shape') return null;
    const back = { type, size: type === 'clock' ? -size : 1 / (1 + size) - 1 };
    const activity = changedProfile(back, unchanged.activity);
    const isShifted = type === 'clock' && shiftsGaps;
    unchanged = {
      ...(isShifted ? shiftedDay(unchanged, slicesOf(back.size, activity.length)) : unchanged),
      activity,
    };
  }
  return unchanged;
};

/** A day whose shape is compared. */
export type ShapeCheck = {
  readonly day: Day;
  readonly plan: Pick<DayPlan, 'dayType' | 'working'>;
  readonly limits: Limits;
  readonly comparison: Comparison;
  readonly before: () => readonly DayBefore[];
  /** Accepted changes that move the planned model. */
  readonly accepted: readonly AcceptedChange[];
  /** Number of elapsed slices of a date in progress; undefined for a whole day. */
  readonly elapsed: number | undefined;
};

/**
 * Shape score of a day and its limit; the score is 0 where it is within the limit, unless it is asked for. Accepted
 * changes are taken back before the day is compared a second time.
 * @param isExact whether the score is needed in any case
 * @returns       null without a limit, on a date in progress, and on a holiday or special day, of which the reference
 *                has too few
 */
export const shapeOf = (
  { day, plan, limits, comparison, before, elapsed, accepted }: ShapeCheck,
  widening: number,
  isExact = false,
): (ShapeScore & { readonly allowed: number }) | null => {
  const { rules, referenceShapes, completeness: usual } = comparison;
  if (!rules.comparesShape || limits.shape === undefined || elapsed !== undefined) return null;
  if (plan.dayType.type === 'holiday' || plan.dayType.type === 'special') return null;
  const shapes = referenceShapes?.();
  if (!shapes) return null;
  const allowed = limits.shape * widening;
  const { working } = plan;
  const complete = (): readonly KindOfDay[] =>
    before().flatMap(({ day }) =>
      completeness(day) < completenessShareMin * usual
        ? []
        : { day, working: comparison.plan(day.date).working },
    );
  const scoreOf = (one: Day): ShapeScore =>
    shapeScore({ day: one, working }, { shapes, limits, limit: allowed, before: complete }, isExact);
  const found = scoreOf(day);
  if (found.score <= allowed || accepted.length === 0) return { ...found, allowed };
  const unchanged = unchangedDay(day, accepted, rules);
  const other = unchanged ? scoreOf(unchanged) : { score: 0, ofHours: false };
  return { ...(other.score < found.score ? other : found), allowed };
};

/** Runs and facts of a day that breaks limits on residuals, the limit on the shape, or both. */
export const activityFacts = (
  compared: ComparedDay,
  shape: ComparedShape | null,
): { readonly runs: readonly BrokenRun[]; readonly facts: Omit<FindingFacts, 'plannedAs'> } => {
  const { day, model, limits, scores } = compared;
  const difference = shape && shapeDifference(shape);
  if (shape && difference && largestUse(scores.use) <= 1) {
    const runs = shapeRuns(shape, difference);
    return { runs, facts: { ...shapeFindingFacts(shape, difference, runs), widening: scores.limits.slice } };
  }
  const runs = brokenRuns(day, model, limits, scores);
  const facts = limitFindingFacts(compared, runs);
  return {
    runs,
    facts:
      shape && difference
        ? { ...facts, limits: [...facts.limits, shapeLimitFacts(shape)], shape: difference }
        : facts,
  };
};

/** Whether a finding is one of the shape alone, of a day that is neither over nor under what was expected. */
export const hasNoDirection = ({ shape, limits }: Pick<FindingFacts, 'shape' | 'limits'>): boolean =>
  shape !== undefined && shape.type !== 'shape' && limits.every(({ limit }) => limit === 'shape');
