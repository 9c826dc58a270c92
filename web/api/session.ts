import { useSyncExternalStore } from 'react';

export type Scope = 'read' | 'import' | 'model' | 'planning' | 'alert' | 'audit' | 'erase' | 'webhook';

/** Who is signed in. `expired`: the service refused the token; what is on the screen stays. */
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

/** Claims of a token as the page shows them; the service alone decides whether they are true. */
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

/** The service refused this token. A newer one may be in use already. */
export const expire = (token: string | null): void => {
  if (session.token !== token || session.status !== 'signedIn') return;
  sessionStorage.removeItem(storageKey);
  change({ ...session, status: 'expired' });
};

/** The token in a pasted link or text; undefined when there is none. */
export const tokenIn = (text: string): string | undefined =>
  /(?:^|#token=)\s*([\w-]+\.[\w-]+\.[\w-]+)\s*$/.exec(text.trim())?.[1];

/** Takes the token out of the address: a link that is copied or shared afterwards signs nobody in. */
export const takeTokenFromAddress = (): void => {
  const token = location.hash.startsWith('#token=') ? tokenIn(location.hash) : undefined;
  if (!location.hash.startsWith('#token=')) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (token !== undefined) signIn(token);
};

export const useSession = (): Session => useSyncExternalStore(onSession, currentSession);

/** Whether the signed-in person may do what a scope allows. */
export const useScope = (scope: Scope): boolean => useSession().scopes.has(scope);
