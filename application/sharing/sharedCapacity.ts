import { QueueFull } from '../analyst.js';

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
      const own = usedBy(tenant) + amount;
      if (own > total - all - amount)
        throw new QueueFull(
          `${usedBy(tenant)} ${name} of this tenant are in use, ${all} of all tenants; retry later`,
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
