import type { Context } from 'koa';
import { StoreUnavailable } from '../../../application/eventStore.js';
import type { Service } from '../../../application/service.js';

/** Whether requests can be taken, and how much waits to be done. Says nothing of any tenant. */
export const health = (service: Service) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  const shared = service.shared?.();
  service.requireRoom();
  if (!service.isProjecting()) throw new StoreUnavailable('the read models cannot follow the log');
  if (service.shared && !shared)
    throw new StoreUnavailable('the event store could not be reached a moment ago');
  ctx.body = {
    status: 'ok',
    readModels: { position: String(position) },
    reactor: {
      backlog: service.backlog(),
      // Of one instance alone nothing is ever parked.
      parked: shared?.parked ?? 0,
    },
    analysis: { waiting: service.analyst.waiting() },
  };
};
