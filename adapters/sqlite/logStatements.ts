import type { Metadata, Recorded } from '../../domain/events.js';
import { Conflict, isRepeat, type Written } from '../../application/eventStore.js';
import { chained } from '../../auditing/eventHash.js';
import type { Database } from './driver.js';

/** Maximum events of one page. */
export const pageSize = 200;

const columns = 'position, id, stream, revision, type, v, at, data, metadata, hash';

/** A row of these columns. Arrays and literals without spread take a third of the time of objects. */
type EventRow = readonly [
  position: bigint,
  id: string,
  stream: string,
  revision: bigint,
  type: string,
  v: bigint,
  at: string,
  data: string,
  metadata: string,
  hash: string | null,
];

/** The event of a row. */
export const recorded = (row: EventRow): Recorded => {
  const [position, id, stream, revision, type, v, at, data, metadata, hash] = row;
  // Only the fields that the hash covers.
  const { by, cause, correlation } = JSON.parse(metadata) as Metadata;
  const event: Recorded & { hash?: string } = {
    position,
    id,
    stream,
    revision: Number(revision),
    type,
    v: Number(v),
    at,
    data: JSON.parse(data),
    metadata: { by, cause, correlation },
  };
  if (hash !== null) event.hash = hash;
  return event;
};

const eventPage = <Given extends unknown[]>(db: Database, clause: string) =>
  db.prepare<Given, EventRow>(`select ${columns} from events ${clause} limit ${pageSize}`).raw();

/** Pages of events: of a stream from a revision; of the log after a position; the same of types, as a JSON list. */
export const pageStatements = (db: Database) => ({
  byStream: eventPage<[string, number]>(db, 'where stream = ? and revision >= ? order by revision'),
  all: eventPage<[bigint]>(db, 'where position > ? order by position'),
  // The unary plus makes SQLite scan positions: an index on types would need a sort per page.
  byTypes: eventPage<[bigint, string]>(
    db,
    'where position > ? and +type in (select value from json_each(?)) order by position',
  ),
});

/**
 * A transaction that appends events to a stream; it returns the revision of the last one. A repeat of stored events
 * stores nothing.
 * @throws Conflict
 */
export const appendTransaction = (db: Database) => {
  const last = db.prepare<[string], { readonly revision: bigint; readonly hash: string | null }>(
    'select revision, hash from events where stream = ? order by revision desc limit 1',
  );
  const idsFrom = db
    .prepare<[string, number, number], string>(
      'select id from events where stream = ? and revision >= ? order by revision limit cast(? as integer)',
    )
    .pluck();
  const insert = db.prepare(
    `insert into events (id, stream, revision, type, v, at, data, metadata, hash)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return db.transaction((stream: string, expected: number | 'absent', texts: readonly Written[]) => {
    const before = last.get(stream);
    const actual = before === undefined ? 'absent' : Number(before.revision);
    const next = expected === 'absent' ? 0 : expected + 1;
    if (actual !== expected) {
      const events = texts.map(({ event }) => event);
      if (isRepeat(idsFrom.all(stream, next, events.length), events)) return next + events.length - 1;
      throw new Conflict(stream, expected, actual);
    }
    const hashes = chained(stream, next, before?.hash ?? null, texts);
    for (const [index, { event, data, metadata }] of texts.entries()) {
      const { id, type, v, at } = event;
      insert.run(id, stream, next + index, type, v, at, data, metadata, hashes[index] ?? null);
    }
    return next + texts.length - 1;
  });
};
