import type { Logger } from 'pino';
import { alerts, checkCauses } from '../../domain/alerts.js';
import { sourceOf, streams, type EventType, type KnownEvent } from '../../domain/events.js';
import { Rejection } from '../../domain/rejection.js';
import { source } from '../../domain/source.js';
import type { ReadModels } from '../../projections/readModels.js';
import { QueueFull, type Analyst } from '../analyst.js';
import {
  analysisJob,
  analysisTypes,
  daysPerCheck,
  daysPerStep,
  checkDecider,
  isAnalysis,
  isCause,
  type AnalysisEvent,
  type CauseEvent,
  type Checked,
  type CheckPart,
} from '../checks/decideCheck.js';
import { instantOf, type Environment } from '../environment.js';
import { Contention, StoreUnavailable } from '../eventStore.js';
import type { CommandHandler, CommandMetadata } from '../commandHandler.js';
import { turns as turnsOf, type Turns } from '../sharing/turns.js';
import type { Waiters } from '../waitFor.js';

/** The work that events ask for, an analysis or a check. Its outcome is appended as events. */
export type FollowUps = {
  /** Whether an event asks for work that is not done yet, as far as the read models know. */
  readonly isDue: (event: KnownEvent) => boolean;
  /**
   * Does the work. Results that are already recorded, found by their cause, are skipped, so an event may be repeated.
   * @throws AbortError (by name) when the analysis was cancelled; errors that satisfy `isTransient` may be retried
   */
  readonly run: (event: KnownEvent) => Promise<void>;
  /** To be called with new events: newer models, or a newer request for models, cancel a running analysis. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  /** Cancels all analyses and waits. */
  readonly end: () => void;
  /** Whether an analysis of the source runs in this process. */
  readonly isAnalysing: (sourceId: number) => boolean;
};

export type FollowUpParts = {
  readonly models: ReadModels;
  /** Resolves when the read models have all events up to the call. */
  readonly caughtUp: () => Promise<void>;
  readonly handle: CommandHandler;
  readonly analyst: Analyst;
  readonly waiters: Waiters;
  readonly turns?: Turns;
  readonly log: Logger;
  readonly environment: Environment;
};

/** Types of the events that may ask for work. */
export const followUpTypes: readonly EventType[] = [...analysisTypes, ...checkCauses];

/** Milliseconds that a check waits for an earlier analysis of its source. */
const analysisWaitMs = 60_000;

/** Whether a check waits for a turn of the event loop. Short checks do not, so that they share commits. */
const isLong = ({ type, data }: CauseEvent): boolean =>
  type === 'DaysImported'
    ? data.parts > 1 || data.days.length > daysPerStep
    : type === 'ModelsReset' || type === 'ModelsReplaced';

/** A check was cancelled while it waited for an analysis. */
class AnalysisAwaited extends Error {
  readonly name = 'AnalysisAwaited';
}

/** Whether a retry may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof Contention || error instanceof QueueFull;

/** The work of this process. */
export const followUps = ({
  models,
  caughtUp,
  handle,
  analyst,
  waiters,
  log,
  environment,
  turns = turnsOf(environment),
}: FollowUpParts): FollowUps => {
  const decider = checkDecider(models);
  const analyses = new Map<number, { readonly event: AnalysisEvent; readonly ending: AbortController }>();
  let ended = false;

  const metadataFor = (event: KnownEvent, step: string): CommandMetadata => ({
    id: `${event.id}/${step}`,
    // The state recognises repeated commands by their cause.
    isRetry: false,
    by: 'reactor',
    cause: event.id,
    correlation: event.metadata.correlation,
    at: instantOf(environment),
  });

  const holds = ({ position }: KnownEvent): boolean => models.checkpoint('readModels').position >= position;
  /** Read models that were lost after the wait for the event cannot decide about it. */
  const requireHeld = (event: KnownEvent): void => {
    if (!holds(event))
      throw new StoreUnavailable('the read models lost the event; retrying when they have caught up');
  };

  /** Whether the source still waits for the analysis that an event asks for. */
  const isPending = ({ stream, data }: AnalysisEvent): boolean =>
    models.sources.setup(sourceOf(stream))?.pendingRequestId === data.requestId;

  const analyse = async (event: AnalysisEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    const { requestId } = event.data;
    requireHeld(event);
    const known = models.sources.setup(sourceId);
    if (!known || !isPending(event)) return;
    const ending = new AbortController();
    analyses.set(sourceId, { event, ending });
    try {
      const specials = models.planning.specialDays(sourceId);
      const job = analysisJob(event, known, models.days.reference(sourceId), specials);
      const learned = await analyst.run(job, ending.signal, known.tenant);
      const command = { type: 'ResetModels', requestId, learned } as const;
      await handle(source, streams.source(sourceId), command, metadataFor(event, 'analysis'));
    } catch (error) {
      if (ending.signal.aborted || isTransient(error)) throw error;
      log.error({ err: error, sourceId }, 'analysis failed');
      const detail = error instanceof Error ? error.message : String(error);
      const command = { type: 'FailAnalysis', requestId, code: 'analysisFailed', detail } as const;
      await handle(source, streams.source(sourceId), command, metadataFor(event, 'analysis'));
    } finally {
      analyses.delete(sourceId);
    }
  };

  /** Whether no analysis requested before the event is pending. */
  const isAnalysed = ({ stream, position }: CauseEvent): boolean => {
    const pending = models.sources.setup(sourceOf(stream))?.pendingPosition ?? null;
    return pending === null || pending > position;
  };

  const check = async (event: CauseEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    // The analysis may run in another instance. After the timeout the check goes on: new models check all days again.
    await waiters.until(() => ended || isAnalysed(event) || undefined, analysisWaitMs);
    if (ended) throw new AnalysisAwaited(`the analysis of source ${sourceId} is pending`);
    for (let again = true; again;) {
      again = false;
      if (isLong(event)) await turns.take(tenantOf(event));
      requireHeld(event);
      const done = models.days.check(event.id);
      if (done.complete) return;
      if (!models.sources.setup(sourceId)) return;
      const dates = decider.awaitedDates(event);
      // Days recorded by this run; the read models may not have them yet.
      const earlier = new Map<string, Checked>();
      for (let part = done.parts + 1, from = 0; !again; part += 1, from += daysPerCheck) {
        const last = from + daysPerCheck >= dates.length;
        const mine = dates.slice(from, from + daysPerCheck);
        const recorded = await recordPart(event, { part, last, dates: mine, earlier });
        // Another instance recorded a part, or knew more: start again with the remaining dates.
        again = recorded === null;
        if (last && !again) return;
        for (const day of recorded ?? []) earlier.set(day.date, day);
        await turns.nextTurn();
      }
      await caughtUp();
    }
  };

  const tenantOf = ({ stream }: KnownEvent): string => models.sources.setup(sourceOf(stream))?.tenant ?? '';

  /** Runs the steps of a generator and yields to the event loop between them. */
  const stepwise = async <Result>(steps: Generator<void, Result>, tenant: string): Promise<Result> => {
    const yieldToEventLoop = turns.yielderFor(tenant);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await yieldToEventLoop();
    }
  };

  /** Checks days and records the outcomes; null when this command recorded nothing. */
  const recordPart = async (event: CauseEvent, part: CheckPart): Promise<readonly Checked[] | null> => {
    // Each part is decided from the present read models: an import or a reset may have come in between.
    const command = await stepwise(decider.checkSteps(event, part), tenantOf(event));
    if (!command) return null;
    try {
      const step = metadataFor(event, `check/${part.part}`);
      const { events } = await handle(alerts, streams.alerts(command.sourceId), command, step);
      return events.length > 0 ? command.days : null;
    } catch (error) {
      if (error instanceof Rejection && error.code === 'checkOutdated') return null;
      throw error;
    }
  };

  const run = async (event: KnownEvent): Promise<void> => {
    if (isAnalysis(event)) await analyse(event);
    else if (isCause(event)) await check(event);
  };

  const isDue = (event: KnownEvent): boolean => {
    if (!holds(event)) return true;
    return isAnalysis(event) ? isPending(event) : isCause(event) && !models.days.check(event.id).complete;
  };

  return {
    isDue,
    run,
    notice: events => {
      // The results of cancelled analyses would be refused.
      for (const { type, stream, position } of events) {
        if (type !== 'ModelsResetRequested' && type !== 'ModelsReplaced') continue;
        const analysis = analyses.get(sourceOf(stream));
        // An event is repeated after the read models lost it. It must not cancel a later analysis.
        if (analysis && analysis.event.position < position) analysis.ending.abort();
      }
    },
    end: () => {
      ended = true;
      waiters.notify();
      for (const { ending } of analyses.values()) ending.abort();
    },
    isAnalysing: sourceId => analyses.has(sourceId),
  };
};
