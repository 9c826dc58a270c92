import type { Database } from 'better-sqlite3';
import type { Outcome } from '../domain/alerts.js';
import { completeness, type Day, type Run } from '../domain/day.js';
import type { DayKind, ImportSummary } from '../domain/days.js';
import { sourceOf, type KnownEvent } from '../domain/events.js';
import { parsed, type ReadModel } from './readModel.js';

/** A day as it stands after all imports, and what its last check said. */
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

/** An import that has taken effect. `eventId` is its last part's: the cause of its check. */
export type ImportRecord = ImportSummary & {
  readonly id: string;
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly importedAt: string;
  readonly eventId: string;
};

/** A day of a check: what was found, and the alerts that the check left standing. */
export type CheckedDayRecord = {
  readonly date: string;
  readonly outcome: Outcome;
  readonly plannedModelId: number | null;
  readonly standing: readonly string[];
};

export const daysModel: ReadModel = {
  name: 'days',
  version: 2,
  schema: `
    -- What a day holds, wide; beside it what is known of it, narrow, so that counting, listing and making an
    -- import count at once do not touch values.
    -- In the order of the log, so that what comes is put to the end, however much there is.
    create table day_values (
      event_position integer not null,
      date text not null,
      activity text not null,
      gaps text not null,
      filled text not null,
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
      primary key (source_id, kind, date)
    ) strict, without rowid;
    create index days_by_import on days (import_id, date, completeness);
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
    create table checked_days (
      cause_id text not null,
      date text not null,
      outcome text not null,
      planned_model_id integer,
      standing text not null,
      primary key (cause_id, date)
    ) strict, without rowid;`,
  apply: db => {
    const keepValues = db.prepare(
      'insert into day_values (event_position, date, activity, gaps, filled) values (?, ?, ?, ?, ?)',
    );
    const stage = db.prepare(
      'insert into staged_days (import_id, date, event_position, completeness) values (?, ?, ?, ?)',
    );
    const unstage = db.prepare('delete from staged_days where import_id = ?');
    // Crosswise, so that the few staged days are gone through and not all of the source: SQLite keeps such an order.
    const dropReplaced = db.prepare(
      `delete from day_values where (event_position, date) in
         (select days.event_position, days.date from staged_days
          cross join days on days.source_id = $sourceId and days.kind = $kind and days.date = staged_days.date
          where staged_days.import_id = $importId)`,
    );
    const importIn = db.prepare(
      'insert into imports (id, source_id, kind, summary, imported_at, event_id) values (?, ?, ?, ?, ?, ?)',
    );
    const putStaged = db.prepare(
      `insert or replace into days
         (source_id, kind, date, event_position, import_id, imported_at, completeness)
       select $sourceId, $kind, date, event_position, import_id, $at, completeness from staged_days
       where import_id = $importId`,
    );
    const come = db.prepare('insert or replace into days_revisions (source_id, revision) values (?, ?)');
    const check = db.prepare('insert into checks (cause_id, part, last) values (?, ?, ?)');
    const checkDay = db.prepare(
      'insert into checked_days (cause_id, date, outcome, planned_model_id, standing) values (?, ?, ?, ?, ?)',
    );
    const mark = db.prepare(
      `update days set outcome = ?, planned_model_id = ?, models_version = ?, checked_at = ?
       where source_id = ? and kind = 'recent' and date = ? and import_id = ?`,
    );

    /** Days are staged until their import's last part, which makes all of them count at once. */
    const imported = ({
      id,
      position,
      at,
      revision,
      data,
    }: Extract<KnownEvent, { type: 'DaysImported' }>): void => {
      const { sourceId, importId, kind, part, parts, days, summary } = data;
      come.run(sourceId, revision);
      for (const day of days) {
        const { date, activity, gaps, filled } = day;
        keepValues.run(
          position,
          date,
          JSON.stringify(activity),
          JSON.stringify(gaps),
          JSON.stringify(filled),
        );
        stage.run(importId, date, position, completeness(day));
      }
      if (part < parts) return;
      dropReplaced.run({ sourceId, kind, importId });
      putStaged.run({ sourceId, kind, at, importId });
      unstage.run(importId);
      importIn.run(importId, sourceId, kind, JSON.stringify(summary), at, id);
    };

    return event => {
      if (event.type === 'DaysImported') return imported(event);
      if (event.type !== 'DaysChecked') return;
      const { cause, part, last, modelsVersion, days } = event.data;
      check.run(cause.id, part, last ? 1 : 0);
      for (const { date, importId, outcome, plannedModelId, standing } of days) {
        checkDay.run(cause.id, date, outcome, plannedModelId, JSON.stringify(standing));
        mark.run(outcome, plannedModelId, modelsVersion, event.at, sourceOf(event.stream), date, importId);
      }
    };
  },
};

type DayRow = {
  readonly date: string;
  readonly kind: DayKind;
  readonly activity: string;
  readonly gaps: string;
  readonly filled: string;
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

/** Questions about days, imports and checks. */
export const dayQueries = (db: Database) => {
  const whole =
    'select * from days join day_values using (event_position, date) where source_id = ? and kind = ?';
  const between = db.prepare<[number, DayKind, string, string], DayRow>(
    `${whole} and date >= ? and date < ? order by date`,
  );
  const all = db.prepare<[number, DayKind], DayRow>(`${whole} order by date`);
  const one = db.prepare<[number, DayKind, string], DayRow>(`${whole} and date = ?`);
  const dates = db
    .prepare<[number], string>(`select date from days where source_id = ? and kind = 'recent' order by date`)
    .pluck();
  const lastDate = db
    .prepare<{ id: number }, string | null>(
      // Of each kind alone it is the end of an index; of both it would be a walk through all of a source's days.
      `select max(date) from (select max(date) as date from days where source_id = $id and kind = 'reference'
       union all select max(date) from days where source_id = $id and kind = 'recent')`,
    )
    .pluck();
  const ofImport = db.prepare<[string], { date: string; completeness: number }>(
    'select date, completeness from days where import_id = ? order by date',
  );
  const importOne = db.prepare<
    [string],
    { id: string; source_id: number; kind: DayKind; summary: string; imported_at: string; event_id: string }
  >('select * from imports where id = ?');
  const revision = db
    .prepare<[number], number>('select revision from days_revisions where source_id = ?')
    .pluck();
  const checked = db.prepare<[string], { parts: number; complete: number }>(
    'select count(*) as parts, coalesce(max(last), 0) as complete from checks where cause_id = ?',
  );
  const checkedDays = db.prepare<
    [string],
    { date: string; outcome: Outcome; planned_model_id: number | null; standing: string }
  >('select * from checked_days where cause_id = ? order by date');

  return {
    /** Days of one kind from `from` (inclusive) to `to` (exclusive), in order. */
    between: (sourceId: number, kind: DayKind, from: string, to: string): StoredDay[] =>
      between.all(sourceId, kind, from, to).map(stored),
    /** All reference days of a source, in order. */
    reference: (sourceId: number): StoredDay[] => all.all(sourceId, 'reference').map(stored),
    /** One recent day. */
    recent: (sourceId: number, date: string): StoredDay | undefined => {
      const row = one.get(sourceId, 'recent', date);
      return row && stored(row);
    },
    /** The dates of all recent days, in order. */
    recentDates: (sourceId: number): string[] => dates.all(sourceId),
    /** The last date of any kind. */
    lastDate: (sourceId: number): string | undefined => lastDate.get({ id: sourceId }) ?? undefined,
    /** The dates that stand as this import brought them, in order, with the completeness of each. */
    ofImport: (importId: string): { readonly date: string; readonly completeness: number }[] =>
      ofImport.all(importId),
    import: (importId: string): ImportRecord | undefined => {
      const row = importOne.get(importId);
      return (
        row && {
          id: row.id,
          sourceId: row.source_id,
          kind: row.kind,
          ...parsed<ImportSummary>(row.summary),
          importedAt: row.imported_at,
          eventId: row.event_id,
        }
      );
    },
    /** The last revision of the source's days that is here, -1 for none. */
    revision: (sourceId: number): number => revision.get(sourceId) ?? -1,
    /** How far the check that an event caused has come: parts recorded, and whether the last is among them. */
    check: (causeId: string): { readonly parts: number; readonly complete: boolean } => {
      const row = checked.get(causeId);
      return { parts: row?.parts ?? 0, complete: row?.complete === 1 };
    },
    /** The days of the check that an event caused, in order. */
    checkedDays: (causeId: string): CheckedDayRecord[] =>
      checkedDays.all(causeId).map(({ date, outcome, planned_model_id, standing }) => ({
        date,
        outcome,
        plannedModelId: planned_model_id,
        standing: parsed<string[]>(standing),
      })),
  };
};
