import { SettingsError } from './settingsError.js';
import { safeUrl } from './values.js';

/** How people sign in to the screens. */
export type SignIn = {
  /** The identity provider; undefined when people sign in with a link or a token. */
  readonly oidc?: { readonly issuer: string; readonly clientId: string };
};

/** The identity provider of the screens. @throws SettingsError */
export const readOidc = (env: NodeJS.ProcessEnv): SignIn => {
  const issuer = env['OIDC_ISSUER'];
  const clientId = env['OIDC_CLIENT_ID'];
  if (issuer === undefined && clientId === undefined) return {};
  if (issuer === undefined || clientId === undefined || clientId.trim() === '')
    throw new SettingsError('OIDC_ISSUER and OIDC_CLIENT_ID: got one of them, expected both or neither');
  safeUrl('OIDC_ISSUER', issuer);
  // An issuer is compared as text: with or without its last slash it is another one.
  return { oidc: { issuer, clientId } };
};
