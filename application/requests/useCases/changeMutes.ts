import { mutes, type MuteScope } from '../../../domain/incidents/mutes.js';
import { tenantSettings, type TenantSettings } from '../../../domain/incidents/tenantSettings.js';
import { Rejection } from '../../../domain/rejection.js';
import { streams } from '../../../domain/streams.js';
import type { MuteRecord } from '../../../projections/mutes.js';
import { derivedId } from '../../commands/ids.js';
import { requireNotParked } from '../../reading/parking.js';
import { ownIncident, ownSource, type Requester } from '../access.js';
import type { Deciding, Service } from '../service.js';

/** Mute of the actor's tenant, ended or not. @throws Rejection `muteNotFound` */
const ownMute = ({ models }: Pick<Service, 'models'>, { actor }: Requester, id: string): MuteRecord => {
  requireNotParked(models, streams.mutes(actor.tenant));
  const mute = models.mutes.one(id);
  if (mute?.tenant !== actor.tenant) throw new Rejection('muteNotFound', 'no such mute');
  return mute;
};

/** @throws Rejection `sourceNotFound`, `incidentNotFound` */
const requireScope = ({ models }: Pick<Service, 'models'>, { actor }: Requester, scope: MuteScope): void => {
  if ('sourceId' in scope) ownSource(models, actor, scope.sourceId);
  else if ('incidentId' in scope) ownIncident(models, actor, scope.incidentId);
};

/**
 * Mutes a source, sources with labels, or an incident. The reason is encrypted before it is stored.
 * @throws Rejection `sourceNotFound`, `incidentNotFound`, `muteInvalid`, `tooManyMutes`
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
