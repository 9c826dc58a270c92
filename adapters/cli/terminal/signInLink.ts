import { mintToken, type Scope } from '../../http/middleware/tokens.js';
import type { Settings } from '../../settings/settings.js';
import type { TokenSettings } from '../../settings/tokenSettings.js';

/** Lifetime of a token that a command creates: a working day. */
const tokenHours = 12;
export const tokenExpiresInS = tokenHours * 3600;

/** Scopes that the screens use. */
export const screenScopes: readonly Scope[] = ['read', 'import', 'model', 'planning', 'alert', 'audit'];

/** A token for the screens, which expires after a working day. */
export const screenToken = (tokens: TokenSettings, subject: string): Promise<string> =>
  mintToken(tokens, { subject, tenant: 'default', scopes: screenScopes }, tokenExpiresInS);

/** Arguments of `daybook` that print such a token. */
export const screenTokenCommand = `daybook token --scope "${screenScopes.join(' ')}" --expires ${tokenHours}h`;

/** Link to the screens with a token in its fragment, which no browser sends to a server. */
export const signInLinkOf = (address: string, token: string): string => {
  const url = new URL(address);
  // A browser cannot open the address that means all interfaces of this machine.
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return `${url.href}#token=${token}`;
};

/**
 * How people sign in to the screens, as a line for standard output; empty where an identity provider signs them in. The
 * link is a credential, so it is only shown on a terminal: other output is often collected as a log.
 */
export const signInLine = async (
  address: string,
  { tokens, oidc }: Pick<Settings, 'tokens' | 'oidc'>,
  { isTTY, isProduction }: { readonly isTTY: boolean; readonly isProduction: boolean },
): Promise<string> => {
  if (tokens.key.kind !== 'secret' || oidc) return '';
  if (!isTTY || isProduction) return `Sign in to its screens with the output of: ${screenTokenCommand}\n`;
  return `Open ${signInLinkOf(address, await screenToken(tokens, 'me'))}\n`;
};
