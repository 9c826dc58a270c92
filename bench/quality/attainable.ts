import { wideningOf } from '../../analysis/checking/checkLimits.js';
import { dayScores } from '../../analysis/checking/dayScores.js';
import { recentDays } from '../../analysis/checking/recentBaseline.js';
import { largestUse } from '../../analysis/checking/scores.js';
import type { TrialDay, Trial } from '../../analysis/tuning/trial.js';
import { dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import type { Expected } from './definitions.js';

/** Share of false alerts that the threshold in hindsight allows. */
const falseShare = 0.02;

/**
 * Joint score of a checked day, without the adaptive factor: above 1, it breaks a limit. A flatline is above any
 * threshold; a day that drifts or is not compared is below any.
 */
const jointOf = ({ comparison, before }: Trial, { day, plan, outcome, finding }: TrialDay): number => {
  if (finding?.kind === 'frozen') return Number.POSITIVE_INFINITY;
  const model = comparison.models.find(({ id }) => id === plan.modelId);
  if (!model?.limits || outcome === 'drift' || outcome === 'gap' || outcome === 'notCompared') return 0;
  const recent = () => recentDays(day, plan, comparison, before(day.date));
  return largestUse(dayScores(day, { model, limits: model.limits }, wideningOf(plan, null), recent).use);
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

/** Runs of event days on consecutive dates. */
export const episodesOf = (events: readonly Day[]): Day[][] => {
  const episodes: Day[][] = [];
  for (const day of events) {
    const last = episodes.at(-1)?.at(-1);
    if (last && dayNumber(day.date) - dayNumber(last.date) === 1) episodes.at(-1)?.push(day);
    else episodes.push([day]);
  }
  return episodes;
};
