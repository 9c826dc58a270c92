import type { KeptKey, People, Person, PersonKey } from '../../application/people.js';
import { keyIdsIn, openedJson, seal } from './sealed.js';

/**
 * The keys of people, outside of the log: whatever a person says and is called goes into events under that key, so
 * that all of it is gone with the key, while every hash stays as it was.
 * @throws StoreUnavailable
 */
export type PersonKeys = {
  readonly of: (person: Person) => Promise<KeptKey | undefined>;
  readonly byId: (id: string) => Promise<KeptKey | undefined>;
  /** Keeps a key for good before it resolves; answers the one that the person has already, if there is one. */
  readonly keep: (key: KeptKey) => Promise<KeptKey>;
  /** Destroys a key, for good; nothing happens when there is none. */
  readonly destroy: (id: string) => Promise<void>;
  readonly close: () => void;
};

/** @param newKey  a key of random bytes for somebody */
export const people = (keys: PersonKeys, newKey: (person: Person) => KeptKey): People => {
  const keyOf: People['keyOf'] = async person => (await keys.of(person)) ?? keys.keep(newKey(person));
  return {
    keyOf,
    known: keys.of,
    sealed: async (person, text) => seal(text, await keyOf(person)),
    openedJson: async (tenant, json) => {
      const found = new Map<string, PersonKey>();
      for (const id of keyIdsIn(json)) {
        const key = await keys.byId(id);
        if (key?.tenant === tenant) found.set(id, key);
      }
      return openedJson(json, found);
    },
    destroy: keys.destroy,
  };
};
