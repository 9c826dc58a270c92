import { SettingsError } from './settingsError.js';
import { safeUrl } from './values.js';

/** The identity provider of the screens, and what they request of it. */
export type OidcSettings = {
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
