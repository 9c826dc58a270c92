import type { Context, Next } from 'koa';
import Type, { type Static } from '../typebox.js';
import type { RemoteKeys } from '../../network/remoteKeys.js';
import { nameRoute } from '../middleware/requestMonitoring.js';
import { ok, type PublicOperation } from '../route.js';
import { Problem } from '../problem.js';
import type { ReadableMetrics } from '../../monitoring/promMetrics.js';
import { requireScope, type Actor } from '../middleware/tokens.js';
import { named } from '../schemas/common.js';
import { firstTokenOperation } from './firstStart.js';
import {
  health,
  healthSchema,
  type HealthParts,
  live,
  okSchema,
  readinessProblems,
  ready,
} from './health.js';

const homeSchema = named('Home', {
  name: Type.Literal('Daybook'),
  description: Type.Literal('/openapi.json', { description: 'The API as OpenAPI 3.1.' }),
  health: Type.Literal('/health', { description: 'Whether the service can handle requests.' }),
  documentation: Type.Literal('/docs', {
    description: 'The reference of the API to try out, and the pages for users, auditors and operators.',
  }),
});

/** Links to the description and the state of the service. */
const home = (ctx: Context): void => {
  ctx.body = {
    name: 'Daybook',
    description: '/openapi.json',
    health: '/health',
    documentation: '/docs',
  } satisfies Static<typeof homeSchema>;
};

/**
 * Refuses a request to a path that can only be read.
 * @throws Problem `methodNotAllowed` for another method than GET and HEAD
 */
const requireGet = ({ method }: Pick<Context, 'method'>): void => {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('methodNotAllowed', `got ${method}, expected GET`, {
      headers: { Allow: 'GET, HEAD' },
    });
};

const descriptionSchema = Type.Object(
  { openapi: Type.String({ examples: ['3.1.0'] }) },
  { additionalProperties: true },
);

/** Operations that need no token. */
export const publicOperations: readonly PublicOperation[] = [
  {
    path: '/',
    operationId: 'home',
    summary: 'Get links to the description and the state of the service',
    answers: ok('The links', homeSchema),
    problems: ['methodNotAllowed', 'internal'],
  },
  {
    path: '/health',
    operationId: 'health',
    summary: 'Get the state of the service: whether it can handle requests',
    answers: ok('It can handle requests', healthSchema),
    problems: readinessProblems,
  },
  {
    path: '/health/live',
    operationId: 'live',
    summary: 'Get whether the process answers; a supervisor restarts it when not',
    answers: ok('It answers', okSchema),
    problems: ['methodNotAllowed', 'internal'],
  },
  {
    path: '/health/ready',
    operationId: 'ready',
    summary: 'Get whether the service can handle requests; a load balancer sends none when not',
    answers: ok('It can handle requests', okSchema),
    problems: readinessProblems,
  },
  {
    path: '/openapi.json',
    operationId: 'openApi',
    summary: 'Get this description',
    answers: ok('OpenAPI 3.1', descriptionSchema),
    problems: ['methodNotAllowed', 'internal'],
  },
  firstTokenOperation,
];

/**
 * Middleware of the paths that need no token: exact ones, so there is no trailing slash and no other case. The
 * description is made at the first request.
 */
export const publicRoutes = (
  service: HealthParts,
  { describe, keys }: { readonly describe: () => object; readonly keys: RemoteKeys | undefined },
) => {
  let description: string | undefined;
  const answers: ReadonlyMap<string, (ctx: Context) => void> = new Map([
    ['/', home],
    ['/health', health(service, keys)],
    ['/health/live', live],
    ['/health/ready', ready(service)],
    [
      '/openapi.json',
      ctx => {
        ctx.type = 'application/json';
        ctx.body = description ??= JSON.stringify(describe());
      },
    ],
  ]);
  return async (ctx: Context, next: Next): Promise<void> => {
    const answer = answers.get(ctx.path);
    if (!answer) return next();
    nameRoute(ctx, ctx.path);
    requireGet(ctx);
    answer(ctx);
  };
};

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
