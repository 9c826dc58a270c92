import { QueueFull, type Priority } from '../analyst.js';
import { tenantQueues } from './tenantQueues.js';

/** Limits concurrent work, with slots that tenants share. */
export type FairQueue = {
  /**
   * Waits for a slot; returns a function that releases it.
   * @throws QueueFull        when too many tasks of this tenant are waiting
   * @throws signal's reason  when it is aborted before a slot is free
   */
  readonly enter: (tenant: string, signal?: AbortSignal, priority?: Priority) => Promise<() => void>;
  /** Runs a task in a slot. */
  readonly run: <Result>(
    tenant: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
    priority?: Priority,
  ) => Promise<Result>;
  /** Number of waiting tasks. */
  readonly waiting: () => number;
};

export type FairQueueLimits = {
  /** Number of slots. */
  readonly atOnce: number;
  /** Whether a tenant may hold at most as many slots as stay free; otherwise it may take any free slot. */
  readonly reserving?: boolean;
  /** Slots that one tenant may hold; all by default. */
  readonly eachMax?: number;
  /** Maximum waiting tasks of one priority; one tenant may have at most as many as could still be added. */
  readonly waitingMax: number;
  /** Plural name of the tasks, for messages. */
  readonly name: string;
};

/** Tasks of priority `now` that may go before one of priority `later`. */
const nowInARow = 3;

/**
 * A queue that serves tenants round-robin, whatever the length of their queues. Tasks of priority `now` (default) go
 * first; after three of them one of priority `later` has its turn.
 */
export const fairQueue = ({
  atOnce,
  reserving = false,
  eachMax = atOnce,
  waitingMax,
  name,
}: FairQueueLimits): FairQueue => {
  const queues = { now: tenantQueues<() => void>(), later: tenantQueues<() => void>() };
  /** Tasks of priority `now` since the last one of priority `later`. */
  let inARow = 0;
  const running = new Map<string, number>();
  let all = 0;

  const hasSlot = (tenant: string): boolean => {
    const own = running.get(tenant) ?? 0;
    return all < atOnce && own < eachMax && (!reserving || own + 1 <= atOnce - all - 1);
  };

  /** Removes the next waiting task that may have a slot. */
  const shift = (): (() => void) | undefined => {
    const order: readonly Priority[] = inARow < nowInARow ? ['now', 'later'] : ['later', 'now'];
    for (const priority of order) {
      const next = queues[priority].shift(hasSlot);
      if (!next) continue;
      inARow = priority === 'now' ? inARow + 1 : 0;
      return next;
    }
    return undefined;
  };

  const waiting = (): number => queues.now.count() + queues.later.count();
  const leave = (tenant: string): void => {
    const own = (running.get(tenant) ?? 0) - 1;
    if (own > 0) running.set(tenant, own);
    else running.delete(tenant);
    all -= 1;
    if (waiting() === 0) return;
    for (let next = shift(); next; next = shift()) next();
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

  const enter: FairQueue['enter'] = async (tenant, signal, priority = 'now') => {
    signal?.throwIfAborted();
    if (hasSlot(tenant)) return takeSlot(tenant);
    const queue = queues[priority];
    const own = queue.countOf(tenant) + 1;
    if (own > waitingMax - queue.count() - 1)
      throw new QueueFull(`${own - 1} ${name} of this tenant are waiting, ${queue.count()} of all tenants`);
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', drop);
        resolve(takeSlot(tenant));
      };
      const drop = (): void => {
        queue.remove(tenant, go);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', drop, { once: true });
      queue.push(tenant, go);
    });
  };

  return {
    enter,
    run: async (tenant, work, signal, priority) => {
      const release = await enter(tenant, signal, priority);
      try {
        return await work();
      } finally {
        release();
      }
    },
    waiting,
  };
};
