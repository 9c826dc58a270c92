import { renameSync, rmSync } from 'node:fs';
import { Database } from './driver.js';
import { StorageFull, StoreUnavailable } from '../../application/eventStore.js';

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

/** A database that is sound, and of something else than was expected in its file. */
export class OtherDatabase extends Error {
  readonly name = 'OtherDatabase';
}

/** Whether a database can be used no more: its file is damaged, or of something else. */
export const isBroken = (error: unknown): boolean =>
  error instanceof OtherDatabase || (error instanceof Database.SqliteError && broken.test(error.code));

/** A database file and what SQLite keeps beside it. */
export const filesOf = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`];

/** Takes away the file of a database that is made anew; one that is sound is kept beside it, it may be somebody's. */
const discard = (file: string, isSound: boolean): void => {
  for (const old of filesOf(file)) {
    if (isSound && old === file) renameSync(old, `${file}.other`);
    rmSync(old, { force: true });
  }
};

/**
 * Opens a database that can be made anew, and makes it anew when its file is broken.
 * @param setUp  makes or checks its tables; throws OtherDatabase where they are not its own
 */
export const openDisposable = <Result>(
  file: string,
  synchronous: 'NORMAL' | 'FULL',
  setUp: (db: Database) => Result,
  madeAnew: (why: unknown) => void = () => {},
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
  try {
    return open();
  } catch (error) {
    if (!isBroken(error)) throw error;
    madeAnew(error);
    discard(file, error instanceof OtherDatabase);
    return open();
  }
};

/** A database that can be made anew, and is when it turns out to be broken while it is used. */
export type Disposable<Made> = {
  /** @throws StorageFull, StoreUnavailable as `guarded` does */
  readonly use: <Result>(use: (made: Made) => Result) => Result;
  readonly close: () => void;
};

/**
 * Opens such a database.
 * @param setUp      see openDisposable
 * @param madeAnew   told why it was made anew
 */
export const disposable = <Made>(
  file: string,
  setUp: (db: Database) => Made,
  madeAnew: (why: unknown) => void,
): Disposable<Made> => {
  const open = () => openDisposable(file, 'FULL', setUp, madeAnew);
  let { db, made } = open();
  return {
    use: use =>
      guarded(() => {
        try {
          return use(made);
        } catch (error) {
          if (!isBroken(error)) throw error;
          madeAnew(error);
          db.close();
          discard(file, false);
          ({ db, made } = open());
          return use(made);
        }
      }),
    close: () => db.close(),
  };
};
