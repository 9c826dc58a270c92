import type { AnalysisJob } from '../../analysis/worker.js';
import type { DomainEvent } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import { madeJob, type Analyst } from './analyst.js';
import { sendFailures, type Sent, type WebhookSender, isAccepted } from './deliveries.js';
import type { Environment } from './environment.js';
import { Conflict, OutcomeUnknown, StoreUnavailable, type EventStore } from './eventStore.js';

/** Results of an append. `unknown`: the store became unreachable before it answered. */
export const appendOutcomes = ['stored', 'conflict', 'unavailable', 'unknown', 'failed'] as const;
type AppendOutcome = (typeof appendOutcomes)[number];

export const analysisOutcomes = ['completed', 'cancelled', 'failed'] as const;
type AnalysisOutcome = (typeof analysisOutcomes)[number];

/** Results of a request to a receiver of webhooks. `refused`: it answered with another status than 2xx. */
export const deliveryResults = ['delivered', 'refused', ...sendFailures] as const;
type DeliveryResult = (typeof deliveryResults)[number];

/** Queues of work that has not started. `eventLoop`: reads and checks that wait for their turn of the event loop. */
export const queues = ['analyses', 'eventLoop', 'history', 'bodies', 'lines', 'largeAnswers'] as const;
export type Queue = (typeof queues)[number];

/** Events of the log that the read models do not have. */
export type ProjectionLag = {
  /** Number of events, at most `lagEventsMax`. */
  readonly events: number;
  /** Age of the oldest of them in seconds; 0 without any. */
  readonly seconds: number;
};

/** Values that are read each time the metrics are collected. */
export type Readings = {
  readonly lag: () => Promise<ProjectionLag>;
  /** Events that the process manager has not handled yet. */
  readonly backlog: () => number;
  /** Events whose handling failed too often. */
  readonly parked: () => number;
  /** Subjects whose events this build cannot handle. */
  readonly parkedSources: () => number;
  /** Comparisons that found read models which differ from the log. */
  readonly differences: () => number;
};

/** Records what a service does. Calls are cheap, do not throw, and have no effect on the service. */
export type Metrics = {
  /** A request was answered. `route` is the path of its route with parameters in braces. */
  readonly answered: (request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }) => void;
  /** An append of this instance ended; `events` are the stored ones. */
  readonly appended: (append: {
    readonly outcome: AppendOutcome;
    readonly seconds: number;
    readonly events: readonly DomainEvent[];
  }) => void;
  /** An analysis ended. `seconds` excludes the wait for a thread. */
  readonly analysed: (analysis: {
    readonly kind: AnalysisJob['kind'];
    readonly outcome: AnalysisOutcome;
    readonly seconds: number;
  }) => void;
  /** A request to a receiver of webhooks ended. */
  readonly delivered: (delivery: { readonly result: DeliveryResult; readonly seconds: number }) => void;
  /** Registers a queue; `length` is the number of its waiting tasks. */
  readonly watchQueue: (queue: Queue, length: () => number) => void;
  readonly watch: (readings: Readings) => void;
};

/** Records nothing. */
export const noMetrics: Metrics = {
  answered: () => {},
  appended: () => {},
  analysed: () => {},
  delivered: () => {},
  watchQueue: () => {},
  watch: () => {},
};

const outcomeOf = (error: unknown): AppendOutcome => {
  if (error instanceof Conflict) return 'conflict';
  if (error instanceof OutcomeUnknown) return 'unknown';
  return error instanceof StoreUnavailable ? 'unavailable' : 'failed';
};

/**
 * A store whose appends are recorded. Their events must have the newest versions, as the command handler writes them.
 */
export const meteredStore = <Store extends EventStore>(
  store: Store,
  metrics: Metrics,
  { elapsedMs }: Pick<Environment, 'elapsedMs'>,
): Store => ({
  ...store,
  append: async (stream, expected, events) => {
    const since = elapsedMs();
    const record = (outcome: AppendOutcome, stored: readonly DomainEvent[]): void =>
      metrics.appended({ outcome, seconds: (elapsedMs() - since) / 1000, events: stored });
    try {
      const revision = await store.append(stream, expected, events);
      record('stored', events as readonly DomainEvent[]);
      return revision;
    } catch (error) {
      record(outcomeOf(error), []);
      throw error;
    }
  },
});

/**
 * An analyst whose analyses are recorded. `fairAnalyst` wraps it: waits for a thread are not measured, and priorities
 * are applied already.
 */
export const meteredAnalyst = (
  analyst: Analyst,
  metrics: Metrics,
  { elapsedMs }: Pick<Environment, 'elapsedMs'>,
): Analyst => ({
  ...analyst,
  run: async (asked, signal, tenant) => {
    const job = madeJob(asked);
    const since = elapsedMs();
    const record = (outcome: AnalysisOutcome): void =>
      metrics.analysed({ kind: job.kind, outcome, seconds: (elapsedMs() - since) / 1000 });
    try {
      const result = await analyst.run(job, signal, tenant);
      record('completed');
      return result;
    } catch (error) {
      record(error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 'failed');
      throw error;
    }
  },
});

const resultOf = (sent: Sent): DeliveryResult => sent.failure ?? (isAccepted(sent) ? 'delivered' : 'refused');

/** A sender whose requests are recorded, except those that the service ended. */
export const meteredSender = ({ send }: WebhookSender, metrics: Metrics): WebhookSender => ({
  send: async (request, signal) => {
    const sent = await send(request, signal);
    if (!signal.aborted) metrics.delivered({ result: resultOf(sent), seconds: sent.latencyMs / 1000 });
    return sent;
  },
});

/** Largest number of events that is counted. */
const lagEventsMax = 1000;

/**
 * The lag of the read models, read from the log after their checkpoint.
 * @throws StoreUnavailable
 */
export const projectionLag = async (
  log: Pick<EventStore, 'all'>,
  models: Pick<ReadModels, 'checkpoint'>,
  { nowMs }: Pick<Environment, 'nowMs'>,
): Promise<ProjectionLag> => {
  let oldest: string | undefined;
  let events = 0;
  for await (const { at } of log.all(models.checkpoint('readModels').position)) {
    oldest ??= at;
    events += 1;
    if (events === lagEventsMax) break;
  }
  const seconds = oldest === undefined ? 0 : Math.max(0, nowMs() - Date.parse(oldest)) / 1000;
  return { events, seconds };
};

/**
 * Finished work of a trace. All instances derive the same ids from the same keys, so that spans
 * find their parents through the causes that events have.
 */
export type Span = {
  /** Id of the request at the start (UUID): the correlation of its events, and the id of the trace. */
  readonly correlation: string;
  /** Key of this span: the id of the request or event that is handled, or a separate one. */
  readonly key: string;
  /** Key of the span that led to this one; absent for the first of a trace. */
  readonly parent?: string;
  readonly name: string;
  readonly kind: 'server' | 'internal' | 'client';
  /** Milliseconds since 1970-01-01 UTC, and duration in ms. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Message of the error that ended the work. */
  readonly error?: string;
  /** Span of another trace, in which the client works: ids as in the header traceparent. */
  readonly link?: { readonly traceId: string; readonly spanId: string };
};

/** Records spans. Calls are cheap and do not throw. */
export type Tracer = {
  readonly record: (span: Span) => void;
};

/** Key of the span of an append. */
export const appendKey = (firstEventId: string, expected: number | 'absent'): string =>
  `${firstEventId}/append/${expected}`;
