// The wall: one page for a screen that people only look at, with a token that may only read.
import t, { type Test } from 'tap';
import { axeFaults, becomesTrue } from '../helpers/screens/browser.js';
import { analysed, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { mintToken, scopes } from '../../adapters/http/middleware/tokens.js';
import { expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, tokenOf, visit } = await openScreens(t);
const { call } = service;
await call('POST', '/v1/import/create-source', {
  json: { name: 'Pool', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
});
await analysed(call, 1);
await call('POST', '/v1/import/days', { json: { sourceId: 1, days: ordinaryDays('2024-01-01', 14) } });
const context = { viewport: { width: 2560, height: 1440 } };

/** A signed-in page that is not at the wall yet, and the texts of its freshness. */
const beforeWall = async (t: Test) => {
  const token = await tokenOf('wall', 3600, ['read']);
  const { page } = await visit(t, '/mutes', { context, token });
  await heading(page, 'Mutes and labels').waitFor();
  const open = (): Promise<unknown> => page.goto(`${service.address()}/wall`);
  return {
    page,
    open,
    quiet: page.getByText('All is as usual.'),
    old: page.getByText(/^Not up to date since/),
  };
};

t.test('a wall without changes says since when it is not up to date, and no quiet line', async t => {
  const { page, open, quiet, old } = await beforeWall(t);
  await page.route(/\/v1\/events/, route => route.abort());
  await open();
  await old.waitFor();
  t.equal(await quiet.count(), 0);
  t.strictSame(await axeFaults(page), []);
  await page.unrouteAll();
  await quiet.waitFor();
  t.equal(await old.count(), 0);
});

t.test('reads without an answer make a wall old while its connection is live', async t => {
  const { page, open, quiet, old } = await beforeWall(t);
  await page.clock.install();
  await open();
  await quiet.waitFor();
  await page.route(/\/v1\/(overview|incident)/, () => {});
  for (let waited = 0; waited < 13; waited += 1) await page.clock.runFor(10_000);
  await old.waitFor();
  t.equal(await quiet.count(), 0);
});

t.test('incidents that cannot be read are no quiet line', async t => {
  const { page, open, quiet } = await beforeWall(t);
  await page.route(/\/v1\/incident\/list/, route => route.fulfill({ status: 500 }));
  await open();
  await page.getByText('Not up to date', { exact: true }).waitFor();
  t.equal(await quiet.count(), 0);
});

t.test('a wall with a source that learns its models has no quiet line', async t => {
  const { page, open, quiet } = await beforeWall(t);
  await page.route(/\/v1\/overview/, async route => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: text.replace('"analysis":"completed"', '"analysis":"running"') });
  });
  await open();
  await page.getByRole('list', { name: 'Sources today' }).waitFor();
  t.equal(await quiet.count(), 0);
});

t.test('without incidents it is quiet; an incident comes while it is open', async t => {
  const watched = await visit(t, '/wall', { context, token: await tokenOf('wall', 3600, ['read']) });
  const { page } = watched;
  await page.getByText('All is as usual.').waitFor();
  const tiles = page.getByRole('list', { name: 'Sources today' }).getByRole('listitem');
  await tiles.first().locator('svg').waitFor();
  t.strictSame(await tiles.allTextContents(), ['PoolSun, 14 Jan 2024']);
  t.equal(await tiles.first().getAttribute('data-level'), null);
  t.equal(await page.getByRole('navigation').count(), 0, 'no frame');
  const size = 'parseFloat(getComputedStyle(document.querySelector(".wall-tile h2")).fontSize)';
  t.ok((await page.evaluate<number>(size)) >= 36, 'letters are read from four metres');
  t.strictSame(await axeFaults(page), []);
  const { activity } = ordinaryDay('2024-01-15');
  await call('POST', '/v1/import/days', {
    json: { sourceId: 1, days: [{ date: '2024-01-15', activity: activity.map(value => value * 3) }] },
  });
  const said = page.getByRole('list', { name: 'Incidents' }).getByText(/Pool .+ times the usual Monday/);
  await said.waitFor();
  // Tiles have an answer of their own.
  await page.locator('.wall-tile[data-level="3"]').waitFor();
  t.strictSame(await axeFaults(page), []);
  const { incidents } = JSON.parse((await call('GET', '/v1/incident/list')).text) as {
    readonly incidents: readonly { readonly id: string }[];
  };
  await call('POST', `/v1/incident/${incidents[0]?.id}/acknowledge`);
  await page.reload();
  await said.waitFor();
  t.equal(await page.getByText('All is as usual.').count(), 0, 'an acknowledged incident goes on');
  expectQuiet(t, watched);
});

t.test('a token that may only read stays when the browser is closed, another one does not', async t => {
  for (const [scopes, stays] of [
    [['read'], true],
    [['read', 'alert'], false],
  ] as const) {
    const watched = await visit(t, '/wall', { context, token: await tokenOf('wall', 3600, scopes) });
    await watched.page.getByRole('list', { name: 'Sources today' }).waitFor();
    // Both are kept or not when the service has said what the token may do.
    await watched.page.waitForLoadState('load');
    await becomesTrue(watched.page, `localStorage.getItem('daybook.wall') !== null || ${!stays}`);
    await watched.page.close();
    // A new page has no session of its own.
    const page = await watched.context.newPage();
    await page.goto(`${service.address()}/wall`);
    await page
      .getByRole(stays ? 'list' : 'heading', { name: stays ? 'Sources today' : 'Sign in', exact: true })
      .waitFor();
    t.equal(await page.evaluate('localStorage.getItem("daybook.wall") !== null'), stays, scopes.join(' '));
    await page.goto(`${service.address()}/`);
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  }
});

t.test('a wall without sources says so', async t => {
  const token = await mintToken(
    service.settings.tokens,
    { subject: 'wall', tenant: 'empty', scopes: ['read'] },
    3600,
  );
  const { page } = await visit(t, '/wall', { context, token });
  await page.getByText('No source yet').waitFor();
  t.equal(await page.getByText('All is as usual.').count(), 0);
});

t.test('a wall with a source that collects its reference has no quiet line', async t => {
  const tokenWith = (allowed: readonly string[]) =>
    mintToken(service.settings.tokens, { subject: 'wall', tenant: 'young', scopes: allowed }, 3600);
  const json = { name: 'New meter', activitySize: 24 };
  await call('POST', '/v1/source', { token: await tokenWith(scopes), json });
  const { page } = await visit(t, '/wall', { context, token: await tokenWith(['read']) });
  await page.getByText('collects its reference', { exact: true }).waitFor();
  t.equal(await page.getByText('All is as usual.').count(), 0);
});

t.test('at most 24 sources, all in one view', async t => {
  for (let number = 1; number <= 25; number += 1)
    await call('POST', '/v1/source', { json: { name: `Meter ${number}`, activitySize: 24 } });
  const watched = await visit(t, '/wall', { context, token: await tokenOf('wall', 3600, ['read']) });
  const { page } = watched;
  const tiles = page.getByRole('list', { name: 'Sources today' }).getByRole('listitem');
  await tiles.nth(23).waitFor();
  t.equal(await tiles.count(), 24);
  await page.getByText('2 more sources').waitFor();
  await tiles.first().getByText('Pool').waitFor();
  await becomesTrue(page, 'document.documentElement.scrollHeight <= innerHeight');
  expectQuiet(t, watched);
});

t.test('names of 64 letters keep their tile, with the number of alerts in its colour', async t => {
  await call('PATCH', '/v1/source/1', { json: { name: 'Longname'.repeat(8) } });
  for (const [width, height] of [
    [1920, 1080],
    [2560, 1440],
  ] as const) {
    const options = {
      context: { viewport: { width, height } },
      token: await tokenOf('wall', 3600, ['read']),
    };
    const { page } = await visit(t, '/wall', options);
    const tile = page.getByRole('list', { name: 'Sources today' }).getByRole('listitem').first();
    await tile.locator('svg').waitFor();
    const view =
      'document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight';
    await becomesTrue(page, view);
    const [outer, count] = [await tile.boundingBox(), await tile.locator('.count').boundingBox()];
    t.ok(outer && count && count.x + count.width < outer.x + outer.width, 'the number is in the tile');
    t.equal(await tile.locator('.count').getAttribute('data-level'), await tile.getAttribute('data-level'));
  }
});

t.test('the same in French', async t => {
  const options = { context: { ...context, locale: 'fr-FR' }, token: await tokenOf('wall', 3600, ['read']) };
  const watched = await visit(t, '/wall', options);
  await watched.page.getByRole('list', { name: 'Sources aujourd’hui' }).waitFor();
  expectQuiet(t, watched);
});
