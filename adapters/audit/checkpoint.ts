import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
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
  /** Ed25519 in base64 over the canonical JSON of all other fields. */
  readonly signature: string;
};

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

export const signedCheckpoint = (checkpoint: Checkpoint, privateKey: KeyObject): SignedCheckpoint => {
  const { origin, size, root, at } = checkpoint;
  const keyId = keyIdOf(createPublicKey(privateKey));
  const signature = sign(null, textOf(checkpoint, keyId), privateKey).toString('base64');
  return { origin, size, root, at, keyId, signature };
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
  const { origin, size, root, at, keyId, signature } = value ?? {};
  if (
    [origin, at, signature].some(field => typeof field !== 'string') ||
    [root, keyId].some(field => typeof field !== 'string' || !/^[0-9a-f]{64}$/.test(field)) ||
    !Number.isSafeInteger(size) ||
    Number(size) < 1
  )
    throw new NotUsable('expected a checkpoint: origin, size, root, at, keyId, signature');
  return value as SignedCheckpoint;
};
