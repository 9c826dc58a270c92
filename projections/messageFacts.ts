import type { Database } from 'better-sqlite3';
import { dayBlocks } from '../domain/day.js';
import type { EventOf, KnownEvent } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import { recentDayReader } from './days/storedDays.js';
import { isNotParked } from './parked.js';
import { cell, column, type ReadModel } from './readModel.js';

/** Facts for messages: how a day looked when an alert found it, and the alerts that are open. It follows the days. */
export const messageFactsModel: ReadModel = {
  name: 'messageFacts',
  version: 1,
  schema: `
    create table day_looks (
      source_id integer not null,
      date text not null,
      position integer not null,
      blocks text not null,
      primary key (source_id, date, position)
    ) strict, without rowid;
    create table open_alerts (
      alert_id text primary key,
      tenant text not null,
      source_id integer not null,
      position integer not null
    ) strict, without rowid;`,
  queryIndexes: ['open_alerts_of_tenant on open_alerts (tenant, position)'],
  apply: db => {
    const look = lookWriter(db);
    const open = openWriter(db);
    return event => {
      if (event.type === 'AlertRaised' || event.type === 'AlertConfirmed') look(event);
      open(event);
    };
  },
};

/** Returns a function that notes the look of the day of an alert. */
const lookWriter = (db: Database) => {
  const recentDay = recentDayReader(db);
  const note = db.prepare('insert into day_looks (source_id, date, position, blocks) values (?, ?, ?, ?)');
  return ({ stream, position, data }: EventOf<'AlertRaised' | 'AlertConfirmed'>): void => {
    const sourceId = sourceOf(stream);
    const day = data.kind === 'noData' ? undefined : recentDay(sourceId, data.date);
    if (day) note.run(sourceId, data.date, position, dayBlocks(day, day.inProgress?.elapsed));
  };
};

/** Returns a function that notes whether an alert is open after an event. */
const openWriter = (db: Database) => {
  const add = db.prepare(
    `insert or replace into open_alerts (alert_id, tenant, source_id, position)
     select ?, tenant, id, ? from sources where id = ?`,
  );
  const remove = db.prepare('delete from open_alerts where alert_id = ?');
  return ({ type, stream, position, data }: KnownEvent): void => {
    if (type === 'AlertRaised' || type === 'AlertReopened') add.run(data.alertId, position, sourceOf(stream));
    else if (type === 'AlertResolved' || type === 'AlertInvalidated' || type === 'AlertEnded')
      remove.run(data.alertId);
  };
};

/** Queries on facts for messages. */
export const messageFactQueries = (db: Database) => {
  return {
    /** The values of a date as block characters, as an alert found them up to a position. */
    blocksAt: cell<[sourceId: number, date: string, position: bigint], string>(
      db,
      `select blocks from day_looks where source_id = ? and date = ? and position <= ?
       order by position desc limit 1`,
    ),
    /** Ids of open and acknowledged alerts of sources that are not archived, the latest first. */
    openAlerts: column<[tenant: string, limit: number], string>(
      db,
      `select alert_id from open_alerts where tenant = ? and ${isNotParked('open_alerts.source_id')}
         and exists (select 1 from sources where id = open_alerts.source_id and archived_at is null)
       order by position desc limit cast(? as integer)`,
    ),
  };
};
