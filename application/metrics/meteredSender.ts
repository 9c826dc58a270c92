import type { Sent, WebhookSender } from '../webhooks/deliveries.js';
import { isAccepted } from '../webhooks/progress.js';
import type { DeliveryResult, Metrics } from './metrics.js';

const resultOf = (sent: Sent): DeliveryResult => sent.failure ?? (isAccepted(sent) ? 'delivered' : 'refused');

/** A sender whose requests are recorded, except those that the service ended. */
export const meteredSender = ({ send }: WebhookSender, metrics: Metrics): WebhookSender => ({
  send: async (request, signal) => {
    const sent = await send(request, signal);
    if (!signal.aborted) metrics.delivered({ result: resultOf(sent), seconds: sent.latencyMs / 1000 });
    return sent;
  },
});
