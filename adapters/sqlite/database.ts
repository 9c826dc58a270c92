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

/** A database that can be replaced by an empty one while it is used. */
export type Replaceable<Made> = {
  /** What `setUp` made of the current database. */
  readonly current: () => Made;
  /** Deletes the database and opens an empty one; `why` is passed to `madeAnew`. */
  readonly replace: (why: unknown) => void;
  readonly close: () => void;
};

/**
 * Opens such a database; a broken file is replaced here already.
 * @param setUp      see openDisposable
 * @param madeAnew   called with the reason when the database is replaced
 */
export const replaceable = <Made>(
  file: string,
  synchronous: 'NORMAL' | 'FULL',
  setUp: (db: Database) => Made,
  madeAnew: (why: unknown) => void,
): Replaceable<Made> => {
  const open = () => openDisposable(file, synchronous, setUp, madeAnew);
  let { db, made } = open();
  return {
    current: () => made,
    replace: why => {
      madeAnew(why);
      db.close();
      discard(file, false);
      ({ db, made } = open());
    },
    close: () => db.close(),
  };
};

/** A database that is replaced by an empty one when it turns out to be broken while it is used. */
export type Disposable<Made> = {
  /** @throws StorageFull, StoreUnavailable as `guarded` does */
  readonly use: <Result>(use: (made: Made) => Result) => Result;
  readonly close: () => void;
};

/** Opens such a database; parameters as for `replaceable`. */
export const disposable = <Made>(
  file: string,
  setUp: (db: Database) => Made,
  madeAnew: (why: unknown) => void,
): Disposable<Made> => {
  const { current, replace, close } = replaceable(file, 'FULL', setUp, madeAnew);
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
