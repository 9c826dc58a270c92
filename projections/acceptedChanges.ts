import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';
import { staysBehind, staysWithNewModels, type AcceptedChange } from '../domain/source/acceptedChanges.js';
import { sourceOf } from '../domain/streams.js';
import { cell, column, parsed, type ReadModel } from './readModel.js';

/** An accepted change of a source, and who accepted it when. */
export type AcceptedRecord = AcceptedChange & {
  readonly sourceId: number;
  readonly by: string;
  readonly at: string;
};

/** An acceptance in the history of its incident, or that it was withdrawn. */
export type AcceptanceStep = {
  readonly position: bigint;
  readonly type: 'ChangeAccepted' | 'ChangeWithdrawn';
  readonly at: string;
  readonly by: string;
  readonly sourceId: number;
  readonly change: AcceptedChange;
  readonly cause: string;
  readonly eventId: string;
};

/** Read model of changes that people took as the new normal. */
export const acceptedChangesModel: ReadModel = {
  name: 'acceptedChanges',
  version: 2,
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
    ) strict, without rowid;
    create table acceptance_steps (
      incident_id text not null,
      source_id integer not null,
      revision integer not null,
      position integer not null,
      event_id text not null,
      type text not null,
      at text not null,
      actor text not null,
      cause text not null,
      -- Without values: as the history of its incident has it.
      change text not null,
      primary key (incident_id, source_id, revision)
    ) strict, without rowid;`,
  apply: db => {
    const put = db.prepare(
      `insert or replace into accepted_changes
         (source_id, incident_id, revision, change, accepted_by, accepted_at) values (?, ?, ?, ?, ?, ?)`,
    );
    const remove = db.prepare('delete from accepted_changes where source_id = ? and incident_id = ?');
    const record = stepWriter(db);
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
          record(event, data.change);
          break;
        }
        case 'ChangeWithdrawn':
          record(event, undefined);
          remove.run(sourceOf(stream), data.incidentId);
          break;
        case 'ReferenceExtended':
          if (!data.keepsModels) keep(sourceOf(stream), change => staysBehind(change, data.reference));
          break;
        case 'ModelsReset':
        case 'ModelsReplaced':
          keep(sourceOf(stream), staysWithNewModels);
          break;
      }
    };
  },
};

type AcceptanceRecorded = Extract<KnownEvent, { type: AcceptanceStep['type'] }>;

/** Returns a function that adds an event to the history of its incident; one that withdraws has the change before. */
const stepWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into acceptance_steps
       (incident_id, source_id, revision, position, event_id, type, at, actor, cause, change)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const before = cell<[string, number], string>(
    db,
    `select change from acceptance_steps where incident_id = ? and source_id = ?
       order by revision desc limit 1`,
  );
  return (event: AcceptanceRecorded, accepted: AcceptedChange | undefined): void => {
    const { id, stream, revision, position, type, at, metadata, data } = event;
    const sourceId = sourceOf(stream);
    const incidentId = accepted?.incidentId ?? ('incidentId' in data ? data.incidentId : '');
    const { values: _, ...change } = accepted ?? {};
    const text = accepted ? JSON.stringify(change) : before(incidentId, sourceId);
    if (text === undefined) return;
    const keys = [incidentId, sourceId, revision, position, id] as const;
    insert.run(...keys, type, at, metadata.by, metadata.cause, text);
  };
};

type StepRow = Omit<AcceptanceStep, 'change' | 'sourceId'> & {
  readonly sourceId: bigint;
  readonly change: string;
};

type Row = Omit<AcceptedRecord, keyof AcceptedChange> & { readonly change: string };

const recordOf = ({ change, ...row }: Row): AcceptedRecord => ({ ...parsed<AcceptedChange>(change), ...row });

const readers = (db: Database) => {
  const ofSource = column<[number], string>(
    db,
    'select change from accepted_changes where source_id = ? order by revision',
  );
  return {
    changesOf: (sourceId: number): AcceptedChange[] =>
      ofSource(sourceId).map(change => parsed<AcceptedChange>(change)),
  };
};

/** Queries on accepted changes. */
export const acceptedChangeQueries = (db: Database) => {
  const ofIncident = db.prepare<[string], Row>(
    `select source_id as sourceId, change, accepted_by as "by", accepted_at as "at" from accepted_changes
     where incident_id = ? order by source_id`,
  );
  const steps = db
    .prepare<[string], StepRow>(
      `select position, type, at, cause, actor as "by", source_id as sourceId, event_id as eventId, change
       from acceptance_steps where incident_id = ? order by position`,
    )
    .safeIntegers();
  return {
    /** Acceptances of changes of an incident, and those that were withdrawn, oldest first. */
    steps: (incidentId: string): AcceptanceStep[] =>
      steps.all(incidentId).map(({ sourceId, eventId, change, ...step }) => ({
        ...step,
        ...{ sourceId: Number(sourceId), eventId, change: parsed<AcceptedChange>(change) },
      })),
    /** The accepted changes of a source in the order in which they apply; at most 20. */
    ofSource: readers(db).changesOf,
    /** The accepted changes of an incident by source. */
    ofIncident: (incidentId: string): AcceptedRecord[] => ofIncident.all(incidentId).map(recordOf),
  };
};
