import type { Context, Next } from 'koa';
import Type, { type Static } from '../typebox.js';
import type { Service } from '../../../application/requests/service.js';
import type { RemoteKeys } from '../../network/remoteKeys.js';
import { nameRoute } from '../middleware/requestMonitoring.js';
import type { ProblemCode } from '../problemTypes.js';
import type { Answers, Route } from '../route.js';
import { Problem } from '../problem.js';
import { subjectName } from '../../../domain/streams.js';
import { damageAdvice, StoreUnavailable } from '../../../application/ports/eventStore.js';
import { isDamage, type Parked } from '../../../projections/parked.js';
import type { ReadableMetrics } from '../../monitoring/promMetrics.js';
import { requireScope, type Actor } from '../middleware/tokens.js';
import { strict } from '../schemas/common.js';

const parkedSchema = Type.Object(
  {
    subject: Type.String({
      description: 'The source by its id; `webhooks`, `audit` or `catalog` for a stream of no source.',
      examples: ['source-7'],
    }),
    position: Type.String({ description: 'Position of the event in the log.', examples: ['412'] }),
    type: Type.String({ description: 'Type of the event.', examples: ['DaysImported'] }),
    cause: Type.String({
      description: 'Name of the error; the log of the service has its message.',
      examples: ['SQLITE_CONSTRAINT_NOTNULL'],
    }),
  },
  { ...strict, title: 'Parked' },
);

const healthSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
      description: 'degraded: requests are handled, and something needs attention.',
      examples: ['ok'],
    }),
    causes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            code: Type.String({ examples: ['keysUnavailable'] }),
            detail: Type.String({ examples: ['the keys of JWT_JWKS_URL cannot be fetched'] }),
          },
          strict,
        ),
        { description: 'Why it is degraded.' },
      ),
    ),
    parked: Type.Optional(
      Type.Array(parkedSchema, {
        description:
          'The first 20 sources, and streams of no source, with an event that this build cannot handle.',
      }),
    ),
    readModels: Type.Object(
      {
        position: Type.String({ description: 'Position of the read models in the log.', examples: ['412'] }),
      },
      strict,
    ),
    reactor: Type.Object(
      {
        backlog: Type.Integer({
          description:
            'Events whose checks or analyses are not in the log yet, without parked ones; with EventStoreDB also the ' +
            'events that the server has to pass before it delivers new ones.',
          examples: [0],
        }),
        parked: Type.Integer({
          description: 'Events that failed repeatedly; see daybook replay-parked.',
          examples: [0],
        }),
      },
      strict,
    ),
    analysis: Type.Object(
      { waiting: Type.Integer({ description: 'Analyses in the queue.', examples: [0] }) },
      strict,
    ),
  },
  { ...strict, title: 'Health' },
);

/** The answer of the probes of supervisors and load balancers. */
const okSchema = Type.Object({ status: Type.Literal('ok') }, { ...strict, title: 'Ok' });

const homeSchema = Type.Object(
  {
    name: Type.Literal('Daybook'),
    description: Type.Literal('/openapi.json', { description: 'The API as OpenAPI 3.1.' }),
    health: Type.Literal('/health', { description: 'Whether the service can handle requests.' }),
    documentation: Type.Literal('/docs', {
      description: 'The reference of the API to try out, and the pages for users, auditors and operators.',
    }),
  },
  { ...strict, title: 'Home' },
);

/**
 * Checks that requests can be handled.
 * @throws LogDamaged, StorageFull, StoreUnavailable
 */
const requireReady = (service: Service): void => {
  const damage = service.log.damage?.();
  if (damage) throw damage;
  service.requireRoom();
  if (!service.isProjecting()) throw new StoreUnavailable('the read models cannot follow the log');
  if (service.shared && !service.shared())
    throw new StoreUnavailable('the event store was unreachable a moment ago');
};

/** Parked subjects that are listed. */
const parkedMax = 20;

/** A parked subject without the name of its tenant and without content of its event. */
const shownParked = ({ subject, position, type, cause }: Parked) => ({
  subject: subjectName(subject),
  position: String(position),
  type,
  cause,
});

/** Liveness: the process answers. */
const live = (ctx: Context): void => {
  ctx.body = { status: 'ok' };
};

/** Readiness. @throws as `requireReady` */
const ready =
  (service: Service) =>
  (ctx: Context): void => {
    requireReady(service);
    ctx.body = { status: 'ok' };
  };

/** A fault of which requests notice nothing yet, or not all. */
type Cause = { readonly code: string; readonly detail: string };

const causesOf = (keys: RemoteKeys | undefined): readonly Cause[] => [
  ...(keys?.isFailing()
    ? [
        {
          code: 'keysUnavailable',
          detail:
            'the keys of JWT_JWKS_URL cannot be fetched; the last good ones are used for at most one hour',
        },
      ]
    : []),
];

const scrubCauses = ({ scrub }: Service): readonly Cause[] =>
  scrub?.isDiffering() === true
    ? [
        {
          code: 'readModelsDiffer',
          detail:
            'rows of read-models.sqlite differed from the log: the log of the service names the first; they were ' +
            'rebuilt, unless they differed right after a rebuild, and the next comparison ends this',
        },
      ]
    : [];

const parkedCauses = (parked: readonly Parked[]): readonly Cause[] => {
  const damaged = parked.filter(isDamage).length;
  const others = parked.length - damaged;
  const codes: readonly (readonly [number, Cause])[] = [
    [others, { code: 'sourceParked', detail: `events of ${others} sources or streams cannot be handled` }],
    [
      damaged,
      {
        code: 'logDamaged',
        detail: `events of ${damaged} sources or streams are damaged in the log: ${damageAdvice}`,
      },
    ],
  ];
  return codes.flatMap(([count, cause]) => (count > 0 ? [cause] : []));
};

/**
 * Readiness of the service and length of its queues; it reveals nothing about tenants.
 * @throws StorageFull, StoreUnavailable when requests cannot be handled
 */
const health = (service: Service, keys: RemoteKeys | undefined) => (ctx: Context) => {
  const { position } = service.models.checkpoint('readModels');
  const shared = service.shared?.();
  requireReady(service);
  const parked = service.models.parked.all();
  const causes = [...causesOf(keys), ...parkedCauses(parked), ...scrubCauses(service)];
  ctx.body = {
    status: causes.length > 0 ? 'degraded' : 'ok',
    ...(causes.length > 0 && { causes }),
    ...(parked.length > 0 && { parked: parked.slice(0, parkedMax).map(shownParked) }),
    readModels: { position: String(position) },
    reactor: {
      backlog: service.backlog(),
      // Only instances that share an event store park events.
      parked: shared?.parked ?? 0,
    },
    analysis: { waiting: service.analyst.waiting() },
  };
};

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
export const requireGet = ({ method }: Pick<Context, 'method'>): void => {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('methodNotAllowed', `got ${method}, expected GET`, {
      headers: { Allow: 'GET, HEAD' },
    });
};

/** A read that needs no token, for the description. */
export type PublicOperation = Pick<Route, 'path' | 'operationId' | 'summary'> & {
  readonly answers: Answers;
  readonly problems: readonly ProblemCode[];
};

const descriptionSchema = Type.Object(
  { openapi: Type.String({ examples: ['3.1.0'] }) },
  { additionalProperties: true },
);

/** Reasons for which the service cannot handle requests, and those of every public path. */
const readinessProblems: readonly ProblemCode[] = [
  'methodNotAllowed',
  'internal',
  'readModelsBehind',
  'storeUnavailable',
  'storageFull',
  'logDamaged',
];

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
    problems: readinessProblems,
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
    problems: readinessProblems,
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
