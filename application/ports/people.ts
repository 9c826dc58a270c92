import { processManagerName } from '../../domain/events.js';

/** A person: subject and tenant of their tokens. */
export type Person = { readonly tenant: string; readonly subject: string };

/** Key of a person. `secret` is 64 random bytes: the first half encrypts, the second makes nonces. */
export type PersonKey = {
  /** 32 random hex digits. */
  readonly id: string;
  readonly secret: Buffer;
  readonly tenant: string;
};

/** Key of a person with its owner. */
export type KeptKey = PersonKey & Person;

/** Encrypts names and comments of people before they become events, decrypts them for readers (crypto-shredding). */
export type People = {
  /** Key of a person, created when there is none. */
  readonly keyOf: (person: Person) => Promise<KeptKey>;
  /** Key of a person, undefined when there is none. */
  readonly known: (person: Person) => Promise<KeptKey | undefined>;
  /** Id of a person's key, also of a damaged one, which can be destroyed; undefined when there is none. */
  readonly keyIdOf: (person: Person) => Promise<string | undefined>;
  readonly sealed: (person: Person, text: string) => Promise<string>;
  /** JSON with the tenant's sealed texts and kinds of authors opened; texts of erased persons read `erased`. */
  readonly openedJson: (tenant: string, json: string) => Promise<string>;
  /** Destroys a key; does nothing when there is none. */
  readonly destroy: (keyId: string) => Promise<void>;
};

/** The author of an event: a person, the service itself, or a person whose key was destroyed. */
export const authorKinds = ['person', 'service', 'erased'] as const;
export type AuthorKind = (typeof authorKinds)[number];

/** Author of an event in an answer, before and after sealed texts are opened. */
export type Author = {
  readonly by: string;
  /** An `AuthorKind`; sealed, as the name is, until the answer is opened. */
  readonly byKind: string;
};

/** Form of a sealed text: `sealed:1:{id of the key}:{base64url of nonce, ciphertext and tag}`. */
export const sealedForm = 'sealed:1:([0-9a-f]{32}):([\\w-]{38,})';
const sealedAuthor = new RegExp(`^${sealedForm}$`);

/** Precedes a sealed text that is opened as the kind of its author. */
export const kindMark = 'kind-of-';

/**
 * Author of an event, for an answer. Stored authors are unambiguous: the service is a plain word, people are sealed, or
 * plain in events from before names were sealed. So the kind is taken from the stored form, never from an opened name.
 */
export const authorOf = (by: string): Author => {
  if (by === processManagerName) return { by, byKind: 'service' };
  return { by, byKind: sealedAuthor.test(by) ? `${kindMark}${by}` : 'person' };
};

/** Claims of a token; times in seconds since 1970. A token without `jti` cannot be revoked. */
export type SignedClaims = {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly jti?: string;
  readonly issuedS: number;
  readonly expiresS: number;
};

/** Signs a token that the service accepts; the same claims give the same token. */
export type TokenSigner = (claims: SignedClaims) => Promise<string>;
