// Signing in at an identity provider, and the language of the reader, in a real browser.
import t from 'tap';
import { openPage } from '../helpers/screens/browser.js';
import { startProvider } from '../helpers/screens/oidcProvider.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';
import { startService } from '../helpers/service.js';

t.setTimeout(300_000);

const { browser, visit } = await openScreens(t);

t.test('sign-in: at an identity provider, and again in a separate window', async t => {
  const { issuer, jwks } = await startProvider(t, 'screens', 8);
  const guarded = await startService(t, {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'screens',
    JWT_JWKS_URL: jwks,
    JWT_ISSUER: issuer,
  });
  const watched = await openPage(t, browser);
  const { page, context } = watched;
  await page.goto(`${guarded.address()}/sources/new`);
  await button(page, 'Sign in with your account').click();
  await heading(page, 'New source').waitFor();
  t.notMatch(page.url(), /code=|state=/, 'the code is no longer in the address');
  await page.getByRole('textbox', { name: 'Name' }).fill('typed before');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await page.waitForTimeout(8500);
  await page.getByRole('link', { name: /^Alerts/ }).hover();
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('"date";"value"\n') });
  await dialog.waitFor();
  const popup = context.waitForEvent('page');
  await button(dialog, 'Sign in with your account').click();
  await (await popup).waitForEvent('close');
  await dialog.waitFor({ state: 'detached' });
  t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'typed before');
  await button(page, 'Create source').click();
  await page.getByRole('alert').first().waitFor();
  expectQuiet(t, watched, /401|422/);
});

t.test('language: French', async t => {
  const watched = await visit(t, '/', { context: { locale: 'fr-FR' } });
  await heading(watched.page, 'Vue d’ensemble').waitFor();
  t.equal(await watched.page.locator('html').getAttribute('lang'), 'fr');
  expectQuiet(t, watched);
});
