// Imports on the screens, in a real browser: faults, conversions, hostile names, a file of 100 MB.
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { exactList } from '../helpers/exactList.js';
import { axeFaults } from '../helpers/screens/browser.js';
import { csvOf, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, tokenOf, visit } = await openScreens(t);
const { call } = service;

t.test('import: faults at their lines, then a new source, then recent days', async t => {
  const watched = await visit(t, '/sources/new');
  const { page } = watched;
  await heading(page, 'New source').waitFor();
  const choose = (name: string, text: string) =>
    page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await choose('gate.csv', `${csvOf(ordinaryDays('2023-01-01', 60))}"2023-03-02T00:00:00";"x"\n`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Gate');
  await button(page, 'Create source').click();
  await page.getByRole('alert').getByText('line 1442').waitFor();
  t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Gate', 'typed text is kept');
  // The format of a spreadsheet in English: the inspection detects it.
  const plain = csvOf(ordinaryDays('2023-01-01', 60))
    .replaceAll(/(\d),(\d)/g, '$1.$2')
    .replaceAll(';', ',');
  await choose('gate.csv', plain);
  await page.getByRole('heading', { name: 'What was understood' }).waitFor();
  await page.getByRole('status').getByText('date: dates').waitFor();
  await button(page, 'Create source').click();
  await page
    .getByRole('status')
    .getByText(/typical days? learned/)
    .waitFor();
  await page.getByRole('link', { name: 'Import recent days' }).click();
  await heading(page, 'Import · Gate').waitFor();
  const recent = ordinaryDays('2023-03-02', 10);
  let total = 0;
  const register = recent.map(day => ({ ...day, activity: day.activity.map(value => (total += value)) }));
  await choose('register.csv', csvOf(register));
  await page
    .getByRole('status')
    .getByText(/as readings of a register do\. If .* aggregation=counter/)
    .waitFor();
  await choose('recent.csv', csvOf(recent));
  await button(page, 'Import').click();
  await page
    .getByRole('status')
    .getByText(/^10 days imported/)
    .waitFor();
  expectQuiet(t, watched, /422/);
});

t.test('an import whose check goes on says so, then what it found', async t => {
  const watched = await visit(t, '/sources/1/import');
  const { page } = watched;
  let check = (): void => undefined;
  const checked = new Promise<void>(resolve => (check = resolve));
  type Answer = {
    readonly import: object;
    readonly days: readonly object[];
    readonly alerts: { readonly counts: object };
  };
  // The answer of a service that checks for longer than a request waits.
  await page.route('**/v1/import/days', async route => {
    const response = await route.fetch();
    const answer = (await response.json()) as Answer;
    const days = answer.days.map(day => ({ ...day, status: 'pending' }));
    const alerts = { ...answer.alerts, raised: [], counts: { ...answer.alerts.counts, raised: 0 } };
    const json = { ...answer, days, alerts, import: { ...answer.import, lines: 34_567 } };
    await route.fulfill({ status: 202, json });
  });
  await page.route(/\/v1\/import\/[\da-f-]{36}$/, async route => {
    await checked;
    await route.fallback();
  });
  const high = ordinaryDays('2023-03-13', 1).map(({ date, activity }) => ({
    date,
    activity: activity.map(value => value + 500),
  }));
  const choose = (sourceId: number) =>
    page.getByLabel('File').setInputFiles({
      ...{ name: 'days.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify({ sourceId, days: high })),
    });
  const count = service.eventCount();
  await choose(2);
  await button(page, 'Import').click();
  await page.getByRole('alert').getByText('The file names source 2').waitFor();
  t.equal(service.eventCount(), count, 'nothing is imported into another source than that of the page');
  await choose(1);
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await button(page, 'Import').click();
  await page.getByRole('status').getByText('1 day imported; the check goes on…').waitFor();
  await page.locator('.facts').getByText('34,567', { exact: true }).waitFor();
  check();
  await page.getByRole('status').getByText('1 day imported, 1 new alert').waitFor();
  expectQuiet(t, watched);
});

t.test('a file named reference.csv has a name; time zone and unit are chosen', async t => {
  const watched = await visit(t, '/sources/new');
  const { page } = watched;
  await page.getByLabel('File').setInputFiles({
    name: 'reference.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csvOf(ordinaryDays('2023-01-01', 60))),
  });
  await page.getByRole('heading', { name: 'What was understood' }).waitFor();
  t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'reference');
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Paris');
  await page.getByRole('combobox', { name: 'Times without an offset' }).selectOption('local');
  await page.getByRole('textbox', { name: 'Unit of the values' }).fill('kWh');
  await button(page, 'Create source').click();
  await page.getByText('“reference” is created').waitFor();
  t.strictSame(await page.locator('.facts dt').allTextContents(), ['Days', 'Lines'], 'nothing that is zero');
  type Listed = { readonly id: number; readonly timeZone: string; readonly unit: string };
  const { body } = await call<{ sources: readonly Listed[] }>('GET', '/v1/source/list?text=reference');
  t.match(body.sources[0], { timeZone: 'Europe/Paris', unit: 'kWh' });
  // Recent days by the same clock are whole, too.
  const [source] = body.sources;
  await page.getByRole('link', { name: 'Import recent days' }).click();
  const recent = ordinaryDays('2023-03-02', 1);
  await page.getByLabel('File').setInputFiles({
    name: 'recent.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csvOf(recent)),
  });
  await page.getByRole('combobox', { name: 'Times without an offset' }).selectOption('local');
  await button(page, 'Import').click();
  await page.getByText(/^1 day imported/).waitFor();
  const stored = await call<{ day: { activity: readonly number[] } }>(
    'GET',
    `/v1/day/${source?.id}/2023-03-02`,
  );
  t.strictSame(stored.body.day.activity, recent[0]?.activity);
  expectQuiet(t, watched);
});

t.test('of several columns with values a person chooses one', async t => {
  const { page } = await visit(t, '/sources/new');
  const withSales = (line: string): string =>
    line.replace(/;"?([\d,]+)"?$/, (all, value) => `${all};9${value}`);
  const twice = (days: Parameters<typeof csvOf>[0], names: string): Buffer =>
    Buffer.from([names, ...csvOf(days).trim().split('\n').slice(1).map(withSales)].join('\n'));
  const names = '"date";"visitors";"sales"';
  const buffer = twice(ordinaryDays('2023-01-01', 60), names);
  await page.getByLabel('File').setInputFiles({ name: 'shop.csv', mimeType: 'text/csv', buffer });
  await page.getByText('visitors: values').waitFor();
  await page.getByRole('combobox', { name: 'Column of the values' }).selectOption('sales');
  await page.getByText('sales: values').waitFor();
  await page.getByText('visitors: not used').waitFor();
  await button(page, 'Create source').click();
  await page.getByRole('link', { name: 'Import recent days' }).click();
  const days = ordinaryDays('2023-03-02', 1);
  const recent = { name: 'recent.csv', mimeType: 'text/csv', buffer: twice(days, names) };
  await page.getByLabel('File').setInputFiles(recent);
  await page.getByRole('combobox', { name: 'Column of the values' }).selectOption('sales');
  await button(page, 'Import').click();
  await page.getByText(/^1 day imported/).waitFor();
  const { sources } = (await call<{ sources: readonly { id: number }[] }>('GET', '/v1/source/list?text=shop'))
    .body;
  type Stored = { readonly day: { readonly activity: readonly number[] } };
  const { day } = (await call<Stored>('GET', `/v1/day/${sources[0]?.id}/2023-03-02`)).body;
  t.strictSame(
    day.activity,
    days[0]?.activity.map(value => Number(`9${value}`)),
  );
});

t.test('faults and warnings in French, with the words of the service below', async t => {
  const watched = await visit(t, '/sources/new', { context: { locale: 'fr-FR' } });
  const { page } = watched;
  const choose = (text: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'b.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  let total = 0;
  const days = ordinaryDays('2023-01-01', 60);
  await choose(csvOf(days.map(day => ({ ...day, activity: day.activity.map(value => (total += value)) }))));
  const seen = page.getByRole('status');
  await seen.getByText('Une valeur chaque heure, gardée en 24 tranches par jour.').waitFor();
  await seen.getByText('Les valeurs montent comme les relevés d’un compteur.').waitFor();
  await seen.getByText('as readings of a register do').waitFor();
  await choose(`${csvOf(days)}"2023-03-02T00:00:00";"x"\n`);
  await page.getByRole('textbox', { name: 'Nom' }).fill('Barrière');
  await button(page, 'Créer la source').click();
  const refused = page.getByRole('alert');
  await refused.getByText('Le fichier a des erreurs. Rien n’a été enregistré.').waitFor();
  await refused.getByText('La valeur n’est pas un nombre.').waitFor();
  await refused.getByText('got "x"').waitFor();
  t.strictSame(await axeFaults(page), []);
  expectQuiet(t, watched, /422/);
});

t.test('a series that arrives becomes a source that collects it', async t => {
  const at = Math.floor(Date.now() / 1000) - 3600;
  const body = `energy,room=hall value=1.5 ${at}\nenergy,room=attic value=2 ${at}\n`;
  const written = await call('POST', '/api/v2/write?org=o&bucket=b&precision=s', {
    body,
    headers: { 'Content-Type': 'text/plain' },
  });
  t.equal(written.status, 204, written.text);
  const watched = await visit(t, '/sources/new');
  const { page } = watched;
  await page.getByRole('heading', { name: 'Series that arrive' }).waitFor();
  await button(page, 'Collect energy value, room=hall').click();
  await page.getByRole('region', { name: 'Series that arrive' }).getByLabel('Name').fill('Hall');
  await button(page, 'Collect this').click();
  await page
    .getByRole('status')
    .getByText(/^Collects its reference: 0 of 56 days/)
    .waitFor();
  t.match((await call('GET', '/v1/feed/unclaimed')).body, {
    feeds: exactList({ tags: { room: 'attic' } }),
  });
  const { body: list } = await call<{ sources: { name: string; feed?: object }[] }>('GET', '/v1/source/list');
  t.match(
    list.sources.find(({ name }) => name === 'Hall'),
    { feed: { measurement: 'energy', field: 'value', tags: { room: 'hall' } } },
  );
  await page.getByRole('heading', { level: 1 }).waitFor();
  t.strictSame(await axeFaults(page), []);
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await page.getByText('There are no models yet.').waitFor();
  t.equal(await page.getByRole('heading', { name: 'What the limits promise' }).count(), 0);
  t.equal(await button(page, 'Preview').count(), 0, 'nothing to learn from');
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByText('none yet').waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByText('collects its reference').waitFor();
  expectQuiet(t, watched);
});

t.test('a file of 100 MB is streamed', async t => {
  const path = join(t.testdir(), 'seconds.csv');
  const file = createWriteStream(path);
  file.write('"date";"value"\n');
  const day = (date: string): string =>
    Array.from({ length: 86_400 }, (_, second) => {
      const time = new Date(second * 1000).toISOString().slice(11, 19);
      return `"${date}T${time}";"${second % 97},5"\n`;
    }).join('');
  const first = dayNumber('2023-04-01');
  for (let index = 0; file.bytesWritten + file.writableLength < 100_000_000; index += 1)
    if (!file.write(day(dateOf(first + index)))) await once(file, 'drain');
  file.end();
  await finished(file);
  const watched = await visit(t, '/sources/1/import');
  const { page } = watched;
  await heading(page, 'Import · Gate').waitFor();
  await page.getByLabel('File').setInputFiles(path);
  await page.getByRole('heading', { name: 'What was understood' }).waitFor();
  t.equal(await page.locator('.notice.bad').count(), 0, 'the line at the end of what is looked at is whole');
  await button(page, 'Import').click();
  await page.getByRole('progressbar').waitFor();
  await page
    .getByRole('status')
    .getByText(/^\d\d days imported/)
    .waitFor();
  expectQuiet(t, watched);
});

t.test('names: HTML in names is escaped', async t => {
  const names = ['<script>document.title = "x"</script>', 'مرحبا sales', 'W'.repeat(100)];
  for (const name of names)
    await call('POST', `/v1/import-csv/create-source?name=${encodeURIComponent(name)}`, {
      csv: csvOf(ordinaryDays('2023-01-01', 20)),
    });
  const watched = await visit(t, '/?sort=name', { context: { viewport: { width: 360, height: 800 } } });
  const { page } = watched;
  for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
  await page.getByRole('link', { name: names[0] ?? '', exact: true }).click();
  await heading(page, /^Calendar \d{4} · <script>/).waitFor();
  const width = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  t.ok(width <= 0, 'the page is not wider than a phone');
  expectQuiet(t, watched);
});

t.test('a file of another source is refused, and the screen of that one begins without it', async t => {
  const { body } = await call<{ id: number }>('POST', '/v1/source', {
    json: { name: 'Meter', activitySize: 24 },
  });
  const sourceId = body.id;
  const { page } = await visit(t, '/sources/1/import');
  const buffer = Buffer.from(JSON.stringify({ sourceId, days: ordinaryDays('2023-04-01', 2) }));
  await page.getByLabel('File').setInputFiles({ name: 'days.json', mimeType: 'application/json', buffer });
  await button(page, 'Import').click();
  const refusal = page.getByRole('alert').filter({ hasText: 'The file names source' });
  await refusal.getByRole('link').click();
  await heading(page, 'Import · Meter').waitFor();
  t.equal(await refusal.count(), 0);
});

t.test('an import waits for what is known about its file, and is sent once', async t => {
  const { page } = await visit(t, '/sources/new');
  const choose = (name: string, mimeType: string, text: string) =>
    page.getByLabel('File').setInputFiles({ name, mimeType, buffer: Buffer.from(text) });
  const csv = csvOf(ordinaryDays('2023-01-01', 60));
  await page.route('**/v1/import-csv/inspect', route => route.abort());
  await choose('east.csv', 'text/csv', csv);
  await button(page, 'Try again').waitFor();
  let goOn = (): void => undefined;
  const mayGoOn = new Promise<void>(resolve => (goOn = resolve));
  await page.unroute('**/v1/import-csv/inspect');
  await page.route('**/v1/import-csv/inspect', async route => {
    await mayGoOn;
    await route.continue();
  });
  await button(page, 'Try again').click();
  await page.locator('button:disabled', { hasText: 'Create source' }).waitFor();
  goOn();
  await page.getByRole('heading', { name: 'What was understood' }).waitFor();
  t.notOk(await button(page, 'Create source').isDisabled());
  await choose('west.csv', 'text/csv', csv);
  await page.getByText('west.csv').waitFor();
  t.equal(
    await page.getByRole('textbox', { name: 'Name' }).inputValue(),
    'west',
    'the name of the later file',
  );

  await page.goto(`${service.address()}/sources/1/import`);
  const sent: string[] = [];
  page.on('request', request => request.method() === 'POST' && sent.push(request.url()));
  await choose('days.json', 'application/json', JSON.stringify({ sourceId: 1, days: [] }));
  await page.evaluate(`{
    const { text } = Blob.prototype;
    const held = new Promise(resolve => (window.goOn = resolve));
    Blob.prototype.text = async function () { await held; return text.call(this); };
  }`);
  await button(page, 'Import').click();
  await page.locator('button:disabled', { hasText: 'Import' }).waitFor();
  await page.evaluate('window.goOn()');
  await page.getByRole('alert').first().waitFor();
  t.equal(sent.length, 1);

  await page.goto(`${service.address()}/sources/1/import?asOf=1`);
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  t.equal(await button(page, 'Import').count(), 0, 'the past takes no data');
  const reader = await visit(t, '/sources/1/import', { token: await tokenOf('rita', 3600, ['read']) });
  await reader.page.getByText('Your token has no scope “import”').waitFor();
  t.equal(await button(reader.page, 'Import').count(), 0);
});
