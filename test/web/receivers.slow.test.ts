// The screen of receivers, with receivers on this machine that are written after their vendors.
import t from 'tap';
import type { ShownWebhook } from '../../application/requests/useCases/testWebhook.js';
import { vendorReceiver } from '../helpers/receivers/vendors.js';
import { axeFaults } from '../helpers/screens/browser.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const [slack, ntfy] = [await vendorReceiver(t, 'slack'), await vendorReceiver(t, 'ntfy')];
const allowed = [slack, ntfy].map(({ port }) => `127.0.0.1:${port}`).join();
const { service, tokenOf, visit } = await openScreens(t, { WEBHOOK_ALLOW_PRIVATE: allowed });
const { call } = service;
const stored = async () =>
  (await call<{ webhooks: readonly ShownWebhook[] }>('GET', '/v1/webhook/list')).body.webhooks;

t.test('a receiver is made by its format, tried, changed, disabled, enabled and deleted', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await page.getByRole('navigation').getByRole('link', { name: 'Receivers' }).click();
  await heading(page, 'Receivers').waitFor();
  await page.getByText('No receiver yet.').waitFor();
  await button(page, 'New receiver').click();
  await page.getByRole('combobox', { name: 'Format' }).selectOption('ntfy');
  await page.getByRole('textbox', { name: 'Address' }).fill(ntfy.url);
  await page.getByRole('textbox', { name: 'Topic' }).fill('halls');
  await page.getByRole('textbox', { name: 'Access token' }).fill('tk_first');
  await page.getByRole('combobox', { name: 'Priority' }).selectOption('4');
  await page.getByRole('combobox', { name: 'Language of the messages' }).selectOption('fr');
  await page.getByRole('checkbox', { name: 'new models' }).uncheck();
  await page.getByRole('combobox', { name: 'Alerts' }).selectOption('0.85');
  await page
    .getByRole('textbox', { name: 'Sources with these labels' })
    .fill('site: Lyon, south\nteam: north');
  await page.getByRole('combobox', { name: 'When' }).selectOption('1440');
  await page.getByText('Times are those of the clock of each source, in its time zone.').waitFor();
  await page
    .getByRole('checkbox', { name: 'incident acknowledged, reopened, or a change that stays' })
    .waitFor();
  const typedLabels = page.getByRole('textbox', { name: 'Sources with these labels' });
  const right = await typedLabels.inputValue();
  await typedLabels.fill(`${right}\nsite: Paris`);
  await page.getByText('“site” is there twice; expected each key once').waitFor();
  await button(page, 'Create receiver').click();
  t.strictSame(await stored(), [], 'a label would be lost');
  await typedLabels.fill(right);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], `the form in ${colorScheme}`);
  }
  await button(page, 'Create receiver').click();
  const card = page.getByRole('listitem', { name: 'ntfy' });
  await card.getByText(/stored: Topic, Access token, Priority$/).waitFor();
  t.match((await stored())[0], {
    ...{ format: 'ntfy', language: 'fr', minCriticity: 0.85, labels: { site: 'Lyon, south', team: 'north' } },
    digest: { everyMinutes: 1440, at: '08:00' },
  });
  t.notOk((await stored())[0]?.events.includes('analysis.completed'));

  await button(card, 'Try').click();
  await card.getByText(/^Trial: delivered \(200, \d+ ms\)$/).waitFor();
  t.match(ntfy.accepted[0], { authorization: 'Bearer tk_first', body: /"topic":"halls".*"priority":4/ });

  await button(card, 'Change').click();
  t.equal(await card.getByRole('textbox', { name: 'Topic' }).inputValue(), '', 'a secret is not shown');
  await card.getByRole('textbox', { name: 'Topic' }).fill('gates');
  await card.getByRole('checkbox', { name: 'Remove: Access token' }).check();
  await card.getByRole('combobox', { name: 'Priority' }).selectOption({ label: 'by severity' });
  const labels = card.getByRole('textbox', { name: 'Sources with these labels' });
  t.equal(await labels.inputValue(), 'site: Lyon, south\nteam: north');
  await labels.fill('');
  await card.getByRole('combobox', { name: 'When' }).selectOption('');
  await card.getByRole('checkbox', { name: 'no data in time' }).check();
  await card.getByRole('checkbox', { name: 'analysis failed' }).uncheck();
  const { id, events = [] } = (await stored())[0] ?? {};
  const ofOther = { minCriticity: 0.7, labels: { floor: '2' }, events: [...events, 'alert.raised'] };
  await call('PATCH', `/v1/webhook/${id}`, { json: ofOther });
  await button(card, 'Save').click();
  await card.getByText(/stored: Topic$/).waitFor();
  const [changed] = await stored();
  t.match(changed, { digest: null, url: ntfy.url, minCriticity: 0.7 }, 'another person changed the rest');
  t.strictSame(changed?.labels, { floor: '2' });
  const kinds = [...events.filter(kind => kind !== 'analysis.failed'), 'alert.raised', 'source.silent'];
  t.strictSame(changed?.events.toSorted(), kinds.toSorted(), 'both changes of the kinds of messages');
  await button(card, 'Try').click();
  await card.getByText(/^Trial: delivered/).waitFor();
  t.match(ntfy.accepted[1], { authorization: undefined, body: /"topic":"gates".*"priority":3/ });

  await page.clock.install();
  await button(card, 'Last attempts').click();
  const attempts = card.getByRole('region', { name: 'Last attempts' });
  await attempts.getByRole('cell', { name: 'trial' }).first().waitFor();
  t.equal(await attempts.getByRole('row').count(), 3, 'two attempts and their heading');
  await call('POST', `/v1/webhook/${id}/test`);
  await page.clock.fastForward(30_000);
  await attempts.getByRole('row').nth(3).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], `the list in ${colorScheme}`);
  }

  await button(card, 'Disable').click();
  await card.getByText('disabled: by a person').waitFor();
  await button(card, 'Enable').click();
  await card.getByText('active', { exact: true }).waitFor();
  await button(card, 'Delete').click();
  t.strictSame(await axeFaults(page), [], 'the question');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete receiver' }).click();
  await page.getByText('No receiver yet.').waitFor();
  await page.getByRole('status').getByText('The receiver is deleted').waitFor();
  await page.locator('h1:focus').waitFor();
  t.strictSame(await stored(), []);
  expectQuiet(t, watched);
});

t.test('an address with a secret is kept when it is not typed; faults have their place', async t => {
  const watched = await visit(t, '/receivers');
  const { page } = watched;
  await button(page, 'New receiver').click();
  const kind = page.getByRole('combobox', { name: 'Format' });
  await kind.selectOption('alertmanager');
  t.equal(await page.getByRole('combobox', { name: 'When' }).count(), 0, 'no digest');
  t.equal(await page.getByRole('checkbox', { name: 'new models' }).count(), 0, 'no analyses');
  await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9093/api/v2/alerts');
  await button(page, 'Create receiver').click();
  await page.getByRole('alert').getByText('WEBHOOK_ALLOW_PRIVATE').waitFor();
  await kind.selectOption('slack');
  // The fault was of another format.
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Address' }).fill(slack.url);
  await button(page, 'Create receiver').click();
  const card = page.getByRole('listitem', { name: 'Slack' });
  await card.getByText(`http://127.0.0.1:${slack.port}/…`, { exact: true }).waitFor();
  await button(card, 'Change').click();
  await card.getByRole('combobox', { name: 'Alerts' }).selectOption('0.7');
  await button(card, 'Save').click();
  await card.getByText(/criticity 0.7 and above/).waitFor();
  await button(card, 'Try').click();
  await card.getByText(/^Trial: delivered/).waitFor();
  t.equal(slack.accepted.length, 1);
  t.strictSame(slack.refused, []);
  t.notMatch(await page.content(), /slack-secret/);
  expectQuiet(t, watched, /422/);
});

t.test('the signing secret of CloudEvents is shown once', async t => {
  const { page } = await visit(t, '/receivers');
  await button(page, 'New receiver').click();
  await page.getByRole('combobox', { name: 'Format' }).selectOption('cloudevents');
  await page.getByRole('textbox', { name: 'Address' }).fill('https://hooks.example.org/daybook');
  await button(page, 'Create receiver').click();
  await page.getByText(/^whsec_/).waitFor();
  await page.reload();
  await page.getByRole('listitem', { name: 'CloudEvents' }).waitFor();
  t.equal(await page.getByText(/^whsec_/).count(), 0);
});

t.test('without the scope there is no link, and the address says what is missing', async t => {
  const token = await tokenOf('bo', 3600, ['read']);
  const watched = await visit(t, '/receivers', { token });
  await watched.page.getByText('it needs the scope webhook').waitFor();
  t.equal(await watched.page.getByRole('link', { name: 'Receivers' }).count(), 0);
  expectQuiet(t, watched);
});

t.test('on a phone the menu leads to the receivers; in French', async t => {
  const watched = await visit(t, '/', {
    context: { viewport: { width: 390, height: 844 }, locale: 'fr-FR', isMobile: true, hasTouch: true },
  });
  const { page } = watched;
  await page.getByRole('button', { name: 'Compte et affichage' }).click();
  await page.getByRole('link', { name: 'Destinataires' }).click();
  await heading(page, 'Destinataires').waitFor();
  await button(page, 'Nouveau destinataire').click();
  await page.getByRole('combobox', { name: 'Format' }).selectOption('pagerduty');
  await page.getByRole('textbox', { name: 'Clé d’intégration' }).waitFor();
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  t.ok(width <= 390, `${width} pixels`);
  t.strictSame(await axeFaults(page), []);
  expectQuiet(t, watched);
});
