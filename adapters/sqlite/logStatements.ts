import type { Metadata, Recorded } from '../../domain/events.js';
import { Conflict, isRepeat, type Written } from '../../application/eventStore.js';
import { chained } from '../../auditing/eventHash.js';
import type { Database } from './driver.js';
import type { StoredRow } from './storedLine.js';

/** Maximum events of one page. */
export const pageSize = 200;

const columns = 'position, id, stream, revision, type, v, at, data, metadata, hash';

/** The event of a row. */
export const recorded = ({ data, metadata, revision, v, hash, ...row }: StoredRow): Recorded => {
  const { by, cause, correlation } = JSON.parse(metadata) as Metadata;
  return {
    ...row,
    ...(hash !== null && { hash }),
    revision: Number(revision),
    v: Number(v),
    data: JSON.parse(data),
    // Only the fields that the hash covers.
    metadata: { by, cause, correlation },
  };
};

/** Pages of events: of a stream from a revision; of the log after a position; the same of types, as a JSON list. */
export const pageStatements = (db: Database) => ({
  byStream: db.prepare<[string, number], StoredRow>(
    `select ${columns} from events where stream = ? and revision >= ? order by revision limit ${pageSize}`,
  ),
  all: db.prepare<[bigint], StoredRow>(
    `select ${columns} from events where position > ? order by position limit ${pageSize}`,
  ),
  // The unary plus makes SQLite scan positions: an index on types would need a sort per page.
  byTypes: db.prepare<[bigint, string], StoredRow>(
    `select ${columns} from events
     where position > ? and +type in (select value from json_each(?)) order by position limit ${pageSize}`,
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
