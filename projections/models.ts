import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';
import { isAnalysis } from '../domain/followUps.js';
import { modelAfter } from '../domain/planning/modelChange.js';
import type { Model } from '../domain/planning/models.js';
import { sourceOf } from '../domain/streams.js';
import { cell, column, parsed, type ReadModel } from './readModel.js';

/** Causes of versions of the models. */
export const modelsCauses = ['creation', 'reset', 'extension', 'replacement', 'anomaly', 'restore'] as const;
export type ModelsCause = (typeof modelsCauses)[number];

/** A version of all models of a source. */
export type ModelsVersion = {
  readonly modelsVersion: number;
  readonly at: string;
  readonly cause: ModelsCause;
  readonly origin: 'automatic' | 'custom';
  /** null in older events. */
  readonly engine: string | null;
  readonly modelCount: number;
  /** The person who asked for them. */
  readonly by: string;
  /** The version that a person went back to; null for others. */
  readonly restoredFrom: number | null;
};

/** Tables of versions of models, and of the latest request of an analysis. */
const versionsSchema = `
    create table models_versions (
      source_id integer not null,
      models_version integer not null,
      at text not null,
      cause text not null,
      origin text not null,
      engine text,
      model_count integer not null,
      set_by text not null,
      restored_from integer,
      primary key (source_id, models_version)
    ) strict, without rowid;
    create table models_requests (
      source_id integer primary key,
      request_id text not null,
      cause text not null,
      requested_by text not null
    ) strict;`;

/** Cause of the models that an analysis finds. */
const causeOf = {
  SourceCreated: 'creation',
  ModelsResetRequested: 'reset',
  ReferenceExtended: 'extension',
} as const;

/** Returns a function that notes the versions of models. */
const versionWriter = (db: Database) => {
  const note = db.prepare(
    `insert or replace into models_requests (source_id, request_id, cause, requested_by) values (?, ?, ?, ?)`,
  );
  const requested = db.prepare<[number, string], { cause: ModelsCause; requested_by: string }>(
    'select cause, requested_by from models_requests where source_id = ? and request_id = ?',
  );
  const add = db.prepare(
    `insert or replace into models_versions
       (source_id, models_version, at, cause, origin, engine, model_count, set_by, restored_from)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const copy = db.prepare(
    `insert or replace into models_versions
       (source_id, models_version, at, cause, origin, engine, model_count, set_by, restored_from)
     select source_id, ?, ?, 'anomaly', origin, engine, model_count, ?, null from models_versions
     where source_id = ? and models_version = ?`,
  );
  return (event: KnownEvent): void => {
    const { at, metadata } = event;
    const sourceId = (): number => sourceOf(event.stream);
    if (isAnalysis(event)) note.run(sourceId(), event.data.requestId, causeOf[event.type], metadata.by);
    else if (event.type === 'ModelsReset' || event.type === 'ModelsReplaced') {
      const { requestId, modelsVersion, engine = null, models, restoredFrom = null } = event.data;
      const isReset = event.type === 'ModelsReset';
      const request = isReset && restoredFrom === null ? requested.get(sourceId(), requestId) : undefined;
      const cause = request?.cause ?? (restoredFrom === null ? 'replacement' : 'restore');
      const by = request?.requested_by ?? metadata.by;
      const origin = isReset ? 'automatic' : 'custom';
      const facts = [at, cause, origin, engine, models.length, by, restoredFrom];
      add.run(sourceId(), modelsVersion, ...facts);
    } else if (event.type === 'ModelAnomalyChanged') {
      const { modelsVersion } = event.data;
      copy.run(modelsVersion, at, metadata.by, sourceId(), modelsVersion - 1);
    }
  };
};

/** Queries on versions of models. */
const versionQueries = (db: Database) => {
  const versions = db.prepare<[number, number, number], ModelsVersion>(
    `select models_version as modelsVersion, at, cause, origin, engine, model_count as modelCount, set_by as by,
       restored_from as restoredFrom
     from models_versions where source_id = ? and models_version < ? order by models_version desc
     limit cast(? as integer)`,
  );
  return {
    /** Versions of the models of a source before one, the latest first. */
    versions: (sourceId: number, before: number, limit: number): ModelsVersion[] =>
      versions.all(sourceId, before, limit),
  };
};

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
    const read = column<[number], string>(db, 'select model from models where source_id = ? order by id');
    const update = db.prepare('update models set model = ? where source_id = ? and id = ?');
    const change = (sourceId: number, changed: (model: Model) => Model): void => {
      for (const text of read(sourceId)) {
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
  const list = column<[number], string>(db, 'select model from models where source_id = ? order by id');
  const one = cell<[{ sourceId: number; id: number }], string>(
    db,
    `select model from models where source_id = $sourceId and id = $id
       union all select model from former_models where source_id = $sourceId and id = $id`,
  );
  return {
    /** A current model, or a replaced one that an alert was raised with. */
    one: (sourceId: number, id: number): Model | undefined => {
      const text = one({ sourceId, id });
      return text === undefined ? undefined : modelOf(text);
    },
    ...versionQueries(db),
    /** Current models of a source by id, which is the order of the analysis: largest first. */
    list: (sourceId: number): Model[] => list(sourceId).map(modelOf),
  };
};
