import { QueueFull } from '../analyst.js';
import { tenantQueues } from './tenantQueues.js';

/** Limits concurrent work, with slots that tenants share. */
export type FairQueue = {
  /**
   * Waits for a slot; returns a function that releases it.
   * @throws QueueFull        when too many tasks of this tenant are waiting
   * @throws signal's reason  when it is aborted before a slot is free
   */
  readonly enter: (tenant: string, signal?: AbortSignal) => Promise<() => void>;
  /** Runs a task in a slot. */
  readonly run: <Result>(
    tenant: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /** Number of waiting tasks. */
  readonly waiting: () => number;
};

export type FairQueueLimits = {
  /** Number of slots. */
  readonly atOnce: number;
  /** Whether a tenant may hold at most as many slots as stay free; otherwise it may take any free slot. */
  readonly reserving?: boolean;
  /** Maximum waiting tasks of all tenants; one tenant may have at most as many as could still be added. */
  readonly waitingMax: number;
  /** Plural name of the tasks, for messages. */
  readonly name: string;
};

/** A queue that serves tenants round-robin, independent of the length of their queues. */
export const fairQueue = ({ atOnce, reserving = false, waitingMax, name }: FairQueueLimits): FairQueue => {
  const queues = tenantQueues<() => void>();
  const running = new Map<string, number>();
  let all = 0;

  const hasSlot = (tenant: string): boolean =>
    all < atOnce && (!reserving || (running.get(tenant) ?? 0) + 1 <= atOnce - all - 1);

  const leave = (tenant: string): void => {
    const own = (running.get(tenant) ?? 0) - 1;
    if (own > 0) running.set(tenant, own);
    else running.delete(tenant);
    all -= 1;
    for (let next = queues.shift(hasSlot); next; next = queues.shift(hasSlot)) next();
  };
  const takeSlot = (tenant: string): (() => void) => {
    running.set(tenant, (running.get(tenant) ?? 0) + 1);
    all += 1;
    let left = false;
    return () => {
      if (!left) leave(tenant);
      left = true;
    };
  };

  const enter: FairQueue['enter'] = async (tenant, signal) => {
    signal?.throwIfAborted();
    if (hasSlot(tenant)) return takeSlot(tenant);
    const own = queues.countOf(tenant) + 1;
    if (own > waitingMax - queues.count() - 1)
      throw new QueueFull(`${own - 1} ${name} of this tenant are waiting, ${queues.count()} of all tenants`);
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', drop);
        resolve(takeSlot(tenant));
      };
      const drop = (): void => {
        queues.remove(tenant, go);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', drop, { once: true });
      queues.push(tenant, go);
    });
  };

  return {
    enter,
    run: async (tenant, work, signal) => {
      const release = await enter(tenant, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    waiting: queues.count,
  };
};
