import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { failAfterEffect } from '../../application/eventStore.js';
import { InvalidInput } from '../../application/imports/faults.js';
import type { Service } from '../../application/service.js';
import { sharedCapacity, type SharedCapacity } from '../../application/sharing/sharedCapacity.js';
import { csvLimits } from '../csv/rows.js';
import { daysBodyLimits } from '../json/limits.js';
import { harmlessJson } from '../../domain/harmlessText.js';
import { jsonAnswer } from './answers/jsonAnswer.js';
import { jsonReader, requestBody, requireLength } from './bodies/body.js';
import type { BodyRate } from './bodies/bodyRate.js';
import { isPacked, requireMediaType } from './bodies/mediaType.js';
import { idempotentRequest, KeptAnswer } from './idempotency/idempotentRequest.js';
import type { KeptResponses } from './idempotency/keptResponses.js';
import { freshnessHeaders, maxStalenessMs, queryOf } from './middleware/freshness.js';
import { neverCompress } from './middleware/compression.js';
import { nameRoute } from './middleware/requestMetrics.js';
import { requireScope, type Actor } from './middleware/tokens.js';
import { parameterReader } from './parameters.js';
import type { Answer, BodyKind, Call, Route } from './route.js';
import type { ClientConnection } from './server/clientConnection.js';

/** The parts that all endpoints share. */
export type EndpointParts = {
  readonly service: Service;
  readonly kept: KeptResponses;
  readonly log: Logger;
  readonly bodyRate: BodyRate;
  /** Memory for answers until clients have read them. */
  readonly memory: SharedCapacity;
};

const answerBytesMax = 512_000_000;

/** Memory for the answers of all endpoints. */
export const answerMemory = (): SharedCapacity => sharedCapacity(answerBytesMax, 'bytes of answers');

/**
 * Middleware of a route: checks scope, parameters and body, runs the route, sends the answer and keeps it for
 * retries.
 */
export const endpoint = (route: Route, parts: EndpointParts) => {
  const { service } = parts;
  const isRead = route.method === 'get';
  const read = requestReader(route, parts.bodyRate);
  const { body } = route;
  const readJson =
    body.kind === 'json' || body.kind === 'patch' ? jsonReader(body.schema, body.bytesMax) : undefined;

  return async (ctx: RouteContext): Promise<void> => {
    nameRoute(ctx, route.path);
    const actor = ctx.state['actor'] as Actor;
    requireScope(actor, route.scope);
    if (!isRead) service.requireRoom();
    const request = read(ctx);
    const requestId = ctx.state['requestId'] as string;
    const idempotent = idempotentRequest(parts, { actor, requestId, ...request });
    try {
      const seen = isRead ? await service.freshness.forRead(request.maxStalenessMs) : undefined;
      if (!seen) await service.freshness.forWrite();
      const body = await readJson?.(request.bytes);
      await waitForTurn(service, ctx, isRead);
      // The read models may have more events since: the position is that of the answer.
      if (seen) ctx.set(freshnessHeaders({ ...seen, position: positionOf(service) }));
      // `route()` ties these types to the schemas of the checks.
      const begin = async () => {
        const metadata = await idempotent.begin();
        // The read models may have lost events since the check above; what they lack would be answered 404.
        service.requireWhole();
        return metadata;
      };
      const call = callOf(ctx, request, body, begin) as Call<never, never, never>;
      const answer = await route.run(call);
      await finished(ctx, answer, async () => {
        await idempotent.keep(answer);
        await send(ctx, parts, answer, isRead).catch((error: unknown) => {
          if (isRead) throw error;
          failAfterEffect(error);
        });
      });
    } catch (error) {
      if (error instanceof KeptAnswer) return await send(ctx, parts, error.answer, isRead);
      throw await idempotent.fail(error);
    }
  };
};

type RouteContext = Context & { readonly params: Record<string, string> };

type Request = ReturnType<ReturnType<typeof requestReader>>;

/** Returns a function that reads everything but the body of a request. It throws the refusals of a route. */
const requestReader = (route: Route, bodyRate: BodyRate) => {
  const readParams = parameterReader(route.params, 'path');
  const readQuery = parameterReader(queryOf(route), 'query');
  const bytesMax = bytesMaxOf(route.body);
  return (ctx: RouteContext) => {
    const params = readParams(ctx.params);
    const { maxStaleness, ...query } = readQuery(ctx.query);
    requireMediaType(ctx, route.body.kind);
    const packed = route.body.kind !== 'none' && isPacked(ctx);
    requireLength(ctx.req, bytesMax);
    const key = route.method === 'get' ? undefined : idempotencyKey(ctx);
    const prefix = key === undefined ? undefined : `${ctx.method} ${ctx.url}\n`;
    return {
      params,
      query,
      maxStalenessMs: maxStalenessMs(maxStaleness),
      key,
      ...requestBody(ctx.req, { prefix, rate: bodyRate, packedBytesMax: packed ? bytesMax : undefined }),
    };
  };
};

const bytesMaxOf = (body: BodyKind): number => {
  switch (body.kind) {
    case 'none':
      return Infinity;
    case 'json':
    case 'patch':
      return body.bytesMax;
    case 'days':
      return daysBodyLimits.bytesMax;
    case 'csv':
      return csvLimits.bytesMax;
  }
};

/** @throws InvalidInput for a key with other characters than visible ASCII */
const idempotencyKey = (ctx: Context): string | undefined => {
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

const callOf = (
  ctx: Context,
  { params, query, bytes, key }: Request,
  body: unknown,
  begin: Call<unknown, unknown, unknown>['begin'],
): Call<unknown, unknown, unknown> => ({
  params,
  query,
  body,
  stream: bytes,
  actor: ctx.state['actor'] as Actor,
  get signal() {
    return (ctx.state['client'] as ClientConnection).signal;
  },
  requestId: ctx.state['requestId'] as string,
  lastEventId: ctx.get('Last-Event-ID'),
  accepts: (...types) => ctx.accepts(...types) as string | false,
  hasKey: key !== undefined,
  begin,
});

/** Position of the read models. */
const positionOf = ({ models }: Service): bigint => models.checkpoint('readModels').position;

/** Reads take turns of the event loop. Writes do not wait: writes of one turn share a commit. */
const waitForTurn = async ({ turns }: Service, ctx: Context, isRead: boolean): Promise<void> => {
  const client = ctx.state['client'] as ClientConnection;
  client.requireOpen();
  if (isRead) await turns.take((ctx.state['actor'] as Actor).tenant, client);
};

/** Sends an answer and frees its parts: when its JSON is made, or when its stream was sent or its client is gone. */
const finished = async (
  ctx: Context,
  { body, release }: Answer,
  sendIt: () => Promise<void>,
): Promise<void> => {
  if (body instanceof Readable) (ctx.state['client'] as ClientConnection).onEnd(() => body.destroy());
  try {
    await sendIt();
  } finally {
    release?.();
  }
};

/** Sends an answer. Only the answer of a read may be refused for its memory: a write has had its effect. */
const send = async (
  ctx: Context,
  { service: { people, turns }, memory }: EndpointParts,
  { status, headers, body, sealed = false, isExact = sealed, isSecret = false }: Answer,
  isRead: boolean,
): Promise<void> => {
  const { tenant } = ctx.state['actor'] as Actor;
  const client = ctx.state['client'] as ClientConnection;
  const json =
    body instanceof Readable
      ? undefined
      : await jsonAnswer(body, {
          tenant,
          client,
          memory: isRead ? memory : undefined,
          yieldToEventLoop: isRead ? turns.yielderFor(tenant, client.signal) : turns.yielderFor(tenant),
          open: async text => {
            const opened = sealed ? text : await people.openedJson(tenant, text);
            return isExact ? opened : harmlessJson(opened);
          },
        });
  ctx.status = status;
  if (isSecret) neverCompress(ctx);
  ctx.set({ ...(json && { 'Content-Type': 'application/json; charset=utf-8' }), ...headers });
  ctx.body = json ? json.body : body;
  if (json) ctx.length = json.bytes;
};
