import { useSyncExternalStore } from 'react';
import {
  earlyFetch,
  isWall,
  storedToken,
  tokenIn,
  tokenKey as storageKey,
  wallKey,
  wallToken,
} from './early.js';

/** Where people sign in, and what is requested there. */
export type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly audience?: string;
  /** RFC 8707. */
  readonly resource?: string;
};

/** The identity provider; null if people sign in with a link or a token. @throws Error without an answer */
export const oidcSettings = async (): Promise<OidcSettings | null> => {
  const response = await earlyFetch('/config.json');
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return ((await response.json()) as { oidc: OidcSettings | null }).oidc;
};

/** Whether the service was never used and takes the code of its start. */
export const isFirstStart = async (): Promise<boolean> => {
  const response = await fetch('/config.json');
  return response.ok && ((await response.json()) as { firstStart: boolean }).firstStart;
};

export type Scope = 'read' | 'import' | 'model' | 'planning' | 'alert' | 'audit' | 'webhook' | 'token';

/** Whom a token signs in, as the service reads its claims, and which those are. */
export type Identity = {
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly scopeClaims: readonly string[];
  readonly prefix: string;
  /** Other names in them, of a token without scopes. */
  readonly foundInstead?: readonly string[];
};

/** The signed-in person. `expired`: the service refused the token; the screen keeps its content. */
export type Session = Omit<Identity, 'scopes'> & {
  readonly status: 'signedOut' | 'signedIn' | 'expired';
  readonly token: string | null;
  readonly scopes: ReadonlySet<string>;
  /** Whether the service has said who this is; before, it is read from the token. */
  readonly isConfirmed: boolean;
  /** Why the service refused the token, in its words. */
  readonly refusal?: string;
};

/** A link with a token that was opened during a session: it waits for an answer, or is not used. */
export type Offer =
  | { readonly kind: 'other'; readonly token: string; readonly identity: Identity }
  | { readonly kind: 'refused'; readonly refusal: string }
  /** An identity provider signs people in. */
  | { readonly kind: 'notUsed' };

/** A sign-in at the identity provider that failed; without a reason the provider cannot be reached. */
export type SignInFailure = {
  readonly issuer: string;
  readonly reason?: string;
  /** Whether the browser opened no window for it. */
  readonly isBlocked?: true;
};

const signedOut: Session = {
  status: 'signedOut',
  token: null,
  subject: '',
  tenant: '',
  scopes: new Set(),
  scopeClaims: [],
  prefix: '',
  isConfirmed: false,
};

/** Claims of a token, until the service has confirmed them. */
const sessionOf = (token: string): Session => {
  const session = { ...signedOut, status: 'signedIn', token } as const;
  try {
    const part = token.split('.')[1] ?? '';
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), character =>
      character.charCodeAt(0),
    );
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as {
      sub?: unknown;
      tenant?: unknown;
      scope?: unknown;
    };
    const scope = typeof claims.scope === 'string' ? claims.scope.split(' ') : claims.scope;
    return {
      ...session,
      subject: typeof claims.sub === 'string' ? claims.sub : '',
      tenant: typeof claims.tenant === 'string' ? claims.tenant : 'default',
      scopes: new Set(Array.isArray(scope) ? scope.map(String) : []),
    };
  } catch {
    return session;
  }
};

/** A value with listeners; React reads it by `use`. */
export const observed = <Value>(first: Value) => {
  let value = first;
  const listeners = new Set<() => void>();
  const listen = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const get = (): Value => value;
  return {
    get,
    listen,
    set: (next: Value): void => {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(listen, get),
  };
};

const wallMs = 30 * 86_400_000;

/** Keeps the token of a wall for 30 days, if it can do nothing but read. */
const keepOnWall = (token: string, scopes: readonly string[]): void => {
  if (!isWall || scopes.join() !== 'read' || wallToken() === token) return;
  localStorage.setItem(wallKey, `${Date.now() + wallMs} ${token}`);
};

const stored = storedToken();
const session = observed<Session>(stored === null ? signedOut : sessionOf(stored));
const offer = observed<Offer | null>(null);
const failure = observed<SignInFailure | null>(null);

export const currentSession = session.get;
export const onSession = session.listen;
export const useSession = session.use;
export const useOffer = offer.use;
export const useSignInFailure = failure.use;
export const setSignInFailure = failure.set;

/** Pause before the service is asked again, in ms. */
export const pauseMs = 2000;

/** Asks the service whom a token signs in, until it answers; the text is its refusal. */
const identify = async (token: string, isWanted: () => boolean = () => true): Promise<Identity | string> => {
  while (isWanted()) {
    try {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
      const response = await fetch('/session.json', { headers });
      if (response.ok) return (await response.json()) as Identity;
      if (response.status === 401) return ((await response.json()) as { detail: string }).detail;
    } catch {
      // The service cannot be reached: the screens say so.
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
  return '';
};

/** Sets the session that the service has confirmed. */
const setConfirmed = (token: string, identity: Identity): void => {
  const scopes = new Set(identity.scopes);
  session.set({ ...signedOut, status: 'signedIn', token, ...identity, scopes, isConfirmed: true });
  keepOnWall(token, identity.scopes);
};

/** Asks the service who is signed in. */
const confirm = async (): Promise<void> => {
  const { token, status } = session.get();
  if (token === null || status !== 'signedIn') return;
  const isCurrent = (): boolean => session.get().token === token;
  const identity = await identify(token, isCurrent);
  if (!isCurrent()) return;
  if (typeof identity === 'string') expire(token, identity);
  else setConfirmed(token, identity);
};
void confirm();

/** Begins or continues a session. @param identity what the service says of the token; it is asked without one */
const keep = (token: string, identity?: Identity): void => {
  sessionStorage.setItem(storageKey, token);
  if (identity) return setConfirmed(token, identity);
  session.set(sessionOf(token));
  void confirm();
};

/** Replaces the session. The page is loaded again: data of the other tenant or person must not stay on it. */
const replace = (token: string): void => {
  sessionStorage.setItem(storageKey, token);
  location.reload();
};

/** Whether a session and the owner of a token are one person of one tenant. */
export const isSamePerson = (one: Session, other: Identity): boolean =>
  one.subject === other.subject && one.tenant === other.tenant;
const hasSameScopes = ({ scopes }: Session, other: Identity): boolean =>
  scopes.size === other.scopes.length && other.scopes.every(scope => scopes.has(scope));

/** Signs in with a token that the person gave; it stays in this tab's storage. A session of the same person goes on. */
export const signIn = async (token: string): Promise<void> => {
  if (session.get().status === 'signedOut') return keep(token);
  const identity = await identify(token);
  if (typeof identity === 'string') session.set({ ...session.get(), refusal: identity });
  else if (isSamePerson(session.get(), identity)) keep(token, identity);
  else replace(token);
};

/** Ends the session. The page is loaded again: its data must not stay for the next person. */
export const signOut = (): void => {
  sessionStorage.removeItem(storageKey);
  if (isWall) localStorage.removeItem(wallKey);
  location.reload();
};

/** Called when the service refused this token; a newer one may be in use. */
export const expire = (token: string | null, refusal?: string): void => {
  const current = session.get();
  if (token === null || current.token !== token) return;
  if (current.status === 'expired' && refusal === undefined) return;
  sessionStorage.removeItem(storageKey);
  if (isWall) localStorage.removeItem(wallKey);
  session.set({ ...current, status: 'expired', ...(refusal !== undefined && { refusal }) });
};

/**
 * Takes the token of the address, which loses it at once. Anybody can send a link, so it begins a session where there
 * is none and is otherwise offered. Where an identity provider signs people in, it is not used.
 * @param hasProvider whether an identity provider is configured
 */
export const takeTokenFromAddress = async (hasProvider: () => Promise<boolean>): Promise<void> => {
  if (!location.hash.startsWith('#token=')) return;
  const token = tokenIn(location.hash);
  history.replaceState(history.state, '', location.pathname + location.search);
  if (token === undefined || token === session.get().token) return;
  const isUsed = !(await hasProvider().catch(() => true));
  if (session.get().status === 'signedOut') return isUsed ? keep(token) : undefined;
  if (!isUsed) return offer.set({ kind: 'notUsed' });
  const identity = await identify(token);
  const current = session.get();
  if (typeof identity === 'string') offer.set({ kind: 'refused', refusal: identity });
  else if (isSamePerson(current, identity) && hasSameScopes(current, identity)) keep(token, identity);
  else offer.set({ kind: 'other', token, identity });
};

/** Ends the question about a link: its token replaces the session, or is forgotten. */
export const answerOffer = (isTaken: boolean): void => {
  const asked = offer.get();
  offer.set(null);
  if (isTaken && asked?.kind === 'other') replace(asked.token);
};

/** Whether the token of the signed-in person has a scope. */
export const useScope = (scope: Scope): boolean => useSession().scopes.has(scope);
