import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Logger } from 'pino';
import type { Service } from '../../application/requests/service.js';
import type { Tracer } from '../../application/ports/monitoring.js';
import type { NameResolver } from '../network/nameResolver.js';
import type { Settings } from '../settings/settings.js';
import { bodiesMemory, bodyPlaces } from './body.js';
import { bodyRateUsual, ClientGone } from './clientConnection.js';
import { answerMemory, endpoint } from './endpoint.js';
import { firstStart, type FirstStart, firstToken } from './routes/firstStart.js';
import type { KeptResponses } from './idempotency/keptResponses.js';
import type { ReadableMetrics } from '../monitoring/promMetrics.js';
import { allowedMethods, cors, singleHeaders, requestLimit } from './middleware/acceptedRequests.js';
import { compression } from './middleware/compression.js';
import {
  influxClients,
  feedRoutes,
  lineWrites,
  writeRoutes,
  databaseQueries,
  queryRoutes,
} from './routes/imports/lines.js';
import { requestLog, requestMetrics, requestTrace } from './middleware/requestMonitoring.js';
import { fetchKeys, remoteKeys, type RemoteKeys } from '../network/remoteKeys.js';
import { authentication } from './middleware/tokens.js';
import { openApi } from './openApi/document.js';
import { publicRoutes, metricsRoute } from './routes/publicRoutes.js';
import type { Route } from './route.js';
import { alertChangeRoutes } from './routes/alerts/alertChanges.js';
import { alertListRoutes, alertRoutes, explanationRoutes } from './routes/alerts/alerts.js';
import { incidentChangeRoutes, muteRoutes } from './routes/incidents/incidentChanges.js';
import { incidentRoutes } from './routes/incidents/incidents.js';
import { auditRoutes } from './routes/audit.js';
import { calendarRuleRoutes } from './routes/calendarRules.js';
import { calendarRoutes, dayRoutes, planningRoutes } from './routes/days.js';
import { importRoutes } from './routes/imports/imports.js';
import { inspectionRoutes } from './routes/imports/inspections.js';
import { eventRoutes } from './routes/events.js';
import { earlierModelRoutes, modelChangeRoutes, modelRoutes } from './routes/models.js';
import { overviewRoutes } from './routes/overview.js';
import { peopleRoutes, tokenRoutes } from './routes/tokens.js';
import { proofRoutes } from './routes/proofs.js';
import { sourceChangeRoutes, sourceRoutes } from './routes/sources.js';
import { tableRoutes } from './routes/tables.js';
import { webhookRoutes } from './routes/webhooks.js';
import { type ScreenFiles, screens, screenSession } from './screens.js';
import { Problem, problemBody, problemMedia, problemOf } from './problem.js';

const writeProblem = (ctx: Context, problem: Problem): void => {
  ctx.status = problem.status;
  ctx.set(problem.headers);
  ctx.body = problemBody(problem);
  ctx.type = problemMedia;
};

/** The problem of a path without a route; undefined when a route answered. */
const unroutedProblem = (ctx: Context): Problem | undefined => {
  if (ctx.body !== undefined && ctx.body !== null) return undefined;
  return ctx.status === 404 ? new Problem('notFound', `no resource at ${ctx.path}`) : undefined;
};

/** Outer middleware that answers every error and unknown path with a problem. */
const problems =
  (log: Logger) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const requestId = ctx.state['requestId'] as string;
    try {
      await next();
      const unrouted = unroutedProblem(ctx);
      if (unrouted) writeProblem(ctx, unrouted);
    } catch (error) {
      if (error instanceof ClientGone || (ctx.req.destroyed && !ctx.req.complete)) {
        log.info({ requestId }, 'client disconnected');
        ctx.respond = false;
        return;
      }
      const problem = problemOf(error);
      if (problem.status >= 500) log.error({ err: error, requestId }, 'request failed');
      writeProblem(ctx, problem);
    }
  };

/** All routes that need a token. */
export const routesOf = (service: Service, bodies = bodyPlaces(service.metrics)): readonly Route[] => [
  ...importRoutes(service, bodies),
  ...inspectionRoutes(service, bodies),
  ...feedRoutes(service),
  ...sourceRoutes(service),
  ...sourceChangeRoutes(service),
  ...modelRoutes(service),
  ...modelChangeRoutes(service),
  ...earlierModelRoutes(service),
  ...dayRoutes(service),
  ...tableRoutes(service),
  ...planningRoutes(service),
  ...calendarRoutes(service),
  ...calendarRuleRoutes(service, bodies),
  ...alertListRoutes(service),
  ...alertRoutes(service),
  ...alertChangeRoutes(service),
  ...incidentRoutes(service),
  ...incidentChangeRoutes(service),
  ...muteRoutes(service),
  ...explanationRoutes(service),
  ...auditRoutes(service),
  ...proofRoutes(service),
  ...peopleRoutes(service),
  ...eventRoutes(service),
  ...overviewRoutes(service),
  ...webhookRoutes(service),
  ...tokenRoutes(service),
];

export type AppParts = {
  readonly answers: KeptResponses;
  readonly screenFiles: ScreenFiles;
  readonly log: Logger;
  /** Resolves the name of JWT_JWKS_URL; absent for tokens that a secret checks. */
  readonly names?: NameResolver | undefined;
  /** Source of the answer to `GET /metrics`; absent when the path is not served here. */
  readonly metrics?: Pick<ReadableMetrics, 'text' | 'contentType'>;
  /** Absent for no tracing. */
  readonly tracer?: Tracer;
  /** The code of a first start; absent for one that is never shown. */
  readonly first?: FirstStart;
};

/** The keys of JWT_JWKS_URL; undefined when a secret checks tokens. */
const keysOf = (
  { key, algorithms }: Settings['tokens'],
  { names, log }: Pick<AppParts, 'names' | 'log'>,
  environment: Service['environment'],
): RemoteKeys | undefined =>
  key.kind === 'jwks' && names
    ? remoteKeys(
        () => fetchKeys(key.url, names),
        algorithms,
        error => log.warn({ err: error }, 'the keys of JWT_JWKS_URL cannot be fetched'),
        environment,
      )
    : undefined;

type AppSettings = Pick<Settings, 'tokens' | 'bodyRateMin' | 'corsOrigins' | 'oidc'>;

/**
 * The HTTP application: request log, metrics, CORS, compression, problems, screens, clients of InfluxDB, public routes,
 * first token, token, request limit, writes of lines and their databases, guarded routes.
 */
export const app = (
  service: Service,
  { tokens, bodyRateMin, corsOrigins, oidc }: AppSettings,
  {
    answers,
    screenFiles,
    log,
    names,
    metrics,
    tracer,
    first = firstStart(service, { firstStart: false }),
  }: AppParts,
): Koa => {
  const keys = keysOf(tokens, { names, log }, service.environment);
  const memory = bodiesMemory();
  const bodies = bodyPlaces(service.metrics, memory);
  const routes = routesOf(service, bodies);
  const bodyRate = { ...bodyRateUsual, bytesPerSecondMin: bodyRateMin };
  const parts = { service, kept: answers, log, bodyRate, bodies, memory: answerMemory() };
  // Each resource has one address: no trailing slash, no other case.
  const guarded = new Router({ strict: true, sensitive: true });
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    guarded[route.method](path, endpoint(route, parts));
  }

  const koa = new Koa();
  koa.use(requestLog(service, log));
  koa.use(requestMetrics(service));
  if (tracer) koa.use(requestTrace(service, tracer));
  koa.use(cors(corsOrigins));
  koa.use(compression());
  koa.use(problems(log));
  koa.use(singleHeaders);
  koa.use(screens(screenFiles, { ...(oidc && { oidc }), isFirstStart: first.isOpen }));
  koa.use(influxClients(log));
  koa.use(publicRoutes(service, { describe: () => openApi(routes), keys }));
  koa.use(firstToken(service, first, bodyRate));
  koa.use(authentication(tokens, keys, service));
  koa.use(async (_, next) => {
    first.end();
    await next();
  });
  koa.use(screenSession(tokens));
  if (metrics) koa.use(metricsRoute(metrics));
  koa.use(requestLimit());
  koa.use(allowedMethods([...routes, ...writeRoutes, ...queryRoutes]));
  koa.use(lineWrites(service, bodyRate, memory));
  koa.use(databaseQueries(bodyRate));
  koa.use(guarded.routes());
  koa.on('error', (error: NodeJS.ErrnoException) => {
    // Clients close event streams before their end.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') log.debug('the client disconnected during a response');
    else log.error({ err: error }, 'response failed');
  });
  return koa;
};
