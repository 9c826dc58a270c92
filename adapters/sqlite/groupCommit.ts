import { LogTaken } from '../../application/eventStore.js';
import { guarded } from './database.js';
import type { Database } from './driver.js';
import { inodeOf } from './inode.js';

/** An append that waits for its transaction. */
type Waiting = {
  readonly run: () => number;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: unknown) => void;
};

/** Maximum appends of one transaction, which bounds the wait of the others. */
const groupMax = 32;

/**
 * Requires that no other process writes to the log; nothing without `isOnlyWriter`.
 * @throws LogTaken
 */
const ownership = (db: Database, file: string, isOnlyWriter: boolean) => {
  const lastPosition = db.prepare<[], bigint>('select coalesce(max(position), 0) from events').pluck();
  const inode = inodeOf(file);
  /** Last position of the log at the last write of this store. */
  let reached = guarded(() => lastPosition.get());
  return {
    lastPosition: () => lastPosition.get(),
    note: (position: bigint | undefined): void => {
      reached = position;
    },
    require: (): void => {
      if (!isOnlyWriter) return;
      const there = lastPosition.get();
      if (there !== reached)
        throw new LogTaken(
          `${file} ends at position ${there}, expected ${reached}: another process writes to it`,
        );
      if (inodeOf(file) !== inode) throw new LogTaken(`${file} was removed or replaced`);
    },
  };
};

/**
 * Group commit (DeWitt et al. 1984): appends of one turn of the event loop share a transaction and its sync to disk.
 * @param taken  given by the only writer of a log: called when others have written it or replaced its file
 */
export const groupCommit = (db: Database, file: string, taken?: (error: LogTaken) => void) => {
  const owned = ownership(db, file, taken !== undefined);

  /**
   * Runs appends, each in a savepoint, so that a failed one is undone alone. Returns functions that end their waits.
   */
  const runAll = db.transaction((group: readonly Waiting[]) => {
    owned.require();
    const completions = group.map(({ run, resolve, reject }) => {
      try {
        const revision = run();
        return () => resolve(revision);
      } catch (error) {
        // An error that ends the transaction, such as a full disk, undoes the earlier appends as well.
        if (!db.inTransaction) throw error;
        return () => reject(error);
      }
    });
    return { completions, through: owned.lastPosition() };
  });
  const waiting: Waiting[] = [];
  const commit = (): void => {
    const group = waiting.splice(0, groupMax);
    if (waiting.length > 0) setImmediate(commit);
    try {
      const { completions, through } = guarded(() => runAll.immediate(group));
      owned.note(through);
      for (const complete of completions) complete();
    } catch (error) {
      if (error instanceof LogTaken) taken?.(error);
      for (const { reject } of group) reject(error);
    }
  };

  return {
    /** Runs an append in the next transaction; resolves with its result once it is synced to disk. */
    add: (run: () => number): Promise<number> =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(commit);
        waiting.push({ run, resolve, reject });
      }),
    /** Commits all waiting appends. */
    flush: (): void => {
      while (waiting.length > 0) commit();
    },
  };
};
