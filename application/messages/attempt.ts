import type { Logger } from 'pino';
import { streams } from '../../domain/streams.js';
import { type DisabledReason, webhooks } from '../../domain/webhooks/webhooks.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { type CommandHandler, derivedId } from '../commands/commandHandler.js';
import { ownMetadata, reportedAs } from '../followUps/followUpParts.js';
import {
  type DeliveryStore,
  type Attempt,
  type DeliveryState,
  type Sent,
  isAccepted,
} from '../ports/deliveries.js';
import { type Environment, instantOf, pause } from '../ports/environment.js';
import type { KeyedQueue } from '../ports/sharing/fairQueue.js';
import type { Tracer, Span } from '../ports/monitoring.js';
import { madeOf, type ClockOf, type Made, type Next, type ReadingParts } from './deliveryPlan.js';
import type { Dispatch } from './dispatch.js';
import { digestMessage } from './messages.js';
import { judge } from './progress.js';

/** Parts that all workers share. */
export type WorkerParts = ReadingParts & {
  readonly models: Pick<ReadModels, 'webhooks' | 'messageFacts'>;
  /** Steps of replays by tenant: one at a time. */
  readonly replays: Pick<KeyedQueue, 'run'>;
  readonly handle: CommandHandler;
  readonly deliveries: DeliveryStore;
  readonly dispatch: Dispatch;
  /** Whether the read models have all events up to a position; on a shared log after they were brought up to date. */
  readonly haveAll: (position: bigint) => Promise<boolean>;
  readonly clockOf: ClockOf;
  /** Absent for no tracing. */
  readonly tracer?: Tracer;
  readonly logger: Logger;
  readonly environment: Environment;
};

/**
 * The span of an attempt to deliver the message of an event: a child of the request or the check that led to the event.
 * It names no receiver, tenant or person.
 */
const deliverySpan = (
  webhookId: string,
  { eventId, correlation, cause }: Pick<MessageCause, 'eventId' | 'correlation' | 'cause'>,
  { type, at, attempt, status, failure, latencyMs }: Attempt,
): Span => ({
  correlation,
  key: `${webhookId}/${eventId}/${at}`,
  parent: cause,
  name: `deliver ${type}`,
  kind: 'client',
  startMs: Date.parse(at),
  durationMs: latencyMs,
  attributes: {
    'daybook.webhook_id': webhookId,
    'daybook.event_id': eventId,
    'daybook.attempt': attempt,
    ...(status !== null && { 'http.response.status_code': status }),
  },
  ...(!isAccepted({ status }) && { error: failure ?? `status ${status}` }),
});

/** Wait after an error of a store, and after the end of the lease of another instance. */
export const errorDelayMs = 5000;

/**
 * Stores the progress after requests, again after errors: without it a receiver would get them at each try.
 * @returns false when another instance has taken the webhook over, and at the stop
 */
export const saveProgress = async (
  { deliveries, logger, environment }: Pick<WorkerParts, 'deliveries' | 'logger' | 'environment'>,
  signal: AbortSignal,
  ...progress: Parameters<DeliveryStore['save']>
): Promise<boolean> => {
  const [webhook] = progress;
  const failed = reportedAs(logger, 'the progress of a webhook cannot be stored; retrying', { webhook });
  do {
    try {
      return await deliveries.save(...progress);
    } catch (error) {
      failed(error);
      await pause(environment, errorDelayMs, signal);
    }
  } while (!signal.aborted);
  return false;
};

/** Messages that are delivered together: one, or those of a digest. */
export type Delivery = {
  readonly webhook: WebhookRecord;
  readonly state: DeliveryState;
  /** At least one, in the order of the log. */
  readonly batch: readonly [Next, ...Next[]];
  /** State when the receiver accepts them. */
  readonly accepted: DeliveryState;
  readonly signal: AbortSignal;
};

/**
 * Sends messages once.
 * @returns the state after it, undefined when this instance must not go on; `'changed'` when messages have to be read
 *          again: none was accepted
 */
export const attempt = async (
  parts: WorkerParts,
  { webhook, state, batch, accepted, signal }: Delivery,
): Promise<DeliveryState | 'changed' | undefined> => {
  const { models, dispatch, tracer, environment } = parts;
  const yieldToEventLoop = parts.turns.yielderFor(webhook.tenant);
  const made: Made[] = [];
  for (const next of batch) {
    made.push(...madeOf(parts, webhook, next));
    await yieldToEventLoop();
  }
  const [first] = made;
  if (!first || made.length < batch.length) return 'changed';
  const { cause, message } = first;
  const isDigest = webhook.digest !== undefined;
  const at = instantOf(environment);
  const outgoing = isDigest ? digestMessage(webhook, made) : message;
  const sent = await dispatch(webhook, outgoing, signal);
  if (signal.aborted) return undefined;
  const { activation } = webhook;
  const judged = judge(sent, state, { accepted, activation, eventId: cause.eventId }, environment);
  // An address that it got meanwhile has not failed.
  const isReplaced = judged.disable && models.webhooks.one(webhook.id)?.activation !== activation;
  const reason = isReplaced ? undefined : judged.disable;
  const tried: Attempt = {
    id: outgoing.id,
    type: isDigest ? 'digest' : message.type,
    sourceId: isDigest ? null : message.sourceId,
    position: String((made.at(-1) ?? first).cause.position),
    at,
    attempt: (state.failing?.attempts ?? 0) + 1,
    ...resultOf(sent),
    outcome: isReplaced ? 'retrying' : judged.outcome,
  };
  for (const one of made) tracer?.record(deliverySpan(webhook.id, one.cause, tried));
  // Saved first, a crash before the event would begin the time of failures again.
  if (reason) await disable(parts, webhook, reason, cause);
  const isStored = await saveProgress(parts, signal, webhook.id, judged.state, tried);
  if (!isStored || reason) return undefined;
  return isReplaced ? 'changed' : judged.state;
};

/** Fields of an attempt that the result of its request determines. */
export const resultOf = (sent: Sent | 'keyLost'): Pick<Attempt, 'status' | 'failure' | 'latencyMs'> =>
  sent === 'keyLost'
    ? { status: null, failure: 'keyLost', latencyMs: 0 }
    : { status: sent.status, failure: sent.failure, latencyMs: Math.round(sent.latencyMs) };

const disable = async (
  { handle, logger, environment }: WorkerParts,
  { id, tenant, host, activation }: WebhookRecord,
  reason: DisabledReason,
  { eventId, correlation }: MessageCause,
): Promise<void> => {
  const own = ownMetadata(derivedId('disable', id, activation, eventId), instantOf(environment));
  const metadata = { ...own, cause: eventId, correlation };
  const command = { type: 'DisableWebhook', webhookId: id, reason } as const;
  await handle(webhooks, streams.webhooks(tenant), command, metadata);
  logger.warn(
    { webhook: id, tenant, host, reason },
    'a webhook was disabled; enable it when its receiver works',
  );
};
