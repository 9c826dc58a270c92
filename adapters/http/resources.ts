import Type from 'typebox';
import { alertStates, parseAlertId } from '../../domain/alerts.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { streams } from '../../domain/events.js';
import type { DayPlan } from '../../domain/planning.js';
import { source, type SourceCommand } from '../../domain/source.js';
import type { AlertRecord } from '../../projections/alerts.js';
import type { CountedSource, SourceRecord, SourceSetup } from '../../projections/sources.js';
import { momentOf } from '../../application/history/moment.js';
import { InvalidInput, shown } from '../../application/imports/faults.js';
import type { Origin } from '../../application/commandHandler.js';
import { QueueFull } from '../workers/analyst.js';
import { verdictTimeoutMs, type Service } from '../../application/service.js';
import { Problem } from './middleware/problems.js';
import { strict } from './schemas.js';
import type { Answer, BegunBy, Call } from './route.js';
import type { Actor } from './middleware/tokens.js';

// What several resources share.

/** Of a route that takes no parameters of a kind. */
export const noFields = Type.Object({}, strict);

/** Jobs of the reactor that may be outstanding before new ones are put off. */
const backlogMax = 800;
/** Those that a tenant may have however many there are of others. */
const backlogReserved = 8;

/**
 * The source, if it is the actor's.
 * @throws Problem 404 also for other tenants' sources, whose existence is nobody's business
 */
export const ownSource = ({ models }: Service, actor: Actor, id: number): SourceSetup => {
  const source = models.sources.setup(id);
  if (source?.tenant !== actor.tenant) throw notFound(id);
  return source;
};

const notFound = (id: number): Problem => new Problem(404, 'sourceNotFound', `no source ${id}`);

/**
 * The record of the source, if it is the actor's.
 * @throws Problem 404
 */
export const ownRecord = (service: Service, actor: Actor, id: number): SourceRecord => {
  const source = service.models.sources.one(id);
  if (source?.tenant !== actor.tenant) throw notFound(id);
  return shownSource(service, source);
};

/** A source as its tenant sees it, with what this process knows of an analysis at work. */
export const shownSource = (
  { reactions }: Service,
  { tenant: _, calendarGiven: __, pendingRequestId: ___, pendingPosition: ____, ...record }: CountedSource,
): SourceRecord =>
  record.analysis.status === 'pending' && reactions.isAnalysing(record.id)
    ? { ...record, analysis: { ...record.analysis, status: 'running' } }
    : record;

/** A refusal of `asOf`. */
const notThen = (code: string, asOf: string, detail: string): InvalidInput =>
  new InvalidInput('parametersInvalid', 'the query is not valid', [
    { code, pointer: '/query/asOf', value: shown(asOf), detail },
  ]);

/** A call that may ask for the past. */
type AskedThen = Pick<Call<unknown, { readonly asOf?: string }, unknown>, 'actor' | 'signal' | 'query'>;

/**
 * The service as it was when it knew what it knew at `asOf` of these sources: to be asked at once. The present one
 * without `asOf`.
 * @throws InvalidInput for what is no moment of the past, and what `Past` throws
 */
export const knowingThen = async (
  service: Service,
  { actor: { tenant }, signal, query: { asOf } }: AskedThen,
  sourceIds: readonly number[],
): Promise<Service> => {
  if (asOf === undefined) return service;
  const moment = momentOf(asOf);
  if (!moment)
    throw notThen('asOf', asOf, 'expected a position, or an instant of RFC 3339 (+ is %2B in an address)');
  const end = service.models.checkpoint('readModels').position;
  if ('position' in moment && moment.position > end)
    throw notThen('asOfPosition', asOf, `expected at most the position of the last event: ${end}`);
  const now = service.now();
  if ('instant' in moment && moment.instant > now)
    throw notThen('asOfFuture', asOf, `expected an instant up to the present: ${now}`);
  const models = await service.past.at(sourceIds, moment, { tenant, signal });
  return { ...service, models, reactions: { isAnalysing: () => false } };
};

/**
 * The same for one source of the actor's.
 * @throws Problem 404 too, where the source is not the actor's now
 */
export const knowingSourceThen = (service: Service, call: AskedThen, sourceId: number): Promise<Service> =>
  knowingThen(service, call, [ownSource(service, call.actor, sourceId).id]);

/** The source of an alert, if it is the actor's. */
const ownSourceOf = ({ models }: Service, actor: Actor, alertId: string): number => {
  const sourceId = parseAlertId(alertId)?.sourceId;
  if (sourceId === undefined || models.sources.setup(sourceId)?.tenant !== actor.tenant) throw noAlert();
  return sourceId;
};

const noAlert = (): Problem => new Problem(404, 'alertNotFound', 'no such alert');

/**
 * The alert, if it is the actor's.
 * @throws Problem 404
 */
export const ownAlert = (service: Service, actor: Actor, id: string): AlertRecord => {
  ownSourceOf(service, actor, id);
  const alert = service.models.alerts.one(id);
  if (!alert) throw noAlert();
  return alert;
};

/** As `knowingSourceThen`, of the source of an alert. */
export const knowingAlertThen = (service: Service, call: AskedThen, alertId: string): Promise<Service> =>
  knowingThen(service, call, [ownSourceOf(service, call.actor, alertId)]);

/** What goes into the events of a call's commands. */
export const originOf = (
  service: Service,
  { requestId }: Call<unknown, unknown, unknown>,
  begun: BegunBy,
): Origin => ({
  ...begun,
  cause: requestId,
  correlation: requestId,
  at: service.now(),
});

/**
 * Puts off what would add to a queue in which too much of the actor's tenant waits already: more than there is room
 * left for all others, and more than a few, which every tenant may have.
 * @throws QueueFull
 */
export const demandRoom = (service: Service, { tenant }: Actor): void => {
  const [own, all] = [service.backlogOf(tenant), service.backlog()];
  if (own >= Math.max(backlogMax - all, backlogReserved))
    throw new QueueFull(`${own} analyses and checks of this tenant, ${all} of all, wait already`);
};

/** Waits for the check that an event caused; false when it takes longer than a request waits. */
export const checkedInTime = async ({ models, waiting }: Service, causeId: string): Promise<boolean> =>
  (await waiting.until(() => models.days.check(causeId).complete || undefined, verdictTimeoutMs)) === true;

/** Alerts of each kind that an answer holds at most; the list of alerts has all. */
const alertsMax = 1000;

/** What a check did to the alerts of the days that it looked at: the first of each kind, and how many. */
export type AlertChanges = Readonly<
  Record<'raised' | 'invalidated' | 'unchanged', readonly AlertRecord[]>
> & {
  readonly counts: Readonly<Record<'raised' | 'invalidated' | 'unchanged', number>>;
};

/** The alerts that the check caused by an event raised, invalidated and left as they were. */
export const alertChanges = ({ models }: Service, causeId: string): AlertChanges => {
  const raised = models.alerts.causedBy(causeId, 'AlertRaised', alertsMax);
  const invalidated = models.alerts.causedBy(causeId, 'AlertInvalidated', alertsMax);
  const standing = models.days.checkedDays(causeId).flatMap(day => day.standing);
  return {
    raised: raised.first,
    invalidated: invalidated.first,
    unchanged: standing.slice(0, alertsMax).flatMap(id => models.alerts.one(id) ?? []),
    counts: { raised: raised.count, invalidated: invalidated.count, unchanged: standing.length },
  };
};

/** A plan as clients see it: that a date is a working day, the calendar tells them. */
const shownPlan = ({ working: _, ...plan }: DayPlan): Omit<DayPlan, 'working'> => plan;

/** The planning of a year, with how far it can be trusted. */
export const plannedYear = ({ models: { planning } }: Service, sourceId: number, year: number) => ({
  sourceId,
  year,
  hitRate: planning.learned(sourceId).hitRate,
  days: planning.year(sourceId, year).map(shownPlan),
});

/**
 * Runs a command that may change what one date is planned to follow, and waits until its day is checked again.
 * @returns the plan of the date, and what became of its alerts
 */
export const replanned = async (
  service: Service,
  call: Call<unknown, unknown, unknown>,
  sourceId: number,
  date: string,
  commandOf: (requestId: string) => SourceCommand,
): Promise<Answer> => {
  demandRoom(service, call.actor);
  const begun = await call.begin();
  const origin = originOf(service, call, begun);
  const { events } = await service.handle(source, streams.source(sourceId), commandOf(begun.id), origin);
  await service.settled();
  const causeId = events[0]?.id;
  const done = causeId === undefined || (await checkedInTime(service, causeId));
  const alerts =
    causeId === undefined ? standing(service, call, sourceId, date) : alertChanges(service, causeId);
  return {
    status: done ? 200 : 202,
    headers: done ? {} : { Location: `/v1/source/${sourceId}` },
    body: { ...shownPlan(service.models.planning.day(sourceId, date)), alerts },
  };
};

/** The alerts of a date whose plan was left as it was. */
const standing = (
  { models }: Service,
  { actor }: Call<unknown, unknown, unknown>,
  sourceId: number,
  date: string,
): AlertChanges => {
  const unchanged = models.alerts.page({
    tenant: actor.tenant,
    sourceId,
    from: date,
    to: dateOf(dayNumber(date) + 1),
    states: alertStates.filter(state => state !== 'invalidated'),
    after: undefined,
    limit: 100,
  });
  return {
    raised: [],
    invalidated: [],
    unchanged,
    counts: { raised: 0, invalidated: 0, unchanged: unchanged.length },
  };
};
