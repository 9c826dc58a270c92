// The reference of the API and the pages of the documentation, as the service serves them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { axeFaults } from '../helpers/screens/browser.js';
import { repositoryRoot } from '../helpers/repository.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

t.setTimeout(120_000);

const { service, visit } = await openScreens(t);

t.test('reference: requests carry the token of the screens', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await heading(page, 'Overview').waitFor();
  await button(page, 'Account and display').click();
  await page.getByRole('link', { name: 'Documentation' }).click();
  await heading(page, 'Documentation').waitFor();
  await page.getByRole('link', { name: 'API reference' }).click();
  await heading(page, 'API reference').waitFor();
  await page.getByText('List the sources of the tenant').click();
  await button(page, 'Execute').first().click();
  const answer = page.locator('.live-responses-table tbody');
  await answer.waitFor();
  t.match(await answer.innerText(), /^200\b[^]*"sources": \[\]/);
  expectQuiet(t, watched);
});

t.test('pages: readable on a phone and a desk, in light and dark', async t => {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    const context = { colorScheme, viewport: { width, height: 800 } };
    const watched = await visit(t, '/docs/api', { context });
    await heading(watched.page, 'HTTP API').waitFor();
    t.strictSame(await axeFaults(watched.page), [], colorScheme);
    const scrollWidth = await watched.page.evaluate('document.documentElement.scrollWidth');
    t.equal(scrollWidth, width, 'no sideways scrolling');
    await watched.page.getByRole('link', { name: 'Data formats' }).click();
    await heading(watched.page, 'Data formats').waitFor();
    expectQuiet(t, watched);
  }
});

t.test('pages: each link has its target', async t => {
  const folder = join(repositoryRoot(), 'build', 'web', 'docs');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.html'),
  );
  const pages = new Map(
    files.map(file => [
      `/docs/${file.replaceAll('\\', '/').replace(/\.html$/, '')}`,
      readFileSync(join(folder, file), 'utf8'),
    ]),
  );
  const missing: string[] = [];
  for (const [address, html] of pages)
    for (const [, href = ''] of html.matchAll(/(?:href|src)="(\/docs\/[^"]*|#[^"]*)"/g)) {
      const [path = '', anchor] = href.split('#');
      const target = pages.get(path === '' ? address : path);
      const isThere = target === undefined ? /^\/docs\/pictures\//.test(path) : true;
      if (!isThere || (anchor !== undefined && target?.includes(`id="${anchor}"`) !== true))
        missing.push(`${address}: ${href}`);
    }
  t.strictSame(missing, []);
  t.ok(pages.size > 70, `${pages.size} pages`);
});

t.test('pages: unknown ones are no pages of the documentation', async t => {
  for (const path of ['/docs/none', '/docs/../package.json', '/docs/api.md'])
    t.equal((await service.call('GET', path, { token: null })).status, 401, path);
});
