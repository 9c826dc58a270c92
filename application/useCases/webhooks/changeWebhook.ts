import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import type { WebhookCommand } from '../../../domain/webhooks/webhookCommands.js';
import { webhooks } from '../../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { ownWebhook } from '../../access/access.js';
import type { Requester } from '../../access/requester.js';
import type { Service } from '../../service.js';
import { mailHost, type TargetPatch } from '../../../domain/webhooks/webhookTarget.js';
import type { PersonKey } from '../../access/people.js';
import { signingSecret, vaultOf } from '../../webhooks/secrets.js';
import { requireAddress, type WebhookWithSecret } from './createWebhook.js';

/** Time in which messages are signed with two secrets, so that a receiver can change over. */
const overlapMs = 24 * 3_600_000;

type Change = Exclude<WebhookCommand, { type: 'CreateWebhook' }>;

/**
 * Runs a command of a webhook of the actor's tenant. A retry may come after the deletion, so a request with a key is
 * refused after `begin` only.
 * @throws Rejection `webhookNotFound`
 */
const change = async (
  service: Service,
  { actor, hasKey, begin }: Requester,
  webhookId: string,
  commandOf: (requestId: string, at: string) => Change | Promise<Change>,
): Promise<void> => {
  if (!hasKey) ownWebhook(service.models, actor, webhookId);
  const metadata = await begin();
  const command = await commandOf(metadata.id, metadata.at);
  await service.handle(webhooks, streams.webhooks(actor.tenant), command, metadata);
  await service.caughtUp();
};

/** The key of a webhook. @throws Rejection `webhookNotFound` when it is lost */
const requireKey = async ({ people }: Service, { id, tenant, keyId }: WebhookRecord): Promise<PersonKey> => {
  const key = await people.known(vaultOf(tenant, id));
  if (key?.id !== keyId)
    throw new Rejection('webhookNotFound', 'the key of the webhook is lost: create another webhook');
  return key;
};

/** The sealed address of a patch; empty for the present one. @throws Rejection `webhookInvalid` */
const sealedUrl = async (service: Service, webhook: WebhookRecord, url: string): Promise<TargetPatch> => {
  requireAddress(service, url);
  await requireKey(service, webhook);
  const vault = vaultOf(webhook.tenant, webhook.id);
  const opened = await service.people.openedJson(vault.tenant, JSON.stringify(webhook.url));
  if (opened === JSON.stringify(url)) return {};
  return { host: new URL(url).host || mailHost, url: await service.people.sealed(vault, url) };
};

/**
 * Changes the address, the filter or the times of a webhook by a merge patch.
 * @throws Rejection `webhookNotFound`, `webhookInvalid`
 */
export const patchWebhook = async (
  service: Service,
  requester: Requester,
  webhookId: string,
  { url, ...patch }: Omit<TargetPatch, 'host'>,
): Promise<WebhookRecord> => {
  await change(service, requester, webhookId, async () => {
    const webhook = ownWebhook(service.models, requester.actor, webhookId);
    const address = url === undefined ? {} : await sealedUrl(service, webhook, url);
    return { type: 'ChangeWebhook', webhookId, patch: { ...patch, ...address } };
  });
  return ownWebhook(service.models, requester.actor, webhookId);
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
  const key = await requireKey(service, webhook);
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
