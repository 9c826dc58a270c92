import type { WebhookRecord } from '../../projections/webhooks.js';
import { instantOf, type Environment } from '../ports/environment.js';
import type { People } from '../ports/people.js';
import type { Sent, WebhookSender } from '../ports/deliveries.js';
import type { FormatInput } from './formats/format.js';
import type { Render } from './renderer.js';
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
    render: Render,
  ): Dispatch =>
  async (webhook, { id, body }, signal) => {
    const vault = vaultOf(webhook.tenant, webhook.id);
    const key = await people.known(vault);
    if (key?.id !== webhook.keyId) return 'keyLost';
    const sealed = { url: webhook.url, options: webhook.options ?? {} };
    const opened = await people.openedJson(vault.tenant, JSON.stringify(sealed));
    const { url, options } = JSON.parse(opened) as Readonly<{ url: string; options: FormatInput['options'] }>;
    const rendered = render(webhook, body, options);
    const { tenant, id: webhookId, language } = webhook;
    const common = { tenant, url, id, webhookId, language };
    if (rendered) return sender.send({ ...common, ...rendered, format: webhook.format, secrets: [] }, signal);
    const { secret, previousUntil } = webhook;
    const isOverlap = previousUntil !== null && instantOf(environment) < previousUntil;
    const secrets = [secret, ...(isOverlap ? [secret - 1] : [])].map(number => signingSecret(key, number));
    return sender.send({ ...common, body, secrets }, signal);
  };
