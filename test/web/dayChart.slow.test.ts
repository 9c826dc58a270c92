// The chart of an alert shows what its title says, and its values are read with pointer, keyboard and touch.
import t from 'tap';
import type { Page } from 'playwright-core';
import { axeFaults, becomesTrue } from '../helpers/screens/browser.js';
import { analysed, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, visit } = await openScreens(t);
const { call } = service;
await call('POST', '/v1/import/create-source', {
  json: { name: 'Pool', unit: 'kWh', referenceYear: 2023, days: ordinaryDays('2023-01-01', 200) },
});
await analysed(call, 1);
const changed = (date: string, change: (value: number, hour: number) => number) => ({
  date,
  activity: ordinaryDay(date).activity.map(change),
});
// A day that is a little higher breaks limits of means only; one stretch is far too high; one line is flat.
const higher = changed('2024-03-05', value => value * 1.12);
const busy = changed('2024-03-06', (value, hour) => (hour >= 12 && hour < 16 ? value + 60 : value));
// Each value and each mean is usual, but the day goes up and down from hour to hour.
const restless = changed('2024-03-14', (value, hour) => {
  if (hour < 8 || hour >= 18) return value;
  return hour % 2 === 0 ? 90 : 110;
});
const flat = changed('2024-03-13', () => 50);
await call('POST', '/v1/import/days', {
  json: {
    sourceId: 1,
    days: [...ordinaryDays('2024-02-26', 8), higher, busy, ...ordinaryDays('2024-03-07', 6), flat, restless],
  },
});
type Alert = {
  readonly id: string;
  readonly date: string;
  readonly brokenLimits: readonly { limit: string; actual: number; bound: number }[];
};
const { alerts } = (await call<{ alerts: Alert[] }>('GET', '/v1/alert/list?sourceId=1&limit=100')).body;
const alertOf = (date: string): Alert => {
  const found = alerts.find(alert => alert.date === date);
  if (!found) throw new Error(`no alert on ${date}`);
  return found;
};
const number = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 4 });
const figureOf = (page: Page, date: string) => page.getByRole('figure', { name: `Day ${date}` });
const legend = (page: Page) => page.locator('.day-legend .key');

t.test('the stretch of the title is shaded, the broken mean is one line with its numbers', async t => {
  const alert = alertOf(higher.date);
  const watched = await visit(t, `/alerts/${alert.id}`);
  const { page } = watched;
  await heading(page, /over the usual Tuesday from 08:00 to 16:00$/).waitFor();
  const figure = figureOf(page, higher.date);
  const [limit] = alert.brokenLimits;
  await legend(page).first().waitFor();
  const words = `mean ${number.format(limit?.actual ?? 0)}, limit ${number.format(limit?.bound ?? 0)}\u00a0kWh`;
  await figure.locator('svg text').first().waitFor();
  t.ok((await figure.locator('svg text').allTextContents()).includes(words), words);
  t.strictSame(await legend(page).allTextContents(), [
    'actual',
    'expected: Monday–Friday',
    'usual range: 9 of 10 comparable days',
    `08:00–16:00: ${words}`,
  ]);
  const id = await figure.getAttribute('aria-describedby');
  t.ok((await page.locator(`[id="${id}"]`).textContent())?.includes(`The broken limit: ${words}.`));
  expectQuiet(t, watched);
});

t.test('the shading is where the title says, the limit of slices is drawn there only', async t => {
  const watched = await visit(t, `/alerts/${alertOf(busy.date).id}`);
  const { page } = watched;
  await heading(page, /over the usual Wednesday from 12:00 to 16:00$/).waitFor();
  const figure = figureOf(page, busy.date);
  const boxOf = async (selector: string) => {
    const box = await figure.locator(selector).first().boundingBox();
    if (!box) throw new Error(`${selector} is missing`);
    return box;
  };
  const plot = await boxOf('.day-plot');
  // The plot is between margins of 44 and 12 pixels.
  const at = (hour: number): number => plot.x + 44 + (hour / 24) * (plot.width - 56);
  const shade = await boxOf('g[fill="var(--alert-3)"] rect');
  t.ok(Math.abs(shade.x - at(12)) < 2 && Math.abs(shade.x + shade.width - at(16)) < 2);
  const limit = await boxOf('g[stroke="var(--alert-3)"] path');
  t.ok(limit.x > at(12) - 3 && limit.x + limit.width < at(16) + 3, 'the limit ends with the stretch');
  t.notOk(await page.getByRole('checkbox', { name: 'Show days before' }).isChecked(), 'more than three');
  t.strictSame(await axeFaults(page), []);
  expectQuiet(t, watched);
});

t.test('values by pointer, keyboard and touch, with their unit', async t => {
  const { page } = await visit(t, `/alerts/${alertOf(busy.date).id}`);
  const plot = page.getByRole('slider', { name: 'Values by time of day' });
  await plot.locator('svg').waitFor();
  await plot.focus();
  await page.keyboard.press('Home');
  for (let hour = 0; hour < 12; hour += 1) await page.keyboard.press('ArrowRight');
  const value = number.format(busy.activity[12] ?? 0);
  const words = new RegExp(`^12:00–13:00: Actual ${value}\\u00a0kWh, Expected [\\d.]+\\u00a0kWh, Usual `);
  t.match(await plot.getAttribute('aria-valuetext'), words);
  await page.locator('.day-values').getByText(`Actual ${value}`).waitFor();
  await page.keyboard.press('Escape');
  const box = await plot.boundingBox();
  if (!box) throw new Error('no chart');
  await page.mouse.move(box.x + 44 + (3.5 / 24) * (box.width - 56), box.y + 100);
  await page.locator('.day-values').getByText('03:00–04:00', { exact: true }).waitFor();

  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const phone = (await visit(t, `/alerts/${alertOf(busy.date).id}`, { context })).page;
  const touched = phone.getByRole('slider', { name: 'Values by time of day' });
  await touched.locator('svg').waitFor();
  const room = await touched.boundingBox();
  if (!room) throw new Error('no chart');
  await phone.touchscreen.tap(room.x + 44 + (12.5 / 24) * (room.width - 56), room.y + 100);
  await phone.locator('.day-values').getByText(`Actual ${value}`).waitFor();
});

t.test('a course unlike all comparable days has a key of its own and no line', async t => {
  const alert = alertOf(restless.date);
  t.strictSame(
    alert.brokenLimits.map(({ limit }) => limit),
    ['shape'],
  );
  const watched = await visit(t, `/alerts/${alert.id}`);
  const { page } = watched;
  await legend(page)
    .getByText(/^\d\d:\d\d–\d\d:\d\d: course unlike all comparable days$/)
    .waitFor();
  const figure = figureOf(page, restless.date);
  t.equal(
    await figure.locator('g[stroke="var(--alert-3)"] path').count(),
    0,
    'the mean of the day is no limit',
  );
  const id = await figure.getAttribute('aria-describedby');
  t.match(await page.locator(`[id="${id}"]`).textContent(), /the course is unlike all comparable days\./);
  expectQuiet(t, watched);
});

t.test('the calendar draws a day as its alert does', async t => {
  const { page } = await visit(t, `/alerts/${alertOf(higher.date).id}`);
  await legend(page).nth(3).waitFor();
  const words = await legend(page).allTextContents();
  const watched = await visit(t, `/sources/1/calendar/2024?day=${higher.date}`);
  const panel = watched.page;
  await legend(panel).nth(3).waitFor();
  t.strictSame(await legend(panel).allTextContents(), words);
  // The limit of single slices, which no value of this day broke, is twice as high as its values.
  const limits = figureOf(panel, higher.date).locator('g[stroke="var(--alert-3)"] path');
  await limits.first().waitFor({ state: 'attached' });
  t.equal(await limits.count(), 1, 'the broken mean is the only limit');
  await panel.locator('[data-date="2024-03-11"]').hover();
  await figureOf(panel, '2024-03-11').waitFor();
  await legend(panel).getByText('usual range: 9 of 10 comparable days').waitFor();
  t.equal(await legend(panel).count(), 3, 'a day without an alert has no limit');
  expectQuiet(t, watched);
});

t.test('days of a source have one axis; a flat line fits no model better', async t => {
  const { page } = await visit(t, '/');
  await heading(page, 'Overview').waitFor();
  const ticksOf = async (date: string): Promise<readonly string[]> => {
    await page.goto(`${service.address()}/alerts/${alertOf(date).id}`);
    await figureOf(page, date).locator('svg').waitFor();
    return (await figureOf(page, date).locator('svg text').allTextContents()).filter(text =>
      /^\d+$/.test(text),
    );
  };
  const first = await ticksOf(higher.date);
  const last = await ticksOf(flat.date);
  t.ok(first.length > 2);
  t.strictSame(first, last);
  t.equal(await page.getByRole('checkbox', { name: /^Show “/ }).count(), 0);
  t.equal(await page.getByText('better').count(), 0);
});

t.test('a day without values is described as one without data, not with a mean of 0', async t => {
  const { page } = await visit(t, '/');
  await page.route(`**/v1/day/1/${flat.date}*`, async route => {
    const day = (await (await route.fetch()).json()) as { readonly day: object };
    await route.fulfill({ json: { ...day, day: { ...day.day, gaps: [[0, 24]] } } });
  });
  await page.goto(`${service.address()}/alerts/${alertOf(flat.date).id}`);
  const words = figureOf(page, flat.date).locator('p.hidden');
  await words.waitFor({ state: 'attached' });
  t.match(await words.textContent(), /^No data\./);
});

t.test('the same in French', async t => {
  const watched = await visit(t, `/alerts/${alertOf(higher.date).id}`, { context: { locale: 'fr-FR' } });
  await legend(watched.page).getByText('plage habituelle\u00a0: 9 jours comparables sur 10').waitFor();
  await legend(watched.page)
    .getByText(/moyenne [\d,]+, limite [\d,]+\u00a0kWh$/)
    .waitFor();
  expectQuiet(t, watched);
});

t.test('with text at 200 % the chart keeps room for its labels', async t => {
  for (const path of [`/alerts/${alertOf(busy.date).id}`, '/sources/1/models']) {
    const { page } = await visit(t, path);
    await page.locator('.plot').first().waitFor();
    await page.evaluate('document.documentElement.style.fontSize = "200%"');
    const isInside = `(() => {
      const plot = [...document.querySelectorAll('.plot')].find(one => one.querySelector('text'));
      const box = plot.getBoundingClientRect();
      const texts = [...plot.querySelectorAll('g[aria-label*="y-axis"] text')].map(one => one.getBoundingClientRect());
      return texts.length > 2 && texts.every(({ left, right }) => left >= box.left - 1 && right <= box.right + 1);
    })()`;
    await becomesTrue(page, isInside);
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path);
  }
});
