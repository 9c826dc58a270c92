import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Service, Deciding } from '../../../application/requests/service.js';
import { issueToken, requireSigner } from '../../../application/requests/useCases/changeTokens.js';
import type { Settings } from '../../settings/settings.js';
import { isPacked, jsonReader, requestBody, requireLength, requireMediaType } from '../body.js';
import type { BodyRate } from '../clientConnection.js';
import { requestCounter } from '../middleware/acceptedRequests.js';
import { neverCompress } from '../middleware/compression.js';
import { nameRoute } from '../middleware/requestMonitoring.js';
import { scopes } from '../middleware/tokens.js';
import { jsonProblems } from '../openApi/answers.js';
import { Problem } from '../problem.js';
import { smallBodyBytesMax, type PublicOperation } from '../route.js';
import { firstTokenSchema, tokenTextSchema, expiresOf, textAnswer } from './tokens.js';
import type { Static } from '../typebox.js';

/** How long a code is valid, and how many wrong ones end it. */
const validMinutes = 15;
const attemptsMax = 5;

/** Digits and letters that are not like one another; 12 of them have 60 bits. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const letterCount = 12;

const digestOf = (text: string): Buffer =>
  createHash('sha256').update(text.toUpperCase().replaceAll(/[\s-]/g, '')).digest();

/** The code of a first sign-in, to be shown to who starts the service and never to be logged. */
export type FirstCode = {
  /** Such as `7KQM-2XPF-9RTD`; signs and small letters do not count. */
  readonly code: string;
  readonly validMinutes: number;
  /** Registers a function that is called when the code is no longer valid. */
  readonly onEnd: (run: () => void) => void;
};

type Offer = {
  readonly digest: Buffer;
  readonly untilMs: number;
  /** Number of events of the unused log. */
  readonly events: number;
  readonly stopTimer: () => void;
  readonly ended: (() => void)[];
  attempts: number;
  busy: boolean;
};

/** A code for the first sign-in: for some minutes, once, and only while the service is unused. */
export type FirstStart = {
  /** Makes a code; undefined for a service that was used, by the settings, and with an identity provider. */
  readonly open: () => Promise<FirstCode | undefined>;
  readonly isOpen: () => boolean;
  /** Ends the code: somebody has a token. */
  readonly end: () => void;
  /**
   * Runs a task once for the right code. Its failure leaves the code valid.
   * @throws Problem `firstStartOver`, `firstCodeWrong`
   */
  readonly redeem: <Result>(code: string, run: () => Promise<Result>) => Promise<Result>;
};

/** Number of events of an unused log; undefined for another one. */
const unusedSize = async ({ log, models }: Pick<Service, 'log' | 'models'>): Promise<number | undefined> => {
  for await (const { type } of log.all(0n)) if (type !== 'LogBegun') return undefined;
  return models.tree.size();
};

const startOver = (): Problem =>
  new Problem(
    'firstStartOver',
    'no code of a first start is valid: it was used, or is over, or somebody has a token. Sign in with a token, which ' +
      '"daybook token" prints. If the service has not been used yet, restart it to get another code',
  );

/** A first start without a code: `open` makes one. */
export const firstStart = (
  service: Pick<Service, 'log' | 'models' | 'environment' | 'signToken'>,
  { firstStart: isAllowed }: Pick<Settings, 'firstStart'>,
): FirstStart => {
  const { models, environment } = service;
  let offer: Offer | undefined;

  const end = (): void => {
    const ended = offer;
    offer = undefined;
    ended?.stopTimer();
    for (const run of ended?.ended ?? []) run();
  };
  const isUsed = ({ busy, events }: Offer): boolean => !busy && models.tree.size() !== events;
  const valid = (): Offer | undefined => {
    if (offer && (environment.elapsedMs() >= offer.untilMs || isUsed(offer))) end();
    return offer;
  };
  const requireRight = (open: Offer, code: string): void => {
    if (timingSafeEqual(digestOf(code), open.digest)) return;
    open.attempts += 1;
    const left = attemptsMax - open.attempts;
    if (left === 0) end();
    throw new Problem(
      'firstCodeWrong',
      `got a wrong code, expected the one of this start; attempts left: ${left}`,
    );
  };

  return {
    open: async () => {
      const events = isAllowed && service.signToken ? await unusedSize(service) : undefined;
      if (events === undefined) return undefined;
      const picked = [...environment.randomBytes(letterCount)].map(byte => letters.charAt(byte % 32));
      const code = picked.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
      const validMs = validMinutes * 60_000;
      const ended: (() => void)[] = [];
      end();
      offer = {
        ...{ digest: digestOf(code), untilMs: environment.elapsedMs() + validMs, events, ended },
        ...{ attempts: 0, busy: false, stopTimer: environment.after(validMs, end) },
      };
      return { code, validMinutes, onEnd: run => void ended.push(run) };
    },
    isOpen: () => valid() !== undefined,
    end,
    redeem: async (code, run) => {
      const open = valid();
      if (!open || open.busy) throw startOver();
      requireRight(open, code);
      open.busy = true;
      try {
        const result = await run();
        end();
        return result;
      } catch (error) {
        // The log may have begun.
        if (offer === open) offer = { ...open, busy: false, events: models.tree.size() };
        throw error;
      }
    },
  };
};

/** Path of the only request that changes something and needs no token. */
const firstTokenPath = '/v1/first-token';

/** The description of that request. */
export const firstTokenOperation: PublicOperation = {
  path: firstTokenPath,
  operationId: 'createFirstToken',
  summary: 'Get the first token, for the code that an unused service shows at its start',
  body: firstTokenSchema,
  answers: { 201: { description: 'The token, with all scopes', schema: tokenTextSchema } },
  problems: [
    ...jsonProblems,
    ...(['methodNotAllowed', 'firstCodeWrong', 'firstStartOver', 'tokensOfProvider'] as const),
    ...(['tokenRequestInvalid', 'internal', 'contention', 'outcomeUnknown', 'storageFull'] as const),
    ...(['queueFull', 'storeUnavailable', 'sourceParked', 'logDamaged'] as const),
  ],
};

const requirePost = ({ method }: Context): void => {
  if (method !== 'POST')
    throw new Problem('methodNotAllowed', `got ${method}, expected POST`, { headers: { Allow: 'POST' } });
};

/** Requests with a code in progress; half of them are let in. */
const requestsMax = 32;

/** Tenant of the first token, and its lifetime by default. */
const tenant = 'default';
const usualExpires = 'P90D';

/**
 * Middleware of the first token: a person without one gives the code of a first start.
 * @throws Problem `firstCodeWrong`, `firstStartOver`; Rejection `tokensOfProvider`; QueueFull
 */
export const firstToken = (
  service: Deciding &
    Pick<Service, 'freshness' | 'now' | 'people' | 'requireRoom' | 'requireWhole' | 'signToken'>,
  first: FirstStart,
  rate: BodyRate,
) => {
  const readJson = jsonReader(firstTokenSchema, smallBodyBytesMax);
  const count = requestCounter(requestsMax);
  const issue = async (
    { name, expires = usualExpires }: Static<typeof firstTokenSchema>,
    requestId: string,
  ) => {
    const actor = { tenant, subject: name };
    const begin = async () => {
      service.requireWhole();
      const by = await service.people.sealed(actor, name);
      return {
        id: requestId,
        isRetry: false,
        by,
        cause: requestId,
        correlation: requestId,
        at: service.now(),
      };
    };
    const asked = { name, scopes: [...scopes], expires: expiresOf(expires) };
    return issueToken(service, { actor, hasKey: false, begin, granted: scopes }, asked, { isFirst: true });
  };

  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== firstTokenPath) return next();
    nameRoute(ctx, firstTokenPath);
    requirePost(ctx);
    requireSigner(service);
    if (!first.isOpen()) throw startOver();
    count(ctx, tenant);
    service.requireRoom();
    requireMediaType(ctx, 'json');
    requireLength(ctx.req, smallBodyBytesMax);
    const packedBytesMax = isPacked(ctx) ? smallBodyBytesMax : undefined;
    const { bytes } = requestBody(ctx.req, { prefix: undefined, rate, packedBytesMax });
    await service.freshness.forWrite();
    const body = (await readJson(bytes)) as Static<typeof firstTokenSchema>;
    const requestId = ctx.state['requestId'] as string;
    const {
      status,
      body: answer,
      headers,
    } = textAnswer(await first.redeem(body.code, () => issue(body, requestId)));
    ctx.status = status;
    neverCompress(ctx);
    ctx.set({ ...headers, 'Content-Type': 'application/json; charset=utf-8' });
    ctx.body = await service.people.openedJson(tenant, JSON.stringify(answer));
  };
};
