import { hkdfSync } from 'node:crypto';
import type { Person, PersonKey } from '../ports/people.js';

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
