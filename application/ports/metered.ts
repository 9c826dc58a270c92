import type { DomainEvent } from '../../domain/events.js';
import type { Environment } from './environment.js';
import { Conflict, OutcomeUnknown, StoreUnavailable, type EventStore } from './eventStore.js';
import type { AppendOutcome, Metrics, AnalysisOutcome, DeliveryResult, ProjectionLag } from './metrics.js';
import { madeJob, type Analyst } from './analyst.js';
import type { Sent, WebhookSender } from './deliveries.js';
import { isAccepted } from './deliveries.js';
import type { ReadModels } from '../../projections/readModels.js';

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
