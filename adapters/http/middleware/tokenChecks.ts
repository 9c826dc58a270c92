import { errors } from '../../network/jose.js';
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../../application/ports/environment.js';

/** Time until a valid token is checked again, in milliseconds: a key that was withdrawn ends its tokens. */
export const knownForMs = 60_000;
const knownMax = 10_000;

/** Actors of tokens that were found valid a short time ago. */
type KnownTokens<Actor> = {
  /** The actor of an Authorization header; undefined when its token has to be checked. */
  readonly actorOf: (header: string) => Actor | undefined;
  /** Keeps the actor of a valid token that expires at `exp`, in seconds since 1970. */
  readonly keep: (header: string, actor: Actor, exp: number) => void;
};

/** Empty list of known tokens. It has the SHA-256 of each header instead of the token. */
export const knownTokens = <Actor>({
  nowMs,
  elapsedMs,
}: Pick<Environment, 'nowMs' | 'elapsedMs'>): KnownTokens<Actor> => {
  type Known = { readonly actor: Actor; readonly checkedMs: number; readonly exp: number };
  const known = new LRUCache<string, Known>({ max: knownMax });
  /** The clock of the machine may be set back: only the monotonic one measures the minute. */
  const isKnown = ({ checkedMs, exp }: Known): boolean =>
    elapsedMs() - checkedMs < knownForMs && nowMs() < 1000 * exp;
  const digestOf = (header: string): string => hash('sha256', header, 'base64');
  return {
    actorOf: header => {
      const found = known.get(digestOf(header));
      return found && isKnown(found) ? found.actor : undefined;
    },
    keep: (header, actor, exp) => void known.set(digestOf(header), { actor, checkedMs: elapsedMs(), exp }),
  };
};

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
