import { Database } from './driver.js';

/** A log file with hidden content that would take effect. */
export class UnusableLog extends Error {
  readonly name = 'UnusableLog';
}

/** SQL of the table of events, in the first and in the present version. */
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
 * The log as an append-only table, protected by triggers. To read it with the `sqlite3` command:
 * `select position, stream, revision, type, at, data from events order by position`.
 */
export const logSchema = tableOf('today') + triggers;

/** Adds the column of hashes, which the first version lacks. */
export const addHashColumn = 'alter table events add column hash text';

/** Created by the first version, for a query that no longer exists. */
const oldIndex = 'create index if not exists events_by_type on events (type, position);';

/** An entry of sqlite_schema; `sql` is null for entries that SQLite creates itself. */
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

/** Schema of one version of the file; `optional` entries may be missing. */
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

/** All versions of the file that Daybook has created. */
const versions = (): readonly Version[] => {
  const first = tableOf('first') + oldIndex + triggers;
  // The first release had no trigger against replacing; later ones add it when they open the file.
  const optional = ['index events_by_type', 'trigger events_never_replaced'];
  return [
    made(logSchema, [], true),
    // SQLite puts an added column in a different place than a created one.
    made(`${first}${addHashColumn};`, ['index events_by_type'], false),
    made(first, optional, false),
  ];
};

/** Tables that SQLite creates itself. */
const isSystem = (key: string): boolean => /^table sqlite_(sequence|stat\d)$/.test(key);

/** Deviations of a file from the schema of Daybook, as messages. */
export type SchemaFaults = {
  readonly unexpected: readonly string[];
  /** Missing entries; the service creates them when it opens the file. */
  readonly missing: readonly string[];
  /** Whether its version stores canonical JSON. */
  readonly isCanonical: boolean;
};

/**
 * Compares the tables, indexes, triggers and views of a file with those of Daybook.
 * @param isRelevant  selects the entries to compare; a service compares those that act on events
 */
export const schemaFaults = (
  db: Database,
  isRelevant: (key: string, text: string) => boolean = () => true,
): SchemaFaults => {
  const entries = entriesOf(db);
  const there = new Map(entries);
  const version = versions().find(
    ({ entries: known }) => known.get('table events') === there.get('table events'),
  );
  if (!version)
    return {
      unexpected: ['the table events was not created by Daybook'],
      missing: [],
      isCanonical: false,
    };
  const unexpected = there.size === entries.length ? [] : ['it has two entries with the same name'];
  for (const [key, text] of entries) {
    if (isSystem(key) || !isRelevant(key, text)) continue;
    const ours = version.entries.get(key);
    if (ours === undefined) unexpected.push(`got ${key}, which Daybook did not create`);
    else if (ours !== text) unexpected.push(`${key} differs from the one that Daybook creates`);
  }
  const missing = [...version.entries.keys()].filter(key => !there.has(key) && !version.optional.has(key));
  return { unexpected, missing: missing.map(key => `${key} is missing`), isCanonical: version.isCanonical };
};

/** Whether an entry of the schema takes effect when events are read or written. */
const actsOnEvents = (key: string, text: string): boolean =>
  key.startsWith('trigger ') || key.endsWith(' events') || text.startsWith('events ');

/**
 * Refuses a log with content that takes effect unseen: a position below 1, a foreign trigger or table. Reads the
 * schema and one row only.
 * @throws UnusableLog
 */
export const requireOurs = (db: Database, file: string): void => {
  const advice = `run "daybook verify --log ${file}" for details, then remove the fault or restore a backup`;
  const [fault] = schemaFaults(db, actsOnEvents).unexpected;
  if (fault !== undefined) throw new UnusableLog(`${file}: ${fault}; ${advice}`);
  const first = db
    .prepare<[], bigint | null>('select min(position) from events')
    .safeIntegers()
    .pluck()
    .get();
  if (first !== null && first !== undefined && first < 1n)
    throw new UnusableLog(`${file}: got an event at position ${first}, expected positions from 1; ${advice}`);
};
