/** Waiting lines, one a tenant. Tenants are served in turns, each in the order of its own line. */
export type TenantLines<Item> = {
  readonly push: (tenant: string, item: Item) => void;
  /** Removes the next item: of the tenant served longest ago among those that `mayGo` allows. */
  readonly shift: (mayGo?: (tenant: string) => boolean) => Item | undefined;
  /** Removes an item, wherever it is in its line; nothing happens when it has left. */
  readonly remove: (tenant: string, item: Item) => void;
  readonly countOf: (tenant: string) => number;
  readonly count: () => number;
};

/** Empty lines. */
export const tenantLines = <Item>(): TenantLines<Item> => {
  // In the order in which tenants are served: the one just served goes to the end.
  const lines = new Map<string, Item[]>();
  let count = 0;
  return {
    push: (tenant, item) => {
      const line = lines.get(tenant);
      if (line) line.push(item);
      else lines.set(tenant, [item]);
      count += 1;
    },
    shift: (mayGo = () => true) => {
      for (const [tenant, line] of lines) {
        if (!mayGo(tenant)) continue;
        lines.delete(tenant);
        const item = line.shift();
        if (line.length > 0) lines.set(tenant, line);
        count -= 1;
        return item;
      }
      return undefined;
    },
    remove: (tenant, item) => {
      const line = lines.get(tenant);
      const at = line?.indexOf(item) ?? -1;
      if (!line || at < 0) return;
      line.splice(at, 1);
      count -= 1;
      if (line.length === 0) lines.delete(tenant);
    },
    countOf: tenant => lines.get(tenant)?.length ?? 0,
    count: () => count,
  };
};
