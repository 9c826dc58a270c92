// Screens of incidents: the list, one incident, mutes; what people see and do there, and what that causes.
import type { Page } from 'playwright-core';
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { axeFaults } from '../helpers/screens/browser.js';
import { analysed, eventually, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens, settled } from '../helpers/screens/screens.js';

const { service, tokenOf, visit } = await openScreens(t);
const { call } = service;

type Incident = {
  readonly id: string;
  readonly state: string;
  readonly assignee: string | null;
  readonly mutedUntil: string | null;
  readonly mergedInto: string | null;
  readonly alertIds: readonly string[];
  readonly alert: { readonly id: string } | null;
  readonly sentence: string;
  readonly sentences: { readonly fr: string };
};
type Day = { readonly date: string; readonly activity: readonly number[] };

/** A day with more activity from one hour to another. */
const busyDay = (date: string, from: number, to: number): Day => ({
  date,
  activity: ordinaryDay(date).activity.map((value, hour) =>
    hour >= from && hour < to ? value * 3 + 300 : value,
  ),
});
const create = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, labels, days: ordinaryDays('2023-01-01', 120) },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const importDays = async (sourceId: number, ...days: readonly Day[]): Promise<void> => {
  const { status, text } = await call('POST', '/v1/import/days', { json: { sourceId, days } });
  if (status >= 300) throw new Error(text);
};
const listed = async (query: string): Promise<readonly Incident[]> =>
  (await call<{ incidents: readonly Incident[] }>('GET', `/v1/incident/list?${query}`)).body.incidents;
const one = async (id: string): Promise<Incident> => (await call<Incident>('GET', `/v1/incident/${id}`)).body;
const fail = (): never => {
  throw new Error('an incident is missing');
};

// Three days of one incident, another one of the same source, and one of two more sources.
const gym = await create('Gym', { site: 'south' });
await importDays(
  gym,
  busyDay('2024-03-04', 13, 18),
  busyDay('2024-03-05', 13, 18),
  ordinaryDay('2024-03-06'),
  busyDay('2024-03-11', 13, 18),
  busyDay('2024-03-20', 2, 5),
);
const [first = fail(), second = fail()] = await listed(`sourceId=${gym}`);
const pool = await create('Pool', { site: 'north' });
const sauna = await create('Sauna', { site: 'north' });

const rowsOf = (page: Page) =>
  page.getByRole('list', { name: 'Incidents', exact: true }).locator(':scope > li');
const rowOf = (page: Page, { sentence }: Incident) =>
  rowsOf(page).filter({ has: page.getByRole('link', { name: sentence.replaceAll(' %', '\u00a0%') }) });
const badgeOf = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Incidents/ });

t.test('the list has a row an incident; its days unfold', async t => {
  const watched = await visit(t, '/alerts');
  const { page } = watched;
  await heading(page, 'Incidents').waitFor();
  await rowsOf(page).first().waitFor();
  t.equal(await rowsOf(page).count(), 2);
  await badgeOf(page).getByText('2', { exact: true }).waitFor();
  await page.getByRole('status').getByText('2 incidents', { exact: true }).waitFor();
  const row = rowOf(page, first);
  for (const text of ['Gym', 'activity']) await row.getByText(text, { exact: true }).waitFor();
  const words = (await row.locator('.incident-text').textContent()) ?? '';
  for (const text of ['4 Mar 2024', '11 Mar 2024', '3 alerts'])
    t.equal(words.split(text).length, 2, `${text} once: ${words}`);
  await row.locator('.incident-spark svg').waitFor();
  t.equal(await row.getByRole('listitem').count(), 0, 'closed by default');
  await row.getByRole('button', { name: /^Days: / }).click();
  await row.getByRole('link', { name: 'Mon, 11 Mar 2024' }).waitFor();
  t.equal(await row.getByRole('listitem').count(), 3);
  await row.getByRole('link', { name: 'Mon, 11 Mar 2024' }).click();
  await heading(page, /^Alert: /).waitFor();
  await page.getByRole('link', { name: 'Incident', exact: true }).click();
  await heading(page, /^Incident: /).waitFor();
  t.match(page.url(), `/incidents/${first.id}?alert=`);
  expectQuiet(t, watched);
});

t.test('a message with an undo waits while the pointer or the focus is on it', async t => {
  const watched = await visit(t, '/alerts');
  const { page } = watched;
  await rowsOf(page).first().waitFor();
  await page.keyboard.press('j');
  await rowsOf(page).first().locator('a.incident-link:focus').waitFor();
  await page.clock.install();
  await page.keyboard.press('a');
  const undo = button(page, 'Undo');
  await undo.hover();
  await page.clock.fastForward(9000);
  await undo.focus();
  await page.mouse.move(1, 1);
  await page.clock.fastForward(9000);
  t.ok(await undo.isVisible(), 'the focus is on it, the pointer was');
  await undo.evaluate(element => (element as unknown as { blur: () => void }).blur());
  await page.clock.fastForward(9000);
  await undo.waitFor({ state: 'detached' });
  await button(page, 'Acknowledged').click();
  await button(rowsOf(page).first(), 'Reopen').click();
  await page.getByRole('status').getByText('Reopened', { exact: true }).waitFor();
  expectQuiet(t, watched);
});

t.test('the worst incident is the one that lost most; links with an order by criticity go on', async t => {
  const rows = async (query: string): Promise<readonly string[]> => {
    const { page } = await visit(t, `/alerts${query}`);
    await page.locator('.incident-row').nth(1).waitFor();
    return page.locator('.incident-link').allTextContents();
  };
  const sentences = async (sort: string): Promise<readonly string[]> =>
    (await listed(`state=open&sort=${sort}`)).map(({ sentence }) =>
      sentence.replaceAll(/(\d) %/g, '$1\u00a0%'),
    );
  const [severity, criticity] = [await sentences('severity'), await sentences('criticity')];
  t.strictSame(await rows(''), severity);
  t.strictSame(await rows('?sort=criticity'), criticity);
  const { page } = await visit(t, '/alerts');
  await page
    .locator('.incident-loss')
    .first()
    .getByText(/^([\d.]+ times its allowance|its whole allowance|\d+\s% of its allowance), criticity \d+\s%$/)
    .waitFor();
});

t.test('keys, the text filter, and acts on several', async t => {
  const watched = await visit(t, '/alerts');
  const { page } = watched;
  await rowsOf(page).first().waitFor();
  await button(page, 'Account and display').click();
  await page.getByRole('link', { name: 'Mutes and labels' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Mutes and labels' }).waitFor({ state: 'hidden' });
  await page.keyboard.press('/');
  await page.keyboard.type('from 13:00');
  await page.getByRole('status').getByText('1 incident', { exact: true }).waitFor();
  t.match(page.url(), /q=from/);
  await page.getByRole('searchbox', { name: 'Search incidents' }).fill('nothing like it');
  await page.getByText('No incident matches.').waitFor();
  await page.getByRole('searchbox', { name: 'Search incidents' }).fill('');
  await page.evaluate('document.activeElement.blur()');
  await rowsOf(page).nth(1).waitFor();
  for (const index of [0, 1]) {
    await page.keyboard.press('j');
    await rowsOf(page).nth(index).locator('a.incident-link:focus').waitFor();
    await page.keyboard.press('x');
  }
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('a');
  await page.getByRole('status').getByText('2 incidents acknowledged').waitFor();
  t.strictSame([(await one(first.id)).state, (await one(second.id)).state], ['acknowledged', 'acknowledged']);
  await page.getByText('No open incident.').waitFor();
  t.equal(await page.getByText('All is as usual').count(), 0, 'acknowledged ones go on');
  // The badge, which counts open ones, has an answer of its own.
  await eventually('no badge', async () => (await badgeOf(page).textContent()) === 'Incidents' || undefined);
  await button(page, 'Acknowledged').click();
  await rowsOf(page).nth(1).waitFor();
  await rowOf(page, first).getByText('acknowledged', { exact: true }).waitFor();
  await button(page, 'Undo').click();
  await page.getByRole('status').getByText('2 incidents reopened').waitFor();
  await badgeOf(page).getByText('2', { exact: true }).waitFor();

  await button(page, 'Open').click();
  await rowOf(page, second).getByRole('checkbox').check();
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Resolve this incident' });
  t.ok(await button(dialog, 'Resolve').isDisabled(), 'a person chooses the verdict');
  await dialog.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('A feast');
  await button(dialog, 'Resolve').click();
  const said = page.getByRole('status').filter({ hasText: 'Resolved' });
  await said.getByText('Resolved', { exact: true }).waitFor();
  await said.getByText('To reopen it later: the list of incidents, “Resolved”.').waitFor();
  t.equal((await one(second.id)).state, 'resolved');
  await button(page, 'Undo').click();
  await page.getByRole('status').getByText('Reopened', { exact: true }).waitFor();
  t.equal((await one(second.id)).state, 'open');
  await rowOf(page, second).locator('a.incident-link').focus();
  await page.keyboard.press('o');
  await heading(page, /^Incident: /).waitFor();
  expectQuiet(t, watched);
});

t.test('filters: assignee, muted, label, kind', async t => {
  await call('POST', `/v1/incident/${first.id}/assign`, { json: { subject: 'anna' } });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call('POST', '/v1/mute', { json: { incidentId: second.id, until, reason: 'A feast' } });
  const watched = await visit(t, '/alerts');
  const { page } = watched;
  await rowOf(page, first).getByText('@anna').waitFor();
  await rowOf(page, second)
    .getByText(/^muted until /)
    .waitFor();
  const choose = (name: string, label: string) =>
    page.getByRole('combobox', { name }).selectOption({ label });
  const counted = async (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
  await choose('Assignee', 'Assigned to me');
  await counted('1 incident');
  await rowOf(page, first).waitFor();
  await choose('Assignee', 'Unassigned');
  await rowOf(page, second).waitFor();
  await choose('Assignee', 'Anyone');
  await choose('Muted', 'Without muted ones');
  await counted('1 incident');
  await rowOf(page, first).waitFor();
  await choose('Muted', 'Only muted ones');
  await rowOf(page, second).waitFor();
  await choose('Muted', 'With muted ones');
  await choose('Kind', 'gap');
  await counted('0 incidents');
  await page.getByText('No incident matches.').waitFor();
  t.equal(await page.getByText('All is as usual').count(), 0, 'others are open');
  await choose('Kind', 'Any kind');
  await choose('Label', 'site: north');
  await counted('0 incidents');
  await choose('Label', 'site: south');
  await counted('2 incidents');
  expectQuiet(t, watched);
});

t.test('a search among the first 1,000 incidents says that there are more', async t => {
  const { page } = await visit(t, '/mutes');
  await heading(page, 'Mutes and labels').waitFor();
  const [found, other] = [await one(first.id), await one(second.id)];
  const pageOf = (from: number) =>
    Array.from({ length: 500 }, (_, at) => ({
      ...(from + at === 0 ? found : other),
      id: `inc-${from + at}`,
    }));
  await page.route(/incident\/list\?(?!state=open&limit)/, route => {
    const isSecond = route.request().url().includes('cursor=');
    const json = { incidents: pageOf(isSecond ? 500 : 0), nextCursor: isSecond ? 'b' : 'a' };
    return route.fulfill({ json });
  });
  await page.goto(`${service.address()}/alerts?state=all&q=from+13:00`);
  await page.getByRole('status').getByText('1 of the first 1000 incidents', { exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Search incidents' }).fill('nothing like it');
  await page.getByText('None of the first 1000 incidents matches.').waitFor();
});

t.test('a source of the address that is not listed is named in its filter', async t => {
  const { page } = await visit(t, '/alerts?source=77');
  const filter = page.getByRole('combobox', { name: 'Source', exact: true });
  await filter.getByRole('option', { name: 'Pool' }).waitFor({ state: 'attached' });
  t.equal(await filter.inputValue(), '77');
  t.equal(await filter.getByRole('option', { name: 'Source 77' }).count(), 1);
});

t.test('one incident: decisions, assignee, snooze and a story', async t => {
  const watched = await visit(t, `/incidents/${first.id}`);
  const { page } = watched;
  await heading(page, /^Incident: .+, 3 alerts from 4\sMar\s2024 to 11\sMar\s2024$/).waitFor();
  const days = page.getByRole('list', { name: 'Days' });
  await days.getByText('it opened the incident').waitFor();
  await days.getByText('the day after 4 Mar', { exact: true }).waitFor();
  await days.getByText('the same hours as on 4 Mar and 5 Mar', { exact: true }).waitFor();
  await days.getByRole('button', { name: 'Show Mon, 11 Mar 2024, Gym' }).click();
  await page.getByRole('figure', { name: 'Day 2024-03-11' }).locator('svg').first().waitFor();

  t.ok(await button(page, 'Resolve').isDisabled(), 'no verdict is chosen');
  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('anomaly');
  t.notOk(await button(page, 'Resolve').isDisabled());
  await button(page, 'Acknowledge').click();
  await page.getByRole('status').getByText('Acknowledged', { exact: true }).waitFor();
  await button(page, 'Undo').click();
  await button(page, 'Acknowledge').waitFor();

  await button(page, 'Assign to nobody').click();
  await page.getByRole('status').getByText('Assigned to nobody').waitFor();
  t.equal((await one(first.id)).assignee, null);
  await page.getByRole('combobox', { name: 'Name of a person' }).fill('bob');
  await button(page, 'Assign').click();
  await page.getByRole('status').getByText('Assigned to bob').waitFor();
  await button(page, 'Assign to me').click();
  await page.getByRole('status').getByText('Assigned to anna').waitFor();
  t.equal((await one(first.id)).assignee, 'anna');

  t.ok(await button(page, 'Snooze').isDisabled(), 'a snooze has a reason');
  await page.getByRole('combobox', { name: 'Until' }).selectOption({ label: 'Tomorrow at 8:00' });
  await page.getByRole('textbox', { name: 'Reason' }).fill('Works on the roof');
  await button(page, 'Snooze').click();
  await button(page, 'End the snooze').waitFor();
  const until = new Date((await one(first.id)).mutedUntil ?? 0);
  t.ok(until.getTime() > Date.now() && until.getTime() < Date.now() + 49 * 3_600_000);
  await button(page, 'End the snooze').click();
  await button(page, 'Snooze').waitFor();
  t.equal((await one(first.id)).mutedUntil, null);
  // A snooze ends by itself, without a word of the service.
  let soon: string | undefined;
  let asked = 0;
  await page.route(`**/v1/incident/${first.id}`, async route => {
    const response = await route.fetch();
    asked += 1;
    soon ??= new Date(Date.now() + 5000).toISOString();
    const json = { ...((await response.json()) as object), mutedUntil: soon };
    await route.fulfill({ response, json });
  });
  await page.reload();
  await button(page, 'Snooze').waitFor();
  await eventually('the incident is read again', () => Promise.resolve(asked > 1 || undefined));
  await page.unrouteAll({ behavior: 'wait' });

  await page.getByRole('textbox', { name: 'Comment' }).fill('The <b>pump</b> ran.');
  await button(page, 'Add comment').click();
  const story = page.getByRole('list', { name: 'History' });
  await story.getByText('The <b>pump</b> ran.').waitFor();
  await story.getByText('added 11 Mar 2024, Gym: the same hours as on 4 Mar and 5 Mar').waitFor();
  for (const text of ['acknowledged it', 'reopened it', 'assigned it to bob'])
    await story.getByText(text).first().waitFor();
  expectQuiet(t, watched);
});

t.test('a typed comment survives decisions of others', async t => {
  const watched = await visit(t, `/incidents/${first.id}`);
  const { page } = watched;
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await comment.fill('I have seen it');
  const token = await tokenOf('bob');
  await call('POST', `/v1/incident/${first.id}/resolve`, { token, json: { verdict: 'expected' } });
  await button(page, 'Reopen').waitFor();
  await page.getByText('Expected: there was a reason').first().waitFor();
  t.equal(await comment.inputValue(), 'I have seen it');
  await page.getByRole('link', { name: /^Incidents/ }).click();
  await heading(page, 'Incidents').waitFor();
  await page.goBack();
  t.equal(await comment.inputValue(), 'I have seen it', 'and other screens');
  await page.route('**/comment', route => setTimeout(() => void route.continue(), 1000));
  await button(page, 'Add comment').click();
  await comment.fill('More of it');
  await page.getByRole('list', { name: 'History' }).getByText('I have seen it').waitFor();
  await page.getByRole('status').getByText('The comment is added').waitFor();
  t.equal(await comment.inputValue(), 'More of it', 'what was typed since it was sent');
  await button(page, 'Add comment').click();
  await page.getByRole('list', { name: 'History' }).getByText('More of it').waitFor();
  await eventually('an empty form', async () => (await comment.inputValue()) === '' || undefined);
  await button(page, 'Reopen').click();
  await button(page, 'Acknowledge').waitFor();

  const alertIds = first.alertIds.slice(-1);
  const path = `/v1/incident/${first.id}`;
  const { body: apart } = await call<Incident>('POST', `${path}/split`, { json: { alertIds } });
  await page.goto(`${service.address()}/incidents/${apart.id}`);
  await comment.fill('Half a');
  await call('POST', `/v1/incident/${apart.id}/merge`, { token, json: { incidentId: first.id } });
  await page.getByText('Its alerts are in another incident.').waitFor();
  t.equal(await comment.inputValue(), 'Half a', 'after a merge, too');
  for (const name of ['Assign', 'Assign to me']) t.equal(await button(page, name).count(), 0, name);
  await button(page, 'Add comment').click();
  await page.getByText(`is merged into ${first.id}`).waitFor();
  t.equal(await comment.inputValue(), 'Half a', 'after a refusal, too');
  expectQuiet(t, watched, /409/);
});

t.test('alerts are parted from an incident, and incidents merged', async t => {
  const watched = await visit(t, `/incidents/${first.id}`);
  const { page } = watched;
  const parting = button(page, 'Make an incident of its own');
  await parting.waitFor();
  t.ok(await parting.isDisabled());
  await page.getByRole('checkbox', { name: 'Select Mon, 11 Mar 2024, Gym' }).check();
  await parting.click();
  await page.getByRole('status').getByText('1 alert is an incident of its own').waitFor();
  await heading(page, /^Incident: .+ on 11\sMar\s2024$/).waitFor();
  const parted = page.url().replace(/.*\/incidents\/([\w-]+).*/, '$1');
  t.strictSame([(await one(first.id)).alertIds.length, (await one(parted)).alertIds.length], [2, 1]);
  await page.getByText('Merge', { exact: true }).click();
  const option = page.getByRole('option', { name: /from 4\sMar\s2024 to 5\sMar\s2024/ });
  const value = (await option.getAttribute('value')) ?? '';
  t.equal(value, first.id);
  await page.getByRole('combobox', { name: 'Into the incident' }).selectOption(value);
  await button(page, 'Merge into it').click();
  await page.getByRole('status').getByText('The incidents are merged').waitFor();
  await heading(page, /^Incident: .+, 3 alerts/).waitFor();
  t.match(await one(parted), { state: 'merged', mergedInto: first.id });
  await page.goto(`${service.address()}/incidents/${parted}`);
  await page.getByText('Its alerts are in another incident.').waitFor();
  await page.getByRole('link', { name: 'Open it' }).first().click();
  await heading(page, /^Incident: .+, 3 alerts/).waitFor();
  expectQuiet(t, watched);
});

t.test('mutes and the labels that join sources', async t => {
  const watched = await visit(t, '/');
  const { page } = watched;
  await button(page, 'Account and display').click();
  await page.getByRole('link', { name: 'Mutes and labels' }).click();
  await heading(page, 'Mutes and labels').waitFor();
  const list = page.getByRole('list', { name: 'Mutes' });
  await list.getByText('A feast').waitFor();
  await button(page, 'End the mute of An incident').click();
  await page.getByRole('status').getByText('The mute has ended').waitFor();
  await page.getByText('Nothing is muted.').waitFor();

  await page.getByRole('combobox', { name: 'Source', exact: true }).selectOption({ label: 'Sauna' });
  const next = `${new Date().getFullYear() + 1}-01-02T08:00`;
  await page.getByLabel('From', { exact: true }).fill(`${new Date().getFullYear() + 1}-01-01T08:00`);
  await page.getByLabel('Until', { exact: true }).fill(next);
  await page.getByRole('textbox', { name: 'Reason' }).fill('Sprinkler test');
  // The person sees the mute and goes on, while a slower part of the page is read again.
  let goOn = (): void => undefined;
  const mayGoOn = new Promise<void>(resolve => (goOn = resolve));
  await page.route('**/v1/overview*', async route => {
    await mayGoOn;
    await route.continue();
  });
  await button(page, 'Mute').click();
  const row = list.getByRole('listitem').filter({ hasText: 'Sauna' });
  await row.getByText('planned', { exact: true }).waitFor();

  await page
    .getByRole('combobox', { name: 'Mute', exact: true })
    .selectOption({ label: 'sources with labels' });
  goOn();
  await page.getByRole('status').getByText('The mute is saved').waitFor();
  await page.getByRole('textbox', { name: 'Labels', exact: true }).fill('north');
  await page.getByText('got “north”, expected key=value').waitFor();
  t.ok(await button(page, 'Mute').isDisabled());
  await page.getByLabel('Until', { exact: true }).fill(next);
  await page.getByRole('textbox', { name: 'Reason' }).fill('Works');
  await page.getByRole('textbox', { name: 'Labels', exact: true }).fill('site=south\nsite =north');
  await page.getByText('“site” is there twice; expected each key once').waitFor();
  await button(page, 'Mute').click();
  t.equal(await page.locator('textarea:invalid').count(), 1, 'not sent: the first line would be lost');
  await page.getByRole('textbox', { name: 'Labels', exact: true }).fill('site=north');
  await button(page, 'Mute').click();
  const labelled = list.getByRole('listitem').filter({ hasText: 'site=north' });
  await labelled.getByText('active', { exact: true }).waitFor();
  await button(page, 'End the mute of site=north').click();
  await labelled.waitFor({ state: 'detached' });

  await page.getByRole('textbox', { name: 'Keys of labels' }).fill('site');
  await button(page, 'Save').click();
  await page.getByRole('status').getByText('The labels are saved').waitFor();
  t.strictSame((await call('GET', '/v1/settings')).body, { incidentLabels: ['site'] });
  await importDays(pool, busyDay('2024-03-13', 7, 11));
  await importDays(sauna, busyDay('2024-03-13', 7, 11));
  const [both = fail()] = await listed(`sourceId=${sauna}`);
  await page.goto(`${service.address()}/incidents/${both.id}`);
  await page.getByText('the same time on Pool, site=north', { exact: true }).first().waitFor();
  expectQuiet(t, watched);
});

t.test('an incident of which one source is archived names it, and says where its days are', async t => {
  await call('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } });
  const [inn, barn] = [await create('Inn', { site: 'west' }), await create('Barn', { site: 'west' })];
  await importDays(inn, busyDay('2024-03-14', 18, 23));
  await importDays(barn, busyDay('2024-03-14', 19, 22));
  const [both = fail()] = await listed(`sourceId=${barn}`);
  await call('DELETE', `/v1/source/${inn}`);
  const hidden = both.alertIds.find(id => id.startsWith(`${inn}-`));
  t.equal(both.alert?.id, hidden, 'it is the main alert');
  const watched = await visit(t, `/incidents/${both.id}?alert=${hidden}`);
  const { page } = watched;
  await page.getByText('The source of this alert is archived.').waitFor();
  await page.getByRole('heading', { name: /14 March 2024 · Inn$/ }).waitFor();
  t.equal(await page.getByText('Nothing is at this address').count(), 0);
  const days = page.getByRole('list', { name: 'Days' });
  const story = page.getByRole('list', { name: 'History' });
  await story.getByText('added 14 Mar 2024, Inn: it opened the incident').waitFor();
  await story.getByText('added 14 Mar 2024, Barn: the same time on Inn, site=west').waitFor();
  await days.getByRole('button', { name: 'Show Thu, 14 Mar 2024, Inn' }).waitFor();
  const day = page.getByRole('figure', { name: 'Day 2024-03-14' }).locator('svg').first();
  await days.getByRole('button', { name: 'Show Thu, 14 Mar 2024, Barn' }).click();
  await day.waitFor();
  await page.goto(`${service.address()}/incidents/${both.id}`);
  await day.waitFor();
  await page.goto(`${service.address()}/alerts/${hidden}`);
  await page.getByText('“Inn” is archived and can be restored.').waitFor();
  await page.getByRole('button', { name: 'Restore source' }).click();
  await page.getByRole('heading', { level: 2, name: 'Decide' }).waitFor();
  expectQuiet(t, watched, /404/);
  t.equal((await call('GET', `/v1/source/${inn}`)).status, 200);
});

t.test('the same in French', async t => {
  const watched = await visit(t, '/alerts', { context: { locale: 'fr-FR' } });
  const { page } = watched;
  const name = first.sentences.fr.replaceAll(' %', '\u00a0%').replaceAll('au-', 'au-\u2060');
  await page.getByRole('link', { name }).click();
  await heading(page, /^Incident\s: .+, 3 alertes du 4\smars\s2024 au 11\smars\s2024$/).waitFor();
  await page.getByText('aux mêmes heures que le 4 mars et le 5 mars', { exact: true }).first().waitFor();
  await page.getByText('le lendemain du 4 mars', { exact: true }).first().waitFor();
  await page.goto(`${service.address()}/sources/${gym}/calendar/2024?day=2024-03-01`);
  await page.getByRole('heading', { name: 'vendredi 1er mars 2024' }).waitFor();
  expectQuiet(t, watched);
});

t.test('readers see incidents and mutes without actions', async t => {
  const token = await tokenOf('reader', 3600, ['read']);
  const watched = await visit(t, `/incidents/${first.id}`, { token });
  const { page } = watched;
  await page.getByRole('list', { name: 'History' }).getByRole('listitem').first().waitFor();
  for (const name of ['Acknowledge', 'Resolve', 'Add comment', 'Assign', 'Snooze', 'Merge into it'])
    t.equal(await button(page, name).count(), 0, name);
  t.equal(await page.getByRole('checkbox', { name: /^Select/ }).count(), 0);
  await page.goto(`${service.address()}/mutes`);
  await page.getByRole('list', { name: 'Mutes' }).getByText('Sprinkler test').waitFor();
  await page.getByText('site', { exact: true }).waitFor();
  for (const name of ['Mute', 'Save']) t.equal(await button(page, name).count(), 0, name);
  expectQuiet(t, watched);
});

t.test('a phone: 25 incidents in less than three screens, actions behind the row', async t => {
  // Given: times and dates that nothing connects.
  const start = dayNumber('2024-04-01');
  const hours = [0, 4, 8, 12, 16, 20];
  const days = Array.from({ length: 24 }, (_, index) => {
    const at = hours[index % 6] ?? 0;
    return busyDay(dateOf(start + 29 * Math.floor(index / 6) + 2 * (index % 6)), at, at + 3);
  });
  await importDays(pool, ...days);
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const watched = await visit(t, '/alerts', { context });
  const { page } = watched;
  await rowsOf(page).first().waitFor();
  const open = (await listed('state=open&limit=500')).length;
  t.ok(open >= 25, `${open} incidents`);
  const heightOf = (of: string): Promise<number> =>
    page.evaluate(`document.querySelector('${of}').getBoundingClientRect().height`);
  const listHeight = await heightOf('.incident-list');
  const begin: number = await page.evaluate(
    `document.querySelector('.incident-list').getBoundingClientRect().top + scrollY`,
  );
  t.ok(begin + (listHeight / open) * 25 < 3 * 844, `${begin} + ${listHeight} for ${open}`);
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  const row = rowsOf(page).first();
  t.equal(await button(page, 'Acknowledge').count(), 0);
  await row.getByRole('button', { name: /^Days: / }).tap();
  await button(page, 'Acknowledge').waitFor();
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  await button(page, 'Filters').tap();
  await page.getByRole('combobox', { name: 'Muted' }).waitFor();
  expectQuiet(t, watched);
});

t.test('names of 64 letters without a space make no screen wider', async t => {
  const name = 'Longname'.repeat(8);
  const rename = (to: string) => call('PATCH', `/v1/source/${pool}`, { json: { name: to } });
  const { body } = await call<{ name: string }>('GET', `/v1/source/${pool}`);
  await rename(name);
  t.teardown(() => rename(body.name));
  await importDays(pool, busyDay('2025-03-04', 13, 18));
  const [incident = fail()] = await listed(`sourceId=${pool}&state=open`);
  for (const width of [390, 1440])
    for (const path of ['/', '/alerts', `/incidents/${incident.id}`, `/alerts/${incident.alertIds[0]}`]) {
      const { page } = await visit(t, path, { context: { viewport: { width, height: 900 } } });
      await page.locator('main').getByText(name).filter({ visible: true }).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      t.ok(
        (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width,
        `${path} at ${width} pixels`,
      );
    }
});

t.test('a desktop: columns are aligned, whatever buttons a row has', async t => {
  await call('POST', `/v1/incident/${second.id}/resolve`, { json: { verdict: 'expected' } });
  const watched = await visit(t, '/alerts?state=all&sort=criticity', {
    context: { viewport: { width: 1280, height: 800 } },
  });
  const { page } = watched;
  await rowOf(page, second).getByRole('button', { name: 'Reopen' }).waitFor();
  const edges: number[] = await page.evaluate(
    `[...document.querySelectorAll('.incident-spark')].map(one => one.getBoundingClientRect().x)`,
  );
  t.ok(edges.length > 5);
  t.equal(new Set(edges).size, 1, `one column: ${edges}`);
  expectQuiet(t, watched);
});

t.test('accessibility: axe-core finds no violations, in light and dark', async t => {
  for (const width of [390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 844 } } as const;
      const watched = await visit(t, '/', { context });
      const { page } = watched;
      await heading(page, 'Overview').waitFor();
      for (const path of ['/alerts?state=all', `/incidents/${first.id}`, '/mutes']) {
        await page.goto(`${service.address()}${path}`);
        await settled(page);
        if (path.startsWith('/alerts'))
          await page
            .getByRole('button', { name: /^Days: / })
            .first()
            .click();
        t.strictSame(await axeFaults(page), [], `${path} at ${width} in ${colorScheme}`);
      }
      expectQuiet(t, watched);
    }
});
