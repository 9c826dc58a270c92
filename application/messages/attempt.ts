import { ownMetadata } from '../followUps/followUpParts.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import { streams } from '../../domain/streams.js';
import { type DisabledReason, webhooks } from '../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { instantOf } from '../ports/environment.js';
import { derivedId } from '../commands/ids.js';
import type { Attempt, DeliveryState, Sent } from '../ports/deliveries.js';
import { digestMessage } from './messages.js';
import { judge } from './progress.js';
import { isAccepted } from '../ports/deliveries.js';
import type { Next } from './readAhead.js';
import type { WorkerParts } from './workerParts.js';
import type { Span } from '../ports/tracer.js';

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

/** Sends messages once; the state after it, undefined when this instance must not go on. */
export const attempt = async (
  parts: WorkerParts,
  { webhook, state, batch, accepted, signal }: Delivery,
): Promise<DeliveryState | undefined> => {
  const { dispatch, deliveries, tracer, environment } = parts;
  const [{ cause, message }] = batch;
  const isDigest = webhook.digest !== undefined;
  const at = instantOf(environment);
  const outgoing = isDigest ? digestMessage(webhook, batch) : message;
  const sent = await dispatch(webhook, outgoing, signal);
  if (signal.aborted) return undefined;
  const { activation } = webhook;
  const judged = judge(sent, state, { accepted, activation, eventId: cause.eventId }, environment);
  const tried: Attempt = {
    id: outgoing.id,
    type: isDigest ? 'digest' : message.type,
    sourceId: isDigest ? null : message.sourceId,
    position: String((batch.at(-1) ?? batch[0]).cause.position),
    at,
    attempt: (state.failing?.attempts ?? 0) + 1,
    ...resultOf(sent),
    outcome: judged.outcome,
  };
  for (const next of batch) tracer?.record(deliverySpan(webhook.id, next.cause, tried));
  const isStored = await deliveries.save(webhook.id, judged.state, tried);
  if (judged.disable) await disable(parts, webhook, judged.disable, cause);
  return isStored && !judged.disable ? judged.state : undefined;
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
