import type { Browser, Page } from 'playwright-core';

/** Where a measurement goes, and as whom. */
export type Visit = { readonly browser: Browser; readonly address: string; readonly token: string };

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
export const emptyPage = (visit: Visit) =>
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

/** Opens a screen by a sign-in link. Times are ms from the navigation; `scripts` are the paths loaded until then. */
export const opened = (visit: Visit, path: string, selector: string) =>
  withPage(visit, async page => {
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
export const typed = (visit: Visit, text: string): Promise<number> =>
  withPage(visit, async page => {
    await openIdle(page, visit, '/');
    await page.getByRole('searchbox').focus();
    await slowestEvent(page);
    await page.keyboard.type(text, { delay: 100 });
    return slowestEvent(page);
  });

/** An alert opened from the list: from the click to the next paint, and to its chart. */
export const clicked = (visit: Visit) =>
  withPage(visit, async page => {
    await openIdle(page, visit, '/alerts');
    const link = page.getByRole('list', { name: 'Alerts' }).getByRole('link').nth(2);
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
export const scrolled = (visit: Visit): Promise<number> =>
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
