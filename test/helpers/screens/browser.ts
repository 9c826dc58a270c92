import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { repositoryRoot } from '../repository.js';
import { longestMs } from '../waits.js';
import { eventually } from '../service.js';
import { packedBrowser } from './packedBrowser.js';

/** Console messages and requests of a page; a correct screen causes none. */
export type Watched = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console, and uncaught errors. */
  readonly complaints: string[];
  /** Requested addresses of other hosts. */
  readonly strangers: string[];
};

/** Delay of each answer to a page, ms: shows tests that look before the screen has its answer. */
const answerDelayMs = Number(process.env['SCREEN_DELAY'] ?? 0);

/** Path of a browser: from a package, or an installed one; undefined if there is none. */
const browserPath = async (): Promise<string | undefined> => {
  const given = process.env['CHROME_PATH'];
  if (given !== undefined) return given;
  if (process.platform === 'linux' && process.arch === 'x64') return packedBrowser();
  return [
    '/usr/bin/google-chrome',
    '/usr/bin/chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ].find(path => existsSync(path));
};

/** A browser, or the reason why none is available. */
export const openBrowser = async (): Promise<Browser | string> => {
  if (!existsSync(join(repositoryRoot(), 'build', 'web', 'index.html')))
    return 'the screens are not built: npm run build';
  const executablePath = await browserPath();
  if (executablePath === undefined) return 'no browser here: set CHROME_PATH';
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
};

/** Opens a page that records messages and requests; the test closes it. */
export const openPage = async (
  t: Test,
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> => {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(longestMs);
  if (answerDelayMs > 0) {
    await page.route(/\/v1\//, async route => {
      await sleep(answerDelayMs);
      await route.fallback();
    });
  }
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('request', request => {
    const url = new URL(request.url());
    if (!['127.0.0.1', 'localhost'].includes(url.hostname) && !['data:', 'blob:'].includes(url.protocol))
      strangers.push(request.url());
  });
  return { page, context, complaints, strangers };
};

/** Waits until an expression is true in the page. `waitForFunction` needs an evaluation that the page's policy forbids. */
export const becomesTrue = (page: Page, expression: string): Promise<true> =>
  eventually(expression, async () => ((await page.evaluate<boolean>(expression)) ? true : undefined));

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type Violation = { readonly id: string; readonly help: string; readonly nodes: readonly { html: string }[] };

/** Violations of WCAG 2.2 AA that axe-core finds on a page, as text; only of `rules` when there are any. */
export const axeFaults = async (page: Page, rules: readonly string[] = []): Promise<string[]> => {
  // The debugger protocol is not subject to the content security policy.
  await page.evaluate((await import('node:fs')).readFileSync(axe, 'utf8'));
  const violations = await page.evaluate(async (rules: readonly string[]) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (context: object, options: object) => Promise<{ violations: Violation[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const runOnly = rules.length > 0 ? { type: 'rule', values: rules } : tags;
    return (await axe.run((globalThis as unknown as { document: object }).document, { runOnly })).violations;
  }, rules);
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
};
