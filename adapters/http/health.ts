import type { Context } from 'koa';
import type { Service } from '../service.js';

/** Whether requests can be taken, and how much waits to be done. Says nothing of any tenant. */
export const health = (service: Service) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  ctx.body = {
    status: 'ok',
    readModels: { position: String(position) },
    reactor: { backlog: service.reactor.backlog() },
    analysis: { waiting: service.analyst.waiting() },
  };
};
