import type { MessageCause } from '../../projections/messageCauses.js';
import { isAccepted } from '../webhooks/progress.js';
import type { Attempt } from '../webhooks/deliveries.js';
import type { Span } from './tracer.js';

/**
 * The span of an attempt to deliver the message of an event: a child of the request or the check that led to the event.
 * It names no receiver, tenant or person.
 */
export const deliverySpan = (
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
