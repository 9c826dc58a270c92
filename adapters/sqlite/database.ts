import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { Database } from './driver.js';
import { RowDamaged } from '../../projections/readModel.js';
import { StorageFull, StoreUnavailable } from '../../application/ports/eventStore.js';

/** Identity of a file, independent of its name; empty when there is none. */
export const inodeOf = (file: string): string => {
  const there = statSync(file, { throwIfNoEntry: false });
  return there ? `${there.dev}/${there.ino}` : '';
};

const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOTADB|CORRUPT)/;
const broken = /^SQLITE_(NOTADB|CORRUPT)/;

/**
 * Runs an action on a database.
 * @throws StorageFull, StoreUnavailable when the database is busy, unreadable or damaged; other errors unchanged
 */
export const guarded = <Result>(use: () => Result): Result => {
  try {
    return use();
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_FULL')
      throw new StorageFull('the disk is full', { cause: error });
    if (error instanceof Database.SqliteError && unavailable.test(error.code))
      throw new StoreUnavailable(`a database cannot be used: ${error.code}`, { cause: error });
    throw error;
  }
};

/**
 * Opens a database file.
 * @throws as `guarded`, with the file and the message of SQLite
 */
export const opening = <Result>(file: string, open: () => Result): Result => {
  try {
    return open();
  } catch (error) {
    // The driver looks for the folder itself.
    if (error instanceof TypeError && error.message.includes('directory does not exist'))
      throw new StoreUnavailable(`${file} cannot be used: its folder is missing`, { cause: error });
    if (!(error instanceof Database.SqliteError && unavailable.test(error.code))) throw error;
    // The index of a write-ahead log cannot grow on a full disk.
    const isFull = /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(error.code);
    const Fault = isFull ? StorageFull : StoreUnavailable;
    const why = isFull ? 'the disk is full' : `${error.message} (${error.code})`;
    throw new Fault(`${file} cannot be used: ${why}`, { cause: error });
  }
};

/** An undamaged database with content that was not expected in its file. */
export class OtherDatabase extends Error {
  readonly name = 'OtherDatabase';
}

/** A database of an earlier version, whose content is dropped. */
export class OutdatedDatabase extends Error {
  readonly name = 'OutdatedDatabase';
}

/** A database whose content shows damage that SQLite does not notice. */
export class DamagedDatabase extends Error {
  readonly name = 'DamagedDatabase';
}

/** Whether a database cannot be used any more: its file is damaged, or has other or outdated content. */
export const isBroken = (error: unknown): boolean =>
  error instanceof OtherDatabase ||
  error instanceof OutdatedDatabase ||
  error instanceof DamagedDatabase ||
  error instanceof RowDamaged ||
  (error instanceof Database.SqliteError && broken.test(error.code));

/** A statement as it is compared: SQLite stores its text, but not its indentation. */
const plain = (sql: string): string => sql.replaceAll(/\s+/g, ' ');

/** The statements that made the tables and indexes of a database, the first one first. */
const storedTables = (db: Database): readonly string[] =>
  db
    .prepare<[], string>('select sql from sqlite_master where sql is not null order by rowid')
    .pluck()
    .all()
    .map(plain);

/** Whether a database has exactly these tables and indexes. */
export const hasTables = (db: Database, tables: readonly string[]): boolean =>
  storedTables(db).join() === tables.map(plain).join();

/**
 * Creates the tables and indexes that are missing: an older file has the first ones. A file of a newer build has more,
 * which stay as they are.
 * @throws OtherDatabase with this detail for other tables
 */
export const requireTables = (db: Database, tables: readonly string[], detail: string): void => {
  const stored = storedTables(db);
  const found = Math.min(stored.length, tables.length);
  if (stored.slice(0, found).join() !== tables.slice(0, found).map(plain).join())
    throw new OtherDatabase(detail);
  for (const sql of tables.slice(found)) db.exec(sql);
};

/** A table of one row, the highest end of the log with which something was stored: a start compares it alone. */
export const logEndTable = `CREATE TABLE log_end (
    only integer primary key check (only = 1),
    position integer not null
  ) strict`;

/** Statements on `logEndTable`; `highest` reads nothing before the first end, and in a file of an earlier version. */
export const logEndOf = (db: Database) => ({
  raise: db.prepare<[bigint]>(
    `insert into log_end values (1, ?)
     on conflict (only) do update set position = excluded.position where position < excluded.position`,
  ),
  set: db.prepare<[bigint]>('insert or replace into log_end values (1, ?)'),
  highest: db.prepare<[], number>('select position from log_end').pluck(),
});

/** A database file and the files that SQLite keeps next to it. */
export const filesOf = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`];

/** A name that no file has: that of a database with `.other`, and a number when it is taken. */
const otherName = (file: string): string => {
  for (let n = 1; ; n += 1) {
    const name = `${file}.other${n === 1 ? '' : `-${n}`}`;
    if (!existsSync(name)) return name;
  }
};

/** Removes the file of a database that is recreated. An undamaged one is renamed, because it may be needed. */
const discard = (file: string, isSound: boolean): void => {
  try {
    for (const old of filesOf(file)) {
      if (isSound && old === file) renameSync(old, otherName(file));
      rmSync(old, { force: true });
    }
  } catch (error) {
    throw new StoreUnavailable(`${file} cannot be replaced`, { cause: error });
  }
};

/**
 * Opens a database that can be rebuilt, and recreates it when its file is damaged.
 * @param setUp  creates or checks its tables; throws OtherDatabase or OutdatedDatabase for other tables
 * @throws as `opening`
 */
export const openDisposable = <Result>(
  file: string,
  synchronous: 'NORMAL' | 'FULL',
  setUp: (db: Database) => Result,
  recreated: (why: unknown) => void = () => {},
): { readonly db: Database; readonly made: Result } => {
  const open = () => {
    const db = new Database(file);
    try {
      db.pragma('journal_mode = WAL');
      db.pragma('cell_size_check = on');
      db.pragma(`synchronous = ${synchronous}`);
      return { db, made: setUp(db) };
    } catch (error) {
      db.close();
      throw error;
    }
  };
  return opening(file, () => {
    try {
      return open();
    } catch (error) {
      if (!isBroken(error)) throw error;
      recreated(error);
      discard(file, error instanceof OtherDatabase);
      return open();
    }
  });
};

/** A database that can be replaced by an empty one while it is used. */
export type Replaceable<Made> = {
  /** Result of `setUp` for the current database. */
  readonly current: () => Made;
  /** Deletes the database and opens an empty one; `why` is passed to `recreated`. */
  readonly replace: (why: unknown) => void;
  readonly close: () => void;
};

/** Functions that learn of replacements. */
type Replacements = {
  /** Called with the reason when the database is replaced. */
  readonly recreated: (why: unknown) => void;
  /** Called when an empty one could be opened after a replacement that had failed, before it is used. */
  readonly reopened?: () => void;
};

/**
 * Opens such a database; a damaged file is replaced at once.
 * @param setUp  see openDisposable
 */
export const replaceable = <Made>(
  file: string,
  synchronous: 'NORMAL' | 'FULL',
  setUp: (db: Database) => Made,
  { recreated, reopened }: Replacements,
): Replaceable<Made> => {
  const open = () => openDisposable(file, synchronous, setUp, recreated);
  let opened: ReturnType<typeof open> | undefined = open();
  const openEmpty = () => {
    discard(file, false);
    return (opened = open());
  };
  return {
    current: () => {
      if (opened) return opened.made;
      const { made } = openEmpty();
      reopened?.();
      return made;
    },
    replace: why => {
      recreated(why);
      opened?.db.close();
      opened = undefined;
      openEmpty();
    },
    close: () => opened?.db.close(),
  };
};

/** A database that is replaced by an empty one when it turns out to be damaged. */
export type Disposable<Made> = {
  /** @throws StorageFull, StoreUnavailable */
  readonly use: <Result>(use: (made: Made) => Result) => Result;
  readonly close: () => void;
};

/** Opens such a database; for the parameters see `replaceable`. */
export const disposable = <Made>(
  file: string,
  setUp: (db: Database) => Made,
  recreated: (why: unknown) => void,
): Disposable<Made> => {
  const { current, replace, close } = replaceable(file, 'FULL', setUp, { recreated });
  return {
    use: use =>
      guarded(() => {
        try {
          return use(current());
        } catch (error) {
          if (!isBroken(error)) throw error;
          replace(error);
          return use(current());
        }
      }),
    close,
  };
};
