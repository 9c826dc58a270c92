// Overview: the reason of its order, today while it goes on, groups. Calendar: alerts, colours and years.
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { presentDate } from '../helpers/presentDate.js';
import { axeFaults, openPage } from '../helpers/screens/browser.js';
import { analysed, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { browser, service, visit } = await openScreens(t);
const { call } = service;
const today = await presentDate();
const thisYear = Number(today.slice(0, 4));
const before = (days: number): string => dateOf(dayNumber(today) - days);
const create = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, labels, referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const importDays = (sourceId: number, days: readonly object[]) =>
  call('POST', '/v1/import/days', { json: { sourceId, days } });

const old = await create('Old hall', { city: 'Lyon' });
const quiet = await create('Quiet hall', { city: 'Nice' });
const short = await create('Brief hall', { city: 'Nice' });
const plain = await create('Plain hall', {});
const broken = before(60);
await importDays(old, [
  { date: broken, activity: ordinaryDay(broken).activity.map(value => value * 4) },
  ...ordinaryDays(before(3), 3),
]);
// One hour is very improbable, and costs little of a day.
const spike = before(50);
await importDays(short, [
  {
    date: spike,
    activity: ordinaryDay(spike).activity.map((value, hour) => (hour === 3 ? 2000 : value)),
  },
]);
await importDays(quiet, ordinaryDays(before(3), 3));
// A part of today, whose later slices are not missing yet.
await importDays(plain, [
  { date: today, activity: ordinaryDay(today).activity.map((value, hour) => (hour === 0 ? value : null)) },
]);

t.test('the worst open alert is in the row, also when it is older than the shown days', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await heading(page, 'Overview').waitFor();
  const rows = page.getByRole('table', { name: 'Sources' }).locator('[data-row]');
  await rows.nth(3).waitFor();
  t.match(await rows.first().getByRole('link', { name: 'Old hall' }).count(), 1, 'it comes first');
  const worst = rows.first().getByRole('link', { name: /^worst open alert: [\d.]+ times its allowance/ });
  await worst.waitFor();
  const { sources } = (
    await call<{ sources: readonly { id: number; worst: { criticity: number; severity: number } | null }[] }>(
      'GET',
      '/v1/overview',
    )
  ).body;
  const [lost, improbable] = [old, short].map(id => sources.find(source => source.id === id)?.worst);
  t.ok((lost?.severity ?? 0) > (improbable?.severity ?? 1), 'by what was lost');
  t.equal(await rows.nth(1).getByRole('link', { name: 'Brief hall' }).count(), 1);
  t.equal(await rows.first().locator('.strip [data-look="alert"]').count(), 0, 'no bar shows it');
  t.equal(await worst.locator('.mark').getAttribute('data-level'), '3');
  t.strictSame(await axeFaults(page), []);
  await worst.click();
  await heading(page, /^Alert: /).waitFor();
  t.match(page.url(), new RegExp(`/alerts/${old}-${broken.replaceAll('-', '')}-1$`));
  expectQuiet(t, watched);
});

t.test('without the number of open incidents the overview has that of its sources', async t => {
  const { page } = await visit(t, '/mutes');
  await heading(page, 'Mutes and labels').waitFor();
  await page.route(/\/v1\/incident\/list/, route => route.fulfill({ status: 500 }));
  await page.goto(service.address());
  await page.getByRole('status').getByText('4 sources', { exact: true }).waitFor();
});

t.test('two steps back are two, also before the days of the first one have come', async t => {
  const { page } = await visit(t, '/');
  const end = (): string => new URL(page.url()).searchParams.get('to') ?? '';
  await button(page, 'Earlier').waitFor();
  await page.route('**/v1/overview?*', () => undefined);
  await button(page, 'Earlier').click();
  await page.waitForURL(/to=/);
  const one = end();
  await button(page, 'Earlier').click();
  await page.waitForURL(url => url.searchParams.get('to') !== one);
  t.equal(end(), dateOf(dayNumber(one) - 14));
});

t.test('calendar: dates of a selection are typed; keys begin at the date that has the focus', async t => {
  const { page } = await visit(t, `/sources/${quiet}/calendar/2023`);
  const cell = (date: string) => page.getByRole('gridcell', { name: `${date}, ` });
  const selected = (text: string) => page.getByRole('heading', { name: text, exact: true }).waitFor();
  await cell('2023-03-02').click();
  await selected('1 day selected');
  const name = page.getByRole('textbox', { name: 'Name a special day' });
  await name.fill('Feast');
  const to = page.getByLabel('To', { exact: true });
  await to.focus();
  await page.keyboard.type('03032023');
  t.ok(await to.evaluate('document.activeElement.type === "date"'), 'the field keeps the focus');
  await page.keyboard.press('Enter');
  await selected('2 days selected');
  t.equal(await name.inputValue(), 'Feast', 'other fields keep what was typed');
  await to.fill('2023-03-01');
  await page.keyboard.press('Enter');
  await selected('2 days selected');
  t.equal(await to.inputValue(), '2023-03-01', 'an end before the beginning waits');
  await to.fill('2025-03-01');
  await page.keyboard.press('Enter');
  await selected('366 days selected');
  await page.getByText('At most 366 days are changed at once.').waitFor();
  t.equal(await to.inputValue(), '2024-03-01', 'the range ends there');

  await cell('2023-05-10').focus();
  const back = `document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'ArrowLeft', altKey: true, bubbles: true, cancelable: true }))`;
  t.ok(await page.evaluate(back), 'Alt+Left is a key of the browser');
  await page.keyboard.press('Shift+ArrowRight');
  await selected('2 days selected');
  await page.keyboard.press('Shift+ArrowDown');
  await selected('9 days selected');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowLeft');
  await selected('2 days selected');
});

t.test('the font does not share the way of the program of the screens', async t => {
  const { page } = await openPage(t, browser);
  const fonts: string[] = [];
  page.on('request', request => {
    if (request.resourceType() === 'font') fonts.push(request.url());
  });
  await page.route(/\/assets\/index-[^/]*\.js$/, route => route.abort());
  await page.goto(`${service.address()}/`);
  await page.getByText('Loading the screens…').waitFor();
  await page.screenshot();
  t.strictSame(fonts, []);
});

t.test('on a phone the header has a name or none, no part of a letter', async t => {
  for (const locale of ['en-GB', 'fr-FR']) {
    const context = { locale, viewport: { width: 390, height: 844 } };
    const { page } = await visit(t, '/', { context });
    await page.locator('[data-row]').first().waitFor();
    const [width, visibility]: [number, string] = await page.evaluate(
      `(() => { const one = document.querySelector('.who > strong'); return [one.clientWidth, getComputedStyle(one).visibility]; })()`,
    );
    t.ok(visibility === 'hidden' || width >= 40, `${locale}: ${width} pixels, ${visibility}`);
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  }
});

t.test('on a phone the parts of a row, with the loss in words, are inside the row', async t => {
  for (const locale of ['en-GB', 'fr-FR'])
    for (const width of [320, 390]) {
      const context = { locale, viewport: { width, height: 844 }, hasTouch: true, isMobile: true };
      const { page } = await visit(t, '/', { context });
      const row = page.locator('[data-row]').first();
      await row.getByText(/its (whole )?allowance|sa marge/).waitFor();
      const outside = await page.evaluate<number>(
        `(() => {
          const row = document.querySelector('[data-row]');
          const { right, bottom } = row.getBoundingClientRect();
          const boxes = [...row.querySelectorAll('.col-name, .col-open *, .strip')].map(one => one.getBoundingClientRect());
          return boxes.filter(box => box.right > right || box.bottom > bottom).length;
        })()`,
      );
      t.equal(outside, 0, `${locale}, ${width} pixels`);
    }
});

t.test(
  'on a phone choices are behind a button; a tablet has names and days on lines of their own',
  async t => {
    const phone = (await visit(t, '/', { context: { viewport: { width: 390, height: 844 } } })).page;
    await phone.locator('[data-row]').first().waitFor();
    const sort = phone.getByRole('combobox', { name: 'Sort by' });
    t.equal(await sort.count(), 0);
    await button(phone, 'Filters').click();
    await sort.selectOption('name');
    await phone.waitForURL(/sort=name/);
    const tablet = (await visit(t, '/', { context: { viewport: { width: 820, height: 1180 } } })).page;
    const row = tablet.locator('[data-row]').first();
    const [name, strip] = [row.locator('.source-name'), row.locator('.strip')];
    await strip.waitFor();
    const [above, below] = [await name.boundingBox(), await strip.boundingBox()];
    t.ok(above && below && above.y + above.height <= below.y, 'days below the name');
    t.ok((below?.width ?? 0) > 700, 'days have the width of the table');
  },
);

t.test('today is filled as far as it has come', async t => {
  const { page } = await visit(t, '/');
  const bar = page.locator('.strip [data-progress] > i');
  await bar.first().waitFor();
  const elapsed = Number(/--elapsed: ([\d.]+)/.exec((await bar.first().getAttribute('style')) ?? '')?.[1]);
  t.ok(elapsed >= 0 && elapsed < 1, `${elapsed}`);
});

t.test('sources are grouped by a label, which stays in the address', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('city');
  const rows = page.getByRole('table', { name: 'Sources' }).locator('.sources-row:not(.sources-head *)');
  await page.locator('.group-name').nth(2).waitFor();
  const names = await rows.locator('.group-name, .source-name').allTextContents();
  t.strictSame(names, [
    ...['Lyon 1', 'Old hall', 'Nice 2', 'Brief hall', 'Quiet hall'],
    ...['without this label 1', 'Plain hall'],
  ]);
  t.match(page.url(), /group=city/);
  t.strictSame(await axeFaults(page), []);
  expectQuiet(t, watched);
});

t.test('calendar: a year next to one without data is not offered', async t => {
  const { page } = await visit(t, `/sources/${old}/calendar/2023`);
  await page.getByRole('grid', { name: 'Year 2023' }).waitFor();
  await button(page, 'Compare with 2024').waitFor();
  const later = await create('Only reference', {});
  await page.goto(`${service.address()}/sources/${later}/calendar/2023`);
  await heading(page, 'Calendar 2023 · Only reference').waitFor();
  t.equal(await page.getByRole('button', { name: /^Compare with/ }).count(), 0);
});

t.test('calendar: models of one colour look different, and alerts come first', async t => {
  const { body } = await call<{ models: readonly Record<string, unknown>[] }>('GET', `/v1/model/list/${old}`);
  const models = body.models.map(({ name, anomaly, activity, topTolerance, bottomTolerance }) => ({
    ...{ name, anomaly, activity, topTolerance, bottomTolerance },
    color: '#0072B2',
  }));
  const replaced = await call('POST', `/v1/model/bulk-replace/${quiet}`, { json: { models } });
  t.equal(replaced.status, 200);
  const { page } = await visit(t, `/sources/${quiet}/calendar/2023`);
  const list = page.getByRole('list', { name: 'Typical days' });
  await list.locator('.dot').nth(1).waitFor();
  const dots = await list.locator('.dot').all();
  const colors = await Promise.all(dots.map(dot => dot.getAttribute('style')));
  t.equal(new Set(colors).size, models.length, colors.join(' '));

  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const small = (await visit(t, `/sources/${old}/calendar/${thisYear}`, { context: phone })).page;
  const grid = small.getByRole('grid', { name: `Year ${thisYear}` });
  await grid.waitFor();
  const first = await grid.getByRole('gridcell').first().getAttribute('data-date');
  t.equal(first?.slice(0, 7), before(1).slice(0, 7), 'the month of the newest data');
});

t.test('calendar: only of a day that a check found normal is said that no limit was broken', async t => {
  const wordsOf = async (date: string) => {
    const { page } = await visit(t, '/mutes');
    await heading(page, 'Mutes and labels').waitFor();
    const read = page.waitForEvent('requestfinished', request =>
      request.url().includes(`/v1/day/${quiet}/${date}`),
    );
    await page.goto(`${service.address()}/sources/${quiet}/calendar/${date.slice(0, 4)}?day=${date}`);
    await read;
    return page
      .getByRole('figure', { name: `Day ${date}` })
      .locator('p')
      .last();
  };
  const normal = await wordsOf(before(2));
  await normal.filter({ hasText: 'No limit was broken.' }).waitFor({ state: 'attached' });
  const reference = await wordsOf('2023-03-02');
  t.notMatch(await reference.textContent(), /No limit was broken/, 'it was never checked');
});

t.test('a gap alert is an alert of its strip, and its day leads to it', async t => {
  const gappy = await create('Gappy hall', {});
  const date = before(4);
  const activity = ordinaryDay(date).activity.map((value, hour) => (hour < 12 ? null : value));
  await importDays(gappy, [{ date, activity }]);
  const { page } = await visit(t, '/');
  const row = page.locator('[data-row]').filter({ hasText: 'Gappy hall' });
  const day = row.getByRole('img', { name: /^28 days: 1 alert/ }).locator('[data-look="gap"]');
  t.match(await day.getAttribute('data-tip'), / · gap, open$/);
  await day.click();
  await heading(page, /^Alert: /).waitFor();
});
