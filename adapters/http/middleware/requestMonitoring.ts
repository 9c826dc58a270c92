import type { Context, Next } from 'koa';
import type { Service } from '../../../application/requests/service.js';
import type { Span, Tracer } from '../../../application/ports/monitoring.js';
import { METHODS } from 'node:http';
import type { Logger } from 'pino';
import { clientConnection } from '../clientConnection.js';
import type { Actor } from './tokens.js';

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
