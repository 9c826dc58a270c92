import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { canonicalJson } from './eventBytes.js';

/**
 * State of a log: its first `size` events are the leaves of the Merkle tree with this root. Stored outside the
 * control of the log's operator, it proves later changes. `origin` is the id of the log's first event.
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
  /** SHA-256 of the public key (SPKI, DER) in hexadecimal; after a key rotation it selects the key. */
  readonly keyId: string;
  /** Ed25519 in base64 over the canonical JSON of origin, size, root, at and keyId. */
  readonly signature: string;
  /** Successions from earlier keys to the signing key, oldest first; absent for a first key. */
  readonly successions?: readonly Succession[];
};

/** Statement of a key's owner that another key follows: verifiers that trust the first may trust the next. */
export type Succession = {
  /** Id of the earlier key, which signs. */
  readonly keyId: string;
  /** The next public key: SPKI, DER, in base64. */
  readonly nextKey: string;
  readonly at: string;
  /** Ed25519 in base64 over the canonical JSON of keyId, nextKey and at. */
  readonly signature: string;
};

/** Key that signs checkpoints, with its successions. */
export type Signer = { readonly privateKey: KeyObject; readonly successions: readonly Succession[] };

/** Not a valid key, checkpoint or proof; the message names the expected form. */
export class NotUsable extends Error {
  readonly name = 'NotUsable';
}

const ed25519 = (key: KeyObject): KeyObject => {
  if (key.asymmetricKeyType !== 'ed25519') throw new NotUsable('expected an Ed25519 key');
  return key;
};

const read = (make: (pem: string) => KeyObject, pem: string, kind: string): KeyObject => {
  try {
    return ed25519(make(pem));
  } catch (error) {
    throw error instanceof NotUsable ? error : new NotUsable(`expected the PEM of an Ed25519 ${kind} key`);
  }
};

/** @throws NotUsable */
export const privateKeyOf = (pem: string): KeyObject => read(createPrivateKey, pem, 'private');

/**
 * The public key of a PEM with a public or a private key.
 * @throws NotUsable
 */
export const publicKeyOf = (pem: string): KeyObject => read(createPublicKey, pem, 'public');

/** A new key pair as PEM. */
export const newKey = (): { readonly privatePem: string; readonly publicPem: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
};

/** Id of a public key: the SHA-256 digest of its DER form, in hexadecimal digits. */
export const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Text that is signed. */
const textOf = ({ origin, size, root, at }: Checkpoint, keyId: string): Buffer =>
  Buffer.from(canonicalJson({ origin, size, root, at, keyId }));

/** Signs a checkpoint; it names the key, and the keys that it succeeds. */
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

/** A signer whose key follows that of another signer. */
export const successor = (before: Signer, privateKey: KeyObject, at: string): Signer => {
  const statement = {
    keyId: keyIdOf(createPublicKey(before.privateKey)),
    nextKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    at,
  };
  const signature = sign(null, successionText(statement), before.privateKey).toString('base64');
  return { privateKey, successions: [...before.successions, { ...statement, signature }] };
};

/**
 * Trusted keys by id: the given keys, and those that a trusted key names in a signed succession. Successions with a
 * wrong signature are ignored.
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

/** Whether a checkpoint was signed with this key. */
export const isSignedBy = (checkpoint: SignedCheckpoint, publicKey: KeyObject): boolean =>
  checkpoint.keyId === keyIdOf(publicKey) &&
  verify(null, textOf(checkpoint, checkpoint.keyId), publicKey, Buffer.from(checkpoint.signature, 'base64'));

/**
 * Parses a checkpoint.
 * @throws NotUsable
 */
export const readCheckpoint = (text: string): SignedCheckpoint => {
  let value: Partial<SignedCheckpoint> | null;
  try {
    value = JSON.parse(text) as Partial<SignedCheckpoint> | null;
  } catch {
    throw new NotUsable('expected a checkpoint, got a text that is not JSON');
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
 * Parses a list of successions.
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
