// Screens that are open while another person changes the same things, or while a request is slow or fails.
import type { Page, Route } from 'playwright-core';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { exactList } from '../helpers/exactList.js';
import { analysed, eventually, ordinaryDay, ordinaryDays } from '../helpers/service.js';
import { button, expectQuiet, heading, openScreens } from '../helpers/screens/screens.js';

const { service, visit } = await openScreens(t);
const { call } = service;

type Incident = { readonly id: string; readonly state: string; readonly sentence: string };
type Alert = { readonly id: string; readonly date: string; readonly state: string };

/** A day with more activity from one hour to another. */
const busyDay = (date: string, from: number, to: number, more = 300) => ({
  date,
  activity: ordinaryDay(date).activity.map((value, hour) =>
    hour >= from && hour < to ? value + more : value,
  ),
});
const create = async (name: string): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const importDays = async (sourceId: number, ...days: readonly { readonly date: string }[]): Promise<void> => {
  const { status, text } = await call('POST', '/v1/import/days', { json: { sourceId, days } });
  if (status >= 300) throw new Error(text);
};
const incidentsOf = async (sourceId: number): Promise<readonly Incident[]> =>
  (await call<{ incidents: readonly Incident[] }>('GET', `/v1/incident/list?sourceId=${sourceId}`)).body
    .incidents;
const alertsOf = async (sourceId: number): Promise<readonly Alert[]> =>
  (await call<{ alerts: readonly Alert[] }>('GET', `/v1/alert/list?sourceId=${sourceId}`)).body.alerts;
const only = <One>([one]: readonly One[]): One => {
  if (one === undefined) throw new Error('got none, expected one');
  return one;
};
const stateOf = async ({ id }: Incident): Promise<string> =>
  (await call<Incident>('GET', `/v1/incident/${id}`)).body.state;
const rowsOf = (page: Page) =>
  page.getByRole('list', { name: 'Incidents', exact: true }).locator(':scope > li');
const rowOf = (page: Page, source: string) => rowsOf(page).filter({ hasText: source });
const told = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true }).first().waitFor();
/** The stream of changes does not reach the page. */
const withoutLive = (page: Page) => page.route('**/v1/events', route => route.abort());

const mill = await create('Mill');
const yard = await create('Yard');
await importDays(mill, busyDay('2024-03-05', 13, 18));
await importDays(yard, busyDay('2024-03-06', 2, 5));
const ofMill = only(await incidentsOf(mill));
const ofYard = only(await incidentsOf(yard));

t.test('keys act on the incident that has the focus, not on its place, and on none without it', async t => {
  const watched = await visit(t, '/alerts?sort=newest');
  const { page } = watched;
  await rowsOf(page).nth(1).waitFor();
  await page.keyboard.press('a');
  await page.keyboard.press('j');
  await rowOf(page, 'Yard').locator('a.incident-link:focus').waitFor();
  // A newer incident comes above the row.
  const barn = await create('Barn');
  await importDays(barn, busyDay('2024-03-12', 20, 23));
  await rowOf(page, 'Barn').waitFor();
  await page.keyboard.press('a');
  await told(page, 'Acknowledged');
  const states = async () => Promise.all([ofMill, ofYard, only(await incidentsOf(barn))].map(stateOf));
  t.strictSame(await states(), ['open', 'acknowledged', 'open']);
  await call('POST', `/v1/incident/${ofYard.id}/reopen`);
  await call('DELETE', `/v1/source/${barn}`);
  expectQuiet(t, watched);
});

t.test('an act on one row keeps the selection of others, and closes no dialog for others', async t => {
  const watched = await visit(t, '/alerts?state=all');
  const { page } = watched;
  await rowOf(page, 'Mill').getByRole('checkbox').check();
  await button(rowOf(page, 'Yard'), 'Acknowledge').click();
  await told(page, 'Acknowledged');
  await page.getByText('1 selected').waitFor();
  await button(page.locator('.selection'), 'Clear selection').click();

  let answer = (): void => undefined;
  const answered = new Promise<void>(resolve => (answer = resolve));
  await page.route('**/resolve', async route => {
    await answered;
    await route.fallback();
  });
  const dialog = page.getByRole('dialog', { name: 'Resolve this incident' });
  await button(rowOf(page, 'Yard'), 'Resolve').click();
  await dialog.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await button(dialog, 'Resolve').click();
  await button(dialog, 'Cancel').click();
  await button(rowOf(page, 'Mill'), 'Resolve').click();
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('of the mill');
  answer();
  await told(page, 'Resolved');
  t.equal(await dialog.getByRole('textbox', { name: 'Comment' }).inputValue(), 'of the mill');
  await button(dialog, 'Cancel').click();
  await call('POST', `/v1/incident/${ofYard.id}/reopen`);
  expectQuiet(t, watched);
});

t.test('changes before the stream is open, and decisions without a stream, reach the list', async t => {
  const watched = await visit(t, '/sources/new');
  const { page } = watched;
  await heading(page, 'New source').waitFor();
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  await page.route('**/v1/events', async route => {
    await opened;
    await route.fallback();
  });
  await page.goto(`${service.address()}/alerts`);
  await rowOf(page, 'Mill').waitFor();
  await call('POST', `/v1/incident/${ofMill.id}/acknowledge`);
  open();
  await rowOf(page, 'Mill').waitFor({ state: 'detached' });
  await call('POST', `/v1/incident/${ofMill.id}/reopen`);
  await rowOf(page, 'Mill').waitFor();

  await withoutLive(page);
  await page.reload();
  await button(rowOf(page, 'Mill'), 'Acknowledge').waitFor();
  await rowOf(page, 'Mill')
    .getByRole('button', { name: /^Days: / })
    .click();
  await rowOf(page, 'Mill').getByRole('link', { name: 'Tue, 5 Mar 2024' }).click();
  await heading(page, /^Alert: /).waitFor();
  await button(page, 'Acknowledge').click();
  await told(page, 'Acknowledged');
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Incidents/ })
    .click();
  await rowOf(page, 'Yard').waitFor();
  await rowOf(page, 'Mill').waitFor({ state: 'detached' });
  await call('POST', `/v1/incident/${ofMill.id}/reopen`);
  expectQuiet(t, watched, /ERR_FAILED/);
});

t.test('mutes of others reach the page of an incident and a list without muted ones', async t => {
  const incident = await visit(t, `/incidents/${ofYard.id}`);
  const list = await visit(t, '/alerts?muted=false', { subject: 'ben' });
  const wake = button(incident.page, 'End the snooze');
  const row = rowOf(list.page, 'Yard');
  await button(incident.page, 'Snooze').waitFor();
  await row.waitFor();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const json = { incidentId: ofYard.id, until, reason: 'A feast' };
  const { body: mute } = await call<{ id: string }>('POST', '/v1/mute', { json });
  await wake.waitFor();
  await row.waitFor({ state: 'detached' });
  await call('DELETE', `/v1/mute/${mute.id}`);
  await wake.waitFor({ state: 'detached' });
  await row.waitFor();
  expectQuiet(t, incident);
  expectQuiet(t, list);
});

t.test('a decision about one incident waits for no list, and reads none before it is needed', async t => {
  const watched = await visit(t, `/incidents/${ofYard.id}`);
  const { page } = watched;
  await button(page, 'Acknowledge').waitFor();
  await page.getByRole('figure', { name: 'Day 2024-03-06' }).waitFor();
  let goOn = (): void => {};
  const mayGoOn = new Promise<void>(resolve => (goOn = resolve));
  const asked: string[] = [];
  for (const path of ['**/v1/incident/list*', '**/v1/overview*', `**/v1/incident/${ofYard.id}`])
    await page.route(path, async route => {
      asked.push(route.request().url());
      await mayGoOn;
      await route.continue();
    });
  await button(page, 'Acknowledge').click();
  await told(page, 'Acknowledged');
  await button(page, 'Reopen').click();
  await told(page, 'Reopened');
  await button(page, 'Acknowledge').waitFor();
  goOn();
  const isOfWaiting = (url: string): boolean => url.includes('state=unprocessed');
  t.ok(asked.length > 0);
  t.strictSame(asked.filter(isOfWaiting), []);
  await page.getByText('Merge', { exact: true }).click();
  await page.getByRole('option', { name: /^Mill · / }).waitFor({ state: 'attached' });
  t.equal(asked.filter(isOfWaiting).length, 1);
  expectQuiet(t, watched);
});

t.test('a second press of a button sends nothing', async t => {
  const { page } = await visit(t, '/alerts');
  let sent = 0;
  await page.route('**/acknowledge', async route => {
    sent += 1;
    await sleep(500);
    await route.continue();
  });
  await button(rowOf(page, 'Yard'), 'Acknowledge').dblclick();
  await told(page, 'Acknowledged');
  await rowOf(page, 'Yard').waitFor({ state: 'detached' });
  t.equal(sent, 1);
  t.equal(await stateOf(ofYard), 'acknowledged');
  await call('POST', `/v1/incident/${ofYard.id}/reopen`);
});

/** Resolves the incident that a list shows of a source. */
const resolveRow = async (page: Page, source: string): Promise<void> => {
  await button(rowOf(page, source), 'Resolve').click();
  const dialog = page.getByRole('dialog', { name: 'Resolve this incident' });
  await dialog.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await button(dialog, 'Resolve').click();
};

t.test('an undo takes back no decision of another person, and no earlier one', async t => {
  const { page } = await visit(t, '/alerts');
  await resolveRow(page, 'Yard');
  await told(page, 'Resolved');
  await call('POST', `/v1/incident/${ofYard.id}/reopen`);
  await call('POST', `/v1/incident/${ofYard.id}/acknowledge`);
  await button(page, 'Undo').click();
  await page.getByText(/is acknowledged by now, expected resolved for an undo/).waitFor();
  t.equal(await stateOf(ofYard), 'acknowledged');
  await button(page, 'Acknowledged').click();
  await resolveRow(page, 'Yard');
  await page.getByText('To reopen it later: the list of incidents, “Resolved”.').last().waitFor();
  t.equal(await button(page, 'Undo').count(), 0, 'it would be open, not acknowledged');
  await call('POST', `/v1/incident/${ofYard.id}/reopen`);
});

t.test('an undo takes back no resolution of another person with another verdict', async t => {
  const { id } = only(await alertsOf(yard));
  const other = async (path: string): Promise<void> => {
    await call('POST', `${path}/reopen`);
    await call('POST', `${path}/resolve`, { json: { verdict: 'anomaly', comment: null } });
  };
  for (const path of [`/alerts/${id}`, `/incidents/${ofYard.id}`]) {
    const { page } = await visit(t, path);
    await page.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
    await button(page, 'Resolve').click();
    await told(page, 'Resolved');
    await other(path.replace(/^.(\w+)s/, '/v1/$1'));
    await button(page, 'Undo').click();
    await page.getByText(/is resolved with another verdict by now, expected resolved for an undo/).waitFor();
    t.equal((await call<Alert>('GET', `/v1/alert/${id}`)).body.state, 'resolved');
    await call('POST', `/v1/alert/${id}/reopen`);
  }
});

t.test('a dialog says why the service refused to resolve', async t => {
  const { page } = await visit(t, '/alerts');
  await page.route('**/resolve', route =>
    route.fulfill({ status: 409, json: { code: 'incidentTransition', detail: 'it is merged' } }),
  );
  await resolveRow(page, 'Yard');
  await page.getByRole('dialog').getByRole('alert').getByText('it is merged').waitFor();
  t.equal(await stateOf(ofYard), 'open');
});

t.test('decisions that stop half way keep the rest selected, and what was typed', async t => {
  const { page } = await visit(t, '/alerts');
  for (const source of ['Mill', 'Yard']) await rowOf(page, source).getByRole('checkbox').check();
  let asked = 0;
  await page.route('**/acknowledge', route => {
    asked += 1;
    return route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json: { detail: 'too many' } });
  });
  await page.keyboard.press('a');
  await told(page, 'This was not done: too many');
  t.equal(asked, 1, 'the service refuses the others, too');
  await page.getByText('2 selected').waitFor();

  await page.route('**/resolve', route =>
    route.fulfill({ status: 500, json: { code: 'internal', detail: 'it broke' } }),
  );
  // The first one gets through.
  await page.route('**/resolve', route => route.continue(), { times: 1 });
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Resolve 2 incidents' });
  await dialog.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('A feast');
  await button(dialog, 'Resolve').click();
  const rest = page.getByRole('dialog', { name: 'Resolve this incident' });
  await rest.getByRole('alert').getByText('it broke').waitFor();
  t.equal(await rest.getByRole('textbox', { name: 'Comment' }).inputValue(), 'A feast');
  await button(rest, 'Cancel').click();
  await page.keyboard.press('r');
  t.equal(await rest.getByRole('textbox', { name: 'Comment' }).inputValue(), 'A feast', 'after a pause');
  await rest.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await page.unroute('**/resolve');
  await button(rest, 'Resolve').click();
  await told(page, 'Resolved');
  await rest.waitFor({ state: 'hidden' });
  t.strictSame(await Promise.all([ofMill, ofYard].map(stateOf)), ['resolved', 'resolved']);
  for (const { id } of [ofMill, ofYard]) await call('POST', `/v1/incident/${id}/reopen`);
});

t.test('a comment whose answers were lost is not said to be refused, and is added once', async t => {
  const watched = await visit(t, `/incidents/${ofYard.id}`);
  const { page } = watched;
  const keys = new Set<string | undefined>();
  await page.route('**/comment', async route => {
    keys.add(route.request().headers()['idempotency-key']);
    await route.fetch();
    await route.abort();
  });
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await comment.fill('The boiler was on');
  await button(page, 'Add comment').click();
  await told(page, 'It is not known whether this was done: The service cannot be reached');
  t.equal(await comment.inputValue(), 'The boiler was on');
  await page.unroute('**/comment');
  await page.route('**/comment', route => {
    keys.add(route.request().headers()['idempotency-key']);
    return route.continue();
  });
  await button(page, 'Add comment').click();
  await told(page, 'The comment is added');
  t.equal(keys.size, 1);
  type History = { readonly events: readonly { readonly comment?: string }[] };
  const { events } = (await call<History>('GET', `/v1/incident/${ofYard.id}/history`)).body;
  t.equal(events.filter(step => step.comment === 'The boiler was on').length, 1);
  await comment.fill('The boiler was on');
  await button(page, 'Add comment').click();
  await eventually('another request', async () => keys.size === 2 || undefined);
  expectQuiet(t, watched, /ERR_FAILED/);
});

t.test(
  'a decision whose answers were lost is sent again as the same, until its incident has changed',
  async t => {
    const { page } = await visit(t, `/incidents/${ofYard.id}`);
    const keys = new Set<string | undefined>();
    let isLost = true;
    await page.route('**/acknowledge', async route => {
      keys.add(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      return isLost ? route.abort() : route.fulfill({ response });
    });
    await button(page, 'Acknowledge').waitFor();
    await withoutLive(page);
    await page.route('**/v1/incident/*', route => route.abort());
    await button(page, 'Acknowledge').click();
    const unknown = 'It is not known whether this was done: The service cannot be reached';
    await told(page, unknown);
    isLost = false;
    await button(page, 'Acknowledge').click();
    await told(page, 'Acknowledged');
    t.equal(keys.size, 1);
    await page.unroute('**/v1/incident/*');
    await button(page, 'Reopen').click();

    isLost = true;
    await button(page, 'Acknowledge').click();
    await button(page, 'Reopen').waitFor();
    isLost = false;
    await button(page, 'Reopen').click();
    await button(page, 'Acknowledge').click();
    await button(page, 'Reopen').waitFor();
    await eventually('acknowledged', async () => (await stateOf(ofYard)) === 'acknowledged' || undefined);
    t.equal(keys.size, 3, 'the same answer would be kept for a key');
    await call('POST', `/v1/incident/${ofYard.id}/reopen`);
  },
);

t.test(
  'a comment whose first attempt took effect is added once, whatever later attempts are answered',
  async t => {
    const { page } = await visit(t, `/incidents/${ofMill.id}`);
    const keys: (string | undefined)[] = [];
    const comment = page.getByRole('textbox', { name: 'Comment' });
    /** Presses the button; the attempts get these answers. */
    const press = async (...answers: readonly Parameters<Route['fulfill']>[0][]): Promise<void> => {
      const left = [...answers];
      await page.unroute('**/comment');
      await page.route('**/comment', async route => {
        keys.push(route.request().headers()['idempotency-key']);
        const answer = left.shift();
        if (!answer) return route.continue();
        if (keys.length === 1) await route.fetch();
        return route.fulfill(answer);
      });
      await button(page, 'Add comment').click();
    };
    const later = { headers: { 'Retry-After': '60' } };
    await comment.fill('A fair');
    await press(
      { status: 503, json: { code: 'outcomeUnknown' } },
      { status: 503, json: { code: 'storeUnavailable', detail: 'it is away' }, ...later },
    );
    await told(page, 'It is not known whether this was done: it is away');
    await press({ status: 409, json: { code: 'keyInUse', detail: 'it is in progress' }, ...later });
    await told(page, 'It is not known whether this was done: it is in progress');
    await press({ status: 429, json: { detail: 'too many' }, ...later });
    await told(page, 'This was not done: too many');
    // The same comment on another incident is another request.
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Incidents/ })
      .click();
    await rowOf(page, 'Yard').locator('a.incident-link').click();
    await comment.fill('A fair');
    await press({ status: 422, json: { detail: 'no fair' } });
    await told(page, 'This was not done: no fair');
    t.not(keys.pop(), keys[0]);
    await page.goBack();
    await rowOf(page, 'Mill').locator('a.incident-link').click();
    t.equal(await comment.inputValue(), 'A fair');
    await press();
    await told(page, 'The comment is added');
    t.equal(keys.length, 5);
    t.equal(new Set(keys).size, 1);
    type History = { readonly events: readonly { readonly comment?: string }[] };
    const { events } = (await call<History>('GET', `/v1/incident/${ofMill.id}/history`)).body;
    t.equal(events.filter(step => step.comment === 'A fair').length, 1);
  },
);

t.test('a snooze whose answers were lost is a new one after its effect was ended', async t => {
  const watched = await visit(t, `/incidents/${ofYard.id}`);
  const { page } = watched;
  const snooze = async (): Promise<void> => {
    await page.getByRole('combobox', { name: 'Until' }).selectOption('tomorrow');
    await page.getByRole('textbox', { name: 'Reason' }).fill('The fitter comes');
    await button(page, 'Snooze').click();
  };
  await page.route('**/v1/mute', async route => {
    await route.fetch();
    await route.abort();
  });
  await snooze();
  await told(page, 'It is not known whether this was done: The service cannot be reached');
  await page.unroute('**/v1/mute');
  const wake = button(page, 'End the snooze');
  await wake.click();
  await wake.waitFor({ state: 'detached' });
  await snooze();
  await wake.click();
  await wake.waitFor({ state: 'detached' });
  expectQuiet(t, watched, /ERR_FAILED/);
});

t.test('a stream that is refused once is opened again, with what changed meanwhile', async t => {
  const watched = await visit(t, '/alerts');
  const { page } = watched;
  await rowOf(page, 'Yard').waitFor();
  await page.route('**/v1/events', route => route.fulfill({ status: 404 }));
  await page.clock.install();
  await page.reload();
  await rowOf(page, 'Yard').waitFor();
  await page.getByRole('status').getByText('Not live').waitFor();
  await call('POST', `/v1/incident/${ofYard.id}/acknowledge`);
  await page.unroute('**/v1/events');
  await page.clock.fastForward(30_000);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await rowOf(page, 'Yard').waitFor({ state: 'detached' });
  await call('POST', `/v1/incident/${ofYard.id}/reopen`);
  expectQuiet(t, watched, /404/);
});

t.test('changes that come faster than an answer reach the overview', async t => {
  const { page } = await visit(t, '/');
  await page.getByRole('link', { name: 'Yard', exact: true }).waitFor();
  await page.route('**/v1/overview**', async route => {
    await sleep(700);
    await route.continue();
  });
  const changed = page.getByRole('link', { name: /^Yard \d+$/ });
  let isShown = false;
  for (let number = 1; number <= 60 && !isShown; number += 1) {
    await call('PATCH', `/v1/source/${yard}`, { json: { name: `Yard ${number}` } });
    await sleep(100);
    isShown = (await changed.count()) > 0;
  }
  t.ok(isShown, 'while they go on');
  await call('PATCH', `/v1/source/${yard}`, { json: { name: 'Yard' } });
  // The last change came during a read, which is repeated.
  await page.getByRole('link', { name: 'Yard', exact: true }).waitFor();
});

t.test('settings that are saved keep what another person changed meanwhile', async t => {
  const described = async () => (await call<object>('GET', `/v1/source/${mill}`)).body;
  const [pump, fan] = [await create('Pump'), await create('Fan')];
  const patch = { labels: { site: 'north', floor: '1' }, place: { address: 'a' }, lateness: 'PT1H' };
  await call('PATCH', `/v1/source/${mill}`, { json: { ...patch, explainedBy: [fan] } });
  const watched = await visit(t, `/sources/${mill}/settings`);
  const { page } = watched;
  await page.getByRole('textbox', { name: 'Unit of the values' }).fill('kg');
  await button(page, 'Add a label').click();
  await page.getByRole('textbox', { name: 'Key of label 3' }).fill('line');
  await page.getByRole('textbox', { name: 'Value of label 3' }).fill('b');
  await button(page, 'Remove label floor').click();
  await button(page, 'Remove Fan').click();
  await page.getByRole('combobox', { name: 'Add a source that explains this one' }).selectOption('Pump');
  await call('PATCH', `/v1/source/${mill}`, {
    json: {
      name: 'Old mill',
      labels: { site: 'south', team: 'x' },
      place: { address: 'b' },
      lateness: 'P1D',
      feed: { measurement: 'm', field: 'f', tags: { k: 'v' } },
      minChange: { absolute: 3 },
      explainedBy: [fan, yard],
    },
  });
  await heading(page, 'Settings · Old mill').waitFor();
  await button(page, 'Save').click();
  await told(page, '“Old mill” is saved');
  t.match(await described(), {
    name: 'Old mill',
    labels: { site: 'south', team: 'x', line: 'b', floor: undefined },
    place: { address: 'b' },
    lateness: 'P1D',
    feed: { measurement: 'm', field: 'f', tags: { k: 'v' } },
    minChange: { absolute: 3 },
    unit: 'kg',
    explainedBy: exactList(pump, yard),
  });
  // The form shows what is stored now: the next patch begins there.
  await page.getByRole('textbox', { name: 'Address' }).and(page.locator('[value="b"]')).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mill');
  await button(page, 'Save').click();
  await told(page, '“Mill” is saved');
  t.match(await described(), { name: 'Mill', place: { address: 'b' }, feed: { tags: { k: 'v' } } });
  await call('PATCH', `/v1/source/${mill}`, { json: { explainedBy: [] } });
  for (const id of [pump, fan]) await call('DELETE', `/v1/source/${id}`);
  expectQuiet(t, watched);
});

t.test('labels that join sources are saved with those that another person added meanwhile', async t => {
  const { page } = await visit(t, '/mutes');
  const save = async (json: object) => call('PATCH', '/v1/settings', { json });
  const keys = page.getByRole('textbox', { name: 'Keys of labels' });
  await save({ incidentLabels: ['site', 'room'] });
  await page.reload();
  await keys.fill('site, building');
  await save({ incidentLabels: ['site', 'room', 'floor'] });
  await button(page, 'Save').click();
  await told(page, 'The labels are saved');
  const stored = ['building', 'floor', 'site'];
  t.strictSame((await call('GET', '/v1/settings')).body, { incidentLabels: stored });
  await eventually('them', async () => (await keys.inputValue()) === stored.join(', ') || undefined);

  // A person who goes on typing before the answer never had what another one added.
  await keys.fill('site');
  await save({ incidentLabels: [...stored, 'wing'] });
  let goOn = (): void => {};
  const mayGoOn = new Promise<void>(resolve => (goOn = resolve));
  const saving = page.waitForRequest(request => request.method() === 'PATCH');
  await page.route('**/v1/settings', async route => {
    if (route.request().method() === 'PATCH') await mayGoOn;
    await route.continue();
  });
  await button(page, 'Save').click();
  await saving;
  await keys.fill('site, yard');
  goOn();
  await button(page, 'Save').click();
  const both = ['site', 'wing', 'yard'];
  await eventually('both', async () => (await keys.inputValue()) === both.join(', ') || undefined);
  await save({ incidentLabels: [] });
});

t.test('a model and a rule are saved as they were chosen, whatever another person changes', async t => {
  type Models = { readonly models: readonly { readonly id: number; readonly name: string }[] };
  const first = async () =>
    only((await call<Models>('GET', `/v1/model/list/${mill}`)).body.models.slice(0, 1));
  const { id, name } = await first();
  const change = (json: object) => call('PATCH', `/v1/model/${mill}/${id}`, { json });
  const watched = await visit(t, `/sources/${mill}/models`);
  const { page } = watched;
  await button(page, `Edit ${name}`).click();
  await change({ color: '#00ff00', anomaly: true });
  await page.getByRole('listitem').first().getByText('known anomaly', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Days of work');
  await button(page, 'Save').click();
  await page.getByRole('heading', { name: 'Days of work' }).waitFor();
  t.match(await first(), { name: 'Days of work', color: '#00ff00', anomaly: true });
  await change({ name, anomaly: false });

  await call('PATCH', `/v1/source/${mill}`, { json: { labels: { site: 'south' } } });
  await page.goto(`${service.address()}/sources/${mill}/calendar/2024`);
  await button(page, 'Add a rule or a file').click();
  const place = page.locator('select').filter({ hasText: 'site:south' });
  await place.selectOption('site:south');
  await button(page, 'Show the dates').click();
  await page.getByRole('status').getByRole('listitem').first().waitFor();
  await call('PATCH', `/v1/source/${mill}`, { json: { labels: { site: 'west' } } });
  await place.locator('[value="site:west"]').waitFor({ state: 'attached' });
  t.equal(await place.inputValue(), 'site:south');
  await button(page, 'Save').click();
  await told(page, '“Month end” is saved; the days are checked again');
  type Rules = { readonly rules: readonly { readonly id: string; readonly labels: object }[] };
  const [rule] = (await call<Rules>('GET', '/v1/calendar-rule/list')).body.rules;
  t.strictSame(rule?.labels, { site: 'south' });
  await call('DELETE', `/v1/calendar-rule/${rule?.id}`);
  expectQuiet(t, watched);
});

t.test('a list says what fits its filter, and a screen has what was typed for its source', async t => {
  const watched = await visit(t, '/alerts?state=ended');
  const { page } = watched;
  await page.getByText('No incident matches.').waitFor();
  let answer = (): void => {};
  const answered = new Promise<void>(resolve => (answer = resolve));
  await page.route('**/v1/incident/list*', async route => {
    await answered;
    await route.fallback();
  });
  await button(page, 'Open').click();
  await page.locator('.incidents-head').getByText('Loading…').waitFor();
  t.equal(await page.locator('.notice').count(), 0, 'nothing is said before the answer');
  answer();
  await rowOf(page, 'Mill').waitFor();

  await page.goto(`${service.address()}/sources/${mill}/models`);
  const count = page.getByRole('spinbutton', { name: 'Number of models' });
  const ofMill = await count.inputValue();
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'Yard', exact: true }).click();
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await heading(page, 'Models · Yard').waitFor();
  await count.fill('17');
  await page.evaluate('history.go(-3)');
  await heading(page, 'Models · Mill').waitFor();
  t.equal(await count.inputValue(), ofMill);
  expectQuiet(t, watched);
});

t.test(
  'a request that nothing answers is not tried again, and its fault is gone with the question',
  async t => {
    const watched = await visit(t, `/sources/${yard}/settings`, { context: { locale: 'fr-FR' } });
    const { page } = watched;
    await page.route(`**/v1/source/${yard}`, route =>
      route.request().method() === 'DELETE' ? route.abort() : route.fallback(),
    );
    const dialog = page.getByRole('dialog');
    const fault = dialog.getByRole('alert');
    await button(page, 'Archiver la source').click();
    await button(dialog, 'Archiver').click();
    await fault.waitFor();
    t.equal(await fault.textContent(), 'Le service est injoignable. Réessayez.');
    await button(dialog, 'Annuler').click();
    await button(page, 'Archiver la source').click();
    await dialog.waitFor();
    t.equal(await fault.count(), 0);
    expectQuiet(t, watched, /ERR_FAILED/);
  },
);

t.test('an undo brings back the earlier plan, and is not offered for an earlier name', async t => {
  type Models = { readonly models: readonly { readonly id: number; readonly name: string }[] };
  const { models } = (await call<Models>('GET', `/v1/model/list/${mill}`)).body;
  const [first = only([]), second = only([])] = models;
  const planned = async (date: string) =>
    (await call<{ planning: { modelId: number; origin: string } }>('GET', `/v1/day/${mill}/${date}`)).body
      .planning;
  const plan = (date: string) => call('PUT', `/v1/planning/${mill}/${date}`, { json: { modelId: first.id } });
  const [date, other] = ['2024-03-05', '2024-03-07'];
  await plan(date);
  await call('PUT', `/v1/calendar/${mill}/${date}`, { json: { name: 'Fair' } });
  const alert = (await alertsOf(mill)).find(one => one.date === date);
  const watched = await visit(t, `/alerts/${alert?.id}`);
  const { page } = watched;
  await page.getByRole('combobox', { name: 'Plan this day as…' }).selectOption({ label: second.name });
  await button(page, 'Plan').click();
  await told(page, `5\u00a0Mar\u00a02024 is planned as “${second.name}”`);
  t.match(await planned(date), { modelId: second.id });
  await button(page, 'Undo').click();
  await told(page, 'Undone');
  t.match(await planned(date), { modelId: first.id, origin: 'manual' });
  await page.reload();
  await page.getByRole('textbox', { name: 'Name a special day' }).fill('Flood');
  await button(page, 'Name').click();
  await told(page, '5\u00a0Mar\u00a02024 is named “Flood”');
  t.equal(await button(page, 'Undo').count(), 0, 'the name before would be lost');

  await page.goto(`${service.address()}/sources/${mill}/calendar/2024?day=${other}`);
  const cell = page.getByRole('grid', { name: 'Year 2024' }).locator(`[data-date="${other}"]`);
  await cell.focus();
  await page.keyboard.press('Enter');
  // Dates of another year than the one that is shown.
  await plan('2025-01-02');
  const to = page.getByLabel('To', { exact: true });
  await to.fill('2025-01-02');
  await to.press('Enter');
  await page.getByRole('heading', { name: '302 days selected' }).waitFor();
  await button(page, 'Take back 1 plan').waitFor();
  await to.fill('2024-03-09');
  await to.press('Enter');
  await page.getByRole('heading', { name: '3 days selected' }).waitFor();

  // The second of three dates is refused, and the selection is gone before the answer.
  await page.route('**/planning/*/2024-03-08', route =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 422, json: { code: 'planningInvalid', detail: 'not this one' } })
      : route.fallback(),
  );
  await page.getByRole('combobox', { name: 'Plan as…' }).selectOption({ label: second.name });
  await button(page, 'Plan').click();
  await page.keyboard.press('Escape');
  await page.getByRole('status').getByText('2 of 3 done. The first refusal: not this one').waitFor();
  await button(page, 'Undo').click();
  await told(page, 'Undone');
  t.match(await planned(other), { origin: 'automatic' });

  await page.route('**/calendar/*/2024-03-08', route =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 422, json: { detail: 'nor this' } })
      : route.fallback(),
  );
  await page.goto(`${service.address()}/sources/${mill}/calendar/2024?day=${other}`);
  await cell.focus();
  await page.keyboard.press('Enter');
  await to.fill('2024-03-08');
  await to.press('Enter');
  const name = page.getByRole('textbox', { name: 'Name a special day' });
  await name.fill('Flood');
  await button(page, 'Name').click();
  await page.getByRole('status').getByText('1 of 2 done. The first refusal: nor this').waitFor();
  t.equal(await name.inputValue(), 'Flood', 'to be sent again');
  await call('DELETE', `/v1/calendar/${mill}/${other}`);
  expectQuiet(t, watched, /422/);
});

t.test('an undo takes back no later decision about an alert, a plan or a name', async t => {
  type Models = { readonly models: readonly { readonly id: number; readonly name: string }[] };
  const { models } = (await call<Models>('GET', `/v1/model/list/${mill}`)).body;
  const [first = only([]), second = only([])] = models;
  const date = '2024-03-14';
  await importDays(mill, busyDay(date, 13, 18));
  const { id } = only((await alertsOf(mill)).filter(one => one.date === date));
  const { page } = await visit(t, `/alerts/${id}`);
  const refused = page.getByRole('status').getByText('This was not done: another decision has followed');
  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('expected');
  await button(page, 'Resolve').click();
  await told(page, 'Resolved');
  await call('POST', `/v1/alert/${id}/reopen`);
  await call('POST', '/v1/alert/acknowledge', { json: { ids: [id] } });
  await button(page, 'Undo').click();
  await page.getByText(/is acknowledged by now, expected resolved for an undo/).waitFor();
  t.equal((await call<Alert>('GET', `/v1/alert/${id}`)).body.state, 'acknowledged');

  await page.getByRole('combobox', { name: 'Plan this day as…' }).selectOption({ label: second.name });
  await button(page, 'Plan').click();
  await told(page, `14\u00a0Mar\u00a02024 is planned as “${second.name}”`);
  await call('PUT', `/v1/planning/${mill}/${date}`, { json: { modelId: first.id } });
  await button(page, 'Undo').click();
  await refused.waitFor();
  const { body: day } = await call<{ planning: object }>('GET', `/v1/day/${mill}/${date}`);
  t.match(day.planning, { modelId: first.id, origin: 'manual' });

  await page.reload();
  await page.getByRole('textbox', { name: 'Name a special day' }).fill('Flood');
  await button(page, 'Name').click();
  await told(page, '14\u00a0Mar\u00a02024 is named “Flood”');
  await call('PUT', `/v1/calendar/${mill}/${date}`, { json: { name: 'Fair' } });
  await button(page, 'Undo').click();
  await refused.waitFor();
  const { body: year } = await call<{ days: readonly { date: string; name: string | null }[] }>(
    'GET',
    `/v1/calendar/list/${mill}/2024`,
  );
  t.equal(year.days.find(one => one.date === date)?.name, 'Fair');
  await call('DELETE', `/v1/calendar/${mill}/${date}`);
});

t.test('the alert of a date that waits for a decision is drawn, not one that has one', async t => {
  const date = '2024-03-20';
  await importDays(mill, busyDay(date, 13, 18));
  const resolved = (await alertsOf(mill)).find(alert => alert.date === date);
  await call('POST', `/v1/alert/${resolved?.id}/resolve`, { json: { verdict: 'anomaly' } });
  await importDays(mill, busyDay(date, 2, 5));
  t.strictSame(
    (await alertsOf(mill))
      .filter(alert => alert.date === date)
      .map(({ state }) => state)
      .sort(),
    ['open', 'resolved'],
  );
  const { page } = await visit(t, `/sources/${mill}/calendar/2024?day=${date}`);
  await page.getByRole('link', { name: /^Alert · open · / }).waitFor();
  await page
    .locator('.day-panel')
    .getByText(/Over the limit from 02:00 to 05:00/)
    .waitFor({ state: 'attached' });
});

t.test('a source that another person archives leaves its screens; restoring tells its end', async t => {
  const watched = await visit(t, `/sources/${yard}/models`);
  const { page } = watched;
  await heading(page, 'Models · Yard').waitFor();
  await call('DELETE', `/v1/source/${yard}`);
  await heading(page, `No source ${yard}`).waitFor();
  await button(page, 'Restore source').click();
  await heading(page, 'Models · Yard').waitFor();

  await page.goto(`${service.address()}/sources/${yard}/settings`);
  await button(page, 'Archive source').click();
  await button(page.getByRole('dialog'), 'Archive').click();
  await heading(page, 'Overview').waitFor();
  await button(page, 'Undo').click();
  await told(page, '“Yard” is restored');
  await eventually('the source', async () =>
    (await call('GET', `/v1/source/${yard}`)).status === 200 ? true : undefined,
  );
  expectQuiet(t, watched, /404/);
});

t.test('a list of incidents of a source says that another person archived it', async t => {
  const watched = await visit(t, `/alerts?state=all&source=${yard}`);
  const { page } = watched;
  await rowOf(page, 'Yard').waitFor();
  await call('DELETE', `/v1/source/${yard}`);
  await heading(page, `No source ${yard}`).waitFor();
  t.equal(await rowsOf(page).count(), 0);
  await button(page, 'Restore source').click();
  await rowOf(page, 'Yard').waitFor();
  expectQuiet(t, watched, /404/);
});

t.test('archived sources are read for a mute of one, and not at each change', async t => {
  const json = { sourceId: yard, until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'Works' };
  const { body: mute } = await call<{ id: string }>('POST', '/v1/mute', { json });
  const watched = await visit(t, '/mutes');
  const { page } = watched;
  const asked: string[] = [];
  page.on('request', request => void asked.push(request.url()));
  const countOf = (part: string): number => asked.filter(url => url.includes(part)).length;
  /** Changes another source, and waits until the page has read again what it shows of many sources. */
  const change = async (): Promise<void> => {
    const before = countOf('/v1/mute/list');
    await call('PATCH', `/v1/source/${mill}`, { json: { unit: `kW ${before}` } });
    await eventually('the change', () => countOf('/v1/mute/list') > before || undefined);
  };
  const row = page.getByRole('list', { name: 'Mutes' }).getByText('Yard', { exact: true });
  await row.waitFor();
  await change();
  t.equal(countOf('archived=true'), 0);

  await call('DELETE', `/v1/source/${yard}`);
  await eventually('the archived one', () => countOf('archived=true') === 1 || undefined);
  await row.waitFor();
  await change();
  await row.waitFor();
  t.equal(countOf('archived=true'), 1);
  await call('DELETE', `/v1/mute/${mute.id}`);
  await call('POST', `/v1/source/${yard}/restore`);
  expectQuiet(t, watched);
});

t.test('an archived source has left the overview at once; its undo may be of unknown outcome', async t => {
  const { page } = await visit(t, '/');
  const link = page.getByRole('link', { name: 'Yard', exact: true });
  await link.click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await button(page, 'Archive source').waitFor();
  let goOn = (): void => {};
  const mayGoOn = new Promise<void>(resolve => (goOn = resolve));
  await page.route('**/v1/overview*', async route => {
    await mayGoOn;
    await route.continue();
  });
  await button(page, 'Archive source').click();
  await button(page.getByRole('dialog'), 'Archive').click();
  await told(page, '“Yard” is archived');
  await heading(page, 'Overview').waitFor();
  await page.getByRole('link', { name: 'Mill', exact: true }).waitFor();
  t.equal(await link.count(), 0);
  await page.route('**/restore', async route => {
    await route.fetch();
    await route.fulfill({ status: 504, headers: { 'Retry-After': '60' } });
  });
  await button(page, 'Undo').click();
  await page
    .getByRole('status')
    .getByText(/^It is not known whether this was done/)
    .waitFor();
  goOn();
  await link.waitFor();
});

t.test('a late answer does not lead away from the screen where a person is by then', async t => {
  const { page } = await visit(t, `/incidents/${ofMill.id}`);
  await page.getByText('Merge', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Into the incident' }).selectOption({ index: 1 });
  let answer = (): void => {};
  const left = new Promise<void>(resolve => (answer = resolve));
  await page.route('**/merge', async route => {
    await left;
    await route.continue();
  });
  await button(page, 'Merge into it').click();
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
  await heading(page, 'Overview').waitFor();
  answer();
  await page
    .getByRole('status')
    .getByText(/merged/)
    .waitFor();
  t.equal(new URL(page.url()).pathname, '/');
});
