import { earlyFetch } from './early.js';

/** Where people sign in, and what is requested there. */
export type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly audience?: string;
  /** RFC 8707. */
  readonly resource?: string;
};

/** The identity provider; null if people sign in with a link or a token. */
export const oidcSettings = async (): Promise<OidcSettings | null> => {
  const response = await earlyFetch('/config.json');
  return response.ok ? ((await response.json()) as { oidc: OidcSettings | null }).oidc : null;
};
