import type { Database } from 'better-sqlite3';
import { lastRevisions, type KnownEvent } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import type { ReadModel } from './readModel.js';
import { dayRemover, importRecorder, importWriter } from './days/importWriter.js';
import {
  checkCounter,
  checkRecorder,
  outcomeWriter,
  checkQueries,
  adaptationQueries,
  checkedCovariateQueries,
} from './days/checkedDays.js';
import { valueQueries, dateQueries } from './days/storedDays.js';
import { importQueries } from './days/importRecords.js';

/** Read model of days, imports and checks. */
export const daysModel: ReadModel = {
  name: 'days',
  version: 7,
  schema: `
    -- Values of days, apart from the narrow table days: counts, lists and the end of an import read no values.
    -- In log order, so that new rows are added at the end.
    create table day_values (
      event_position integer not null,
      date text not null,
      activity text not null,
      gaps text not null,
      filled text not null,
      -- Null for none, as on nearly every day.
      skipped text,
      primary key (event_position, date)
    ) strict, without rowid;
    create table staged_days (
      import_id text not null,
      date text not null,
      event_position integer not null,
      completeness real not null,
      primary key (import_id, date)
    ) strict, without rowid;
    -- Dates inside an import of recent days that it has no data of.
    create table missing_dates (
      import_id text not null,
      date text not null,
      primary key (import_id, date)
    ) strict, without rowid;
    -- Days that people took back, with the revision of the latest such event.
    create table taken_back (
      source_id integer not null,
      date text not null,
      revision integer not null,
      primary key (source_id, date)
    ) strict, without rowid;
    create table imports (
      id text primary key,
      source_id integer not null,
      kind text not null,
      summary text not null,
      imported_at text not null,
      event_id text not null
    ) strict, without rowid;
    create table days (
      source_id integer not null,
      kind text not null,
      date text not null,
      event_position integer not null,
      import_id text not null,
      imported_at text not null,
      completeness real not null,
      outcome text,
      planned_model_id integer,
      models_version integer,
      checked_at text,
      -- State of the adaptive factor after the day: JSON.
      adaptation text,
      -- Values of covariates as the check knew them: JSON.
      covariates text,
      primary key (source_id, kind, date)
    ) strict, without rowid;
    create table days_revisions (
      source_id integer primary key,
      revision integer not null
    ) strict;
    create table checks (
      cause_id text not null,
      part integer not null,
      last integer not null,
      primary key (cause_id, part)
    ) strict, without rowid;
    create table check_counts (
      source_id integer primary key,
      parts integer not null
    ) strict;
    create table checked_days (
      cause_id text not null,
      date text not null,
      outcome text not null,
      planned_model_id integer,
      standing text not null,
      primary key (cause_id, date)
    ) strict, without rowid;`,
  queryIndexes: [
    'days_by_import on days (import_id, date, completeness)',
    `days_drifting on days (source_id, date) where outcome = 'drift' and kind = 'recent'`,
  ],
  apply: db => {
    const importDays = importWriter(db);
    const takeBack = dayRemover(db);
    const setOutcomes = outcomeWriter(db);
    return event => {
      if (event.type === 'DaysImported') importDays(event);
      else if (event.type === 'DayTakenBack') takeBack(event);
      else if (event.type === 'DaysChecked') setOutcomes(event);
    };
  },
  applyBatch: db => {
    const appliers = [importRecorder(db), checkRecorder(db), checkCounter(db), revisionWriter(db)];
    return events => appliers.forEach(applyTo => applyTo(events));
  },
};

/** Returns a function that stores the last revisions of the streams of days in a batch. */
const revisionWriter = (db: Database) => {
  const write = db.prepare('insert or replace into days_revisions (source_id, revision) values (?, ?)');
  return (events: readonly KnownEvent[]): void => {
    for (const [stream, revision] of lastRevisions(events))
      if (stream.startsWith('days-')) write.run(sourceOf(stream), revision);
  };
};

/** Queries on days, imports and checks. */
export const dayQueries = (db: Database) => ({
  ...valueQueries(db),
  ...dateQueries(db),
  ...importQueries(db),
  ...checkQueries(db),
  ...adaptationQueries(db),
  ...checkedCovariateQueries(db),
});
