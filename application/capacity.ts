import { QueueFull } from './analyst.js';
import type { Requester } from './requester.js';
import type { Service } from './service.js';

/** Events that may wait for the process manager before requests that add to them are refused. */
const backlogMax = 800;
/** Waiting events that each tenant may have, however many other tenants have. */
const backlogReserved = 8;

/**
 * Refuses a request that would add to a long backlog: the tenant has more waiting events than room is left for all.
 * @throws QueueFull
 */
export const requireCapacity = (
  service: Pick<Service, 'backlog' | 'backlogOf'>,
  { tenant }: Requester['actor'],
): void => {
  const [own, all] = [service.backlogOf(tenant), service.backlog()];
  if (own >= Math.max(backlogMax - all, backlogReserved))
    throw new QueueFull(`${own} analyses and checks of this tenant, ${all} of all, wait already`);
};
