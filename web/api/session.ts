import { useSyncExternalStore } from 'react';

export type Scope = 'read' | 'import' | 'model' | 'planning' | 'alert' | 'audit' | 'erase' | 'webhook';

/** The signed-in person. `expired`: the service refused the token; the screen keeps its content. */
export type Session = {
  readonly status: 'signedOut' | 'signedIn' | 'expired';
  readonly token: string | null;
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
};

const storageKey = 'daybook.token';
const signedOut: Session = {
  status: 'signedOut',
  token: null,
  subject: '',
  tenant: '',
  scopes: new Set(),
};

/** Claims of a token, for display only: the service verifies them. */
const sessionOf = (token: string): Session => {
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
      status: 'signedIn',
      token,
      subject: typeof claims.sub === 'string' ? claims.sub : '',
      tenant: typeof claims.tenant === 'string' ? claims.tenant : 'default',
      scopes: new Set(Array.isArray(scope) ? scope.map(String) : []),
    };
  } catch {
    return { ...signedOut, status: 'signedIn', token };
  }
};

const stored = sessionStorage.getItem(storageKey);
let session = stored === null ? signedOut : sessionOf(stored);
const listeners = new Set<() => void>();

const change = (next: Session): void => {
  session = next;
  for (const listener of listeners) listener();
};

export const currentSession = (): Session => session;
export const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Signs in with a token, which stays in this tab's storage. */
export const signIn = (token: string): void => {
  sessionStorage.setItem(storageKey, token);
  change(sessionOf(token));
};

export const signOut = (): void => {
  sessionStorage.removeItem(storageKey);
  change(signedOut);
};

/** Called when the service refused this token; a newer one may be in use. */
export const expire = (token: string | null): void => {
  if (session.token !== token || session.status !== 'signedIn') return;
  sessionStorage.removeItem(storageKey);
  change({ ...session, status: 'expired' });
};

/** The token in a pasted link or text; undefined if there is none. */
export const tokenIn = (text: string): string | undefined =>
  /(?:^|#token=)\s*([\w-]+\.[\w-]+\.[\w-]+)\s*$/.exec(text.trim())?.[1];

/** Signs in with the token of the address and removes it there, so that a copied link does not sign in. */
export const takeTokenFromAddress = (): void => {
  const token = location.hash.startsWith('#token=') ? tokenIn(location.hash) : undefined;
  if (!location.hash.startsWith('#token=')) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (token !== undefined) signIn(token);
};

export const useSession = (): Session => useSyncExternalStore(onSession, currentSession);

/** Whether the token of the signed-in person has a scope. */
export const useScope = (scope: Scope): boolean => useSession().scopes.has(scope);
