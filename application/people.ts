/** A person as tokens name them: a subject of a tenant. */
export type Person = { readonly tenant: string; readonly subject: string };

/** Key of a person. `secret` is 64 random bytes: the first half encrypts, the second makes nonces. */
export type PersonKey = {
  /** 32 random hex digits; they say nothing about the person. */
  readonly id: string;
  readonly secret: Buffer;
  readonly tenant: string;
};

/** Key of a person with its owner. */
export type KeptKey = PersonKey & Person;

/** Seals the names and words of people before they become events, and opens them for readers (crypto-shredding). */
export type People = {
  /** Key of a person, created when there is none. */
  readonly keyOf: (person: Person) => Promise<KeptKey>;
  /** Key of a person, undefined when there is none. */
  readonly known: (person: Person) => Promise<KeptKey | undefined>;
  readonly sealed: (person: Person, text: string) => Promise<string>;
  /** JSON with the tenant's sealed texts opened; texts of erased persons read `erased`. */
  readonly openedJson: (tenant: string, json: string) => Promise<string>;
  /** Destroys a key for ever; does nothing when there is none. */
  readonly destroy: (keyId: string) => Promise<void>;
};
