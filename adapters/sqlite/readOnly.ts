import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import { Database } from './driver.js';
import { guarded } from './database.js';
import { schemaFaults } from './logSchema.js';
import {
  NotCanonical,
  canonicalJson,
  metadataText,
  lineOfNone,
  lineOfText,
  type Exported,
} from '../../auditing/eventBytes.js';

/** A row of the table of events. */
type StoredRow = {
  readonly position: bigint;
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly v: bigint;
  readonly at: string;
  readonly data: string;
  readonly metadata: string;
  readonly hash: string | null;
};

/** Export line of a row, and the faults of the row that the line does not show. */
type StoredLine = { readonly line: string; readonly faults: readonly string[] };

/** Facts that a row is compared with. */
type LineContext = {
  /** Position of the row before it, 0 for the first. */
  readonly after: bigint;
  /** Whether the file contains canonical JSON only; older ones contain the output of JSON.stringify. */
  readonly isCanonical: boolean;
  /** Bytes of data and metadata together. */
  readonly bytes: () => Buffer | undefined;
};

/** Whether a stored text is a form of its value that Daybook writes. */
const isForm = (text: string, value: unknown, canonical: string, isCanonical: boolean): boolean =>
  text === canonical || (!isCanonical && text === JSON.stringify(value));

/** Replacement character: SQLite accepts bytes that are not UTF-8 and returns them as this character. */
const isExact = ({ data, metadata }: StoredRow, bytes: () => Buffer | undefined): boolean =>
  !`${data}${metadata}`.includes('\ufffd') || bytes()?.equals(Buffer.from(data + metadata)) === true;

const metadataNames = 'by,cause,correlation';

const metadataFaults = (text: string, value: unknown, isCanonical: boolean): string[] => {
  const names = typeof value === 'object' && value !== null ? Object.keys(value).sort().join() : 'none';
  if (names !== metadataNames) return [`its metadata has the fields ${names}, expected ${metadataNames}`];
  const canonical = metadataText({ metadata: value as Exported['metadata'] });
  return isForm(text, value, canonical, isCanonical)
    ? []
    : ['its metadata are not stored as Daybook writes them'];
};

const positionFaults = (position: bigint, after: bigint): string[] => {
  if (position < 1n)
    return [`its position is ${position}, expected at least 1: commands apply it, but older readers skip it`];
  const next = after < 0n ? 1n : after + 1n;
  return position === next
    ? []
    : [`its position is ${position}, expected ${next}: the events between are missing`];
};

/** Export line of a row, and the faults that its hash does not show. */
const storedLine = (row: StoredRow, { after, isCanonical, bytes }: LineContext): StoredLine => {
  const { position, hash, revision, v, ...texts } = row;
  const faults = positionFaults(position, after);
  const bare = { ...texts, revision: Number(revision), v: Number(v), ...(hash !== null && { hash }) };
  try {
    const data: unknown = JSON.parse(row.data);
    const metadata = JSON.parse(row.metadata) as Exported['metadata'];
    const canonical = canonicalJson(data);
    if (!isForm(row.data, data, canonical, isCanonical))
      faults.push('its data are not stored as Daybook writes them');
    faults.push(...metadataFaults(row.metadata, metadata, isCanonical));
    if (!isExact(row, bytes)) faults.push('its text is not UTF-8');
    return { line: lineOfText({ ...bare, metadata }, canonical), faults };
  } catch (error) {
    // Not JSON, not canonical, null metadata, or nested deeper than any event of Daybook.
    if (![SyntaxError, NotCanonical, TypeError, RangeError].some(kind => error instanceof kind)) throw error;
    return { line: lineOfNone(bare, (error as Error).message), faults };
  }
};

/** The file is not a log of Daybook. */
export class NoLog extends Error {
  readonly name = 'NoLog';
}

/** Maximum size of an unused database that is copied into memory. */
const copyBytesMax = 100_000_000;
/** Events of one query. */
const pageSize = 200;

/** Bytes of an unused database; `undefined` when it is in use, was changed meanwhile or is too large. */
const unusedBytes = (file: string, bytesMax: number): Buffer | undefined => {
  const before = statSync(file);
  const isUnused = (): boolean => !existsSync(`${file}-wal`);
  if (!isUnused() || before.size > bytesMax) return undefined;
  const bytes = readFileSync(file);
  const after = statSync(file);
  if (!isUnused() || after.mtimeMs !== before.mtimeMs || after.size !== before.size) return undefined;
  // Bytes 18 and 19 of the header announce a write-ahead log, which an in-memory database does not have.
  if (bytes.length > 19) bytes.fill(1, 18, 20);
  return bytes;
};

/**
 * Opens a database read-only; other processes may write to it. SQLite leaves two files next to a file that it opens,
 * so an unused file is copied into memory instead. This also works in a read-only folder.
 * @param bytesMax maximum size of a file that is copied
 */
export const openReadOnly = (path: string, bytesMax = copyBytesMax): Database => {
  // SQLite keeps its files next to the target of a link.
  const file = realpathSync(path);
  const bytes = unusedBytes(file, bytesMax);
  return bytes ? new Database(bytes) : new Database(file, { readonly: true, fileMustExist: true });
};

/** Findings about a log file that are not about events. */
export type LogFile = {
  /** Path of the file, with links resolved. */
  readonly path: string;
  /** Whether the given path is a link. */
  readonly isLinked: boolean;
  /** Deviations from a file of Daybook, as messages. */
  readonly faults: readonly string[];
};

/** Maximum damaged pages and indexes that are listed. */
const damageMax = 20;

/** Fault for a rollback journal next to the log: SQLite applies it when the log is opened. */
const journalFaults = (path: string): string[] => {
  const size = statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0
    ? [`${path}-journal exists: SQLite will apply it to the log at the next start, and it was not verified`]
    : [];
};

const damage = (db: Database): string[] =>
  db
    .prepare<[], string>(`pragma integrity_check(${damageMax})`)
    .pluck()
    .all()
    .filter(text => text !== 'ok')
    .map(text => `SQLite finds it damaged: ${text}`);

/** Last position that SQLite has assigned. Read it before the events, because more may be appended. */
const lastGiven = (db: Database): bigint => {
  if (!db.prepare(`select 1 from sqlite_schema where name = 'sqlite_sequence'`).get()) return 0n;
  const last = db.prepare<[], bigint | null>(`select max(seq) from sqlite_sequence where name = 'events'`);
  return last.safeIntegers().pluck().get() ?? 0n;
};

const expectedLog = 'expected the database of a log';

/** A fault of reading a log file, in words. */
const faultOf = (file: string, error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError)) return error;
  switch (error.code) {
    case 'SQLITE_NOTADB':
      return new NoLog(`${file}: got a file that is no SQLite database, ${expectedLog}`);
    case 'SQLITE_ERROR':
      return new NoLog(`${file}: got another SQLite database, ${expectedLog}`);
    case 'SQLITE_CORRUPT':
      return new StoreUnavailable(
        `${file}: got a damaged or cut database (${error.code}), ${expectedLog}; restore it from a backup`,
        { cause: error },
      );
    default:
      return error;
  }
};

/** Runs a read. @throws NoLog when the file is not a log of Daybook, StoreUnavailable when it is damaged */
async function* reading<Item>(file: string, read: (db: Database) => Iterable<Item>): AsyncGenerator<Item> {
  const db = guarded(() => openReadOnly(file));
  try {
    yield* read(db);
  } catch (error) {
    guarded(() => {
      throw faultOf(file, error);
    });
  } finally {
    db.close();
  }
}

/**
 * Events of a log file as export lines, in log order from the first row, up to its present end; a service may be
 * using the file. Nothing is written, not even the column of hashes.
 * @param found  called with findings about the file, first before the first line
 * @throws NoLog, StoreUnavailable
 */
export const linesOfFile = (
  file: string,
  found: (file: LogFile) => void = () => {},
): AsyncGenerator<StoredLine> =>
  reading(file, function* (db) {
    const columns = db.prepare<[], string>(`select name from pragma_table_info('events')`).pluck().all();
    if (columns.length === 0) {
      const got = statSync(file).size === 0 ? 'an empty file' : 'another SQLite database';
      throw new NoLog(`${file}: got ${got}, ${expectedLog}`);
    }
    const path = realpathSync(file);
    const isLinked = lstatSync(file).isSymbolicLink();
    const { unexpected, missing, isCanonical } = schemaFaults(db);
    const given = lastGiven(db);
    found({ path, isLinked, faults: [...journalFaults(path), ...unexpected, ...missing, ...damage(db)] });
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
