import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import type { WebhookCommand } from '../../../domain/webhooks/webhookCommands.js';
import { webhooks } from '../../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { ownWebhook } from '../../access/access.js';
import type { Requester } from '../../access/requester.js';
import type { Service } from '../../service.js';
import { signingSecret, vaultOf } from '../../webhooks/secrets.js';
import type { WebhookWithSecret } from './createWebhook.js';

/** Time in which messages are signed with two secrets, so that a receiver can change over. */
const overlapMs = 24 * 3_600_000;

type Change = Exclude<WebhookCommand, { type: 'CreateWebhook' }>;

/** Runs a command of a webhook of the actor's tenant. @throws Rejection `webhookNotFound` */
const change = async (
  service: Service,
  { actor, begin }: Requester,
  webhookId: string,
  commandOf: (requestId: string, at: string) => Change,
): Promise<void> => {
  ownWebhook(service.models, actor, webhookId);
  const metadata = await begin();
  const command = commandOf(metadata.id, metadata.at);
  await service.handle(webhooks, streams.webhooks(actor.tenant), command, metadata);
  await service.caughtUp();
};

/** Stops the deliveries until the webhook is enabled. */
export const disableWebhook = async (
  service: Service,
  requester: Requester,
  webhookId: string,
): Promise<WebhookRecord> => {
  await change(service, requester, webhookId, () => ({
    type: 'DisableWebhook',
    webhookId,
    reason: 'requested',
  }));
  return ownWebhook(service.models, requester.actor, webhookId);
};

/** Starts the deliveries where they stopped. */
export const enableWebhook = async (
  service: Service,
  requester: Requester,
  webhookId: string,
): Promise<WebhookRecord> => {
  await change(service, requester, webhookId, () => ({ type: 'EnableWebhook', webhookId }));
  return ownWebhook(service.models, requester.actor, webhookId);
};

/** Deletes a webhook and destroys its key. */
export const deleteWebhook = (service: Service, requester: Requester, webhookId: string): Promise<void> =>
  change(service, requester, webhookId, () => ({ type: 'DeleteWebhook', webhookId }));

/** Makes a new secret; the one before stays valid for a day. A retry gets the same secret. */
export const rotateWebhookSecret = async (
  service: Service,
  requester: Requester,
  webhookId: string,
): Promise<WebhookWithSecret> => {
  await change(service, requester, webhookId, (requestId, at) => ({
    type: 'RotateWebhookSecret',
    webhookId,
    requestId,
    previousUntil: new Date(Date.parse(at) + overlapMs).toISOString(),
  }));
  const webhook = ownWebhook(service.models, requester.actor, webhookId);
  const key = await service.people.known(vaultOf(webhook.tenant, webhookId));
  if (key?.id !== webhook.keyId)
    throw new Rejection('webhookNotFound', 'the key of the webhook is lost: create another webhook');
  return { webhook, secret: signingSecret(key, webhook.secret) };
};

/**
 * Delivers all messages after a position again.
 * @param after position in the log, from 0
 * @throws Rejection `webhookInvalid` for a position beyond the end of the log
 */
export const replayWebhook = async (
  service: Service,
  requester: Requester,
  webhookId: string,
  after: bigint,
): Promise<WebhookRecord> => {
  const { position: end } = service.models.checkpoint('readModels');
  if (after > end)
    throw new Rejection('webhookInvalid', 'the position is not in the log', [
      {
        code: 'positionUnknown',
        pointer: '/position',
        detail: `got ${after}, expected 0 to ${end}, the end of the log`,
      },
    ]);
  await change(service, requester, webhookId, requestId => ({
    type: 'ReplayWebhook',
    webhookId,
    requestId,
    after: String(after),
  }));
  return ownWebhook(service.models, requester.actor, webhookId);
};
