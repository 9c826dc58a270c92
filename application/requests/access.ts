// A tenant sees its own sources only. For it, sources of other tenants and archived sources do not exist.
import { parseAlertId } from '../../domain/alerts/alertsState.js';
import { Rejection, type RejectionCode } from '../../domain/rejection.js';
import { relearnedText } from '../../domain/source/source.js';
import { streams } from '../../domain/streams.js';
import type { AlertRecord } from '../../projections/alertPages.js';
import type { CalendarRuleRecord } from '../../projections/calendarRules.js';
import type { IncidentRecord } from '../../projections/incidents/incidentPages.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { CommandMetadata } from '../commands/commandHandler.js';
import { QueueFull } from '../ports/analyst.js';
import { requireNotParked, SourceParked } from '../reading/parking.js';
import { shown } from './imports/faults.js';
import type { Service } from './service.js';

/** Person or program behind a request, and the start of its commands. */
export type Requester = {
  readonly actor: { readonly tenant: string; readonly subject: string };
  /** Whether the request has an idempotency key, so that it may be a retry. */
  readonly hasKey: boolean;
  /**
   * Command metadata of the request. Call it when all input is valid and before anything is stored: a request
   * with a known idempotency key is answered here with its kept response.
   */
  readonly begin: () => Promise<CommandMetadata>;
};

type Owner = Pick<Requester['actor'], 'tenant'>;

/** Refusal for a source that does not exist, is archived or belongs to another tenant. */
export const sourceNotFound = (id: number, archived?: Pick<SourceSetup, 'relearnedAs'>): Rejection => {
  const relearnedAs = archived?.relearnedAs ?? null;
  const why = relearnedAs === null ? '' : `: ${relearnedText(id, relearnedAs)}`;
  return new Rejection('sourceNotFound', `no source ${id}${why}`);
};

/** Refusal for a record that does not exist or belongs to another tenant. @param got id or name of the request */
export const notFound = (code: RejectionCode, name: string, got: string): Rejection =>
  new Rejection(code, `no ${name} ${shown(got)}`);

export const alertNotFound = (id: string): Rejection => notFound('alertNotFound', 'alert', id);

export const incidentNotFound = (id: string): Rejection => notFound('incidentNotFound', 'incident', id);

/** @throws SourceParked when the source is the tenant's and parked */
const requireOwnTaken = (models: ReadModels, { tenant }: Owner, id: number): void => {
  const parked = models.parked.source(id);
  if (parked?.tenant === tenant) throw new SourceParked(parked);
};

/**
 * Setup of a source of the actor's tenant, archived or not.
 * @throws Rejection `sourceNotFound`, SourceParked
 */
export const ownSourceOrArchived = (models: ReadModels, actor: Owner, id: number): SourceSetup => {
  requireOwnTaken(models, actor, id);
  const source = models.sources.setup(id);
  if (source?.tenant !== actor.tenant) throw sourceNotFound(id);
  return source;
};

/** Whether a source belongs to the actor's tenant. @throws SourceParked */
export const isOwnSource = (models: ReadModels, actor: Owner, id: number): boolean => {
  requireOwnTaken(models, actor, id);
  return models.sources.setup(id)?.tenant === actor.tenant;
};

/**
 * Setup of a source of the actor's tenant that is not archived.
 * @throws Rejection `sourceNotFound`
 */
export const ownSource = (models: ReadModels, actor: Owner, id: number): SourceSetup => {
  const source = ownSourceOrArchived(models, actor, id);
  if (source.archivedAt !== null) throw sourceNotFound(id, source);
  return source;
};

/**
 * Setup of a source that a request changes. A retry may come after the source was archived, so a request with a key is
 * refused after `begin` only, unless its events are stored.
 * @throws Rejection `sourceNotFound`
 */
export const changedSource = (
  models: ReadModels,
  { actor, hasKey }: Pick<Requester, 'actor' | 'hasKey'>,
  id: number,
): SourceSetup => (hasKey ? ownSourceOrArchived(models, actor, id) : ownSource(models, actor, id));

/**
 * Id of the source that an alert belongs to, archived or not.
 * @throws Rejection `alertNotFound`, SourceParked
 */
export const ownSourceOfAlert = (models: ReadModels, actor: Owner, alertId: string): number => {
  const sourceId = parseAlertId(alertId)?.sourceId;
  if (sourceId === undefined || !isOwnSource(models, actor, sourceId)) throw alertNotFound(alertId);
  return sourceId;
};

/**
 * Alert of the actor's tenant.
 * @throws Rejection `alertNotFound`
 */
export const ownAlert = (models: ReadModels, actor: Owner, id: string): AlertRecord => {
  const sourceId = ownSourceOfAlert(models, actor, id);
  if (models.sources.setup(sourceId)?.archivedAt !== null) throw alertNotFound(id);
  const alert = models.alerts.one(id);
  if (!alert) throw alertNotFound(id);
  return alert;
};

/**
 * Incident of the actor's tenant, also one whose sources are all archived.
 * @throws Rejection `incidentNotFound`, SourceParked
 */
export const ownIncidentOrArchived = (models: ReadModels, { tenant }: Owner, id: string): IncidentRecord => {
  requireNotParked(models, streams.incidents(tenant));
  const incident = models.incidents.one(id);
  if (incident?.tenant !== tenant) throw incidentNotFound(id);
  return incident;
};

/**
 * Incident of the actor's tenant with a source that is not archived.
 * @throws Rejection `incidentNotFound`, SourceParked
 */
export const ownIncident = (models: ReadModels, actor: Owner, id: string): IncidentRecord => {
  const incident = ownIncidentOrArchived(models, actor, id);
  if (!models.incidents.hasPresentSource(id)) throw incidentNotFound(id);
  return incident;
};

/**
 * Incident that a request changes. One with a key may be a retry, which comes after the sources were archived.
 * @throws Rejection `incidentNotFound`
 */
export const changedIncident = (
  models: ReadModels,
  { actor, hasKey }: Pick<Requester, 'actor' | 'hasKey'>,
  id: string,
): IncidentRecord => (hasKey ? ownIncidentOrArchived(models, actor, id) : ownIncident(models, actor, id));

/**
 * Calendar rule of the actor's tenant.
 * @throws Rejection `calendarRuleNotFound`, SourceParked
 */
export const ownCalendarRule = (models: ReadModels, actor: Owner, id: string): CalendarRuleRecord => {
  requireNotParked(models, streams.calendar(actor.tenant));
  const rule = models.calendarRules.one(actor.tenant, id);
  if (!rule) throw notFound('calendarRuleNotFound', 'calendar rule', id);
  return rule;
};

/**
 * Webhook of the actor's tenant.
 * @throws Rejection `webhookNotFound`, SourceParked
 */
export const ownWebhook = (models: ReadModels, actor: Owner, id: string): WebhookRecord => {
  requireNotParked(models, streams.webhooks(actor.tenant));
  const webhook = models.webhooks.one(id);
  if (webhook?.tenant !== actor.tenant) throw notFound('webhookNotFound', 'webhook', id);
  return webhook;
};

/** Events waiting for the process manager at which requests that add more are refused. */
const backlogMax = 800;
/** The same for creations: many new sources leave room for the requests that people wait for. */
const creationBacklogMax = 400;
/** Waiting events that each tenant may always have, independent of the other tenants. */
const backlogReserved = 8;

/**
 * Refuses a request of a tenant that has as many waiting events as may still be added by all tenants.
 * @throws QueueFull
 */
export const requireCapacity = (
  service: Pick<Service, 'backlog' | 'backlogOf'>,
  { tenant }: Requester['actor'],
  request: 'creation' | 'other' = 'other',
): void => {
  const most = request === 'creation' ? creationBacklogMax : backlogMax;
  const own = service.backlogOf(tenant);
  const all = service.backlog();
  if (own >= Math.max(most - all, backlogReserved))
    throw new QueueFull(
      `${own} analyses and checks of this tenant are waiting, and the load allows no more; retry later`,
    );
};
