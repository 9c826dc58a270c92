import type { Database } from 'better-sqlite3';
import type { CovariateSeries } from '../domain/source/covariates.js';
import type { KnownEvent } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import { column, cell, parsed, type ReadModel } from './readModel.js';

export const covariatesModel: ReadModel = {
  name: 'covariates',
  version: 2,
  schema: `
    -- Sources whose current models use another source.
    create table covariate_uses (
      covariate_id integer not null,
      source_id integer not null,
      primary key (covariate_id, source_id)
    ) strict, without rowid;
    create index covariate_uses_by_source on covariate_uses (source_id);
    -- Values in the request of the current models, and in one whose analysis has not ended.
    create table covariate_series (
      source_id integer not null,
      request_id text not null,
      is_current integer not null default 0,
      series text not null,
      primary key (source_id, request_id)
    ) strict, without rowid;`,
  apply: db => {
    const clear = db.prepare('delete from covariate_uses where source_id = ?');
    const insert = db.prepare('insert or ignore into covariate_uses (covariate_id, source_id) values (?, ?)');
    const setSeries = seriesWriter(db);
    return event => {
      setSeries(event);
      if (event.type !== 'ModelsReset' && event.type !== 'ModelsReplaced') return;
      const sourceId = sourceOf(event.stream);
      clear.run(sourceId);
      const covariates = event.type === 'ModelsReset' ? (event.data.checks?.covariates ?? []) : [];
      for (const covariate of covariates) insert.run(covariate.sourceId, sourceId);
    };
  },
};

/** Returns a function that stores the values of covariates that the models of a source are learned from. */
const seriesWriter = (db: Database) => {
  const insert = db.prepare('insert into covariate_series (source_id, request_id, series) values (?, ?, ?)');
  const removeRequested = db.prepare('delete from covariate_series where source_id = ? and is_current = 0');
  const removeOthers = db.prepare('delete from covariate_series where source_id = ? and request_id <> ?');
  const use = db.prepare('update covariate_series set is_current = 1 where source_id = ?');
  const removeAll = db.prepare('delete from covariate_series where source_id = ?');
  return ({ type, stream, data }: KnownEvent): void => {
    switch (type) {
      case 'SourceCreated':
      case 'ModelsResetRequested':
      case 'ReferenceExtended':
        removeRequested.run(sourceOf(stream));
        if (data.covariates) insert.run(sourceOf(stream), data.requestId, JSON.stringify(data.covariates));
        break;
      case 'ModelsReset':
        // Edited models keep the values that they were learned from.
        if (data.edited && data.restoredFrom === undefined) {
          removeRequested.run(sourceOf(stream));
          break;
        }
        removeOthers.run(sourceOf(stream), data.requestId);
        use.run(sourceOf(stream));
        break;
      case 'ModelsReplaced':
        removeAll.run(sourceOf(stream));
        break;
    }
  };
};

/** Queries on the use of sources by the models of others. */
export const covariateQueries = (db: Database) => {
  const series = cell<[number], string>(
    db,
    'select series from covariate_series where source_id = ? and is_current = 1',
  );
  return {
    /** Ids of the sources whose current models use a source, ascending. */
    usersOf: column<[covariateId: number], number>(
      db,
      'select source_id from covariate_uses where covariate_id = ? order by source_id',
    ),
    /** Ids of the sources that the current models of a source use, ascending. */
    usedBy: column<[sourceId: number], number>(
      db,
      'select covariate_id from covariate_uses where source_id = ? order by covariate_id',
    ),
    /** Values of covariates that the current models of a source were learned from. */
    learnedFrom: (sourceId: number): readonly CovariateSeries[] =>
      parsed<CovariateSeries[]>(series(sourceId) ?? '[]'),
  };
};
