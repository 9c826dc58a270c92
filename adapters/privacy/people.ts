import {
  type KeptKey,
  type People,
  type Person,
  type PersonKey,
  kindMark,
  sealedForm,
  type AuthorKind,
} from '../../application/ports/people.js';
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Recorded } from '../../domain/events.js';

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

/**
 * Storage of people's keys, outside the log. Events contain names and comments encrypted with these keys, so they
 * become unreadable when the key is destroyed, while every hash stays valid.
 * @throws StoreUnavailable
 */
export type PersonKeys = {
  readonly byPerson: (person: Person) => Promise<KeptKey | undefined>;
  readonly byId: (id: string) => Promise<KeptKey | undefined>;
  /** Id of a person's key, also of a damaged one. */
  readonly idOf: (person: Person) => Promise<string | undefined>;
  /** Stores a key durably; returns the existing one if the person has one. */
  readonly keep: (key: KeptKey) => Promise<KeptKey>;
  /** Destroys a key; does nothing when there is none. */
  readonly destroy: (id: string) => Promise<void>;
  readonly close: () => void;
};

/** @param newKey  creates a random key for a person */
export const people = (keys: PersonKeys, newKey: (person: Person) => KeptKey): People => {
  const keyOf: People['keyOf'] = async person => (await keys.byPerson(person)) ?? keys.keep(newKey(person));
  return {
    keyOf,
    known: keys.byPerson,
    keyIdOf: keys.idOf,
    sealed: async (person, text) => seal(text, await keyOf(person)),
    openedJson: async (tenant, json) => {
      const ids = keyIdsIn(json);
      if (ids.size === 0) return json;
      const found = new Map<string, PersonKey>();
      for (const id of ids) {
        const key = await keys.byId(id);
        if (key?.tenant === tenant) found.set(id, key);
      }
      return openedJson(json, found);
    },
    destroy: keys.destroy,
  };
};

/** A place for copied keys has keys of another log. */
export class OtherKeys extends Error {
  readonly name = 'OtherKeys';
  constructor(tenant: string) {
    super(
      `the keys of people at --to are of another log: got another key of somebody of tenant "${tenant}", ` +
        'expected none or the copied one; copy into a folder of its own',
    );
  }
}

/** Ids of the keys of all sealed texts in an event. */
const keyIdsOf = ({ data, metadata }: Recorded): ReadonlySet<string> =>
  keyIdsIn(JSON.stringify([metadata.by, data]));

/** Whether a log has sealed texts. */
export const hasSealedTexts = async (log: AsyncIterable<Recorded>): Promise<boolean> => {
  for await (const event of log) if (keyIdsOf(event).size > 0) return true;
  return false;
};

/** The keys of all sealed texts in a log, each once, and the ids of destroyed keys, in the order of the log. */
async function* keysOf(
  log: AsyncIterable<Recorded>,
  source: Pick<PersonKeys, 'byId'>,
): AsyncGenerator<{ readonly key: KeptKey } | { readonly destroyed: string }> {
  const seen = new Set<string>();
  for await (const event of log) {
    const { type, data } = event;
    if (type === 'PersonErased') yield { destroyed: (data as { readonly personId: string }).personId };
    if (type === 'WebhookDeleted') yield { destroyed: (data as { readonly keyId: string }).keyId };
    for (const id of keyIdsOf(event)) {
      const key = seen.has(id) ? undefined : await source.byId(id);
      seen.add(id);
      if (key) yield { key };
    }
  }
}

/**
 * Looks whether the keys of a log can be copied to another place.
 * @throws OtherKeys if the other place has another key of one of the people: their texts could not be read there
 */
export const checkKeys = async (
  log: AsyncIterable<Recorded>,
  source: Pick<PersonKeys, 'byId'>,
  target: Pick<PersonKeys, 'byPerson'>,
): Promise<void> => {
  const destroyed = new Set<string>();
  for await (const one of keysOf(log, source)) {
    if ('destroyed' in one) destroyed.add(one.destroyed);
    else {
      const kept = await target.byPerson(one.key);
      if (kept && kept.id !== one.key.id && !destroyed.has(kept.id)) throw new OtherKeys(kept.tenant);
    }
  }
};

/**
 * Copies the keys of all sealed texts in a log to another place. Keys of erased persons are destroyed there as well.
 * @returns number of keys
 * @throws OtherKeys as `checkKeys`
 */
export const copyKeys = async (
  log: AsyncIterable<Recorded>,
  source: PersonKeys,
  target: PersonKeys,
): Promise<number> => {
  let count = 0;
  for await (const one of keysOf(log, source)) {
    if ('destroyed' in one) {
      await target.destroy(one.destroyed);
      continue;
    }
    const kept = await target.keep(one.key);
    if (kept.id !== one.key.id) throw new OtherKeys(kept.tenant);
    count += 1;
  }
  return count;
};
