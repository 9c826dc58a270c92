import type { Database } from 'better-sqlite3';
import type { Adaptation } from '../../domain/alerts/checks.js';
import type { Outcome } from '../../domain/alerts/findings.js';
import type { DayKind, ImportSummary } from '../../domain/days.js';
import type { KnownEvent, EventOf } from '../../domain/events.js';
import type { CovariateReading } from '../../domain/source/covariates.js';
import { sourceOf } from '../../domain/streams.js';
import { column, cell, parsed, oneByOne, record } from '../readModel.js';

/** An import that has taken effect. `eventId` is the id of its last part, which causes its check. */
export type ImportRecord = ImportSummary & {
  readonly id: string;
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly importedAt: string;
  readonly eventId: string;
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

/** A date, the observed share of its slices, and whether it is in progress. */
export type DatedShare = { readonly date: string; readonly completeness: number; readonly open: boolean };

/** Queries on imports. */
export const importQueries = (db: Database) => {
  const byImport = db.prepare<[string], { date: string; completeness: number; open: 0 | 1 }>(
    `select date, completeness, closes_at is not null as open from days where import_id = ? order by date`,
  );
  const one = db.prepare<[importId: string], ImportRow>('select * from imports where id = ?');
  const revision = cell<[number], number>(db, 'select revision from days_revisions where source_id = ?');
  return {
    /** Dates whose data are still those of an import, with the completeness of each, by date. */
    byImport: (importId: string): DatedShare[] =>
      byImport.all(importId).map(day => ({ ...day, open: day.open === 1 })),
    /** Dates inside an import of recent days that it has no data of, ascending. */
    missingDates: column<[importId: string], string>(
      db,
      'select date from missing_dates where import_id = ? order by date',
    ),
    import: record(one, importRecord),
    /** Last revision of the stream `days-{id}` that was applied, -1 for none. */
    revision: (sourceId: number): number => revision(sourceId) ?? -1,
  };
};

/** A reference day that a person left out of learning: why, and who since when. */
export type LeftOutRecord = {
  readonly date: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
};

/** Table of reference days that people left out. */
export const leftOutSchema = `
    create table left_out_days (
      source_id integer not null,
      date text not null,
      reason text not null,
      left_out_by text not null,
      left_out_at text not null,
      primary key (source_id, date)
    ) strict, without rowid;`;

/** Returns a function that notes which reference days people leave out. */
export const leftOutWriter = (db: Database) => {
  const add = db.prepare(
    'insert into left_out_days (source_id, date, reason, left_out_by, left_out_at) values (?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('delete from left_out_days where source_id = ? and date = ?');
  return (event: KnownEvent): void => {
    const { at, metadata } = event;
    switch (event.type) {
      case 'SourceCreated':
        for (const { date, reason } of event.data.leftOutDays ?? [])
          add.run(sourceOf(event.stream), date, reason, metadata.by, at);
        break;
      case 'ReferenceDayLeftOut':
        add.run(sourceOf(event.stream), event.data.date, event.data.reason, metadata.by, at);
        break;
      case 'LeavingOutTakenBack':
        remove.run(sourceOf(event.stream), event.data.date);
        break;
    }
  };
};

/** Queries on reference days that people left out. */
export const leftOutQueries = (db: Database) => {
  const all = db.prepare<[number], LeftOutRecord>(
    `select date, reason, left_out_by as by, left_out_at as at from left_out_days where source_id = ? order by date`,
  );
  const isReference = cell<[number, string], number>(
    db,
    `select 1 from days where source_id = ? and kind = 'reference' and date = ?`,
  );
  return {
    /** The days that are left out, by date. A source has at most a year of them. */
    leftOut: (sourceId: number): LeftOutRecord[] => all.all(sourceId),
    /** Whether a source has a reference day on a date. */
    hasReference: (sourceId: number, date: string): boolean => isReference(sourceId, date) === 1,
  };
};

/** A day of a check: its outcome, and the alerts that the check did not change. */
export type CheckedDayRecord = {
  readonly date: string;
  readonly outcome: Outcome;
  readonly plannedModelId: number | null;
  readonly belowFloor?: true;
  readonly standing: readonly string[];
};

/** Returns a function that counts the parts of checks in a batch, by source. */
export const checkCounter = (db: Database) => {
  const add = db.prepare(
    `insert into check_counts (source_id, parts) values (?, ?)
     on conflict (source_id) do update set parts = parts + excluded.parts`,
  );
  return (events: readonly KnownEvent[]): void => {
    const parts = new Map<string, number>();
    for (const { type, stream } of events)
      if (type === 'DaysChecked') parts.set(stream, 1 + (parts.get(stream) ?? 0));
    for (const [stream, count] of parts) add.run(sourceOf(stream), count);
  };
};

/** Returns a function that records the checks of a batch. */
export const checkRecorder = (db: Database) => {
  const insertCheck = db.prepare('insert into checks (cause_id, part, last) values (?, ?, ?)');
  const insertDay = db.prepare(
    `insert into checked_days (cause_id, date, outcome, planned_model_id, below_floor, standing)
     values (?, ?, ?, ?, ?, ?)`,
  );
  return oneByOne(({ type, data }) => {
    if (type !== 'DaysChecked') return;
    const { cause, part, last, days } = data;
    insertCheck.run(cause.id, part, last ? 1 : 0);
    for (const { date, outcome, plannedModelId, belowFloor, standing } of days) {
      const found = [outcome, plannedModelId, belowFloor ? 1 : null];
      insertDay.run(cause.id, date, ...found, JSON.stringify(standing));
    }
  });
};

/** Returns a function that writes the outcomes of a check to its days. */
export const outcomeWriter = (db: Database) => {
  const setOutcome = db.prepare(
    `update days set outcome = ?, planned_model_id = ?, models_version = ?, checked_at = ?, adaptation = ?,
       covariates = ?, below_floor = ?
     where source_id = ? and kind = 'recent' and date = ? and import_id = ?`,
  );
  return ({ stream, at, data }: EventOf<'DaysChecked'>): void => {
    const sourceId = sourceOf(stream);
    for (const { date, importId, outcome, plannedModelId, belowFloor, ...day } of data.days) {
      const { adaptation, covariates } = day;
      const state = adaptation ? JSON.stringify(adaptation) : null;
      const readings = covariates ? JSON.stringify(covariates) : null;
      const { modelsVersion } = data;
      const found = [outcome, plannedModelId, modelsVersion, at, state, readings, belowFloor ? 1 : null];
      setOutcome.run(...found, sourceId, date, importId);
    }
  };
};

/** Queries on checks, by the id of the event that caused them. */
export const checkQueries = (db: Database) => {
  const parts = db.prepare<[string], { parts: number; complete: number }>(
    'select count(*) as parts, coalesce(max(last), 0) as complete from checks where cause_id = ?',
  );
  const days = db.prepare<
    [string],
    Pick<CheckedDayRecord, 'date' | 'outcome'> & {
      readonly planned_model_id: number | null;
      readonly below_floor: number | null;
      readonly standing: string;
    }
  >('select * from checked_days where cause_id = ? order by date');
  const count = cell<[number], number>(db, 'select parts from check_counts where source_id = ?');
  const compared = cell<[number, string, string], number>(
    db,
    `select count(*) from days where source_id = ? and kind = 'recent' and date >= ? and date < ?
         and outcome in ('normal', 'abnormal', 'drift')`,
  );
  return {
    /** Number of recorded parts of all checks of a source. */
    checkCount: (sourceId: number): number => count(sourceId) ?? 0,
    /** Number of the recent days of a source from `from` (inclusive) to `to` (exclusive) that were compared. */
    comparedCount: (sourceId: number, from = '', to = '~'): number => compared(sourceId, from, to) ?? 0,
    /** Number of recorded parts of a check, and whether it is complete. */
    check: (causeId: string): { readonly parts: number; readonly complete: boolean } => {
      const row = parts.get(causeId);
      return { parts: row?.parts ?? 0, complete: row?.complete === 1 };
    },
    /** Days of a check, by date. */
    checkedDays: (causeId: string): CheckedDayRecord[] =>
      days.all(causeId).map(({ date, outcome, planned_model_id, below_floor, standing }) => ({
        date,
        outcome,
        plannedModelId: planned_model_id,
        ...(below_floor !== null && { belowFloor: true }),
        standing: parsed<string[]>(standing),
      })),
  };
};

/** State of the adaptive factor after a day. */
type AdaptedDay = { readonly date: string; readonly adaptation: Adaptation };

type AdaptedRow = { readonly date: string; readonly adaptation: string };

const adapted = ({ date, adaptation }: AdaptedRow): AdaptedDay => ({
  date,
  adaptation: parsed<Adaptation>(adaptation),
});

/** Queries on the adaptive factor. */
export const adaptationQueries = (db: Database) => {
  const checkedDays = `select date, adaptation from days
    where source_id = ? and kind = 'recent' and models_version = ? and adaptation is not null`;
  const before = db.prepare<[sourceId: number, modelsVersion: number, date: string], AdaptedRow>(
    `${checkedDays} and date < ? order by date desc limit 1`,
  );
  const between = db.prepare<[number, number, string, string], AdaptedRow>(
    `${checkedDays} and date >= ? and date < ? order by date`,
  );
  return {
    /** State after the latest recent day before a date that was checked with a version of the models. */
    adaptedBefore: record(before, adapted),
    /** States after the recent days from `from` (inclusive) to `to` (exclusive) that were checked so, by date. */
    adaptedBetween: (sourceId: number, modelsVersion: number, from: string, to: string): AdaptedDay[] =>
      between.all(sourceId, modelsVersion, from, to).map(adapted),
  };
};

/** Queries on covariates. */
export const checkedCovariateQueries = (db: Database) => {
  const readings = cell<[number, string], string | null>(
    db,
    `select covariates from days where source_id = ? and kind = 'recent' and date = ?`,
  );
  return {
    /** Values of covariates that the last check of a recent day knew; none before its check. */
    covariates: (sourceId: number, date: string): readonly CovariateReading[] =>
      parsed<CovariateReading[]>(readings(sourceId, date) ?? '[]'),
  };
};
