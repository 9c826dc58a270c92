import { errors } from 'jose';

/** A token, or its key, is of an unsupported kind. */
export class Unsupported extends Error {
  readonly name = 'Unsupported';
}

/** Messages of the jsonwebtoken package, and the check that failed. */
const failedChecks: readonly (readonly [message: RegExp, check: string])[] = [
  [/^invalid signature/, 'its signature does not match'],
  [/^jwt signature is required/, 'its signature is missing'],
  [/^invalid algorithm|"none"|must be an? (a?symmetric) key/, 'its algorithm is not accepted'],
  [/^jwt issuer invalid/, 'its issuer (iss) is not accepted'],
  [/^jwt audience invalid/, 'its audience (aud) is not this service'],
  [/^invalid exp value/, 'its expiry (exp) is not a number'],
  [/^Token revoked/, 'its expiry (exp) is missing'],
  [/^invalid nbf value/, 'its start (nbf) is not a number'],
];

/**
 * Names the check that a token failed: signature, algorithm, issuer, audience, expiry or form. It never contains
 * parts of the token other than its times.
 */
export const refusalOf = (cause: unknown): string => {
  const { message = '', expiredAt, date } = (cause ?? {}) as Error & { expiredAt?: Date; date?: Date };
  if (expiredAt) return `the token expired at ${expiredAt.toISOString()}`;
  if (date) return `the token is not valid before ${date.toISOString()}`;
  if (cause instanceof Unsupported) return `the token is refused: ${message}`;
  if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys)
    return 'the token is refused: no key of the issuer fits its header (kid, alg)';
  if (cause instanceof errors.JOSENotSupported) return 'the token is refused: its algorithm is not accepted';
  const check = failedChecks.find(([pattern]) => pattern.test(message))?.[1];
  return check === undefined ? 'the token is malformed' : `the token is refused: ${check}`;
};
