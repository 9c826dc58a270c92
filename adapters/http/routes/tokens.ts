import { authorOf } from '../../../application/ports/people.js';
import { requireNotParked } from '../../../application/reading/parking.js';
import { InvalidInput } from '../../../application/requests/imports/faults.js';
import type { Service } from '../../../application/requests/service.js';
import {
  issueToken,
  requireSigner,
  revokeToken,
  type NewToken,
  type TokenWithText,
} from '../../../application/requests/useCases/changeTokens.js';
import { streams } from '../../../domain/streams.js';
import type { TokenRecord } from '../../../projections/tokens.js';
import { json, ok, route, type Answer, type Route } from '../route.js';
import {
  newTokenSchema,
  revocationQuery,
  revokedTokenSchema,
  tokenParams,
  tokensSchema,
  tokenTextSchema,
} from '../schemas/token.js';
import { utcInstant } from '../schemas/common.js';

const durationPattern = /^P(?:(\d{1,4})D|T(\d{1,5})H)$/;

const invalid = (code: string, detail: string): InvalidInput =>
  new InvalidInput('bodyInvalid', 'the body is not valid', [{ code, pointer: `/${code}`, detail }]);

/** A name of who uses a token. @throws InvalidInput for spaces alone */
export const nameOf = (text: string): string => {
  if (text.trim() === '') throw invalid('name', 'got spaces alone, expected a name');
  return text;
};

/** An instant, or a duration in days or hours. @throws InvalidInput */
export const expiresOf = (text: string): NewToken['expires'] => {
  const [isDuration, days = 0, hours = 0] = durationPattern.exec(text) ?? [];
  if (isDuration !== undefined) return { inS: Number(days) * 86_400 + Number(hours) * 3600 };
  const at = utcInstant(text);
  if (at !== undefined) return { at };
  throw invalid(
    'expires',
    `got ${text}, expected an instant such as 2027-01-01T00:00:00Z, or a duration such as P90D or PT12H`,
  );
};

const tokenAnswer = ({ jti, name, scopes, issuedAt, expiresAt, by }: TokenRecord) => ({
  jti,
  name,
  scopes,
  issuedAt,
  expiresAt,
  ...authorOf(by),
});

/** The answer with the text of a token, which is not kept for retries: a retry signs the same one. */
export const textAnswer = ({ token, text }: TokenWithText): Answer => ({
  status: 201,
  body: { ...tokenAnswer(token), token: text },
  headers: { Location: '/v1/token/list', 'Cache-Control': 'no-store' },
  isSecret: true,
});

/** Routes of tokens for people and devices of one's own tenant. */
export const tokenRoutes = (service: Service): readonly Route[] => [
  route({
    at: 'POST /v1/token/create',
    operationId: 'createToken',
    summary: 'Issue a token for a person or a device; only this answer has it',
    scope: 'token',
    body: json(newTokenSchema),
    answers: { 201: { description: 'The token', schema: tokenTextSchema } },
    problems: ['tokensOfProvider', 'tokenRequestInvalid', 'tooManyTokens', 'tokenRevoked'],
    run: async call => {
      const { name, scopes, expires } = call.body;
      const requester = { ...call, granted: [...call.actor.scopes] };
      return textAnswer(
        await issueToken(service, requester, { name: nameOf(name), scopes, expires: expiresOf(expires) }),
      );
    },
  }),
  route({
    at: 'GET /v1/token/list',
    operationId: 'listTokens',
    summary: 'List the issued tokens of the tenant that are neither revoked nor expired',
    scope: 'token',
    answers: ok('The tokens, oldest first', tokensSchema),
    problems: ['tokensOfProvider'],
    result: async ({ actor: { tenant } }) => {
      requireSigner(service);
      requireNotParked(service.models, streams.tokens(tenant));
      const { models, tokenUses } = service;
      const tokens = models.tokens.list(tenant, service.now());
      return {
        tokens: tokens.map(token => ({
          ...tokenAnswer(token),
          lastUsedAt: tokenUses.lastOf(token.jti) ?? null,
        })),
        usesSince: tokenUses.since,
      };
    },
  }),
  route({
    at: 'DELETE /v1/token/{jti}',
    operationId: 'revokeToken',
    summary: 'Revoke an issued token: requests with it are refused from now on',
    scope: 'token',
    params: tokenParams,
    query: revocationQuery,
    answers: ok('The token is refused', revokedTokenSchema),
    problems: ['tokensOfProvider', 'tokenNotFound'],
    result: async call => {
      const { jti } = call.params;
      await revokeToken(service, call, jti, call.query.reason ?? null);
      return { jti };
    },
  }),
];
