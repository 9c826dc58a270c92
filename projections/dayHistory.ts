import type { Database } from 'better-sqlite3';
import type { DayKind } from '../domain/days.js';

/** A day as an import left it. `position` and `revision` are those of the last part of the import. */
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
  readonly completeness: number;
};

/** An import that took effect: the place of its last part, and the fields that a follow-up event repeats. */
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
    completeness real not null,
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
  create index import_versions_by_event on import_versions (event_id);`;

/**
 * All versions of the days of a log, with their values as covariates and their digests. The verification of decisions
 * compares with it the facts that one source used of another; the service itself does not keep it.
 */
export const dayHistory = (db: Database) => {
  db.exec(schema);
  const insertDay = db.prepare(
    `insert or replace into day_versions
       (source_id, date, kind, revision, position, mean, sum, digest, completeness)
     values
       ($sourceId, $date, $kind, $revision, $position, $mean, $sum, $digest, $completeness)`,
  );
  const insertImport = db.prepare(
    `insert or replace into import_versions
       (source_id, revision, position, import_id, event_id, correlation, at)
     values ($sourceId, $revision, $position, $importId, $eventId, $correlation, $at)`,
  );
  const versions = db.prepare<[number, string], DayVersion>(
    `select date, kind, revision, position, mean, sum, digest, completeness from day_versions
     where source_id = ? and date = ? order by revision`,
  );
  const known = db.prepare<[number, DayKind, number], DayVersion>(
    `select date, kind, max(revision) as revision, position, mean, sum, digest, completeness from day_versions
     where source_id = ? and kind = ? and revision <= ? group by date order by date`,
  );
  const dates = db
    .prepare<[number, number], string>(
      'select date from day_versions where source_id = ? and revision = ? order by date',
    )
    .pluck();
  const importOf = db.prepare<[string], ImportVersion>(
    `select source_id as sourceId, revision, position, import_id as importId, event_id as eventId,
       correlation, at
     from import_versions where event_id = ?`,
  );
  const lastImport = db
    .prepare<[number, number], number | null>(
      'select max(revision) from import_versions where source_id = ? and position <= ?',
    )
    .pluck();
  return {
    /** Adds an import with all its days. */
    add: db.transaction(
      (of: ImportVersion, days: readonly Omit<DayVersion, 'revision' | 'position'>[]): void => {
        const { sourceId, revision, position } = of;
        insertImport.run(of);
        for (const day of days) insertDay.run({ sourceId, revision, position, ...day });
      },
    ),
    /** Versions of a date of a source, of both kinds, oldest first. */
    versions: (sourceId: number, date: string): DayVersion[] => versions.all(sourceId, date),
    /** Days of a kind at a revision of their stream, by date. */
    daysAt: (sourceId: number, kind: DayKind, revision: number): DayVersion[] =>
      known.all(sourceId, kind, revision),
    /** Dates of the import whose last part has a revision, ascending. */
    datesOf: (sourceId: number, revision: number): string[] => dates.all(sourceId, revision),
    /** The import whose last part is an event. */
    importOf: (eventId: string): ImportVersion | undefined => importOf.get(eventId),
    /** Revision of the last import up to a position of the log; -1 for none. */
    revisionAt: (sourceId: number, position: number): number => lastImport.get(sourceId, position) ?? -1,
  };
};

export type DayHistory = ReturnType<typeof dayHistory>;
