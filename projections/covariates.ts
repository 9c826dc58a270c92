import type { Database } from 'better-sqlite3';
import { sourceOf } from '../domain/streams.js';
import type { ReadModel } from './readModel.js';

export const covariatesModel: ReadModel = {
  name: 'covariates',
  version: 1,
  schema: `
    -- Sources whose current models use another source.
    create table covariate_uses (
      covariate_id integer not null,
      source_id integer not null,
      primary key (covariate_id, source_id)
    ) strict, without rowid;
    create index covariate_uses_by_source on covariate_uses (source_id);`,
  apply: db => {
    const clear = db.prepare('delete from covariate_uses where source_id = ?');
    const insert = db.prepare('insert or ignore into covariate_uses (covariate_id, source_id) values (?, ?)');
    return event => {
      if (event.type !== 'ModelsReset' && event.type !== 'ModelsReplaced') return;
      const sourceId = sourceOf(event.stream);
      clear.run(sourceId);
      const covariates = event.type === 'ModelsReset' ? (event.data.checks?.covariates ?? []) : [];
      for (const covariate of covariates) insert.run(covariate.sourceId, sourceId);
    };
  },
};

/** Queries on the use of sources by the models of others. */
export const covariateQueries = (db: Database) => {
  const users = db
    .prepare<[number], number>(
      'select source_id from covariate_uses where covariate_id = ? order by source_id',
    )
    .pluck();
  return {
    /** Ids of the sources whose current models use a source, ascending. */
    usersOf: (covariateId: number): number[] => users.all(covariateId),
  };
};
