import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import { type WebhookCommand, webhooks } from '../../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { ownWebhook, type Requester } from '../access.js';
import type { Service } from '../service.js';
import { mailHost, type TargetPatch, type WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import type { PersonKey } from '../../ports/people.js';
import { signingSecret, vaultOf } from '../../messages/secrets.js';
import { derivedId } from '../../commands/ids.js';

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

/** A webhook with its newest signing secret, which is answered only when it is made. */
export type WebhookWithSecret = { readonly webhook: WebhookRecord; readonly secret: string };

/** Settings of a new webhook that the client chooses. */
type NewWebhook = Omit<WebhookTarget, 'host'>;

/**
 * Creates a webhook with a key of its own. A retry gets the same id and the same secret.
 * @throws Rejection `webhookInvalid` for an address that messages must not go to, `tooManyWebhooks`
 */
export const createWebhook = async (
  service: Service,
  requester: Requester,
  { url, ...wanted }: NewWebhook,
): Promise<WebhookWithSecret> => {
  requireAddress(service, url);
  const { actor } = requester;
  const metadata = await requester.begin();
  const webhookId = derivedId('webhook', actor.tenant, metadata.id);
  const vault = vaultOf(actor.tenant, webhookId);
  const key = await service.people.keyOf(vault);
  const target = {
    host: new URL(url).host || mailHost,
    url: await service.people.sealed(vault, url),
    ...wanted,
  };
  try {
    const command = { type: 'CreateWebhook', webhookId, keyId: key.id, target } as const;
    await service.handle(webhooks, streams.webhooks(actor.tenant), command, metadata);
    await service.caughtUp();
    return { webhook: ownWebhook(service.models, actor, webhookId), secret: signingSecret(key, 1) };
  } catch (error) {
    // The webhook was not created, so its key has no use.
    if (error instanceof Rejection) await service.people.destroy(key.id);
    throw error;
  }
};

/** @throws Rejection `webhookInvalid` for an address that messages must not go to */
const requireAddress = ({ webhooks: { addressFault } }: Service, url: string): void => {
  const detail = addressFault(url);
  if (detail !== undefined)
    throw new Rejection('webhookInvalid', 'the address of the receiver is refused', [
      { code: 'addressRefused', pointer: '/url', detail },
    ]);
};
