// The first sign-in with the code of a start, and the screen of tokens for colleagues and devices.
import t from 'tap';
import { axeFaults, openPage } from '../helpers/screens/browser.js';
import { startProvider } from '../helpers/screens/oidcProvider.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';
import { startService } from '../helpers/service.js';

const { browser, service, tokenOf, visit } = await openScreens(t);
const { call } = service;
type Listed = { readonly tokens: readonly { readonly jti: string; readonly name: string }[] };
const stored = async () => (await call<Listed>('GET', '/v1/token/list')).body.tokens;

t.test('first start: the page asks for the code and a name, and signs in', async t => {
  const { code = '' } = (await service.firstCode()) ?? {};
  const watched = await openPage(t, browser);
  const { page } = watched;
  await page.goto(`${service.address()}/tokens`);
  await page.getByRole('heading', { name: 'First start' }).waitFor();
  t.strictSame(await page.locator('.button.primary').allTextContents(), ['Start'], 'one main button');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], colorScheme);
  }
  await page.getByRole('textbox', { name: 'Code' }).fill('0000-0000-0000');
  await page.getByRole('textbox', { name: 'Your name' }).fill('anna');
  await button(page, 'Start').click();
  await page.getByRole('alert').getByText('attempts left: 4').waitFor();
  const french = (await openPage(t, browser, { locale: 'fr-FR' })).page;
  await french.goto(`${service.address()}/`);
  await french.getByRole('textbox', { name: 'Code' }).fill('0000-0000-0000');
  await french.getByRole('textbox', { name: 'Votre nom' }).fill('anna');
  await button(french, 'Commencer').click();
  await french.getByRole('alert').getByText('essais restants\u00a0: 3').waitFor();
  await page.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase());
  await button(page, 'Start').click();
  await heading(page, 'Tokens').waitFor();
  t.equal(await page.getByRole('banner').locator('.who').innerText(), 'anna\ndefault');
  await page
    .getByRole('listitem', { name: 'anna' })
    .getByText(/^may: read, .*issue and revoke tokens$/)
    .waitFor();
  expectQuiet(t, watched, /403/);

  const second = await openPage(t, browser);
  await second.page.goto(service.address());
  await second.page.getByRole('textbox', { name: 'Link or token' }).waitFor();
  t.equal(await second.page.getByRole('heading', { name: 'First start' }).count(), 0, 'once');
});

t.test('a token is made, shown once, copied, and revoked with a reason', async t => {
  const token = await tokenOf('anna', 3600, ['read', 'import', 'audit', 'token']);
  const watched = await visit(t, '/', { token });
  const { page, context } = watched;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await button(page, 'Account and display').click();
  await page.getByRole('link', { name: 'Tokens' }).click();
  await heading(page, 'Tokens').waitFor();
  const form = page.getByRole('region', { name: 'New token' });
  const choices = form.getByRole('checkbox');
  await choices.first().waitFor();
  t.strictSame(
    [await choices.count(), await form.getByRole('checkbox', { name: 'erase persons' }).count()],
    [4, 0],
    'the own scopes, and no others',
  );
  await page.getByRole('textbox', { name: 'Person or device' }).fill('Gateway of hall 3');
  await form.getByRole('checkbox', { name: 'read', exact: true }).uncheck();
  await form.getByRole('checkbox', { name: 'import data' }).check();
  await page.getByRole('spinbutton', { name: 'Days until it ends' }).fill('401');
  t.ok(await button(form, 'Create token').isDisabled(), 'at most 400 days');
  await page.getByRole('spinbutton', { name: 'Days until it ends' }).fill('30');
  await button(form, 'Create token').click();
  const shown = page.getByRole('textbox', { name: 'Token', exact: true });
  await shown.waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], colorScheme);
  }
  const made = await shown.inputValue();
  const row = page
    .getByRole('list', { name: 'Tokens in force' })
    .getByRole('listitem', { name: 'Gateway of hall 3' });
  await row.getByText(/^not used since the service started on /).waitFor();
  t.equal((await call('GET', '/v1/import/none', { token: made })).status, 403, 'it may not read');
  t.match((await call('GET', '/session.json', { token: made })).body, { subject: 'Gateway of hall 3' });
  await button(page, 'Copy').click();
  await page.getByText('The token is copied').waitFor();
  t.equal(await page.evaluate('navigator.clipboard.readText()'), made);
  await button(page.getByRole('status').filter({ has: shown }), 'Close').click();
  t.equal(await shown.count(), 0);
  await page.reload();
  await row.getByText('may: import data').waitFor();
  await row.getByText(/^last used /).waitFor();
  t.notOk((await page.content()).includes(made), 'no later page has it');

  await button(row, 'Revoke the token of Gateway of hall 3').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'the question');
  t.ok(await button(dialog, 'Revoke').isDisabled(), 'not without a reason');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The gateway was exchanged.');
  const refusal = { status: 409, json: { code: 'overtaken', detail: 'not now' } };
  await page.route('**/v1/token/*', route => route.fulfill(refusal), { times: 1 });
  await button(dialog, 'Revoke').click();
  await dialog.getByRole('alert').waitFor();
  await button(dialog, 'Cancel').click();
  await button(row, 'Revoke the token of Gateway of hall 3').click();
  t.equal(
    await dialog.getByRole('alert').count(),
    0,
    'a question that is asked again begins without a fault',
  );
  await button(dialog, 'Revoke').click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('The token is revoked').waitFor();
  await page.locator('h1:focus').waitFor();
  t.notOk((await stored()).some(({ name }) => name === 'Gateway of hall 3'));
  t.equal((await call('GET', '/session.json', { token: made })).status, 401);
  const { body } = await call('GET', '/v1/audit/event?type=TokenRevoked');
  t.match(JSON.stringify(body), 'The gateway was exchanged.');
  expectQuiet(t, watched, /409/);
});

t.test('people and devices that tokens name are listed, erased ones are not', async t => {
  for (const name of ['bruno', 'carl'])
    await call('POST', '/v1/token/create', { json: { name, scopes: ['read'], expires: 'P9D' } });
  t.equal((await call('POST', '/v1/person/erase', { json: { subject: 'carl' } })).status, 200);
  const watched = await visit(t, '/tokens', { subject: 'dora' });
  const people = watched.page.getByRole('list', { name: 'People and devices' });
  await people
    .getByRole('listitem', { name: 'bruno' })
    .getByText(/^got a token /)
    .waitFor();
  await people
    .getByRole('listitem', { name: 'tester' })
    .getByText(/^issued a token /)
    .waitFor();
  t.equal(await people.getByText(/carl|erased/).count(), 0);
  t.strictSame(await axeFaults(watched.page), []);
  expectQuiet(t, watched);
});

t.test('a use 35 hours ago was two days ago by the calendar', async t => {
  const { page } = await visit(t, '/tokens', { context: { timezoneId: 'UTC' } });
  await heading(page, 'Tokens').waitFor();
  const now = new Date(`${new Date().toISOString().slice(0, 10)}T10:00:00Z`);
  await page.clock.setFixedTime(now);
  await page.route('**/v1/token/list', async route => {
    const { tokens } = (await (await route.fetch()).json()) as Listed;
    const lastUsedAt = new Date(now.getTime() - 35 * 3_600_000).toISOString();
    await route.fulfill({ json: { tokens: tokens.map(token => ({ ...token, lastUsedAt })) } });
  });
  await page.reload();
  await page.getByText('last used 2 days ago').first().waitFor();
});

t.test('without the scope, in French, and with an identity provider', async t => {
  const limited = await visit(t, '/tokens', { token: await tokenOf('bob', 3600, ['read']) });
  await limited.page.getByText('Your token has no scope “token”').waitFor();
  await button(limited.page, 'Account and display').click();
  t.equal(await limited.page.getByRole('link', { name: 'Tokens' }).count(), 0);
  expectQuiet(t, limited);

  const french = await visit(t, '/tokens', { context: { locale: 'fr-FR' } });
  await heading(french.page, 'Jetons').waitFor();
  await button(french.page, 'Créer le jeton').waitFor();
  expectQuiet(t, french);

  const provider = await startProvider(t, 'screens');
  const guarded = await startService(t, {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'screens',
    OIDC_SCOPE: 'openid read token',
    OIDC_RESOURCE: 'urn:daybook',
    JWT_JWKS_URL: provider.jwks,
    JWT_ISSUER: provider.issuer,
  });
  t.equal(await guarded.firstCode(), undefined);
  const watched = await openPage(t, browser);
  await watched.page.goto(`${guarded.address()}/tokens`);
  await button(watched.page, 'Sign in with your account').click();
  await watched.page.getByText('An identity provider signs the tokens of this service.').waitFor();
  t.equal(await button(watched.page, 'Create token').count(), 0);
  expectQuiet(t, watched, /409/);
});
