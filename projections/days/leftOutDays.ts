import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';

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
  const isReference = db
    .prepare<[number, string], number>(
      `select 1 from days where source_id = ? and kind = 'reference' and date = ?`,
    )
    .pluck();
  return {
    /** The days that are left out, by date. A source has at most a year of them. */
    leftOut: (sourceId: number): LeftOutRecord[] => all.all(sourceId),
    /** Whether a source has a reference day on a date. */
    hasReference: (sourceId: number, date: string): boolean => isReference.get(sourceId, date) === 1,
  };
};
