import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SettingsError, named, safeUrl } from './values.js';

/** The identity provider of the screens, and what they request of it. */
type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Scopes of the request, `openid` among them. */
  readonly scope: string;
  /** Parameter `audience` of the request, which some providers need for a token of an API. */
  readonly audience?: string;
  /** Resource whose access token is requested (RFC 8707). */
  readonly resource?: string;
};

/** How people sign in to the screens. */
export type SignIn = {
  /** Absent when people sign in with a link or a token. */
  readonly oidc?: OidcSettings;
};

const choices = ['OIDC_SCOPE', 'OIDC_AUDIENCE', 'OIDC_RESOURCE'] as const;

/** The identity provider of the screens. @throws SettingsError */
export const readOidc = (env: NodeJS.ProcessEnv): SignIn => {
  const issuer = env['OIDC_ISSUER'];
  const clientId = env['OIDC_CLIENT_ID'];
  if (issuer === undefined && clientId === undefined) {
    const choice = choices.find(name => env[name] !== undefined);
    if (choice !== undefined)
      throw new SettingsError(`${choice}: expected OIDC_ISSUER and OIDC_CLIENT_ID, too`);
    return {};
  }
  if (issuer === undefined || clientId === undefined || clientId.trim() === '')
    throw new SettingsError('OIDC_ISSUER and OIDC_CLIENT_ID: got one of them, expected both or neither');
  safeUrl('OIDC_ISSUER', issuer);
  if (env['JWT_JWKS_URL'] === undefined)
    throw new SettingsError(
      'OIDC_ISSUER: expected JWT_JWKS_URL, too: the address of the keys that sign its tokens',
    );
  const audience = env['OIDC_AUDIENCE'];
  if (audience?.trim() === '') throw new SettingsError('OIDC_AUDIENCE: got an empty value, expected a name');
  const resource = readResource(env['OIDC_RESOURCE']);
  return {
    oidc: {
      // An issuer is compared as text: with or without its last slash it is another one.
      issuer,
      clientId,
      scope: readScope(env['OIDC_SCOPE']),
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    },
  };
};

/** The scopes to request, as RFC 6749 §3.3 writes them. @throws SettingsError */
const readScope = (text = 'openid'): string => {
  const names = text.split(' ').filter(name => name !== '');
  if (!names.includes('openid') || names.some(name => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)))
    throw new SettingsError(
      `OIDC_SCOPE: got "${text}", expected names separated by spaces, openid among them`,
    );
  return names.join(' ');
};

/** The resource to request: an absolute URI without a fragment (RFC 8707 §2). @throws SettingsError */
const readResource = (text: string | undefined): string | undefined => {
  if (text === undefined || (URL.canParse(text) && !text.includes('#'))) return text;
  throw new SettingsError(`OIDC_RESOURCE: got "${text}", expected an absolute URI such as urn:daybook`);
};

/** Claims that have the scopes and the tenant of a token; names may be paths, as in `realm_access.roles`. */
export type ClaimSettings = {
  readonly scopes: readonly string[];
  /** Beginning of the values that are scopes of this service; empty for all values. */
  readonly prefix: string;
  readonly tenant: string;
};

/** The claims of tokens that this service signs itself. */
export const ownClaims: ClaimSettings = { scopes: ['scope'], prefix: '', tenant: 'tenant' };

/** Keys of tokens: a shared secret, or an address with public keys. */
export type TokenSettings = {
  readonly key:
    { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'jwks'; readonly url: URL };
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly audience: string;
  /** Absent for the claims of tokens that this service signs itself. */
  readonly claims?: ClaimSettings;
};

const secretBytesMin = 32;
const secretAlgorithms = ['HS256'];
const keyAlgorithms = ['RS256', 'ES256'];

/** The key of tokens, and the algorithms, issuer and audience that are accepted. @throws SettingsError */
export const readTokens = (env: NodeJS.ProcessEnv, dataDir: string): TokenSettings => {
  const url = env['JWT_JWKS_URL'];
  const secret = env['JWT_SECRET'];
  if (url !== undefined && secret !== undefined)
    throw new SettingsError('JWT_SECRET and JWT_JWKS_URL: got both, expected one of them');
  const issuer = named(env, 'JWT_ISSUER');
  const audience = named(env, 'JWT_AUDIENCE');
  const algorithms = (possible: readonly string[]): readonly string[] => {
    const asked = env['JWT_ALGORITHMS']?.split(/[\s,]+/).filter(name => name !== '') ?? possible;
    const wrong = asked.filter(name => !possible.includes(name));
    if (asked.length === 0 || wrong.length > 0)
      throw new SettingsError(
        `JWT_ALGORITHMS: got "${env['JWT_ALGORITHMS']}", expected ${possible.join(' or ')} ` +
          `${url === undefined ? 'with a secret' : 'with JWT_JWKS_URL'}`,
      );
    return asked;
  };
  const claims = readClaims(env);
  if (url !== undefined)
    return {
      ...(claims && { claims }),
      key: { kind: 'jwks', url: safeUrl('JWT_JWKS_URL', url) },
      algorithms: algorithms(keyAlgorithms),
      issuer,
      audience,
    };
  if (claims)
    throw new SettingsError(
      `${claimNames.find(name => env[name] !== undefined)}: expected JWT_JWKS_URL, too; ` +
        'tokens of a secret have the claims scope and tenant',
    );
  if (secret !== undefined && Buffer.byteLength(secret) < secretBytesMin)
    throw new SettingsError(
      `JWT_SECRET: got ${Buffer.byteLength(secret)} bytes, expected at least ${secretBytesMin}`,
    );
  const key = { kind: 'secret', secret: secret ?? keptSecret(dataDir) } as const;
  return { key, algorithms: algorithms(secretAlgorithms), issuer, audience };
};

const claimNames = ['JWT_SCOPE_CLAIM', 'JWT_SCOPE_PREFIX', 'JWT_TENANT_CLAIM'] as const;
const claimLengthMax = 200;

/** The claims of an identity provider; undefined when no setting names one. @throws SettingsError */
const readClaims = (env: NodeJS.ProcessEnv): ClaimSettings | undefined => {
  if (claimNames.every(name => env[name] === undefined)) return undefined;
  const wordsOf = (name: (typeof claimNames)[number], usual: string, countMax: number): string[] => {
    const text = env[name] ?? usual;
    const words = text.split(/\s+/).filter(word => word !== '');
    const isRight = words.length >= 1 && words.length <= countMax && text.length <= claimLengthMax;
    if (isRight && words.every(word => !word.split('.').includes(''))) return words;
    const expected = countMax === 1 ? 'the name of a claim' : 'names of claims separated by spaces';
    throw new SettingsError(
      `${name}: got "${text}", expected ${expected}, such as ${usual} or realm_access.${usual}s`,
    );
  };
  const { JWT_SCOPE_PREFIX: prefix = '' } = env;
  if (/\s/.test(prefix) || prefix.length > claimLengthMax)
    throw new SettingsError(
      `JWT_SCOPE_PREFIX: got "${prefix}", expected a beginning such as daybook:, without spaces`,
    );
  return {
    scopes: wordsOf('JWT_SCOPE_CLAIM', 'scope', 8),
    prefix,
    tenant: wordsOf('JWT_TENANT_CLAIM', 'tenant', 1)[0] ?? '',
  };
};

/** The secret of a file, which only its owner can read from now on. */
const ownSecret = (file: string): string => {
  try {
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new SettingsError(`DATA_DIR: ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
};

/** The secret of the data folder, created at the first start: 256 random bits that only the owner can read. */
const keptSecret = (dataDir: string): string => {
  const file = join(dataDir, 'jwt-secret');
  const making = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    // Linking a finished file makes one of two concurrent first starts win; the other reads its secret.
    if (!existsSync(file)) {
      writeFileSync(making, randomBytes(32).toString('hex'), { mode: 0o600 });
      linkSync(making, file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new SettingsError(`DATA_DIR: ${file} cannot be written: ${(error as Error).message}`, {
        cause: error,
      });
  } finally {
    rmSync(making, { force: true });
  }
  const secret = ownSecret(file);
  if (Buffer.byteLength(secret) < secretBytesMin)
    throw new SettingsError(
      `${file}: got ${secret.length} bytes, expected at least ${secretBytesMin}; delete it for a new one`,
    );
  return secret;
};
