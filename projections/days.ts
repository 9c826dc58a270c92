import type { Database } from 'better-sqlite3';
import { lastRevisions, type KnownEvent, type EventOf } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import { cell, column, type ReadModel, oneByOne } from './readModel.js';
import {
  checkCounter,
  checkRecorder,
  outcomeWriter,
  checkQueries,
  adaptationQueries,
  checkedCovariateQueries,
  importQueries,
  leftOutQueries,
  leftOutSchema,
  leftOutWriter,
} from './days/dayRecords.js';
import { dateQueries, openDateQueries, recentDayReader, valueQueries } from './days/storedDays.js';
import { completeness, isLearnable, type Day } from '../domain/day.js';
import { missingDates, type DayKind, type DaysImported } from '../domain/days.js';
import {
  closedDay,
  completenessSoFar,
  dayWithPoints,
  isLearnableSoFar,
  type InProgress,
} from '../domain/points.js';

const flag = (holds: boolean): 0 | 1 => (holds ? 1 : 0);

/** Returns a function that stores the values of a day that an event brings. */
const valueWriter = (db: Database) => {
  const insert = db.prepare(
    'insert into day_values (event_position, date, activity, gaps, filled, skipped) values (?, ?, ?, ?, ?, ?)',
  );
  return (position: bigint, { date, activity, gaps, filled, skipped }: Day): void => {
    const parts = [activity, gaps, filled].map(part => JSON.stringify(part));
    insert.run(position, date, ...parts, skipped ? JSON.stringify(skipped) : null);
  };
};

/** Returns a function that imports days: at once, or staged until the last part makes all of them effective. */
const importWriter = (db: Database) => {
  const insertValues = valueWriter(db);
  const stage = db.prepare(
    'insert into staged_days (import_id, date, event_position, completeness, learnable) values (?, ?, ?, ?, ?)',
  );
  const replace = dayReplacer(db);
  const finish = importFinisher(db);
  const recordMissing = missingDatesWriter(db);
  const keepOpen = progressWriter(db);
  return (event: EventOf<'DaysImported'>): void => {
    const { position, data } = event;
    const { importId, part, parts } = data;
    for (const day of data.days) {
      insertValues(position, day);
      if (parts === 1) replace({ ...event, ...data }, day, { revision: event.revision });
      else stage.run(importId, day.date, position, completeness(day), flag(isLearnable(day)));
    }
    if (part < parts) return;
    recordMissing(data);
    if (parts > 1) finish(event);
    for (const { date, ...progress } of data.summary?.inProgress ?? [])
      keepOpen(data.sourceId, date, progress);
  };
};

/** Returns a function that marks a recent day as in progress. */
const progressWriter = (db: Database) => {
  const recentDay = recentDayReader(db);
  const set = db.prepare(
    `update days set elapsed = ?, closes_at = ?, completeness = ?, learnable = ?
     where source_id = ? and kind = 'recent' and date = ?`,
  );
  return (sourceId: number, date: string, inProgress: InProgress): void => {
    const day = recentDay(sourceId, date);
    if (!day) return;
    const { elapsed, closesAt } = inProgress;
    const learnable = flag(isLearnableSoFar(day, inProgress));
    set.run(elapsed, closesAt, completenessSoFar(day, inProgress), learnable, sourceId, date);
  };
};

/** Returns a function that sets the slices of points, each day of them in turn. */
const pointsWriter = (db: Database) => {
  const insertValues = valueWriter(db);
  const replace = dayReplacer(db);
  const recentDay = recentDayReader(db);
  const wholeRevision = cell<[number, string], number>(
    db,
    `select revision from days where source_id = ? and kind = 'recent' and date = ?`,
  );
  return (event: EventOf<'PointsImported'>): void => {
    const { sourceId, rule, days } = event.data;
    for (const points of days) {
      const { date, inProgress } = points;
      const day = dayWithPoints(points, rule, date => recentDay(sourceId, date));
      const revision = wholeRevision(sourceId, date) ?? -1;
      insertValues(event.position, day);
      replace({ ...event, ...event.data, kind: 'recent' }, day, {
        revision,
        ...(inProgress && { inProgress }),
      });
    }
  };
};

/** Returns a function that closes a date: all slices belong to it from then on, and the last ones are filled. */
const dayCloser = (db: Database) => {
  const recentDay = recentDayReader(db);
  const setValues = db.prepare(
    `update day_values set activity = ?, gaps = ?, filled = ? where date = ? and event_position =
       (select event_position from days where source_id = ? and kind = 'recent' and date = ?)`,
  );
  const close = db.prepare(
    `update days set elapsed = null, closes_at = null, completeness = ?, learnable = ?
     where source_id = ? and kind = 'recent' and date = ?`,
  );
  return ({ data: { sourceId, date, rule } }: EventOf<'DateClosed'>): void => {
    const day = closedDay(date, rule, date => recentDay(sourceId, date));
    if (!day) return;
    const parts = [day.activity, day.gaps, day.filled].map(part => JSON.stringify(part));
    setValues.run(...parts, date, sourceId, date);
    close.run(completeness(day), flag(isLearnable(day)), sourceId, date);
  };
};

/** Returns a function that records the missing dates of an import, before its staged days are effective. */
const missingDatesWriter = (db: Database) => {
  const staged = column<[string], string>(
    db,
    'select date from staged_days where import_id = ? order by date',
  );
  const insert = db.prepare('insert into missing_dates (import_id, date) values (?, ?)');
  return ({ importId, kind, parts, days }: DaysImported['data']): void => {
    if (kind !== 'recent') return;
    const dates = parts === 1 ? days.map(({ date }) => date) : staged(importId);
    for (const date of missingDates(dates)) insert.run(importId, date);
  };
};

/** Returns a function that removes the values of a day, which another one replaces or a person took back. */
const valueRemover = (db: Database) => {
  const remove = db.prepare(
    `delete from day_values where date = ? and event_position =
       (select event_position from days where source_id = ? and kind = ? and date = ?)`,
  );
  return (sourceId: number, kind: DayKind, date: string): void => void remove.run(date, sourceId, kind, date);
};

/** Returns a function that removes reference days of dates that an extension of the reference leaves out. */
const referenceLeaver = (db: Database) => {
  const removeValues = valueRemover(db);
  const remove = db.prepare(`delete from days where source_id = ? and kind = 'reference' and date = ?`);
  return ({ stream, data: { leftOut } }: EventOf<'ReferenceExtended'>): void => {
    for (const date of leftOut) {
      removeValues(sourceOf(stream), 'reference', date);
      remove.run(sourceOf(stream), date);
    }
  };
};

/** Returns a function that removes a recent day which a person took back. */
const dayRemover = (db: Database) => {
  const removeValues = valueRemover(db);
  const remove = db.prepare(`delete from days where source_id = ? and kind = 'recent' and date = ?`);
  const note = db.prepare('insert or replace into taken_back (source_id, date, revision) values (?, ?, ?)');
  return ({ revision, data: { sourceId, date } }: EventOf<'DayTakenBack'>): void => {
    removeValues(sourceId, 'recent', date);
    remove.run(sourceId, date);
    note.run(sourceId, date, revision);
  };
};

/** The event that brings a day. */
type DayOrigin = {
  readonly position: bigint;
  readonly at: string;
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly importId: string;
};

/** Returns a function that makes a day effective, in the place of an earlier one of its date. */
const dayReplacer = (db: Database) => {
  const removeValues = valueRemover(db);
  const insert = db.prepare(
    `insert or replace into days (source_id, kind, date, event_position, import_id, imported_at, completeness, learnable,
       revision, elapsed, closes_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (
    { position, at, sourceId, kind, importId }: DayOrigin,
    day: Day,
    { revision, inProgress }: { readonly revision: number; readonly inProgress?: InProgress },
  ): void => {
    const { date } = day;
    removeValues(sourceId, kind, date);
    const { elapsed, closesAt } = inProgress ?? { elapsed: null, closesAt: null };
    const shares = [completenessSoFar(day, inProgress), flag(isLearnableSoFar(day, inProgress))];
    insert.run(sourceId, kind, date, position, importId, at, ...shares, revision, elapsed, closesAt);
  };
};

/** Returns a function that records the imports of a batch that have taken effect. */
const importRecorder = (db: Database) => {
  const insert = db.prepare(
    'insert into imports (id, source_id, kind, summary, imported_at, event_id) values (?, ?, ?, ?, ?, ?)',
  );
  return oneByOne(({ type, id, at, data }) => {
    if (type !== 'DaysImported' || data.part < data.parts) return;
    const { sourceId, importId, kind, summary } = data;
    insert.run(importId, sourceId, kind, JSON.stringify(summary), at, id);
  });
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
       (source_id, kind, date, event_position, import_id, imported_at, completeness, learnable, revision)
     select $sourceId, $kind, date, event_position, import_id, $at, completeness, learnable, $revision from staged_days
     where import_id = $importId`,
  );
  const unstage = db.prepare('delete from staged_days where import_id = ?');
  return ({ at, revision, data: { sourceId, importId, kind } }: EventOf<'DaysImported'>): void => {
    deleteReplaced.run({ sourceId, kind, importId });
    insertStaged.run({ sourceId, kind, at, importId, revision });
    unstage.run(importId);
  };
};

/** Read model of days, imports and checks. */
export const daysModel: ReadModel = {
  name: 'days',
  version: 10,
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
      learnable integer not null,
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
      -- Observed share of the slices; on a date in progress, of those that have elapsed.
      completeness real not null,
      -- 1 when models can be learned from these slices, else 0.
      learnable integer not null,
      -- Revision of the event that set the whole day; -1 for a day of points only.
      revision integer not null,
      -- Slices that have elapsed, and when the date closes; null for a date that is closed.
      elapsed integer,
      closes_at text,
      outcome text,
      planned_model_id integer,
      models_version integer,
      checked_at text,
      -- State of the adaptive factor after the day: JSON.
      adaptation text,
      -- Values of covariates as the check knew them: JSON.
      covariates text,
      -- 1 when the finding was smaller than the floor of the source, else null.
      below_floor integer,
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
      below_floor integer,
      standing text not null,
      primary key (cause_id, date)
    ) strict, without rowid;${leftOutSchema}`,
  queryIndexes: [
    'days_by_import on days (import_id, date, completeness, closes_at)',
    'days_closing on days (closes_at) where closes_at is not null',
    `days_drifting on days (source_id, date) where outcome = 'drift' and kind = 'recent'`,
  ],
  apply: db => {
    const importDays = importWriter(db);
    const importPoints = pointsWriter(db);
    const close = dayCloser(db);
    const leaveOut = referenceLeaver(db);
    const takeBack = dayRemover(db);
    const setOutcomes = outcomeWriter(db);
    const noteLeftOut = leftOutWriter(db);
    return event => {
      noteLeftOut(event);
      if (event.type === 'DaysImported') importDays(event);
      else if (event.type === 'PointsImported') importPoints(event);
      else if (event.type === 'DateClosed') close(event);
      else if (event.type === 'ReferenceExtended') leaveOut(event);
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
  ...openDateQueries(db),
  ...leftOutQueries(db),
});
