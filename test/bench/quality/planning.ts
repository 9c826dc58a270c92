import { usableDistance } from '../../../analysis/assign.js';
import { trial, type Setting } from '../../../analysis/trial.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { usable, type Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/models.js';
import { weekdayMeans } from './baselines.js';
import type { Expected } from './definitions.js';
import { curveError, type Part } from './score.js';
import type { Series } from './series.js';

/** Numbers of models for which the planning is tried. */
export const modelCounts = [4, 6, 8] as const;

/** How well plans foretell days. Errors are those of ordinary days, as in `Score`. */
export type Planning = {
  readonly weekdayError: number | null;
  readonly weekdayErrorOfAll: number | null;
  /** Of the day 364 days before. */
  readonly yearError: number | null;
  /** Whether most ordinary days have such a day. */
  readonly hasYear: boolean;
  /** How often the planned model was the nearest of those that may be planned, one for each of `modelCounts`. */
  readonly hits: readonly { readonly days: Part; readonly holidays: Part }[];
};

/** The planned model's id is that of the nearest model that may be planned, ties to the smaller id. */
const isHit = (day: Day, models: readonly Model[], plannedId: number | null): boolean => {
  const flags = usable(day);
  let nearest: number | null = null;
  let least = Infinity;
  for (const { id, anomaly, activity } of models) {
    const distance = anomaly ? Infinity : usableDistance(day.activity, activity, flags);
    if (distance < least) [nearest, least] = [id, distance];
  }
  return nearest !== null && nearest === plannedId;
};

/** The planning figures of a series under a setting, with other numbers of models. */
export const planningOf = (series: Series, expected: Expected, setting: Setting): Planning => {
  const byDate = new Map([...series.reference, ...series.recent].map(day => [day.date, day]));
  const yearBefore = ({ date }: Day): Day | undefined => byDate.get(dateOf(dayNumber(date) - 364));
  const means = weekdayMeans(series.reference);
  const { ordinary } = expected;
  const hits = modelCounts.map(modelCount => {
    // The plan is of models and calendar alone, so no recent day need be checked for it.
    const { models, plan } = trial(series.reference, [], { ...setting, modelCount });
    const hitsOf = (days: readonly Day[]): Part => ({
      count: days.filter(day => isHit(day, models, plan(day.date).modelId)).length,
      of: days.length,
    });
    return { days: hitsOf(expected.scored), holidays: hitsOf(expected.holidays) };
  });
  return {
    weekdayError: curveError(ordinary, means),
    weekdayErrorOfAll: curveError(expected.scored, means, series.reference),
    yearError: curveError(ordinary, day => {
      const before = yearBefore(day);
      if (before === undefined) return null;
      const flags = usable(before);
      return before.activity.map((value, slice) => (flags[slice] ? value : null));
    }),
    hasYear: ordinary.length > 0 && 2 * ordinary.filter(yearBefore).length >= ordinary.length,
    hits,
  };
};
