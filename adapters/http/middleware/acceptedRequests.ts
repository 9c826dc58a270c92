import type { Context, Next } from 'koa';
import { Problem } from '../problem.js';
import type { Route } from '../route.js';
import { sharedCapacity } from '../../../application/ports/sharing/fairQueue.js';
import type { ClientConnection } from '../clientConnection.js';
import type { Actor } from './tokens.js';

/** Headers of answers that scripts of other origins may read. */
const exposedHeaders =
  'Location, ETag, Retry-After, Age, Allow, X-Daybook-Position, X-Request-Id, WWW-Authenticate';
const crossOriginMethods = 'GET, POST, PUT, PATCH, DELETE';
const allowedHeaders =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Accept, Content-Encoding, traceparent';
/** Seconds for which a browser keeps the answer to a preflight request. */
const preflightMaxAge = '600';

/**
 * Middleware for scripts of other origins (CORS). Preflight requests need no token. Cookies are never allowed: tokens
 * come in the Authorization header.
 * @param origins exact origins, such as `https://app.example.org`; empty for none
 */
export const cors =
  (origins: readonly string[]) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (origins.length === 0) return next();
    // Caches must not give the answer for one origin to another.
    ctx.vary('Origin');
    const origin = ctx.get('Origin');
    if (!origins.includes(origin)) return next();
    ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders });
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next();
    ctx.set({
      'Access-Control-Allow-Methods': crossOriginMethods,
      'Access-Control-Allow-Headers': allowedHeaders,
      'Access-Control-Max-Age': preflightMaxAge,
    });
    ctx.status = 204;
  };

type RoutePath = Pick<Route, 'method' | 'path'>;

const supported: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** A pattern of paths, such as `/v1/source/{source_id}`, as its segments, with its methods. */
type Pattern = { readonly segments: readonly string[]; readonly methods: string[] };

/** Orders patterns of as many segments: a fixed segment goes before a parameter. */
const bySpecificity = (one: Pattern, other: Pattern): number => {
  const at = one.segments.findIndex((own, place) => isParameter(own) !== isParameter(other.segments[place]!));
  return at < 0 ? 0 : isParameter(one.segments[at]!) ? 1 : -1;
};

/** Patterns by their number of segments, the most specific first. */
const patternsOf = (routes: readonly RoutePath[]): ReadonlyMap<number, readonly Pattern[]> => {
  const byPath = new Map<string, Pattern>();
  for (const { method, path } of routes) {
    const pattern = byPath.get(path) ?? { segments: path.split('/'), methods: [] };
    pattern.methods.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    byPath.set(path, pattern);
  }
  const byLength = new Map<number, Pattern[]>();
  for (const pattern of byPath.values()) {
    const { length } = pattern.segments;
    byLength.set(length, [...(byLength.get(length) ?? []), pattern].sort(bySpecificity));
  }
  return byLength;
};

/**
 * Methods of a path: those of the most specific pattern that it matches, so that `/v1/source/list` is no source.
 * @returns undefined for a path of no route
 */
export const methodsAt = (
  routes: readonly RoutePath[],
): ((path: string) => readonly string[] | undefined) => {
  const byLength = patternsOf(routes);
  return path => {
    const found = path.split('/');
    const isMatch = ({ segments }: Pattern): boolean =>
      segments.every((segment, at) => (isParameter(segment) ? found[at] !== '' : segment === found[at]));
    return byLength.get(found.length)?.find(isMatch)?.methods;
  };
};

/**
 * Middleware before the routes: answers OPTIONS, and refuses a method that the path does not have, with `Allow`.
 * @throws Problem `methodNotAllowed`, or `notImplemented` for an unknown method
 */
export const allowedMethods = (routes: readonly RoutePath[]) => {
  const methodsOf = methodsAt(routes);
  return async (ctx: Context, next: Next): Promise<void> => {
    const methods = methodsOf(ctx.path);
    const allow = methods?.join(', ');
    const headers = allow === undefined ? {} : { Allow: allow };
    if (!supported.has(ctx.method))
      throw new Problem('notImplemented', `got ${ctx.method}, expected ${allow ?? 'a method of HTTP'}`, {
        headers,
      });
    if (!methods || methods.includes(ctx.method)) return next();
    if (ctx.method !== 'OPTIONS')
      throw new Problem('methodNotAllowed', `got ${ctx.method}, expected ${allow}`, { headers });
    ctx.set(headers);
    ctx.status = 200;
    ctx.body = '';
  };
};

/** Header fields that have one value: of several, a proxy before this service may have used another one. */
export const singleFields: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-encoding',
  'idempotency-key',
  'last-event-id',
  'origin',
]);

/**
 * Refuses a request that has a field twice that has one value, and one without Host (RFC 9112 §3.2): Node.js would use
 * the first of several.
 * @throws Problem `unparseable`
 */
export const singleHeaders = async ({ req }: Context, next: Next): Promise<void> => {
  const found = new Set<string>();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]?.toLowerCase() ?? '';
    if (!singleFields.has(name)) continue;
    if (found.has(name))
      throw new Problem('unparseable', `the request has several header fields "${name}", expected one`);
    found.add(name);
  }
  if (!found.has('host') && req.httpVersion !== '1.0')
    throw new Problem('unparseable', 'the request has no header field "host", expected one');
  // A proxy may have joined two fields, or use another part of such a value.
  if (/[\s,/?#@\\]/.test(req.headers.host ?? ''))
    throw new Problem('unparseable', 'the header field "host" is no host, expected one host and its port');
  await next();
};

/** Requests in progress of all tenants, from the valid token to the end of the answer. */
const requestsMax = 1024;

/**
 * Returns a function that counts a request of a tenant as in progress until its answer ends.
 * @param max requests in progress of all tenants
 * @throws QueueFull when the tenant has too many
 */
export const requestCounter = (max: number) => {
  const capacity = sharedCapacity(max, 'requests');
  return (ctx: Context, tenant: string): void => {
    const client = ctx.state['client'] as ClientConnection;
    client.requireOpen();
    capacity.take(tenant, 1);
    client.onEnd(() => capacity.release(tenant, 1));
  };
};

/** Middleware that limits the requests in progress of a tenant. It needs `ctx.state.actor`. */
export const requestLimit = () => {
  const count = requestCounter(requestsMax);
  return async (ctx: Context, next: Next): Promise<void> => {
    count(ctx, (ctx.state['actor'] as Actor).tenant);
    await next();
  };
};
