import { createSecretKey, KeyObject } from 'node:crypto';
import type { Context, Next } from 'koa';
import jwt from 'koa-jwt';
import { createRemoteJWKSet, errors, SignJWT, type JWTHeaderParameters } from 'jose';
import type { Environment } from '../../../application/environment.js';
import { tenantPattern } from '../../../domain/streams.js';
import type { TokenSettings } from '../../settings/tokenSettings.js';
import { Problem, unavailable } from '../problem.js';
import { knownTokens } from './knownTokens.js';
import { refusalOf, Unsupported } from './tokenRefusal.js';

/** Scopes of tokens. */
export const scopes = [
  'read',
  'import',
  'model',
  'planning',
  'alert',
  'audit',
  'erase',
  'metrics',
  'webhook',
] as const;
export type Scope = (typeof scopes)[number];

export const subjectLengthMax = 200;

/** Subject, tenant and scopes of a valid token. */
export type Actor = {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
};

/** The JWKS address cannot be reached. */
class KeysUnavailable extends Error {
  readonly name = 'KeysUnavailable';
}

/** Refusal of a request without a token (RFC 6750 §3). */
const tokenMissing = (): Problem =>
  new Problem('tokenMissing', 'expected the header "Authorization: Bearer <token>"', {
    headers: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  });

/** Refusal of a token. The header repeats the reason, in the characters that RFC 6750 allows. */
const tokenInvalid = (detail: string): Problem =>
  new Problem('tokenInvalid', detail, {
    headers: {
      'WWW-Authenticate':
        'Bearer realm="daybook", error="invalid_token", ' +
        `error_description="${detail.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")}"`,
    },
  });

/** The types of koa-jwt know text keys only; the jsonwebtoken package accepts a KeyObject. */
const asText = (key: KeyObject): string => key as unknown as string;

/** Accepted values of `typ` (RFC 8725 §3.11): issuers sign tokens of other protocols with the same keys. */
const types: readonly unknown[] = [undefined, 'jwt', 'application/jwt', 'at+jwt', 'application/at+jwt'];

/**
 * Refuses a token with extensions that must be understood: `crit` (RFC 7515 §4.1.11), `b64` (RFC 7797).
 * @throws Unsupported
 */
const requirePlain = (header: Readonly<Record<string, unknown>>): void => {
  if ('crit' in header || 'b64' in header) throw new Unsupported('its header has crit or b64');
  const { typ } = header;
  if (!types.includes(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw new Unsupported('its type (typ) is not accepted');
};

/** Smallest length of an RSA key (RFC 7518 §3.3). */
const rsaBitsMin = 2048;

/** @throws Unsupported */
const requireStrong = (key: KeyObject): KeyObject => {
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < rsaBitsMin)
    throw new Unsupported(`its key is an RSA key of ${bits} bits, expected ${rsaBitsMin}`);
  return key;
};

const keyLoader = (url: URL) => {
  const keys = createRemoteJWKSet(url, { timeoutDuration: 5000, cooldownDuration: 10_000 });
  return async (header: JWTHeaderParameters) => {
    requirePlain(header);
    try {
      const key = await keys(header);
      return asText(requireStrong(key instanceof KeyObject ? key : KeyObject.from(key)));
    } catch (error) {
      const isFaultOfToken =
        error instanceof Unsupported ||
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      throw isFaultOfToken ? error : new KeysUnavailable('the keys cannot be fetched', { cause: error });
    }
  };
};

const secretLoader = (text: string) => {
  // A text would be tried as a public key at every request, which is slow.
  const secret = asText(createSecretKey(text, 'utf8'));
  return (header: JWTHeaderParameters): Promise<string> => {
    requirePlain(header);
    return Promise.resolve(secret);
  };
};

/** A valid token: its actor, and when it expires in seconds since 1970. */
type ValidToken = { readonly actor: Actor; readonly exp: number };

/**
 * Returns a function that checks the token of a request.
 * @throws Problem `tokenMissing`, `tokenInvalid`, `keysUnavailable`
 */
const tokenCheck = ({ key, algorithms, issuer, audience }: TokenSettings) => {
  const verify = jwt({
    secret: key.kind === 'secret' ? secretLoader(key.secret) : keyLoader(key.url),
    algorithms: [...algorithms],
    issuer,
    audience,
    isRevoked: (_ctx, payload) => Promise.resolve(typeof (payload as { exp?: unknown }).exp !== 'number'),
  });
  return async (ctx: Context): Promise<ValidToken> => {
    try {
      await verify(ctx, () => Promise.resolve());
    } catch (error) {
      const cause = (error as { originalError?: unknown }).originalError;
      if (cause instanceof KeysUnavailable)
        throw unavailable('keysUnavailable', 'the keys that check tokens cannot be fetched; retry later');
      if ((error as { status?: unknown }).status !== 401) throw error;
      if (ctx.headers.authorization === undefined) throw tokenMissing();
      throw tokenInvalid(
        cause === undefined ? 'expected the header "Authorization: Bearer <token>"' : refusalOf(cause),
      );
    }
    const claims = ctx.state['user'] as Readonly<Record<string, unknown>> & { readonly exp: number };
    return { actor: actorOf(claims), exp: claims.exp };
  };
};

const actorOf = (claims: Readonly<Record<string, unknown>>): Actor => {
  const { sub, tenant = 'default', scope = '' } = claims;
  if (
    typeof sub !== 'string' ||
    sub.length < 1 ||
    sub.length > subjectLengthMax ||
    /\p{Surrogate}/u.test(sub)
  )
    throw tokenInvalid(`the claim sub is invalid, expected 1 to ${subjectLengthMax} characters`);
  if (typeof tenant !== 'string' || !tenantPattern.test(tenant))
    throw tokenInvalid('the claim tenant is invalid, expected 1 to 64 letters, digits, "_", "." or "-"');
  const list = Array.isArray(scope) ? scope : typeof scope === 'string' ? scope.split(' ') : undefined;
  if (!list?.every(name => typeof name === 'string'))
    throw tokenInvalid('the claim scope is invalid, expected a text of names separated by spaces');
  return { subject: sub, tenant, scopes: new Set(list) };
};

/**
 * Middleware that demands a valid token and sets `ctx.state.actor`. Algorithms, issuer and audience are fixed by the
 * settings; `exp` is required. A token that comes again within a minute is not checked again.
 */
export const authentication = (settings: TokenSettings, environment: Pick<Environment, 'nowMs'>) => {
  const check = tokenCheck(settings);
  const known = knownTokens<Actor>(environment);
  const checked = async (ctx: Context): Promise<Actor> => {
    const { actor, exp } = await check(ctx);
    known.keep(ctx.get('Authorization'), actor, exp);
    return actor;
  };
  return async (ctx: Context, next: Next): Promise<void> => {
    ctx.state['actor'] = known.actorOf(ctx.get('Authorization')) ?? (await checked(ctx));
    await next();
  };
};

/** Refuses an actor without the scope (RFC 6750 §3.1). */
export const requireScope = (actor: Actor, scope: Scope): void => {
  if (!actor.scopes.has(scope))
    throw new Problem('scopeMissing', `the token lacks the scope "${scope}"`, {
      headers: {
        'WWW-Authenticate': `Bearer realm="daybook", error="insufficient_scope", scope="${scope}"`,
      },
    });
};

/**
 * Signs a token that this service accepts.
 * @param expiresInS seconds until it expires, ≥ 1
 * @throws RangeError when tokens are checked with public keys
 */
export const mintToken = async (
  { key, algorithms, issuer, audience }: TokenSettings,
  claims: { readonly subject: string; readonly tenant: string; readonly scopes: readonly string[] },
  expiresInS: number,
): Promise<string> => {
  if (key.kind !== 'secret')
    throw new RangeError('JWT_JWKS_URL is set: only the identity provider can sign tokens');
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ scope: claims.scopes.join(' '), tenant: claims.tenant })
    .setProtectedHeader({ alg: algorithms[0] ?? 'HS256', typ: 'JWT' })
    .setSubject(claims.subject)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + expiresInS)
    .sign(Buffer.from(key.secret));
};
