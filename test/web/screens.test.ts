// The screens in a real browser, with the real service and the data of the demo.
import type { Locator } from 'playwright-core';
import t from 'tap';
import { amount } from '../helpers/amount.js';
import { axeFaults, becomesTrue, openPage } from '../helpers/screens/browser.js';
import {
  button,
  endSession,
  expectQuiet,
  heading,
  openScreens,
  settled,
} from '../helpers/screens/screens.js';

const { browser, service, tokenOf, visit } = await openScreens(t);
const { call } = service;

/** Whether an element has the focus. */
const hasFocus = (locator: Locator): Promise<boolean> =>
  locator
    .and(locator.page().locator(':focus'))
    .waitFor()
    .then(
      () => true,
      () => false,
    );

type Alerts = { readonly alerts: readonly { readonly id: string; readonly date: string }[] };

// Data that the first test imports and the others use.
let found: Alerts = { alerts: [] };
let year = 0;
let alertPath = '';
const sourceId = 1;

t.test('until the program is there, the page says what it waits for', async t => {
  const watched = await openPage(t, browser);
  const { page } = watched;
  let load = (): void => undefined;
  const loading = new Promise<void>(resolve => (load = resolve));
  await page.route('**/assets/*.js', async route => {
    await loading;
    await route.fallback();
  });
  await page.goto(service.address(), { waitUntil: 'commit' });
  await page.getByText('Loading the screens…').waitFor();
  await becomesTrue(page, 'document.getAnimations().every(({ playState }) => playState === "finished")');
  t.strictSame(await axeFaults(page), []);
  load();
  await heading(page, 'Sign in').waitFor();
  t.equal(await page.getByText('Loading the screens…').count(), 0);
  expectQuiet(t, watched);
});

t.test('first visit: sign-in by a link, and the example', async t => {
  const signedOut = await openPage(t, browser);
  await signedOut.page.goto(`${service.address()}/alerts`);
  await heading(signedOut.page, 'Sign in').waitFor();
  await signedOut.page.getByRole('textbox', { name: 'Link or token' }).fill('no token');
  await button(signedOut.page, 'Sign in').click();
  await signedOut.page.getByRole('alert').getByText('neither a sign-in link').waitFor();
  await signedOut.page.getByRole('textbox', { name: 'Link or token' }).fill(await tokenOf('bob'));
  await button(signedOut.page, 'Sign in').click();
  await heading(signedOut.page, 'Incidents').waitFor();
  expectQuiet(t, signedOut);

  const watched = await visit(t, '/');
  const { page } = watched;
  await heading(page, 'Overview').waitFor({ state: 'attached' });
  t.notMatch(page.url(), /token/, 'the token is no longer in the address');
  await page.reload();
  const create = '**/v1/import-csv/create-source*';
  await page.route(create, route => route.fulfill({ status: 504, headers: { 'Retry-After': '60' } }));
  await button(page, 'Try with an example year').click();
  await page
    .getByRole('status')
    .getByText(/^It is not known whether this was done/)
    .waitFor();
  await page.unroute(create);
  let go = (): void => undefined;
  const going = new Promise<void>(resolve => (go = resolve));
  await page.route('**/v1/import-csv/*/days', async route => {
    await going;
    await route.fallback();
  });
  const isThere = page.waitForResponse(
    async answer => answer.url().endsWith('/v1/overview') && (await answer.text()).includes('"Market hall"'),
  );
  await button(page, 'Try with an example year').click();
  await (await isThere).finished();
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).focus();
  t.ok(await page.getByText('Importing the example…').isVisible(), 'until its recent days are there');
  go();
  await heading(page, /^Calendar \d{4} · Market hall$/).waitFor();
  expectQuiet(t, watched, /504/);
  found = (await call<Alerts>('GET', '/v1/alert/list?state=open')).body;
  year = Number(found.alerts[0]?.date.slice(0, 4));
  alertPath = `/alerts/${found.alerts[0]?.id}`;
});

t.test('overview: every source with its days', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await heading(page, 'Overview').waitFor();
  const table = page.getByRole('table', { name: 'Sources' });
  await table.getByRole('link', { name: 'Market hall' }).waitFor();
  t.match(await table.getByRole('img').first().getAttribute('aria-label'), /^28 days: .*alert/);
  await page.keyboard.press('/');
  await page.keyboard.type('nothing of this name');
  await page.getByText('No source matches.').waitFor();
  t.match(page.url(), /q=nothing/, 'the search is in the address');
  await page.getByRole('searchbox', { name: 'Search sources' }).fill('');
  await table.getByRole('link', { name: 'Market hall' }).click();
  await heading(page, `Calendar ${year} · Market hall`).waitFor();
  expectQuiet(t, watched);
});

t.test('incidents: keyboard use, and live updates in another browser', async t => {
  const watched = await visit(t, '/alerts?state=all');
  const other = await visit(t, '/alerts?state=all', { subject: 'bob' });
  const { page } = watched;
  const list = page.getByRole('list', { name: 'Incidents' });
  await list.getByRole('listitem').first().waitFor();
  await other.page.getByRole('list', { name: 'Incidents' }).getByRole('listitem').first().waitFor();
  const { body } = await call<{ incidents: readonly unknown[] }>('GET', '/v1/incident/list');
  t.equal(await list.getByRole('listitem').count(), body.incidents.length);
  const link = (index: number) => list.getByRole('listitem').nth(index).getByRole('link');
  await page.keyboard.press('j');
  t.ok(await hasFocus(link(0)));
  await page.keyboard.press('j');
  t.ok(await hasFocus(link(1)), 'j moves on');
  await page.keyboard.press('k');
  t.ok(await hasFocus(link(0)), 'k moves back');
  await page.keyboard.press('a');
  await page.getByRole('status').getByText('Acknowledged', { exact: true }).waitFor();
  await other.page.getByRole('listitem').getByText('acknowledged', { exact: true }).waitFor();
  t.pass('the other browser shows it');
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog');
  await button(dialog, 'Cancel').click();
  await dialog.waitFor({ state: 'hidden' });
  t.ok(await hasFocus(link(1)), 'the focus comes back');
  await page.keyboard.press('r');
  await dialog.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('market day');
  await button(dialog, 'Resolve').click();
  await dialog.waitFor({ state: 'hidden' });
  await button(page, 'Undo').last().click();
  await page.getByRole('status').getByText('Reopened').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('acknowledge', { exact: true }).waitFor();
  t.strictSame(await page.getByRole('dialog').locator('kbd').allTextContents(), [
    ...['j', 'k', 'Enter', 'o', 'x', 'Esc', 'a', 'r', '/', '1', '2', '?'],
  ]);
  await page.keyboard.press('Escape');
  await button(page, 'Resolved').click();
  await page.getByText('No incident matches.').waitFor();
  t.match(page.url(), /state=resolved/);
  expectQuiet(t, watched);
  expectQuiet(t, other);
});

t.test('alert: facts and decisions', async t => {
  const watched = await visit(t, alertPath);
  const { page } = watched;
  await heading(page, /^Alert: \S/).waitFor();
  t.match(
    await page
      .getByText(/criticity/)
      .first()
      .textContent(),
    /^(its whole allowance|[\d.]+ times its allowance|\d+\u00a0% of its allowance), criticity \d+\u00a0%$/,
  );
  const date = found.alerts[0]?.date ?? '';
  const figure = page.getByRole('figure', { name: `Day ${date}` });
  await figure.locator('svg').first().waitFor();
  const labels = await figure.locator('svg text').allTextContents();
  t.ok(
    labels.includes('0') && !labels.some(label => /^[-\u2212]\d/.test(label)),
    `no axis below 0: ${labels}`,
  );
  const id = await figure.getAttribute('aria-describedby');
  const described = await page.locator(`[id="${id}"]`).textContent();
  t.match(
    described,
    /Actual: [\d.,]+.*Expected: [\d.,]+.*(Over|Under) the limit from \d\d:\d\d to \d\d:\d\d/,
  );
  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('anomaly');
  await page.getByRole('textbox', { name: 'Comment' }).fill('<b>burst</b> pipe');
  await button(page, 'Resolve').click();
  await button(page, 'Reopen').waitFor();
  await page.getByText('<b>burst</b> pipe').first().waitFor();
  await button(page, 'Reopen').click();
  await button(page, 'Acknowledge').waitFor();
  await page.getByText('The chain behind it').click();
  const chain = page.getByRole('list', { name: 'The chain behind it' });
  await chain.waitFor();
  t.strictSame(await chain.getByRole('heading').allTextContents(), [
    'Data',
    'Models',
    'Plan',
    'Check',
    'People',
  ]);
  for (const text of [
    /imported the day/,
    /learned the models, version 1/,
    /raised the alert/,
    /anna resolved it/,
  ])
    await chain.getByText(text).first().waitFor();
  await chain.getByRole('link', { name: 'The models as known then' }).waitFor();
  t.equal(await page.getByText('"raised"').count(), 0, 'no JSON in the story');
  await button(page, 'All events and numbers as JSON').click();
  await page.getByText('"raised"').waitFor();
  await page.route('**/explanation', route => route.fulfill({ status: 422, json: {} }));
  const again = page.waitForResponse('**/explanation');
  await button(page, 'Acknowledge').click();
  t.equal((await again).status(), 422);
  await page.getByRole('status').getByText('Acknowledged', { exact: true }).waitFor();
  await button(page, 'Undo').last().click();
  await button(page, 'Acknowledge').click();
  await button(page, 'Reopen').click();
  await button(page, 'Acknowledge').waitFor();
  await chain.waitFor();
  expectQuiet(t, watched, /422/);
});

t.test('calendar: a year by model; days are planned by keys', async t => {
  const watched = await visit(t, `/sources/${sourceId}/calendar/${year}`);
  const { page } = watched;
  const grid = page.getByRole('grid', { name: `Year ${year}` });
  await grid.waitFor();
  t.equal(await grid.getByRole('gridcell').count(), 365);
  await grid.getByRole('gridcell', { name: new RegExp(`^${found.alerts[0]?.date}, .+, alert$`) }).waitFor();
  await grid.getByRole('gridcell', { name: `${year}-11-18, ` }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('heading', { name: '2 days selected' }).waitFor();
  await page.getByRole('figure', { name: `Day ${year}-11-19` }).waitFor();
  await page.getByRole('combobox', { name: 'Plan as…' }).selectOption({ label: 'Sunday' });
  await button(page, 'Plan').click();
  await grid.getByRole('gridcell', { name: `${year}-11-19, Sunday` }).waitFor();
  await button(page, 'Undo').click();
  await grid.getByRole('gridcell', { name: `${year}-11-19, Monday` }).waitFor();
  await page.mouse.move(0, 0);
  const from = await grid.getByRole('gridcell', { name: `${year}-10-06, ` }).boundingBox();
  const to = await grid.getByRole('gridcell', { name: `${year}-10-09, ` }).boundingBox();
  if (!from || !to) throw new Error('the selected days are not on the screen');
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('heading', { name: '4 days selected' }).waitFor();
  expectQuiet(t, watched);
});

t.test('phone: acts at the bottom, and days selected by touch', async t => {
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const watched = await visit(t, alertPath, { context });
  const { page } = watched;
  const resolve = button(page, 'Resolve');
  await resolve.waitFor();
  const bar = await resolve.boundingBox();
  t.ok(bar && bar.y > 844 - 80 && bar.height >= 44, 'the button is under the thumb');
  const verdict = page.getByRole('combobox', { name: 'Verdict' });
  t.ok(await resolve.isDisabled(), 'nothing is decided without a verdict');
  const choice = await verdict.boundingBox();
  t.ok(choice && bar && choice.y + choice.height <= bar.y, 'which is chosen next to the button');
  await verdict.selectOption('anomaly');
  t.notOk(await resolve.isDisabled());

  await page.goto(`${service.address()}/sources/${sourceId}/calendar/${year}`);
  const cell = (date: string) => page.getByRole('gridcell', { name: `${year}-${date}, ` });
  await cell('10-06').scrollIntoViewIfNeeded();
  const [from, to] = [await cell('10-06').boundingBox(), await cell('10-09').boundingBox()];
  if (!from || !to) throw new Error('the selected days are not on the screen');
  const touches = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', x: number) =>
    touches.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y: from.y + 8 }] });
  await touch('touchStart', from.x + 8);
  for (let x = from.x + 12; x <= to.x + 8; x += 8) await touch('touchMove', x);
  await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.getByRole('heading', { name: '4 days selected' }).waitFor();
  await button(page, 'Close').tap();
  await cell('10-06').tap();
  await page.getByRole('heading', { name: '1 day selected' }).waitFor();
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, 'nothing is wider');

  await page.goto(`${service.address()}/sources/${sourceId}/calendar/${year}?day=${year}-12-11`);
  await page.getByRole('heading', { name: '1 day selected' }).waitFor();
  // Above the panel, once the page has moved.
  const top = `document.querySelector('[data-date="${year}-12-11"]')?.getBoundingClientRect().top`;
  await becomesTrue(page, `${top} > 0 && ${top} < innerHeight * 0.42`);
  t.equal(await page.locator('[data-shown]').getAttribute('data-date'), `${year}-12-11`, 'and marked');
  const figure = await page.getByRole('figure', { name: `Day ${year}-12-11` }).boundingBox();
  t.ok(figure && figure.y + figure.height < 844, 'its profile is in view');
  expectQuiet(t, watched);
});

t.test('phone of 360 pixels, in French: no screen is wider', async t => {
  const context = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'fr-FR' };
  const watched = await visit(t, alertPath, { context });
  const { page } = watched;
  await heading(page, /^Alerte : .+ du .+ habituel/).waitFor();
  const screens = [
    ['/', 'Vue d’ensemble'],
    ['/alerts', 'Incidents'],
    [`/sources/${sourceId}/calendar/${year}?compare=${year - 1}`, `Calendrier ${year} · Market hall`],
    [`/sources/${sourceId}/models`, 'Modèles · Market hall'],
    [`/sources/${sourceId}/history`, 'Historique · Market hall'],
    [`/sources/${sourceId}/settings`, 'Réglages · Market hall'],
  ] as const;
  for (const [path, title] of screens) {
    await page.goto(`${service.address()}${path}`);
    await heading(page, title).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path);
  }
  t.equal(await page.locator('html').getAttribute('lang'), 'fr');

  await page.goto(`${service.address()}/sources/${sourceId}/history`);
  await page.getByRole('link', { name: 'État connu alors' }).first().click();
  await page
    .getByRole('status')
    .getByText(/^État connu à la position \d+ du journal$/)
    .waitFor();
  // A log without an end, in which people did nothing.
  await page.route('**/v1/audit/event?*', route => route.fulfill({ json: { events: [], nextCursor: 'x' } }));
  await page.goto(`${service.address()}/sources/${sourceId}/history`);
  await page.getByRole('button', { name: /^Chercher au-delà des 0 / }).waitFor();
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, 'with its longest button');
  expectQuiet(t, watched);
});

t.test('history: readable entries, and links to the state at that time', async t => {
  const watched = await visit(t, `/sources/${sourceId}/history`);
  const { page } = watched;
  await heading(page, 'History · Market hall').waitFor();
  await page.getByText('JSON and hash').first().click();
  await page.getByText(/^Hash: \w{20,}/).waitFor();
  await page.getByRole('combobox', { name: 'Show' }).selectOption('people');
  await page.getByRole('listitem').filter({ hasText: 'resolved the alert' }).first().waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /imported \d+ days, / })
    .first()
    .getByRole('link', { name: 'As known then' })
    .click();
  await page
    .getByRole('status')
    .getByText(/^As known at position \d+ of the log$/)
    .waitFor();
  await page.getByRole('link', { name: 'Models' }).click();
  await heading(page, 'Models · Market hall').waitFor();
  t.match(page.url(), /asOf=/, 'the instant is kept');
  t.equal(await button(page, 'Reset models').count(), 0, 'the past cannot be changed');
  await page.getByRole('link', { name: 'Back to now' }).click();
  await button(page, 'Reset models').waitFor();
  expectQuiet(t, watched);
});

t.test('expired token: typed text is kept', async t => {
  const watched = await visit(t, alertPath, { token: await tokenOf('anna', 1800) });
  const { page } = watched;
  await page.getByRole('textbox', { name: 'Comment' }).fill('a long comment');
  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('anomaly');
  await endSession(page, await tokenOf('anna', -60));
  await button(page, 'Resolve').click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByRole('textbox', { name: 'Link or token' }).fill(await tokenOf('anna'));
  await button(dialog, 'Sign in').click();
  await dialog.waitFor({ state: 'detached' });
  t.equal(await page.getByRole('textbox', { name: 'Comment' }).inputValue(), 'a long comment');
  await button(page, 'Resolve').click();
  await button(page, 'Reopen').waitFor();
  await button(page, 'Reopen').click();
  await button(page, 'Acknowledge').waitFor();
  expectQuiet(t, watched, /401/);
});

t.test('scopes: the screens show allowed actions only', async t => {
  const watched = await visit(t, alertPath, { token: await tokenOf('reader', 3600, ['read']) });
  const { page } = watched;
  await heading(page, /^Alert: \S/).waitFor();
  await page.getByText('Why this was planned').waitFor();
  for (const name of ['Acknowledge', 'Resolve', 'Plan']) t.equal(await button(page, name).count(), 0, name);
  await page.goto(service.address());
  await page.getByRole('link', { name: 'Market hall' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'New source' }).count(), 0);
  await page.goto(`${service.address()}/sources/new`);
  await page.getByText('Your token has no scope “import”').waitFor();
  expectQuiet(t, watched);
});

t.test('outage: a busy, then unreachable, then available service', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await page.getByRole('link', { name: 'Market hall' }).waitFor();
  let busy = 2;
  await page.route('**/v1/incident/list*', route =>
    (busy -= 1) < 0
      ? route.continue()
      : route.fulfill({ status: 503, json: { code: 'queueFull', detail: 'try again' } }),
  );
  await page.getByRole('link', { name: /^Incidents/ }).click();
  await button(page, 'All').click();
  await page.getByRole('list', { name: 'Incidents' }).getByRole('listitem').first().waitFor();
  t.ok(busy < 0, 'the request was retried');
  await service.stop();
  await page.getByRole('status').getByText('Reconnecting…').waitFor();
  await service.restart();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await call('POST', `/v1/alert/${found.alerts.at(-1)?.id}/acknowledge`);
  await page.getByRole('listitem').getByText('acknowledged', { exact: true }).first().waitFor();
  expectQuiet(t, watched, /503|ERR_CONNECTION_(REFUSED|RESET)|ERR_INCOMPLETE_CHUNKED/);
});

t.test('models: download, upload with a fault, reset', async t => {
  const watched = await visit(t, `/sources/${sourceId}/models`);
  const { page } = watched;
  await heading(page, 'Models · Market hall').waitFor();
  const download = page.waitForEvent('download');
  await button(page, 'Download').click();
  t.equal((await download).suggestedFilename(), 'Market-hall-models.json');
  await page
    .getByLabel('Upload')
    .last()
    .setInputFiles({
      name: 'models.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"models":[{"name":"x"}]}'),
    });
  await page.getByRole('alert').getByText('/models/0').first().waitFor();
  await button(page, 'Reset models').click();
  await page
    .getByRole('status')
    .getByText(/models? in force/)
    .waitFor();
  expectQuiet(t, watched, /422/);
});

t.test('accessibility: axe-core finds no violations, in light, and dark in the slow loop', async t => {
  const paths = [
    '/',
    '/alerts?state=all',
    alertPath,
    `/sources/${sourceId}/calendar/${year}`,
    `/sources/${sourceId}/models`,
    '/sources/new',
    `/sources/${sourceId}/import`,
    `/sources/${sourceId}/history`,
    `/sources/${sourceId}/settings`,
  ];
  for (const colorScheme of (['light', 'dark'] as const).slice(0, amount({ quick: 1, slow: 2 }))) {
    const watched = await visit(t, '/', { context: { colorScheme, reducedMotion: 'reduce' } });
    const { page } = watched;
    for (const path of paths) {
      await page.goto(`${service.address()}${path}`);
      await settled(page);
      t.strictSame(await axeFaults(page), [], `${path} in ${colorScheme}`);
    }
    expectQuiet(t, watched);
  }
});
