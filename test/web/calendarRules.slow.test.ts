// Rules and calendar files on the calendar screen: dates before they are saved, faults, deletion, French, two widths.
import t from 'tap';
import { axeFaults } from '../helpers/screens/browser.js';
import { button, expectQuiet, openScreens } from '../helpers/screens/screens.js';
import { analysed, ordinaryDays } from '../helpers/service.js';

const { service, tokenOf, visit } = await openScreens(t);
const { call, eventCount } = service;

type Rules = { readonly rules: readonly { readonly name: string; readonly labels: object | null }[] };
const rules = async () => (await call<Rules>('GET', '/v1/calendar-rule/list')).body.rules;

await call('POST', '/v1/import/create-source', {
  json: {
    ...{ name: 'Office', referenceYear: 2024, labels: { site: 'Lyon' } },
    days: ordinaryDays('2024-01-01', 120),
  },
});
await analysed(call, 1);
const path = '/sources/1/calendar/2024';

t.test('the next ten dates are shown before a rule is saved, and a rule is deleted', async t => {
  const watched = await visit(t, path);
  const { page } = watched;
  await button(page, 'Add a rule or a file').click();
  t.equal(await page.getByLabel('Name of the days').inputValue(), 'Month end', 'a name is proposed');
  const count = eventCount();
  let goOn = (): void => undefined;
  const mayGoOn = new Promise<void>(resolve => (goOn = resolve));
  await page.route('**/v1/calendar-rule/create*', async route => {
    await mayGoOn;
    await route.continue();
  });
  await button(page, 'Show the dates').click();
  await page.locator('fieldset:disabled').getByLabel('Name of the days').waitFor();
  goOn();
  const dates = page.getByRole('status').getByRole('listitem');
  await dates.first().waitFor();
  t.equal(await dates.count(), 10);
  t.equal(eventCount(), count, 'nothing is stored');
  t.strictSame(await axeFaults(page), []);
  await page.getByLabel('Name of the days').fill('End of the month');
  await dates.first().waitFor({ state: 'detached' });
  await button(page, 'Show the dates').click();
  await button(page, 'Save').click();
  await page.getByText('End of the month', { exact: true }).waitFor();
  await page.getByText(/last working day of each month · \d+ days · next on/).waitFor();
  t.match(await rules(), { length: 1, 0: { name: 'End of the month' } });
  await button(page, 'Delete “End of the month”').click();
  t.strictSame(await axeFaults(page), []);
  await button(page.getByRole('dialog'), 'Delete').click();
  await page.getByText('“End of the month” is deleted').waitFor();
  t.strictSame(await rules(), []);
  expectQuiet(t, watched);
});

t.test('a read that fails in the background leaves the form', async t => {
  const { page } = await visit(t, path);
  await button(page, 'Add a rule or a file').click();
  const name = page.getByLabel('Name of the days');
  await name.fill('End of the month');
  await page.route('**/v1/calendar-rule/list**', route => route.fulfill({ status: 500 }));
  const failed = page.waitForEvent('requestfinished', request =>
    request.url().includes('/v1/calendar-rule/list'),
  );
  await call('PATCH', '/v1/source/1', { json: { unit: 'people' } });
  await failed;
  await page.getByRole('figure').first().waitFor();
  t.equal(await name.inputValue(), 'End of the month');
});

t.test('what is typed stays while another year is read, and when that fails', async t => {
  const { page } = await visit(t, path);
  const [name, special] = [
    page.getByLabel('Name of the days'),
    page.getByRole('textbox', { name: 'Name a special day' }),
  ];
  await page.getByRole('gridcell', { name: /^2024-03-04, / }).click();
  await special.fill('Feast');
  await button(page, 'Add a rule or a file').click();
  await name.fill('End of the month');
  let goOn = (): void => undefined;
  const held = new Promise<void>(resolve => (goOn = resolve));
  await page.route('**/v1/planning/list/1/2025*', route => held.then(() => route.continue()));
  await page.route('**/v1/planning/list/1/2026*', route => route.fulfill({ status: 500 }));
  const typed = async () => [await name.inputValue(), await special.inputValue()];
  await page.getByRole('link', { name: '2025 ›' }).click();
  await page.locator('.calendar-page > .skeleton').waitFor();
  t.strictSame(await typed(), ['End of the month', 'Feast'], 'while it is read');
  goOn();
  await page.getByRole('grid', { name: 'Year 2025' }).waitFor();
  await page.getByRole('link', { name: '2026 ›' }).click();
  await page.getByRole('alert').waitFor();
  t.strictSame(await typed(), ['End of the month', 'Feast'], 'when it cannot be read');
});

t.test('a file is uploaded for all sources with a label; a faulty one is refused with its line', async t => {
  const watched = await visit(t, path);
  const { page } = watched;
  const fileOf = (start: string) => ({
    name: 'holidays.ics',
    mimeType: 'text/calendar',
    buffer: Buffer.from(
      `BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:${start}\nEND:VEVENT\nEND:VCALENDAR\n`,
    ),
  });
  await button(page, 'Add a rule or a file').click();
  await page.getByLabel('Which days').selectOption('file');
  t.ok(await button(page, 'Show the dates').isDisabled(), 'without a file');
  await page.getByLabel('Calendar file').setInputFiles(fileOf('2024-02-30'));
  await page.getByLabel('For', { exact: true }).selectOption('site:Lyon');
  await button(page, 'Show the dates').click();
  await page.getByRole('cell', { name: 'line 3' }).waitFor();
  t.strictSame(await axeFaults(page), []);
  await page.getByLabel('Calendar file').setInputFiles(fileOf('20240219'));
  await button(page, 'Show the dates').click();
  await page.getByRole('status').getByText('no more dates to come').waitFor();
  await button(page, 'Save').click();
  await page.getByText('from a calendar file · 1 day · no more dates to come').waitFor();
  t.match(await rules(), { length: 1, 0: { name: 'School holidays', labels: { site: 'Lyon' } } });
  await page.locator('[data-date="2024-02-19"][data-mark]').waitFor();
  expectQuiet(t, watched, /422/);
});

t.test('own rules, in French, on a phone and a desk, in light and dark', async t => {
  for (const width of [390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = { viewport: { width, height: 900 }, colorScheme, locale: 'fr-FR' };
      const { page } = await visit(t, path, { context });
      await button(page, 'Ajouter une règle ou un fichier').click();
      await page.getByLabel('Quels jours').selectOption('own');
      await page.getByLabel('Règle (RFC 5545)').fill('FREQ=WEEKLY;INTERVAL=2;BYDAY=TU');
      await page.getByLabel('Nom des jours').fill('Livraison');
      await button(page, 'Afficher les dates').click();
      await page.getByRole('status').getByRole('listitem').first().waitFor();
      t.strictSame(await axeFaults(page), [], `${width} ${colorScheme}`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      t.equal(overflow, 0, `${width}: nothing beyond the edge`);
      const folder = process.env['PICTURES'];
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/rules-${width}-${colorScheme}.png`, fullPage: true });
    }
});

t.test('who may not plan sees the rules without actions', async t => {
  const { page } = await visit(t, path, { token: await tokenOf('bert', 3600, ['read']) });
  await page.getByText('School holidays', { exact: true }).waitFor();
  t.equal(await button(page, 'Add a rule or a file').count(), 0);
  t.equal(await button(page, 'Delete “School holidays”').count(), 0);
});

t.test('models: a request that is under way belongs to what it was asked with', async t => {
  const watched = await visit(t, '/sources/1/models');
  const { page } = watched;
  const reset = async () => {
    await button(page, 'Reset models').click();
    await page.locator('fieldset:disabled').getByRole('spinbutton').waitFor();
    goOn();
    await page.locator('fieldset:not(:disabled)').getByRole('spinbutton').waitFor();
  };
  let goOn = (): void => undefined;
  const hold = (path: string) =>
    page.route(path, async route => {
      await new Promise<void>(resolve => (goOn = resolve));
      await route.continue();
    });
  await hold('**/v1/model/reset/**');
  await reset();
  await reset();
  await hold('**/v1/model/restore/**');
  await button(page, 'Restore version 1').click();
  const dialog = page.getByRole('dialog');
  const asked = page.waitForRequest('**/v1/model/restore/1/1**');
  await button(dialog, 'Restore models').click();
  await asked;
  await button(dialog, 'Cancel').click();
  await button(page, 'Restore version 2').click();
  goOn();
  await page
    .getByRole('status')
    .getByText(/models? in force/)
    .last()
    .waitFor();
  t.ok(await dialog.isVisible(), 'the question about another version stays');
  expectQuiet(t, watched);
});
