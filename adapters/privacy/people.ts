import type { KeptKey, People, Person, PersonKey } from '../../application/access/people.js';
import { keyIdsIn, openedJson, seal } from './sealed.js';

/**
 * Storage of people's keys, outside the log. Events contain names and comments encrypted with these keys, so they
 * become unreadable when the key is destroyed, while every hash stays valid.
 * @throws StoreUnavailable
 */
export type PersonKeys = {
  readonly byPerson: (person: Person) => Promise<KeptKey | undefined>;
  readonly byId: (id: string) => Promise<KeptKey | undefined>;
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
