import { hkdfSync } from 'node:crypto';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Sent, WebhookSender } from '../ports/deliveries.js';
import { instantOf, type Environment } from '../ports/environment.js';
import type { Person, PersonKey, People } from '../ports/people.js';
import type { FormatInput } from './formats/format.js';
import type { Render } from './renderer.js';

/** Bytes of a signing secret; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** Holder of the key of a webhook. No token has such a tenant, and the audit trail opens no text of it. */
export const vaultOf = (tenant: string, webhookId: string): Person => ({
  tenant: `webhooks/${tenant}`,
  subject: webhookId,
});

/**
 * Signing secret of a webhook: `whsec_` and 32 bytes in base64, derived from its key by HKDF with SHA-256 (RFC 5869).
 * @param number of the secret, from 1
 */
export const signingSecret = ({ secret }: PersonKey, number: number): string => {
  const bytes = hkdfSync('sha256', secret, '', `daybook webhook secret ${number}`, secretBytes);
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
};

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
