import { subjectLengthMax } from '../../../domain/tokens.js';
import { createSecretKey, KeyObject } from 'node:crypto';
import type { Context, Next } from 'koa';
import jwt from 'koa-jwt';
import { errors, SignJWT, type JWTHeaderParameters } from '../../network/jose.js';
import type { SignedClaims, TokenSigner } from '../../../application/ports/people.js';
import { requireNotParked } from '../../../application/reading/parking.js';
import type { Service } from '../../../application/requests/service.js';
import { streams, tenantPattern } from '../../../domain/streams.js';
import { ownClaims, type ClaimSettings, type TokenSettings } from '../../settings/tokenSettings.js';
import { Problem } from '../problem.js';
import { knownTokens, refusalOf, Unsupported } from './tokenChecks.js';
import { KeysUnavailable, type RemoteKeys } from '../../network/remoteKeys.js';

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
  'token',
] as const;
export type Scope = (typeof scopes)[number];

/** Subject, tenant and scopes of a valid token. */
export type Actor = {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  /** When the token expires, in seconds since 1970. */
  readonly exp: number;
  /** Id of the token, which the service may have issued; absent for one without. */
  readonly jti?: string;
  /** Names in the claims of scopes, some of many, when none of them is a scope. */
  readonly foundInstead?: readonly string[];
};

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

const keyLoader =
  (keys: RemoteKeys | undefined) =>
  async (header: JWTHeaderParameters): Promise<string> => {
    requirePlain(header);
    try {
      if (!keys) throw new KeysUnavailable('no address of keys is open');
      return asText(requireStrong(KeyObject.from(await keys.keyOf(header))));
    } catch (error) {
      const isKnown =
        error instanceof KeysUnavailable ||
        error instanceof Unsupported ||
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      throw isKnown ? error : new KeysUnavailable('a key of the issuer cannot be used', { cause: error });
    }
  };

const secretLoader = (text: string) => {
  // A text would be tried as a public key at every request, which is slow.
  const secret = asText(createSecretKey(text, 'utf8'));
  return (header: JWTHeaderParameters): Promise<string> => {
    requirePlain(header);
    return Promise.resolve(secret);
  };
};

/**
 * Returns a function that checks the token of a request.
 * @throws KeysUnavailable, Problem `tokenMissing`, `tokenInvalid`
 */
const tokenCheck = (
  { key, algorithms, issuer, audience, claims: named }: TokenSettings,
  keys: RemoteKeys | undefined,
) => {
  const verify = jwt({
    secret: key.kind === 'secret' ? secretLoader(key.secret) : keyLoader(keys),
    algorithms: [...algorithms],
    issuer,
    audience,
    isRevoked: (_ctx, payload) => Promise.resolve(typeof (payload as { exp?: unknown }).exp !== 'number'),
  });
  return async (ctx: Context): Promise<Actor> => {
    try {
      await verify(ctx, () => Promise.resolve());
    } catch (error) {
      const cause = (error as { originalError?: unknown }).originalError;
      if (cause instanceof KeysUnavailable) throw cause;
      if ((error as { status?: unknown }).status !== 401) throw error;
      if (ctx.headers.authorization === undefined) throw tokenMissing();
      throw tokenInvalid(
        cause === undefined ? 'expected the header "Authorization: Bearer <token>"' : refusalOf(cause),
      );
    }
    const claims = ctx.state['user'] as Readonly<Record<string, unknown>> & { readonly exp: number };
    return { ...actorOf(claims, named), exp: claims.exp };
  };
};

type Claims = Readonly<Record<string, unknown>>;

/** The value at a path of claims. A name that has dots itself is found, too: the longest name goes first. */
const valueAt = (value: unknown, path: readonly string[]): unknown => {
  if (path.length === 0) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (let count = path.length; count > 0; count -= 1) {
    const name = path.slice(0, count).join('.');
    const found = Object.hasOwn(value, name)
      ? valueAt((value as Claims)[name], path.slice(count))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};
const claimAt = (claims: Claims, name: string): unknown => valueAt(claims, name.split('.'));

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(part => typeof part === 'string');

/** Names in a claim: a text of them, a list, or an object that has them as keys. @throws Problem `tokenInvalid` */
const namesIn = (claims: Claims, name: string, isMapped: boolean): readonly string[] => {
  const value = claimAt(claims, name);
  if (value === undefined) return [];
  if (typeof value === 'string') return value.split(' ').filter(part => part !== '');
  if (isTexts(value)) return value;
  if (isMapped && typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.keys(value);
  throw tokenInvalid(`the claim ${name} is invalid, expected a text of names separated by spaces`);
};

/** Names that are shown of a token without scopes, and their length. */
const shownMax = 20;
const shownLengthMax = 100;

/** Subject, tenant and scopes of a token. @throws Problem `tokenInvalid` */
export const actorOf = (claims: Claims, mapped?: ClaimSettings): Omit<Actor, 'exp'> => {
  const { sub, jti } = claims;
  const { scopes: names, prefix, tenant: tenantName } = mapped ?? ownClaims;
  if (
    typeof sub !== 'string' ||
    sub.length < 1 ||
    sub.length > subjectLengthMax ||
    /\p{Surrogate}/u.test(sub)
  )
    throw tokenInvalid(`the claim sub is invalid, expected 1 to ${subjectLengthMax} characters`);
  const found = names.flatMap(name => namesIn(claims, name, mapped !== undefined));
  const granted = found.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length));
  const known = new Set(granted.filter(name => (scopes as readonly string[]).includes(name)));
  const shown = found.slice(0, shownMax).map(name => name.slice(0, shownLengthMax));
  return {
    subject: sub,
    tenant: tenantIn(claims, tenantName),
    scopes: known,
    ...(typeof jti === 'string' && { jti }),
    ...(known.size === 0 && { foundInstead: shown }),
  };
};

/** The tenant of a token; a claim of another name must be there, or people would meet in one tenant. */
const tenantIn = (claims: Claims, name: string): string => {
  const isOwn = name === ownClaims.tenant;
  const value = claimAt(claims, name);
  const tenant = isOwn
    ? value === undefined
      ? 'default'
      : value
    : isTexts(value) && value.length === 1
      ? value[0]
      : value;
  if (typeof tenant === 'string' && tenantPattern.test(tenant)) return tenant;
  throw tokenInvalid(
    `the claim ${name} is ${value === undefined ? 'missing' : 'invalid'}, ` +
      'expected a tenant of 1 to 64 letters, digits, "_", "." or "-"',
  );
};

/**
 * Middleware that demands a valid token and sets `ctx.state.actor`. Algorithms, issuer and audience are fixed by the
 * settings; `exp` is required. A token that comes again within a minute is only
 * looked up among the revoked ones.
 * @param keys public keys of the address, with JWT_JWKS_URL
 */
export const authentication = (
  settings: TokenSettings,
  keys: RemoteKeys | undefined,
  { environment, models, tokenUses }: Pick<Service, 'environment' | 'models' | 'tokenUses'>,
) => {
  const check = tokenCheck(settings, keys);
  const known = knownTokens<Actor>(environment);
  const checked = async (ctx: Context): Promise<Actor> => {
    const actor = await check(ctx);
    known.keep(ctx.get('Authorization'), actor, actor.exp);
    return actor;
  };
  return async (ctx: Context, next: Next): Promise<void> => {
    const actor = known.actorOf(ctx.get('Authorization')) ?? (await checked(ctx));
    if (settings.key.kind === 'secret') {
      requireInForce(models, actor);
      if (actor.jti !== undefined) tokenUses.note(actor.jti);
    }
    ctx.state['actor'] = actor;
    await next();
  };
};

/**
 * Refuses a token that was revoked.
 * @throws Problem `tokenInvalid`; SourceParked when revocations of the tenant cannot be read
 */
const requireInForce = (models: Service['models'], { tenant, jti }: Actor): void => {
  if (jti === undefined) return;
  requireNotParked(models, streams.tokens(tenant));
  const at = models.tokens.revokedAt(tenant, jti);
  if (at !== undefined) throw tokenInvalid(`the token was revoked at ${at}`);
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

/** The same claims give the same token. */
const signed = (
  { algorithms, issuer, audience }: TokenSettings,
  secret: string,
  { subject, tenant, scopes: granted, jti, issuedS, expiresS }: SignedClaims,
): Promise<string> => {
  const token = new SignJWT({ scope: granted.join(' '), tenant })
    .setProtectedHeader({ alg: algorithms[0] ?? 'HS256', typ: 'JWT' })
    .setSubject(subject)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedS)
    .setExpirationTime(expiresS);
  return (jti === undefined ? token : token.setJti(jti)).sign(Buffer.from(secret));
};

/** A function that signs tokens that this service accepts; undefined when tokens are checked with public keys. */
export const tokenSigner = (settings: TokenSettings): TokenSigner | undefined => {
  const { key } = settings;
  return key.kind === 'secret' ? claims => signed(settings, key.secret, claims) : undefined;
};

/**
 * Signs a token that this service accepts and does not know: it is in no list, and only its expiry ends it.
 * @param expiresInS seconds until it expires, ≥ 1
 * @throws RangeError when tokens are checked with public keys
 */
export const mintToken = async (
  settings: TokenSettings,
  claims: { readonly subject: string; readonly tenant: string; readonly scopes: readonly string[] },
  expiresInS: number,
): Promise<string> => {
  const { key } = settings;
  if (key.kind !== 'secret')
    throw new RangeError('JWT_JWKS_URL is set: only the identity provider can sign tokens');
  const issuedS = Math.floor(Date.now() / 1000);
  return signed(settings, key.secret, { ...claims, issuedS, expiresS: issuedS + expiresInS });
};
