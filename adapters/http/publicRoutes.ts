import type { Context, Next } from 'koa';
import Type from './typebox.js';
import type { Service } from '../../application/service.js';
import type { RemoteKeys } from './middleware/remoteKeys.js';
import { nameRoute } from './middleware/requestMetrics.js';
import type { ProblemCode } from './problemTypes.js';
import type { Answers, Route } from './route.js';
import { health, live, ready } from './routes/service/health.js';
import { home } from './routes/service/home.js';
import { requireGet } from './routes/service/requireGet.js';
import { healthSchema, homeSchema, okSchema } from './schemas/service.js';

/** A read that needs no token, for the description. */
export type PublicOperation = Pick<Route, 'path' | 'operationId' | 'summary'> & {
  readonly answers: Answers;
  readonly problems: readonly ProblemCode[];
};

const descriptionSchema = Type.Object(
  { openapi: Type.String({ examples: ['3.1.0'] }) },
  { additionalProperties: true },
);

export const publicOperations: readonly PublicOperation[] = [
  {
    path: '/',
    operationId: 'home',
    summary: 'Get links to the description and the state of the service',
    answers: { 200: { description: 'The links', schema: homeSchema } },
    problems: ['methodNotAllowed', 'internal'],
  },
  {
    path: '/health',
    operationId: 'health',
    summary: 'Get the state of the service: whether it can handle requests',
    answers: { 200: { description: 'It can handle requests', schema: healthSchema } },
    problems: ['methodNotAllowed', 'internal', 'readModelsBehind', 'storeUnavailable', 'storageFull'],
  },
  {
    path: '/health/live',
    operationId: 'live',
    summary: 'Get whether the process answers; a supervisor restarts it when not',
    answers: { 200: { description: 'It answers', schema: okSchema } },
    problems: ['methodNotAllowed', 'internal'],
  },
  {
    path: '/health/ready',
    operationId: 'ready',
    summary: 'Get whether the service can handle requests; a load balancer sends none when not',
    answers: { 200: { description: 'It can handle requests', schema: okSchema } },
    problems: ['methodNotAllowed', 'internal', 'readModelsBehind', 'storeUnavailable', 'storageFull'],
  },
  {
    path: '/openapi.json',
    operationId: 'openApi',
    summary: 'Get this description',
    answers: { 200: { description: 'OpenAPI 3.1', schema: descriptionSchema } },
    problems: ['methodNotAllowed', 'internal'],
  },
];

/**
 * Middleware of the paths that need no token: exact ones, so there is no trailing slash and no other case. The
 * description is made at the first request.
 */
export const publicRoutes = (
  service: Service,
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
