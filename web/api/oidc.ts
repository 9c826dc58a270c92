import * as oauth from 'oauth4webapi';
import { type OidcSettings, type SignInFailure, setSignInFailure, signIn } from './session.js';

/** State of a sign-in that is kept until the browser returns from the provider. */
type Pending = OidcSettings & {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly returnTo: string;
  readonly popup: boolean;
};

const storageKey = 'daybook.oidc';
const channelName = 'daybook.oidc';
/** State of the sign-in that a separate window of this page has begun. */
let awaited: string | undefined;
let signInWindow: Window | null = null;

const redirectUri = (): string => `${location.origin}/`;

/** Plain http is for providers on this machine, which the service allows in its settings too. */
const optionsOf = (issuer: string) => ({
  [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:',
});

const serverOf = async (issuer: string): Promise<oauth.AuthorizationServer> => {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, optionsOf(issuer)));
};

/** Reason in the words of the provider or of the check that failed; undefined when the request itself failed. */
const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError)
    return [error.error, error.error_description].filter(Boolean).join(': ');
  // `fetch` throws a TypeError without a code.
  const isUnreachable = error instanceof TypeError && !('code' in error);
  return isUnreachable ? undefined : error instanceof Error ? error.message : String(error);
};

/** Why the provider did not sign the person in, for the sign-in form. */
const failureOf = (issuer: string, error: unknown): SignInFailure => {
  const reason = reasonOf(error);
  return { issuer, ...(reason !== undefined && { reason }) };
};

/**
 * Goes to the provider: authorization code with PKCE.
 * @param popup a window of its own, so that a screen with something typed stays as it is
 */
export const startOidc = async (settings: OidcSettings, popup: boolean): Promise<void> => {
  // The page of the provider cannot be steered from here, and somebody may be typing there.
  if (popup && signInWindow?.closed === false) return signInWindow.focus();
  // Opened before the first await: browsers allow windows only during a click.
  const opened = popup ? window.open('', 'daybook-sign-in', 'width=480,height=680') : null;
  signInWindow = opened;
  // The page itself goes there only when the person says so: what was typed is lost then.
  if (popup && !opened) return setSignInFailure({ issuer: settings.issuer, isBlocked: true });
  setSignInFailure(null);
  try {
    await goToProvider(settings, opened);
  } catch (error) {
    opened?.close();
    setSignInFailure(failureOf(settings.issuer, error));
  }
};

const goToProvider = async (settings: OidcSettings, opened: Window | null): Promise<void> => {
  const server = await serverOf(settings.issuer);
  if (server.authorization_endpoint === undefined) throw new Error('the provider has no sign-in page');
  const pending: Pending = {
    ...settings,
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    returnTo: location.pathname + location.search,
    popup: opened !== null,
  };
  if (opened) awaited = pending.state;
  const target = opened ?? window;
  target.sessionStorage.setItem(storageKey, JSON.stringify(pending));
  const url = new URL(server.authorization_endpoint);
  for (const [name, value] of Object.entries({
    client_id: settings.clientId,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: settings.scope,
    ...(settings.audience !== undefined && { audience: settings.audience }),
    ...(settings.resource !== undefined && { resource: settings.resource }),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  }))
    url.searchParams.set(name, value);
  target.location.href = url.href;
};

/** Exchanges the code of the provider for an access token, which the API accepts. */
const exchange = async (pending: Pending): Promise<string> => {
  const server = await serverOf(pending.issuer);
  const client = { client_id: pending.clientId };
  const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri(),
    pending.verifier,
    {
      ...optionsOf(pending.issuer),
      ...(pending.resource !== undefined && { additionalParameters: { resource: pending.resource } }),
    },
  );
  const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: pending.nonce,
    requireIdToken: true,
  });
  return token;
};

/** How a sign-in in a separate window ended. */
type Ended = { readonly state: string } & ({ readonly token: string } | { readonly failure: SignInFailure });

/** Hands the end of a sign-in to the page that opened this window for it, and closes the window. */
const handOver = (ended: Ended): true => {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(ended);
  channel.close();
  close();
  return true;
};

/** Finishes a sign-in if the address is its redirect. Returns whether this window was opened for it. */
export const finishOidc = async (): Promise<boolean> => {
  const query = new URLSearchParams(location.search);
  const stored = sessionStorage.getItem(storageKey);
  if (stored === null || !query.has('state') || !(query.has('code') || query.has('error'))) return false;
  sessionStorage.removeItem(storageKey);
  const pending = JSON.parse(stored) as Pending;
  let token: string;
  try {
    token = await exchange(pending);
  } catch (error) {
    const failure = failureOf(pending.issuer, error);
    if (pending.popup) return handOver({ state: pending.state, failure });
    history.replaceState(history.state, '', pending.returnTo);
    setSignInFailure(failure);
    return false;
  }
  if (pending.popup) return handOver({ state: pending.state, token });
  history.replaceState(history.state, '', pending.returnTo);
  await signIn(token);
  return false;
};

/** Receives the end of a sign-in that this page has begun in a separate window; others are of other pages. */
export const listenForOidc = (): (() => void) => {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Ended>) => {
    if (data.state !== awaited) return;
    awaited = undefined;
    if ('failure' in data) setSignInFailure(data.failure);
    else void signIn(data.token);
  };
  return () => channel.close();
};
