import { days, steady, type Case } from './case.js';
import type { Given } from './given.js';

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const secondsNow = Math.floor(Date.now() / 1000);

const claims = { sub: 'x', iss: 'daybook', aud: 'daybook', scope: 'read import', exp: secondsNow + 3600 };

const unsigned = `${base64url({ alg: 'none', typ: 'JWT' })}.${base64url(claims)}.`;

/** Requests without a valid token, without the scope, and of another tenant. tokens.test.ts has more. */
export const tokensCases = async ({ other, tokenFor, expired }: Given): Promise<readonly Case[]> => [
  {
    name: 'no token',
    request: ['GET', '/v1/source/list', { token: null }],
    status: 401,
    code: 'tokenMissing',
    headers: { 'WWW-Authenticate': /^Bearer / },
  },
  {
    name: 'alg none',
    request: ['POST', days, { token: unsigned, csv: steady(1) }],
    status: 401,
    code: 'tokenInvalid',
    headers: { 'WWW-Authenticate': /^Bearer .*invalid_token/ },
  },
  {
    name: 'a token that has expired',
    request: ['POST', days, { token: await expired(), csv: steady(1) }],
    status: 401,
    code: 'tokenInvalid',
    headers: { 'WWW-Authenticate': /^Bearer / },
  },
  {
    name: 'wrong scope',
    request: ['POST', days, { token: await tokenFor({ scopes: ['read', 'model'] }), csv: steady(1) }],
    status: 403,
    code: 'scopeMissing',
    headers: { 'WWW-Authenticate': /insufficient_scope.*scope="import"/ },
  },
  {
    name: 'other tenant',
    request: ['POST', days, { token: other, csv: steady(1) }],
    status: 404,
    code: 'sourceNotFound',
  },
];
