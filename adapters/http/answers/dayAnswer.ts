import { shownModel } from '../../../domain/planning/planTexts.js';
import { alertBounds, dayDetails } from '../../../application/requests/dayDetails.js';
import type { Service } from '../../../application/requests/service.js';
import { inTurns } from '../../../application/ports/sharing/turns.js';
import { firstDateOf, minutesPerDay, datesOfYear } from '../../../domain/dates.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { LeftOutRecord } from '../../../projections/days/dayRecords.js';
import { authorOf } from '../../../application/ports/people.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { LargeParts } from './largeAnswer.js';
import type { Checked } from '../../../application/requests/service.js';
import type { SourceDate } from '../../../application/requests/useCases/changePlan.js';
import { shownPlan } from '../../../domain/planning/planning.js';
import type { Model } from '../../../domain/planning/models.js';
import { isIn, isTotal, usable } from '../../../domain/day.js';
import { progressOf, alertChanges, unchangedAlerts, checkedAnswer } from './alertChanges.js';
import type { Actor } from '../middleware/tokens.js';
import type { Answer } from '../route.js';

/** Planning of a year, with its hit rate, made when it is written. */
export const plannedYear = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  sourceId: number,
  year: number,
) => ({
  sourceId,
  year,
  hitRate: models.planning.learned(sourceId).hitRate,
  days: inTurns(datesOfYear(year), date => shownPlan(models.planning.day(sourceId, date)), yieldToEventLoop),
});

/** The same at once. */
export const planningYear = (
  { models: { planning } }: Pick<Service, 'models'>,
  sourceId: number,
  year: number,
) => ({
  sourceId,
  year,
  hitRate: planning.learned(sourceId).hitRate,
  days: planning.year(sourceId, year).map(shownPlan),
});

/** Answer to a changed plan: the plan of the date, and the effect on its alerts. */
export const planAnswer = (
  service: Pick<Service, 'models'>,
  actor: Actor,
  { sourceId, date }: SourceDate,
  { causeId, checked }: Checked,
): Answer => {
  const alerts =
    causeId === undefined
      ? unchangedAlerts(service, actor, { sourceId, date })
      : alertChanges(service, causeId);
  const plan = shownPlan(service.models.planning.day(sourceId, date));
  return checkedAnswer(checked, `/v1/source/${sourceId}`, { ...plan, alerts });
};

/** A stored day as clients see it. */
export const shownDay = (day: StoredDay) => ({ ...day, ...progressOf(day) });

/** Why the reference day of a date is left out; absent when it is not. */
export const leftOutOn = ({ models }: Pick<Service, 'models'>, { sourceId, date }: SourceDate) =>
  shownLeftOut(models.days.leftOut(sourceId).find(day => day.date === date));

const shownLeftOut = (day: LeftOutRecord | undefined) =>
  day && { referenceLeftOut: { reason: day.reason, ...authorOf(day.by), at: day.at } };

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
  const leftOut = new Map(days.leftOut(sourceId).map(day => [day.date, day]));
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
      day => ({ ...shownDay(day), modelId: modelOf(day), ...shownLeftOut(leftOut.get(day.date)) }),
      yieldToEventLoop,
    ),
  };
};

/** An alert with its broken limits as lines of a chart. */
export const drawnAlert = ({ models }: Pick<Service, 'models'>, alert: AlertRecord) => ({
  ...alert,
  bounds: alertBounds(models, alert),
});

/** Total to expect of a date in progress, and its part that has not come; absent for others and for means. */
const expectedRest = (
  day: StoredDay | null,
  model: Model | null,
  { aggregation }: Pick<SourceSetup, 'aggregation'>,
) => {
  if (!day?.inProgress || !model || !isTotal(aggregation)) return {};
  const { skipped = [] } = day;
  const isKnown = usable(day);
  let soFar = 0;
  let rest = 0;
  for (let slice = 0; slice < day.activity.length; slice += 1)
    if (isKnown[slice]) soFar += day.activity[slice] ?? 0;
    else if (slice >= day.inProgress.elapsed && !isIn(skipped, slice)) rest += model.activity[slice] ?? 0;
  return { expectedTotal: soFar + rest, expectedRest: rest };
};

const shownBefore = ({ date, activity, gaps, check }: StoredDay) => ({
  date,
  activity,
  gaps,
  outcome: check?.outcome ?? null,
});

/** One date of a source as clients see it. */
export const dayAnswer = (service: Pick<Service, 'models'>, source: SourceSetup, date: string) => {
  const { plan, alerts, daysBefore, weekdaysBefore, day, ...details } = dayDetails(
    service.models,
    source,
    date,
  );
  return {
    sourceId: source.id,
    date,
    sliceMinutes: minutesPerDay / source.activitySize,
    planning: shownPlan(plan),
    ...details,
    plannedModel: details.plannedModel && shownModel(details.plannedModel),
    closestModel: details.closestModel && shownModel(details.closestModel),
    betterModel: details.betterModel && shownModel(details.betterModel),
    day: day && shownDay(day),
    ...leftOutOn(service, { sourceId: source.id, date }),
    ...expectedRest(day, details.plannedModel, source),
    alerts: alerts.map(alert => drawnAlert(service, alert)),
    daysBefore: daysBefore.map(shownBefore),
    weekdaysBefore: weekdaysBefore.map(shownBefore),
  };
};
