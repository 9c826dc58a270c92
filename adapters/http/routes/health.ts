import type { Context } from 'koa';
import { StoreUnavailable } from '../../../application/eventStore.js';
import type { Service } from '../../../application/service.js';

/**
 * Readiness of the service and length of its queues; it reveals nothing about tenants.
 * @throws StorageFull, StoreUnavailable when requests cannot be handled
 */
export const health = (service: Service) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  const shared = service.shared?.();
  service.requireRoom();
  if (!service.isProjecting()) throw new StoreUnavailable('the read models cannot follow the log');
  if (service.shared && !shared) throw new StoreUnavailable('the event store was unreachable a moment ago');
  ctx.body = {
    status: 'ok',
    readModels: { position: String(position) },
    reactor: {
      backlog: service.backlog(),
      // Only instances that share an event store park events.
      parked: shared?.parked ?? 0,
    },
    analysis: { waiting: service.analyst.waiting() },
  };
};
