import type { Environment } from '../ports/environment.js';
import { StoreUnavailable } from '../ports/eventStore.js';

/** Milliseconds between a change and its commit, and between a failed commit and its retry. */
const commitMs = 100;
const retryMs = 1000;
/** Milliseconds of writing after which changes are committed at once, so that no commit blocks for long. */
const writingMs = 20;
/** Maximum changes kept in memory while they cannot be committed. */
const changesMax = 256;

/** Writes that share commits. */
export type DeferredCommits = {
  /**
   * Writes in the open transaction, or a new one. Readers of the same connection see the change at once, and keep
   * seeing it while commits fail: it is then written again from memory.
   * @throws StoreUnavailable when the change cannot be written; earlier changes stay, or `lost` was called. A commit
   *         that fails throws only when `lost` was called
   */
  readonly write: (change: () => void) => void;
  /** Commits the changes now, so that other connections see them. @throws StoreUnavailable while commits fail */
  readonly flush: () => void;
  /** Error of the last commit; undefined when it succeeded. */
  readonly failure: () => StoreUnavailable | undefined;
  /** Drops uncommitted changes, because their database was replaced. */
  readonly drop: () => void;
  /** Commits the changes, if possible. */
  readonly close: () => void;
};

/** Reports of failed commits. */
export type CommitListener = {
  /** A commit failed and is retried. */
  readonly failed: (error: StoreUnavailable) => void;
  /** All uncommitted changes are lost, because they could not be written again. */
  readonly lost: () => void;
};

/** The transactions of a database. Errors of a database that cannot be used are StoreUnavailable. */
export type Transactions = {
  readonly begin: () => void;
  readonly commit: () => void;
  /** Does nothing when no transaction is open. */
  readonly rollback: () => void;
  readonly isOpen: () => boolean;
};

/**
 * Deferred commits for data that can be rebuilt, such as read models. One commit per change would cost more than the
 * change, because changes touch the same pages.
 * A failed commit, for example on a full disk, ends its transaction in SQLite. Changes are therefore kept until they
 * are committed and written again after a failure. When that fails too, they are lost.
 */
export const deferredCommits = (
  database: Transactions,
  { failed, lost }: CommitListener,
  { after, elapsedMs }: Pick<Environment, 'after' | 'elapsedMs'>,
): DeferredCommits => {
  const changes: (() => void)[] = [];
  let cancel: (() => void) | undefined;
  let failure: StoreUnavailable | undefined;
  let spentMs = 0;

  /** Schedules the next commit. */
  const commitLater = (ms: number): void => {
    cancel?.();
    cancel = after(ms, commit);
  };

  /**
   * Rolls the transaction back and writes its changes again, so that readers see them.
   * @throws StoreUnavailable when they cannot be written and are lost
   */
  const writeAgain = (): void => {
    database.rollback();
    if (changes.length === 0) return;
    try {
      database.begin();
      for (const change of changes) change();
    } catch (error) {
      failure = unavailable(error);
      database.rollback();
      changes.length = 0;
      commitLater(retryMs);
      lost();
      throw failure;
    }
  };

  /** Commits the changes; false when they are lost. */
  const commit = (): boolean => {
    cancel?.();
    cancel = undefined;
    spentMs = 0;
    if (changes.length === 0) {
      // The failed changes are lost. The next change shows whether the database can be written again.
      failure = undefined;
      return true;
    }
    try {
      if (!database.isOpen()) writeAgain();
      database.commit();
      changes.length = 0;
      failure = undefined;
      return true;
    } catch (error) {
      failure = unavailable(error);
      commitLater(retryMs);
      failed(failure);
      return tryWriteAgain();
    }
  };

  /** Writes the changes again; false when they are lost. */
  const tryWriteAgain = (): boolean => {
    try {
      writeAgain();
      return true;
    } catch (error) {
      unavailable(error);
      return false;
    }
  };

  return {
    write: change => {
      if (failure && changes.length >= changesMax) throw failure;
      // SQLite rolls a transaction back when a statement finds the disk full.
      if (changes.length > 0 && !database.isOpen()) writeAgain();
      if (changes.length === 0) database.begin();
      const begun = elapsedMs();
      try {
        change();
      } catch (error) {
        tryWriteAgain();
        throw error;
      }
      changes.push(change);
      if (cancel === undefined) commitLater(commitMs);
      spentMs += elapsedMs() - begun;
      if (spentMs > writingMs && !failure && !commit() && failure) throw failure;
    },
    flush: () => {
      if (changes.length > 0 && !failure) commit();
      if (failure) throw failure;
    },
    failure: () => failure,
    drop: () => void (changes.length = 0),
    close: () => {
      commit();
      cancel?.();
      cancel = undefined;
    },
  };
};

const unavailable = (error: unknown): StoreUnavailable => {
  if (error instanceof StoreUnavailable) return error;
  throw error;
};
