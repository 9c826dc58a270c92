import { parseAlertId, type Verdict } from '../../../domain/alerts/alertsState.js';
import {
  acknowledged,
  mergedInto,
  reopened,
  requireApart,
  resolved,
  splitOff,
  type DecidedIncident,
} from '../../../domain/incidents/decisions.js';
import { freeIncidentId } from '../../../domain/incidents/grouping.js';
import type { IncidentEvent } from '../../../domain/incidents/incidents.js';
import { mutes, type MuteScope } from '../../../domain/incidents/mutes.js';
import { tenantSettings, type TenantSettings } from '../../../domain/incidents/tenantSettings.js';
import { Rejection } from '../../../domain/rejection.js';
import { streams } from '../../../domain/streams.js';
import type { IncidentRecord } from '../../../projections/incidents/incidentPages.js';
import type { MuteRecord } from '../../../projections/mutes.js';
import { eventId, derivedId } from '../../commands/commandHandler.js';
import { recordIncidents } from '../../followUps/recordIncidents.js';
import { requireNotParked } from '../../reading/parking.js';
import {
  changedIncident,
  incidentNotFound,
  notFound,
  ownIncident,
  ownIncidentOrArchived,
  type Requester,
  ownSource,
} from '../access.js';
import type { Deciding, Service } from '../service.js';

/** Parts of a decision about an incident. */
type Changing = Deciding & Pick<Service, 'waiters' | 'environment'>;

/** An incident for a decision. @throws Rejection `incidentNotFound` */
const decidedIncident = (
  { models }: Pick<Service, 'models'>,
  { actor }: Requester,
  id: string,
): DecidedIncident => {
  ownIncident(models, actor, id);
  const incident = models.incidents.decided(id);
  if (!incident) throw incidentNotFound(id);
  return incident;
};

type Decide = (incident: DecidedIncident, requestId: string) => IncidentEvent | undefined;

/**
 * Records a decision about an incident and returns the incident after it, when its alerts have been changed.
 * @param prepared seals texts of the decision: it is called when the incident is known to exist
 * @throws Rejection `incidentNotFound`, `incidentTransition`
 */
const changePrepared = async (
  service: Changing,
  requester: Requester,
  id: string,
  prepared: () => Promise<Decide>,
): Promise<IncidentRecord> => {
  const { models, waiters } = service;
  const { actor } = requester;
  changedIncident(models, requester, id);
  const metadata = await requester.begin();
  if (!metadata.isRetry) ownIncident(models, actor, id);
  const decide = await prepared();
  const decision = () => decide(decidedIncident(service, requester, id), metadata.id);
  await recordIncidents(service, { tenant: actor.tenant, decision, metadataOf: () => metadata });
  const decisionId = eventId(streams.incidents(actor.tenant), metadata.id, 0);
  await waiters.outcome(() => !models.followUps.isPending(decisionId) || undefined);
  return ownIncidentOrArchived(models, actor, id);
};

/** The same for a decision without texts. */
const change = (service: Changing, requester: Requester, id: string, decide: Decide) =>
  changePrepared(service, requester, id, async () => decide);

/** Acknowledges an incident: open → acknowledged. */
export const acknowledgeIncident = (service: Changing, requester: Requester, id: string) =>
  change(service, requester, id, acknowledged);

/** Reopens an incident: acknowledged or resolved → open. */
export const reopenIncident = (service: Changing, requester: Requester, id: string) =>
  change(service, requester, id, reopened);

/** Resolves an incident and its alerts with one verdict. The comment is encrypted before it is stored. */
export const resolveIncident = (
  service: Changing & Pick<Service, 'people'>,
  requester: Requester,
  id: string,
  { verdict, comment }: { readonly verdict: Verdict; readonly comment: string | null },
): Promise<IncidentRecord> =>
  changePrepared(service, requester, id, async () => {
    const sealed = comment === null ? null : await service.people.sealed(requester.actor, comment);
    return incident => resolved(incident, { verdict, comment: sealed });
  });

/** Assigns an incident to a person of the tenant, or to none. @throws Rejection `incidentTransition` when merged */
export const assignIncident = (
  service: Changing & Pick<Service, 'people'>,
  requester: Requester,
  id: string,
  subject: string | null,
): Promise<IncidentRecord> =>
  changePrepared(service, requester, id, async () => {
    const { tenant } = requester.actor;
    const assignee = subject === null ? null : await service.people.sealed({ tenant, subject }, subject);
    return incident => {
      const before = service.models.incidents.one(incident.id);
      requireApart(incident, 'assigned', before?.mergedInto ?? null);
      return before?.assignee === assignee
        ? undefined
        : { type: 'IncidentAssigned', data: { incidentId: incident.id, assignee } };
    };
  });

/**
 * Adds a comment to an incident. It is encrypted before it is stored.
 * @throws Rejection `incidentTransition` when merged
 */
export const commentIncident = (
  service: Changing & Pick<Service, 'people'>,
  requester: Requester,
  id: string,
  text: string,
): Promise<IncidentRecord> =>
  changePrepared(service, requester, id, async () => {
    const comment = await service.people.sealed(requester.actor, text);
    return (incident, requestId) => {
      const { mergedInto = null } = service.models.incidents.one(incident.id) ?? {};
      requireApart(incident, 'commented', mergedInto);
      return { type: 'IncidentCommented', data: { incidentId: incident.id, requestId, comment } };
    };
  });

/** Moves some alerts of an incident to a new one, and returns that one. */
export const splitIncident = async (
  service: Changing,
  requester: Requester,
  id: string,
  alertIds: readonly string[],
): Promise<IncidentRecord> => {
  const { incidents, sources } = service.models;
  const isFree = (one: string): boolean => (incidents.decided(one)?.members.length ?? 0) === 0;
  const isArchived = (alertId: string): boolean =>
    typeof sources.setup(parseAlertId(alertId)?.sourceId ?? 0)?.archivedAt === 'string';
  await change(service, requester, id, incident => {
    const hidden = alertIds.find(isArchived);
    if (hidden !== undefined)
      throw new Rejection(
        'incidentTransition',
        `got alert ${hidden} of an archived source, expected alerts of other sources`,
      );
    return splitOff(incident, alertIds, freeIncidentId(alertIds, isFree));
  });
  const newId = alertIds.flatMap(alertId => incidents.incidentOf(alertId) ?? [])[0] ?? id;
  return ownIncidentOrArchived(service.models, requester.actor, newId);
};

/** Merges an incident into another one, and returns that one. */
export const mergeIncident = async (
  service: Changing,
  requester: Requester,
  id: string,
  into: string,
): Promise<IncidentRecord> => {
  await change(service, requester, id, incident =>
    mergedInto(incident, decidedIncident(service, requester, into)),
  );
  return ownIncidentOrArchived(service.models, requester.actor, into);
};

/** Mute of the actor's tenant, ended or not. @throws Rejection `muteNotFound` */
const ownMute = ({ models }: Pick<Service, 'models'>, { actor }: Requester, id: string): MuteRecord => {
  requireNotParked(models, streams.mutes(actor.tenant));
  const mute = models.mutes.one(id);
  if (mute?.tenant !== actor.tenant) throw notFound('muteNotFound', 'mute', id);
  return mute;
};

/** @throws Rejection `sourceNotFound`, `incidentNotFound`, `incidentTransition` */
const requireScope = (service: Pick<Service, 'models'>, requester: Requester, scope: MuteScope): void => {
  const { models } = service;
  if ('sourceId' in scope) ownSource(models, requester.actor, scope.sourceId);
  if (!('incidentId' in scope)) return;
  const incident = decidedIncident(service, requester, scope.incidentId);
  requireApart(incident, 'muted', models.incidents.one(incident.id)?.mergedInto ?? null);
};

/**
 * Mutes a source, sources with labels, or an incident. The reason is encrypted before it is stored.
 * @throws Rejection `sourceNotFound`, `incidentNotFound`, `incidentTransition` when merged, `muteInvalid`,
 *   `tooManyMutes`
 */
export const createMute = async (
  service: Deciding & Pick<Service, 'people'>,
  requester: Requester,
  {
    scope,
    from,
    until,
    reason,
  }: {
    readonly scope: MuteScope;
    readonly from: string | undefined;
    readonly until: string;
    readonly reason: string;
  },
): Promise<MuteRecord> => {
  const { tenant } = requester.actor;
  if (!requester.hasKey) requireScope(service, requester, scope);
  const metadata = await requester.begin();
  if (!metadata.isRetry) requireScope(service, requester, scope);
  const muteId = derivedId('mute', tenant, metadata.id);
  const sealed = await service.people.sealed(requester.actor, reason);
  const mute = { muteId, scope, from: from ?? metadata.at, until, reason: sealed };
  const command = { type: 'CreateMute', mute, at: metadata.at } as const;
  await service.handle(mutes, streams.mutes(tenant), command, metadata);
  await service.caughtUp();
  return ownMute(service, requester, muteId);
};

/** Ends a mute at once. @throws Rejection `muteNotFound` */
export const deleteMute = async (service: Deciding, requester: Requester, id: string): Promise<void> => {
  if (!requester.hasKey) ownMute(service, requester, id);
  const metadata = await requester.begin();
  ownMute(service, requester, id);
  const command = { type: 'DeleteMute', muteId: id } as const;
  await service.handle(mutes, streams.mutes(requester.actor.tenant), command, metadata);
  await service.caughtUp();
};

/** Changes the settings of the actor's tenant. */
export const changeSettings = async (
  service: Deciding,
  requester: Requester,
  patch: Partial<TenantSettings>,
): Promise<TenantSettings> => {
  const { tenant } = requester.actor;
  const metadata = await requester.begin();
  const command = { type: 'ChangeSettings', patch } as const;
  await service.handle(tenantSettings, streams.settings(tenant), command, metadata);
  await service.caughtUp();
  return service.models.incidents.settings(tenant);
};
