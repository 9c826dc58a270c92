import type { Context, Next } from 'koa';
import type { Service } from '../../../application/requests/service.js';
import { issueToken, requireSigner } from '../../../application/requests/useCases/changeTokens.js';
import { isPacked, jsonReader, requestBody, requireLength, requireMediaType } from '../body.js';
import type { BodyRate } from '../bodyRate.js';
import type { FirstStart } from '../firstStart.js';
import { neverCompress } from '../middleware/compression.js';
import { nameRoute } from '../middleware/requestMonitoring.js';
import { scopes } from '../middleware/tokens.js';
import { Problem } from '../problem.js';
import { smallBodyBytesMax, type PublicOperation } from '../route.js';
import { jsonProblems } from '../openApi/answers.js';
import { firstTokenSchema, tokenTextSchema } from '../schemas/token.js';
import type { Static } from '../typebox.js';
import { expiresOf, nameOf, textAnswer } from './tokens.js';

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
    ...(['storeUnavailable', 'sourceParked', 'logDamaged'] as const),
  ],
};

const requirePost = ({ method }: Context): void => {
  if (method !== 'POST')
    throw new Problem('methodNotAllowed', `got ${method}, expected POST`, { headers: { Allow: 'POST' } });
};

/** Tenant of the first token, and its lifetime by default. */
const tenant = 'default';
const usualExpires = 'P90D';

/**
 * Middleware of the first token: a person without one gives the code of a first start.
 * @throws Problem `firstCodeWrong`, `firstStartOver`; Rejection `tokensOfProvider`
 */
export const firstToken = (service: Service, first: FirstStart, rate: BodyRate) => {
  const readJson = jsonReader(firstTokenSchema, smallBodyBytesMax);
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
    const asked = { name: nameOf(name), scopes: [...scopes], expires: expiresOf(expires) };
    return issueToken(service, { actor, hasKey: false, begin, granted: scopes }, asked, { isFirst: true });
  };

  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== firstTokenPath) return next();
    nameRoute(ctx, firstTokenPath);
    requirePost(ctx);
    requireSigner(service);
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
