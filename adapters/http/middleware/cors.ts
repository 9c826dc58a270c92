import type { Context, Next } from 'koa';

/** Headers of answers that scripts of other origins may read. */
const exposedHeaders =
  'Location, ETag, Retry-After, Age, Allow, X-Daybook-Position, X-Request-Id, WWW-Authenticate';
const crossOriginMethods = 'GET, POST, PUT, PATCH, DELETE';
const allowedHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, Accept, Content-Encoding';
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
