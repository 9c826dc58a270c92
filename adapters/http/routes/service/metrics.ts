import type { Context, Next } from 'koa';
import type { ReadableMetrics } from '../../../metrics/promMetrics.js';
import { nameRoute } from '../../middleware/requestMetrics.js';
import { requireScope, type Actor } from '../../middleware/tokens.js';
import { requireGet } from './requireGet.js';

/**
 * Middleware of `GET /metrics` for tokens with the scope `metrics`. Unlike other reads it does not wait for the read
 * models: their lag is one of the metrics.
 */
export const metricsRoute =
  ({ text, contentType }: Pick<ReadableMetrics, 'text' | 'contentType'>) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== '/metrics') return next();
    nameRoute(ctx, '/metrics');
    requireScope(ctx.state['actor'] as Actor, 'metrics');
    requireGet(ctx);
    ctx.body = await text();
    ctx.set('Content-Type', contentType);
  };
