import type { Database } from 'better-sqlite3';
import type { CheckedDay } from '../domain/alerts/checks.js';
import type { Day } from '../domain/day.js';
import type { DayKind } from '../domain/days.js';
import { cell, column, parsed } from './readModel.js';

/**
 * A day as an import left it, or a date whose recent day was taken back. `position` and `revision` are those of the
 * last part of the import, or of the event that took the day back.
 */
export type DayVersion = {
  readonly date: string;
  readonly kind: DayKind;
  readonly revision: number;
  readonly position: number;
  /** Value of the day as a covariate, by the aggregation of its source; null with too few slices. */
  readonly mean: number | null;
  readonly sum: number | null;
  /** Digest of everything that an import stores of the day. */
  readonly digest: string;
  /** 1 when models can be learned from its slices that have elapsed, else 0. */
  readonly learnable: 0 | 1;
  /** 0 for a day that was taken back, else 1. */
  readonly present: 0 | 1;
  /** 1 for a date in progress. */
  readonly open: 0 | 1;
};

/**
 * An import that took effect, or a day taken back: the place of its last event, and the fields that a follow-up event
 * repeats.
 */
export type ImportVersion = {
  readonly sourceId: number;
  readonly revision: number;
  readonly position: number;
  readonly importId: string;
  readonly eventId: string;
  readonly correlation: string;
  readonly at: string;
};

const schema = `
  create table day_versions (
    source_id integer not null,
    date text not null,
    kind text not null,
    revision integer not null,
    position integer not null,
    mean real,
    sum real,
    digest text not null,
    learnable integer not null,
    present integer not null,
    open integer not null,
    primary key (source_id, date, kind, revision)
  ) strict, without rowid;
  create table import_versions (
    source_id integer not null,
    revision integer not null,
    position integer not null,
    import_id text not null,
    event_id text not null,
    correlation text not null,
    at text not null,
    primary key (source_id, revision)
  ) strict, without rowid;
  create index import_versions_by_event on import_versions (event_id);
  -- Present recent days, which points change slice by slice.
  create table recent_days (
    source_id integer not null,
    date text not null,
    day text not null,
    primary key (source_id, date)
  ) strict, without rowid;
  -- Values of covariates that the last check of a recent day knew.
  create table known_values (
    source_id integer not null,
    date text not null,
    covariate_id integer not null,
    value real,
    primary key (source_id, date, covariate_id)
  ) strict, without rowid;`;

/** Queries on imports. */
const importQueries = (db: Database) => {
  const importOf = db.prepare<[string], ImportVersion>(
    `select source_id as sourceId, revision, position, import_id as importId, event_id as eventId,
       correlation, at
     from import_versions where event_id = ?`,
  );
  const lastImport = cell<[number, number], number | null>(
    db,
    'select max(revision) from import_versions where source_id = ? and position <= ?',
  );
  const position = cell<[number, number], number | null>(
    db,
    'select max(position) from import_versions where source_id = ? and revision <= ?',
  );
  const latest = db.prepare<[number, string], { import_id: string; present: 0 | 1 }>(
    `select import_id, present from day_versions join import_versions using (source_id, revision)
       where source_id = ? and date = ? and kind = 'recent' order by revision desc limit 1`,
  );
  return {
    /** Whether a date has a recent day now. */
    hasRecent: (sourceId: number, date: string): boolean => latest.get(sourceId, date)?.present === 1,
    /** The last change of the recent day of a date: an import, or the event that took it back; undefined for none. */
    lastChange: (sourceId: number, date: string): string | undefined => latest.get(sourceId, date)?.import_id,
    /** The import whose last part is an event. */
    importOf: (eventId: string): ImportVersion | undefined => importOf.get(eventId),
    /** Revision of the last import up to a position of the log; -1 for none. */
    revisionAt: (sourceId: number, position: number): number => lastImport(sourceId, position) ?? -1,
    /** Position of the last import up to a revision of its stream; 0 for none. */
    positionAt: (sourceId: number, revision: number): number => position(sourceId, revision) ?? 0,
  };
};

/** Values of covariates that checks knew. */
const knownValues = (db: Database) => {
  const forget = db.prepare('delete from known_values where source_id = ? and date = ?');
  const insert = db.prepare(
    'insert into known_values (source_id, date, covariate_id, value) values (?, ?, ?, ?)',
  );
  const value = cell<[number, string, number], number | null>(
    db,
    'select value from known_values where source_id = ? and date = ? and covariate_id = ?',
  );
  return {
    /** Records the values that a check knew. Values of replaced data stay until the new data are checked. */
    know: (sourceId: number, { date, covariates = [] }: Pick<CheckedDay, 'date' | 'covariates'>): void => {
      forget.run(sourceId, date);
      for (const reading of covariates) insert.run(sourceId, date, reading.sourceId, reading.value);
    },
    /** Value of a covariate that the last check of a recent day knew; null for none. */
    knownValue: (sourceId: number, covariateId: number, date: string): number | null =>
      value(sourceId, date, covariateId) ?? null,
  };
};

/**
 * All versions of the days of a log, with their values as covariates and their digests. The verification of decisions
 * compares with it the facts that one source used of another; the service itself does not keep it.
 */
export const dayHistory = (db: Database) => {
  db.exec(schema);
  const insertDay = db.prepare(
    `insert or replace into day_versions
       (source_id, date, kind, revision, position, mean, sum, digest, learnable, present, open)
     values
       ($sourceId, $date, $kind, $revision, $position, $mean, $sum, $digest, $learnable, $present, $open)`,
  );
  const insertImport = db.prepare(
    `insert or replace into import_versions
       (source_id, revision, position, import_id, event_id, correlation, at)
     values ($sourceId, $revision, $position, $importId, $eventId, $correlation, $at)`,
  );
  const versions = db.prepare<[number, string], DayVersion>(
    `select date, kind, revision, position, mean, sum, digest, learnable, present, open from day_versions
     where source_id = ? and date = ? order by revision`,
  );
  const known = db.prepare<[number, DayKind, number], DayVersion>(
    `select * from (
       select date, kind, max(revision) as revision, position, mean, sum, digest, learnable, present, open
       from day_versions where source_id = ? and kind = ? and revision <= ? group by date)
     where present = 1 order by date`,
  );
  const keepDay = db.prepare('insert or replace into recent_days (source_id, date, day) values (?, ?, ?)');
  const forgetDay = db.prepare('delete from recent_days where source_id = ? and date = ?');
  const recentDay = cell<[number, string], string>(
    db,
    'select day from recent_days where source_id = ? and date = ?',
  );
  return {
    ...importQueries(db),
    ...knownValues(db),
    /** Adds an import with all its days. */
    add: db.transaction(
      (version: ImportVersion, days: readonly Omit<DayVersion, 'revision' | 'position'>[]): void => {
        const { sourceId, revision, position } = version;
        insertImport.run(version);
        for (const day of days) insertDay.run({ sourceId, revision, position, ...day });
      },
    ),
    /** Keeps the present recent day of a date. */
    keepRecent: (sourceId: number, day: Day): void =>
      void keepDay.run(sourceId, day.date, JSON.stringify(day)),
    /** Forgets a recent day that was taken back. */
    forgetRecent: (sourceId: number, date: string): void => void forgetDay.run(sourceId, date),
    /** The present recent day of a date; undefined for none. */
    recentDay: (sourceId: number, date: string): Day | undefined => {
      const text = recentDay(sourceId, date);
      return text === undefined ? undefined : parsed<Day>(text);
    },
    /** Versions of a date of a source, of both kinds, oldest first. */
    versions: (sourceId: number, date: string): DayVersion[] => versions.all(sourceId, date),
    /** Days of a kind at a revision of their stream, by date. */
    daysAt: (sourceId: number, kind: DayKind, revision: number): DayVersion[] =>
      known.all(sourceId, kind, revision),
    /** Dates of the import whose last part has a revision, ascending. */
    datesOf: column<[sourceId: number, revision: number], string>(
      db,
      'select date from day_versions where source_id = ? and revision = ? order by date',
    ),
  };
};

export type DayHistory = ReturnType<typeof dayHistory>;
