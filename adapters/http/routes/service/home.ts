import type { Context } from 'koa';
import type { Static } from '../../typebox.js';
import type { homeSchema } from '../../schemas/service.js';

/** Links to the description and the state of the service. */
export const home = (ctx: Context): void => {
  ctx.body = {
    name: 'Daybook',
    description: '/openapi.json',
    health: '/health',
    documentation: '/docs',
  } satisfies Static<typeof homeSchema>;
};
