import { LRUCache } from 'lru-cache';
import type { Environment } from '../ports/environment.js';
import { fairQueue, sharedCapacity } from '../ports/sharing/fairQueue.js';

/** Answers that are made as a whole at once, of one tenant at most half of them, and answers that wait. */
const madeAtOnce = 8;
const waitingMax = 512;
/** Answers that are written while their clients read them; see `sharedCapacity` for those of one tenant. */
const streamedAtOnce = 16;
/** Longest time of such an answer: a client that reads slowly does not keep its place for ever. */
const lifetimeMs = 15 * 60_000;

/** Places for answers that grow with the data. Each has a part of the data in memory. */
export type LargeAnswers = {
  /**
   * Waits for a place to make an answer as a whole. Returns a function that frees it.
   * @throws QueueFull, reason of the signal
   */
  readonly enter: (tenant: string, signal?: AbortSignal) => Promise<() => void>;
  /**
   * Takes a place for an answer that is written while its client reads it. Returns a function that frees it.
   * @param end  called when the answer has taken too long
   * @throws QueueFull
   */
  readonly stream: (tenant: string, end: () => void) => () => void;
  /** Number of answers that wait for a place. */
  readonly waiting: () => number;
};

/** The places of one instance. */
export const largeAnswers = ({ after }: Pick<Environment, 'after'>): LargeAnswers => {
  const made = fairQueue({ atOnce: madeAtOnce, reserving: true, waitingMax, name: 'large answers' });
  const streamed = sharedCapacity(streamedAtOnce, 'large answers');
  return {
    enter: (tenant, signal) => made.enter(tenant, signal),
    stream: (tenant, end) => {
      streamed.take(tenant, 1);
      const cancel = after(lifetimeMs, end);
      let isTaken = true;
      return () => {
        if (isTaken) streamed.release(tenant, 1);
        isTaken = false;
        cancel();
      };
    },
    waiting: made.waiting,
  };
};

/** Ids of the walks of one tenant, and of all of them; an id takes some 50 bytes, and a walk as much as 100 ids. */
const ownIdsMax = 200_000;
const idsMax = 1_000_000;
/** Time without a request after which a walk is dropped. */
const walkLifetimeMs = 15 * 60_000;

/** Ids of one walk: no list of more records has an order that changes. */
export const walkIdsMax = 100_000;

/** A walk through a list: the ids of its records in the order of its first page. */
export type Walk = { readonly ids: readonly (string | number)[] };

/**
 * Walks through lists whose order changes while a client reads page after page. They are in memory: those that were
 * not used for the longest time are dropped, first of the tenant that has too many.
 */
export type Walks = {
  /** Keeps a walk of a tenant under a key that follows from its ids. */
  readonly keep: (tenant: string, key: string, walk: Walk) => void;
  /** A walk of a tenant; undefined when it is not kept any more. */
  readonly find: (tenant: string, key: string) => Walk | undefined;
};

type Kept = Walk & { readonly tenant: string };

/** An empty memory of walks. */
export const walks = ({ elapsedMs }: Pick<Environment, 'elapsedMs'>): Walks => {
  const own = new Map<string, number>();
  const count = (tenant: string, more: number): void => {
    const ids = (own.get(tenant) ?? 0) + more;
    if (ids > 0) own.set(tenant, ids);
    else own.delete(tenant);
  };
  const sizeOf = ({ ids }: Walk): number => ids.length + 100;
  const kept = new LRUCache<string, Kept>({
    maxSize: idsMax,
    sizeCalculation: sizeOf,
    ttl: walkLifetimeMs,
    updateAgeOnGet: true,
    perf: { now: elapsedMs },
    ttlResolution: 0,
    dispose: walk => count(walk.tenant, -sizeOf(walk)),
  });
  const makeRoom = (tenant: string): void => {
    kept.purgeStale();
    for (const key of [...kept.rkeys()]) {
      if ((own.get(tenant) ?? 0) <= ownIdsMax) return;
      if (kept.peek(key)?.tenant === tenant) kept.delete(key);
    }
  };
  return {
    keep: (tenant, key, { ids }) => {
      const name = nameOf(tenant, key);
      if (kept.get(name)) return;
      const walk = { tenant, ids };
      count(tenant, sizeOf(walk));
      makeRoom(tenant);
      kept.set(name, walk);
    },
    find: (tenant, key) => kept.get(nameOf(tenant, key)),
  };
};

/** A tenant has no space in its name. */
const nameOf = (tenant: string, key: string): string => `${tenant} ${key}`;
