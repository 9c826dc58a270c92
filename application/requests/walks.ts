import { LRUCache } from 'lru-cache';
import type { Environment } from '../ports/environment.js';

/** Ids of the walks of one tenant, and of all of them; an id takes some 50 bytes, and a walk as much as 100 ids. */
const ownIdsMax = 200_000;
const idsMax = 1_000_000;
/** Time without a request after which a walk is dropped. */
const lifetimeMs = 15 * 60_000;

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
    ttl: lifetimeMs,
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
