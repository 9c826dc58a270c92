import type { Database } from 'better-sqlite3';
import { completeness, type Day } from '../../domain/day.js';
import { missingDates, type DayKind, type DaysImported } from '../../domain/days.js';
import type { EventOf } from '../../domain/events.js';
import { oneByOne } from '../readModel.js';

/** Returns a function that imports days: at once, or staged until the last part makes all of them effective. */
export const importWriter = (db: Database) => {
  const insertValues = db.prepare(
    'insert into day_values (event_position, date, activity, gaps, filled, skipped) values (?, ?, ?, ?, ?, ?)',
  );
  const stage = db.prepare(
    'insert into staged_days (import_id, date, event_position, completeness) values (?, ?, ?, ?)',
  );
  const replace = dayReplacer(db);
  const finish = importFinisher(db);
  const recordMissing = missingDatesWriter(db);
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
    recordMissing(data);
    if (parts > 1) finish(event);
  };
};

/** Returns a function that records the missing dates of an import, before its staged days are effective. */
const missingDatesWriter = (db: Database) => {
  const staged = db
    .prepare<[string], string>('select date from staged_days where import_id = ? order by date')
    .pluck();
  const insert = db.prepare('insert into missing_dates (import_id, date) values (?, ?)');
  return ({ importId, kind, parts, days }: DaysImported['data']): void => {
    if (kind !== 'recent') return;
    const dates = parts === 1 ? days.map(({ date }) => date) : staged.all(importId);
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

/** Returns a function that removes a recent day which a person took back. */
export const dayRemover = (db: Database) => {
  const removeValues = valueRemover(db);
  const remove = db.prepare(`delete from days where source_id = ? and kind = 'recent' and date = ?`);
  const note = db.prepare('insert or replace into taken_back (source_id, date, revision) values (?, ?, ?)');
  return ({ revision, data: { sourceId, date } }: EventOf<'DayTakenBack'>): void => {
    removeValues(sourceId, 'recent', date);
    remove.run(sourceId, date);
    note.run(sourceId, date, revision);
  };
};

/** Returns a function that makes a day effective, in the place of an earlier one of its date. */
const dayReplacer = (db: Database) => {
  const removeValues = valueRemover(db);
  const insert = db.prepare(
    `insert or replace into days (source_id, kind, date, event_position, import_id, imported_at, completeness)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ position, at, data: { sourceId, kind, importId } }: EventOf<'DaysImported'>, day: Day): void => {
    const { date } = day;
    removeValues(sourceId, kind, date);
    insert.run(sourceId, kind, date, position, importId, at, completeness(day));
  };
};

/** Returns a function that records the imports of a batch that have taken effect. */
export const importRecorder = (db: Database) => {
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
