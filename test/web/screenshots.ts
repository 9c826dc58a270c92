// Screenshots of all screens with data of the demo: `npm run screenshots [folder]`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { csvLines, makeYear, type VisitorCount } from '../../adapters/cli/demo/data.js';
import { mintToken, scopes } from '../../adapters/http/middleware/tokens.js';
import { start } from '../../adapters/main.js';
import { readSettings } from '../../adapters/settings/settings.js';
import { openBrowser } from '../helpers/screens/browser.js';

const out = resolve(process.argv[2] ?? 'build/screenshots');
/** Sources of the screenshots: name, seed of the generated data, and last imported day. */
const places = [
  { name: 'Market hall', seed: 1, last: '2025-11-20' },
  { name: 'Station hall', seed: 2, last: '2025-11-20' },
  { name: 'Old harbour', seed: 3, last: '2025-11-19' },
  { name: 'West entrance', seed: 4, last: '2025-11-14' },
];
const sizes = [
  { name: 'phone', width: 390, height: 844, isTouch: true },
  { name: 'desk', width: 1280, height: 800, isTouch: false },
  { name: 'wall', width: 2560, height: 1440, isTouch: false },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'daybook-screenshots-'));
const settings = readSettings({ DATA_DIR: folder, PORT: '0' });
const running = await start(settings, pino({ level: 'silent' }), error => {
  throw error;
});
const token = await mintToken(settings.tokens, { subject: 'anna', tenant: 'default', scopes }, 3600);

const ask = async (method: string, path: string, csv?: readonly VisitorCount[]): Promise<never> => {
  const response = await fetch(`${running.address}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(csv && { 'Content-Type': 'text/csv' }) },
    ...(csv && { body: [...csvLines(csv)].join('') }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as never;
};

/** Imports the data of the screenshots. */
const prepare = async (): Promise<void> => {
  for (const { name, seed, last } of places) {
    const { reference, recent } = makeYear(seed);
    const query = new URLSearchParams({ name });
    const created: { source: { id: number } } = await ask(
      'POST',
      `/v1/import-csv/create-source?${query}`,
      reference,
    );
    const { id } = created.source;
    for (;;) {
      const source: { analysis: { status: string } } = await ask('GET', `/v1/source/${id}`);
      if (source.analysis.status === 'completed') break;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    await ask(
      'POST',
      `/v1/import-csv/${id}/days`,
      recent.filter(([at]) => at.slice(0, 10) <= last),
    );
  }
};

/** Waits until a screen has loaded all data. */
const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(700);
};

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
try {
  mkdirSync(out, { recursive: true });
  await prepare();
  const { alerts }: { alerts: readonly { id: string; date: string }[] } = await ask(
    'GET',
    '/v1/alert/list?sourceId=1&state=open',
  );
  const { incidents }: { incidents: readonly { id: string; alertIds: readonly string[] }[] } = await ask(
    'GET',
    '/v1/incident/list?sort=criticity',
  );
  const incident = incidents.find(({ alertIds }) => alertIds.length > 1) ?? incidents[0];
  const alert = alerts.find(({ date }) => date === '2025-11-13') ?? alerts[0];
  const screens = {
    overview: '/',
    incidents: '/alerts',
    incident: `/incidents/${incident?.id}`,
    alert: `/alerts/${alert?.id}`,
    calendar: '/sources/1/calendar/2025?day=2025-11-13',
    models: '/sources/1/models',
    import: '/sources/new',
    history: '/sources/1/history',
    settings: '/sources/1/settings',
    receivers: '/receivers',
    mutes: '/mutes',
    tokens: '/tokens',
  };
  for (const { name: size, isTouch, ...viewport } of sizes)
    for (const colorScheme of ['light', 'dark'] as const) {
      const touch = isTouch && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', ...touch });
      const page = await context.newPage();
      await page.goto(`${running.address}/#token=${token}`);
      await settled(page);
      for (const [name, path] of Object.entries(screens)) {
        await page.goto(`${running.address}${path}`);
        await settled(page);
        await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
      }
      await context.close();
    }
  process.stdout.write(`${out}\n`);
} finally {
  await browser.close();
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
}
