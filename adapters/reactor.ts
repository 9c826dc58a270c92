import { createHash } from 'node:crypto';
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Logger } from 'pino';
import { checkDay } from '../analysis/check.js';
import { alerts, type CheckCause } from '../domain/alerts.js';
import { sourceOf, streams, type EventType, type KnownEvent } from '../domain/events.js';
import { source } from '../domain/source.js';
import type { ReadModels } from '../projections/readModels.js';
import type { StoredDay } from '../projections/days.js';
import { QueueFull, type Analyst } from './analyst.js';
import { Conflict, StoreUnavailable, type EventStore } from './eventStore.js';
import { follow } from './follow.js';
import type { Handle, Origin } from './handle.js';

/** Does what events ask for: SourceCreated and ModelsResetRequested an analysis, changes of days or models a check. */
export type Reactor = {
  readonly wake: () => void;
  /** Jobs accepted and not done. */
  readonly backlog: () => number;
  /** Whether the analysis of a source is at work in this process. */
  readonly isAnalysing: (sourceId: number) => boolean;
  /** Stops taking jobs and ends analyses; what is not done is done after the next start. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly store: EventStore;
  readonly models: ReadModels;
  /** Resolves when the read models hold all that was in the log at the call. */
  readonly settled: () => Promise<void>;
  readonly handle: Handle;
  readonly analyst: Analyst;
  /** The present instant, ISO 8601 UTC. */
  readonly now: () => string;
  readonly log: Logger;
  readonly fault: (error: unknown) => void;
};

type CauseEvent = Extract<KnownEvent, { type: CheckCause['type'] }>;
type AnalysisEvent = Extract<KnownEvent, { type: 'SourceCreated' | 'ModelsResetRequested' }>;

const types: readonly EventType[] = [
  'SourceCreated',
  'ModelsResetRequested',
  'DaysImported',
  'ModelsReset',
  'ModelsReplaced',
  'DayPlanned',
  'DayPlanCleared',
];

/** Name of the reactor's checkpoint: all events up to it are done. */
const checkpointName = 'reactor';
/** Days in one DaysChecked: their alerts stay far below the limit of one append. */
const daysPerCheck = 100;
/** Jobs taken and not done, at most; the log keeps the rest. */
const outstandingMax = 1000;
const retryPausesMs = [100, 500, 2000, 10_000];

/** SHA-256 of what a check looks at, in 32 hex digits: the same digest is the same day. */
const digestOf = (day: StoredDay): string =>
  createHash('sha256')
    .update(JSON.stringify([day.activity, day.gaps, day.filled]))
    .digest('hex')
    .slice(0, 32);

/**
 * Starts the reactor at its checkpoint. Events of one source are done in their order, sources side by side.
 * An event may come again after a crash: whatever is recorded already is found by its cause and left alone.
 */
export const reactor = ({ store, models, settled, handle, analyst, now, log, fault }: Parts): Reactor => {
  const queues = new Map<number, Promise<void>>();
  const outstanding = new Set<bigint>();
  const analyses = new Map<number, AbortController>();
  const room: (() => void)[] = [];
  let taken = models.checkpoint(checkpointName).position;
  let stopping = false;

  const origin = (event: KnownEvent, step: string): Origin => ({
    id: `${event.id}/${step}`,
    by: 'reactor',
    cause: event.id,
    correlation: event.metadata.correlation,
    at: now(),
  });

  const analyse = async (event: AnalysisEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    const { requestId, seed } = event.data;
    if (models.sources.one(sourceId)?.pendingRequestId !== requestId) return;
    const modelCount = event.type === 'SourceCreated' ? null : event.data.modelCount;
    const ending = new AbortController();
    analyses.set(sourceId, ending);
    try {
      const days = models.days.reference(sourceId);
      const learned = await analyst.run({ kind: 'typicalDays', days, modelCount, seed }, ending.signal);
      const command = { type: 'ResetModels', requestId, learned } as const;
      await handle(source, streams.source(sourceId), command, origin(event, 'analysis'));
    } catch (error) {
      if (ending.signal.aborted || isPassing(error)) throw error;
      log.error({ err: error, sourceId }, 'analysis failed');
      const detail = error instanceof Error ? error.message : String(error);
      const command = { type: 'FailAnalysis', requestId, code: 'analysisFailed', detail } as const;
      await handle(source, streams.source(sourceId), command, origin(event, 'analysis'));
    } finally {
      analyses.delete(sourceId);
    }
  };

  /** The recent days that a cause makes due. A cause that newer models have overtaken leaves all to theirs. */
  const dueDates = (event: CauseEvent, sourceId: number, modelsVersion: number): readonly string[] => {
    switch (event.type) {
      case 'DaysImported':
        return models.days.ofImport(event.data.importId).map(day => day.date);
      case 'ModelsReset':
      case 'ModelsReplaced':
        return event.data.modelsVersion === modelsVersion ? models.days.recentDates(sourceId) : [];
      case 'DayPlanned':
      case 'DayPlanCleared':
        return [event.data.date];
    }
  };

  const check = async (event: CauseEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    const done = models.days.check(event.id);
    if (done.complete) return;
    const known = models.sources.one(sourceId);
    if (!known) return;
    const checked = new Set(models.days.checkedDays(event.id).map(({ date }) => date));
    const dates = dueDates(event, sourceId, known.modelsVersion).filter(date => !checked.has(date));
    const cause = { id: event.id, type: event.type };
    for (let part = done.parts + 1, from = 0; ; part += 1, from += daysPerCheck) {
      const last = from + daysPerCheck >= dates.length;
      // Read anew for each part: an import or a reset may have come in between.
      const present = models.sources.one(sourceId) ?? known;
      const list = models.models.list(sourceId);
      const days = dates.slice(from, from + daysPerCheck).flatMap(date => {
        const day = models.days.recent(sourceId, date);
        if (!day) return [];
        const plannedModelId = models.planning.day(sourceId, date).modelId;
        const { outcome, finding } = checkDay(day, list, plannedModelId, present.reference.completeness);
        const { importId } = day;
        return [{ date, importId, dayDigest: digestOf(day), plannedModelId, outcome, finding }];
      });
      const { modelsVersion } = present;
      const command = { type: 'RecordCheck', sourceId, cause, part, last, modelsVersion, days } as const;
      await handle(alerts, streams.alerts(sourceId), command, origin(event, `check/${part}`));
      if (last) return;
      await othersFirst();
    }
  };

  const work = async (event: KnownEvent): Promise<void> => {
    switch (event.type) {
      case 'SourceCreated':
      case 'ModelsResetRequested':
        return analyse(event);
      case 'DaysImported':
      case 'ModelsReset':
      case 'ModelsReplaced':
      case 'DayPlanned':
      case 'DayPlanCleared':
        return check(event);
    }
  };

  /** Works until done; a store that cannot be reached now is tried again with growing pauses. */
  const persist = async (event: KnownEvent): Promise<void> => {
    for (let tries = 0; !stopping; tries += 1) {
      try {
        await settled();
        return await work(event);
      } catch (error) {
        if (stopping) return;
        if (error instanceof Error && error.name === 'AbortError') return;
        if (!isPassing(error)) throw error;
        log.warn({ err: error, event: event.type }, 'reactor tries again');
        await new Promise(resolve =>
          setTimeout(resolve, retryPausesMs[Math.min(tries, retryPausesMs.length - 1)]),
        );
      }
    }
  };

  const finish = (position: bigint): void => {
    if (stopping) return;
    outstanding.delete(position);
    const [first] = outstanding;
    models.saveCheckpoint(checkpointName, first === undefined ? taken : first - 1n);
    for (const go of room.splice(0)) go();
  };

  const enqueue = (event: KnownEvent): void => {
    const sourceId = sourceOf(event.stream);
    outstanding.add(event.position);
    // Newer models end an analysis that is under way: its result would be refused.
    if (event.type === 'ModelsResetRequested' || event.type === 'ModelsReplaced')
      analyses.get(sourceId)?.abort();
    const before = queues.get(sourceId) ?? Promise.resolve();
    const mine = before
      .then(() => persist(event))
      .then(() => finish(event.position), fault)
      .finally(() => {
        if (queues.get(sourceId) === mine) queues.delete(sourceId);
      });
    queues.set(sourceId, mine);
  };

  const isDue = (event: KnownEvent): boolean =>
    event.type !== 'DaysImported' || (event.data.kind === 'recent' && event.data.part === event.data.parts);

  const follower = follow({
    store,
    after: taken,
    types,
    take: async (events, { position }) => {
      for (const event of events) {
        while (outstanding.size >= outstandingMax && !stopping)
          await new Promise<void>(resolve => room.push(resolve));
        if (stopping) return;
        if (isDue(event)) enqueue(event);
        taken = event.position;
      }
      taken = position;
    },
    fault,
  });
  follower.wake();

  return {
    wake: follower.wake,
    backlog: () => outstanding.size,
    isAnalysing: sourceId => analyses.has(sourceId),
    stop: async () => {
      stopping = true;
      for (const go of room.splice(0)) go();
      for (const ending of analyses.values()) ending.abort();
      await follower.stop();
      await Promise.all(queues.values());
    },
  };
};

/** Whether trying again later may help. */
const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof Conflict || error instanceof QueueFull;
