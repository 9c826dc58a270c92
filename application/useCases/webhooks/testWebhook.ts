import { ownWebhook } from '../../access/access.js';
import { derivedId } from '../../ids.js';
import type { Requester } from '../../access/requester.js';
import type { Service } from '../../service.js';
import { resultOf } from '../../webhooks/attempt.js';
import type { Attempt } from '../../webhooks/deliveries.js';
import { testMessage } from '../../webhooks/messages.js';
import { isAccepted } from '../../webhooks/progress.js';

/** Longest time of a test; the sender ends earlier by its own limit. */
const testMaxMs = 15_000;

/**
 * Sends a message of type `webhook.test` once, also for a disabled webhook, and stores the attempt.
 * @throws Rejection `webhookNotFound`
 */
export const testWebhook = async (
  service: Service,
  { actor, begin }: Requester,
  webhookId: string,
): Promise<Attempt> => {
  const webhook = ownWebhook(service.models, actor, webhookId);
  const metadata = await begin();
  const id = derivedId('webhook test', webhookId, metadata.id);
  const at = service.now();
  const body = testMessage(webhook, id, at);
  const sent = await service.webhooks.dispatch(webhook, { id, body }, AbortSignal.timeout(testMaxMs));
  const result = resultOf(sent);
  const attempt: Attempt = {
    id,
    type: 'webhook.test',
    sourceId: null,
    position: null,
    at,
    attempt: 1,
    ...result,
    outcome: isAccepted(result) ? 'delivered' : 'failed',
  };
  await service.webhooks.deliveries.note(webhookId, attempt);
  return attempt;
};
