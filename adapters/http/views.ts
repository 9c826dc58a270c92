import { sourceNotFound } from '../../application/access/access.js';
import { alertBounds } from '../../application/charts/alertBounds.js';
import { dayDetails } from '../../application/charts/dayDetails.js';
import type { PlanChange, SourceDate } from '../../application/useCases/changePlan.js';
import type { Service } from '../../application/service.js';
import { validAlertStates } from '../../domain/alerts/alertState.js';
import { dateOf, dayNumber, firstDateOf, year as yearOf } from '../../domain/dates.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import type { ImportRecord } from '../../projections/days/importRecords.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { CountedSource, SourceRecord, SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { Actor } from './middleware/tokens.js';
import type { Answer } from './route.js';

// Read models as clients see them.

/**
 * Record of a source of the actor's tenant, archived or not.
 * @throws Rejection `sourceNotFound`
 */
export const sourceRecordOrArchived = (service: Service, actor: Actor, id: number): SourceRecord => {
  const source = service.models.sources.one(id);
  if (source?.tenant !== actor.tenant) throw sourceNotFound(id);
  return shownSource(service, source);
};

/**
 * Record of a source of the actor's tenant that is not archived.
 * @throws Rejection `sourceNotFound`
 */
export const sourceRecord = (service: Service, actor: Actor, id: number): SourceRecord => {
  const record = sourceRecordOrArchived(service, actor, id);
  if (record.archivedAt !== null) throw sourceNotFound(id, record);
  return record;
};

/** A source as its tenant sees it; `running` is an analysis in progress in this process. */
export const shownSource = (
  { followUps }: Service,
  { tenant: _, calendarGiven: __, pendingRequestId: ___, pendingPosition: ____, ...record }: CountedSource,
): SourceRecord =>
  record.analysis.status === 'pending' && followUps.isAnalysing(record.id)
    ? { ...record, analysis: { ...record.analysis, status: 'running' } }
    : record;

/** Maximum alerts of each kind in an answer; the list of alerts has all. */
const alertsMax = 1000;

/** Effect of a check on the alerts of its days: the first of each kind, and how many. */
export type AlertChanges = Readonly<
  Record<'raised' | 'confirmed' | 'invalidated' | 'ended' | 'unchanged', readonly AlertRecord[]>
> & {
  readonly counts: Readonly<Record<'raised' | 'confirmed' | 'invalidated' | 'ended' | 'unchanged', number>>;
};

/** Alerts that the check caused by an event raised, confirmed, invalidated, ended and left unchanged. */
export const alertChanges = ({ models }: Service, causeId: string): AlertChanges => {
  const raised = models.alerts.causedBy(causeId, 'AlertRaised', alertsMax);
  const confirmed = models.alerts.causedBy(causeId, 'AlertConfirmed', alertsMax);
  const invalidated = models.alerts.causedBy(causeId, 'AlertInvalidated', alertsMax);
  const ended = models.alerts.causedBy(causeId, 'AlertEnded', alertsMax);
  const unchangedIds = models.days.checkedDays(causeId).flatMap(day => day.standing);
  return {
    raised: raised.first,
    confirmed: confirmed.first,
    invalidated: invalidated.first,
    ended: ended.first,
    unchanged: unchangedIds.slice(0, alertsMax).flatMap(id => models.alerts.one(id) ?? []),
    counts: {
      raised: raised.count,
      confirmed: confirmed.count,
      invalidated: invalidated.count,
      ended: ended.count,
      unchanged: unchangedIds.length,
    },
  };
};

/** Effect of a request after which nothing had to be checked. */
export const noAlertChanges: AlertChanges = {
  raised: [],
  confirmed: [],
  invalidated: [],
  ended: [],
  unchanged: [],
  counts: { raised: 0, confirmed: 0, invalidated: 0, ended: 0, unchanged: 0 },
};

/** A plan as clients see it: the calendar says which dates are working days. */
const shownPlan = ({ working: _, dayType: __, ...plan }: DayPlan): Omit<DayPlan, 'working' | 'dayType'> =>
  plan;

/** Planning of a year, with its hit rate. */
export const planningYear = ({ models: { planning } }: Service, sourceId: number, year: number) => ({
  sourceId,
  year,
  hitRate: planning.learned(sourceId).hitRate,
  days: planning.year(sourceId, year).map(shownPlan),
});

/** The stored days of a year with their models. A recent day replaces the reference day of its date. */
export const dayYear = ({ models: { days, planning } }: Service, sourceId: number, year: number) => {
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
    days: [...byDate.values()]
      .sort((a, b) => (a.date < b.date ? -1 : 1))
      .map(day => ({ ...day, modelId: modelOf(day) })),
  };
};

/** Answer to new models: the models, the planning of the last year with days, and the effect on alerts. */
export const modelsChangeAnswer = (
  service: Service,
  sourceId: number,
  { causeId, checked }: { readonly causeId: string; readonly checked: boolean },
): Answer => {
  const { models, days, planning } = service.models;
  const year = yearOf(dayNumber(days.lastDate(sourceId) ?? '1970-01-01'));
  return {
    status: checked ? 200 : 202,
    headers: checked ? {} : { Location: `/v1/source/${sourceId}` },
    body: {
      models: models.list(sourceId),
      ...planning.learned(sourceId),
      planning: planningYear(service, sourceId, year),
      overrides: planning.moved(sourceId),
      alerts: alertChanges(service, causeId),
    },
  };
};

/** Answer to a changed plan: the plan of the date, and the effect on its alerts. */
export const planAnswer = (
  service: Service,
  actor: Actor,
  { sourceId, date }: SourceDate,
  { causeId, checked }: PlanChange,
): Answer => {
  const alerts =
    causeId === undefined
      ? unchangedAlerts(service, actor, { sourceId, date })
      : alertChanges(service, causeId);
  return {
    status: checked ? 200 : 202,
    headers: checked ? {} : { Location: `/v1/source/${sourceId}` },
    body: { ...shownPlan(service.models.planning.day(sourceId, date)), alerts },
  };
};

/** Alerts of a date whose plan did not change. */
const unchangedAlerts = (
  { models }: Service,
  { tenant }: Actor,
  { sourceId, date }: SourceDate,
): AlertChanges => {
  const unchanged = models.alerts.page({
    tenant,
    sourceId,
    from: date,
    to: dateOf(dayNumber(date) + 1),
    states: validAlertStates,
    kinds: undefined,
    sort: 'date',
    descending: false,
    after: undefined,
    limit: 100,
  });
  return { ...noAlertChanges, unchanged, counts: { ...noAlertChanges.counts, unchanged: unchanged.length } };
};

/** Summary of an import, with its id. */
export const importSummary = ({
  sourceId: _,
  kind: __,
  importedAt: ___,
  eventId: ____,
  ...summary
}: ImportRecord) => summary;

/** An import: its summary, its days that no later import replaced with their checks, and the effect on alerts. */
export const importVerdict = (service: Service, record: ImportRecord) => {
  const { models } = service;
  const { sourceId, kind, eventId } = record;
  const unchecked = kind === 'recent' ? 'pending' : 'notCompared';
  const checked = new Map(models.days.checkedDays(eventId).map(day => [day.date, day]));
  const names = models.planning.modelNames(sourceId);
  const effects = models.planning.checks(sourceId)?.covariates ?? [];
  const missingOn = (date: string): readonly string[] => {
    if (effects.length === 0) return [];
    const readings = models.days.covariates(sourceId, date);
    return effects.flatMap(({ sourceId: id, name }) =>
      readings.some(reading => reading.sourceId === id && reading.value === null) ? name : [],
    );
  };
  return {
    import: importSummary(record),
    days: models.days.byImport(record.id).map(day => {
      const check = checked.get(day.date);
      const id = check ? check.plannedModelId : models.planning.day(sourceId, day.date).modelId;
      const missing = missingOn(day.date);
      return {
        date: day.date,
        status: check?.outcome ?? unchecked,
        completeness: day.completeness,
        // The planned model may have been deleted since: its id stays, without a name.
        plannedModel: id === null ? null : { id, name: names.get(id) ?? null },
        ...(missing.length > 0 && { missingCovariates: missing }),
      };
    }),
    alerts: alertChanges(service, eventId),
  };
};

/** An alert with its broken limits as lines of a chart. */
export const drawnAlert = ({ models }: Pick<Service, 'models'>, alert: AlertRecord) => ({
  ...alert,
  bounds: alertBounds(models, alert),
});

const minutesPerDay = 1440;

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
