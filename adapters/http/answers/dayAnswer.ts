import { alertBounds } from '../../../application/charts/alertBounds.js';
import { dayDetails } from '../../../application/charts/dayDetails.js';
import type { Service } from '../../../application/service.js';
import { inTurns } from '../../../application/sharing/eventLoopYielder.js';
import { firstDateOf, minutesPerDay } from '../../../domain/dates.js';
import type { AlertRecord } from '../../../projections/alerts/alertRecords.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { LargeParts } from './largeAnswer.js';
import { shownPlan } from './planAnswer.js';

/** The stored days of a year with their models. A recent day replaces the reference day of its date. */
export const dayYear = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  sourceId: number,
  year: number,
) => {
  const { days, planning } = models;
  const from = firstDateOf(year);
  const to = firstDateOf(year + 1);
  const assigned = planning.assignments(sourceId);
  const byDate = new Map(
    (['reference', 'recent'] as const)
      .flatMap(kind => days.between(sourceId, kind, from, to))
      .map(day => [day.date, day]),
  );
  const modelOf = ({ kind, date }: { readonly kind: string; readonly date: string }): number | null =>
    kind === 'reference' ? (assigned.get(date) ?? null) : planning.day(sourceId, date).modelId;
  return {
    sourceId,
    year,
    days: inTurns(
      [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1)),
      day => ({ ...day, modelId: modelOf(day) }),
      yieldToEventLoop,
    ),
  };
};

/** An alert with its broken limits as lines of a chart. */
export const drawnAlert = ({ models }: Pick<Service, 'models'>, alert: AlertRecord) => ({
  ...alert,
  bounds: alertBounds(models, alert),
});

const shownBefore = ({ date, activity, gaps, check }: StoredDay) => ({
  date,
  activity,
  gaps,
  outcome: check?.outcome ?? null,
});

/** One date of a source as clients see it. */
export const dayAnswer = (service: Pick<Service, 'models'>, source: SourceSetup, date: string) => {
  const { plan, alerts, daysBefore, weekdaysBefore, ...details } = dayDetails(service.models, source, date);
  return {
    sourceId: source.id,
    date,
    sliceMinutes: minutesPerDay / source.activitySize,
    planning: shownPlan(plan),
    ...details,
    alerts: alerts.map(alert => drawnAlert(service, alert)),
    daysBefore: daysBefore.map(shownBefore),
    weekdaysBefore: weekdaysBefore.map(shownBefore),
  };
};
