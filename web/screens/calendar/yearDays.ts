import type {
  Alert,
  CalendarDay,
  CalendarYear,
  Model,
  Plan,
  PlanningYear,
  StoredDay,
} from '../../api/client.js';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../api/queries.js';

/** All that the grid and the panel show of one date. */
export type YearDay = {
  readonly date: string;
  readonly stored: StoredDay | undefined;
  readonly plan: Plan | undefined;
  readonly model: Model | undefined;
  readonly mark: CalendarDay | undefined;
  readonly alert: Alert | undefined;
};

/** Dates of a year with their facts. A reference day shows the model that it belongs to, others what is planned. */
export const yearDaysOf = ({
  planning,
  days,
  calendar,
  alerts,
  models,
}: {
  readonly planning: PlanningYear;
  readonly days: readonly StoredDay[];
  readonly calendar: CalendarYear;
  readonly alerts: readonly Alert[];
  readonly models: readonly Model[];
}): YearDay[] => {
  const stored = new Map(days.map(day => [day.date, day]));
  const marks = new Map(calendar.days.map(day => [day.date, day]));
  // The one of a date that waits for a decision goes before those that have one.
  const waits = ({ state }: Alert): boolean => state === 'open' || state === 'acknowledged';
  const ordered = [...alerts.filter(alert => !waits(alert)), ...alerts.filter(waits)];
  const byDate = new Map(ordered.map(alert => [alert.date, alert]));
  const byId = new Map(models.map(model => [model.id, model]));
  return planning.days.map(plan => {
    const day = stored.get(plan.date);
    const id = day?.kind === 'reference' ? (day.modelId ?? plan.modelId) : plan.modelId;
    return {
      date: plan.date,
      stored: day,
      plan,
      model: id === null ? undefined : byId.get(id),
      mark: marks.get(plan.date),
      alert: byDate.get(plan.date),
    };
  });
};

/** Days of a year by month, each by week. */
export const monthsOf = (
  days: readonly YearDay[],
  weekdayOf: (date: string) => number,
): { readonly month: string; readonly weeks: readonly (readonly YearDay[])[] }[] => {
  const months = new Map<string, YearDay[][]>();
  for (const day of days) {
    const month = day.date.slice(0, 7);
    const weeks = months.get(month) ?? [];
    if (weeks.length === 0 || weekdayOf(day.date) === 0) weeks.push([]);
    weeks.at(-1)?.push(day);
    months.set(month, weeks);
  }
  return [...months].map(([month, weeks]) => ({ month, weeks }));
};

/** Days of a year, undefined while they are read. */
export const useYear = (
  sourceId: number,
  year: number,
  models: readonly Model[] | undefined,
  asOf: string | undefined,
): { readonly days: readonly YearDay[] | undefined; readonly error: unknown } => {
  const planning = useQuery(queries.planning(sourceId, year, asOf));
  const days = useQuery(queries.days(sourceId, year, asOf));
  const calendar = useQuery(queries.calendar(sourceId, year, asOf));
  const alerts = useQuery(queries.yearAlerts(sourceId, year, asOf));
  const all = useMemo(
    () =>
      planning.data && days.data && calendar.data && alerts.data && models
        ? yearDaysOf({
            planning: planning.data,
            days: days.data.days,
            calendar: calendar.data,
            alerts: alerts.data,
            models,
          })
        : undefined,
    [planning.data, days.data, calendar.data, alerts.data, models],
  );
  return { days: all, error: planning.error ?? days.error ?? calendar.error ?? alerts.error };
};
