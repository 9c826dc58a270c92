import { Database } from './driver.js';

/** A log file that the service does not work on: something in it would be in force that no reader sees. */
export class UnusableLog extends Error {
  readonly name = 'UnusableLog';
}

/** The table of events, as the first version made it or as it is made today. */
const tableOf = (version: 'first' | 'today'): string => `
create table if not exists events (
  position integer primary key autoincrement${version === 'today' ? ' check (position >= 1)' : ''},
  id       text not null unique,
  stream   text not null,
  revision integer not null check (revision >= 0),
  type     text not null,
  v        integer not null check (v >= 1),
  at       text not null,
  data     text not null check (json_valid(data)),
  metadata text not null check (json_valid(metadata)),${version === 'today' ? '\n  hash     text,' : ''}
  unique (stream, revision)
) strict;
`;

const triggers = `
-- "insert or replace" would pass by the trigger on deletions.
create trigger if not exists events_never_replaced before insert on events
  when exists (select 1 from events where position = new.position or id = new.id
    or (stream = new.stream and revision = new.revision))
  begin select raise(abort, 'events are append-only'); end;
create trigger if not exists events_never_updated before update on events
  begin select raise(abort, 'events are append-only'); end;
create trigger if not exists events_never_deleted before delete on events
  begin select raise(abort, 'events are append-only'); end;
`;

/**
 * The log as a table. Append-only by triggers; plain enough for the `sqlite3` command:
 * `select position, stream, revision, type, at, data from events order by position`.
 */
export const logSchema = tableOf('today') + triggers;

/** Adds the column for hashes, which the first logs were made without. */
export const addHashColumn = 'alter table events add column hash text';

/** Made by the first version, for a query that nobody asks any more. */
const oldIndex = 'create index if not exists events_by_type on events (type, position);';

/** An entry of sqlite_schema; `sql` is null for what SQLite makes by itself. */
type Entry = {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
};

const keyOf = ({ type, name }: Entry): string => `${type} ${name}`;
const textOf = ({ tbl_name, sql }: Entry): string => `${tbl_name} ${sql?.replace(/\s+/g, ' ') ?? ''}`;

const entriesOf = (db: Database): readonly (readonly [key: string, text: string])[] =>
  db
    .prepare<[], Entry>('select type, name, tbl_name, sql from sqlite_schema')
    .safeIntegers(false)
    .all()
    .map(entry => [keyOf(entry), textOf(entry)]);

/** What a version of the file has: `optional` may be missing from it. */
type Version = {
  readonly entries: ReadonlyMap<string, string>;
  readonly optional: ReadonlySet<string>;
  readonly isCanonical: boolean;
};

const made = (sql: string, optional: readonly string[], isCanonical: boolean): Version => {
  const db = new Database(':memory:');
  db.exec(sql);
  const entries = new Map(entriesOf(db));
  db.close();
  return { entries, optional: new Set(optional), isCanonical };
};

/** All versions of the file that Daybook has ever made. */
const versions = (): readonly Version[] => {
  const first = tableOf('first') + oldIndex + triggers;
  // The very first version knew no trigger on replacing; a later one adds it when it opens the file.
  const optional = ['index events_by_type', 'trigger events_never_replaced'];
  return [
    made(logSchema, [], true),
    // SQLite puts the column where it is in files that were made with it.
    made(`${first}${addHashColumn};`, ['index events_by_type'], false),
    made(first, optional, false),
  ];
};

/** Tables that SQLite keeps for itself. */
const isSystem = (key: string): boolean => /^table sqlite_(sequence|stat\d)$/.test(key);

/** What of a file is not as Daybook makes it, in words. */
export type SchemaFaults = {
  readonly strange: readonly string[];
  /** What is not there; the service makes it when it opens the file. */
  readonly missing: readonly string[];
  /** Whether the file was made when JSON was stored in its canonical form. */
  readonly isCanonical: boolean;
};

/**
 * Compares what a file has (tables, indexes, triggers, views) with what Daybook makes.
 * @param matters  the entries that are looked at; a service only cares for those that act on events
 */
export const schemaFaults = (
  db: Database,
  matters: (key: string, text: string) => boolean = () => true,
): SchemaFaults => {
  const entries = entriesOf(db);
  const there = new Map(entries);
  const version = versions().find(of => of.entries.get('table events') === there.get('table events'));
  if (!version)
    return {
      strange: ['the table events is not one that Daybook has made'],
      missing: [],
      isCanonical: false,
    };
  const strange = there.size === entries.length ? [] : ['it has two entries of one name'];
  for (const [key, text] of entries) {
    if (isSystem(key) || !matters(key, text)) continue;
    const ours = version.entries.get(key);
    if (ours === undefined) strange.push(`got ${key}, which Daybook has not made`);
    else if (ours !== text) strange.push(`${key} is not as Daybook makes it`);
  }
  const missing = [...version.entries.keys()].filter(key => !there.has(key) && !version.optional.has(key));
  return { strange, missing: missing.map(key => `${key} is missing`), isCanonical: version.isCanonical };
};

/** Whether an entry of the schema acts when events are read or written. */
const actsOnEvents = (key: string, text: string): boolean =>
  key.startsWith('trigger ') || key.endsWith(' events') || text.startsWith('events ');

/**
 * Refuses a log that holds what would be in force and unseen: a position before the first, a trigger or a table that
 * is not ours. Looks at no more than the schema and one row.
 * @throws UnusableLog
 */
export const requireOurs = (db: Database, file: string): void => {
  const cure = `run "daybook verify ${file}", which names all of it, then remove it or restore a backup`;
  const [fault] = schemaFaults(db, actsOnEvents).strange;
  if (fault !== undefined) throw new UnusableLog(`${file}: ${fault}; ${cure}`);
  const first = db
    .prepare<[], bigint | null>('select min(position) from events')
    .safeIntegers()
    .pluck()
    .get();
  if (first !== null && first !== undefined && first < 1n)
    throw new UnusableLog(`${file}: got an event at position ${first}, expected positions from 1; ${cure}`);
};
