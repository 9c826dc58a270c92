import type { Database } from 'better-sqlite3';
import { completeness, type Day } from '../../domain/day.js';
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
    if (parts > 1 && part >= parts) finish(event);
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
