// A change that stays is taken as the new normal on the screen of its incident, and that is taken back.
import t from 'tap';
import { axeFaults } from '../helpers/screens/browser.js';
import { analysed, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, tokenOf, visit } = await openScreens(t);
const { call } = service;
type Incident = { readonly id: string; readonly accepted: readonly object[] };

await call('POST', '/v1/import/create-source', {
  json: { name: 'Gym', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
});
await analysed(call, 1);
const dates = ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07'];
await call('POST', '/v1/import/days', {
  json: {
    sourceId: 1,
    days: dates.map(date => ({ date, activity: ordinaryDay(date).activity.with(8, 20) })),
  },
});
const { body } = await call<{ incidents: Incident[] }>('GET', '/v1/incident/list?sourceId=1');
const [{ id }] = body.incidents as [Incident];
const path = `/incidents/${id}`;
const one = async (): Promise<Incident> => (await call<Incident>('GET', `/v1/incident/${id}`)).body;

t.test('a change is accepted after a preview, and the history says so', async t => {
  const watched = await visit(t, path);
  const { page } = watched;
  await heading(page, /^Incident: /).waitFor();
  await page.getByText('From 4 Mar 2024 on, this will be expected: closed 08–09.').waitFor();
  await page.getByLabel('Expected from').fill('2024-03-05');
  await page.getByText('From 5 Mar 2024 on, this will be expected: closed 08–09.').waitFor();
  await page.getByLabel('Expected from').fill('2024-03-04');
  await button(page, 'Take as the new normal').click();
  await page.getByText('The new normal from 4 Mar 2024 on: closed 08–09.').waitFor();
  await page.getByText('Its change is the new normal: it explains all of its days.').waitFor();
  const history = page.getByRole('list', { name: 'History', exact: true });
  await history.getByText('took as the new normal of Gym from 4 Mar 2024 on: closed 08–09').waitFor();
  t.equal((await one()).accepted.length, 1);
  t.strictSame(await axeFaults(page), []);
  await page.goto(`${service.address()}/sources/1/history`);
  await page.getByText('took a change as the new normal from 4 Mar 2024 on').first().waitFor();
  expectQuiet(t, watched);
});

t.test('it is taken back, in French', async t => {
  const watched = await visit(t, path, { context: { locale: 'fr-FR' } });
  const { page } = watched;
  await page.getByText('La nouvelle normale à partir du 4 mars 2024\u00a0: fermé 08–09.').waitFor();
  await button(page, 'Annuler la nouvelle normale').click();
  await button(page, 'Prendre comme nouvelle normale').waitFor();
  await page.getByText('a annulé la nouvelle normale de Gym\u00a0: fermé 08–09').waitFor();
  t.strictSame((await one()).accepted, []);
  expectQuiet(t, watched);
});

t.test('without the scope alert the change is read only', async t => {
  const watched = await visit(t, path, { token: await tokenOf('otto', 3600, ['read']) });
  await watched.page.getByText('this will be expected: closed 08–09.').waitFor();
  t.equal(await button(watched.page, 'Take as the new normal').count(), 0);
  expectQuiet(t, watched);
});
