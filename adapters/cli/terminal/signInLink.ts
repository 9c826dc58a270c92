import { mintToken, scopes } from '../../http/middleware/tokens.js';
import type { TokenSettings } from '../../settings/tokenSettings.js';

/** Lifetime of a token that a command creates: a working day. */
export const tokenExpiresInS = 12 * 3600;

/** Link to the screens with a token in its fragment, which no browser sends to a server. */
export const signInLinkOf = (address: string, token: string): string => {
  const url = new URL(address);
  // A browser cannot open the address that means all interfaces of this machine.
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return `${url.href}#token=${token}`;
};

/** Link that signs the operator in with all scopes. */
export const signInLink = async (address: string, tokens: TokenSettings): Promise<string> =>
  signInLinkOf(
    address,
    await mintToken(tokens, { subject: 'me', tenant: 'default', scopes }, tokenExpiresInS),
  );
