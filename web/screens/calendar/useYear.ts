import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../api/queries.js';
import type { Model } from '../../api/types.js';
import { yearDaysOf, type YearDay } from './yearDays.js';

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
