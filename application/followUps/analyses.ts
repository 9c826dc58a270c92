import type { AnalysisJob } from '../../analysis/worker.js';
import type { Day } from '../../domain/day.js';
import type { KnownEvent, Metadata, EventOf } from '../../domain/events.js';
import type { AnalysisEvent } from '../../domain/followUps.js';
import type { NamedDay } from '../../domain/planning/calendar.js';
import { source } from '../../domain/source/source.js';
import { sourceOf, streams } from '../../domain/streams.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { type CommandHandler, derivedId } from '../commands/commandHandler.js';
import type { Priority } from '../ports/analyst.js';
import type { Environment } from '../ports/environment.js';
import { isTransient, metadataFor, requireHeld, type FollowUpParts } from './followUpParts.js';

/** Seed of the analysis. It is fixed, so that the same data give the same models, and stored in events. */
export const analysisSeed = 1;

/** Dates that people left out when an analysis was asked for. */
const datesWithout = ({ type, data }: AnalysisEvent): ReadonlySet<string> =>
  new Set(
    type === 'SourceCreated' ? (data.leftOutDays ?? []).map(({ date }) => date) : (data.withoutDates ?? []),
  );

/** The analysis that an event asks for. @param days the reference */
export const analysisJob = (
  event: AnalysisEvent,
  { calendarGiven: calendarCode, referenceYear }: Pick<SourceSetup, 'calendarGiven' | 'referenceYear'>,
  days: readonly Day[],
  specials: readonly NamedDay[],
): Extract<AnalysisJob, { kind: 'typicalDays' }> => {
  const { type, data } = event;
  const without = datesWithout(event);
  return {
    kind: 'typicalDays',
    days: without.size === 0 ? days : days.filter(({ date }) => !without.has(date)),
    modelCount: type === 'ModelsResetRequested' ? data.modelCount : null,
    coverage: data.coverage ?? null,
    calendarCode,
    referenceYear,
    specials,
    seed: data.seed,
    ...(data.covariates && { covariates: data.covariates }),
  };
};

/** New sources wait for resets, previews and sources that a person has learned again. */
const priorityOf = ({ type, data }: AnalysisEvent): Priority =>
  type === 'ReferenceExtended' || (type === 'SourceCreated' && data.relearnedFrom === undefined)
    ? 'later'
    : 'now';

/** Types of the events that end a running analysis. */
const ending: readonly KnownEvent['type'][] = ['ModelsResetRequested', 'ReferenceExtended', 'ModelsReplaced'];

/** The analyses of this process: one a source at a time. */
export const analyses = ({
  models,
  handle,
  analyst,
  log,
  environment,
}: Pick<FollowUpParts, 'models' | 'handle' | 'analyst' | 'log' | 'environment'>) => {
  const running = new Map<number, { readonly event: AnalysisEvent; readonly ending: AbortController }>();

  /** Whether the source still waits for the analysis that an event asks for. */
  const isPending = ({ stream, data }: AnalysisEvent): boolean =>
    models.sources.setup(sourceOf(stream))?.pendingRequestId === data.requestId;

  const run = async (event: AnalysisEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    const { requestId } = event.data;
    requireHeld(models, event);
    const known = models.sources.setup(sourceId);
    if (!known || !isPending(event)) return;
    const ending = new AbortController();
    running.set(sourceId, { event, ending });
    try {
      const job = () => {
        // The read models may have lost the days while the analysis waited for a thread.
        requireHeld(models, event);
        const specials = models.planning.specialDays(sourceId);
        return analysisJob(event, known, models.days.reference(sourceId), specials);
      };
      const learned = await analyst.run(job, ending.signal, known.tenant, priorityOf(event));
      const command = { type: 'ResetModels', requestId, learned } as const;
      await handle(source, streams.source(sourceId), command, metadataFor(environment, event, 'analysis'));
    } catch (error) {
      if (ending.signal.aborted || isTransient(error)) throw error;
      log.error({ err: error, sourceId }, 'analysis failed');
      const detail = error instanceof Error ? error.message : String(error);
      const command = { type: 'FailAnalysis', requestId, code: 'analysisFailed', detail } as const;
      await handle(source, streams.source(sourceId), command, metadataFor(environment, event, 'analysis'));
    } finally {
      running.delete(sourceId);
    }
  };

  return {
    /** Learns models and records them, or the failure. @throws as `FollowUps.run` */
    run,
    isRunning: (sourceId: number): boolean => running.has(sourceId),
    /** Cancels analyses whose results would be refused: newer events set or request models. */
    notice: (events: readonly KnownEvent[]): void => {
      for (const event of events) {
        const { type, stream, position } = event;
        const isByPerson =
          type === 'ModelsReset' &&
          (event.data.restoredFrom !== undefined || event.data.edited !== undefined);
        if (!isByPerson && !ending.includes(type)) continue;
        const analysis = running.get(sourceOf(stream));
        // An event is repeated after the read models lost it. It must not cancel a later analysis.
        if (analysis && analysis.event.position < position) analysis.ending.abort();
      }
    },
    cancelAll: (): void => {
      for (const { ending } of running.values()) ending.abort();
    },
  };
};

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
  event: Relearned,
): Promise<void> => {
  const { requestId, seed, coverage, covariates, ...facts } = event.data.created;
  const command = {
    type: 'CreateSource',
    requestId,
    facts,
    seed,
    ...(coverage === undefined ? {} : { coverage }),
    ...(covariates && { covariates }),
  } as const;
  const metadata = metadataFor(environment, event, 'creation', event.metadata.by);
  await handle(source, streams.source(facts.sourceId), command, metadata);
};
