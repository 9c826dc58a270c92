import { catalog } from '../../domain/catalog.js';
import { streams } from '../../domain/events.js';
import { lookUp } from '../../domain/keyed.js';
import { referenceFacts, source, type SourceFacts } from '../../domain/source.js';
import { appendImport } from '../imports/appendImport.js';
import type { ImportedDays } from '../imports/assembleDays.js';
import type { Requester } from '../requester.js';
import { analysisSeed, type Service } from '../service.js';

/** Settings of a new source that the client chooses. */
export type SourceChoices = Pick<
  SourceFacts,
  'name' | 'interpolationMethod' | 'aggregation' | 'calendar' | 'timeZone' | 'referenceYear'
> & {
  /** Target coverage, 0.9 to 0.995; undefined for the default limits. */
  readonly coverage: number | undefined;
};

/** Ids of a new source and of the import of its reference days. */
export type SourceCreation = { readonly sourceId: number; readonly importId: string };

/**
 * Creates a source from valid reference days. The days are stored first; the source makes them visible.
 * The process manager then starts the analysis.
 */
export const createSource = async (
  service: Service,
  requester: Requester,
  { coverage, ...choices }: SourceChoices,
  imported: ImportedDays,
): Promise<SourceCreation> => {
  const metadata = await requester.begin();
  const requestId = metadata.id;
  const sourceId = await reserveId(service, requestId, metadata);
  await appendImport(service, { sourceId, kind: 'reference', imported }, requestId, metadata);
  const facts: SourceFacts = {
    sourceId,
    tenant: requester.actor.tenant,
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
  } as const;
  await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
  return { sourceId, importId: requestId };
};

const reserveId = async (
  { handle }: Pick<Service, 'handle'>,
  requestId: string,
  metadata: Awaited<ReturnType<Requester['begin']>>,
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
