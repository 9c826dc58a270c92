import { adaptiveFactor } from '../../analysis/checking/adaptiveFactor.js';
import { wideningOf } from '../../analysis/checking/checkLimits.js';
import { dayScores } from '../../analysis/checking/dayScores.js';
import { recentDays } from '../../analysis/checking/recentBaseline.js';
import { largestUse } from '../../analysis/checking/scores.js';
import { shapeOf } from '../../analysis/checking/shapeCheck.js';
import type { Trial, TrialDay } from '../../analysis/tuning/trial.js';
import { notAdapted, type Adaptation } from '../../domain/alerts/checks.js';
import type { Day } from '../../domain/day.js';
import type { Expected } from './definitions.js';

/** Share of false alerts that the threshold in hindsight allows. */
const falseShare = 0.02;

/**
 * Joint score of a checked day: above 1, it breaks a limit. A flatline is above any threshold; a day that drifts or is
 * not compared is below any.
 * @param adaptation state of the adaptive factor before the day; null for limits without it
 */
export const jointOf = (
  { comparison, before }: Trial,
  { day, plan, outcome, finding }: TrialDay,
  adaptation: Adaptation | null = null,
): number => {
  if (finding?.kind === 'frozen') return Number.POSITIVE_INFINITY;
  const model = comparison.models.find(({ id }) => id === plan.modelId);
  if (!model?.limits || outcome === 'drift' || outcome === 'gap' || outcome === 'notCompared') return 0;
  const recent = () => recentDays(day, plan, comparison, before(day.date));
  const widening = wideningOf(plan, adaptation);
  const { limits } = model;
  const shape = shapeOf(
    { day, plan, limits, comparison, before: () => before(day.date), accepted: [], elapsed: undefined },
    widening * adaptiveFactor(adaptation?.shape ?? notAdapted),
    true,
  );
  return Math.max(
    largestUse(dayScores(day, { model, limits }, { widening, elapsed: undefined }, recent).use),
    shape ? shape.score / shape.allowed : 0,
  );
};

/**
 * Event days that the scores can tell from ordinary days: those above the threshold that someone who knew the recent
 * days would set, with at most 2 % of the ordinary days above it.
 */
export const attainableEvents = (trial: Trial, { ordinary, events }: Expected): number => {
  const joints = new Map(trial.days.map(day => [day.day.date, jointOf(trial, day)]));
  const scoresOf = (days: readonly Day[]): number[] => days.map(({ date }) => joints.get(date) ?? 0);
  const highest = scoresOf(ordinary).sort((a, b) => b - a);
  const threshold = highest[Math.floor(falseShare * highest.length)] ?? 0;
  return scoresOf(events).filter(score => score > threshold).length;
};
