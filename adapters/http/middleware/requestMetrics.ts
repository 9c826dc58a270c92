import { METHODS } from 'node:http';
import type { Context, Next } from 'koa';
import type { Service } from '../../../application/service.js';

/** Status of a request whose client disconnected before its answer, as nginx logs it. */
const clientGone = 499;

const methods: ReadonlySet<string> = new Set(METHODS);

/** Names the route of a request for the metrics: a path with parameters in braces, never that of the request. */
export const nameRoute = (ctx: Context, route: string): void => {
  ctx.state['route'] = route;
};

/** Middleware that records each request. Requests that reach no route have the route `none`. */
export const requestMetrics =
  ({ metrics, environment: { elapsedMs } }: Pick<Service, 'metrics' | 'environment'>) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const since = elapsedMs();
    await next();
    metrics.answered({
      method: methods.has(ctx.method) ? ctx.method : 'other',
      route: (ctx.state['route'] as string | undefined) ?? 'none',
      status: ctx.respond === false ? clientGone : ctx.status,
      seconds: (elapsedMs() - since) / 1000,
    });
  };
