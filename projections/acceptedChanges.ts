import type { Database } from 'better-sqlite3';
import { staysBehind, staysWithNewModels, type AcceptedChange } from '../domain/source/acceptedChanges.js';
import { sourceOf } from '../domain/streams.js';
import { parsed, type ReadModel } from './readModel.js';

/** An accepted change of a source, and who accepted it when. */
export type AcceptedRecord = AcceptedChange & {
  readonly sourceId: number;
  readonly by: string;
  readonly at: string;
};

/** Read model of changes that people took as the new normal. */
export const acceptedChangesModel: ReadModel = {
  name: 'acceptedChanges',
  version: 1,
  schema: `
    create table accepted_changes (
      source_id integer not null,
      incident_id text not null,
      -- Changes of a source apply in this order.
      revision integer not null,
      change text not null,
      accepted_by text not null,
      accepted_at text not null,
      primary key (source_id, incident_id)
    ) strict, without rowid;`,
  apply: db => {
    const put = db.prepare(
      `insert or replace into accepted_changes
         (source_id, incident_id, revision, change, accepted_by, accepted_at) values (?, ?, ?, ?, ?, ?)`,
    );
    const remove = db.prepare('delete from accepted_changes where source_id = ? and incident_id = ?');
    const { changesOf } = readers(db);
    const keep = (sourceId: number, stays: (change: AcceptedChange) => boolean): void => {
      for (const change of changesOf(sourceId)) if (!stays(change)) remove.run(sourceId, change.incidentId);
    };
    return event => {
      const { type, data, metadata, at, revision, stream } = event;
      switch (type) {
        case 'ChangeAccepted': {
          const { incidentId } = data.change;
          put.run(sourceOf(stream), incidentId, revision, JSON.stringify(data.change), metadata.by, at);
          break;
        }
        case 'ChangeWithdrawn':
          remove.run(sourceOf(stream), data.incidentId);
          break;
        case 'ReferenceExtended':
          keep(sourceOf(stream), change => staysBehind(change, data.reference));
          break;
        case 'ModelsReset':
        case 'ModelsReplaced':
          keep(sourceOf(stream), staysWithNewModels);
          break;
      }
    };
  },
};

type Row = {
  readonly source_id: number;
  readonly change: string;
  readonly accepted_by: string;
  readonly accepted_at: string;
};

const recordOf = ({ source_id, change, accepted_by, accepted_at }: Row): AcceptedRecord => ({
  ...parsed<AcceptedChange>(change),
  ...{ sourceId: source_id, by: accepted_by, at: accepted_at },
});

const readers = (db: Database) => {
  const ofSource = db
    .prepare<[number], string>('select change from accepted_changes where source_id = ? order by revision')
    .pluck();
  return {
    changesOf: (sourceId: number): AcceptedChange[] =>
      ofSource.all(sourceId).map(change => parsed<AcceptedChange>(change)),
  };
};

/** Queries on accepted changes. */
export const acceptedChangeQueries = (db: Database) => {
  const ofIncident = db.prepare<[string], Row>(
    'select source_id, change, accepted_by, accepted_at from accepted_changes where incident_id = ? order by source_id',
  );
  return {
    /** The accepted changes of a source in the order in which they apply; at most 20. */
    ofSource: readers(db).changesOf,
    /** The accepted changes of an incident by source. */
    ofIncident: (incidentId: string): AcceptedRecord[] => ofIncident.all(incidentId).map(recordOf),
  };
};
