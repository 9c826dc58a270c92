import type { WebhookRecord } from '../../projections/webhooks.js';
import { instantOf, type Environment } from '../ports/environment.js';
import type { People } from '../ports/people.js';
import type { Sent, WebhookSender } from '../ports/deliveries.js';
import { signingSecret, vaultOf } from './secrets.js';

/** Signs and sends messages with the address and the secrets of a webhook. */
export type Dispatch = (
  webhook: WebhookRecord,
  message: { readonly id: string; readonly body: string },
  signal: AbortSignal,
) => Promise<Sent | 'keyLost'>;

/** `keyLost` when the key of a webhook was destroyed or is not in a restored backup. */
export const dispatcher =
  (
    people: Pick<People, 'known' | 'openedJson'>,
    sender: WebhookSender,
    environment: Pick<Environment, 'nowMs'>,
  ): Dispatch =>
  async (webhook, { id, body }, signal) => {
    const vault = vaultOf(webhook.tenant, webhook.id);
    const key = await people.known(vault);
    if (key?.id !== webhook.keyId) return 'keyLost';
    const url = JSON.parse(await people.openedJson(vault.tenant, JSON.stringify(webhook.url))) as string;
    const { secret, previousUntil } = webhook;
    const isOverlap = previousUntil !== null && instantOf(environment) < previousUntil;
    const secrets = [secret, ...(isOverlap ? [secret - 1] : [])].map(number => signingSecret(key, number));
    const { tenant, id: webhookId, language } = webhook;
    return sender.send({ tenant, url, id, body, webhookId, language, secrets }, signal);
  };
