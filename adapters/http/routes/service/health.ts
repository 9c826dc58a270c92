import type { Context } from 'koa';
import { StoreUnavailable } from '../../../../application/eventStore.js';
import type { Service } from '../../../../application/service.js';

/**
 * Checks that requests can be handled.
 * @throws StorageFull, StoreUnavailable
 */
const requireReady = (service: Service): void => {
  service.requireRoom();
  if (!service.isProjecting()) throw new StoreUnavailable('the read models cannot follow the log');
  if (service.shared && !service.shared())
    throw new StoreUnavailable('the event store was unreachable a moment ago');
};

/** Liveness: the process answers. */
export const live = (ctx: Context): void => {
  ctx.body = { status: 'ok' };
};

/** Readiness. @throws as `requireReady` */
export const ready =
  (service: Service) =>
  (ctx: Context): void => {
    requireReady(service);
    ctx.body = { status: 'ok' };
  };

/**
 * Readiness of the service and length of its queues; it reveals nothing about tenants.
 * @throws StorageFull, StoreUnavailable when requests cannot be handled
 */
export const health = (service: Service) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  const shared = service.shared?.();
  requireReady(service);
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
