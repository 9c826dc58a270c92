import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { requireCapacity } from '../../../../application/requests/access.js';
import { shown } from '../../../../application/requests/imports/faults.js';
import { unclaimedMax } from '../../../../application/requests/points/feeds.js';
import type { RejectedLines } from '../../../../application/requests/points/pointList.js';
import type { Metrics } from '../../../../application/ports/monitoring.js';
import type { SharedCapacity } from '../../../../application/ports/sharing/fairQueue.js';
import type { Service } from '../../../../application/requests/service.js';
import { writeLines } from '../../../../application/requests/useCases/writeLines.js';
import {
  collectLines,
  linesLimits,
  precisionNamed,
  precisions,
  type Precision,
} from '../../../lineProtocol/collectLines.js';
import { clockOf } from '../../../timeZones.js';
import { inPlace } from '../../answers/largeAnswer.js';
import type { LineBatch } from '../../../../application/requests/points/pointList.js';
import { bodyPlaces, isPacked, requestBody, requireLength, wholeBody } from '../../body.js';
import { ClientGone, type BodyRate, type ClientConnection } from '../../clientConnection.js';
import { nameRoute } from '../../middleware/requestMonitoring.js';
import { requireScope, type Actor } from '../../middleware/tokens.js';
import { Problem, problemOf } from '../../problem.js';
import { ok, route, type Route } from '../../route.js';
import { instantSchema, named, integer } from '../../schemas/common.js';
import Type from '../../typebox.js';

/** Paths of writes in line protocol, of the second and the first API of InfluxDB. */
const writePaths = ['/api/v2/write', '/write'] as const;
/** Path at which writers of the first API create their database. */
const queryPath = '/query';
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

/** Methods of the paths of writes, for `allowedMethods`. */
export const writeRoutes = writePaths.map(path => ({ method: 'post', path }) as const);

/** @throws Problem `linesRejected` for an unknown precision */
const precisionOf = (query: URLSearchParams): Precision => {
  const given = query.get('precision') ?? '';
  const precision = precisionNamed(given);
  if (precision) return precision;
  throw new Problem(
    'linesRejected',
    `invalid precision: got ${shown(given)}, expected one of ${precisions.join(', ')}; nothing was stored`,
  );
};

/** The problem of lines that were not stored; in the words of InfluxDB, which writers look for. */
const partialWrite = (rejected: RejectedLines): Problem => {
  const reasons = rejected.first().map(({ line, reason }) => `line ${line}: ${reason}`);
  const others = rejected.count() - reasons.length;
  const more = others > 0 ? `; and ${others} further lines` : '';
  return new Problem(
    'linesRejected',
    `partial write: ${reasons.join('; ')}${more}; all other lines are stored, dropped=${rejected.count()}`,
  );
};

/**
 * Middleware of writes in line protocol. They are outside the API description: their form is that of InfluxDB.
 * @throws Problem `linesRejected` after the other lines are stored
 */
export const lineWrites = (
  service: Pick<
    Service,
    | 'backlog'
    | 'backlogOf'
    | 'caughtUp'
    | 'environment'
    | 'feeds'
    | 'freshness'
    | 'metrics'
    | 'models'
    | 'now'
    | 'people'
    | 'points'
    | 'requireRoom'
    | 'requireWhole'
  >,
  rate: BodyRate,
  memory: SharedCapacity,
) => {
  const watchQueue: Metrics['watchQueue'] = (_, waiting) => service.metrics.watchQueue('lines', waiting);
  const readInPlace = bodyPlaces({ watchQueue }, memory);
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== 'POST' || !writeRoutes.some(({ path }) => path === ctx.path)) return next();
    const actor = ctx.state['actor'] as Actor;
    requireScope(actor, 'import');
    service.requireRoom();
    requireCapacity(service, actor);
    const precision = precisionOf(new URLSearchParams(ctx.querystring));
    const packedBytesMax = isPacked(ctx) ? linesLimits.bytesMax : undefined;
    requireLength(ctx.req, linesLimits.bytesMax);
    await service.freshness.forWrite();
    const { bytes } = requestBody(ctx.req, { prefix: undefined, rate, packedBytesMax });
    const { signal } = ctx.state['client'] as ClientConnection;
    const rule = { precision, nowMs: service.environment.nowMs() };
    const store = async (batch: LineBatch): Promise<void> => {
      service.requireWhole();
      const by = await service.people.sealed(actor, actor.subject);
      await writeLines(service, { actor, by }, batch, clockOf);
      if (batch.rejected.count() > 0) throw partialWrite(batch.rejected);
    };
    const from = { actor, stream: bytes, signal };
    await readInPlace(from, chunks => collectLines(chunks, rule), store);
    ctx.status = 204;
  };
};

const tagsSchema = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  examples: [{ room: 'hall' }],
});

const unclaimedSchema = named('UnclaimedFeed', {
  measurement: Type.String({ examples: ['energy'] }),
  field: Type.String({ examples: ['value'] }),
  tags: tagsSchema,
  firstSeen: instantSchema,
  lastSeen: instantSchema,
  points: integer('Points that came, with repeats.', 1200, { minimum: 1 }),
});

const listSchema = named('UnclaimedFeeds', {
  feeds: Type.Array(unclaimedSchema, {
    description: `At most ${unclaimedMax}, those with the latest points first.`,
  }),
});

/** Routes about feeds. */
export const feedRoutes = (
  service: Pick<Service, 'environment' | 'feeds' | 'largeAnswers' | 'models' | 'turns'>,
): readonly Route[] => [
  route({
    at: 'GET /v1/feed/unclaimed',
    operationId: 'listUnclaimedFeeds',
    summary: 'List the series of line protocol that came in the last 7 days and that no source takes',
    scope: 'read',
    answers: ok('The series', listSchema),
    run: call =>
      inPlace(service, call, async () => {
        const { tenant } = call.actor;
        const yieldToEventLoop = service.turns.yielderFor(tenant, call.signal);
        const routes = service.feeds.routesOf(tenant);
        const instant = (ms: number): string => new Date(ms).toISOString();
        const feeds: object[] = [];
        for (const series of service.feeds.unclaimed.list(tenant, service.environment.nowMs())) {
          await yieldToEventLoop();
          if (routes(series) !== undefined) continue;
          const { tags, firstSeenMs, lastSeenMs, measurement, field, points } = series;
          feeds.push({
            ...{ measurement, field, tags: Object.fromEntries(tags) },
            ...{ firstSeen: instant(firstSeenMs), lastSeen: instant(lastSeenMs), points },
          });
        }
        return { status: 200, body: { feeds } };
      }),
  }),
];

/** Methods of the path, for `allowedMethods`. */
export const queryRoutes = [
  { method: 'get', path: queryPath },
  { method: 'post', path: queryPath },
] as const;

/** Most bytes of a form with a query. */
const formBytesMax = 65_536;

/** The query of a request, in its address or in a form. @throws TooLarge */
const queryIn = async (ctx: Context, rate: BodyRate): Promise<string> => {
  const given = new URLSearchParams(ctx.querystring).get('q');
  if (given !== null || ctx.method !== 'POST') return given ?? '';
  requireLength(ctx.req, formBytesMax);
  const packedBytesMax = isPacked(ctx) ? formBytesMax : undefined;
  const { bytes } = requestBody(ctx.req, { prefix: undefined, rate, packedBytesMax });
  return new URLSearchParams((await wholeBody(bytes, formBytesMax)).toString()).get('q') ?? '';
};

/** The answer of InfluxDB to a statement about databases. @throws Problem `linesRejected` for others */
const resultOf = (statement: string, index: number): object => {
  if (/^create\s+database\s/i.test(statement)) return { statement_id: index };
  if (/^show\s+databases$/i.test(statement))
    return { statement_id: index, series: [{ name: 'databases', columns: ['name'] }] };
  throw new Problem(
    'linesRejected',
    `got ${statement === '' ? 'no query' : `the query ${shown(statement)}`}, expected CREATE DATABASE or SHOW DATABASES: this path is for writers; ` +
      'values are read at /v1/day/list/{source_id}',
  );
};

/**
 * Middleware for writers of the first API of InfluxDB, which create their database before they write. It is there
 * whatever its name: nothing is stored, and none is listed.
 */
export const databaseQueries =
  (rate: BodyRate) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== queryPath || !['GET', 'HEAD', 'POST'].includes(ctx.method)) return next();
    requireScope(ctx.state['actor'] as Actor, 'import');
    const query = await queryIn(ctx, rate);
    const statements = query.split(';').flatMap(one => one.trim() || []);
    ctx.body = { results: (statements.length > 0 ? statements : ['']).map(resultOf) };
  };
