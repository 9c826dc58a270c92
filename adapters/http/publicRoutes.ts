import Router from '@koa/router';
import Type from './typebox.js';
import type { Service } from '../../application/service.js';
import { nameRoute } from './middleware/requestMetrics.js';
import { Problem } from './problem.js';
import type { ProblemCode } from './problemTypes.js';
import type { Answers, Route } from './route.js';
import { health, live, ready } from './routes/service/health.js';
import { home } from './routes/service/home.js';
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
    problems: ['methodNotAllowed', 'internal', 'storeUnavailable', 'storageFull'],
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
    problems: ['methodNotAllowed', 'internal', 'storeUnavailable', 'storageFull'],
  },
  {
    path: '/openapi.json',
    operationId: 'openApi',
    summary: 'Get this description',
    answers: { 200: { description: 'OpenAPI 3.1', schema: descriptionSchema } },
    problems: ['methodNotAllowed', 'internal'],
  },
];

/** Router of the paths that need no token. The description is made at the first request. */
export const publicRouter = (service: Service, describe: () => object): Router => {
  // Each resource has one address: no trailing slash, no other case.
  const router = new Router({ strict: true, sensitive: true });
  let description: string | undefined;
  for (const { path } of publicOperations)
    router.all(path, (ctx, next) => {
      nameRoute(ctx, path);
      return next();
    });
  router.get('/', home);
  router.get('/health', health(service));
  router.get('/health/live', live);
  router.get('/health/ready', ready(service));
  router.get('/openapi.json', ctx => {
    ctx.type = 'application/json';
    ctx.body = description ??= JSON.stringify(describe());
  });
  for (const { path } of publicOperations)
    router.all(path, ctx => {
      throw new Problem('methodNotAllowed', `got ${ctx.method}, expected GET`, {
        headers: { Allow: 'GET, HEAD' },
      });
    });
  return router;
};
