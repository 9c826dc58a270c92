import type { Context, Next } from 'koa';
import { sharedCapacity } from '../../../application/sharing/sharedCapacity.js';
import type { ClientConnection } from '../server/clientConnection.js';
import type { Actor } from './tokens.js';

/** Requests in progress of all tenants, from the valid token to the end of the answer. */
const requestsMax = 1024;

/** Middleware that limits the requests in progress of a tenant. It needs `ctx.state.actor`. */
export const requestLimit = () => {
  const capacity = sharedCapacity(requestsMax, 'requests');
  return async (ctx: Context, next: Next): Promise<void> => {
    const { tenant } = ctx.state['actor'] as Actor;
    const client = ctx.state['client'] as ClientConnection;
    client.requireOpen();
    capacity.take(tenant, 1);
    client.onEnd(() => capacity.release(tenant, 1));
    await next();
  };
};
