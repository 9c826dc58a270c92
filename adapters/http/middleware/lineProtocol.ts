import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { ClientGone } from '../clientConnection.js';
import { Problem, problemOf } from '../problem.js';
import { nameRoute } from './requestMonitoring.js';

/** Paths of writes in line protocol, of the second and the first API of InfluxDB. */
export const writePaths = ['/api/v2/write', '/write'] as const;
/** Path at which writers of the first API create their database. */
export const queryPath = '/query';
const pingPath = '/ping';

const firstApiPaths: readonly string[] = ['/write', queryPath];
const tokenPaths: readonly string[] = [...writePaths, queryPath];

/** Version of InfluxDB whose writes this service accepts. Clients choose their requests by it. */
const version = '1.8.0';

/** Codes of the second API by status. */
const codes: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  413: 'request too large',
  429: 'too many requests',
  500: 'internal error',
  503: 'unavailable',
};

/** The problem of a write. Writers send a batch again after 429, so that is the answer of full queues. */
const writeProblem = (error: unknown): Problem => {
  const problem = problemOf(error);
  return problem.code === 'queueFull'
    ? new Problem('tooManyWrites', problem.message, { headers: problem.headers })
    : problem;
};

/** Refuses credentials in the address: proxies log addresses. @throws Problem `credentialsInAddress` */
const requireNoCredentials = ({ querystring }: Context): void => {
  const query = new URLSearchParams(querystring);
  // Clients without credentials send empty ones.
  const found = ['u', 'p'].filter(name => query.getAll(name).some(value => value !== ''));
  if (found.length === 0) return;
  throw new Problem(
    'credentialsInAddress',
    `got the parameter ${found.join(' and ')}, expected the token in the header Authorization: addresses are logged by ` +
      'proxies. Configure no user name and password, and the header "Authorization: Token <token>"',
  );
};

/** The token in a header `Authorization` of InfluxDB; undefined for another one. */
const tokenIn = (header: string): string | undefined => {
  const [, scheme = '', value = ''] = /^(token|basic) +(\S+)$/i.exec(header) ?? [];
  if (scheme === '') return undefined;
  const text = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString() : value;
  // The user name does not matter; a token has no colon.
  return text.slice(text.lastIndexOf(':') + 1);
};

const answer = (ctx: Context, { status, message, headers }: Problem): void => {
  ctx.status = status;
  ctx.set(headers);
  ctx.body = firstApiPaths.includes(ctx.path)
    ? { error: message }
    : { code: codes[status] ?? 'invalid', message };
};

const ping = (ctx: Context): void => {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
    throw new Problem('methodNotAllowed', `got ${ctx.method}, expected GET`, {
      headers: { Allow: 'GET, HEAD' },
    });
  ctx.set({ 'X-Influxdb-Version': version, 'X-Influxdb-Build': 'Daybook' });
  ctx.status = 204;
};

/**
 * Middleware before the check of tokens, for clients of InfluxDB: answers `/ping`, takes tokens as `Token` and Basic on
 * the paths of writers, and answers refused requests there as InfluxDB does.
 */
export const influxClients =
  (log: Logger) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === pingPath) {
      nameRoute(ctx, pingPath);
      return ping(ctx);
    }
    if (!tokenPaths.includes(ctx.path)) return next();
    nameRoute(ctx, ctx.path);
    try {
      requireNoCredentials(ctx);
      const token = tokenIn(ctx.get('Authorization'));
      if (token !== undefined) ctx.req.headers.authorization = `Bearer ${token}`;
      await next();
    } catch (error) {
      if (error instanceof ClientGone || (ctx.req.destroyed && !ctx.req.complete)) throw error;
      const problem = writeProblem(error);
      if (problem.status >= 500)
        log.error({ err: error, requestId: ctx.state['requestId'] as string }, 'request failed');
      answer(ctx, problem);
    }
  };
