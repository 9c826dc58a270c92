// Speed of the screens with 1,000 sources, in Chromium: `npm run bench:screens`, with `-- --sources 100` for fewer
// and `-- --runs 10` for more runs. Prints Markdown: first paint, interactions and initial JavaScript, each next to
// the same measure of an empty page in the same run. Nothing is asserted.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../test/helpers/screens/browser.js';
import { repositoryRoot } from '../test/helpers/repository.js';
import { startService } from './service/service.js';
import { ordinaryDays } from '../test/helpers/service.js';
import { multiply } from './service/inputs.js';
import type { Browser, Page } from 'playwright-core';

/** Where a measurement goes, and as whom. */
type Visit = { readonly browser: Browser; readonly address: string; readonly token: string };

/**
 * Functions in the page. `bench.painted` resolves to the time at which something of a selector is painted, in ms from
 * the navigation; `bench.events` are durations from an input to the next paint (Event Timing, steps of 8 ms).
 */
const inPage = `
  const bench = (globalThis.bench = { events: [], frames: [] });
  new PerformanceObserver(list => {
    for (const { name, duration } of list.getEntries()) bench.events.push({ name, duration });
  }).observe({ type: 'event', durationThreshold: 16 });
  bench.painted = selector => new Promise(resolve => {
    const afterPaint = () => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve(performance.now());
      channel.port2.postMessage(null);
    });
    if (document.querySelector(selector)) return afterPaint();
    new MutationObserver((_, observer) => {
      if (!document.querySelector(selector)) return;
      observer.disconnect();
      afterPaint();
    }).observe(document, { childList: true, subtree: true });
  });
  bench.firstPaint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN;
`;

/** Runs a task with a new page and an empty cache. */
const withPage = async <Result>(
  { browser }: Visit,
  task: (page: Page) => Promise<Result>,
): Promise<Result> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await page.addInitScript(inPage);
    return await task(page);
  } finally {
    await context.close();
  }
};

const painted = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`bench.painted(${JSON.stringify(selector)})`);

/** The slowest event since the last call, from input to paint; 16 when all were faster than that. */
const slowestEvent = async (page: Page): Promise<number> => {
  // Entries come after the paint that they measure.
  await page.waitForTimeout(150);
  return page.evaluate('Math.max(16, ...bench.events.splice(0).map(({ duration }) => duration))');
};

/** First paint of a page with a few words from the service, and a key typed into an empty page. */
const emptyPage = (visit: Visit) =>
  withPage(visit, async page => {
    await page.goto(`${visit.address}/config.json`);
    // The entry comes after the paint.
    await page.waitForTimeout(150);
    const paintMs = await page.evaluate<number>('bench.firstPaint()');
    await page.setContent('<input autofocus>');
    await page.locator('input').focus();
    await page.keyboard.type('a');
    return { paintMs, keyMs: await slowestEvent(page) };
  });

/** Gives a page a connection of 400 kbit/s with 400 ms of latency. */
const slowDown = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const throughput = 400_000 / 8;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 400, downloadThroughput: throughput, uploadThroughput: throughput },
  });
};

/** Opens a screen by a sign-in link. Times are ms from the navigation; `scripts` are the paths loaded until then. */
const opened = (visit: Visit, path: string, selector: string, isSlow = false) =>
  withPage(visit, async page => {
    if (isSlow) await slowDown(page);
    const scripts: string[] = [];
    page.on('response', response => {
      if (response.request().resourceType() === 'script') scripts.push(new URL(response.url()).pathname);
    });
    await page.goto(`${visit.address}${path}#token=${visit.token}`, { waitUntil: 'commit' });
    const contentMs = await painted(page, selector);
    return { contentMs, firstMs: await page.evaluate<number>('bench.firstPaint()'), scripts: [...scripts] };
  });

/** Opens a screen and waits until it is quiet. */
const openIdle = async (page: Page, { address, token }: Visit, path: string): Promise<void> => {
  await page.goto(`${address}${path}#token=${token}`);
  await page.locator('main [role="table"] a, main [role="list"] a, main li a').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(500);
};

/** The slowest key of a text typed into the search of the overview, 100 ms apart. */
const typed = (visit: Visit, text: string): Promise<number> =>
  withPage(visit, async page => {
    await openIdle(page, visit, '/');
    await page.getByRole('searchbox').focus();
    await slowestEvent(page);
    await page.keyboard.type(text, { delay: 100 });
    return slowestEvent(page);
  });

/** An alert opened from the list: from the click to the next paint, and to its chart. */
const clicked = (visit: Visit) =>
  withPage(visit, async page => {
    await openIdle(page, visit, '/alerts');
    const link = page.locator('.incident-link').first();
    await link.hover();
    await slowestEvent(page);
    await page.evaluate(`
      addEventListener('pointerdown', ({ timeStamp }) => {
        bench.chart = bench.painted('.alert-page .day-figure svg').then(at => at - timeStamp);
      }, { once: true, capture: true })`);
    await link.click();
    const contentMs = await page.evaluate<number>('bench.chart');
    return { contentMs, nextMs: await slowestEvent(page) };
  });

/** The longest time between two frames while the overview is scrolled through. */
const scrolled = (visit: Visit): Promise<number> =>
  withPage(visit, async page => {
    await openIdle(page, visit, '/');
    await page.mouse.move(600, 500);
    await page.evaluate(`
      const follow = at => {
        bench.frames.push(at);
        requestAnimationFrame(follow);
      };
      requestAnimationFrame(follow);`);
    for (let step = 0; step < 30; step += 1) {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(30);
    }
    return page.evaluate<number>(
      'Math.max(...bench.frames.slice(1).map((at, index) => at - bench.frames[index]))',
    );
  });

type Created = { readonly source: { readonly id: number } };

/** One of this many sources has an alert on its last day. */
const perAlert = 8;

const lastDate = '2024-01-28';

/** A data folder with so many sources: 90 reference days and 28 recent ones of 24 values, some with an alert. */
const preparedSources = async (root: string, count: number): Promise<string> => {
  const first = await startService(root);
  const days = ordinaryDays('2023-01-01', 90);
  const { source } = await first.post<Created>('/v1/import/create-source', {
    name: 'Station 0001',
    referenceYear: 2023,
    days,
  });
  await first.analysed(source.id);
  const recent = ordinaryDays('2024-01-01', 27);
  await first.post('/v1/import/days', { sourceId: source.id, days: recent });
  await first.reactedToAll();
  await first.stop();
  await multiply(first.folder, source.id, count, id => `Station ${String(id).padStart(4, '0')}`);
  const all = await startService(root, { folder: first.folder });
  const [day] = ordinaryDays(lastDate, 1);
  for (let sourceId = 1; sourceId <= count; sourceId += 1) {
    const factor = sourceId % perAlert === 0 ? 2 + (sourceId % 3) : 1;
    const activity = day?.activity.map(value => value * factor);
    await all.post('/v1/import/days', { sourceId, days: [{ date: lastDate, activity }] });
  }
  await all.reactedToAll();
  await all.stop();
  return first.folder;
};

const { values: flags } = parseArgs({
  options: { sources: { type: 'string', default: '1000' }, runs: { type: 'string', default: '5' } },
});
const [count, runs] = [Number(flags.sources), Number(flags.runs)];

const root = mkdtempSync(join(tmpdir(), 'daybook-screens-'));
const shown = (values: readonly number[]): string => {
  const sorted = [...values].sort((a, b) => a - b);
  return `${Math.round(sorted[Math.floor(sorted.length / 2)] ?? NaN)} | ${Math.round(sorted.at(-1) ?? NaN)}`;
};
const lines: string[] = [];
const addRow = (title: string, values: readonly number[], limit: string): void => {
  lines.push(`| ${title} | ${shown(values)} | ${limit} |`);
};

/** Sizes of built scripts as gzip in kB; the server has packed them already. */
const packedKilobytes = (paths: readonly string[]): number =>
  paths
    .map(path => readFileSync(join(repositoryRoot(), 'build/web', `${path}.gz`)).length / 1000)
    .reduce((sum, size) => sum + size, 0);

/** Repeats a measurement. */
const repeated = async <Result>(measure: () => Promise<Result>): Promise<Result[]> => {
  const results: Result[] = [];
  for (let run = 0; run < runs; run += 1) results.push(await measure());
  return results;
};

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
const folder = await preparedSources(root, count);
const service = await startService(root, { folder });
try {
  const visit: Visit = { browser, address: service.address, token: service.token };
  const empty = await repeated(() => emptyPage(visit));
  const first = await repeated(() => opened(visit, '/', '[data-row] .source-name'));
  addRow(
    'empty page of the service: first paint',
    empty.map(({ paintMs }) => paintMs),
    '',
  );
  addRow(
    'overview: first paint',
    first.map(({ firstMs }) => firstMs),
    '',
  );
  addRow(
    'overview: first paint of sources and days',
    first.map(({ contentMs }) => contentMs),
    '≤ 1,000',
  );
  const slow = await repeated(() => opened(visit, '/', '[data-row] .source-name', true));
  addRow(
    'overview on 400 kbit/s and 400 ms: first words',
    slow.map(({ firstMs }) => firstMs),
    '≤ 2,000',
  );
  addRow(
    'overview on 400 kbit/s and 400 ms: first paint of sources and days',
    slow.map(({ contentMs }) => contentMs),
    '',
  );
  addRow(
    'empty page: a key typed, to the next paint',
    empty.map(({ keyMs }) => keyMs),
    '',
  );
  const keys = await repeated(() => typed(visit, 'station 04'));
  addRow('overview: a key typed into the search, to the next paint, slowest of 10', keys, '≤ 100');
  const clicks = await repeated(() => clicked(visit));
  addRow(
    'alert opened: to the next paint',
    clicks.map(({ nextMs }) => nextMs),
    '≤ 100',
  );
  addRow(
    'alert opened: to its chart',
    clicks.map(({ contentMs }) => contentMs),
    '',
  );
  const frames = await repeated(() => scrolled(visit));
  addRow('overview scrolled: longest frame', frames, '');
  const scripts = first[0]?.scripts ?? [];
  process.stdout.write(
    `${count.toLocaleString('en')} sources, ${runs} runs, each with an empty cache\n\n` +
      `|  | median ms | largest ms | aim |\n| --- | --: | --: | --: |\n${lines.join('\n')}\n\n` +
      `Initial JavaScript: ${packedKilobytes(scripts).toFixed(0)} kB as gzip in ${scripts.length} files (aim: ≤ 250 kB). ` +
      `${availableParallelism()} cores for browser and service, load ${loadavg()[0]?.toFixed(1)}.\n`,
  );
} finally {
  await browser.close();
  await service.stop();
  rmSync(root, { recursive: true });
}
