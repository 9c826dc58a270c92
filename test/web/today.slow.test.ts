// Screens of a date in progress: the day before the present one, which the lateness of its source keeps open.
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { presentDate } from '../helpers/presentDate.js';
import { axeFaults } from '../helpers/screens/browser.js';
import { analysed, eventually, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, visit } = await openScreens(t);
const { call } = service;

const date = dateOf(dayNumber(await presentDate()) - 1);
const year = Number(date.slice(0, 4));
const usual = ordinaryDay(date).activity;
/** Points of the hours before `to`, too high from 09:00 on; the slice of the last one has not elapsed. */
const pointsUntil = (to: number) =>
  usual.slice(0, to).map((value, hour) => ({
    at: `${date}T${String(hour).padStart(2, '0')}:10:00Z`,
    value: hour < 9 ? value : value + 300,
  }));
const send = async (to: number): Promise<void> => {
  const { status } = await call('POST', '/v1/import/points', {
    json: { sourceId: 1, points: pointsUntil(to) },
  });
  if (status !== 200) throw new Error(`got status ${status} for points, expected 200`);
};

await call('POST', '/v1/import/create-source', {
  json: {
    ...{ name: 'Canteen', referenceYear: year - 1, aggregation: 'sum', unit: 'meals', lateness: 'P3D' },
    days: ordinaryDays(`${year - 1}-01-01`, 120),
  },
});
await analysed(call, 1);
await send(14);
type Day = {
  readonly expectedTotal: number;
  readonly expectedRest: number;
  readonly alerts: readonly { readonly id: string }[];
};
const dayOf = async () => (await call<Day>('GET', `/v1/day/1/${date}`)).body;
const alertPath = `/alerts/${(await dayOf()).alerts[0]?.id}`;
const fail = (): never => {
  throw new Error('a mark is not in the chart');
};
const number = (value: number): string =>
  new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 4 }).format(value);

t.test('overview and calendar: a date in progress has its own mark', async t => {
  const watched = await visit(t, '/', { context: { locale: 'en-GB' } });
  const { page } = watched;
  const bar = page.locator('.strip [data-progress]');
  await bar.waitFor();
  t.match(await bar.getAttribute('data-tip'), /alert, .+ its allowance, criticity .+, in progress$/);
  t.equal(await bar.getAttribute('data-look'), 'alert', 'and no gap');
  t.strictSame(await axeFaults(page), []);
  await page.goto(`${service.address()}/sources/1/calendar/${year}?day=${date}`);
  await page.getByRole('gridcell', { name: new RegExp(`^${date}, .+, in progress, alert$`) }).waitFor();
  const { expectedTotal, expectedRest } = await dayOf();
  await page.getByText('in progress, until 13:00', { exact: true }).waitFor();
  const total = `${number(expectedTotal)} meals expected by midnight, of which ${number(expectedRest)} meals are still to come`;
  await page.getByText(total.replaceAll(' meals', '\u00a0meals'), { exact: true }).waitFor();
  t.strictSame(await axeFaults(page), []);
  expectQuiet(t, watched);
});

t.test('wall: a date in progress has its date, which need not be that of today', async t => {
  const { page } = await visit(t, '/wall', { context: { locale: 'en-GB' } });
  const day = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  }).format(new Date(date));
  await page.getByText(`${day}, until 13:00`, { exact: true }).waitFor();
});

t.test('alert: the line so far, the rest as expected, and news while the page is open', async t => {
  const watched = await visit(t, alertPath, { context: { locale: 'en-GB' } });
  const { page } = watched;
  await heading(page, /^Alert: .+ since 09:00, still going on$/).waitFor();
  const figure = page.getByRole('figure', { name: `Day ${date}` });
  await figure.locator('svg').first().waitFor();
  const id = await figure.getAttribute('aria-describedby');
  t.match(await page.locator(`[id="${id}"]`).textContent(), /^In progress, until 13:00\. Actual: /);
  const boxOf = async (selector: string) => (await figure.locator(selector).first().boundingBox()) ?? fail();
  /** Right end of a mark in shares of the width of the chart. */
  const endOf = async (selector: string): Promise<number> => {
    const [mark, all] = [await boxOf(selector), await boxOf('svg')];
    return (mark.x + mark.width - all.x) / all.width;
  };
  const line = 'g[stroke="var(--actual)"] path';
  const before = await endOf(line);
  t.ok(before > 0.45 && before < 0.65, `the line ends at 13:00: ${before}`);
  t.ok((await endOf('g[fill="var(--band)"] path')) > 0.9, 'the band is that of the whole day');
  t.ok((await figure.locator('circle').count()) > 0, 'the last value is marked');
  await send(17);
  await page.getByText('in progress, until 16:00', { exact: true }).waitFor();
  // The chart is drawn after its words.
  await eventually('points on the open page', async () => (await endOf(line)) > before + 0.05 || undefined);
  t.strictSame(await axeFaults(page), []);
  expectQuiet(t, watched);
});

t.test('the same in French', async t => {
  const watched = await visit(t, alertPath, { context: { locale: 'fr-FR' } });
  const { page } = watched;
  await heading(page, /^Alerte : .+ (du|fois le) \S+ habituel depuis 09:00, toujours en cours$/).waitFor();
  await page.getByText('en cours, jusqu’à 16:00', { exact: true }).waitFor();
  expectQuiet(t, watched);
});
