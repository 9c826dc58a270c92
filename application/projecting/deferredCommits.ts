import type { Environment } from '../environment.js';
import { StoreUnavailable } from '../eventStore.js';
import { guarded } from '../../adapters/sqlite/database.js';

/** How long what was written may wait for its commit, and for another try at one that failed. */
const commitMs = 100;
const retryMs = 1000;
/** How long writing may have taken before it is committed at once: a commit of much lets nobody else have a turn. */
const writingMs = 20;
/** Changes that are kept in memory while they cannot be committed. */
const changesMax = 256;

/** Writes whose commits come a little later: what is written meanwhile shares them. */
export type DeferredCommits = {
  /**
   * Writes within the transaction that is open, or a new one. Readers of the same connection see the change at once,
   * and keep seeing it while it cannot be committed: it is written again from memory and committed later.
   * @throws StoreUnavailable when the change cannot be written; what was written before stays, or `lost` was called
   */
  readonly write: (change: () => void) => void;
  /** Why the last commit failed; undefined when it did not. */
  readonly failure: () => StoreUnavailable | undefined;
  /** Forgets changes that were not committed: their database was replaced. */
  readonly drop: () => void;
  /** Commits what was written, if it can be. */
  readonly close: () => void;
};

/** Who is told of what goes wrong. */
export type CommitListener = {
  /** A commit failed; it is tried again. */
  readonly failed: (error: StoreUnavailable) => void;
  /** All that was not committed is gone: it could not be written again. */
  readonly lost: () => void;
};

/** The transactions of a database. */
export type Transactions = {
  readonly begin: () => void;
  readonly commit: () => void;
  /** Does nothing where none is open. */
  readonly rollback: () => void;
  readonly isOpen: () => boolean;
};

/**
 * Late commits of what can be lost, as read models can: the log brings it back. Written one by one, the pages of a
 * database that many changes touch would be most of what a change costs.
 * A commit that fails, as on a full disk, undoes its transaction: SQLite leaves no choice. Changes are therefore kept
 * until they are committed, and those that were undone are written again in the same turn of the event loop.
 * Where SQLite refuses that too, they are lost: the database is as it was committed.
 * @param environment its clock tells how long writing took
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

  /** Commits later: what is open, or what could not be committed. */
  const commitLater = (ms: number): void => {
    cancel?.();
    cancel = after(ms, commit);
  };

  /**
   * Undoes the transaction, in so far as it is not undone, and writes its changes again, so that readers see them.
   * @throws StoreUnavailable when they cannot be written: they are lost
   */
  const writeAgain = (): void => {
    database.rollback();
    if (changes.length === 0) return;
    try {
      guarded(database.begin);
      for (const change of changes) guarded(change);
    } catch (error) {
      failure = unavailable(error);
      database.rollback();
      changes.length = 0;
      commitLater(retryMs);
      lost();
      throw failure;
    }
  };

  const commit = (): void => {
    cancel?.();
    cancel = undefined;
    spentMs = 0;
    if (changes.length === 0) {
      // What could not be committed is lost; whether there is room again the next change finds out.
      failure = undefined;
      return;
    }
    try {
      if (!database.isOpen()) writeAgain();
      guarded(database.commit);
      changes.length = 0;
      failure = undefined;
    } catch (error) {
      failure = unavailable(error);
      commitLater(retryMs);
      failed(failure);
      keep();
    }
  };

  /** Lets readers see all changes again, if it can be. */
  const keep = (): void => {
    try {
      writeAgain();
    } catch (error) {
      unavailable(error);
    }
  };

  return {
    write: change => {
      if (failure && changes.length >= changesMax) throw failure;
      // SQLite undoes a transaction by itself where a statement finds no room.
      if (changes.length > 0 && !database.isOpen()) writeAgain();
      if (changes.length === 0) guarded(database.begin);
      const begun = elapsedMs();
      try {
        guarded(change);
      } catch (error) {
        keep();
        throw error;
      }
      changes.push(change);
      if (cancel === undefined) commitLater(commitMs);
      spentMs += elapsedMs() - begun;
      if (spentMs > writingMs && !failure) commit();
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
