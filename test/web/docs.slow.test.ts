// The reference of the API and the pages of the documentation, as the service serves them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import t from 'tap';
import { axeFaults } from '../helpers/screens/browser.js';
import { repositoryRoot } from '../helpers/repository.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';
import { longestMs } from '../helpers/waits.js';

const { service, visit } = await openScreens(t);

t.test('reference: requests carry the token of the screens', async t => {
  const watched = await visit(t, '/');
  await heading(watched.page, 'Overview').waitFor();
  await button(watched.page, 'Account and display').click();
  const opened = watched.context.waitForEvent('page');
  await watched.page.getByRole('link', { name: 'Documentation' }).click();
  const page = await opened;
  page.setDefaultTimeout(longestMs);
  await heading(page, 'Documentation').waitFor();
  await page.getByRole('link', { name: 'API reference' }).click();
  await heading(page, 'API reference').waitFor();
  await page.getByText('List the sources of the tenant').click();
  await button(page, 'Execute').first().click();
  const answer = page.locator('.live-responses-table tbody');
  await answer.waitFor();
  t.match(await answer.innerText(), /^200\b[^]*"sources": \[\]/);
  t.ok(await heading(watched.page, 'Overview').isVisible(), 'the screen stays, with what was typed there');
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

t.test('pages: a search leads to the section', async t => {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    const watched = await visit(t, '/docs/api', {
      context: { colorScheme, viewport: { width, height: 800 } },
    });
    const { page } = watched;
    const box = page.getByRole('searchbox', { name: 'Search the documentation' });
    await box.fill('back up restore');
    const results = page.getByRole('search').getByRole('listitem');
    await results.first().waitFor();
    t.match(await page.getByRole('search').getByRole('status').innerText(), /^\d+ found$/);
    t.strictSame(await axeFaults(page), [], colorScheme);
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'no sideways scrolling');
    await box.fill('xyzzy');
    await page.getByText('Nothing found').waitFor();
    await box.fill('back up restore');
    await results.first().waitFor();
    const address = await results.first().getByRole('link').getAttribute('href');
    t.match(address, /^\/docs\/\w+#back/);
    await box.press('Enter');
    await page.waitForURL(`**${address}`);
    await box.fill('erase');
    await results.first().waitFor();
    await box.press('Escape');
    t.equal(await results.first().isVisible(), false);
    expectQuiet(t, watched);
  }
});

t.test('reference: the font of the product, and no violations', async t => {
  const { page } = await visit(t, '/docs');
  await page.locator('.opblock').first().waitFor();
  t.strictSame(await axeFaults(page), []);
  for (const selector of ['h1', '.info .title', '.btn.authorize', '.opblock-tag']) {
    const family = `getComputedStyle(document.querySelector('${selector}')).fontFamily`;
    t.match(await page.evaluate<string>(family), /^"Inter Variable"/, selector);
  }
  t.ok(await page.evaluate('document.fonts.check("16px Inter Variable")'), 'it is loaded');
});

t.test('reference: enough contrast in light and dark', async t => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await visit(t, '/docs', { context: { colorScheme } });
    await page.getByText('List the sources of the tenant').click();
    await page.locator('.microlight').first().waitFor();
    t.strictSame(await axeFaults(page, ['color-contrast']), [], colorScheme);
  }
});

t.test('pages: they follow the theme that the reader chose', async t => {
  const { page } = await visit(t, '/docs/api', { context: { colorScheme: 'light' } });
  await heading(page, 'HTTP API').waitFor();
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.evaluate(`localStorage.setItem('daybook.theme', 'dark')`);
  await page.reload();
  await heading(page, 'HTTP API').waitFor();
  t.not(await background(), light);
});

const built = join(repositoryRoot(), 'build', 'web');
/** Names of the pages, which are those of the files in `docs`. */
const names = readdirSync(join(repositoryRoot(), 'docs'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.md'))
  .map(file => file.replaceAll('\\', '/').replace(/\.md$/, ''));
const markdownOf = (name: string) => readFileSync(join(repositoryRoot(), 'docs', `${name}.md`), 'utf8');
/** Pages by their address. */
const pages = new Map(
  ['', ...names.map(name => `/${name}`)].map(path => [
    `/docs${path}`,
    readFileSync(join(built, `docs${path}.html`), 'utf8'),
  ]),
);
/** Values of an attribute in HTML. */
const valuesOf = (html: string, attribute: string): string[] =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

t.test('pages: each one has its language, title, heading and place in the menu', async t => {
  const titles = new Set<string>();
  for (const [address, html] of pages) {
    t.match(html, /^<!doctype html>\n<html lang="en">\n/, address);
    const [, title = ''] = /<title>([^<]*) · Daybook<\/title>/.exec(html) ?? [];
    const headings = [...html.matchAll(/<h1\b[^>]*>(.*?)<\/h1>/g)].map(([, text = '']) =>
      text.replaceAll(/<[^>]+>/g, ''),
    );
    t.strictSame(headings, [title], `${address}: one heading`);
    titles.add(title);
  }
  t.equal(titles.size, pages.size, 'no two pages have one title');
  const menuOf = (address: string) => /<nav\b.*?<\/nav>/.exec(pages.get(address) ?? '')?.[0] ?? '';
  const menu = valuesOf(menuOf('/docs/README'), 'href');
  const shown = names.filter(name => !name.includes('/') && name !== 'README').map(name => `/docs/${name}`);
  t.strictSame([...menu].sort(), [...shown, '/docs/adr/README'].sort(), 'the menu has all pages');
  for (const address of menu)
    t.strictSame(
      menuOf(address).match(/href="[^"]*" aria-current="page"/g),
      [`href="${address}" aria-current="page"`],
      address,
    );
});

t.test('pages: no other elements than those of documents; code is text', async t => {
  const allowed =
    /^(h[1-6]|p|a|code|pre|ul|ol|li|strong|em|br|img|div|table|thead|tbody|tr|th|td|blockquote|del|details|summary)$/;
  for (const [address, html] of pages) {
    if (address === '/docs') continue;
    const [, main = ''] = /<main>([^]*)<\/main>/.exec(html) ?? [];
    const elements = [...main.matchAll(/<([a-z][^\s>/]*)/gi)].map(([, name = '']) => name);
    t.strictSame(
      elements.filter(name => !allowed.test(name)),
      [],
      address,
    );
    const anchors = valuesOf(html, 'id');
    t.equal(new Set(anchors).size, anchors.length, `${address}: each anchor once`);
  }
});

t.test('pages: percent signs stay on the line of their numbers', async t => {
  for (const [address, html] of pages) t.notMatch(html.replaceAll(/<pre[^]*?<\/pre>/g, ''), /\d %/, address);
  t.match(pages.get('/docs/quality') ?? '', /\d\u00a0%/);
});

t.test('pages: each link and each picture has its target', async t => {
  const missing: string[] = [];
  for (const [address, html] of pages) {
    for (const target of [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]) {
      if (target === '/' || /^(https?:\/\/|mailto:)/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const page = pages.get(path === '' ? address : path);
      const isThere = page !== undefined || /^\/(assets|docs\/pictures)\/[^/]+$/.test(path);
      const isFile = page !== undefined || existsSync(join(built, path));
      if (!isThere || !isFile || (anchor !== undefined && page?.includes(` id="${anchor}"`) !== true))
        missing.push(`${address}: ${target}`);
    }
    if (valuesOf(html, 'alt').length !== (html.match(/<img /g)?.length ?? 0) || html.includes(' alt=""'))
      missing.push(`${address}: the text of a picture`);
  }
  t.strictSame(missing, []);
  t.ok(pages.size > 70, `${pages.size} pages`);
});

t.test('pages: links of the documents lead to the same page and heading', async t => {
  for (const name of names) {
    const hrefs = valuesOf(pages.get(`/docs/${name}`) ?? '', 'href');
    const prose = markdownOf(name).replaceAll(/^```[^]*?^```/gm, '');
    for (const [, path = '', anchor = ''] of prose.matchAll(/\]\(([^)\s:#]+)\.md(#[^)\s]+)?\)/g)) {
      const target = posix.join(posix.dirname(name), path);
      if (names.includes(target))
        t.ok(hrefs.includes(`/docs/${target}${anchor}`), `${name}: ${target}${anchor}`);
    }
  }
});

t.test('pages: unknown ones are no pages of the documentation', async t => {
  for (const path of ['/docs/none', '/docs/../package.json', '/docs/api.md'])
    t.equal((await service.call('GET', path, { token: null })).status, 401, path);
});
