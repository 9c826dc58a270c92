import { QueueFull } from '../analyst.js';
import { tenantLines } from './tenantLines.js';

/** Places for work that tenants share. */
export type FairQueue = {
  /**
   * Waits for a place; answers a function that gives it back.
   * @throws QueueFull        when too many of this tenant wait already
   * @throws signal's reason  when it is aborted before there is a place: then nothing of it waits any more
   */
  readonly enter: (tenant: string, signal?: AbortSignal) => Promise<() => void>;
  /** Does work in a place. */
  readonly run: <Result>(
    tenant: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /** How many wait for a place. */
  readonly waiting: () => number;
};

export type FairQueueLimits = {
  /** Places. */
  readonly atOnce: number;
  /** Whether no tenant may have more places than are left for the others; else who waits takes any. */
  readonly reserving?: boolean;
  /** How many of all tenants may wait; of one at most as many as could still wait then. */
  readonly waitingMax: number;
  /** What waits, for the message of a refusal. */
  readonly what: string;
};

/** A queue in which tenants take turns: the length of one's line is nothing to the others. */
export const fairQueue = ({ atOnce, reserving = false, waitingMax, what }: FairQueueLimits): FairQueue => {
  const lines = tenantLines<() => void>();
  const inside = new Map<string, number>();
  let all = 0;

  const hasPlace = (tenant: string): boolean =>
    all < atOnce && (!reserving || (inside.get(tenant) ?? 0) + 1 <= atOnce - all - 1);

  const leave = (tenant: string): void => {
    const own = (inside.get(tenant) ?? 0) - 1;
    if (own > 0) inside.set(tenant, own);
    else inside.delete(tenant);
    all -= 1;
    for (let next = lines.shift(hasPlace); next; next = lines.shift(hasPlace)) next();
  };
  const takePlace = (tenant: string): (() => void) => {
    inside.set(tenant, (inside.get(tenant) ?? 0) + 1);
    all += 1;
    let left = false;
    return () => {
      if (!left) leave(tenant);
      left = true;
    };
  };

  const enter: FairQueue['enter'] = async (tenant, signal) => {
    signal?.throwIfAborted();
    if (hasPlace(tenant)) return takePlace(tenant);
    const own = lines.countOf(tenant) + 1;
    if (own > waitingMax - lines.count() - 1)
      throw new QueueFull(`${own - 1} ${what} of this tenant, ${lines.count()} of all, wait already`);
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', drop);
        resolve(takePlace(tenant));
      };
      const drop = (): void => {
        lines.remove(tenant, go);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', drop, { once: true });
      lines.push(tenant, go);
    });
  };

  return {
    enter,
    run: async (tenant, work, signal) => {
      const leavePlace = await enter(tenant, signal);
      try {
        return await work();
      } finally {
        leavePlace();
      }
    },
    waiting: lines.count,
  };
};
