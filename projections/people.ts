import type { Database } from 'better-sqlite3';
import type { ReadModel } from './readModel.js';

/** Who was erased. All other read models hold of people what events do: sealed texts, and clear ones of older events. */
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

/** Questions about people. */
export const peopleQueries = (db: Database) => {
  const erased = db.prepare<[], string>('select person_id from erased_people').pluck();
  return {
    /** Ids of those who were erased: whatever brings their keys back, they must not stay. */
    erased: (): string[] => erased.all(),
  };
};
