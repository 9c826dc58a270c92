import type { Database } from 'better-sqlite3';
import { sourceOf } from '../domain/streams.js';
import { modelAfter } from '../domain/planning/modelChange.js';
import { versionQueries, versionsSchema, versionWriter } from './modelVersions.js';
import type { Model } from '../domain/planning/models.js';
import { parsed, type ReadModel } from './readModel.js';

export const modelsModel: ReadModel = {
  name: 'models',
  version: 3,
  schema: `
    create table models (
      source_id integer not null,
      id integer not null,
      model text not null,
      primary key (source_id, id)
    ) strict, without rowid;
    -- Replaced models that alerts were raised with.
    create table former_models (
      source_id integer not null,
      id integer not null,
      model text not null,
      primary key (source_id, id)
    ) strict, without rowid;${versionsSchema}`,
  apply: db => {
    const keep = db.prepare(
      `insert or ignore into former_models (source_id, id, model)
       select source_id, id, model from models where source_id = $sourceId
         and id in (select planned_model_id from alerts where source_id = $sourceId)`,
    );
    const clear = db.prepare('delete from models where source_id = ?');
    const insert = db.prepare('insert into models (source_id, id, model) values (?, ?, ?)');
    const read = db
      .prepare<[number], string>('select model from models where source_id = ? order by id')
      .pluck();
    const update = db.prepare('update models set model = ? where source_id = ? and id = ?');
    const change = (sourceId: number, changed: (model: Model) => Model): void => {
      for (const text of read.all(sourceId)) {
        const model = changed(parsed<Model>(text));
        update.run(JSON.stringify(model), sourceId, model.id);
      }
    };
    const replace = (sourceId: number, models: readonly Model[]): void => {
      keep.run({ sourceId });
      clear.run(sourceId);
      for (const model of models) insert.run(sourceId, model.id, JSON.stringify(model));
    };
    const noteVersion = versionWriter(db);
    return event => {
      noteVersion(event);
      switch (event.type) {
        case 'ModelsReset':
        case 'ModelsReplaced':
          replace(sourceOf(event.stream), event.data.models);
          break;
        case 'ModelDescribed':
        case 'ModelAnomalyChanged':
          change(sourceOf(event.stream), model => modelAfter(model, event));
          break;
      }
    };
  },
};

const modelOf = (text: string): Model => {
  const { id, ...model } = parsed<Model>(text);
  return { id, ...model };
};

/** Queries on the models. */
export const modelQueries = (db: Database) => {
  const list = db
    .prepare<[number], string>('select model from models where source_id = ? order by id')
    .pluck();
  const one = db
    .prepare<{ sourceId: number; id: number }, string>(
      `select model from models where source_id = $sourceId and id = $id
       union all select model from former_models where source_id = $sourceId and id = $id`,
    )
    .pluck();
  return {
    /** A current model, or a replaced one that an alert was raised with. */
    one: (sourceId: number, id: number): Model | undefined => {
      const text = one.get({ sourceId, id });
      return text === undefined ? undefined : modelOf(text);
    },
    ...versionQueries(db),
    /** Current models of a source by id, which is the order of the analysis: largest first. */
    list: (sourceId: number): Model[] => list.all(sourceId).map(modelOf),
  };
};
