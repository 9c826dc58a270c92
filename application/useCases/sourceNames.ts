import { catalog, claimMs, claimsAgainst, type NameClaim } from '../../domain/catalog.js';
import { streams } from '../../domain/streams.js';
import { Rejection } from '../../domain/rejection.js';
import type { CommandMetadata } from '../commandHandler.js';
import type { Service } from '../service.js';
import { stateOf } from '../streamState.js';

/** A name that a source is to get. */
export type WantedName = Pick<NameClaim, 'tenant' | 'name'> & {
  /** Absent for a source without an id. */
  readonly sourceId?: number;
};

/**
 * Refuses a name that another source of the tenant has, as the read models know it.
 * @throws Rejection `sourceNameTaken`
 */
export const requireFreeName = ({ models }: Pick<Service, 'models'>, wanted: WantedName): void => {
  const other = models.sources.named(wanted.tenant, wanted.name, wanted.sourceId);
  if (other !== undefined)
    throw new Rejection(
      'sourceNameTaken',
      `got the name "${wanted.name}", which source ${other} has; allowDuplicate=true gives it to both`,
    );
};

/**
 * Claims a name for a source, right before the event that sets it. When requests for one name arrive at the same time,
 * also on several instances, the first claim in the catalog wins.
 * @throws Rejection `sourceNameTaken` when another source has the name or is getting it
 */
export const claimName = async (
  service: Pick<Service, 'models' | 'handle'>,
  wanted: Required<WantedName>,
  metadata: CommandMetadata,
): Promise<void> => {
  const step = { ...metadata, id: `${metadata.id}/name` };
  const claim: NameClaim = {
    ...wanted,
    requestId: metadata.id,
    at: metadata.at,
    until: new Date(Date.parse(metadata.at) + claimMs).toISOString(),
  };
  const state = await stateOf(service, catalog, streams.catalog);
  requireFreeName(service, wanted);
  const finished = claimsAgainst(state, claim)
    .map(({ requestId }) => requestId)
    .filter(service.models.sources.hasNamed);
  await service.handle(catalog, streams.catalog, { type: 'ClaimSourceName', claim, finished } as const, step);
};
