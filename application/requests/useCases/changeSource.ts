import { streams } from '../../../domain/streams.js';
import { source } from '../../../domain/source/source.js';
import { patchedDescription, type DescriptionPatch } from '../../../domain/source/sourceDescription.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { requireCapacity } from '../capacity.js';
import { checkedInTime, type Deciding, type Following, type Service } from '../service.js';
import { requireCovariates } from '../covariateFaults.js';
import { requireFreeFeed } from '../feedFaults.js';
import type { Requester } from '../access.js';
import { claimName } from './createSource.js';

/**
 * Changes the description of a source by a merge patch.
 * @throws Rejection `descriptionInvalid`, and `sourceNameTaken` unless duplicates are allowed
 */
export const describeSource = async (
  service: Deciding,
  requester: Requester,
  setup: SourceSetup,
  { patch, allowDuplicate }: { readonly patch: DescriptionPatch; readonly allowDuplicate: boolean },
): Promise<void> => {
  const { id: sourceId, tenant } = setup;
  const { name, feed } = patchedDescription(setup, patch);
  const metadata = await requester.begin();
  requireCovariates(service.models, { tenant, sourceId }, patch.explainedBy ?? []);
  requireFreeFeed(service.models, { tenant, sourceId }, patch.feed && feed);
  if (name !== setup.name && !allowDuplicate) await claimName(service, { tenant, name, sourceId }, metadata);
  const command = { type: 'DescribeSource', requestId: metadata.id, patch } as const;
  await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
};

/** Archives a source: only the list of archived sources and the audit show it. Does nothing when it is archived. */
export const archiveSource = async (
  service: Pick<Service, 'handle' | 'caughtUp'>,
  requester: Requester,
  sourceId: number,
): Promise<void> => {
  const metadata = await requester.begin();
  const command = { type: 'ArchiveSource', requestId: metadata.id } as const;
  await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
};

/**
 * Restores an archived source and checks its recent days again; does nothing when it is not archived.
 * @returns whether the check is complete; false when it takes longer than a request waits
 * @throws Rejection `sourceNameTaken` unless duplicates are allowed, `descriptionInvalid` when its feed is taken
 */
export const restoreSource = async (
  service: Deciding & Following,
  requester: Requester,
  { id: sourceId, tenant, name, archivedAt, feed }: SourceSetup,
  allowDuplicate: boolean,
): Promise<boolean> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  if (archivedAt !== null) requireFreeFeed(service.models, { tenant, sourceId }, feed);
  if (archivedAt !== null && !allowDuplicate) await claimName(service, { tenant, name, sourceId }, metadata);
  const command = { type: 'RestoreSource', requestId: metadata.id } as const;
  const { events } = await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
  const causeId = events[0]?.id;
  return causeId === undefined || checkedInTime(service, causeId);
};
