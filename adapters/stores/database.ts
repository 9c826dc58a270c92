import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StorageFull, StoreUnavailable } from '../eventStore.js';

const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOTADB|CORRUPT)/;
const broken = /^SQLITE_(NOTADB|CORRUPT)/;

/**
 * Uses a database.
 * @throws StorageFull, or StoreUnavailable for the driver's other "cannot now": busy, broken; anything else as it is
 */
export const guarded = <Result>(use: () => Result): Result => {
  try {
    return use();
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_FULL')
      throw new StorageFull('there is no room on the disk', { cause: error });
    if (error instanceof Database.SqliteError && unavailable.test(error.code))
      throw new StoreUnavailable(`a database cannot be used: ${error.code}`, { cause: error });
    throw error;
  }
};

/** A database file and what SQLite keeps beside it. */
export const filesOf = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`];

/**
 * Opens a database that can be made anew, and makes it anew when its file is broken.
 * @param setUp  makes or checks its tables
 */
export const openDisposable = <Result>(
  file: string,
  synchronous: 'NORMAL' | 'FULL',
  setUp: (db: Database.Database) => Result,
): { readonly db: Database.Database; readonly made: Result } => {
  const open = () => {
    const db = new Database(file);
    try {
      db.pragma('journal_mode = WAL');
      db.pragma(`synchronous = ${synchronous}`);
      return { db, made: setUp(db) };
    } catch (error) {
      db.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !broken.test(error.code)) throw error;
    for (const old of filesOf(file)) rmSync(old, { force: true });
    return open();
  }
};
