import Router from '@koa/router';
import type { ReadableMetrics } from '../../../metrics/promMetrics.js';
import { nameRoute } from '../../middleware/requestMetrics.js';
import { requireScope, type Actor } from '../../middleware/tokens.js';
import { Problem } from '../../problem.js';

/**
 * Router of `GET /metrics` for tokens with the scope `metrics`. Unlike other reads it does not wait for the read
 * models: their lag is one of the metrics.
 */
export const metricsRouter = ({
  text,
  contentType,
}: Pick<ReadableMetrics, 'text' | 'contentType'>): Router => {
  const router = new Router({ strict: true, sensitive: true });
  router.all('/metrics', async ctx => {
    nameRoute(ctx, '/metrics');
    requireScope(ctx.state['actor'] as Actor, 'metrics');
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new Problem('methodNotAllowed', `got ${ctx.method}, expected GET`, {
        headers: { Allow: 'GET, HEAD' },
      });
    ctx.body = await text();
    ctx.set('Content-Type', contentType);
  });
  return router;
};
