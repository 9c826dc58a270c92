import { catalog } from '../../domain/catalog.js';
import { streams } from '../../domain/streams.js';
import { lookUp } from '../../domain/keyed.js';
import {
  describedAtCreation,
  descriptionFacts,
  referenceFacts,
  type SourceFacts,
} from '../../domain/source/sourceFacts.js';
import { source } from '../../domain/source/source.js';
import { patchedDescription, type DescriptionPatch } from '../../domain/source/sourceDescription.js';
import { requireCapacity } from '../sharing/capacity.js';
import { requireCovariates } from '../covariates/covariateFaults.js';
import { requestedCovariates } from '../covariates/readings.js';
import { appendImport } from '../imports/appendImport.js';
import type { ImportedDays } from '../imports/assembleDays.js';
import type { CommandMetadata } from '../commandHandler.js';
import type { Requester } from '../access/requester.js';
import { analysisSeed, type Service } from '../service.js';
import { claimName, requireFreeName } from './sourceNames.js';

/** Settings of a new source that the client chooses. */
export type SourceChoices = Pick<
  SourceFacts,
  'interpolationMethod' | 'aggregation' | 'calendar' | 'timeZone' | 'referenceYear'
> & {
  readonly description: DescriptionPatch & { readonly name: string };
  /** Whether another source of the tenant may have the same name. */
  readonly allowDuplicate: boolean;
  /** Target coverage, 0.9 to 0.995; undefined for the default limits. */
  readonly coverage: number | undefined;
};

/** Ids of a new source and of the import of its reference days. */
export type CreatedSource = { readonly sourceId: number; readonly importId: string };

/**
 * Creates a source from valid reference days. The days are stored first; the source makes them visible.
 * The process manager then starts the analysis.
 * @throws Rejection `descriptionInvalid`, and `sourceNameTaken` unless duplicates are allowed
 */
export const createSource = async (
  service: Service,
  requester: Requester,
  { coverage, description, allowDuplicate, ...choices }: SourceChoices,
  imported: ImportedDays,
): Promise<CreatedSource> => {
  requireCapacity(service, requester.actor, 'creation');
  const described = descriptionFacts(
    patchedDescription(describedAtCreation({ name: description.name }), description),
  );
  const { tenant } = requester.actor;
  requireCovariates(service.models, { tenant, sourceId: undefined }, described.explainedBy ?? []);
  const { name } = described;
  const metadata = await requester.begin();
  const requestId = metadata.id;
  // A repeated request may meet its own source.
  if (!allowDuplicate && !metadata.isRetry) requireFreeName(service, { tenant, name });
  const sourceId = await reserveId(service, requestId, metadata);
  await appendImport(service, { sourceId, kind: 'reference', imported }, requestId, metadata);
  if (!allowDuplicate && service.models.sources.setup(sourceId) === undefined)
    await claimName(service, { tenant, name, sourceId }, metadata);
  const facts: SourceFacts = {
    sourceId,
    tenant,
    ...described,
    ...choices,
    activitySize: imported.activitySize,
    reference: referenceFacts(imported.days),
  };
  const command = {
    type: 'CreateSource',
    requestId,
    facts,
    seed: analysisSeed,
    ...(coverage === undefined ? {} : { coverage }),
    ...requestedCovariates(service.models, facts.explainedBy, facts.reference),
  } as const;
  await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
  return { sourceId, importId: requestId };
};

/** Reserves an id for a new source; a repeated request gets the same. */
export const reserveId = async (
  { handle }: Pick<Service, 'handle'>,
  requestId: string,
  metadata: CommandMetadata,
): Promise<number> => {
  const { state } = await handle(
    catalog,
    streams.catalog,
    { type: 'ReserveSourceId', requestId } as const,
    metadata,
  );
  const sourceId = lookUp(state.reserved, requestId);
  if (sourceId === undefined) throw new Error(`no id was reserved for request ${requestId}`);
  return sourceId;
};
