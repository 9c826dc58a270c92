import { ownWebhook } from '../../access/access.js';
import { derivedId } from '../../ids.js';
import type { Requester } from '../../access/requester.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { QueueFull } from '../../analyst.js';
import type { Service } from '../../service.js';
import { fairQueue, type FairQueue } from '../../sharing/fairQueue.js';
import { resultOf } from '../../webhooks/attempt.js';
import type { Attempt } from '../../webhooks/deliveries.js';
import { testMessage } from '../../webhooks/messages.js';
import { isAccepted } from '../../webhooks/progress.js';

/** Longest time of a test; the sender ends earlier by its own limit. */
const testMaxMs = 15_000;
/** Longest wait for a place. */
const waitMaxMs = 5000;

/** Tests at once: of all tenants, and of each. */
const testsAtOnce = 32;
const testsEachMax = 2;
const testsWaitingMax = 256;

/** Places of test messages. */
export const testPlaces = (): FairQueue =>
  fairQueue({
    atOnce: testsAtOnce,
    eachMax: testsEachMax,
    waitingMax: testsWaitingMax,
    name: 'tests of webhooks',
  });

/** Waits for a place. @throws QueueFull when there is none in time */
const enter = async (tests: FairQueue, tenant: string): Promise<() => void> => {
  const signal = AbortSignal.timeout(waitMaxMs);
  try {
    return await tests.enter(tenant, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new QueueFull(`${testsEachMax} tests of webhooks of this tenant are running; retry later`);
  }
};

/**
 * Sends a message of type `webhook.test` once, also for a disabled webhook, and stores the attempt.
 * @throws Rejection `webhookNotFound`, QueueFull
 */
export const testWebhook = async (
  service: Service,
  { actor, begin }: Requester,
  webhookId: string,
): Promise<Attempt> => {
  const webhook = ownWebhook(service.models, actor, webhookId);
  const metadata = await begin();
  const leave = await enter(service.webhooks.tests, actor.tenant);
  try {
    return await sendTest(service, webhook, metadata.id);
  } finally {
    leave();
  }
};

const sendTest = async (service: Service, webhook: WebhookRecord, requestId: string): Promise<Attempt> => {
  const id = derivedId('webhook test', webhook.id, requestId);
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
  await service.webhooks.deliveries.note(webhook.id, attempt);
  return attempt;
};
