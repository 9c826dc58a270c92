import { Readable } from 'node:stream';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { OutcomeUnknown, StoreUnavailable } from '../../application/eventStore.js';
import { InvalidInput } from '../../application/imports/faults.js';
import { csvLimits } from '../csv/rows.js';
import { daysBodyLimits } from '../json/limits.js';
import type { Requester } from '../../application/requester.js';
import type { Service } from '../../application/service.js';
import type { Settings } from '../settings.js';
import { sharedCapacity, type SharedCapacity } from '../../application/sharing/sharedCapacity.js';
import { alertChangeRoutes } from './routes/alertChanges.js';
import { alertListRoutes } from './routes/alertLists.js';
import { alertRoutes } from './routes/alerts.js';
import { requireLength, jsonReader, requestBody } from './bodies/body.js';
import { auditRoutes } from './routes/audit.js';
import { bodyRateUsual, type BodyRate } from './bodies/bodyRate.js';
import { calendarRoutes } from './routes/calendar.js';
import { dayRoutes } from './routes/days.js';
import { eventRoutes } from './routes/events.js';
import { explanationRoutes } from './routes/explanations.js';
import { markOf, msOf, queryOf } from './middleware/freshness.js';
import { health } from './routes/health.js';
import type { KeptResponses } from './middleware/idempotency.js';
import { importRoutes } from './routes/imports.js';
import { inspectionRoutes } from './routes/inspections.js';
import { jsonAnswer } from './answers/jsonAnswer.js';
import { modelRoutes } from './routes/models.js';
import { openApi } from './openApi.js';
import { overviewRoutes } from './routes/overview.js';
import { peopleRoutes } from './routes/people.js';
import { planningRoutes } from './routes/planning.js';
import { presenceOf, type Presence } from './server/presence.js';
import type { ScreenFiles } from './screens/screenFiles.js';
import { screens } from './screens/screens.js';
import { isOutcomeKnown, problems } from './middleware/problems.js';
import { proofRoutes } from './routes/proofs.js';
import { requireMedia, textReader, type Answer, type BodyKind, type Call, type Route } from './route.js';
import { sourceRoutes } from './routes/sources.js';
import { authentication, requireScope, type Actor } from './middleware/tokens.js';

/** Every route behind a token. */
export const routesOf = (service: Service): readonly Route[] => [
  ...importRoutes(service),
  ...inspectionRoutes(),
  ...sourceRoutes(service),
  ...modelRoutes(service),
  ...dayRoutes(service),
  ...planningRoutes(service),
  ...calendarRoutes(service),
  ...alertListRoutes(service),
  ...alertRoutes(service),
  ...alertChangeRoutes(service),
  ...explanationRoutes(service),
  ...auditRoutes(service),
  ...proofRoutes(service),
  ...peopleRoutes(service),
  ...eventRoutes(service),
  ...overviewRoutes(service),
];

/** One resource, one address: no trailing slash, no other case. */
const exactPaths = { strict: true, sensitive: true };

export type AppParts = {
  readonly answers: KeptResponses;
  readonly screenFiles: ScreenFiles;
  readonly log: Logger;
};

/** The HTTP face: problems, then log, then what is public, then tokens, then everything else. */
export const app = (
  service: Service,
  { tokens, bodyRateMin, oidc }: Pick<Settings, 'tokens' | 'bodyRateMin' | 'oidc'>,
  { answers, screenFiles, log }: AppParts,
): Koa => {
  const bodyRate = { ...bodyRateUsual, bytesPerSecondMin: bodyRateMin };
  const parts = {
    service,
    answers,
    log,
    bodyRate,
    memory: sharedCapacity(answerBytesMax, 'bytes of answers'),
  };
  const routes = routesOf(service);
  const open = new Router(exactPaths);
  open.get('/health', health(service));
  const description = openApi(routes);
  open.get('/openapi.json', ctx => {
    ctx.body = description;
  });

  const guarded = new Router(exactPaths);
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    guarded[route.method](path, endpoint(route, parts));
  }

  const koa = new Koa();
  koa.use(identified(service, log));
  koa.use(problems(log));
  koa.use(screens(screenFiles, oidc ? { oidc } : {}));
  koa.use(open.routes());
  koa.use(authentication(tokens));
  koa.use(bounded(sharedCapacity(requestsMax, 'requests')));
  koa.use(guarded.routes());
  koa.use(guarded.allowedMethods());
  koa.on('error', (error: NodeJS.ErrnoException) => {
    // Clients leave streams without their ends, event streams always.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') log.debug('the client left during a response');
    else log.error({ err: error }, 'response failed');
  });
  return koa;
};

/** Requests under way for all tenants, from their tokens to the ends of their answers; see `sharedCapacity`. */
const requestsMax = 1024;
/** Bytes of answers that clients have not taken yet. */
const answerBytesMax = 512_000_000;

/** Bounds what a tenant's clients have under way, and begins nothing for those who are gone. */
const bounded = (room: SharedCapacity) => async (ctx: Context, next: () => Promise<void>) => {
  const { tenant } = ctx.state['actor'] as Actor;
  const client = ctx.state['client'] as Presence;
  client.signal.throwIfAborted();
  room.take(tenant, 1);
  client.onEnd(() => room.release(tenant, 1));
  await next();
};

/** Gives each request an id and logs what came of it; paths and actors, never tokens or bodies. */
const identified =
  ({ environment: { newId } }: Service, log: Logger) =>
  async (ctx: Context, next: () => Promise<void>) => {
    const started = performance.now();
    const requestId = newId();
    ctx.state['requestId'] = requestId;
    ctx.state['client'] = presenceOf(ctx.res);
    ctx.set({ 'X-Request-Id': requestId, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await next();
    const actor = ctx.state['actor'] as Actor | undefined;
    log.info(
      {
        requestId,
        method: ctx.method,
        path: ctx.path.slice(0, 200),
        status: ctx.status,
        ms: Math.round(performance.now() - started),
        subject: actor?.subject,
        tenant: actor?.tenant,
      },
      'request',
    );
  };

const bytesMaxOf = (body: BodyKind): number => {
  switch (body.kind) {
    case 'none':
      return Infinity;
    case 'json':
      return body.bytesMax;
    case 'days':
      return daysBodyLimits.bytesMax;
    case 'csv':
      return csvLimits.bytesMax;
  }
};

type EndpointParts = {
  readonly service: Service;
  readonly answers: KeptResponses;
  readonly log: Logger;
  readonly bodyRate: BodyRate;
  /** See `jsonAnswer`. */
  readonly memory: SharedCapacity;
};

/** The middleware of one route: scope, parameters, body, then `run`, and its first answer kept under its key. */
const endpoint = (route: Route, { service, answers, log, bodyRate, memory }: EndpointParts) => {
  const { turns } = service;
  const readParams = textReader(route.params, 'path');
  const readQuery = textReader(queryOf(route), 'query');
  const { body: taken } = route;
  const readJson = taken.kind === 'json' ? jsonReader(taken.schema, taken.bytesMax) : undefined;

  return async (ctx: Context & { readonly params: Record<string, string> }): Promise<void> => {
    const actor = ctx.state['actor'] as Actor;
    const { tenant } = actor;
    const client = ctx.state['client'] as Presence;
    requireScope(actor, route.scope);
    if (route.method !== 'get') service.requireRoom();
    const params = readParams(ctx.params);
    const { maxStaleness, ...query } = readQuery(ctx.query);
    requireMedia(ctx.req, taken.kind);
    requireLength(ctx.req, bytesMaxOf(taken));
    const key = route.method === 'post' ? keyOf(ctx) : undefined;
    const { bytes, digest } = requestBody(ctx.req, key && `${ctx.method} ${ctx.url}\n`, bodyRate);
    const requestId = ctx.state['requestId'] as string;

    let begun = false;
    let holder = '';
    const begin: Requester['begin'] = async () => {
      const by = await service.people.sealed(actor, actor.subject);
      const caused = { by, cause: requestId, correlation: requestId };
      if (key === undefined) return { id: requestId, isRetry: false, ...caused, at: service.now() };
      // Responses are kept under the person's present key: an erased person has left none.
      holder = by;
      const first = await answers.begin(holder, key, digest(), service.now());
      if ('answer' in first) throw new Repeated(first.answer);
      begun = true;
      return { ...first, ...caused, at: service.now() };
    };
    const open = (json: string) => service.people.openedJson(tenant, json);
    const send = async ({ status, headers, body, sealed = false }: Answer): Promise<void> => {
      const opened = sealed ? async (json: string) => json : open;
      const isJson = !(body instanceof Readable);
      const parts = { tenant, client, yieldToEventLoop: turns.yielderFor(tenant), open: opened };
      // What a write has done stands: only what reads is put off.
      const room = route.method === 'get' ? memory : undefined;
      const json = isJson ? await jsonAnswer(body, { ...parts, memory: room }) : undefined;
      ctx.status = status;
      ctx.set({ ...(isJson && { 'Content-Type': 'application/json; charset=utf-8' }), ...headers });
      ctx.body = json ? json.body : body;
      if (json) ctx.length = json.bytes;
    };
    /** What became of the request stands, whether or not its answer can be kept: a retry does nothing twice. */
    const catchUp = async (note: () => Promise<void>): Promise<void> => {
      try {
        await note();
      } catch (error) {
        log.error({ err: error, requestId }, 'the answer of an Idempotency-Key cannot be kept');
      }
    };
    try {
      if (route.method !== 'get') await service.freshness.forWrite();
      else ctx.set(markOf(await service.freshness.forRead(msOf(maxStaleness))));
      const body = await readJson?.(bytes);
      // Writes share their commits with others of this turn of the event loop.
      if (route.method === 'get') await turns.take(tenant, client.signal);
      else client.signal.throwIfAborted();
      const call: Call<unknown, unknown, unknown> = {
        params,
        query,
        body,
        stream: bytes,
        actor,
        signal: client.signal,
        requestId,
        lastEventId: ctx.get('Last-Event-ID'),
        accepts: (...types) => ctx.accepts(...types) as string | false,
        begin,
      };
      // `route()` has tied these types to the schemas that were just checked.
      const answer = await route.run(call as Call<never, never, never>);
      if (begun && key !== undefined) await catchUp(() => answers.keep(holder, key, answer));
      await send(answer).catch((error: unknown) => {
        throw route.method === 'get' ? error : afterEffect(error);
      });
    } catch (error) {
      if (error instanceof Repeated) return await send(error.answer);
      if (begun && key !== undefined) {
        if (isOutcomeKnown(error)) await catchUp(() => answers.forget(holder, key));
        else answers.leave(holder, key);
      }
      throw error;
    }
  };
};

/** What went wrong after a request took effect: that the store cannot be read now says nothing of its outcome. */
const afterEffect = (error: unknown): unknown =>
  error instanceof StoreUnavailable && !(error instanceof OutcomeUnknown)
    ? new OutcomeUnknown(error.message, { cause: error })
    : error;

/** Not an error: the answer that the same request got before. */
class Repeated extends Error {
  readonly name = 'Repeated';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('answered before');
    this.answer = answer;
  }
}

const keyOf = (ctx: Context): string | undefined => {
  const key = ctx.get('Idempotency-Key');
  if (key === '') return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new InvalidInput('parametersInvalid', 'the header Idempotency-Key is not valid', [
      {
        code: 'keyFormat',
        pointer: '/header/Idempotency-Key',
        detail: 'expected 1 to 255 visible ASCII characters without spaces',
      },
    ]);
  return key;
};
