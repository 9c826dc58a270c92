/** Queues, one per tenant, served round-robin. */
export type TenantQueues<Item> = {
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
