import { Database } from '../../../adapters/sqlite/driver.js';
import type { Recorded } from '../../../domain/events.js';

// Schemas of log files of earlier versions, verbatim: never change them.

const table = (hash: string): string => `
create table if not exists events (
  position integer primary key autoincrement,
  id       text not null unique,
  stream   text not null,
  revision integer not null check (revision >= 0),
  type     text not null,
  v        integer not null check (v >= 1),
  at       text not null,
  data     text not null check (json_valid(data)),
  metadata text not null check (json_valid(metadata)),${hash}
  unique (stream, revision)
) strict;
`;
const index = 'create index if not exists events_by_type on events (type, position);';
const neverReplaced = `
-- "insert or replace" would pass by the trigger on deletions.
create trigger if not exists events_never_replaced before insert on events
  when exists (select 1 from events where position = new.position or id = new.id
    or (stream = new.stream and revision = new.revision))
  begin select raise(abort, 'events are append-only'); end;
`;
const others = `create trigger if not exists events_never_updated before update on events
  begin select raise(abort, 'events are append-only'); end;
create trigger if not exists events_never_deleted before delete on events
  begin select raise(abort, 'events are append-only'); end;
`;

/** Schemas of all versions without a check of positions, oldest first. */
export const oldSchemas: Readonly<Record<string, string>> = {
  first: table('') + index + others,
  'never replaced': table('') + index + neverReplaced + others,
  'without an index': table('') + neverReplaced + others,
  'with a column for hashes': table('') + neverReplaced + others + 'alter table events add column hash text',
  'with hashes': table('\n  hash     text,') + neverReplaced + others,
};

/** Writes a log with an old schema; JSON is the output of JSON.stringify. */
export const writeOldLog = (file: string, schema: string, events: readonly Recorded[]): void => {
  const db = new Database(file);
  db.exec(schema);
  const hashed = schema.includes('hash');
  const insert = db.prepare(
    `insert into events (id, stream, revision, type, v, at, data, metadata${hashed ? ', hash' : ''})
     values (@id, @stream, @revision, @type, @v, @at, @data, @metadata${hashed ? ', @hash' : ''})`,
  );
  for (const { position: _, hash, ...event } of events)
    insert.run({
      ...event,
      data: JSON.stringify(event.data),
      metadata: JSON.stringify(event.metadata),
      ...(hashed && { hash: hash ?? null }),
    });
  db.close();
};
