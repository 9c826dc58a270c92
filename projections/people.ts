import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';
import type { ReadModel } from './readModel.js';

/**
 * Ids of the destroyed keys of people and webhooks. Other read models contain personal texts as in the events: sealed,
 * or clear in older ones.
 */
export const peopleModel: ReadModel = {
  name: 'people',
  version: 2,
  schema: `create table erased_people (person_id text primary key) strict, without rowid;`,
  apply: db => {
    const erase = db.prepare('insert or ignore into erased_people (person_id) values (?)');
    return event => {
      const keyId = destroyedKey(event);
      if (keyId !== undefined) erase.run(keyId);
    };
  },
};

/** Id of the key that an event destroys; undefined for other events. */
export const destroyedKey = ({ type, data }: KnownEvent): string | undefined => {
  if (type === 'PersonErased') return data.personId;
  return type === 'WebhookDeleted' ? data.keyId : undefined;
};

/** Queries on people. */
export const peopleQueries = (db: Database) => {
  const erased = db.prepare<[], string>('select person_id from erased_people').pluck();
  return {
    /** Ids of all destroyed keys. They must be destroyed again after a restore from a backup. */
    erased: (): string[] => erased.all(),
  };
};
