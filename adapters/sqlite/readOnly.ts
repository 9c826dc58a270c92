import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { Database } from './driver.js';
import { guarded } from './database.js';
import { schemaFaults } from './logSchema.js';
import { storedLine, type StoredLine, type StoredRow } from './storedLine.js';

/** A file that is no log of Daybook. */
export class NoLog extends Error {
  readonly name = 'NoLog';
}

/** Size up to which an unused database is copied into memory. */
const copyBytesMax = 100_000_000;
/** Events of one query. */
const pageSize = 200;

/** The bytes of an unused database; `undefined` when it is in use, was written meanwhile or is too large. */
const unusedBytes = (file: string, bytesMax: number): Buffer | undefined => {
  const before = statSync(file);
  const isUnused = (): boolean => !existsSync(`${file}-wal`);
  if (!isUnused() || before.size > bytesMax) return undefined;
  const bytes = readFileSync(file);
  const after = statSync(file);
  if (!isUnused() || after.mtimeMs !== before.mtimeMs || after.size !== before.size) return undefined;
  // Bytes 18 and 19 of the header announce a write-ahead log, which a database in memory does not have.
  if (bytes.length > 19) bytes.fill(1, 18, 20);
  return bytes;
};

/**
 * Opens a database for reading only; others may be writing to it. SQLite creates two files next to a file that it
 * opens and leaves them behind, so an unused file is copied into memory. This also works in a read-only folder.
 * @param bytesMax size up to which a file is copied
 */
export const openReadOnly = (path: string, bytesMax = copyBytesMax): Database => {
  // SQLite keeps its files next to the target of a link.
  const file = realpathSync(path);
  const bytes = unusedBytes(file, bytesMax);
  return bytes ? new Database(bytes) : new Database(file, { readonly: true, fileMustExist: true });
};

/** What a log's file is beside its events: what is in force without being an event. */
export type LogFile = {
  /** The file that was read, whatever links led to it. */
  readonly path: string;
  /** Whether a link led to it. */
  readonly isLinked: boolean;
  /** What is not as Daybook makes it, in words. */
  readonly faults: readonly string[];
};

/** Faults of a page or an index that are told at most. */
const damageMax = 20;

/** A journal beside a log changes it when it is opened, before anybody looks. */
const journalFaults = (path: string): string[] => {
  const size = statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0
    ? [
        `${path}-journal lies beside it: SQLite changes the log by it at the next start, which was not verified`,
      ]
    : [];
};

const damage = (db: Database): string[] =>
  db
    .prepare<[], string>(`pragma integrity_check(${damageMax})`)
    .pluck()
    .all()
    .filter(text => text !== 'ok')
    .map(text => `SQLite finds it damaged: ${text}`);

/** The last position that was ever given, as SQLite has kept it; read before the events, which may become more. */
const lastGiven = (db: Database): bigint => {
  if (!db.prepare(`select 1 from sqlite_schema where name = 'sqlite_sequence'`).get()) return 0n;
  const last = db.prepare<[], bigint | null>(`select max(seq) from sqlite_sequence where name = 'events'`);
  return last.safeIntegers().pluck().get() ?? 0n;
};

/** Runs a reading, and says of a file that is no log of ours that it is none. */
async function* reading<Item>(file: string, read: (db: Database) => Iterable<Item>): AsyncGenerator<Item> {
  const db = guarded(() => openReadOnly(file));
  try {
    yield* read(db);
  } catch (error) {
    if (error instanceof Database.SqliteError && ['SQLITE_ERROR', 'SQLITE_NOTADB'].includes(error.code))
      throw new NoLog(`${file} is no log of Daybook`);
    guarded(() => {
      throw error;
    });
  } finally {
    db.close();
  }
}

/**
 * The events of a file of the embedded store in the order of the log, as lines of an export, as far as it has come,
 * also while a service works on it: from the very first row, whatever its position. Nothing is written, not even a
 * missing column.
 * @param found  is told what the file is, before the first line
 * @throws NoLog, StoreUnavailable
 */
export const linesOfFile = (
  file: string,
  found: (file: LogFile) => void = () => {},
): AsyncGenerator<StoredLine> =>
  reading(file, function* (db) {
    const columns = db.prepare<[], string>(`select name from pragma_table_info('events')`).pluck().all();
    if (columns.length === 0) throw new NoLog(`${file} is no log of Daybook`);
    const path = realpathSync(file);
    const isLinked = lstatSync(file).isSymbolicLink();
    const { strange, missing, isCanonical } = schemaFaults(db);
    const given = lastGiven(db);
    found({ path, isLinked, faults: [...journalFaults(path), ...strange, ...missing, ...damage(db)] });
    const hash = columns.includes('hash') ? 'hash' : 'null as hash';
    const all = `select position, id, stream, revision, type, v, at, data, metadata, ${hash} from events`;
    const order = `order by position limit ${pageSize}`;
    const first = db.prepare<[], StoredRow>(`${all} ${order}`).safeIntegers();
    const next = db.prepare<[bigint], StoredRow>(`${all} where position > ? ${order}`).safeIntegers();
    const bytesOf = db
      .prepare<[bigint], Buffer>('select cast(data || metadata as blob) from events where position = ?')
      .pluck();
    let last = 0n;
    for (let rows = first.all(); rows.length > 0; rows = next.all(last))
      for (const row of rows) {
        yield storedLine(row, { after: last, isCanonical, bytes: () => bytesOf.get(row.position) });
        last = row.position;
      }
    if (last < given)
      found({ path, isLinked, faults: [`it had events up to position ${given}, its last is ${last}`] });
  });
