import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { kindMark, sealedForm, type AuthorKind, type PersonKey } from '../../application/access/people.js';

const nonceBytes = 12;
const tagBytes = 16;
export const secretBytes = 64;
export const idBytes = 16;

/** Pattern of sealed texts within a text; nonce and tag alone take 38 characters. */
const sealedPattern = new RegExp(sealedForm, 'g');
const openedPattern = new RegExp(`(${kindMark})?${sealedForm}`, 'g');

const encryptionKey = ({ secret }: PersonKey): Buffer => secret.subarray(0, 32);

const nonceOf = ({ secret }: PersonKey, text: string): Buffer =>
  createHmac('sha256', secret.subarray(32)).update(text).digest().subarray(0, nonceBytes);

/**
 * Encrypts a text: `sealed:1:{id}:{base64url of nonce, ciphertext, tag}`, AES-256-GCM with the key's id as additional
 * data. The nonce is an HMAC-SHA-256 of the text, like a synthetic initialization vector (RFC 5297): equal texts give
 * equal results, so that a repeated append is recognised, and no nonce is used for two texts.
 */
export const seal = (text: string, key: PersonKey): string => {
  const nonce = nonceOf(key, text);
  const cipher = createCipheriv('aes-256-gcm', encryptionKey(key), nonce).setAAD(Buffer.from(key.id));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `sealed:1:${key.id}:${Buffer.concat(parts).toString('base64url')}`;
};

/** Decrypts the bytes of a sealed text; undefined for another key. */
const unseal = (bytes: Buffer, key: PersonKey): string | undefined => {
  const nonce = bytes.subarray(0, nonceBytes);
  const end = bytes.length - tagBytes;
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

/** Ids of the keys of all sealed texts in a text. */
export const keyIdsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(sealedPattern)].map(([, id = '']) => id));

/** Replaces the texts of erased persons. */
export const erased = 'erased';

/** JSON with its sealed texts and kinds of authors decrypted, by key id; `erased` where the key is missing. */
export const openedJson = (json: string, keys: ReadonlyMap<string, PersonKey>): string =>
  json.replace(openedPattern, (_, mark: string | undefined, id: string, bytes: string) => {
    const key = keys.get(id);
    const text = key && unseal(Buffer.from(bytes, 'base64url'), key);
    if (mark !== undefined) return (text === undefined ? 'erased' : 'person') satisfies AuthorKind;
    return JSON.stringify(text ?? erased).slice(1, -1);
  });
