import type { Database } from 'better-sqlite3';
import type { Outcome } from '../../domain/alerts/findings.js';
import { type Day, type Run } from '../../domain/day.js';
import type { LearnableDay } from '../../domain/source/reference.js';
import type { DayKind } from '../../domain/days.js';
import type { InProgress } from '../../domain/points.js';
import { isNotParked } from '../parked.js';
import { column, cell, parsed } from '../readModel.js';

/** A day after all imports, and its last check. */
export type StoredDay = Day & {
  readonly kind: DayKind;
  readonly completeness: number;
  readonly importId: string;
  readonly importedAt: string;
  /** Absent for a date that is closed. */
  readonly inProgress?: InProgress;
  readonly check: {
    readonly outcome: Outcome;
    readonly plannedModelId: number | null;
    readonly modelsVersion: number;
    readonly checkedAt: string;
    /** Whether the finding was smaller than the floor of the source; absent otherwise. */
    readonly belowFloor?: true;
  } | null;
};

/** A stored day as an import has it. */
export const importedDay = ({ date, activity, gaps, filled, skipped }: StoredDay): Day => ({
  date,
  activity,
  gaps,
  filled,
  ...(skipped && { skipped }),
});

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
  readonly elapsed: number | null;
  readonly closes_at: string | null;
  readonly outcome: Outcome | null;
  readonly planned_model_id: number | null;
  readonly models_version: number | null;
  readonly checked_at: string | null;
  readonly below_floor: number | null;
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
  ...(row.elapsed !== null &&
    row.closes_at !== null && { inProgress: { elapsed: row.elapsed, closesAt: row.closes_at } }),
  check:
    row.outcome === null || row.models_version === null || row.checked_at === null
      ? null
      : {
          outcome: row.outcome,
          plannedModelId: row.planned_model_id,
          modelsVersion: row.models_version,
          checkedAt: row.checked_at,
          ...(row.below_floor !== null && { belowFloor: true }),
        },
});

/** Days that are read at once: a few milliseconds of work. */
const daysAtOnce = 31;

const whole =
  'select * from days join day_values using (event_position, date) where source_id = ? and kind = ?';

/** Returns a function that reads the recent day of a date. */
export const recentDayReader = (db: Database) => {
  const one = db.prepare<[number, DayKind, string], DayRow>(`${whole} and date = ?`);
  return (sourceId: number, date: string): StoredDay | undefined => {
    const row = one.get(sourceId, 'recent', date);
    return row && stored(row);
  };
};

/** Queries on days with their values. */
export const valueQueries = (db: Database) => {
  const between = db.prepare<[number, DayKind, string, string], DayRow>(
    `${whole} and date >= ? and date < ? order by date`,
  );
  const some = db.prepare<[number, DayKind, string, string, string, number], DayRow>(
    `${whole} and date >= ? and date < ? and date > ? order by date limit cast(? as integer)`,
  );
  const all = db.prepare<[number, DayKind], DayRow>(`${whole} order by date`);
  return {
    /** Days of one kind from `from` (inclusive) to `to` (exclusive), by date. */
    between: (sourceId: number, kind: DayKind, from: string, to: string): StoredDay[] =>
      between.all(sourceId, kind, from, to).map(stored),
    /** The same days, read some at a time when they are taken. */
    each: function* (sourceId: number, kind: DayKind, from: string, to: string): Generator<StoredDay> {
      for (let last = ''; ;) {
        const rows = some.all(sourceId, kind, from, to, last, daysAtOnce);
        for (const row of rows) yield stored(row);
        const end = rows.at(-1);
        if (!end || rows.length < daysAtOnce) return;
        last = end.date;
      }
    },
    /** All reference days of a source, by date. */
    reference: (sourceId: number): StoredDay[] => all.all(sourceId, 'reference').map(stored),
    /** A text that changes with the reference days of a source. */
    referenceVersion: cell<[sourceId: number], string>(
      db,
      `select count(*) || ' ' || max(event_position) from days where source_id = ? and kind = 'reference'`,
    ),
    /** One recent day. */
    recent: recentDayReader(db),
  };
};

/** Queries on dates. */
export const dateQueries = (db: Database) => {
  const lastDate = cell<[{ id: number; tomorrow: string }], string | null>(
    db,
    // The maximum of one kind is the end of an index; the maximum of both would scan all days of the source.
    `select max(date) from (
         select max(date) as date from days where source_id = $id and kind = 'reference' and date <= $tomorrow
         union all select max(date) from days where source_id = $id and kind = 'recent' and date <= $tomorrow)`,
  );
  const learnability = db.prepare<[number], { date: string; learnable: 0 | 1 }>(
    `select date, learnable from days where source_id = ? and kind = 'recent' order by date`,
  );
  const learnable = column<[number], string>(
    db,
    `select date from days where source_id = ? and kind = 'recent' and learnable and closes_at is null
       order by date`,
  );
  const count = cell<[number, DayKind, string, string], number>(
    db,
    'select count(*) from days where source_id = ? and kind = ? and date >= ? and date < ?',
  );
  const hasRecent = cell<[number, string], number>(
    db,
    `select 1 from days where source_id = ? and kind = 'recent' and date = ?`,
  );
  const takenBack = cell<[number, string], number>(
    db,
    'select revision from taken_back where source_id = ? and date = ?',
  );
  return {
    /** Dates of the recent days that models can be learned from, ascending, without dates in progress. */
    learnableDates: (id: number): string[] => learnable(id),
    /** Whether a person took back a day of a date after a revision of the stream `days-{id}`. */
    takenBackSince: (sourceId: number, date: string, revision: number): boolean =>
      (takenBack(sourceId, date) ?? -1) > revision,
    /** Whether there are recent data of a date. */
    hasRecent: (sourceId: number, date: string): boolean => hasRecent(sourceId, date) !== undefined,
    /** Number of days of one kind from `from` (inclusive) to `to` (exclusive). */
    count: (sourceId: number, kind: DayKind, from: string, to: string): number =>
      count(sourceId, kind, from, to) ?? 0,
    /** Dates of all recent days, ascending. */
    recentDates: column<[sourceId: number], string>(
      db,
      `select date from days where source_id = ? and kind = 'recent' order by date`,
    ),
    /** All recent days by date, and whether models can be learned from each. */
    learnability: (sourceId: number): LearnableDay[] =>
      learnability.all(sourceId).map(({ date, learnable }) => ({ date, learnable: learnable === 1 })),
    /** Last date of any kind up to tomorrow. */
    lastDate: (sourceId: number, tomorrow: string): string | undefined =>
      lastDate({ id: sourceId, tomorrow }) ?? undefined,
  };
};

/** A date in progress, when it closes, and the import whose day it has. */
export type OpenDate = {
  readonly sourceId: number;
  readonly date: string;
  readonly closesAt: string;
  readonly importId: string;
};

/** Queries on dates in progress, and on the events that set whole days. */
export const openDateQueries = (db: Database) => {
  const due = db.prepare<[string], OpenDate>(
    `select source_id as sourceId, date, closes_at as closesAt, import_id as importId from days
     where closes_at is not null and closes_at <= ? and kind = 'recent' and ${isNotParked('source_id')}
     order by closes_at, source_id, date`,
  );
  const next = cell<[string], string | null>(
    db,
    `select min(closes_at) from days where closes_at > ? and ${isNotParked('source_id')}`,
  );
  const first = cell<[number], string | null>(
    db,
    `select min(date) from days where source_id = ? and kind = 'recent' and closes_at is not null`,
  );
  const whole = cell<[{ id: number; date: string }], number>(
    db,
    `select max(revision) from (
         select revision from days where source_id = $id and kind = 'recent' and date = $date
         union all select revision from taken_back where source_id = $id and date = $date
         union all select -1 as revision)`,
  );
  return {
    /** Dates whose end has come and that no event has closed, earliest first. */
    datesToClose: (now: string): OpenDate[] => due.all(now),
    /** When the next date in progress closes after an instant; undefined without any. */
    nextClosing: (now: string): string | undefined => next(now) ?? undefined,
    /** First date in progress of a source; undefined for none. */
    firstOpen: (sourceId: number): string | undefined => first(sourceId) ?? undefined,
    /** Revision of the last event that set or took back the whole recent day of a date, -1 for none. */
    wholeDayRevision: (id: number, date: string): number => whole({ id, date }) ?? -1,
  };
};
