import { usableDistance } from '../../analysis/checking/assignDays.js';
import { trial } from '../../analysis/tuning/trial.js';
import type { Setting } from '../../analysis/learning/setting.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { weekdayMeans } from './baselines.js';
import type { Expected } from './definitions.js';
import { profileError, type Part } from './score.js';
import type { Series } from './series.js';

/** Tested numbers of models. */
export const modelCounts = [4, 6, 8] as const;

/** Accuracy of plans. Errors are those of ordinary days, as in `Score`. */
export type Planning = {
  readonly weekdayError: number | null;
  readonly weekdayErrorOfAll: number | null;
  /** Error of the day 364 days before. */
  readonly yearError: number | null;
  /** Whether most ordinary days have such a day. */
  readonly hasYear: boolean;
  /**
   * Share of days whose planned model was the nearest, for each of `modelCounts`; `byMonth` when the plan is the model
   * most frequent in the same month and weekday of the reference.
   */
  readonly hits: readonly { readonly days: Part; readonly byMonth: Part; readonly holidays: Part }[];
};

/** The nearest model that may be planned; of equal ones the smaller id. */
const nearestOf = (day: Day, models: readonly Model[]): number | null => {
  const flags = usable(day);
  let nearest: number | null = null;
  let least = Infinity;
  for (const { id, anomaly, activity } of models) {
    const distance = anomaly ? Infinity : usableDistance(day.activity, activity, flags);
    if (distance < least) [nearest, least] = [id, distance];
  }
  return nearest;
};

/** Most frequent model of a month and weekday; of the weekday when the month has no days. */
const monthPlan = (
  reference: readonly Day[],
  models: readonly Model[],
): ((date: string) => number | null) => {
  const weekdayOf = (date: string): string => String(weekday(dayNumber(date)));
  const monthOf = (date: string): string => `${date.slice(5, 7)}/${weekdayOf(date)}`;
  const votes = new Map<string, Map<number, number>>();
  for (const day of reference) {
    const nearest = nearestOf(day, models);
    if (nearest === null) continue;
    for (const kind of [weekdayOf(day.date), monthOf(day.date)]) {
      const counts = votes.get(kind) ?? new Map<number, number>();
      counts.set(nearest, (counts.get(nearest) ?? 0) + 1);
      votes.set(kind, counts);
    }
  }
  return date => {
    const counts = votes.get(monthOf(date)) ?? votes.get(weekdayOf(date)) ?? new Map<number, number>();
    const [most] = [...counts].sort(([a, x], [b, y]) => y - x || a - b);
    return most?.[0] ?? null;
  };
};

/** Planning results of a series under a setting, with other numbers of models. */
export const planningOf = (series: Series, expected: Expected, setting: Setting): Planning => {
  const byDate = new Map([...series.reference, ...series.recent].map(day => [day.date, day]));
  const yearBefore = ({ date }: Day): Day | undefined => byDate.get(dateOf(dayNumber(date) - 364));
  const means = weekdayMeans(series.reference);
  const { ordinary } = expected;
  const hits = modelCounts.map(modelCount => {
    // Plans depend on models and calendar only, so no recent day is checked.
    const { models, plan } = trial(series.reference, [], { ...setting, modelCount });
    const byMonth = monthPlan(series.reference, models);
    const hitsOf = (days: readonly Day[], planned: (date: string) => number | null): Part => ({
      count: days.filter(day => {
        const nearest = nearestOf(day, models);
        return nearest !== null && nearest === planned(day.date);
      }).length,
      of: days.length,
    });
    const byPlanning = (date: string): number | null => plan(date).modelId;
    return {
      days: hitsOf(expected.scored, byPlanning),
      byMonth: hitsOf(expected.scored, byMonth),
      holidays: hitsOf(expected.holidays, byPlanning),
    };
  });
  return {
    weekdayError: profileError(ordinary, means),
    weekdayErrorOfAll: profileError(expected.scored, means, series.reference),
    yearError: profileError(ordinary, day => {
      const before = yearBefore(day);
      if (before === undefined) return null;
      const flags = usable(before);
      return before.activity.map((value, slice) => (flags[slice] ? value : null));
    }),
    hasYear: ordinary.length > 0 && 2 * ordinary.filter(yearBefore).length >= ordinary.length,
    hits,
  };
};
