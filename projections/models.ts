import type { Database } from 'better-sqlite3';
import { sourceOf } from '../domain/events.js';
import type { Model } from '../domain/models.js';
import { parsed, type ReadModel } from './readModel.js';

export const modelsModel: ReadModel = {
  name: 'models',
  version: 1,
  schema: `
    create table models (
      source_id integer not null,
      id integer not null,
      model text not null,
      primary key (source_id, id)
    ) strict, without rowid;`,
  apply: db => {
    const clear = db.prepare('delete from models where source_id = ?');
    const insert = db.prepare('insert into models (source_id, id, model) values (?, ?, ?)');
    return event => {
      if (event.type !== 'ModelsReset' && event.type !== 'ModelsReplaced') return;
      const sourceId = sourceOf(event.stream);
      clear.run(sourceId);
      for (const model of event.data.models) insert.run(sourceId, model.id, JSON.stringify(model));
    };
  },
};

/** Queries on the current models. */
export const modelQueries = (db: Database) => {
  const list = db
    .prepare<[number], string>('select model from models where source_id = ? order by id')
    .pluck();
  return {
    /** Models of a source by id, which is the order of the analysis: largest first. */
    list: (sourceId: number): Model[] =>
      list.all(sourceId).map(text => {
        const { id, ...model } = parsed<Model>(text);
        return { id, ...model };
      }),
  };
};
