import type { Database } from 'better-sqlite3';
import type { DomainEvent, KnownEvent } from '../../../domain/events.js';
import { eventVersions } from '../../../domain/events.js';
import { id, instant } from './samples.js';

/** All rows of all tables, ordered by primary key, or else by all columns. */
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

/** A sample log: each `add` appends an event with a fixed id and instant, counted from 1. */
export const handWritten = () => {
  const events: KnownEvent[] = [];
  const revisions = new Map<string, number>();
  return {
    events,
    /** Appends an event and returns its id. */
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
      // A spread separates type and data for the compiler.
      events.push(added as KnownEvent);
      return added.id;
    },
  };
};
