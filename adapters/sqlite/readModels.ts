import { statSync } from 'node:fs';
import { QueueFull } from '../../application/ports/analyst.js';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import {
  holdsReadModels,
  readModelMemos,
  readModels,
  type ReadModels,
  type Snapshot,
} from '../../projections/readModels.js';
import { DamagedDatabase, guarded, isBroken, replaceable } from './database.js';
import { Database } from './driver.js';

type Action<Args extends unknown[], Result> = (...args: Args) => Result;

/** An action whose errors of SQLite become errors of the event store. */
const guard =
  <Args extends unknown[], Result>(action: Action<Args, Result>): Action<Args, Result> =>
  (...args) =>
    guarded(() => action(...args));

/**
 * Read models whose writes, and whose tree, throw StorageFull or StoreUnavailable instead of errors of SQLite, so
 * that the application needs no driver. See `guarded`.
 */
export const guardWrites = (models: ReadModels): ReadModels => ({
  ...models,
  apply: guard(models.apply),
  project: guard(models.project),
  park: guard(models.park),
  resume: guard(models.resume),
  saveCheckpoint: guard(models.saveCheckpoint),
  begin: guard(models.begin),
  commit: guard(models.commit),
  useCatchUpCache: guard(models.useCatchUpCache),
  dropIndexes: guard(models.dropIndexes),
  createIndex: guard(models.createIndex),
  tree: {
    size: guard(models.tree.size),
    node: guard(models.tree.node),
    leaf: guard(models.tree.leaf),
    byEvent: guard(models.tree.byEvent),
  },
});

/** The read models of a database, with guarded writes. */
export const guardedReadModels = (db: Database, build = ''): ReadModels => guardWrites(readModels(db, build));

/** Read models in a file that may be damaged while the service runs. */
export type DurableReadModels = {
  readonly models: ReadModels;
  /** Sets the function that is called when the read models were replaced by empty ones. */
  readonly onEmptied: (call: () => void) => void;
  /**
   * Opens the read models as the last commit left them. They stay as they are until they are closed.
   * @throws StoreUnavailable; QueueFull when open snapshots keep too much of the write-ahead log
   */
  readonly snapshot: () => Snapshot;
  /** Replaces read models by empty ones because of damage that SQLite did not report. @throws StoreUnavailable */
  readonly empty: (why: unknown) => void;
  readonly close: () => void;
};

/**
 * Bytes of the write-ahead log from which no snapshot is opened next to others. SQLite keeps all changes since the
 * oldest one; without any it begins the file again.
 */
const walBytesMax = 536_870_912;

/** Returns a function that opens snapshots of a database; of one in memory it copies the pages. */
export const snapshotsOf = (file: string, bytesMax = walBytesMax) => {
  let count = 0;
  return (db: Database, memos: ReturnType<typeof readModelMemos>): Snapshot => {
    const walBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (count > 0 && walBytes > bytesMax)
      throw new QueueFull(`${count} large answers keep ${walBytes} bytes of changes of the read models`);
    const isFile = file !== ':memory:';
    const copy = isFile ? new Database(file, { readonly: true }) : new Database(db.serialize());
    try {
      copy.exec('begin');
      // The first read decides the version of all later ones.
      if (!holdsReadModels(copy)) throw new DamagedDatabase('the version of the read models is damaged');
      const models = opened(() => readModels(copy, '', memos));
      count += 1;
      let isOpen = true;
      const close = (): void => {
        if (isOpen) count -= 1;
        isOpen = false;
        copy.close();
      };
      return { models, close };
    } catch (error) {
      copy.close();
      throw error;
    }
  };
};

/**
 * Opens read models on a database.
 * @throws DamagedDatabase when its schema lacks a table or a column, though it has the text of the right one
 */
const opened = (open: () => ReadModels): ReadModels => {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR')) throw error;
    throw new DamagedDatabase(`the schema of the read models is damaged: ${error.message}`, { cause: error });
  }
};

type Functions = Readonly<Record<string, unknown>>;

/** The same functions, each called through `through` on the current object. */
const delegating = (current: () => Functions, through: <Result>(call: () => Result) => Result): Functions =>
  Object.fromEntries(
    Object.entries(current()).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? (...given: readonly unknown[]) =>
            through(() => (current()[name] as (...given: readonly unknown[]) => unknown)(...given))
        : delegating(() => current()[name] as Functions, through),
    ]),
  );

/**
 * Opens the read models of a running service. Any call that finds their file damaged replaces them by empty ones, calls
 * the function given to `onEmptied`, and throws StoreUnavailable: the log has everything needed to fill them again.
 * @param build   version of the package
 * @param damaged called with the reason when a damaged file is replaced, also at the start
 */
export const durableReadModels = (
  file: string,
  build: string,
  damaged: (why: unknown) => void,
): DurableReadModels => {
  const setUp = (db: Database) => {
    const memos = readModelMemos();
    return { db, memos, models: opened(() => readModels(db, build, memos)) };
  };
  const { current: present, replace, close } = replaceable(file, 'NORMAL', setUp, damaged);
  const current = () => present().models;
  const openSnapshot = snapshotsOf(file);
  let emptied = (): void => {};
  const empty = (why: unknown): void => {
    guarded(() => replace(why));
    emptied();
  };
  /** Calls a function of read models that `used` was open with. */
  const through = <Result>(used: ReadModels, call: () => Result): Result => {
    try {
      return call();
    } catch (error) {
      if (!isBroken(error)) throw error;
      // An inner call, or one after a snapshot was opened, may have replaced them already.
      if (used === current()) empty(error);
      throw new StoreUnavailable('the read models were damaged; they are rebuilt from the log', {
        cause: error,
      });
    }
  };
  const guardedBy = (models: () => ReadModels, used: () => ReadModels): ReadModels =>
    delegating(models as unknown as () => Functions, call => through(used(), call)) as unknown as ReadModels;
  return {
    models: guardWrites(guardedBy(current, current)),
    snapshot: () =>
      guarded(() => {
        const { db, memos, models: used } = present();
        const { models, close: end } = through(used, () => openSnapshot(db, memos));
        return {
          models: guardedBy(
            () => models,
            () => used,
          ),
          close: end,
        };
      }),
    onEmptied: call => void (emptied = call),
    empty,
    close,
  };
};
