import { createHmac } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import type { Sent } from './service.js';

/** The secret of the service. */
export const secret = 'a secret of at least 32 bytes, known to this test alone';
/** Seconds since 1970. */
export const now = Math.floor(Date.now() / 1000);
/** Claims of a valid token. */
export const good: JWTPayload = {
  sub: 'tester',
  iss: 'daybook',
  aud: 'daybook',
  scope: scopes.join(' '),
  iat: now,
  exp: now + 3600,
};
/** Valid claims without one of them. */
export const without = (field: string): JWTPayload =>
  Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
/** A part of a token. */
export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token from raw parts, so that each part can be wrong. */
export const signed = (
  claims: unknown,
  { alg = 'HS256', key = secret, header = {} }: { alg?: string; key?: string | Buffer; header?: object } = {},
): string => {
  const text = `${part({ alg, typ: 'JWT', ...header })}.${part(claims)}`;
  const hash = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }[alg];
  return `${text}.${hash === undefined ? '' : createHmac(hash, key).update(text).digest('base64url')}`;
};
/** A request with a value of the Authorization header. */
export const bearer = (value: string): Sent => ({ token: null, headers: { Authorization: value } });
