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

/** What is done about single events: an analysis or a check, whose outcome is events again. */
export type FollowUps = {
  /** Whether anything is to be done about an event, as far as the read models know it. */
  readonly isDue: (event: KnownEvent) => boolean;
  /**
   * Does it. What is recorded already, found by its cause, is left alone, so an event may come again.
   * @throws AbortError (by name) when an analysis was ended; what `isPassing` tells may go well later
   */
  readonly run: (event: KnownEvent) => Promise<void>;
  /** Looks at events as they come: newer models, or a newer request for them, end an analysis under way. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  /** Ends all analyses, for good. */
  readonly end: () => void;
  /** Whether the analysis of a source is at work in this process. */
  readonly isAnalysing: (sourceId: number) => boolean;
};

export type FollowUpParts = {
  readonly models: ReadModels;
  /** Resolves when the read models hold all that was in the log at the call. */
  readonly caughtUp: () => Promise<void>;
  readonly handle: CommandHandler;
  readonly analyst: Analyst;
  readonly waiters: Waiters;
  readonly turns?: Turns;
  readonly log: Logger;
  readonly environment: Environment;
};

/** The events that something may be done about: a check waits for the analyses that were asked for before. */
export const followUpTypes: readonly EventType[] = [...analysisTypes, ...checkCauses];

/** How long a check waits for an analysis that was asked for before it. */
const analysisWaitMs = 60_000;

/** Whether a check takes long enough to wait for a turn: short ones share their commits with others of this turn. */
const isLong = ({ type, data }: CauseEvent): boolean =>
  type === 'DaysImported'
    ? data.parts > 1 || data.days.length > daysPerStep
    : type === 'ModelsReset' || type === 'ModelsReplaced';

/** A check was ended that waited for an analysis. */
class AnalysisAwaited extends Error {
  readonly name = 'AnalysisAwaited';
}

/** Whether trying again later may help. */
export const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof Contention || error instanceof QueueFull;

/** The reactions of this process. */
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
  const decided = checkDecider(models);
  const analyses = new Map<number, { readonly event: AnalysisEvent; readonly ending: AbortController }>();
  let ended = false;

  const origin = (event: KnownEvent, step: string): CommandMetadata => ({
    id: `${event.id}/${step}`,
    // What an event led to is known from the state, by its cause.
    isRetry: false,
    by: 'reactor',
    cause: event.id,
    correlation: event.metadata.correlation,
    at: instantOf(environment),
  });

  const holds = ({ position }: KnownEvent): boolean => models.checkpoint('readModels').position >= position;
  /** Nothing can be told of an event that the read models have lost since they were waited for. */
  const requireHeld = (event: KnownEvent): void => {
    if (!holds(event)) throw new StoreUnavailable('the read models have lost the event; it waits for them');
  };

  /** Whether the analysis that an event asks for is still the one that its source awaits. */
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

  /** Whether no analysis that was asked for before the event is still to come. */
  const isAnalysed = ({ stream, position }: CauseEvent): boolean => {
    const pending = models.sources.setup(sourceOf(stream))?.pendingPosition ?? null;
    return pending === null || pending > position;
  };

  const check = async (event: CauseEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    // It may be at work in another instance: what comes after it is checked by what it brings. One that takes very
    // long, or was parked, keeps nobody for ever: when it comes, its models check all days again.
    await waiters.until(() => ended || isAnalysed(event) || undefined, analysisWaitMs);
    if (ended) throw new AnalysisAwaited(`the analysis of source ${sourceId} is still to come`);
    for (let again = true; again;) {
      again = false;
      // Before anything is read of which the check is made.
      if (isLong(event)) await turns.take(tenantOf(event));
      requireHeld(event);
      const done = models.days.check(event.id);
      if (done.complete) return;
      if (!models.sources.setup(sourceId)) return;
      const dates = decided.awaitedDates(event);
      // What this run has recorded, which the read models may not have yet.
      const earlier = new Map<string, Checked>();
      for (let part = done.parts + 1, from = 0; !again; part += 1, from += daysPerCheck) {
        const last = from + daysPerCheck >= dates.length;
        const mine = dates.slice(from, from + daysPerCheck);
        const recorded = await recordPart(event, { part, last, dates: mine, earlier });
        // Another instance was faster, or knew more: on with what is left, as it is now.
        again = recorded === null;
        if (last && !again) return;
        for (const day of recorded ?? []) earlier.set(day.date, day);
        await turns.nextTurn();
      }
      await caughtUp();
    }
  };

  const tenantOf = ({ stream }: KnownEvent): string => models.sources.setup(sourceOf(stream))?.tenant ?? '';

  /** Works in a tenant's turns of the event loop. */
  const stepwise = async <Result>(steps: Generator<void, Result>, tenant: string): Promise<Result> => {
    const yieldToEventLoop = turns.breather(tenant);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await yieldToEventLoop();
    }
  };

  /** Checks days and records what came of them; null when the record is not this one's. */
  const recordPart = async (event: CauseEvent, part: CheckPart): Promise<readonly Checked[] | null> => {
    // Made of what is known now, for each part: an import or a reset may have come in between.
    const command = await stepwise(decided.checkSteps(event, part), tenantOf(event));
    if (!command) return null;
    try {
      const step = origin(event, `check/${part.part}`);
      const { events } = await handle(alerts, streams.alerts(command.sourceId), command, step);
      return events.length > 0 ? command.days : null;
    } catch (error) {
      if (error instanceof Rejection && error.code === 'checkOutdated') return null;
      throw error;
    }
  };

  const react = async (event: KnownEvent): Promise<void> => {
    if (isAnalysis(event)) await analyse(event);
    else if (isCause(event)) await check(event);
  };

  const isDue = (event: KnownEvent): boolean => {
    if (!holds(event)) return true;
    return isAnalysis(event) ? isPending(event) : isCause(event) && !models.days.check(event.id).complete;
  };

  return {
    isDue,
    run: react,
    notice: events => {
      // Their results would be refused.
      for (const { type, stream, position } of events) {
        if (type !== 'ModelsResetRequested' && type !== 'ModelsReplaced') continue;
        const analysis = analyses.get(sourceOf(stream));
        // An event may come again, when the read models have lost it: it ends nothing that came after it.
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
