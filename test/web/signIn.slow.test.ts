// Signing in with links and at an identity provider, who is signed in, the live state, and the language of the reader.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { mintToken, scopes } from '../../adapters/http/middleware/tokens.js';
import { openPage, type Watched } from '../helpers/screens/browser.js';
import { resource, startProvider } from '../helpers/screens/oidcProvider.js';
import { button, endSession, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';
import { analysed, ordinaryDays, startService } from '../helpers/service.js';

const { browser, service, tokenOf, visit } = await openScreens(t);

const tokenIn = (tenant: string, subject: string, allowed: readonly string[] = scopes): Promise<string> =>
  mintToken(service.settings.tokens, { subject, tenant, scopes: allowed }, 3600);
const question = (page: Page) => page.getByRole('dialog', { name: 'Change who is signed in?' });
const unused = (page: Page) => page.getByRole('dialog', { name: 'The link was not used' });
const who = (page: Page) => page.getByRole('banner').locator('.who');
const heldToken = (page: Page) => page.evaluate(`sessionStorage.getItem('daybook.token')`);
/** Opens a link in the page that is there: the browser changes the hash and loads nothing. */
const follow = (page: Page, token: string) => page.evaluate(`location.hash = '#token=${token}'`);

/** Waits for a condition that no element shows; the time of the test bounds it. */
const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await sleep(50);
};

/** Asserts that no part of a token is in the address. */
const expectClean = (t: Test, { page }: Watched) => t.notMatch(page.url(), /token|eyJ|#/, 'a clean address');

t.test('link: a first one signs in; a later one of somebody else is a question', async t => {
  const anna = await tokenIn('default', 'anna');
  const watched = await visit(t, '/alerts', { token: anna });
  const { page } = watched;
  await heading(page, 'Incidents').waitFor();
  expectClean(t, watched);
  t.equal(await who(page).innerText(), 'anna\ndefault', 'person and tenant are in the header');

  const bob = await tokenIn('acme', 'bob');
  await follow(page, bob);
  await question(page).waitFor();
  expectClean(t, watched);
  t.match(
    await question(page).innerText(),
    /Signed in now\s+anna\s+tenant default\s+By the link\s+bob\s+tenant acme/,
  );
  t.equal(await heldToken(page), anna, 'the session stays while the question is open');
  await page.keyboard.press('Escape');
  await question(page).waitFor({ state: 'detached' });
  t.equal(await heldToken(page), anna, 'Escape keeps the session');

  await follow(page, bob);
  await button(question(page), 'Stay signed in').click();
  t.equal(await heldToken(page), anna);
  await page.goto(`${service.address()}/#token=${bob}`);
  await page.reload();
  t.equal(await heldToken(page), anna, 'a reload does not answer the question');

  await follow(page, bob);
  const loaded = page.waitForEvent('load');
  await button(question(page), 'Change').click();
  await loaded;
  await page.locator('.who', { hasText: 'bob' }).waitFor();
  t.equal(await who(page).innerText(), 'bob\nacme');
  t.equal(await heldToken(page), bob);
  expectQuiet(t, watched);
});

t.test('link: the same person, fewer scopes, and tokens that the service refuses', async t => {
  const watched = await visit(t, '/', { subject: 'anna' });
  const { page } = watched;
  await heading(page, 'Overview').waitFor();
  const renewed = await tokenOf('anna', 7200);
  await follow(page, renewed);
  await until(async () => (await heldToken(page)) === renewed);
  t.equal(await question(page).count(), 0, 'a newer token of the same person asks nothing');

  await follow(page, await tokenIn('default', 'anna', ['read']));
  await question(page).waitFor();
  t.match(await question(page).innerText(), /signs you in with other scopes/);
  t.match(
    await question(page).innerText(),
    /By the link\s+anna\s+tenant default\s+read\s/,
    'with its scopes',
  );
  await page.keyboard.press('Escape');

  const [head = '', body = ''] = (await tokenIn('default', 'anna')).split('.');
  for (const bad of [`${head}.${body}.forged`, await tokenOf('mallory', -60)]) {
    await follow(page, bad);
    await unused(page).waitFor();
    expectClean(t, watched);
    await button(unused(page), 'Close').click();
    t.equal(await heldToken(page), renewed, 'a forged or expired token cannot end a session');
  }
  await follow(page, 'no-token');
  await until(async () => !page.url().includes('#'));
  t.equal(await heldToken(page), renewed);
  expectQuiet(t, watched, /401/);
});

t.test('link: tabs have sessions of their own', async t => {
  const watched = await visit(t, '/', { subject: 'anna' });
  const { page, context } = watched;
  await heading(page, 'Overview').waitFor();
  const second = await context.newPage();
  await second.goto(`${service.address()}/#token=${await tokenIn('acme', 'bob')}`);
  await second.locator('.who', { hasText: 'bob' }).waitFor();
  await page.reload();
  await who(page).waitFor();
  t.equal(await who(page).innerText(), 'anna\ndefault');
  t.equal(await who(second).innerText(), 'bob\nacme');
  expectQuiet(t, watched);
});

t.test('link: an expired session is not replaced by a stranger either', async t => {
  const watched = await visit(t, '/sources/new', { token: await tokenOf('anna', 1800) });
  const { page } = watched;
  await page.getByRole('textbox', { name: 'Name' }).fill('typed before');
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await endSession(page, await tokenOf('anna', -60));
  // Another request may have opened the dialog before.
  await page.getByRole('link', { name: /^Incidents/ }).hover({ force: true });
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('"date";"value"\n') });
  await again.waitFor();
  for (let pressed = 0; pressed < 3; pressed += 1) await page.keyboard.press('Escape');
  // The browser closes it at a second Escape; the screen opens it again.
  await again.waitFor();
  await follow(page, await tokenIn('acme', 'bob'));
  await question(page).waitFor();
  await button(question(page), 'Stay signed in').click();
  t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'typed before');
  await follow(page, await tokenOf('anna'));
  await again.waitFor({ state: 'detached' });
  t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'typed before', 'anna goes on');
  t.equal(await who(page).innerText(), 'anna\ndefault');
  expectQuiet(t, watched, /401|422/);
});

t.test('signing out: the next person of the tab sees nothing of the one before', async t => {
  const json = { name: 'Seen by anna', referenceYear: 2023, days: ordinaryDays('2023-01-01', 28) };
  const anna = await tokenIn('north', 'anna');
  await service.call('POST', '/v1/import/create-source', { token: anna, json });
  const watched = await visit(t, '/', { token: anna });
  const { page } = watched;
  await page.getByText('Seen by anna').first().waitFor();
  await button(page, 'Account and display').click();
  await button(page, 'Sign out').click();
  await heading(page, 'Sign in').waitFor();
  t.equal(await heldToken(page), null);
  await page.route('**/v1/overview*', () => {});
  await page.getByRole('textbox', { name: 'Link or token' }).fill(await tokenIn('acme', 'bob'));
  await button(page, 'Sign in').click();
  await page.locator('.who', { hasText: 'bob' }).waitFor();
  t.equal(await page.getByText('Seen by anna').count(), 0, 'no data of before, while the answer is awaited');
  expectQuiet(t, watched);
});

t.test('live: green only while the stream is open, in every tab', async t => {
  const own = await startService(t, { PORT: '0' });
  const token = await own.tokenFor({ subject: 'anna' });
  const watched = await openPage(t, browser);
  const { page, context } = watched;
  let refuse = true;
  await context.route('**/v1/events', route => (refuse ? route.abort() : route.continue()));
  const state = (of: Page) => of.locator('.live').getAttribute('data-state');
  const become = (of: Page, wanted: string) => of.locator(`.live[data-state="${wanted}"]`).waitFor();
  await page.goto(`${own.address()}/#token=${token}`);
  await become(page, 'waiting');
  const second = await context.newPage();
  await second.goto(`${own.address()}/#token=${token}`);
  await become(second, 'waiting');
  t.not(await state(page), 'live');
  refuse = false;
  await become(page, 'live');
  await become(second, 'live');
  await own.stop();
  for (const tab of [page, second]) {
    await become(tab, 'waiting');
    t.match(await tab.locator('.live').innerText(), /^Reconnecting… last event \d+:\d+:\d+/, 'with the time');
  }
  expectQuiet(t, { ...watched, complaints: [] });
});

/** A service whose people sign in at a provider. */
const guardedBy = async (t: Test, { issuer, jwks }: { issuer: string; jwks: string }, env: object = {}) =>
  startService(t, {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'screens',
    OIDC_SCOPE: `openid ${scopes.join(' ')}`,
    OIDC_RESOURCE: resource,
    JWT_JWKS_URL: jwks,
    JWT_ISSUER: issuer,
    ...env,
  });

/** Signs in at the provider on the page of a path. */
const signedInAt = async (t: Test, address: string, path: string): Promise<Watched> => {
  const watched = await openPage(t, browser);
  await watched.page.goto(address + path);
  await button(watched.page, 'Sign in with your account').click();
  return watched;
};

/** The answer of a provider that refuses a sign-in. @param asked address of its page for a sign-in */
const refusalOf = (asked: string) => {
  const { origin, searchParams } = new URL(asked);
  const state = searchParams.get('state') ?? '';
  const answer = new URLSearchParams({ error: 'access_denied', state, iss: origin });
  const location = `${searchParams.get('redirect_uri')}?${answer.toString()}&error_description=no+such+user`;
  return { status: 302, headers: { location } };
};

/** Signs in again at a provider after the end of the session, and asserts that the new source keeps its name. */
const signInAgain = async (t: Test, { page, context }: Watched): Promise<void> => {
  await page.getByRole('textbox', { name: 'Name' }).fill('typed before');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await endSession(page, await tokenOf('carla', -60));
  // Another request may have opened the dialog before.
  await page.getByRole('link', { name: /^Incidents/ }).hover({ force: true });
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('"date";"value"\n') });
  await dialog.waitFor();
  // Given: the browser opens no window.
  await page.evaluate('window.kept = window.open; window.open = () => null');
  await button(dialog, 'Sign in with your account').click();
  await dialog.getByRole('alert').getByText('The browser opened no window.').waitFor();
  await button(dialog, 'Sign in on this page: what you typed is lost').waitFor();
  await page.evaluate('window.open = window.kept');
  // Given: the provider refuses in the window, which leaves its reason here and closes.
  await context.route('**/auth?*', route => route.fulfill(refusalOf(route.request().url())), { times: 1 });
  const refused = context.waitForEvent('page');
  await button(dialog, 'Sign in with your account').click();
  const window = await refused;
  await dialog.getByRole('alert').getByText('failed: access_denied: no such user').waitFor();
  if (!window.isClosed()) await window.waitForEvent('close');
  const popup = context.waitForEvent('page');
  const account = { contentType: 'text/html', body: 'Your account' };
  await context.route('**/auth?*', route => route.fulfill(account), { times: 1 });
  await button(dialog, 'Sign in with your account').click();
  const opened = await popup;
  await opened.getByText('Your account').waitFor();
  await button(dialog, 'Sign in with your account').click();
  const closed = opened.waitForEvent('close');
  // A second press left the window of the first one open; it goes on to the provider.
  await opened.reload().catch(() => undefined);
  await closed;
  await dialog.waitFor({ state: 'detached' });
  t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'typed before');
};

t.test('provider: JWT access tokens of a resource, and again in a separate window', async t => {
  const provider = await startProvider(t, 'screens');
  const guarded = await guardedBy(t, provider);
  const watched = await signedInAt(t, guarded.address(), '/sources/new');
  const { page } = watched;
  await heading(page, 'New source').waitFor();
  t.notMatch(page.url(), /code=|state=/, 'the code is no longer in the address');
  t.equal(await who(page).innerText(), 'carla\ndefault');
  await signInAgain(t, watched);
  await button(page, 'Create source').click();
  await page.getByRole('alert').first().waitFor();

  const held = await heldToken(page);
  await follow(page, await tokenOf('mallory'));
  await unused(page).waitFor();
  expectClean(t, watched);
  t.equal(await heldToken(page), held, 'with a provider no link signs in');
  const fresh = await openPage(t, browser);
  await fresh.page.goto(`${guarded.address()}/#token=${await tokenOf('mallory')}`);
  await button(fresh.page, 'Sign in with your account').waitFor();
  expectClean(t, fresh);
  t.equal(await heldToken(fresh.page), null, 'not even without a session');
  expectQuiet(t, watched, /401|422/);
});

t.test('provider: scopes and tenant in claims of its own', async t => {
  const roles = ['daybook:read', 'daybook:import', 'offline_access'];
  const provider = await startProvider(t, 'screens', {
    claims: { realm_access: { roles }, org: { id: 'acme' } },
  });
  const guarded = await guardedBy(t, provider, {
    OIDC_SCOPE: 'openid',
    JWT_SCOPE_CLAIM: 'realm_access.roles',
    JWT_SCOPE_PREFIX: 'daybook:',
    JWT_TENANT_CLAIM: 'org.id',
  });
  const watched = await signedInAt(t, guarded.address(), '/');
  await heading(watched.page, 'Overview').waitFor();
  await watched.page.locator('.who', { hasText: 'acme' }).waitFor();
  t.equal(await who(watched.page).innerText(), 'carla\nacme');
  await button(watched.page, 'Account and display').click();
  t.equal(await watched.page.getByRole('link', { name: 'Tokens' }).count(), 0, 'no scope token');
  await watched.page.goto(`${guarded.address()}/sources/new`);
  await signInAgain(t, watched);
  expectQuiet(t, watched, /401|422/);
});

t.test('provider: a token without a scope is explained', async t => {
  const roles = ['uma_authorization', 'offline_access'];
  const provider = await startProvider(t, 'screens', { claims: { realm_access: { roles } } });
  const guarded = await guardedBy(t, provider, {
    OIDC_SCOPE: 'openid',
    JWT_SCOPE_CLAIM: 'scp realm_access.roles',
    JWT_SCOPE_PREFIX: 'daybook:',
  });
  const watched = await signedInAt(t, guarded.address(), '/');
  const page = watched.page.getByRole('alert');
  await heading(watched.page, 'Your account may not read here').waitFor();
  for (const text of [
    'scp, realm_access.roles',
    roles.join(', '),
    'daybook:read',
    'JWT_SCOPE_CLAIM',
    'carla',
  ])
    t.ok((await page.innerText()).includes(text), text);
  await watched.page.getByRole('link', { name: 'How to set up an identity provider' }).click();
  await watched.page.getByRole('heading', { name: 'Identity providers' }).waitFor();
  expectQuiet(t, watched);
});

t.test('provider: a token of another audience is refused, with the reason', async t => {
  const other = await startProvider(t, 'screens', { audience: 'another-api' });
  const refusing = await guardedBy(t, other);
  const refused = await signedInAt(t, refusing.address(), '/');
  const dialog = refused.page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('its audience (aud) is not this service').waitFor();
  expectQuiet(t, refused, /401/);
});

t.test('provider: a page that cannot read where people sign in asks again', async t => {
  const guarded = await guardedBy(t, await startProvider(t, 'screens'));
  const { page } = await openPage(t, browser);
  let failures = 1;
  await page.route('**/config.json', route => ((failures -= 1) < 0 ? route.fallback() : route.abort()));
  await page.goto(guarded.address());
  await page.getByRole('status').getByText('The service cannot be reached').waitFor();
  t.equal(await page.getByRole('textbox').count(), 0, 'no form that would not sign in');
  await button(page, 'Sign in with your account').waitFor();
});

t.test('provider: a sign-in that fails says why', async t => {
  const provider = await startProvider(t, 'screens');
  const guarded = await guardedBy(t, provider);
  const watched = await openPage(t, browser);
  const { page } = watched;
  const fault = page.getByRole('alert');
  await page.goto(`${guarded.address()}/alerts?kind=gap`);
  const signIn = button(page, 'Sign in with your account');
  await page.route(`${provider.issuer}/**`, route => route.abort());
  await signIn.click();
  await fault.getByText(`The identity provider ${provider.issuer} cannot be reached`).waitFor();
  await page.unroute(`${provider.issuer}/**`);
  await page.route(`${provider.issuer}/auth?**`, route => route.fulfill(refusalOf(route.request().url())));
  await signIn.click();
  await fault.getByText(`at ${provider.issuer} failed: access_denied: no such user`).waitFor();
  t.equal(page.url(), `${guarded.address()}/alerts?kind=gap`, 'the address that was opened');
  expectQuiet(t, watched, /ERR_FAILED/);
});

t.test('history: people who are called as the service or as an erased person', async t => {
  const asPerson = async (subject: string) => ({ token: await tokenOf(subject) });
  const json = { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 30) };
  const created = await service.call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    ...(await asPerson('reactor')),
    json,
  });
  const { id } = created.body.source;
  await analysed(service.call, id);
  for (const subject of ['Daybook', 'erased', 'gone'])
    t.equal(
      (
        await service.call('PATCH', `/v1/source/${id}`, {
          ...(await asPerson(subject)),
          json: { labels: { keeper: subject } },
        })
      ).status,
      200,
    );
  await service.call('POST', '/v1/person/erase', { json: { subject: 'gone' } });
  const watched = await visit(t, `/sources/${id}/history`);
  const authors = watched.page.locator('.event .author');
  await authors.first().waitFor();
  const shown: string[] = [];
  for (const author of await authors.all())
    shown.push(`${await author.getAttribute('data-kind')} ${(await author.innerText()).trim()}`);
  t.strictSame(shown.slice(0, 3), ['erased An erased person', 'person erased', 'person Daybook']);
  t.ok(shown.includes('service Daybook') && shown.includes('person reactor'), 'by kind, not by name');
  t.notOk(shown.includes('service reactor'));
  t.equal(await watched.page.locator('[data-kind="person"] img').count(), 0, 'only the service has the icon');
  await watched.page.getByLabel('Show', { exact: true }).selectOption('people');
  await watched.page.locator('.event [data-kind="service"]').first().waitFor({ state: 'detached' });
  t.ok((await authors.count()) >= 4, 'a person called reactor is a person');
  expectQuiet(t, watched);
});

t.test('language: French', async t => {
  const watched = await visit(t, '/', { context: { locale: 'fr-FR' } });
  await heading(watched.page, 'Vue d’ensemble').waitFor();
  t.equal(await watched.page.locator('html').getAttribute('lang'), 'fr');
  expectQuiet(t, watched);
});
