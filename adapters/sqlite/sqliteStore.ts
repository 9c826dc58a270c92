import { Database } from './driver.js';
import type { Metadata, Recorded } from '../../domain/events.js';
import { chained } from '../../auditing/eventHash.js';
import {
  Conflict,
  isRepeat,
  LogTaken,
  written,
  type OpenEventStore,
  type Written,
} from '../../application/eventStore.js';
import { guarded } from './database.js';
import { inodeOf } from './inode.js';
import { addHashColumn, requireOurs, logSchema } from './logSchema.js';
import type { StoredRow } from './storedLine.js';

/** Events of one query: better-sqlite3 refuses writes while a statement is iterated. */
const pageSize = 200;

/** Maximum appends of one transaction, which bounds the wait of the others. */
const groupMax = 32;

/** An append that waits for its transaction. */
type Waiting = {
  readonly run: () => number;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: unknown) => void;
};

/** Adds the column of hashes to logs of the first version; their events keep none. */
const addHashes = (db: Database): void => {
  const known = db.prepare(`select 1 from pragma_table_info('events') where name = 'hash'`).get();
  if (!known) db.exec(addHashColumn);
};

const recorded = ({ data, metadata, revision, v, hash, ...row }: StoredRow): Recorded => {
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

const hasEvents = (db: Database): boolean =>
  db.prepare(`select 1 from sqlite_schema where name = 'events' or tbl_name = 'events'`).get() !== undefined;

/**
 * The embedded store: one SQLite file in WAL mode. With `synchronous=FULL` an acknowledged event survives a power
 * failure. Appends of one turn of the event loop share a transaction and so the sync to disk, which is most of their
 * cost (group commit: DeWitt et al. 1984).
 * @param taken  given by the only writer of a log: called when others have written it or replaced its file
 * @throws StoreUnavailable when the file cannot be opened or written, UnusableLog as `refuseUnusable`
 */
export const sqliteStore = (file: string, taken?: (error: LogTaken) => void): OpenEventStore => {
  const db = guarded(() => {
    const opened = new Database(file);
    try {
      opened.pragma('journal_mode = WAL');
      opened.pragma('synchronous = FULL');
      // Checked before anything is created.
      if (hasEvents(opened)) requireOurs(opened, file);
      opened.exec(logSchema);
      opened.transaction(addHashes).immediate(opened);
      opened.defaultSafeIntegers();
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  const columns = 'position, id, stream, revision, type, v, at, data, metadata, hash';
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
  const page = db.prepare<[string, number], StoredRow>(
    `select ${columns} from events where stream = ? and revision >= ? order by revision limit ${pageSize}`,
  );
  const logPage = db.prepare<[bigint], StoredRow>(
    `select ${columns} from events where position > ? order by position limit ${pageSize}`,
  );
  // The unary plus makes SQLite scan positions: an index on types would need a sort per page.
  const typedPage = db.prepare<[bigint, string], StoredRow>(
    `select ${columns} from events
     where position > ? and +type in (select value from json_each(?)) order by position limit ${pageSize}`,
  );

  const append = db.transaction((stream: string, expected: number | 'absent', texts: readonly Written[]) => {
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

  const lastPosition = db.prepare<[], bigint>('select coalesce(max(position), 0) from events').pluck();
  const inode = inodeOf(file);
  /** Last position of the log at the last read or write of this store. */
  let reached = guarded(() => lastPosition.get());
  const requireAlone = (): void => {
    if (!taken) return;
    const there = lastPosition.get();
    if (there !== reached)
      throw new LogTaken(
        `${file} ends at position ${there}, expected ${reached}: another process writes to it`,
      );
    if (inodeOf(file) !== inode) throw new LogTaken(`${file} was removed or replaced`);
  };

  /** Runs appends, each in a savepoint, so that a failed one is undone alone. Returns functions that settle them. */
  const runAll = db.transaction((group: readonly Waiting[]) => {
    requireAlone();
    const settles = group.map(({ run, resolve, reject }) => {
      try {
        const revision = run();
        return () => resolve(revision);
      } catch (error) {
        // An error that ends the transaction, such as a full disk, undoes the earlier appends as well.
        if (!db.inTransaction) throw error;
        return () => reject(error);
      }
    });
    return { settles, through: lastPosition.get() };
  });
  const waiting: Waiting[] = [];
  const commit = (): void => {
    const group = waiting.splice(0, groupMax);
    if (waiting.length > 0) setImmediate(commit);
    try {
      const { settles, through } = guarded(() => runAll.immediate(group));
      reached = through;
      for (const settle of settles) settle();
    } catch (error) {
      if (error instanceof LogTaken) taken?.(error);
      for (const { reject } of group) reject(error);
    }
  };

  return {
    append: (stream, expected, events) =>
      new Promise((resolve, reject) => {
        const texts = written(stream, events);
        if (waiting.length === 0) setImmediate(commit);
        waiting.push({ run: () => guarded(() => append(stream, expected, texts)), resolve, reject });
      }),

    async *read(stream, from = 0) {
      for (let next = from; ;) {
        const rows = guarded(() => page.all(stream, next));
        for (const row of rows) yield recorded(row);
        if (rows.length < pageSize) return;
        next += rows.length;
      }
    },

    async *all(after, types) {
      const typeList = types && JSON.stringify(types);
      for (let position = after; ;) {
        const rows = guarded(() =>
          typeList === undefined ? logPage.all(position) : typedPage.all(position, typeList),
        );
        for (const row of rows) yield recorded(row);
        const lastRow = rows.at(-1);
        if (!lastRow || rows.length < pageSize) return;
        position = lastRow.position;
      }
    },

    close: async () => {
      while (waiting.length > 0) commit();
      db.close();
    },
  };
};
