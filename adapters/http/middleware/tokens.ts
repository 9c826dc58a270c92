import { createSecretKey, KeyObject } from 'node:crypto';
import type { Context, Next } from 'koa';
import jwt from 'koa-jwt';
import { createRemoteJWKSet, errors, SignJWT, type JWTHeaderParameters } from 'jose';
import { tenantPattern } from '../../../domain/events.js';
import type { TokenSettings } from '../../settings.js';
import { Problem } from './problems.js';

/** What a token may allow. */
export const scopes = ['read', 'import', 'model', 'planning', 'alert', 'audit', 'erase'] as const;
export type Scope = (typeof scopes)[number];

export const subjectLengthMax = 200;

/** Who asks: the token's subject, for whom, and what it allows. */
export type Actor = {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
};

/** The keys' address cannot be reached, so nobody's token can be judged now. */
class KeysUnavailable extends Error {
  readonly name = 'KeysUnavailable';
}

const unauthorized = (detail: string, withToken: boolean): Problem =>
  new Problem(401, withToken ? 'tokenInvalid' : 'tokenMissing', detail, {
    headers: {
      'WWW-Authenticate': `Bearer realm="daybook"${withToken ? ', error="invalid_token"' : ''}`,
    },
  });

/** A key as koa-jwt's types have it, which know texts only; jsonwebtoken below it takes a KeyObject as well. */
const typed = (key: KeyObject): string => key as unknown as string;

/** A token, or the key that it names, is of a kind that is not taken. */
class NotTaken extends Error {
  readonly name = 'NotTaken';
}

/** What a token may say that it is (RFC 8725 §3.11); those of other protocols are signed by the same issuers. */
const types: readonly unknown[] = [undefined, 'jwt', 'application/jwt', 'at+jwt', 'application/at+jwt'];

/**
 * Refuses a header that asks for what we do not do. `crit` names extensions that must be understood (RFC 7515 §4.1.11),
 * and we know none; `b64` is one of them (RFC 7797).
 * @throws NotTaken
 */
const requirePlain = (header: Readonly<Record<string, unknown>>): void => {
  if ('crit' in header || 'b64' in header) throw new NotTaken('the token needs an extension');
  const { typ } = header;
  if (!types.includes(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw new NotTaken('the token is of another type');
};

/** Bits of an RSA key at least (RFC 7518 §3.3). */
const rsaBitsMin = 2048;

/** @throws NotTaken */
const requireStrong = (key: KeyObject): KeyObject => {
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < rsaBitsMin)
    throw new NotTaken(`got an RSA key of ${bits} bits, expected ${rsaBitsMin}`);
  return key;
};

const keyLoader = (url: URL) => {
  const keys = createRemoteJWKSet(url, { timeoutDuration: 5000, cooldownDuration: 10_000 });
  return async (header: JWTHeaderParameters) => {
    requirePlain(header);
    try {
      const key = await keys(header);
      return typed(requireStrong(key instanceof KeyObject ? key : KeyObject.from(key)));
    } catch (error) {
      const theirs =
        error instanceof NotTaken ||
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      throw theirs ? error : new KeysUnavailable('the keys cannot be fetched', { cause: error });
    }
  };
};

const secretLoader = (text: string) => {
  // As a text it would be tried as a public key first, at every request, which takes longer than all the rest.
  const secret = typed(createSecretKey(text, 'utf8'));
  return (header: JWTHeaderParameters): Promise<string> => {
    requirePlain(header);
    return Promise.resolve(secret);
  };
};

/**
 * Middleware that lets nobody pass without a valid token and puts the Actor into `ctx.state.actor`.
 * Everything that koa-jwt leaves open is pinned: algorithms, issuer, audience, and that `exp` is there.
 */
export const authentication = ({ key, algorithms, issuer, audience }: TokenSettings) => {
  const verify = jwt({
    secret: key.kind === 'secret' ? secretLoader(key.secret) : keyLoader(key.url),
    algorithms: [...algorithms],
    issuer,
    audience,
    isRevoked: (_ctx, payload) => Promise.resolve(typeof (payload as { exp?: unknown }).exp !== 'number'),
  });
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await verify(ctx, () => Promise.resolve());
    } catch (error) {
      const cause = (error as { originalError?: unknown }).originalError;
      if (cause instanceof KeysUnavailable)
        throw new Problem(503, 'keysUnavailable', 'tokens cannot be checked now', {
          headers: { 'Retry-After': '5' },
        });
      if ((error as { status?: unknown }).status !== 401) throw error;
      throw ctx.headers.authorization === undefined
        ? unauthorized('expected the header "Authorization: Bearer <token>"', false)
        : unauthorized(
            'the token is not valid here: signature, algorithm, issuer, audience or expiry do not fit',
            true,
          );
    }
    ctx.state['actor'] = actorOf(ctx.state['user']);
    await next();
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
    throw unauthorized(`the token needs a claim sub of 1 to ${subjectLengthMax} characters`, true);
  if (typeof tenant !== 'string' || !tenantPattern.test(tenant))
    throw unauthorized('the claim tenant, where given, is 1 to 64 letters, digits, "_", "." or "-"', true);
  const list = Array.isArray(scope) ? scope : typeof scope === 'string' ? scope.split(' ') : undefined;
  if (!list?.every(name => typeof name === 'string'))
    throw unauthorized('the claim scope is a text with names between spaces', true);
  return { subject: sub, tenant, scopes: new Set(list) };
};

/** Refuses an actor without the scope (RFC 6750 §3.1). */
export const requireScope = (actor: Actor, scope: Scope): void => {
  if (!actor.scopes.has(scope))
    throw new Problem(403, 'scopeMissing', `the token lacks the scope "${scope}"`, {
      headers: {
        'WWW-Authenticate': `Bearer realm="daybook", error="insufficient_scope", scope="${scope}"`,
      },
    });
};

/**
 * A token that this service accepts.
 * @param expiresInS seconds until it expires, ≥ 1
 * @throws RangeError when tokens are checked by keys of others, which cannot be signed with
 */
export const mintToken = async (
  { key, algorithms, issuer, audience }: TokenSettings,
  claims: { readonly subject: string; readonly tenant: string; readonly scopes: readonly string[] },
  expiresInS: number,
): Promise<string> => {
  if (key.kind !== 'secret')
    throw new RangeError('JWT_JWKS_URL is set: tokens come from whoever holds the keys, not from here');
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
