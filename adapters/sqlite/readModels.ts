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
import { isDamage, parkedIn, type Parked } from '../../projections/parked.js';
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

/** Connections that are kept without a snapshot: a new one prepares some hundred statements, which takes 5 ms. */
const idleMax = 2;

/** A connection for snapshots, and the read models on it. */
type Copy = { readonly copy: Database; readonly models: ReadModels };

/** Connections to the file of a database that have no snapshot now. */
const idleCopies = () => {
  const copies: Copy[] = [];
  let owner: Database | undefined;
  const close = (): void => {
    for (const { copy } of copies.splice(0)) copy.close();
  };
  return {
    close,
    /** Takes one; those of a database whose file was replaced are closed. */
    take: (db: Database): Copy | undefined => {
      if (owner !== db) close();
      owner = db;
      return copies.pop();
    },
    /** Keeps one, or closes it. */
    put: (db: Database, one: Copy): void => {
      try {
        one.copy.exec('rollback');
        if (owner === db && copies.length < idleMax) copies.push(one);
        else one.copy.close();
      } catch {
        one.copy.close();
      }
    },
  };
};

/** Opens snapshots of a database; of one in memory it copies the pages. `close` ends connections without a snapshot. */
export const snapshotsOf = (file: string, bytesMax = walBytesMax) => {
  const isFile = file !== ':memory:';
  const idle = idleCopies();
  let count = 0;
  /** Begins to read the last commit. */
  const begin = (db: Database, memos: ReturnType<typeof readModelMemos>): Copy => {
    const known = isFile ? idle.take(db) : undefined;
    const copy =
      known?.copy ??
      (isFile ? new Database(file, { readonly: true }) : new Database(db.serialize(), { readonly: true }));
    try {
      copy.exec('begin');
      // The first read decides the version of all later ones.
      if (!holdsReadModels(copy)) throw new DamagedDatabase('the version of the read models is damaged');
      return known ?? { copy, models: opened(() => readModels(copy, '', memos)) };
    } catch (error) {
      copy.close();
      throw error;
    }
  };
  const open = (db: Database, memos: ReturnType<typeof readModelMemos>): Snapshot => {
    const walBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (count > 0 && walBytes > bytesMax)
      throw new QueueFull('large answers in progress keep too many changes of the read models; retry later', {
        cause: new Error(`${count} snapshots keep ${walBytes} bytes of the write-ahead log`),
      });
    const begun = begin(db, memos);
    // SQLite reuses the file and never makes it smaller without a limit, so its size would say nothing later.
    if (count === 0) db.pragma(`journal_size_limit = ${bytesMax / 2}`);
    count += 1;
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      count -= 1;
      if (isFile) idle.put(db, begun);
      else begun.copy.close();
    };
    return { models: begun.models, close };
  };
  return { open, close: idle.close };
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

type Through = <Result>(call: () => Result) => Result;

/** The steps of an iterator, each made through `through`: they read the database when they are taken. */
function* guardedSteps(steps: Iterator<unknown>, through: Through): Generator<unknown> {
  try {
    for (;;) {
      const step = through(() => steps.next());
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    steps.return?.();
  }
}

const isIterator = (value: unknown): value is Iterator<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

/** The same functions, each called through `through` on the current object. */
const delegating = (current: () => Functions, through: Through): Functions =>
  Object.fromEntries(
    Object.entries(current()).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? (...given: readonly unknown[]) => {
            const call = () => (current()[name] as (...given: readonly unknown[]) => unknown)(...given);
            const result = through(call);
            return isIterator(result) ? guardedSteps(result, through) : result;
          }
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
  let parked: readonly Parked[] = [];
  const setUp = (db: Database) => {
    const memos = readModelMemos();
    const models = opened(() => readModels(db, build, memos));
    // A replay would not find damage that a hash shows, nor an event that this build cannot follow.
    if (parked.length > 0) models.clear(parked);
    return { db, memos, models };
  };
  let emptied = (): void => {};
  const database = replaceable(file, 'NORMAL', setUp, {
    recreated: damaged,
    reopened: () => {
      emptied();
      // A call that finds them empty must not go on as if they were filled.
      throw new StoreUnavailable('the read models are empty; they are rebuilt from the log');
    },
  });
  const { current: present, replace, close } = database;
  const current = () => present().models;
  const snapshots = snapshotsOf(file);
  const empty = (why: unknown): void => {
    // An event that could not be applied may meet wrong rows only: the replay finds it again, or applies it.
    parked = parkedIn(present().db).filter(one => isDamage(one) || one.position <= one.applied);
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
        const { models, close: end } = through(used, () => snapshots.open(db, memos));
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
    close: () => {
      snapshots.close();
      close();
    },
  };
};
