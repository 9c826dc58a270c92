import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { PersonKey } from '../../application/people.js';

const nonceBytes = 12;
const tagBytes = 16;
export const secretBytes = 64;
export const idBytes = 16;

/** Sealed texts in any text; nonce and tag alone take 38 characters. */
const sealedPattern = /sealed:1:([0-9a-f]{32}):([\w-]{38,})/g;

const encryptionKey = ({ secret }: PersonKey): Buffer => secret.subarray(0, 32);

const nonceOf = ({ secret }: PersonKey, text: string): Buffer =>
  createHmac('sha256', secret.subarray(32)).update(text).digest().subarray(0, nonceBytes);

/**
 * A text under a person's key: `sealed:1:{id}:{base64url of nonce, ciphertext, tag}`, AES-256-GCM with the key's id as
 * further data. The nonce is made of the text (HMAC-SHA-256), as in a synthetic initialization vector (RFC 5297): the
 * same text gives the same, so a repeated append is one, and no nonce serves two texts.
 */
export const seal = (text: string, key: PersonKey): string => {
  const nonce = nonceOf(key, text);
  const cipher = createCipheriv('aes-256-gcm', encryptionKey(key), nonce).setAAD(Buffer.from(key.id));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `sealed:1:${key.id}:${Buffer.concat(parts).toString('base64url')}`;
};

/** The text of the bytes of a sealed one; undefined when the key is another. */
const unseal = (bytes: Buffer, key: PersonKey): string | undefined => {
  const [nonce, end] = [bytes.subarray(0, nonceBytes), bytes.length - tagBytes];
  try {
    const cipher = createDecipheriv('aes-256-gcm', encryptionKey(key), nonce)
      .setAAD(Buffer.from(key.id))
      .setAuthTag(bytes.subarray(end));
    const text = Buffer.concat([cipher.update(bytes.subarray(nonceBytes, end)), cipher.final()]).toString();
    return nonceOf(key, text).equals(nonce) ? text : undefined;
  } catch {
    return undefined;
  }
};

/** The ids of the keys that sealed texts in a text are under. */
export const keyIdsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(sealedPattern)].map(([, id = '']) => id));

/** What stands where a person was erased. */
export const erased = 'erased';

/** JSON with its sealed texts opened by those keys, by id; `erased` where there is none. */
export const openedJson = (json: string, keys: ReadonlyMap<string, PersonKey>): string =>
  json.replace(sealedPattern, (_, id: string, bytes: string) => {
    const key = keys.get(id);
    const text = key && unseal(Buffer.from(bytes, 'base64url'), key);
    return JSON.stringify(text ?? erased).slice(1, -1);
  });
