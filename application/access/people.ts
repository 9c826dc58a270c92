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
  readonly sealed: (person: Person, text: string) => Promise<string>;
  /** JSON with the tenant's sealed texts opened; texts of erased persons read `erased`. */
  readonly openedJson: (tenant: string, json: string) => Promise<string>;
  /** Destroys a key; does nothing when there is none. */
  readonly destroy: (keyId: string) => Promise<void>;
};
