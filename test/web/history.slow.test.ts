// The history says what happened with date and outcome, one line an import, and leads to what was known then.
import t from 'tap';
import { axeFaults } from '../helpers/screens/browser.js';
import { analysed, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, visit } = await openScreens(t);
const { call } = service;
await call('POST', '/v1/import/create-source', {
  json: { name: 'Pool', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
});
await analysed(call, 1);
await call('POST', '/v1/import/days', { json: { sourceId: 1, days: ordinaryDays('2024-01-01', 40) } });
const { activity } = ordinaryDay('2024-02-13');
const late = activity.map((value, hour) => (hour >= 20 ? value + 200 : value));
await call('POST', '/v1/import/days', {
  json: { sourceId: 1, days: [{ date: '2024-02-13', activity: late }] },
});

t.test('each line says what happened, when, and how it ended', async t => {
  const watched = await visit(t, '/sources/1/history');
  const { page } = watched;
  await heading(page, 'History · Pool').waitFor();
  const lines = page.getByRole('listitem');
  await lines.getByText('checked 13 Feb 2024: abnormal, 20:00–24:00').waitFor();
  await lines.getByText('raised an alert on 13 Feb 2024: 20:00–24:00').waitFor();
  await lines.getByText(/checked 40 days, 1\sJan\s–\s9\sFeb\s2024: \d+ normal/).waitFor();
  t.equal(
    await lines.getByText(/imported 40 days, 1\sJan\s–\s9\sFeb\s2024/).count(),
    1,
    'in parts, one line',
  );
  await lines.getByText(/imported 120 reference days, 1\sJan\s–\s30\sApr\s2023/).waitFor();
  t.strictSame(await axeFaults(page), []);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('imports');
  await lines.getByText(/^.*imported 1 day, 13\sFeb\s2024/).waitFor();
  await lines
    .getByText(/checked|raised/)
    .first()
    .waitFor({ state: 'detached' });
  await lines.filter({ hasText: 'imported 40 days' }).getByRole('link', { name: 'As known then' }).click();
  await page
    .getByRole('status')
    .getByText(/^As known at position/)
    .waitFor();
  expectQuiet(t, watched);
});

t.test('a plan of a person names its model, also when other models have replaced it', async t => {
  type Models = { readonly models: readonly { readonly id: number; readonly name: string }[] };
  const { models } = (await call<Models>('GET', '/v1/model/list/1')).body;
  const [{ id: modelId, name } = { id: 0, name: '' }] = models;
  await call('PUT', '/v1/planning/1/2024-02-20', { json: { modelId } });
  const watched = await visit(t, '/sources/1/history');
  const plan = watched.page.getByRole('listitem').filter({ hasText: `planned 20 Feb 2024 as “${name}”` });
  await plan.waitFor();
  t.match(await plan.textContent(), '20\u00a0Feb\u00a02024', 'a date stays on one line');
  await call('POST', '/v1/model/reset/1/2');
  await analysed(call, 1);
  await watched.page.reload();
  await plan.waitFor();
  expectQuiet(t, watched);
});

t.test('a filter that fits few events asks before it reads on', async t => {
  const { page } = await visit(t, '/sources/1/history');
  await heading(page, 'History · Pool').waitFor();
  type Page = { readonly events: readonly { readonly id: string; readonly type: string }[] };
  let pages = 0;
  // A log without an end.
  await page.route('**/v1/audit/event?*', async route => {
    const { events } = (await (await route.fetch()).json()) as Page;
    pages += 1;
    const others = events.filter(({ type }) => type === 'DaysChecked').slice(0, 1);
    const json = {
      events: others.map(event => ({ ...event, id: `${event.id} ${pages}` })),
      nextCursor: `${pages}`,
    };
    await route.fulfill({ json });
  });
  await page.getByRole('combobox', { name: 'Show' }).selectOption('people');
  await button(page, 'Refresh').click();
  await button(page, 'Search beyond the newest 5 events').click();
  await button(page, 'Search beyond the newest 10 events').waitFor();
  t.equal(pages, 10);
});

t.test('the same in French', async t => {
  const watched = await visit(t, '/sources/1/history', { context: { locale: 'fr-FR' } });
  const { page } = watched;
  await page.getByText('a vérifié le 13 févr. 2024\u00a0: anormal, 20:00–24:00').waitFor();
  await page.getByText(/a importé 120 jours de référence, /).waitFor();
  expectQuiet(t, watched);
});
