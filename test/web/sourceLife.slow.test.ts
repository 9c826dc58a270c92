// Screens that change a source: its models, with the preview of a reset.
import type { Route } from 'playwright-core';
import t from 'tap';
import { axeFaults } from '../helpers/screens/browser.js';
import { analysed, eventually, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, tokenOf, visit } = await openScreens(t);
const { call } = service;

type Models = {
  readonly models: readonly { readonly id: number; readonly name: string; readonly anomaly: boolean }[];
};

const high = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => value + 500) });
const monday = '2024-01-15';
await call('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120), calendar: 'FR' },
});
await analysed(call, 1);
await call('POST', '/v1/import/days', {
  json: { sourceId: 1, days: [...ordinaryDays('2024-01-08', 14), high('2024-01-22'), high('2024-01-23')] },
});
const modelsOf = async () => (await call<Models>('GET', '/v1/model/list/1')).body.models;
const [first] = await modelsOf();
await call('PUT', `/v1/planning/1/${monday}`, { json: { modelId: first?.id } });

t.test('a model is edited in place', async t => {
  const watched = await visit(t, '/sources/1/models');
  const { page } = watched;
  await button(page, `Edit ${first?.name}`).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Days of work');
  await page.getByLabel('Colour').fill('#123456');
  t.strictSame(await axeFaults(page), []);
  await button(page, 'Save').click();
  await page.getByRole('heading', { name: 'Days of work' }).waitFor();
  t.match((await modelsOf())[0], { name: 'Days of work', color: '#123456', anomaly: false });
  const other = (await modelsOf())[1]?.name ?? '';
  await button(page, 'Edit Days of work').click();
  await page.getByRole('textbox', { name: 'Name' }).fill(other);
  await button(page, 'Save').click();
  await page.getByRole('alert').getByText('the model breaks a rule').waitFor();
  await button(page, 'Cancel').click();
  await page.getByRole('heading', { name: 'Days of work' }).waitFor();
  expectQuiet(t, watched, /422/);
});

t.test('a reset is previewed, and keeps what people planned', async t => {
  const watched = await visit(t, '/sources/1/models');
  const { page } = watched;
  const number = page.getByRole('spinbutton', { name: 'Number of models' });
  await number.fill('');
  await number.press('3');
  t.equal(await number.inputValue(), '3');
  t.ok(await page.getByRole('checkbox', { name: 'Usual limits' }).isChecked(), 'as the limits in force');
  t.equal(await page.getByRole('slider').count(), 0, 'no other number of false alerts');
  const count = service.eventCount();
  await button(page, 'Preview').click();
  const preview = page.getByRole('region', { name: 'What a reset would do' });
  await preview.waitFor();
  t.equal(service.eventCount(), count, 'nothing is stored');
  t.equal(await preview.getByRole('list').first().getByRole('listitem').count(), 3, 'three models');
  await preview.getByText('Alerts that stay, with their history').waitFor();
  const promised = /about (\d+) false/.exec(
    (await page
      .getByText(/^about \d+ false/)
      .first()
      .textContent()) ?? '',
  );
  await preview.getByText(new RegExp(`; now about ${promised?.[1]}$`)).waitFor();
  await preview.getByText('1 plan moves to the nearest new model, 0 dropped.').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], colorScheme);
  }
  // Another person changes the models that it compares with.
  const [model] = await modelsOf();
  await call('PATCH', `/v1/model/1/${model?.id}`, { json: { name: 'Other' } });
  await preview.waitFor({ state: 'detached' });
  await button(page, 'Preview').click();
  await preview.waitFor();
  await page.getByRole('spinbutton', { name: 'Number of models' }).fill('2');
  // The preview was of other settings.
  await preview.waitFor({ state: 'detached' });
  await call('PATCH', `/v1/model/1/${model?.id}`, { json: { name: model?.name } });
  await button(page, 'Reset models').click();
  await page.getByText('1 plan moved to the nearest new model, 0 dropped.').waitFor();
  t.equal((await modelsOf()).length, 2);
  await heading(page, 'Models · Gate').waitFor();
  expectQuiet(t, watched);
});

t.test('a preview in French names models and counts in French', async t => {
  const watched = await visit(t, '/sources/1/models', { context: { locale: 'fr-FR' } });
  const { page } = watched;
  await page.getByRole('spinbutton', { name: 'Nombre de modèles' }).fill('1');
  await button(page, 'Prévisualiser').click();
  const preview = page.getByRole('region', { name: 'Ce que ferait une réinitialisation' });
  await preview.getByText(/^Disparaissent\s: «\s/).waitFor();
  await preview.getByText(/fausses? alertes? par an\s; actuellement environ/).waitFor();
  const plans = await preview.locator('.moved').last().textContent();
  t.notMatch(plans, /Monday|Saturday|except/, 'plans name models in French');
  t.match(plans, /lundi|samedi|dimanche/);
  await page
    .getByRole('button', { name: /^Modifier / })
    .first()
    .click();
  const name = await page.getByRole('textbox', { name: 'Nom' }).inputValue();
  t.notMatch(name, /Monday|Saturday/, 'the field has the name that was shown');
  await button(page, 'Enregistrer').click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
  await page.getByText(/Quatre jours sur cinq révèlent un écart de (±|\+\d+ % \/ −)/).waitFor();
  await page.goto(`${service.address()}/sources/1/calendar/2024?day=2024-01-03`);
  const cell = page.getByRole('gridcell', { name: /^mercredi 3 janvier 2024, / });
  t.notMatch(await cell.getAttribute('aria-label'), /Monday|Tuesday|Saturday/, 'so does the calendar');
  await page
    .getByRole('figure', { name: /^Jour (lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) / })
    .waitFor();
  expectQuiet(t, watched);
});

t.test('a failed analysis is said in French, with the words of the service below', async t => {
  const { page } = await visit(t, '/', { context: { locale: 'fr-FR' } });
  await page.route('**/v1/source/1', async route => {
    const response = await route.fetch();
    const json = (await response.json()) as object;
    const analysis = { status: 'failed', detail: 'got 3 days' };
    await route.fulfill({ response, json: { ...json, analysis } });
  });
  await page.goto(`${service.address()}/sources/1/models`);
  const fault = page.getByRole('status').filter({ hasText: 'L’apprentissage a échoué.' });
  await fault.locator('[lang=en]').getByText('got 3 days', { exact: true }).waitFor();
});

t.test('a file with other names keeps the limits', async t => {
  const { page } = await visit(t, '/sources/1/models');
  await heading(page, 'Models · Gate').waitFor();
  const versionOf = async () =>
    (await call<{ modelsVersion: number }>('GET', '/v1/source/1')).body.modelsVersion;
  const before = await versionOf();
  const [first, ...others] = await modelsOf();
  const models = [{ ...first, name: 'Renamed' }, ...others].map(
    ({ name, color, anomaly, activity, topTolerance, bottomTolerance }: Record<string, unknown>) => ({
      ...{ name, color, anomaly, activity, topTolerance, bottomTolerance },
    }),
  );
  await page
    .getByLabel('Upload')
    .last()
    .setInputFiles({
      ...{ name: 'models.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify({ models })),
    });
  await page.getByText('1 model is changed; the limits stay').waitFor();
  t.equal((await modelsOf())[0]?.name, 'Renamed');
  t.equal(await versionOf(), before, 'the same models');

  // Names that are exchanged are no changes one after the other.
  const present = await modelsOf();
  const [one, other] = present;
  const names = [other, one, ...present.slice(2)].map(model => ({ name: model?.name }));
  const exchanged = { models: models.map((model, index) => ({ ...model, ...names[index] })) };
  await page
    .getByLabel('Upload')
    .last()
    .setInputFiles({
      ...{ name: 'models.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify(exchanged)),
    });
  await page.getByText(/models in force/).waitFor();
  const described = (all: readonly object[]) =>
    (all as readonly Record<string, unknown>[]).map(({ name, activity, limits }) => ({
      name,
      activity,
      limits,
    }));
  t.strictSame(
    described(await modelsOf()),
    described(present).map((model, index) => ({ ...model, ...names[index] })),
  );
});

t.test('earlier models are set again after a confirmation', async t => {
  const watched = await visit(t, '/sources/1/models');
  const { page } = watched;
  await button(page, 'Restore version 1').click();
  const dialog = page.getByRole('dialog', { name: 'Go back to version 1?' });
  t.strictSame(await axeFaults(page), []);
  await button(dialog, 'Restore models').click();
  await page
    .getByRole('status')
    .getByText(/models? in force/)
    .waitFor();
  await page.getByText('version 1 restored').waitFor();
  const restored = await modelsOf();
  t.match(restored[0], { name: 'Days of work' });
  const countField = page.getByRole('spinbutton', { name: 'Number of models' });
  const inForce = String(restored.length);
  await eventually(
    'the settings in force',
    async () => (await countField.inputValue()) === inForce || undefined,
  );

  // Answers before the work has ended.
  await page.route(/\/v1\/model\/(reset\/)?1\//, async route => {
    const response = await route.fetch();
    await route.fulfill({ status: 202, json: { ...((await response.json()) as object), checked: false } });
  });
  const goesOn = page.getByRole('status').getByText(/^Accepted\. The service is still at work/);
  await button(page, 'Reset models').click();
  await goesOn.waitFor();
  t.equal(await page.getByText(/plans? moved/).count(), 0, 'no plans of models before');
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Renamed later');
  await button(page, 'Save').click();
  await goesOn.nth(1).waitFor();
  expectQuiet(t, watched);
});

t.test('a reference day is left out of learning, and learned from again', async t => {
  const watched = await visit(t, '/sources/1/calendar/2023');
  const { page } = watched;
  const leftOut = async () =>
    (await call<{ referenceLeftOut?: { reason: string } }>('GET', '/v1/day/1/2023-03-08')).body
      .referenceLeftOut?.reason;
  await page.getByRole('grid', { name: 'Year 2023' }).getByRole('gridcell', { name: '2023-03-08, ' }).focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('textbox', { name: 'Why 1 reference day is left out of learning' })
    .fill('a power cut');
  await button(page, 'Leave out').click();
  await page.getByText(/left out of learning by .+: a power cut/).waitFor();
  t.equal(await leftOut(), 'a power cut');
  t.strictSame(await axeFaults(page), []);
  await button(page, 'Learn from 1 day again').click();
  await page.getByRole('textbox', { name: 'Why 1 reference day is left out of learning' }).waitFor();
  t.equal(await leftOut(), undefined);
  expectQuiet(t, watched);
});

t.test('a source is described, found by its label, archived and restored', async t => {
  const watched = await visit(t, '/sources/1/settings');
  const { page } = watched;
  await page.getByRole('textbox', { name: 'Name' }).fill('East gate');
  await button(page, 'Add a label').click();
  await page.getByRole('textbox', { name: 'Key of label 1' }).fill('site');
  await page.getByRole('textbox', { name: 'Value of label 1' }).fill('Lyon');
  await page.getByRole('textbox', { name: 'Address' }).fill('1 quai Rambaud');
  await page.getByRole('combobox', { name: 'Data are expected' }).selectOption('P1W');
  await page.getByRole('combobox', { name: 'Data may come late by' }).selectOption({ label: 'an hour' });
  await page.getByRole('textbox', { name: 'Unit of the values' }).fill('visitors');
  await page.getByText('Proposed from the reference.').waitFor();
  await page.getByRole('spinbutton', { name: 'In percent of what is expected' }).fill('7');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], colorScheme);
  }
  await button(page, 'Save').click();
  await heading(page, 'Settings · East gate').waitFor();
  t.match((await call('GET', '/v1/source/1')).body, {
    labels: { site: 'Lyon' },
    place: { address: '1 quai Rambaud', latitude: null },
    expectedInterval: 'P1W',
    lateness: 'PT1H',
    unit: 'visitors',
    minChange: { percent: 7, proposed: false },
  });

  const [alert] = (await call<{ alerts: readonly { id: string }[] }>('GET', '/v1/alert/list')).body.alerts;
  await page.goto(`${service.address()}/alerts/${alert?.id}`);
  const figure = page.locator('figure.day-figure');
  await figure.getByText('visitors', { exact: true }).waitFor({ state: 'attached' });
  t.match(await figure.locator('p').textContent(), /\d\u00a0visitors/, 'numbers of the chart in words');
  await page.goto(`${service.address()}/sources/1/settings`);

  await page.goto(`${service.address()}/`);
  await page.getByRole('combobox', { name: 'Label' }).selectOption('site:Lyon');
  await page.waitForURL(/label=site/);
  await page.getByRole('table', { name: 'Sources' }).getByRole('link', { name: 'East gate' }).waitFor();
  await page.goto(`${service.address()}/alerts?label=site:Paris`);
  await page.getByText('No incident matches.').waitFor();
  await page.getByRole('combobox', { name: 'Label' }).selectOption('site:Lyon');
  await page.getByRole('list', { name: 'Incidents' }).getByRole('listitem').first().waitFor();

  await page.goto(`${service.address()}/sources/1/settings`);
  const before = new Date().toISOString();
  await button(page, 'Archive source').click();
  const dialog = page.getByRole('dialog', { name: 'Archive “East gate”?' });
  t.strictSame(await axeFaults(page), []);
  await button(dialog, 'Archive').click();
  await page.getByRole('status').getByText('“East gate” is archived').waitFor();
  t.equal((await call('GET', '/v1/source/1')).status, 404);
  await page.goto(`${service.address()}/sources/1/settings`);
  await button(page, 'Restore source').waitFor();
  t.equal(await page.getByRole('link', { name: 'Models' }).count(), 0, 'no tabs that lead nowhere');
  await page.goto(`${service.address()}/sources/1/models?asOf=${encodeURIComponent(before)}`);
  await heading(page, 'Models · East gate').waitFor();
  await page.goto(`${service.address()}/sources/1/models?asOf=2020-02-03`);
  await page.getByText('As known on 3 Feb 2020, at the end of the day, UTC').waitFor();
  await heading(page, 'This source did not exist then').waitFor();
  t.equal(await page.getByRole('link', { name: 'Models' }).count(), 0);
  await page.goto(`${service.address()}/sources/1/models?asOf=x`);
  await page
    .getByRole('alert')
    .getByText(/could not be loaded/)
    .waitFor();
  // Unlike `finished()` of a response, the event is waited for with a bound: an earlier page's request never ends.
  const archived = page.waitForEvent('requestfinished', request => request.url().includes('archived=true'));
  await page.goto(`${service.address()}/sources/999/settings`);
  await heading(page, 'No source 999').waitFor();
  await archived;
  t.equal(await button(page, 'Restore source').count(), 0, 'nothing to restore');
  // The only source is archived: the way back is below the empty overview.
  await page.goto(service.address());
  await page.getByText('Archived sources').click();
  t.strictSame(await axeFaults(page), []);
  await page.getByRole('list', { name: 'Archived sources' }).getByRole('link', { name: 'East gate' }).click();
  await button(page, 'Restore source').click();
  await heading(page, /^Calendar \d+ · East gate$/).waitFor();
  expectQuiet(t, watched, /404|422/);
});

t.test('another source explains a source', async t => {
  const name = '<b>Outside</b> درجة الحرارة';
  await call('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
  });
  const explainedBy = async () =>
    (await call<{ explainedBy: readonly number[] }>('GET', '/v1/source/1')).body.explainedBy;
  const watched = await visit(t, '/sources/1/settings');
  const { page } = watched;
  const group = page.getByRole('group', { name: 'Explained by' });
  const add = group.getByRole('combobox', { name: 'Add a source that explains this one' });
  await add.selectOption({ label: name });
  await group.getByRole('link', { name }).waitFor();
  await group.getByText('Not learned yet').waitFor();
  t.equal(await add.count(), 0, 'no other source is left to choose');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await axeFaults(page), [], colorScheme);
  }
  await button(page, 'Save').click();
  await page.getByRole('status').getByText('“East gate” is saved').waitFor();
  t.strictSame(await explainedBy(), [2]);
  await call('POST', '/v1/model/reset/1/2');
  await group.getByText(/^(Used|Not used): the error on held-out days/).waitFor();

  await button(page, `Remove ${name}`).click();
  // A choice that is made before the answer stays. The read after it is not held.
  const choose = async (route: Route) => {
    await add.selectOption({ label: name });
    await route.fallback();
  };
  await page.route('**/v1/source/1', choose, { times: 1 });
  const answered = page.waitForResponse(response => response.request().method() === 'PATCH');
  await button(page, 'Save').click();
  await answered;
  t.strictSame(await explainedBy(), []);
  await call('PATCH', '/v1/source/2', { json: { explainedBy: [1] } });
  await button(page, 'Save').click();
  await page.getByRole('alert').getByText('a circle').waitFor();
  t.strictSame(await explainedBy(), []);
  await call('PATCH', '/v1/source/2', { json: { explainedBy: null } });
  expectQuiet(t, watched, /422/);
});

t.test('a source is learned again from its last year', async t => {
  const watched = await visit(t, '/sources/1/settings');
  const { page } = watched;
  const proposal = page.getByRole('region', { name: 'Learn again' });
  await button(page, 'Archive source').waitFor();
  t.equal(await proposal.count(), 0, 'there is no reason yet');
  await call('POST', '/v1/import/days', { json: { sourceId: 1, days: ordinaryDays('2024-01-24', 366) } });
  await proposal.getByText('A full year of recent days').waitFor();
  t.strictSame(await axeFaults(page), []);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call('POST', '/v1/mute', { json: { sourceId: 1, until, reason: 'Works' } });
  await button(proposal, 'Learn again').click();
  await heading(page, 'Models · East gate').waitFor();
  await page.waitForURL(/sources\/3\/models/);
  await page.getByRole('status').getByText('“East gate” is now source 3').waitFor();
  t.match(await analysed(call, 3), { relearnedFrom: 1, labels: { site: 'Lyon' } });
  t.equal((await call('GET', '/v1/source/1')).status, 404, 'the old one is archived');
  const reader = await visit(t, '/sources/1/models', { token: await tokenOf('ben', 600, ['read']) });
  await reader.page.getByRole('link', { name: 'It was learned again as source 3' }).click();
  await heading(reader.page, 'Calendar 2025 · East gate').waitFor();
  await reader.page.goto(`${service.address()}/mutes`);
  await reader.page.getByRole('list', { name: 'Mutes' }).getByText('East gate', { exact: true }).waitFor();
  // Its reference is in two years.
  const second = page.waitForResponse(/\/v1\/day\/list\/3\/2025/);
  await page.reload();
  t.equal((await second).status(), 200);
  await page.goto(`${service.address()}/sources/3/calendar/2025`);
  await page.locator('.year-title').getByText('reference').waitFor();
  expectQuiet(t, watched, /404/);
});

t.test('an alert of a source that has changed for good leads to learning again', async t => {
  type Named = { readonly source: { readonly id: number } };
  const { body: created } = await call<Named>('POST', '/v1/import/create-source', {
    json: { name: 'Quay', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120), calendar: 'FR' },
  });
  const { id } = created.source;
  await analysed(call, id);
  const alertOf = async (date: string) => {
    type Alerts = { readonly alerts: readonly { readonly id: string }[] };
    const { body } = await call<Alerts>('GET', `/v1/alert/list?sourceId=${id}&from=${date}&sort=date`);
    return body.alerts.at(-1)?.id ?? '';
  };
  const proposal = async () => (await call<{ relearnProposed: object }>('GET', `/v1/source/${id}`)).body;
  await call('POST', '/v1/import/days', { json: { sourceId: id, days: [high('2023-05-01')] } });
  t.match(await proposal(), { relearnProposed: null });
  const before = await visit(t, `/alerts/${await alertOf('2023-05-01')}`);
  const hintOn = ({ page }: typeof before) => page.getByRole('heading', { name: 'Learn again', exact: true });
  await before.page.getByRole('heading', { name: 'History', exact: true }).waitFor();
  t.equal(await hintOn(before).count(), 0, 'no hint without a reason');

  // Given: three months with a third more activity.
  const more = ordinaryDays('2023-05-02', 91).map(({ date, activity }) => ({
    date,
    activity: activity.map(value => value * 1.3),
  }));
  await call('POST', '/v1/import/days', { json: { sourceId: id, days: more } });
  t.match(await proposal(), {
    relearnProposed: { reason: 'drift', since: '2023-05-20', possible: false, sentence: /2024-04-29\.$/ },
  });
  const path = `/alerts/${await alertOf('2023-05-02')}`;
  const reader = await visit(t, path, { token: await tokenOf('ben', 600, ['read', 'alert']) });
  await reader.page.getByRole('heading', { name: 'History', exact: true }).waitFor();
  t.equal(await hintOn(reader).count(), 0, 'no hint for people who may not learn it again');
  const watched = await visit(t, path);
  const { page } = watched;
  await hintOn(watched).waitFor();
  await page
    .getByText('The source has been on another level than its reference since 20 May 2023.')
    .waitFor();
  for (const width of [390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      t.strictSame(await axeFaults(page), [], `${width} ${colorScheme}`);
    }
  await page.getByRole('link', { name: 'To the settings' }).click();
  await heading(page, 'Settings · Quay').waitFor();
  await page.getByRole('region', { name: 'Learn again' }).getByText('It can be learned again when').waitFor();
  expectQuiet(t, watched);
});

t.test('an archived source whose name is taken is restored all the same', async t => {
  const { body } = await call<{ sources: readonly { id: number; name: string }[] }>('GET', '/v1/source/list');
  const quay = body.sources.find(({ name }) => name === 'Quay')?.id;
  await call('DELETE', `/v1/source/${quay}`);
  const json = { name: 'Quay', referenceYear: 2023, days: ordinaryDays('2023-01-01', 28) };
  await call('POST', '/v1/import/create-source', { json });
  const watched = await visit(t, `/sources/${quay}/settings`);
  const { page } = watched;
  await button(page, 'Restore source').click();
  await button(page, 'Use this name all the same').click();
  await heading(page, 'Settings · Quay').waitFor();
  expectQuiet(t, watched, /404|409/);
});
