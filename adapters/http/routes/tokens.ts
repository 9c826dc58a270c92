import { durationMinutes, parseInstant } from '../../../domain/dates.js';
import { subjectLengthMax } from '../../../domain/tokens.js';
import { authorOf } from '../../../application/ports/people.js';
import { requireNotParked } from '../../../application/reading/parking.js';
import { bodyFault } from '../../../application/requests/imports/faults.js';
import type { Service, Deciding } from '../../../application/requests/service.js';
import {
  issueToken,
  requireSigner,
  revokeToken,
  type NewToken,
  type TokenWithText,
  erasePerson,
} from '../../../application/requests/useCases/changeTokens.js';
import { streams } from '../../../domain/streams.js';
import { namePattern, linesPattern, textLengthMax } from '../../../domain/text.js';
import type { TokenRecord } from '../../../projections/tokens.js';
import { scopes } from '../middleware/tokens.js';
import { json, ok, route, type Answer, type Route } from '../route.js';
import { authorFields, instantSchema, nullable, object, described, named, text } from '../schemas/common.js';
import Type from '../typebox.js';

const jtiSchema = Type.String({ maxLength: 100, examples: ['5c0e8a11-0d3b-5f6e-9a41-7f2c1b0a9e88'] });
const tokenParams = object({ jti: jtiSchema });

const nameField = {
  minLength: 1,
  maxLength: subjectLengthMax,
  description: 'Who uses it, a person or a device: the subject of the token, and the author of what it does.',
  examples: ['Gateway of hall 3'],
};
const scopesSchema = Type.Array(Type.Enum([...scopes]), {
  minItems: 1,
  uniqueItems: true,
  examples: [['read', 'import']],
});
const expiresFields = {
  minLength: 1,
  maxLength: 40,
  description:
    'An instant such as 2027-01-01T00:00:00Z, or a duration: P90D, P1W, PT12H. At most 400 days away.',
  examples: ['P90D'],
};
const newTokenSchema = described('NewToken', 'A token with at most the scopes of your own.', {
  name: Type.String({ ...nameField, pattern: namePattern }),
  scopes: scopesSchema,
  expires: Type.String(expiresFields),
});

/** The body of the first sign-in. */
export const firstTokenSchema = named('FirstToken', {
  code: text(
    'The code of this start, from its terminal or its file. Hyphens, spaces and case do not count.',
    '7KQM-2XPF-9RTD',
    { minLength: 1, maxLength: 40 },
  ),
  name: Type.String({ ...nameField, pattern: namePattern, examples: ['anna'] }),
  expires: Type.Optional(
    Type.String({
      ...expiresFields,
      description: `${expiresFields.description} By default P90D.`,
    }),
  ),
});

const tokenFields = {
  jti: jtiSchema,
  name: Type.String(nameField),
  scopes: scopesSchema,
  issuedAt: instantSchema,
  expiresAt: instantSchema,
  ...authorFields,
};
const tokensSchema = named('Tokens', {
  tokens: Type.Array(
    named('Token', {
      ...tokenFields,
      lastUsedAt: nullable(instantSchema, {
        description: 'When a request to this instance last had it; null for never since `usesSince`.',
      }),
    }),
  ),
  usesSince: Type.String({
    ...instantSchema,
    description: 'The start of this instance: uses before it, and of other instances, are not known.',
  }),
});
export const tokenTextSchema = described('TokenText', 'A new token, once.', {
  ...tokenFields,
  token: text(
    'The token itself. No other answer has it.',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzY29wZSI6InJlYWQifQ.c2lnbmF0dXJl',
  ),
});

const revocationQuery = object({
  reason: Type.Optional(
    text('Why, for the audit trail.', 'The gateway was exchanged.', {
      minLength: 1,
      maxLength: textLengthMax,
      pattern: linesPattern,
    }),
  ),
});
const revokedTokenSchema = named('RevokedToken', { jti: jtiSchema });

/** An instant, or a duration; the rules of tokens limit both. @throws InvalidInput */
export const expiresOf = (text: string): NewToken['expires'] => {
  const minutes = durationMinutes(text, Infinity);
  if (minutes !== undefined) return { inS: minutes * 60 };
  const at = parseInstant(text);
  if (at !== undefined) return { at };
  throw bodyFault({
    code: 'expires',
    pointer: '/expires',
    detail: `got ${text}, expected an instant such as 2027-01-01T00:00:00Z, or a duration such as P90D or PT12H`,
  });
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
export const tokenRoutes = (
  service: Deciding & Pick<Service, 'now' | 'people' | 'signToken' | 'tokenUses'>,
): readonly Route[] => [
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
      return textAnswer(await issueToken(service, requester, { name, scopes, expires: expiresOf(expires) }));
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

const erasureSchema = named('Erasure', {
  subject: Type.String({ minLength: 1, maxLength: subjectLengthMax, examples: ['anna'] }),
});

const erasedPersonSchema = named('ErasedPerson', {
  personId: text('The random id that remains in events.', '5e1f0c9ab37d4e6880a1b2c3d4e5f607'),
});

/** The route that erases a person. */
export const peopleRoutes = (
  service: Deciding & Pick<Service, 'people' | 'log' | 'requireWhole'>,
): readonly Route[] => [
  route({
    at: 'POST /v1/person/erase',
    operationId: 'erasePerson',
    summary: 'Erase a person: destroys the key of their name and comments in events',
    scope: 'erase',
    body: json(erasureSchema, 4096),
    answers: ok('The key was destroyed', erasedPersonSchema),
    problems: ['personNotFound'],
    result: async call => ({ personId: await erasePerson(service, call, call.body.subject) }),
  }),
];
