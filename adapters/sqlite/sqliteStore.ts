import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  damageAdvice,
  LogDamaged,
  written,
  LogTaken,
  StoreUnavailable,
  type OpenEventStore,
  Conflict,
  isRepeat,
  type Written,
} from '../../application/ports/eventStore.js';
import { subjectName } from '../../domain/streams.js';
import { guarded, isBroken, opening, inodeOf } from './database.js';
import { Database } from './driver.js';
import { addHashColumn, logSchema, requireOurs } from './logSchema.js';
import type { Metadata, Recorded } from '../../domain/events.js';
import { chained } from '../../auditing/eventBytes.js';

/** An append that waits for its transaction. */
type Waiting = {
  readonly run: () => number;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: unknown) => void;
  /** Time of a monotonic clock up to which it waits for a lock of another process. */
  readonly untilMs: number;
};

/** Maximum appends of one transaction, which bounds the wait of the others. */
const groupMax = 32;

/** Returns a function that reads the last position of the log, 0 without events. */
const endOf = (db: Database): (() => bigint) => {
  const last = db.prepare<[], bigint>('select coalesce(max(position), 0) from events').pluck();
  return () => last.get() ?? 0n;
};

/**
 * Requires that no other process writes to the log; nothing without `isOnlyWriter`.
 * @throws LogTaken
 */
const ownership = (db: Database, file: string, isOnlyWriter: boolean) => {
  const lastPosition = endOf(db);
  const inode = inodeOf(file);
  /** Last position of the log at the last write of this store. */
  let reached: bigint | undefined = guarded(lastPosition);
  return {
    lastPosition,
    note: (position: bigint | undefined): void => {
      reached = position;
    },
    require: (): void => {
      if (!isOnlyWriter) return;
      const there = lastPosition();
      if (there !== reached)
        throw new LogTaken(
          `${file} ends at position ${there}, expected ${reached}: another process writes to it`,
        );
      if (foundInode(file) !== inode) throw new LogTaken(`${file} was removed or replaced`);
    },
  };
};

/** Time that SQLite waits for a lock of another process, in which nothing else runs, and the pause between tries. */
const busyMs = 20;
const busyPauseMs = 80;
/** Time that an append waits for the lock, in ms. */
const busyMaxMs = 5000;

/** Whether another process has the lock of a database. */
const isBusy = ({ cause }: Error): boolean =>
  cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');

/** Identity of a file. @throws StoreUnavailable when its folder cannot be used */
const foundInode = (file: string): string => {
  try {
    return inodeOf(file);
  } catch (error) {
    throw new StoreUnavailable(`${file} cannot be looked at`, { cause: error });
  }
};

/**
 * Group commit (DeWitt et al. 1984): appends of one turn of the event loop share a transaction and its sync to disk.
 * @param taken  given by the only writer of a log: called when others have written it or replaced its file
 */
const groupCommit = (db: Database, file: string, taken?: (error: LogTaken) => void) => {
  const owned = ownership(db, file, taken !== undefined);

  /**
   * Runs appends, each in a savepoint, so that a failed one is undone alone. Returns functions that end their waits.
   */
  const runAll = db.transaction((group: readonly Waiting[]) => {
    owned.require();
    const completions = group.map(({ run, resolve, reject }) => {
      try {
        const revision = run();
        return () => resolve(revision);
      } catch (error) {
        // An error that ends the transaction, such as a full disk, undoes the earlier appends as well.
        if (!db.inTransaction) throw error;
        return () => reject(error);
      }
    });
    return { completions, through: owned.lastPosition() };
  });
  const waiting: Waiting[] = [];
  /** Refuses the waiting appends whose time has passed. The others are tried again after a pause. */
  const waitForLock = (error: unknown, nowMs: number): void => {
    const late = waiting.filter(({ untilMs }) => untilMs <= nowMs);
    // Appends wait in the order in which they came.
    waiting.splice(0, late.length);
    for (const { reject } of late) reject(error);
    if (waiting.length > 0) setTimeout(commit, busyPauseMs);
  };
  const commit = (nowMs = performance.now()): void => {
    const group = waiting.splice(0, groupMax);
    try {
      const { completions, through } = guarded(() => runAll.immediate(group));
      owned.note(through);
      for (const complete of completions) complete();
    } catch (error) {
      if (isBusy(error as Error)) {
        waiting.unshift(...group);
        return waitForLock(error, nowMs);
      }
      if (error instanceof LogTaken) taken?.(error);
      for (const { reject } of group) reject(error);
    }
    if (waiting.length > 0) setImmediate(commit);
  };

  return {
    /** Runs an append in the next transaction; resolves with its result once it is synced to disk. */
    add: (run: () => number): Promise<number> =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(commit);
        waiting.push({ run, resolve, reject, untilMs: performance.now() + busyMaxMs });
      }),
    /** Commits all waiting appends; they do not wait for a lock any more. */
    flush: (): void => {
      while (waiting.length > 0) commit(Infinity);
    },
  };
};

/** Maximum events of one page. */
const pageSize = 200;
/** Positions that one statement looks through for events of types: some milliseconds, also when it finds none. */
const lookedThrough = 5000n;

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

/** A value in a text of a row. @throws Error when it cannot be parsed */
const parsedText = (text: unknown): unknown => {
  if (typeof text !== 'string') throw new Error('got bytes, expected text');
  return JSON.parse(text);
};

/** The metadata of a row: only the fields that the hash covers. @throws Error for others */
const metadataOf = (text: unknown): Metadata => {
  const { by, cause, correlation } = (parsedText(text) ?? {}) as Metadata;
  for (const field of [by, cause, correlation])
    if (typeof field !== 'string') throw new Error('got metadata without by, cause or correlation');
  return { by, cause, correlation };
};

/** @throws Error when the data or the metadata cannot be parsed */
const soundEvent = (row: EventRow): Recorded => {
  const [position, id, stream, revision, type, v, at, data, metadata, hash] = row;
  const event: Recorded & { hash?: string } = {
    position,
    id,
    stream,
    revision: Number(revision),
    type,
    v: Number(v),
    at,
    data: parsedText(data),
    metadata: metadataOf(metadata),
  };
  if (hash !== null) event.hash = hash;
  return event;
};

/** The event of a row; without data and metadata when these are damaged. `file`: name of the log in the message. */
const recorded = (row: EventRow, file: string): Recorded => {
  try {
    return soundEvent(row);
  } catch (error) {
    const [position, id, stream, revision, type, v, at] = row;
    const texts = { id: String(id), stream: String(stream), type: String(type), at: String(at) };
    const metadata = { by: '', cause: '', correlation: '' };
    const damage = `position ${position} of ${file}: ${(error as Error).message}`;
    return { ...texts, position, revision: Number(revision), v: Number(v), data: null, metadata, damage };
  }
};

const eventPage = <Given extends unknown[]>(db: Database, clause: string) =>
  db.prepare<Given, EventRow>(`select ${columns} from events ${clause} limit ${pageSize}`).raw();

/** Pages of events: of a stream from a revision; of the log after a position; the same of types, as a JSON list. */
const pageStatements = (db: Database) => ({
  byStream: eventPage<[string, number]>(db, 'where stream = ? and revision >= ? order by revision'),
  all: eventPage<[bigint]>(db, 'where position > ? order by position'),
  // The unary plus makes SQLite scan positions: an index on types would need a sort per page.
  byTypes: eventPage<[bigint, bigint, string]>(
    db,
    'where position > ? and position <= ? and +type in (select value from json_each(?)) order by position',
  ),
});

/**
 * A transaction that appends events to a stream; it returns the revision of the last one. A repeat of stored events
 * stores nothing.
 * @throws Conflict
 */
const appendTransaction = (db: Database) => {
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

/** Adds the column of hashes to logs of the first version; their events keep none. */
const addHashes = (db: Database): void => {
  const known = db.prepare(`select 1 from pragma_table_info('events') where name = 'hash'`).get();
  if (!known) db.exec(addHashColumn);
};

const hasEvents = (db: Database): boolean =>
  db.prepare(`select 1 from sqlite_schema where name = 'events' or tbl_name = 'events'`).get() !== undefined;

/**
 * Opens a log file, or creates it.
 * @throws StoreUnavailable when the file cannot be opened, UnusableLog as `requireOurs`
 */
const openLog = (file: string): Database =>
  opening(file, () => {
    const opened = new Database(file);
    try {
      opened.pragma('journal_mode = WAL');
      opened.pragma('synchronous = FULL');
      // Checked before anything is created.
      if (hasEvents(opened)) requireOurs(opened, file);
      opened.exec(logSchema);
      opened.transaction(addHashes).immediate(opened);
      opened.defaultSafeIntegers();
      opened.pragma(`busy_timeout = ${busyMs}`);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });

/** Damage of a log as a whole, as SQLite reports it. */
const damageOf = (file: string) => {
  let found: LogDamaged | undefined;
  return {
    found: () => found,
    /** Runs an action on a place of the log. @throws LogDamaged, and as `guarded` */
    guarding: <Result>(place: string, use: () => Result): Result => {
      try {
        return guarded(use);
      } catch (error) {
        const { cause } = error as Error;
        if (!isBroken(cause)) throw error;
        const { code } = cause as { readonly code?: string };
        found = new LogDamaged(`${basename(file)} is damaged ${place} (${code}): ${damageAdvice}`, { cause });
        throw found;
      }
    },
    /** @throws LogDamaged once damage was met: an append could spread it */
    requireNone: (): void => {
      if (found) throw found;
    },
  };
};

/**
 * The embedded store: one SQLite file in WAL mode. With `synchronous=FULL` an acknowledged event survives a power
 * failure.
 * A damaged event has no data; damage of other parts of the file is LogDamaged, and ends the appends.
 * @param taken  see `groupCommit`
 * @throws as `openLog`
 */
export const sqliteStore = (file: string, taken?: (error: LogTaken) => void): OpenEventStore => {
  const db = openLog(file);
  const append = appendTransaction(db);
  // Pages, because better-sqlite3 refuses writes while a statement is iterated.
  const pages = pageStatements(db);
  const group = groupCommit(db, file, taken);
  const damage = damageOf(file);
  const lastPosition = endOf(db);
  const name = basename(file);

  return {
    append: async (stream, expected, events) => {
      const texts = written(stream, events);
      damage.requireNone();
      const place = `at the end of ${subjectName(stream)}`;
      return group.add(() => damage.guarding(place, () => append(stream, expected, texts)));
    },

    async *read(stream, from = 0) {
      for (let next = from; ;) {
        const place = `in ${subjectName(stream)}, from revision ${next} on`;
        const rows = damage.guarding(place, () => pages.byStream.all(stream, next));
        for (const row of rows) yield recorded(row, name);
        if (rows.length < pageSize) return;
        next += rows.length;
      }
    },

    async *all(after, types) {
      const typeList = types && JSON.stringify(types);
      for (let position = after; ;) {
        const place = `after position ${position}`;
        // Asked before the rows: events that are appended while they are taken come after both.
        const last = typeList === undefined ? 0n : damage.guarding(place, lastPosition);
        const end = last < position + lookedThrough ? last : position + lookedThrough;
        const rows = damage.guarding(place, () =>
          typeList === undefined ? pages.all.all(position) : pages.byTypes.all(position, end, typeList),
        );
        for (const row of rows) yield recorded(row, name);
        const lastRow = rows.at(-1);
        if (lastRow && rows.length === pageSize) position = lastRow[0];
        else if (typeList === undefined || end >= last) return;
        else {
          position = end;
          await nextTurn();
        }
      }
    },

    end: () => damage.guarding('at its end', lastPosition),
    damage: damage.found,

    close: async () => {
      group.flush();
      db.close();
    },
  };
};
