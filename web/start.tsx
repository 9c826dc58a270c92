import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startLive } from './api/live.js';
import { oidcSettings, currentSession, takeTokenFromAddress } from './api/session.js';
import type { Messages } from './messages/en.js';
import { LanguageProvider } from './messages/messages.js';
import { applyTheme, preferredTheme } from './parts/Shell.js';
import { makeRouter } from './router.js';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The event stream reports changes.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      // The client of the API retries.
      retry: false,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Takes a token out of the address at once, and asks the service whether it may be used. */
const takeToken = (): Promise<void> => takeTokenFromAddress(async () => (await oidcSettings()) !== null);

/** Exchanges the code of a provider before anything is shown. @returns whether another page goes on */
const finishSignIn = async (): Promise<boolean> => {
  if (sessionStorage.getItem('daybook.oidc') === null || !/[?&]state=/.test(location.search)) return false;
  try {
    return await (await import('./api/oidc.js')).finishOidc();
  } catch {
    // The program of the sign-in cannot be loaded: the page asks to sign in again.
    history.replaceState(null, '', '/');
    return false;
  }
};

/** Starts the screens. @param messages texts of the preferred language */
export const start = async (messages: Messages): Promise<void> => {
  addEventListener('hashchange', () => void takeToken());
  const taken = takeToken();
  applyTheme(preferredTheme());
  startLive(client);
  const isOver = await finishSignIn();
  // Without a session nothing is shown before: the page would ask to sign in.
  if (currentSession().status === 'signedOut') await taken;
  const root = document.getElementById('root');
  if (root && !isOver)
    createRoot(root).render(
      <StrictMode>
        <LanguageProvider first={messages}>
          <QueryClientProvider client={client}>
            <RouterProvider router={makeRouter()} />
          </QueryClientProvider>
        </LanguageProvider>
      </StrictMode>,
    );
};
