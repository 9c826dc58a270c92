import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import type { Service } from '../../../application/service.js';
import { clientConnection } from '../server/clientConnection.js';
import type { Actor } from './tokens.js';

const pathLengthMax = 200;

/**
 * Outermost middleware: sets `ctx.state.requestId` and `ctx.state.client`, and logs each request with its path and
 * actor, but without tokens, queries and bodies.
 */
export const requestLog =
  ({ environment: { newId } }: Pick<Service, 'environment'>, log: Logger) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const started = performance.now();
    const requestId = newId();
    ctx.state['requestId'] = requestId;
    ctx.state['client'] = clientConnection(ctx.res);
    ctx.set({ 'X-Request-Id': requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await next();
    const actor = ctx.state['actor'] as Actor | undefined;
    log.info(
      {
        requestId,
        method: ctx.method,
        path: ctx.path.slice(0, pathLengthMax),
        status: ctx.status,
        ms: Math.round(performance.now() - started),
        subject: actor?.subject,
        tenant: actor?.tenant,
      },
      'request',
    );
  };
