import { decode, type EventType, type KnownEvent, type Recorded } from '../../domain/events.js';
import type { Environment } from '../ports/environment.js';
import { LogDamaged, StoreUnavailable, type EventStore } from '../ports/eventStore.js';
import { exponentialBackoff } from '../commands/backoff.js';
import type { Growth, TreeQueries } from '../../projections/tree.js';
import { lineOf, lineOfNone } from '../../auditing/eventBytes.js';
import { leafHash, merkleTree, type MerkleTree, type Nodes } from '../../auditing/merkle.js';

const nodesOf = (tree: TreeQueries): Pick<Nodes, 'size' | 'at'> => ({
  size: tree.size,
  at: (level, index) => {
    const hash = tree.node(level, index);
    if (!hash) throw new RangeError(`the tree has no node ${index} of level ${level}`);
    return hash;
  },
});

/** Merkle tree of the log in the read models, for roots and proofs. */
export const logTree = (tree: TreeQueries): Omit<MerkleTree, 'append'> =>
  merkleTree({
    ...nodesOf(tree),
    put: () => {
      throw new Error('only events extend the Merkle tree of the log');
    },
  });

/**
 * Leaves and nodes that the next events of the log, as they were stored, add to its tree. That of a damaged event is
 * not the one that it had: such a tree gives no proofs, see `isSoundTree`.
 */
export const growth = (tree: TreeQueries, events: readonly Recorded[]): Growth => {
  const stored = nodesOf(tree);
  const sizeBefore = stored.size();
  const added: Map<number, Growth['nodes'][number]>[] = [];
  const leaves: Growth['leaves'][number][] = [];
  const growing = merkleTree({
    size: () => sizeBefore + leaves.length,
    at: (level, index) => added[level]?.get(index)?.hash ?? stored.at(level, index),
    put: (level, index, hash) => void (added[level] ??= new Map()).set(index, { level, index, hash }),
  });
  for (const event of events) {
    growing.append(leafHash(event.damage === undefined ? lineOf(event) : lineOfNone(event, event.damage)));
    const { id: eventId, stream, revision } = event;
    leaves.push({ index: sizeBefore + leaves.length, eventId, stream, revision });
  }
  return { leaves, nodes: added.flatMap(nodes => [...nodes.values()]) };
};

/** Follows the log and applies its events. */
export type ProjectionRunner = {
  /** To be called after an append: the log is read again. */
  readonly wake: () => void;
  /**
   * Resolves when the event at a position is applied, by default all events up to the call.
   * @throws StoreUnavailable when the log stays unreadable
   */
  readonly catchUp: (position?: bigint) => Promise<void>;
  /** Whether the last attempt to read or apply events failed. */
  readonly isFailing: () => boolean;
  /** Start of the last pass that reached the end of the log, in `elapsedMs`; −Infinity before the first. */
  readonly caughtUpAt: () => number;
  /** Stops after the present batch. */
  readonly stop: () => Promise<void>;
};

/** The last event of a batch. */
export type Through = Pick<Recorded, 'position' | 'id' | 'stream' | 'revision'>;

export type ProjectionRunnerParts = {
  readonly store: EventStore;
  /** Position of the last applied event. It goes back when applied events are lost; they are then read again. */
  readonly after: () => bigint;
  readonly types?: readonly EventType[];
  /** Applies a batch that ends at `through`: `events` are those that this build can read, `stored` are all. */
  readonly apply: (
    events: readonly KnownEvent[],
    through: Through,
    stored: readonly Recorded[],
  ) => Promise<void> | void;
  /** Called with the error that stopped the runner. */
  readonly fault: (error: unknown) => void;
  /** Called when the log cannot be read or a batch cannot be applied, before each retry. Without it that is a fault. */
  readonly unavailable?: (error: StoreUnavailable) => void;
  readonly environment: Environment;
};

/** Maximum weight of a batch, which takes some milliseconds of the event loop. */
export const batchMax = 200;

/** Weight of an event: the number of its days, at least one. */
export const weightOf = ({ data }: Recorded): number => {
  const { days } = (data ?? {}) as { readonly days?: unknown };
  return Array.isArray(days) ? Math.max(1, days.length) : 1;
};

/** Waiters are rejected after this time without a readable log. */
const waitMaxMs = 10_000;

type Waiter = {
  /** Number of the pass that the waiter needs. */
  readonly round: number;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** Callers that wait for a pass of the runner. */
const passWaiters = (elapsedMs: () => number) => {
  const waiting = new Set<Waiter>();
  const end = (waiter: Waiter, failure?: { readonly error: unknown }): void => {
    waiting.delete(waiter);
    if (failure) waiter.reject(failure.error);
    else waiter.resolve();
  };
  return {
    /** Resolves when the pass of this number has ended. */
    wait: (round: number): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting.add({ round, since: elapsedMs(), resolve, reject });
      }),
    /** Ends the waiters of passes up to `round`. */
    release: (round: number): void => {
      for (const waiter of [...waiting]) if (waiter.round <= round) end(waiter);
    },
    /** Ends all waiters. */
    releaseAll: (failure?: { readonly error: unknown }): void => {
      for (const waiter of [...waiting]) end(waiter, failure);
    },
    /** Rejects waiters that have waited for `waitMaxMs`. */
    rejectOverdue: (error: StoreUnavailable): void => {
      for (const waiter of [...waiting]) if (elapsedMs() - waiter.since > waitMaxMs) end(waiter, { error });
    },
  };
};

/** An event in its newest version; undefined when this build cannot read it. The read models park its subject. */
const readable = (event: Recorded): KnownEvent | undefined => {
  try {
    return decode(event);
  } catch {
    return undefined;
  }
};

/** Reads and applies all events from the last applied one to the end of the log, in batches. */
const applyNewEvents = async (
  { store, after, types, apply, environment }: ProjectionRunnerParts,
  isStopped: () => boolean,
): Promise<void> => {
  let batch: KnownEvent[] = [];
  let stored: Recorded[] = [];
  let weight = 0;
  const from = after();
  let at = from;
  const requireApplied = (): void => {
    if (after() < at) throw new StoreUnavailable('applied events were lost; applying them again');
  };
  const flush = async (): Promise<void> => {
    const through = stored.at(-1);
    requireApplied();
    if (through) await apply(batch, through, stored);
    at = after();
    batch = [];
    stored = [];
    weight = 0;
  };
  for await (const event of store.all(from, types)) {
    if (isStopped()) return;
    const decoded = readable(event);
    if (decoded) batch.push(decoded);
    stored.push(event);
    weight += weightOf(event);
    if (weight < batchMax) continue;
    await flush();
    // The embedded stores never wait, so a long catch-up would block the event loop.
    await environment.nextTurn();
  }
  await flush();
  requireApplied();
};

/**
 * Follows the log from a position: applies its events in order, in batches, then waits to be woken.
 * Errors other than StoreUnavailable stop the runner, because continuing would skip events.
 */
export const projectionRunner = (parts: ProjectionRunnerParts): ProjectionRunner => {
  const { after, fault, unavailable, environment } = parts;
  const { elapsedMs } = environment;
  const waiters = passWaiters(elapsedMs);
  const backoff = exponentialBackoff(environment);
  let stopped = false;
  let failure: { readonly error: unknown } | undefined;
  let failing = false;
  let caughtUpAt = -Infinity;
  let running: Promise<void> | undefined;
  /** Number of passes requested so far. */
  let requested = 0;

  /** Runs a pass; waits and returns false when the store is unavailable. */
  const tryPass = async (): Promise<boolean> => {
    const begun = elapsedMs();
    try {
      await applyNewEvents(parts, () => stopped);
      caughtUpAt = begun;
      backoff.reset();
      failing = false;
      return true;
    } catch (error) {
      if (!unavailable || !(error instanceof StoreUnavailable)) throw error;
      failing = true;
      unavailable(error);
      // Damage does not pass.
      if (error instanceof LogDamaged) waiters.releaseAll({ error });
      else waiters.rejectOverdue(error);
      await backoff.wait();
      return false;
    }
  };

  const run = async (): Promise<void> => {
    try {
      for (let done = 0; done < requested && !stopped;) {
        const round = requested;
        if (!(await tryPass())) continue;
        done = round;
        waiters.release(round);
      }
    } catch (error) {
      failure = { error };
      stopped = true;
      fault(error);
    } finally {
      running = undefined;
      if (stopped) waiters.releaseAll(failure);
    }
  };

  const wake = (): void => {
    requested += 1;
    if (!stopped) running ??= Promise.resolve().then(run);
  };

  return {
    wake,
    isFailing: () => failing,
    caughtUpAt: () => caughtUpAt,
    catchUp: position => {
      if (failure) return Promise.reject(failure.error);
      if (stopped || (position !== undefined && position <= after())) return Promise.resolve();
      const caughtUp = waiters.wait(requested + 1);
      wake();
      return caughtUp;
    },
    stop: async () => {
      stopped = true;
      backoff.cancel();
      await running;
    },
  };
};
