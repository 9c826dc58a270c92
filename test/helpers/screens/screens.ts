import type { Browser, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { mintToken, scopes } from '../../../adapters/http/middleware/tokens.js';
import { openBrowser, openPage, type Watched } from './browser.js';
import { freePort } from '../freePort.js';
import { startService } from '../service.js';

type Visit = {
  readonly subject?: string;
  readonly token?: string;
  readonly context?: Parameters<Browser['newContext']>[0];
};

/** A service with these settings, and a browser, that end with the test; skips the file if there is no browser. */
export const openScreens = async (t: Test, env: NodeJS.ProcessEnv = {}) => {
  const browser = await openBrowser();
  if (typeof browser === 'string') {
    t.pass('no browser', { skip: browser });
    process.exit(0);
  }
  t.teardown(() => browser.close());
  const service = await startService(t, { PORT: String(await freePort()), ...env });

  /** A token of a subject; validity in seconds; default: all scopes. */
  const tokenOf = (subject: string, expiresInS = 3600, allowed: readonly string[] = scopes) =>
    mintToken(service.settings.tokens, { subject, tenant: 'default', scopes: allowed }, expiresInS);

  /** A signed-in page at a path. */
  const visit = async (t: Test, path: string, options: Visit = {}): Promise<Watched> => {
    const watched = await openPage(t, browser, options.context);
    const token = options.token ?? (await tokenOf(options.subject ?? 'anna'));
    await watched.page.goto(`${service.address()}${path}#token=${token}`);
    return watched;
  };

  return { browser, service, tokenOf, visit };
};

/** The level-1 heading of a screen. */
export const heading = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('heading', { level: 1, name, exact: typeof name === 'string' });

/** Waits for a screen: its heading, not that of the first words of the page, and no place that waits for its data. */
export const settled = async (page: Page): Promise<void> => {
  const screen = page.locator('main.page');
  await screen.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await screen.locator('.skeleton').first().waitFor({ state: 'detached' });
};

/** A button by its exact name. */
export const button = (page: Page | Locator, name: string): Locator =>
  page.getByRole('button', { name, exact: true });

/**
 * Ends the session of a page: the service gets an expired token for the one that the page holds, not for a later one.
 * A token that expires by itself may do so before a slow page has begun.
 */
export const endSession = async (page: Page, expired: string): Promise<void> => {
  const held = await page.evaluate<string>(`sessionStorage.getItem('daybook.token')`);
  await page.route('**/*', route => {
    const headers = route.request().headers();
    return headers['authorization'] === `Bearer ${held}`
      ? route.fallback({ headers: { ...headers, authorization: `Bearer ${expired}` } })
      : route.fallback();
  });
};

/** Asserts an empty console, except for allowed messages, and no request to another host. */
export const expectQuiet = (t: Test, { complaints, strangers }: Watched, allowed = /^$/): void => {
  t.strictSame(
    complaints.filter(text => !allowed.test(text)),
    [],
    'nothing in the console',
  );
  t.strictSame(strangers, [], 'no request to another host');
};
