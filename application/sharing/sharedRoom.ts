import { QueueFull } from '../analyst.js';

/** Room that tenants share: requests, bytes. */
export type SharedRoom = {
  /**
   * Takes room for a tenant.
   * @throws QueueFull when the tenant would have more than what is left for all others
   */
  readonly take: (tenant: string, amount: number) => void;
  /** Gives back what was taken. */
  readonly giveBack: (tenant: string, amount: number) => void;
  /** What a tenant has taken. */
  readonly takenBy: (tenant: string) => number;
};

/**
 * Room of which no tenant can take the last: each may have as much as would still be free then. One tenant alone gets
 * half, the next half of the rest (dynamic thresholds: Choudhury and Hahne 1998).
 * @param total  in units, such as bytes
 * @param what   of what there is too much, for the message
 */
export const sharedRoom = (total: number, what: string): SharedRoom => {
  const taken = new Map<string, number>();
  let all = 0;
  const takenBy = (tenant: string): number => taken.get(tenant) ?? 0;
  return {
    take: (tenant, amount) => {
      const own = takenBy(tenant) + amount;
      if (own > total - all - amount)
        throw new QueueFull(
          `${takenBy(tenant)} ${what} of this tenant, ${all} of all, are under way already`,
        );
      taken.set(tenant, own);
      all += amount;
    },
    giveBack: (tenant, amount) => {
      const left = takenBy(tenant) - amount;
      if (left > 0) taken.set(tenant, left);
      else taken.delete(tenant);
      all -= amount;
    },
    takenBy,
  };
};
