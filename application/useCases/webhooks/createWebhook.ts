import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import { mailHost, type WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import { webhooks } from '../../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { ownWebhook } from '../../access/access.js';
import { derivedId } from '../../ids.js';
import type { Requester } from '../../access/requester.js';
import type { Service } from '../../service.js';
import { signingSecret, vaultOf } from '../../webhooks/secrets.js';

/** A webhook with its newest signing secret, which is answered only when it is made. */
export type WebhookWithSecret = { readonly webhook: WebhookRecord; readonly secret: string };

/** Settings of a new webhook that the client chooses. */
export type NewWebhook = Omit<WebhookTarget, 'host'>;

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
export const requireAddress = ({ webhooks: { addressFault } }: Service, url: string): void => {
  const detail = addressFault(url);
  if (detail !== undefined)
    throw new Rejection('webhookInvalid', 'the address of the receiver is refused', [
      { code: 'addressRefused', pointer: '/url', detail },
    ]);
};
