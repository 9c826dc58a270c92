import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { canonicalJson } from './canonicalJson.js';

/**
 * What a log was: that its first `size` events are the tree under `root`. Kept where the log's owner cannot change
 * it, it shows every later change of them. `origin` is the id of the log's first event.
 */
export type Checkpoint = {
  readonly origin: string;
  readonly size: number;
  /** SHA-256 in hexadecimal. */
  readonly root: string;
  /** ISO 8601 UTC instant at which it was signed. */
  readonly at: string;
};
export type SignedCheckpoint = Checkpoint & {
  /** SHA-256 of the public key (SPKI, DER) in hexadecimal: after a rotation it tells which key to check with. */
  readonly keyId: string;
  /** Ed25519 in base64 over the canonical JSON of origin, size, root, at and keyId. */
  readonly signature: string;
  /** How the signing key came after earlier ones, oldest first; absent for a first key. */
  readonly successions?: readonly Succession[];
};

/** That the owner of one key signs with another from now on: who trusts the one may trust the other. */
export type Succession = {
  /** Of the key before, which signs. */
  readonly keyId: string;
  /** The public key after it: SPKI, DER, in base64. */
  readonly nextKey: string;
  readonly at: string;
  /** Ed25519 in base64 over the canonical JSON of keyId, nextKey and at. */
  readonly signature: string;
};

/** What checkpoints are signed with. */
export type Signer = { readonly privateKey: KeyObject; readonly successions: readonly Succession[] };

/** A key or a checkpoint that is none; the message says what was expected. */
export class NotUsable extends Error {
  readonly name = 'NotUsable';
}

const ed25519 = (key: KeyObject): KeyObject => {
  if (key.asymmetricKeyType !== 'ed25519') throw new NotUsable('the key is not one of Ed25519');
  return key;
};

const read = (make: (pem: string) => KeyObject, pem: string, kind: string): KeyObject => {
  try {
    return ed25519(make(pem));
  } catch (error) {
    throw error instanceof NotUsable ? error : new NotUsable(`expected the PEM of a ${kind} key of Ed25519`);
  }
};

/** @throws NotUsable */
export const privateKeyOf = (pem: string): KeyObject => read(createPrivateKey, pem, 'private');

/**
 * The public key of a PEM; of a private key's too.
 * @throws NotUsable
 */
export const publicKeyOf = (pem: string): KeyObject => read(createPublicKey, pem, 'public');

/** A new key as PEM, the private part and the public one. */
export const newKey = (): { readonly privatePem: string; readonly publicPem: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
};

export const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** What is signed. */
const textOf = ({ origin, size, root, at }: Checkpoint, keyId: string): Buffer =>
  Buffer.from(canonicalJson({ origin, size, root, at, keyId }));

export const signedCheckpoint = (
  checkpoint: Checkpoint,
  { privateKey, successions }: Signer,
): SignedCheckpoint => {
  const { origin, size, root, at } = checkpoint;
  const keyId = keyIdOf(createPublicKey(privateKey));
  const signature = sign(null, textOf(checkpoint, keyId), privateKey).toString('base64');
  return { origin, size, root, at, keyId, signature, ...(successions.length > 0 && { successions }) };
};

const successionText = ({ keyId, nextKey, at }: Omit<Succession, 'signature'>): Buffer =>
  Buffer.from(canonicalJson({ keyId, nextKey, at }));

/** A signer whose key comes after another's. */
export const successor = (before: Signer, privateKey: KeyObject, at: string): Signer => {
  const stated = {
    keyId: keyIdOf(createPublicKey(before.privateKey)),
    nextKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    at,
  };
  const signature = sign(null, successionText(stated), before.privateKey).toString('base64');
  return { privateKey, successions: [...before.successions, { ...stated, signature }] };
};

/**
 * All keys, by their ids, that may be trusted by whoever trusts some: those, and whatever key one of them has named
 * as the next. A succession that is not signed by the key that it names leads nowhere.
 */
export const trustedKeys = (
  given: readonly KeyObject[],
  successions: readonly Succession[],
): ReadonlyMap<string, KeyObject> => {
  const trusted = new Map(given.map(key => [keyIdOf(key), key]));
  for (let found = true; found;) {
    found = false;
    for (const succession of successions) {
      const key = trusted.get(succession.keyId);
      const signed =
        key && verify(null, successionText(succession), key, Buffer.from(succession.signature, 'base64'));
      const next = signed ? nextKeyOf(succession) : undefined;
      if (!next || trusted.has(keyIdOf(next))) continue;
      trusted.set(keyIdOf(next), next);
      found = true;
    }
  }
  return trusted;
};

const nextKeyOf = ({ nextKey }: Succession): KeyObject | undefined => {
  try {
    return ed25519(createPublicKey({ key: Buffer.from(nextKey, 'base64'), type: 'spki', format: 'der' }));
  } catch {
    return undefined;
  }
};

/** Whether a checkpoint was signed by the owner of this key. */
export const isSignedBy = (checkpoint: SignedCheckpoint, publicKey: KeyObject): boolean =>
  checkpoint.keyId === keyIdOf(publicKey) &&
  verify(null, textOf(checkpoint, checkpoint.keyId), publicKey, Buffer.from(checkpoint.signature, 'base64'));

/**
 * A checkpoint from its JSON.
 * @throws NotUsable
 */
export const readCheckpoint = (text: string): SignedCheckpoint => {
  let value: Partial<SignedCheckpoint> | null;
  try {
    value = JSON.parse(text) as Partial<SignedCheckpoint> | null;
  } catch {
    throw new NotUsable('expected a checkpoint, got what is no JSON');
  }
  const { origin, size, root, at, keyId, signature, successions = [] } = value ?? {};
  if (
    [origin, at, signature].some(field => typeof field !== 'string') ||
    [root, keyId].some(field => typeof field !== 'string' || !/^[0-9a-f]{64}$/.test(field)) ||
    !Number.isSafeInteger(size) ||
    Number(size) < 1
  )
    throw new NotUsable('expected a checkpoint: origin, size, root, at, keyId, signature');
  return { ...(value as SignedCheckpoint), successions: readSuccessions(JSON.stringify(successions)) };
};

/**
 * Successions from their JSON, a list.
 * @throws NotUsable
 */
export const readSuccessions = (text: string): readonly Succession[] => {
  const fields = ['keyId', 'nextKey', 'at', 'signature'] as const;
  const isSuccession = (value: Partial<Succession> | null): boolean =>
    fields.every(name => typeof value?.[name] === 'string');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!Array.isArray(value) || !value.every(isSuccession))
    throw new NotUsable(`expected a list of successions: ${fields.join(', ')}`);
  return value as readonly Succession[];
};

/** Where the successions up to a key are kept: beside its file. */
const successionsFile = (keyFile: string): string => `${keyFile}.successions`;

/**
 * The signer of a private key's file, and of the successions beside it, if there are any.
 * @throws NotUsable, Error of the system for a file that cannot be read
 */
export const signerOf = (keyFile: string): Signer => {
  const file = successionsFile(keyFile);
  return {
    privateKey: privateKeyOf(readFileSync(keyFile, 'utf8')),
    successions: existsSync(file) ? readSuccessions(readFileSync(file, 'utf8')) : [],
  };
};

/**
 * Makes a key: its private part in `file`, which its owner alone can read, the public one in `file.pub`; after an
 * earlier signer its successions in `file.successions`. A file that is there is never written over.
 * @throws Error of the system, EEXIST for a file that is there
 */
export const makeKey = (file: string, at: string, before?: Signer): void => {
  const { privatePem, publicPem } = newKey();
  writeFileSync(file, privatePem, { mode: 0o600, flag: 'wx' });
  writeFileSync(`${file}.pub`, publicPem, { flag: 'wx' });
  if (!before) return;
  const { successions } = successor(before, privateKeyOf(privatePem), at);
  writeFileSync(successionsFile(file), `${JSON.stringify(successions)}\n`, { flag: 'wx' });
};
