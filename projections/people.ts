import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';
import { column, type ReadModel } from './readModel.js';

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
      if (event.type === 'PersonErased') erase.run(event.data.personId);
      else if (event.type === 'WebhookDeleted') erase.run(event.data.keyId);
    };
  },
};

/** Id of the key that an event destroys; undefined for other events, and for one without an id. */
export const destroyedKey = ({ type, data }: KnownEvent): string | undefined => {
  if (type !== 'PersonErased' && type !== 'WebhookDeleted') return undefined;
  const { personId, keyId } = (data ?? {}) as { readonly personId?: unknown; readonly keyId?: unknown };
  const destroyed = type === 'PersonErased' ? personId : keyId;
  return typeof destroyed === 'string' ? destroyed : undefined;
};

/** Queries on people. */
export const peopleQueries = (db: Database) => {
  return {
    /** Ids of all destroyed keys. They must be destroyed again after a restore from a backup. */
    erased: column<[], string>(db, 'select person_id from erased_people'),
  };
};
