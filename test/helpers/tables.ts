import type { Database } from 'better-sqlite3';
import type { DomainEvent, KnownEvent } from '../../domain/events.js';
import { eventVersions } from '../../domain/events.js';
import { id, instant } from './samples.js';

/** Every row of every table, ordered by primary key (by all columns where there is none). */
export const dumpedTables = (db: Database): Readonly<Record<string, readonly unknown[]>> => {
  const tables = db
    .prepare<[], string>(`select name from sqlite_master where type = 'table' order by name`)
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map(table => {
      const columns = db.pragma(`table_info("${table}")`) as readonly {
        readonly name: string;
        readonly pk: number;
      }[];
      const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      const order = (keys.length > 0 ? keys : columns).map(({ name }) => `"${name}"`).join(', ');
      return [table, db.prepare(`select * from "${table}" order by ${order}`).all()];
    }),
  );
};

/** A log written by hand: each `add` appends to a stream, with fixed ids and instants, counted from 1. */
export const handWritten = () => {
  const events: KnownEvent[] = [];
  const revisions = new Map<string, number>();
  return {
    events,
    /** Appends an event and answers its id. */
    add: (stream: string, event: DomainEvent, by = 'anna', cause = id(5000)): string => {
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      const position = events.length + 1;
      const added = {
        ...event,
        id: id(position),
        v: eventVersions[event.type],
        metadata: { by, cause, correlation: id(6000) },
        at: instant(position),
        stream,
        revision,
        position: BigInt(position),
      };
      // The type and the data of one event belong together; spread, the compiler no longer sees it.
      events.push(added as KnownEvent);
      return added.id;
    },
  };
};
