import type { Database } from 'better-sqlite3';
import type { Adaptation } from '../domain/alerts/adaptation.js';
import type { CovariateReading } from '../domain/source/covariates.js';
import type { Outcome } from '../domain/alerts/findings.js';
import { completeness, type Day, type Run } from '../domain/day.js';
import type { DayKind, ImportSummary } from '../domain/days.js';
import { sourceOf, type KnownEvent } from '../domain/events.js';
import { parsed, type ReadModel } from './readModel.js';

/** A day after all imports, and its last check. */
export type StoredDay = Day & {
  readonly kind: DayKind;
  readonly completeness: number;
  readonly importId: string;
  readonly importedAt: string;
  readonly check: {
    readonly outcome: Outcome;
    readonly plannedModelId: number | null;
    readonly modelsVersion: number;
    readonly checkedAt: string;
  } | null;
};

/** An import that has taken effect. `eventId` is the id of its last part, which causes its check. */
export type ImportRecord = ImportSummary & {
  readonly id: string;
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly importedAt: string;
  readonly eventId: string;
};

/** A day of a check: its outcome, and the alerts that the check did not change. */
export type CheckedDayRecord = {
  readonly date: string;
  readonly outcome: Outcome;
  readonly plannedModelId: number | null;
  readonly standing: readonly string[];
};

export const daysModel: ReadModel = {
  name: 'days',
  version: 5,
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
    const recordCheck = checkWriter(db);
    return event => {
      if (event.type === 'DaysImported') importDays(event);
      else if (event.type === 'DaysChecked') recordCheck(event);
    };
  },
  applyLast: db => {
    const setRevision = revisionWriter(db);
    return event => {
      if (event.stream.startsWith('days-')) setRevision(event);
    };
  },
};

type EventOf<Type extends KnownEvent['type']> = Extract<KnownEvent, { type: Type }>;

/** Returns a function that stores the last revision of a stream of days. */
const revisionWriter = (db: Database) => {
  const write = db.prepare('insert or replace into days_revisions (source_id, revision) values (?, ?)');
  return ({ stream, revision }: KnownEvent): void => void write.run(sourceOf(stream), revision);
};

/** Returns a function that imports days: at once, or staged until the last part makes all of them effective. */
const importWriter = (db: Database) => {
  const insertValues = db.prepare(
    'insert into day_values (event_position, date, activity, gaps, filled, skipped) values (?, ?, ?, ?, ?, ?)',
  );
  const stage = db.prepare(
    'insert into staged_days (import_id, date, event_position, completeness) values (?, ?, ?, ?)',
  );
  const replace = dayReplacer(db);
  const finish = importFinisher(db);
  const record = importRecorder(db);
  return (event: EventOf<'DaysImported'>): void => {
    const { position, data } = event;
    const { importId, part, parts } = data;
    for (const day of data.days) {
      const [activity, gaps, filled] = [day.activity, day.gaps, day.filled].map(part => JSON.stringify(part));
      const skipped = day.skipped ? JSON.stringify(day.skipped) : null;
      insertValues.run(position, day.date, activity, gaps, filled, skipped);
      if (parts === 1) replace(event, day);
      else stage.run(importId, day.date, position, completeness(day));
    }
    if (part < parts) return;
    if (parts > 1) finish(event);
    record(event);
  };
};

/** Returns a function that makes a day effective, in the place of an earlier one of its date. */
const dayReplacer = (db: Database) => {
  const deleteReplaced = db.prepare(
    `delete from day_values where date = ? and event_position =
       (select event_position from days where source_id = ? and kind = ? and date = ?)`,
  );
  const insert = db.prepare(
    `insert or replace into days (source_id, kind, date, event_position, import_id, imported_at, completeness)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ position, at, data: { sourceId, kind, importId } }: EventOf<'DaysImported'>, day: Day): void => {
    const { date } = day;
    deleteReplaced.run(date, sourceId, kind, date);
    insert.run(sourceId, kind, date, position, importId, at, completeness(day));
  };
};

/** Returns a function that records an import that has taken effect. */
const importRecorder = (db: Database) => {
  const insert = db.prepare(
    'insert into imports (id, source_id, kind, summary, imported_at, event_id) values (?, ?, ?, ?, ?, ?)',
  );
  return ({ id, at, data: { sourceId, importId, kind, summary } }: EventOf<'DaysImported'>): void => {
    insert.run(importId, sourceId, kind, JSON.stringify(summary), at, id);
  };
};

/** Returns a function that makes the staged days of an import effective. */
const importFinisher = (db: Database) => {
  // The cross join makes SQLite scan the few staged days instead of all days of the source.
  const deleteReplaced = db.prepare(
    `delete from day_values where (event_position, date) in
       (select days.event_position, days.date from staged_days
        cross join days on days.source_id = $sourceId and days.kind = $kind and days.date = staged_days.date
        where staged_days.import_id = $importId)`,
  );
  const insertStaged = db.prepare(
    `insert or replace into days
       (source_id, kind, date, event_position, import_id, imported_at, completeness)
     select $sourceId, $kind, date, event_position, import_id, $at, completeness from staged_days
     where import_id = $importId`,
  );
  const unstage = db.prepare('delete from staged_days where import_id = ?');
  return ({ at, data: { sourceId, importId, kind } }: EventOf<'DaysImported'>): void => {
    deleteReplaced.run({ sourceId, kind, importId });
    insertStaged.run({ sourceId, kind, at, importId });
    unstage.run(importId);
  };
};

/** Returns a function that records a part of a check. */
const checkWriter = (db: Database) => {
  const insertCheck = db.prepare('insert into checks (cause_id, part, last) values (?, ?, ?)');
  const countPart = db.prepare(
    `insert into check_counts (source_id, parts) values (?, 1)
     on conflict (source_id) do update set parts = parts + 1`,
  );
  const insertDay = db.prepare(
    'insert into checked_days (cause_id, date, outcome, planned_model_id, standing) values (?, ?, ?, ?, ?)',
  );
  const setOutcome = db.prepare(
    `update days set outcome = ?, planned_model_id = ?, models_version = ?, checked_at = ?, adaptation = ?,
       covariates = ?
     where source_id = ? and kind = 'recent' and date = ? and import_id = ?`,
  );
  return ({ stream, at, data }: EventOf<'DaysChecked'>): void => {
    const { cause, part, last, modelsVersion, days } = data;
    const sourceId = sourceOf(stream);
    insertCheck.run(cause.id, part, last ? 1 : 0);
    countPart.run(sourceId);
    for (const { date, importId, outcome, plannedModelId, standing, adaptation, covariates } of days) {
      insertDay.run(cause.id, date, outcome, plannedModelId, JSON.stringify(standing));
      const state = adaptation ? JSON.stringify(adaptation) : null;
      const readings = covariates ? JSON.stringify(covariates) : null;
      setOutcome.run(outcome, plannedModelId, modelsVersion, at, state, readings, sourceId, date, importId);
    }
  };
};

type DayRow = {
  readonly date: string;
  readonly kind: DayKind;
  readonly activity: string;
  readonly gaps: string;
  readonly filled: string;
  readonly skipped: string | null;
  readonly completeness: number;
  readonly import_id: string;
  readonly imported_at: string;
  readonly outcome: Outcome | null;
  readonly planned_model_id: number | null;
  readonly models_version: number | null;
  readonly checked_at: string | null;
};

const stored = (row: DayRow): StoredDay => ({
  date: row.date,
  kind: row.kind,
  activity: parsed<number[]>(row.activity),
  gaps: parsed<Run[]>(row.gaps),
  filled: parsed<Run[]>(row.filled),
  ...(row.skipped === null ? {} : { skipped: parsed<Run[]>(row.skipped) }),
  completeness: row.completeness,
  importId: row.import_id,
  importedAt: row.imported_at,
  check:
    row.outcome === null || row.models_version === null || row.checked_at === null
      ? null
      : {
          outcome: row.outcome,
          plannedModelId: row.planned_model_id,
          modelsVersion: row.models_version,
          checkedAt: row.checked_at,
        },
});

/** Queries on days with their values. */
const valueQueries = (db: Database) => {
  const whole =
    'select * from days join day_values using (event_position, date) where source_id = ? and kind = ?';
  const between = db.prepare<[number, DayKind, string, string], DayRow>(
    `${whole} and date >= ? and date < ? order by date`,
  );
  const all = db.prepare<[number, DayKind], DayRow>(`${whole} order by date`);
  const one = db.prepare<[number, DayKind, string], DayRow>(`${whole} and date = ?`);
  return {
    /** Days of one kind from `from` (inclusive) to `to` (exclusive), by date. */
    between: (sourceId: number, kind: DayKind, from: string, to: string): StoredDay[] =>
      between.all(sourceId, kind, from, to).map(stored),
    /** All reference days of a source, by date. */
    reference: (sourceId: number): StoredDay[] => all.all(sourceId, 'reference').map(stored),
    /** One recent day. */
    recent: (sourceId: number, date: string): StoredDay | undefined => {
      const row = one.get(sourceId, 'recent', date);
      return row && stored(row);
    },
  };
};

/** Queries on dates. */
const dateQueries = (db: Database) => {
  const dates = db
    .prepare<[number], string>(`select date from days where source_id = ? and kind = 'recent' order by date`)
    .pluck();
  const lastDate = db
    .prepare<{ id: number }, string | null>(
      // The maximum of one kind is the end of an index; the maximum of both would scan all days of the source.
      `select max(date) from (select max(date) as date from days where source_id = $id and kind = 'reference'
       union all select max(date) from days where source_id = $id and kind = 'recent')`,
    )
    .pluck();
  const shares = db.prepare<[number], { date: string; completeness: number }>(
    `select date, completeness from days where source_id = ? and kind = 'recent' order by date`,
  );
  const hasRecent = db
    .prepare<[number, string], number>(
      `select 1 from days where source_id = ? and kind = 'recent' and date = ?`,
    )
    .pluck();
  return {
    /** Whether there are recent data of a date. */
    hasRecent: (sourceId: number, date: string): boolean => hasRecent.get(sourceId, date) !== undefined,
    /** Dates of all recent days, ascending. */
    recentDates: (sourceId: number): string[] => dates.all(sourceId),
    /** All recent days by date, each with the observed share of its slices. */
    recentShares: (sourceId: number): { readonly date: string; readonly completeness: number }[] =>
      shares.all(sourceId),
    /** Last date of any kind. */
    lastDate: (sourceId: number): string | undefined => lastDate.get({ id: sourceId }) ?? undefined,
  };
};

type ImportRow = {
  readonly id: string;
  readonly source_id: number;
  readonly kind: DayKind;
  readonly summary: string;
  readonly imported_at: string;
  readonly event_id: string;
};

const importRecord = (row: ImportRow): ImportRecord => ({
  id: row.id,
  sourceId: row.source_id,
  kind: row.kind,
  ...parsed<ImportSummary>(row.summary),
  importedAt: row.imported_at,
  eventId: row.event_id,
});

/** Queries on imports. */
const importQueries = (db: Database) => {
  const byImport = db.prepare<[string], { date: string; completeness: number }>(
    'select date, completeness from days where import_id = ? order by date',
  );
  const one = db.prepare<[string], ImportRow>('select * from imports where id = ?');
  const revision = db
    .prepare<[number], number>('select revision from days_revisions where source_id = ?')
    .pluck();
  return {
    /** Dates whose data are still those of an import, with the completeness of each, by date. */
    byImport: (importId: string): { readonly date: string; readonly completeness: number }[] =>
      byImport.all(importId),
    import: (importId: string): ImportRecord | undefined => {
      const row = one.get(importId);
      return row && importRecord(row);
    },
    /** Last revision of the stream `days-{id}` that was applied, -1 for none. */
    revision: (sourceId: number): number => revision.get(sourceId) ?? -1,
  };
};

/** Queries on the adaptive factor. */
const adaptationQueries = (db: Database) => {
  const before = db.prepare<[number, number, string], { date: string; adaptation: string }>(
    `select date, adaptation from days where source_id = ? and kind = 'recent' and models_version = ?
     and date < ? and adaptation is not null order by date desc limit 1`,
  );
  return {
    /** State after the latest recent day before a date that was checked with a version of the models. */
    adaptedBefore: (
      sourceId: number,
      modelsVersion: number,
      date: string,
    ): { readonly date: string; readonly adaptation: Adaptation } | undefined => {
      const row = before.get(sourceId, modelsVersion, date);
      return row && { date: row.date, adaptation: parsed<Adaptation>(row.adaptation) };
    },
  };
};

/** Queries on covariates. */
const covariateQueries = (db: Database) => {
  const readings = db
    .prepare<[number, string], string | null>(
      `select covariates from days where source_id = ? and kind = 'recent' and date = ?`,
    )
    .pluck();
  return {
    /** Values of covariates that the last check of a recent day knew; none before its check. */
    covariates: (sourceId: number, date: string): readonly CovariateReading[] =>
      parsed<CovariateReading[]>(readings.get(sourceId, date) ?? '[]'),
  };
};

/** Queries on checks, by the id of the event that caused them. */
const checkQueries = (db: Database) => {
  const parts = db.prepare<[string], { parts: number; complete: number }>(
    'select count(*) as parts, coalesce(max(last), 0) as complete from checks where cause_id = ?',
  );
  const days = db.prepare<
    [string],
    { date: string; outcome: Outcome; planned_model_id: number | null; standing: string }
  >('select * from checked_days where cause_id = ? order by date');
  const count = db.prepare<[number], number>('select parts from check_counts where source_id = ?').pluck();
  return {
    /** Number of recorded parts of all checks of a source. */
    checkCount: (sourceId: number): number => count.get(sourceId) ?? 0,
    /** Number of recorded parts of a check, and whether it is complete. */
    check: (causeId: string): { readonly parts: number; readonly complete: boolean } => {
      const row = parts.get(causeId);
      return { parts: row?.parts ?? 0, complete: row?.complete === 1 };
    },
    /** Days of a check, by date. */
    checkedDays: (causeId: string): CheckedDayRecord[] =>
      days.all(causeId).map(({ date, outcome, planned_model_id, standing }) => ({
        date,
        outcome,
        plannedModelId: planned_model_id,
        standing: parsed<string[]>(standing),
      })),
  };
};

/** Queries on days, imports and checks. */
export const dayQueries = (db: Database) => ({
  ...valueQueries(db),
  ...dateQueries(db),
  ...importQueries(db),
  ...checkQueries(db),
  ...adaptationQueries(db),
  ...covariateQueries(db),
});
