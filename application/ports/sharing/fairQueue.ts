import { QueueFull, type Priority, madeJob, type Analyst } from '../analyst.js';

/** Runs the tasks of one key one after the other, and those of different keys concurrently. */
export type KeyedQueue = {
  /** Runs a task after the earlier tasks of its key, also after those that failed. */
  readonly run: <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;
  /** Resolves when all tasks given so far have ended, failed ones included. */
  readonly idle: () => Promise<void>;
};

/** An empty queue. A key takes no memory once its tasks have ended. */
export const keyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: async (key, task) => {
      const before = last.get(key);
      const result = before ? before.then(task, task) : task();
      last.set(key, result);
      try {
        return await result;
      } finally {
        if (last.get(key) === result) last.delete(key);
      }
    },
    idle: async () => void (await Promise.allSettled(last.values())),
  };
};

/** Capacity that tenants share: requests, bytes. */
export type SharedCapacity = {
  /**
   * Reserves capacity for a tenant.
   * @throws QueueFull when the tenant would use more than would be left
   */
  readonly take: (tenant: string, amount: number) => void;
  /** Releases capacity that was used. */
  readonly release: (tenant: string, amount: number) => void;
  /** Capacity that a tenant uses. */
  readonly usedBy: (tenant: string) => number;
};

/**
 * Capacity of which each tenant may use as much as stays free: one tenant gets half, the next half of the rest
 * (dynamic thresholds: Choudhury and Hahne 1998).
 * @param total  in units, such as bytes
 * @param name   plural name of the units, for messages
 */
export const sharedCapacity = (total: number, name: string): SharedCapacity => {
  const used = new Map<string, number>();
  let all = 0;
  const usedBy = (tenant: string): number => used.get(tenant) ?? 0;
  return {
    take: (tenant, amount) => {
      if (amount === 0) return;
      const own = usedBy(tenant) + amount;
      if (own > total - all - amount)
        throw new QueueFull(
          `${usedBy(tenant)} ${name} of this tenant are in use, and the load allows no ${amount} more; retry later`,
        );
      used.set(tenant, own);
      all += amount;
    },
    release: (tenant, amount) => {
      const left = usedBy(tenant) - amount;
      if (left > 0) used.set(tenant, left);
      else used.delete(tenant);
      all -= amount;
    },
    usedBy,
  };
};

/** Queues, one per tenant, served round-robin. */
type TenantQueues<Item> = {
  readonly push: (tenant: string, item: Item) => void;
  /** Removes the next item: of the least recently served tenant that `mayStart` accepts. */
  readonly shift: (mayStart?: (tenant: string) => boolean) => Item | undefined;
  /** Removes an item from its queue; does nothing when it is not there. */
  readonly remove: (tenant: string, item: Item) => void;
  readonly countOf: (tenant: string) => number;
  readonly count: () => number;
};

/** Empty queues. */
export const tenantQueues = <Item>(): TenantQueues<Item> => {
  // Ordered by turn: the tenant served last is at the end.
  const queues = new Map<string, Item[]>();
  let count = 0;
  return {
    push: (tenant, item) => {
      const queue = queues.get(tenant);
      if (queue) queue.push(item);
      else queues.set(tenant, [item]);
      count += 1;
    },
    shift: (mayStart = () => true) => {
      for (const [tenant, queue] of queues) {
        if (!mayStart(tenant)) continue;
        queues.delete(tenant);
        const item = queue.shift();
        if (queue.length > 0) queues.set(tenant, queue);
        count -= 1;
        return item;
      }
      return undefined;
    },
    remove: (tenant, item) => {
      const queue = queues.get(tenant);
      const at = queue?.indexOf(item) ?? -1;
      if (!queue || at < 0) return;
      queue.splice(at, 1);
      count -= 1;
      if (queue.length === 0) queues.delete(tenant);
    },
    countOf: tenant => queues.get(tenant)?.length ?? 0,
    count: () => count,
  };
};

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
      throw new QueueFull(
        `${own - 1} ${name} of this tenant are waiting, and the load allows no more; retry later`,
      );
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

/** Maximum analyses of one priority that wait for a thread. The process manager submits one per source at a time. */
const waitingMax = 1024;

/**
 * An `Analyst` whose threads are shared fairly: analyses that a person waits for go first, and tenants are served
 * round-robin. Jobs are made when they get a thread.
 * @param threads  jobs that the analyst runs concurrently
 */
export const fairAnalyst = (analyst: Analyst, threads: number): Analyst => {
  const queue = fairQueue({ atOnce: threads, waitingMax, name: 'analyses' });
  return {
    run: (job, signal, tenant = '', priority = 'now') =>
      queue.run(tenant, () => analyst.run(madeJob(job), signal, tenant), signal, priority),
    waiting: () => queue.waiting() + analyst.waiting(),
    close: analyst.close,
  };
};
