import { join } from 'node:path';
import Database from 'better-sqlite3';
import { guarded } from './stores/database.js';

/** Another process works in the data folder. */
export class DataDirInUse extends Error {
  readonly name = 'DataDirInUse';
}

/**
 * Keeps the data folder for this process alone, by an exclusive transaction on a database of its own: the
 * operating system ends it with the process, however that dies, so no stale lock can be left behind.
 * @returns what gives the folder free again
 * @throws DataDirInUse, StoreUnavailable when the folder cannot be written
 */
export const lockDataDir = (dataDir: string): (() => void) => {
  const db = guarded(() => new Database(join(dataDir, 'lock.sqlite'), { timeout: 0 }));
  try {
    db.exec('begin exclusive');
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new DataDirInUse(`DATA_DIR: ${dataDir} is used by a running Daybook`);
    return guarded(() => {
      throw error;
    });
  }
  return () => db.close();
};
