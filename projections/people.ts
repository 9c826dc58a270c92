import type { Database } from 'better-sqlite3';
import type { ReadModel } from './readModel.js';

/** Ids of erased people. Other read models contain personal texts as in the events: sealed, or clear in older ones. */
export const peopleModel: ReadModel = {
  name: 'people',
  version: 1,
  schema: `create table erased_people (person_id text primary key) strict, without rowid;`,
  apply: db => {
    const erase = db.prepare('insert or ignore into erased_people (person_id) values (?)');
    return event => {
      if (event.type === 'PersonErased') erase.run(event.data.personId);
    };
  },
};

/** Queries on people. */
export const peopleQueries = (db: Database) => {
  const erased = db.prepare<[], string>('select person_id from erased_people').pluck();
  return {
    /** Ids of all erased people. Their keys must be destroyed again after a restore from a backup. */
    erased: (): string[] => erased.all(),
  };
};
