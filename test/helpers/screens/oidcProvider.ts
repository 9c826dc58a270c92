import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import type { Test } from 'tap';
import { scopes } from '../../../adapters/http/middleware/tokens.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A permission that a user gives a client. */
type Grant = {
  readonly addOIDCScope: (scope: string) => void;
  readonly addResourceScope: (resource: string, scope: string) => void;
  readonly save: () => Promise<string>;
};

/** Parts of the package oidc-provider, which has no types. */
type Provider = {
  readonly callback: () => Handler;
  readonly interactionFinished: (
    request: IncomingMessage,
    response: ServerResponse,
    result: { readonly login: { readonly accountId: string }; readonly consent: object },
  ) => Promise<void>;
  readonly on: (event: 'access_token.issued', listener: () => void) => void;
  readonly Grant: new (of: { readonly accountId: string; readonly clientId: string }) => Grant;
};
type Context = { readonly oidc: { readonly provider: Provider } };
type Module = { readonly Provider: new (issuer: string, configuration: object) => Provider };

const accountId = 'carla';
/** The API of the service, as its provider calls it (RFC 8707). */
export const resource = 'urn:daybook';

/** The API as a resource of the provider: a request that names it gets a JWT; any other one an opaque token. */
const resourceOf = (seconds: () => number, audience: string) => ({
  enabled: true,
  defaultResource: () => undefined,
  useGrantedResource: () => true,
  getResourceServerInfo: () => ({
    scope: scopes.join(' '),
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: seconds(),
    jwt: { sign: { alg: 'RS256' } },
  }),
});

/** A user with all scopes, who agreed to everything before; a token has the ones that its request names. */
const grantOf = (clientId: string) => async (context: Context) => {
  const grant = new context.oidc.provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid');
  grant.addResourceScope(resource, scopes.join(' '));
  await grant.save();
  return grant;
};

type ProviderOptions = {
  /** Life of the first access token in seconds; later ones last an hour. */
  readonly expiresInS?: number;
  /** Audience of access tokens. */
  readonly audience?: string;
  /** Further claims of access tokens. */
  readonly claims?: object;
};

/**
 * Starts an OpenID provider (package oidc-provider) with one public client. It signs in every user as carla.
 */
export const startProvider = async (
  t: Test,
  clientId: string,
  { expiresInS = 3600, audience = 'daybook', claims = {} }: ProviderOptions = {},
) => {
  // Not a literal: the compiler would look for types.
  const name: string = 'oidc-provider';
  const { Provider } = (await import(name)) as Module;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let issued = 0;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        // The port of the service is unknown yet; that of a native client on this machine may be any (RFC 8252, 7.3).
        redirect_uris: ['http://127.0.0.1/'],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['of no use but to this test'] },
    ttl: { Interaction: 600, Grant: 3600, Session: 3600, IdToken: 3600 },
    clientBasedCORS: () => true,
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: grantOf(clientId),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: resourceOf(() => (issued === 0 ? expiresInS : 3600), audience),
    },
    formats: {
      customizers: {
        jwt: (_: unknown, __: unknown, { payload }: { payload: object }) =>
          void Object.assign(payload, claims),
      },
    },
  });
  provider.on('access_token.issued', () => (issued += 1));
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const handled = request.url?.startsWith('/interaction/')
      ? provider.interactionFinished(request, response, { login: { accountId }, consent: {} })
      : answer(request, response);
    handled.catch((error: unknown) => t.fail(String(error)));
  });
  t.teardown(() => server.close());
  return { issuer, jwks: `${issuer}/jwks` };
};
