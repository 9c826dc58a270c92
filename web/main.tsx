import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startLive } from './api/live.js';
import { oidcSettings } from './api/oidcSettings.js';
import { currentSession, takeTokenFromAddress } from './api/session.js';
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

addEventListener('hashchange', () => void takeToken());
const taken = takeToken();
applyTheme(preferredTheme());
startLive(client);

/** Whether the browser returns from the provider. The code is exchanged before anything is shown. */
const isSigningIn = sessionStorage.getItem('daybook.oidc') !== null && /[?&]state=/.test(location.search);
const isOver = isSigningIn
  ? await import('./api/oidc.js')
      .then(({ finishOidc }) => finishOidc())
      // A failed sign-in: the page asks to sign in again.
      .catch(() => (history.replaceState(null, '', '/'), false))
  : false;

// Without a session nothing is shown before: the page would ask to sign in.
if (currentSession().status === 'signedOut') await taken;

const root = document.getElementById('root');
if (root && !isOver)
  createRoot(root).render(
    <StrictMode>
      <LanguageProvider>
        <QueryClientProvider client={client}>
          <RouterProvider router={makeRouter()} />
        </QueryClientProvider>
      </LanguageProvider>
    </StrictMode>,
  );
