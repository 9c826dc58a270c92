import { QueueFull } from '../ports/analyst.js';
import type { Requester } from './access.js';
import type { Service } from './service.js';

/** Events waiting for the process manager at which requests that add more are refused. */
const backlogMax = 800;
/** The same for creations: many new sources leave room for the requests that people wait for. */
const creationBacklogMax = 400;
/** Waiting events that each tenant may always have, independent of the other tenants. */
const backlogReserved = 8;

/**
 * Refuses a request of a tenant that has as many waiting events as may still be added by all tenants.
 * @throws QueueFull
 */
export const requireCapacity = (
  service: Pick<Service, 'backlog' | 'backlogOf'>,
  { tenant }: Requester['actor'],
  request: 'creation' | 'other' = 'other',
): void => {
  const most = request === 'creation' ? creationBacklogMax : backlogMax;
  const own = service.backlogOf(tenant);
  const all = service.backlog();
  if (own >= Math.max(most - all, backlogReserved))
    throw new QueueFull(`${own} analyses and checks of this tenant are waiting, ${all} of all tenants`);
};
