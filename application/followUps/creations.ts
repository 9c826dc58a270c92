import type { KnownEvent, Metadata, EventOf } from '../../domain/events.js';
import { streams } from '../../domain/streams.js';
import { source } from '../../domain/source/source.js';
import type { CommandHandler } from '../commands/commandHandler.js';
import { instantOf, type Environment } from '../ports/environment.js';
import { derivedId } from '../commands/ids.js';

type RelearnedEvent = EventOf<'SourceRelearned'>;

/** The parts of `SourceRelearned` that the creation of its new source depends on. */
export type Relearned = Pick<RelearnedEvent, 'id' | 'data'> & {
  readonly metadata: Omit<Metadata, 'cause'>;
};

/**
 * Id of the import of a request that learns a source again. Another reference has another id: an import in between
 * changes the revision of the days, and a later date may count.
 * @param countedTo last date that counts; undefined when no later days are left out
 */
export const relearnedImportId = (
  requestId: string,
  revision: number,
  countedTo: string | undefined,
): string => derivedId('relearn', requestId, revision, ...(countedTo === undefined ? [] : [countedTo]));

/** Whether an event asks for the creation of a source. */
export const isRelearned = (event: KnownEvent): event is RelearnedEvent => event.type === 'SourceRelearned';

/**
 * Creates the source that `SourceRelearned` asks for. The request does it at once; the process manager does it after a
 * crash in between. Both use the same event ids, so that the source is created once.
 */
export const createRelearned = async (
  { handle, environment }: { readonly handle: CommandHandler; readonly environment: Environment },
  { id, data, metadata: { by, correlation } }: Relearned,
): Promise<void> => {
  const { requestId, seed, coverage, covariates, ...facts } = data.created;
  const command = {
    type: 'CreateSource',
    requestId,
    facts,
    seed,
    ...(coverage === undefined ? {} : { coverage }),
    ...(covariates && { covariates }),
  } as const;
  await handle(source, streams.source(facts.sourceId), command, {
    id: `${id}/creation`,
    // The state recognises the repeated request.
    isRetry: false,
    by,
    cause: id,
    correlation,
    at: instantOf(environment),
  });
};
