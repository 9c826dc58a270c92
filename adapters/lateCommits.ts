import { system, type Environment } from './environment.js';
import { StoreUnavailable } from './eventStore.js';
import { guarded } from './stores/database.js';

/** How long what was written may wait for its commit. */
const commitMs = 100;
/** How long writing may have taken before it is committed at once: a commit of much lets nobody else have a turn. */
const writingMs = 20;

/** Writes whose commits come a little later: what is written meanwhile shares them. */
export type LateCommits = {
  /**
   * Writes within the transaction that is open, or a new one. Readers of the same connection see it at once.
   * @throws StoreUnavailable when it cannot be written, which undoes what waited for its commit, too; or what was
   * written before could not be committed: what there is tells how far to go back
   */
  readonly write: (change: () => void) => void;
  /** Commits what was written, if it can be. */
  readonly close: () => void;
};

/**
 * Late commits of what can be lost, as read models can: the log brings it back. Written one by one, the pages of a
 * database that many changes touch would be most of what a change costs.
 * @param database   its transactions; `commit` and `rollback` do nothing where none is open
 * @param failed     told when a commit failed
 * @param environment its clock tells how long writing took
 */
export const lateCommits = (
  database: { readonly begin: () => void; readonly commit: () => void; readonly rollback: () => void },
  failed: (error: StoreUnavailable) => void,
  { after, elapsedMs }: Pick<Environment, 'after' | 'elapsedMs'> = system,
): LateCommits => {
  let cancel: (() => void) | undefined;
  let failing = false;
  let spentMs = 0;
  const endWaiting = (): void => {
    cancel?.();
    cancel = undefined;
    spentMs = 0;
  };
  const commit = (): void => {
    endWaiting();
    failing = true;
    guarded(database.commit);
    failing = false;
  };
  const tryCommit = (): void => {
    try {
      commit();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      failed(error);
    }
  };
  return {
    write: change => {
      if (failing) {
        commit();
        throw new StoreUnavailable('what was written before could not be committed');
      }
      if (cancel === undefined) {
        guarded(database.begin);
        cancel = after(commitMs, tryCommit);
      }
      const begun = elapsedMs();
      try {
        guarded(change);
      } catch (error) {
        endWaiting();
        database.rollback();
        throw error;
      }
      spentMs += elapsedMs() - begun;
      if (spentMs > writingMs) commit();
    },
    close: tryCommit,
  };
};
