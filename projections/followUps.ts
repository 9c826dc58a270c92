import type { Database } from 'better-sqlite3';
import { checkCauses } from '../domain/alerts/checks.js';
import type { EventType, KnownEvent } from '../domain/events.js';
import { followUpEndedBy, followUpOf, isGrouped } from '../domain/followUps.js';
import { sourceOf } from '../domain/streams.js';
import { isNotParked } from './parked.js';
import { cell, type ReadModel } from './readModel.js';

/** A row before it is written; `due` becomes null when a later event of the batch ends the work. */
type Row = { readonly event: KnownEvent; readonly sourceId: number; due: string | null };

/** Returns a function that records which events of a batch ask for work, and which work they end. */
const followUpWriter = (db: Database) => {
  const insert = db.prepare(
    'insert into follow_ups (position, type, source_id, due, grouping) values (?, ?, ?, ?, ?)',
  );
  const end = db.prepare('update follow_ups set due = null where source_id = ? and due = ?');
  return (events: readonly KnownEvent[]): void => {
    const rows: Row[] = [];
    const due = new Map<string, Row>();
    for (const event of events) {
      const ended = followUpEndedBy(event);
      const added = ended && due.get(`${ended.sourceId} ${ended.key}`);
      if (added) added.due = null;
      else if (ended) end.run(ended.sourceId, ended.key);
      const asked = followUpOf(event);
      if (isGrouped(event)) rows.push({ event, sourceId: sourceOf(event.stream), due: null });
      if (!asked) continue;
      const row: Row = { event, sourceId: asked.sourceId, due: asked.key };
      rows.push(row);
      due.set(`${asked.sourceId} ${asked.key}`, row);
    }
    for (const { event, sourceId, due } of rows)
      insert.run(event.position, event.type, sourceId, due, isGrouped(event) ? event.revision : null);
  };
};

/** Read model of the events that ask for work of the process manager, and of the work that is not done. */
export const followUpsModel: ReadModel = {
  name: 'followUps',
  version: 2,
  schema: `
    create table follow_ups (
      position integer primary key,
      type text not null,
      source_id integer not null,
      -- Key of the work; null when its outcome is in the log, and for events of alerts.
      due text,
      -- Revision of an event of an alert, which is due until its source is grouped up to it.
      grouping integer
    ) strict;
    create index follow_ups_due on follow_ups (source_id, due) where due is not null;
    create index follow_ups_grouping on follow_ups (source_id, grouping) where grouping is not null;`,
  applyBatch: followUpWriter,
};

/** Revision up to which the alerts of the source of a row are grouped. */
const knowledge = (sourceId: string): string =>
  `coalesce((select knowledge from grouped_alerts where grouped_alerts.source_id = ${sourceId}), -1)`;

/** Queries on the grouping of alerts and on decisions about incidents. */
const groupingQueries = (db: Database) => {
  const ungrouped = cell<[string], number>(
    db,
    `select 1 from alert_steps join alerts on alerts.id = alert_id
       where cause = ? and revision > ${knowledge('alerts.source_id')}
         -- An alert that goes on with its date may wait.
         and (finding -> '$.facts.soFar' is null or alert_id not in (select alert_id from incident_alerts))
       limit 1`,
  );
  const pending = cell<[string], number>(db, 'select 1 from follow_ups where source_id = 0 and due = ?');
  return {
    /** Whether the alerts that a cause changed are grouped into incidents. */
    isGrouped: (cause: string): boolean => ungrouped(cause) === undefined,
    /** Whether the work of a tenant with a key is not done. */
    isPending: (key: string): boolean => pending(key) !== undefined,
  };
};

/** Queries on the work that events ask for. */
export const followUpQueries = (db: Database) => {
  const isDue = cell<[bigint], number>(
    db,
    `select 1 from follow_ups where position = ?
         and (due is not null or grouping > ${knowledge('follow_ups.source_id')})`,
  );
  const dueCount = cell<[], number>(
    db,
    `select count(*) from follow_ups where due is not null and ${isNotParked('follow_ups.source_id')}`,
  );
  const ofTypes = 'type in (select value from json_each(?))';
  const pendingCheck = cell<[number, string], number>(
    db,
    `select 1 from follow_ups where source_id = ? and due is not null and ${ofTypes} limit 1`,
  );
  const firstDue = db
    .prepare<[string, string], bigint | null>(
      `select min(position) from (
         select min(position) as position from follow_ups where due is not null and ${ofTypes}
         union all
         -- A cross join has the sources outside: follow_ups has a row for each event that asked for work.
         select min(position) from sources cross join follow_ups on source_id = sources.id
           and grouping > ${knowledge('sources.id')} where ${ofTypes})`,
    )
    .pluck()
    .safeIntegers();
  const before = db
    .prepare<[bigint], bigint | null>('select max(position) from follow_ups where position < ?')
    .pluck()
    .safeIntegers();
  const countAfter = cell<[bigint, string], number>(
    db,
    `select count(*) from follow_ups where position > ? and ${ofTypes}`,
  );
  const end = db
    .prepare<[], bigint>(`select position from checkpoints where name = 'readModels'`)
    .pluck()
    .safeIntegers();
  const checks = JSON.stringify(checkCauses);
  return {
    ...groupingQueries(db),
    /** Whether the event at a position asks for work whose outcome is not in the log. */
    isDue: (position: bigint): boolean => isDue(position) !== undefined,
    /**
     * Number of events that ask for work whose outcome is not in the log, without those of parked sources and those of
     * alerts, which would take a look at each source.
     */
    dueCount: (): number => dueCount() ?? 0,
    /** Whether a check of a source is not complete. */
    isCheckPending: (sourceId: number): boolean => pendingCheck(sourceId, checks) !== undefined,
    /** Position of an event, or 0, such that the work of all events of these types up to it is done. */
    doneUpTo: (types: readonly EventType[]): bigint => {
      const names = JSON.stringify(types);
      const due = firstDue.get(names, names) ?? null;
      return (due === null ? end.get() : before.get(due)) ?? 0n;
    },
    /** Number of events of these types after a position. */
    countAfter: (position: bigint, types: readonly EventType[]): number =>
      countAfter(position, JSON.stringify(types)) ?? 0,
  };
};
