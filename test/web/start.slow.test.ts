// The start of the screens: what is asked for before their program is there, and changes until then.
import t from 'tap';
import type { Page } from 'playwright-core';
import { openPage } from '../helpers/screens/browser.js';
import { expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, browser, tokenOf } = await openScreens(t);
/** A source without data: nothing follows its event. */
const create = (name: string) => service.call('POST', '/v1/source', { json: { name, activitySize: 24 } });
await create('Pool');

/** Holds the program of the screens back until the function is called, and counts requests by their path. */
const held = async (page: Page) => {
  const asked: string[] = [];
  page.on('request', request => void asked.push(new URL(request.url()).pathname));
  let release = (): void => undefined;
  const released = new Promise<void>(resolve => (release = resolve));
  await page.route('**/assets/program-*.js', async route => {
    await released;
    await route.fallback();
  });
  const count = (path: RegExp): number => asked.filter(one => path.test(one)).length;
  return { release: () => release(), count };
};

const overviewAnswer = (page: Page) =>
  page.waitForResponse(response => new URL(response.url()).pathname === '/v1/overview');

for (const way of ['by a link', 'of a session that goes on'])
  t.test(`the overview ${way} is asked for before the program is there`, async t => {
    const watched = await openPage(t, browser);
    const { page } = watched;
    const link = `${service.address()}/#token=${await tokenOf('anna')}`;
    if (way !== 'by a link') {
      await page.goto(link);
      await page.getByRole('link', { name: 'Pool' }).waitFor();
    }
    const { release, count } = await held(page);
    const answer = overviewAnswer(page);
    await (way === 'by a link'
      ? page.goto(link, { waitUntil: 'commit' })
      : page.reload({ waitUntil: 'commit' }));
    await answer;
    t.equal(await heading(page, 'Overview').count(), 0);
    // The page was read before this source: the stream of changes has to tell it.
    const name = `Lake ${way}`;
    await create(name);
    release();
    await page.getByRole('link', { name: 'Pool' }).waitFor();
    await page.getByRole('link', { name }).waitFor();
    t.equal(count(/^\/config\.json$/), way === 'by a link' ? 1 : 0, 'settings are asked for once, if at all');
    expectQuiet(t, watched);
  });

t.test('a page in French loads no English texts', async t => {
  const watched = await openPage(t, browser, { locale: 'fr-FR' });
  const { page } = watched;
  const { release, count } = await held(page);
  release();
  await page.goto(`${service.address()}/#token=${await tokenOf('anna')}`);
  await heading(page, 'Vue d’ensemble').waitFor();
  t.equal(count(/^\/assets\/fr-/), 1);
  t.equal(count(/^\/assets\/en-/), 0);
  t.ok(count(/^\/assets\/.*\.js$/) <= 5, 'few files, which do not wait for one another');
  expectQuiet(t, watched);
});
