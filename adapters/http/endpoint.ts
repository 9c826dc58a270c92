import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { failAfterEffect } from '../../application/ports/eventStore.js';
import { InvalidInput, shown, type InputFault } from '../../application/requests/imports/faults.js';
import type { Service } from '../../application/requests/service.js';
import { sharedCapacity, type SharedCapacity } from '../../application/ports/sharing/fairQueue.js';
import { csvLimits } from '../csv/rows.js';
import { daysBodyLimits } from '../json/jsonBytes.js';
import { comparableTime } from '../../domain/dates.js';
import { harmlessJson } from '../../domain/text.js';
import { inLanguage, preferredLanguage, jsonAnswer } from './answers/jsonAnswer.js';
import { jsonInTurn, requestBody, requireLength, isPacked, requireMediaType, type ReadBody } from './body.js';
import type { BodyRate, ClientConnection } from './clientConnection.js';
import { idempotentRequest, KeptAnswer, type KeptResponses } from './idempotency/keptResponses.js';
import {
  mayLeaveOut,
  freshnessHeaders,
  maxStalenessMs,
  queryOf,
  type Answer,
  type BodyKind,
  type Call,
  type Route,
} from './route.js';
import { neverCompress } from './middleware/compression.js';
import { nameRoute } from './middleware/requestMonitoring.js';
import { requireScope, type Actor } from './middleware/tokens.js';
import type { TObject } from './typebox.js';
import { Problem } from './problem.js';
import { schemaChecker } from './schemaChecker.js';

const integer = /^-?\d{1,16}$/;
const decimal = /^-?\d{1,16}(\.\d{1,16})?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

type Wanted = { readonly type?: string; readonly enum?: readonly unknown[] } | undefined;

/**
 * A text as its schema wants it: a number, a boolean, or a list for a parameter that may occur once or several times.
 */
const valueOf = (wanted: Wanted, text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  if (wanted?.type === 'array') return [text];
  if (wanted?.type === 'boolean') return booleans.get(text) ?? text;
  const isInteger = wanted?.type === 'integer' || wanted?.enum?.some(value => typeof value === 'number');
  if (isInteger) return integer.test(text) ? Number(text) : text;
  return wanted?.type === 'number' && decimal.test(text) ? Number(text) : text;
};

/** The texts of a path or query as values of their schema; invalid texts stay. */
const valuesOf = (schema: TObject, texts: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, valueOf(schema.properties[name] as Wanted, text)]),
  );

/** The fault of a range whose beginning is after its end: dates, instants or sizes. */
const orderFaults = ({ from, to }: Readonly<Record<string, unknown>>): InputFault[] => {
  const comparable = (text: string): string => comparableTime(text) ?? text;
  const isReversed =
    (typeof from === 'string' && typeof to === 'string' && comparable(from) > comparable(to)) ||
    (typeof from === 'number' && typeof to === 'number' && from > to);
  if (!isReversed) return [];
  const detail = `got from ${from} and to ${to}, expected a from that is not after to`;
  return [{ code: 'order', pointer: '/query/to', value: shown(String(to)), detail }];
};

/**
 * Returns a function that reads the parameters of a path or query by a schema.
 * @throws InvalidInput with all faults; Problem 404 for an invalid source id
 */
const parameterReader = (schema: TObject, place: 'path' | 'query') => {
  const check = schemaChecker(schema);
  return (texts: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const values = valuesOf(schema, texts);
    const faults = check(values).map(({ pointer = '', ...fault }): InputFault => {
      const got = texts[pointer.slice(1)];
      // A parameter that occurs several times is a list.
      const repeated = fault.code === 'type' && Array.isArray(got);
      return {
        ...fault,
        ...(repeated && { detail: `got ${got.length} values, expected one` }),
        pointer: `/${place}${pointer}`,
        // The value of an unknown parameter is not repeated: it may be a token.
        ...(typeof got === 'string' && fault.code !== 'unknownField' ? { value: shown(got) } : {}),
      };
    });
    if (place === 'query' && faults.length === 0) faults.push(...orderFaults(values));
    if (faults.some(fault => fault.pointer === '/path/source_id'))
      throw new Problem('sourceNotFound', `no source ${shown(String(texts['source_id']))}`);
    if (faults.length > 0) throw new InvalidInput('parametersInvalid', `the ${place} is not valid`, faults);
    return values;
  };
};

/** The parts that all endpoints share. */
export type EndpointParts = {
  readonly service: Service;
  readonly kept: KeptResponses;
  readonly log: Logger;
  readonly bodyRate: BodyRate;
  /** Places of bodies, which imports and large JSON share. */
  readonly bodies: ReadBody;
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
    body.kind === 'json' || body.kind === 'patch'
      ? jsonInTurn(body.schema, body.bytesMax, parts.bodies)
      : undefined;

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
      const run = async (body: unknown): Promise<void> => {
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
          const kept = await idempotent.keep(answer);
          await send(ctx, parts, kept, isRead).catch((error: unknown) => {
            if (isRead) throw error;
            failAfterEffect(error);
          });
        });
      };
      if (request.isLeftOut || !readJson) await run(request.isLeftOut ? {} : undefined);
      else {
        const { signal } = ctx.state['client'] as ClientConnection;
        await readJson({ actor, stream: request.bytes, signal }, run);
      }
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
  const isOptional = mayLeaveOut(route.body);
  return (ctx: RouteContext) => {
    const params = readParams(ctx.params);
    const { maxStaleness, ...query } = readQuery(ctx.query);
    const isLeftOut = isOptional && hasNoBody(ctx);
    if (!isLeftOut) requireMediaType(ctx, route.body.kind);
    const packed = route.body.kind !== 'none' && isPacked(ctx);
    requireLength(ctx.req, bytesMax);
    const key = route.method === 'get' ? undefined : idempotencyKey(ctx);
    const prefix = key === undefined ? undefined : `${ctx.method} ${ctx.url}\n`;
    return {
      params,
      query,
      isLeftOut,
      maxStalenessMs: maxStalenessMs(maxStaleness),
      key,
      ...requestBody(ctx.req, { prefix, rate: bodyRate, packedBytesMax: packed ? bytesMax : undefined }),
    };
  };
};

const hasNoBody = ({ req: { headers } }: Context): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

const bytesMaxOf = (body: BodyKind): number => {
  switch (body.kind) {
    case 'none':
      return Infinity;
    case 'json':
    case 'patch':
    case 'iCalendar':
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
  if (ctx.req.headers['idempotency-key'] === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new InvalidInput('parametersInvalid', 'the header Idempotency-Key is not valid', [
      {
        code: 'keyFormat',
        pointer: '/header/Idempotency-Key',
        // The key itself is not repeated: it may be a secret.
        detail: `got ${key.length} characters, expected 1 to 255 visible ASCII characters without spaces`,
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
const positionOf = ({ models }: Pick<Service, 'models'>): bigint => models.checkpoint('readModels').position;

/** Reads take turns of the event loop. Writes do not wait: writes of one turn share a commit. */
const waitForTurn = async (
  { turns }: Pick<Service, 'turns'>,
  ctx: Context,
  isRead: boolean,
): Promise<void> => {
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
  const language = isExact ? undefined : preferredLanguage((...tags) => ctx.acceptsLanguages(...tags));
  const json =
    body instanceof Readable
      ? undefined
      : await jsonAnswer(body, {
          tenant,
          client,
          memory: isRead ? memory : undefined,
          change: language && inLanguage(language),
          yieldToEventLoop: isRead ? turns.yielderFor(tenant, client.signal) : turns.yielderFor(tenant),
          open: async text => {
            const opened = sealed ? text : await people.openedJson(tenant, text);
            return isExact ? opened : harmlessJson(opened);
          },
        });
  ctx.status = status;
  if (isSecret) neverCompress(ctx);
  // Kept answers are in English, so that a repeat has the language of its own request.
  if (json && language) {
    ctx.vary('Accept-Language');
    ctx.set('Content-Language', language);
  }
  ctx.set({ ...(json && { 'Content-Type': 'application/json; charset=utf-8' }), ...headers });
  ctx.body = json ? json.body : body;
  if (json) ctx.length = json.bytes;
};
