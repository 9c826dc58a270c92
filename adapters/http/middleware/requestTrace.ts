import type { Context, Next } from 'koa';
import type { Service } from '../../../application/service.js';
import type { Span, Tracer } from '../../../application/tracing/tracer.js';

/** The header traceparent (W3C Trace Context, level 1) of a client that traces; undefined when absent or wrong. */
export const linkOf = (header: string): Span['link'] => {
  const [, version = '', traceId = '', spanId = '', rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header) ?? [];
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
};

/**
 * Middleware that records the span of each request to a route of the API: the first of its trace. The trace has the id
 * of the request, so a trace of the client is a link and no parent.
 */
export const requestTrace =
  ({ environment: { nowMs, elapsedMs } }: Pick<Service, 'environment'>, tracer: Tracer) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const startMs = nowMs();
    const since = elapsedMs();
    await next();
    const route = ctx.state['route'] as string | undefined;
    if (!route?.startsWith('/v1/')) return;
    const requestId = ctx.state['requestId'] as string;
    const link = linkOf(ctx.get('traceparent'));
    tracer.record({
      correlation: requestId,
      key: requestId,
      name: `${ctx.method} ${route}`,
      kind: 'server',
      startMs,
      durationMs: elapsedMs() - since,
      attributes: {
        'http.request.method': ctx.method,
        'http.route': route,
        'http.response.status_code': ctx.status,
      },
      ...(ctx.status >= 500 && { error: `status ${ctx.status}` }),
      ...(link && { link }),
    });
  };
