import t from 'tap';
import type { AlertRecord } from '../../projections/alertPages.js';
import type { ShownIncident } from '../../application/requests/incidents.js';
import { checkedAsk } from '../helpers/documents/checkedAsk.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';
import { exactList } from '../helpers/exactList.js';

// Incidents over HTTP: how alerts are grouped, and what people decide about them.

const { call, tokenFor } = await startService(t);
const ask = await checkedAsk(call);
const get = <Body>(path: string): Promise<Body> => ask('GET', path);
const list = async (query: string): Promise<readonly ShownIncident[]> =>
  (await get<{ incidents: ShownIncident[] }>(`/v1/incident/list?${query}`)).incidents;

const create = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> => {
  const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, labels, days: ordinaryDays('2023-01-01', 364) },
  });
  await analysed(call, source.id);
  return source.id;
};

/** A day whose values from one hour to another are multiplied. */
const changedDay = (date: string, from: number, to: number, factor: number) => ({
  date,
  activity: ordinaryDay(date).activity.map((value, hour) =>
    hour >= from && hour < to ? value * factor : value,
  ),
});
const importDays = (sourceId: number, ...days: readonly { date: string; activity: readonly number[] }[]) =>
  ask<{ alerts: { raised: AlertRecord[]; invalidated: AlertRecord[] } }>('POST', '/v1/import/days', {
    json: { sourceId, days },
  });

t.test('neighbours and repeats are one incident, an ordinary day between them or not', async t => {
  const id = await create('Gym');
  const { alerts } = await importDays(
    id,
    changedDay('2024-03-04', 13, 18, 0.2),
    changedDay('2024-03-05', 13, 18, 0.2),
    ordinaryDay('2024-03-06'),
    changedDay('2024-03-11', 13, 18, 0.2),
    changedDay('2024-03-20', 8, 11, 3),
  );
  const ids = alerts.raised.map(alert => alert.id);
  const found = await list(`sourceId=${id}`);
  t.equal(ids.length, 4);
  t.match(
    found.map(({ alertIds, state, since, until }) => ({ alertIds, state, since, until })),
    exactList(
      { alertIds: exactList(...ids.slice(0, 3)), state: 'open', since: '2024-03-04', until: '2024-03-11' },
      { alertIds: exactList(...ids.slice(3)) },
    ),
  );
  const [incident] = found;
  t.match(
    incident?.joinedBy,
    exactList(
      { alertId: ids[0], reason: 'opened', with: exactList() },
      { alertId: ids[1], reason: 'neighbour', with: exactList(ids[0]) },
      { alertId: ids[2], reason: 'repeat', with: exactList(ids[0], ids[1]) },
    ),
  );
  t.match(incident, { title: 'Gym', sentence: /^80 % under .*, 3 alerts from 4 Mar 2024 to 11 Mar 2024$/ });
  t.match(await get(`/v1/alert/${ids[2]}`), { incidentId: incident?.id });
  t.strictSame(
    (await list(`sourceId=${id}&from=2024-03-20`)).map(one => one.alertIds),
    [ids.slice(3)],
  );

  const middle = await importDays(id, changedDay('2024-03-21', 13, 18, 0.2));
  const [merged, younger] = await list(`sourceId=${id}&state=unprocessed,merged`);
  t.strictSame([merged?.alertIds, younger?.alertIds], [[...ids, middle.alerts.raised[0]?.id], []]);
  t.match(younger, { state: 'merged', mergedInto: merged?.id });
});

t.test('an import that replaces a day keeps its incident; the last alert that goes ends it', async t => {
  const id = await create('Pool');
  await importDays(id, changedDay('2024-03-05', 13, 18, 0.2));
  const [before] = await list(`sourceId=${id}`);
  await importDays(id, changedDay('2024-03-05', 13, 18, 0.1));
  const [after] = await list(`sourceId=${id}`);
  t.equal(after?.id, before?.id);
  t.match(after?.joinedBy, exactList({ alertId: `${id}-20240305-2`, reason: 'replaced' }));
  await importDays(id, ordinaryDay('2024-03-05'));
  t.strictSame(await list(`sourceId=${id}`), []);
  t.match(await get(`/v1/incident/${before?.id}`), { state: 'invalidated', alertIds: exactList() });
  await ask('PATCH', `/v1/source/${id}`, { json: { labels: { wing: 'w' } } });
  for (const fits of ['label=wing:w&kind=activity', `sourceId=${id}&kind=gap,activity`])
    t.match(await list(`state=invalidated&${fits}`), exactList({ id: before?.id }), fits);
  for (const fitsNot of ['label=wing:e', 'label=wing:w&kind=gap', 'label=wing:w&from=2024-03-06'])
    t.strictSame(await list(`state=invalidated&${fitsNot}`), [], fitsNot);

  await importDays(id, changedDay('2024-03-12', 13, 18, 0.2), changedDay('2024-06-05', 13, 18, 0.2));
  const [older, younger] = await list(`sourceId=${id}`);
  await ask('POST', `/v1/incident/${younger?.id}/merge`, { json: { incidentId: older?.id } });
  for (const factor of [0.1, 0.05]) await importDays(id, changedDay('2024-06-05', 13, 18, factor));
  const merged = exactList({ id: older?.id, alertIds: exactList(/-20240312-/, /-20240605-3$/) });
  t.match(await list(`sourceId=${id}`), merged, 'alerts that a person merged stay together');
});

t.test('an alert that goes splits what only it connected', async t => {
  const id = await create('Hall');
  const days = ['2024-03-04', '2024-03-05', '2024-03-06'].map((date, index) =>
    changedDay(date, 6 * index, 6 * index + 6, index === 1 ? 4 : 3),
  );
  const { alerts } = await importDays(id, ...days);
  t.equal(alerts.raised.length, 3);
  const [whole] = await list(`sourceId=${id}`);
  await ask('POST', `/v1/incident/${whole?.id}/assign`, { json: { subject: 'anna' } });
  t.equal((await list(`sourceId=${id}`)).length, 1);
  await importDays(id, ordinaryDay('2024-03-05'));
  const found = await list(`sourceId=${id}`);
  t.strictSame(
    found.map(({ alertIds, assignee }) => [alertIds, assignee]),
    [
      [[alerts.raised[0]?.id], 'anna'],
      [[alerts.raised[2]?.id], 'anna'],
    ],
  );
  const [, third] = found;
  await ask('POST', `/v1/incident/${found[0]?.id}/assign`, { json: { subject: null } });
  await importDays(id, changedDay('2024-03-05', 6, 12, 4));
  t.match(await list(`sourceId=${id}`), exactList({ id: found[0]?.id, assignee: 'anna' }));
  t.match(await get(`/v1/incident/${third?.id}`), { state: 'merged' });
});

t.test('decisions change the incident and its alerts, and stand in both histories', async t => {
  const id = await create('Office');
  const days = ['2024-03-04', '2024-03-05'].map(date => changedDay(date, 13, 18, 0.2));
  const ids = (await importDays(id, ...days)).alerts.raised.map(alert => alert.id);
  const [incident] = await list(`sourceId=${id}`);
  const path = `/v1/incident/${incident?.id}`;
  const states = async () =>
    Promise.all(ids.map(async alertId => (await get<AlertRecord>(`/v1/alert/${alertId}`)).state));
  t.match(incident?.sentence, /2 days|2024/, 'the sentence says how many days');
  t.match(await ask('POST', `${path}/acknowledge`), {
    ...{ state: 'acknowledged', counts: { acknowledged: 2 }, sentence: incident?.sentence },
  });
  t.strictSame(await states(), ['acknowledged', 'acknowledged']);
  t.match((await call('POST', `${path}/acknowledge`)).body, { code: 'incidentTransition' });

  const more = await importDays(id, changedDay('2024-03-06', 13, 18, 0.2));
  t.match(
    await get(path),
    { state: 'acknowledged', counts: { open: 1, acknowledged: 2 } },
    'it stays acknowledged',
  );
  t.match(await ask('POST', `${path}/reopen`), { state: 'open', counts: { open: 3 } });
  const resolution = { json: { verdict: 'expected', comment: 'A holiday' } };
  t.match(await ask('POST', `${path}/resolve`, resolution), { state: 'resolved', counts: { resolved: 3 } });
  t.match(await get(`/v1/alert/${more.alerts.raised[0]?.id}`), { verdict: 'expected', comment: 'A holiday' });

  await ask('POST', `${path}/assign`, { json: { subject: 'anna' } });
  await ask('POST', `${path}/comment`, { json: { text: 'Closed on that day.' } });
  t.match(await list(`sourceId=${id}&assignee=anna`), exactList({ assignee: 'anna' }));
  t.strictSame(await list(`sourceId=${id}&assignee=@none`), []);
  const { events } = await get<{ events: { type: string }[] }>(`${path}/history`);
  t.match(
    events.filter(({ type }) => !['AlertsGrouped', 'IncidentDecisionApplied'].includes(type)),
    exactList(
      { type: 'IncidentAcknowledged', byKind: 'person' },
      { type: 'IncidentReopened' },
      { type: 'IncidentResolved', verdict: 'expected', comment: 'A holiday' },
      { type: 'IncidentAssigned', assignee: 'anna' },
      { type: 'IncidentCommented', comment: 'Closed on that day.' },
    ),
  );
  const next = await importDays(id, changedDay('2024-03-07', 13, 18, 0.2));
  t.not(
    (await get<AlertRecord>(`/v1/alert/${next.alerts.raised[0]?.id}`)).incidentId,
    incident?.id,
    'a new one',
  );
});

t.test('people split and merge, and the service leaves it so', async t => {
  const id = await create('Gate');
  const days = ['2024-03-04', '2024-03-05', '2024-03-06'].map(date => changedDay(date, 13, 18, 0.2));
  const ids = (await importDays(id, ...days)).alerts.raised.map(alert => alert.id);
  const [incident] = await list(`sourceId=${id}`);
  const path = `/v1/incident/${incident?.id}`;
  await ask('POST', `${path}/assign`, { json: { subject: 'anna' } });
  const apart = await ask<ShownIncident>('POST', `${path}/split`, { json: { alertIds: [ids[2]] } });
  t.equal(apart.assignee, 'anna');
  t.strictSame([apart.alertIds, (await get<ShownIncident>(path)).alertIds], [[ids[2]], ids.slice(0, 2)]);
  t.match((await call('POST', `${path}/split`, { json: { alertIds: ids.slice(0, 2) } })).body, {
    code: 'incidentTransition',
  });
  await importDays(id, changedDay('2024-03-07', 13, 18, 0.2));
  t.equal((await list(`sourceId=${id}`)).length, 2, 'an alert that would connect them joins the older one');
  t.match((await get<ShownIncident>(path)).counts, { open: 3 });
  const whole = await ask<ShownIncident>('POST', `/v1/incident/${apart.id}/merge`, {
    json: { incidentId: incident?.id },
  });
  t.match(whole, { id: incident?.id, counts: { open: 4 } });
  t.match(await get(`/v1/incident/${apart.id}`), { state: 'merged', mergedInto: incident?.id });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  t.match((await call('POST', '/v1/mute', { json: { incidentId: apart.id, until, reason: 'Works' } })).body, {
    code: 'incidentTransition',
    detail: `incident ${apart.id} is merged into ${incident?.id}, expected one with alerts for it to be muted`,
  });

  const part = await ask<ShownIncident>('POST', `${path}/split`, { json: { alertIds: [ids[2]] } });
  await importDays(id, changedDay('2024-04-20', 1, 4, 5));
  const [other] = await list(`sourceId=${id}&from=2024-04-20`);
  await ask('POST', `/v1/incident/${part.id}/merge`, { json: { incidentId: other?.id } });
  await importDays(id, changedDay('2024-03-08', 13, 18, 0.2));
  t.match(
    (await list(`sourceId=${id}`)).map(one => one.alertIds.includes(ids[2] ?? '')).sort(),
    exactList(false, true),
    'a part stays apart in the incident that it was merged into',
  );
});

t.test('sources that share a label of the settings have one incident when they fail together', async t => {
  const settings = { incidentLabels: ['site'] };
  t.strictSame(await ask('PATCH', '/v1/settings', { json: settings }), settings);
  const north = { site: 'north' };
  const sources = [await create('A', north), await create('B', north), await create('C', { site: 'south' })];
  for (const id of sources) await importDays(id, changedDay('2024-05-06', 10, 14, 0));
  const found = await list('from=2024-05-06&to=2024-05-07');
  t.strictSame(
    found.map(incident => incident.sources.map(({ name }) => name)),
    [['A', 'B'], ['C']],
  );
  t.match(found[0], {
    title: 'A and 1 other source',
    joinedBy: exactList({ reason: 'opened' }, { reason: 'place', label: 'site=north' }),
  });
  await ask('PATCH', '/v1/settings', { json: { incidentLabels: [] } });
  await ask('PATCH', `/v1/source/${sources[1]}`, { json: { labels: { site: 'south' } } });
  await ask('POST', `/v1/incident/${found[0]?.id}/acknowledge`);
  t.match(
    await list('from=2024-05-06&to=2024-05-07'),
    exactList({ sources: exactList({ name: 'A' }, { name: 'B' }) }, { sources: exactList({ name: 'C' }) }),
    'other labels count for later alerts',
  );
  await ask('PATCH', '/v1/settings', { json: settings });
  await importDays(sources[1] ?? 0, changedDay('2024-05-08', 10, 14, 4));
  t.match(
    await list(`sourceId=${sources[1]}&from=2024-05-08`),
    exactList({ sources: exactList({ name: 'B' }) }),
  );
});

t.test('an incident stays listed for a source whose accepted change has left it', async t => {
  await ask('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } });
  const [left, stays] = [await create('Left', { site: 'east' }), await create('Stays', { site: 'east' })];
  const days = ['2024-03-04', '2024-03-05', '2024-03-06'].map(date => changedDay(date, 0, 24, 1.5));
  for (const id of [left, stays]) await importDays(id, ...days);
  const [incident] = await list(`sourceId=${left}`);
  t.equal(incident?.sources.length, 2);
  await ask('POST', `/v1/incident/${incident?.id}/accept`, { json: { sourceIds: [left] } });
  const found = exactList({
    id: incident?.id,
    state: 'open',
    sources: exactList({ id: stays }),
    accepted: exactList({ sourceId: left }),
  });
  t.match(await list(`sourceId=${left}`), found);
  t.strictSame(await list(`sourceId=${left}&kind=activity`), [], 'no alert of it is left');
  await ask('POST', `/v1/incident/${incident?.id}/accept`, { json: { sourceIds: [stays] } });
  t.match(await list(`sourceId=${left}&state=invalidated`), exactList({ id: incident?.id }));
});

t.test('mutes end, have a reason, and show on incidents', async t => {
  const id = await create('Mall');
  await importDays(id, changedDay('2024-03-05', 13, 18, 0.2));
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const mute = await ask<{ id: string }>('POST', '/v1/mute', {
    json: { sourceId: id, until, reason: 'Sprinkler test' },
  });
  t.match(await list(`sourceId=${id}`), exactList({ mutedUntil: until }));
  t.equal((await list(`sourceId=${id}&muted=true`)).length, 1);
  t.equal((await list(`sourceId=${id}&muted=false`)).length, 0);
  t.match(await get('/v1/mute/list'), {
    mutes: exactList({ id: mute.id, reason: 'Sprinkler test', byKind: 'person' }),
  });
  await ask('DELETE', `/v1/mute/${mute.id}`);
  t.match(await list(`sourceId=${id}`), exactList({ mutedUntil: null }));
  for (const [json, code] of [
    [{ sourceId: id, until: '2020-01-01T00:00:00Z', reason: 'x' }, 'muteInvalid'],
    [{ sourceId: id, until: '2099-01-01T00:00:00Z', reason: 'x' }, 'muteInvalid'],
    [{ sourceId: id, incidentId: 'inc-1', until, reason: 'x' }, 'bodyInvalid'],
    [{ until, reason: 'x' }, 'bodyInvalid'],
    [{ sourceId: id, until: 'tomorrow', reason: 'x' }, 'bodyInvalid'],
    [{ sourceId: 999_999, until, reason: 'x' }, 'sourceNotFound'],
  ] as const)
    t.match((await call('POST', '/v1/mute', { json })).body, { code }, JSON.stringify(json));
});

t.test('an incident whose sources are all archived is 404 on every route, until one is restored', async t => {
  const [one, other] = [await create('Attic'), await create('Cellar')];
  const days = ['2024-03-05', '2024-03-06'].map(date => changedDay(date, 13, 18, 0.2));
  for (const id of [one, other]) await importDays(id, ...days);
  const [[first], [second]] = [await list(`sourceId=${one}`), await list(`sourceId=${other}`)];
  const path = `/v1/incident/${first?.id}`;
  const key = { 'Idempotency-Key': 'note-of-the-attic' };
  const note = { json: { text: 'Cold.' }, headers: key };
  const kept = await call('POST', `${path}/comment`, note);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const requests: readonly (readonly [method: string, path: string, json?: object])[] = [
    ['GET', path],
    ['GET', `${path}/history`],
    ['POST', `${path}/acknowledge`],
    ['POST', `${path}/reopen`],
    ['POST', `${path}/resolve`, { verdict: 'anomaly' }],
    ['POST', `${path}/accept`, {}],
    ['POST', `${path}/withdraw-acceptance`],
    ['POST', `${path}/assign`, { subject: 'anna' }],
    ['POST', `${path}/comment`, { text: 'x' }],
    ['POST', `${path}/split`, { alertIds: first?.alertIds.slice(1) }],
    ['POST', `${path}/merge`, { incidentId: second?.id }],
    ['POST', `/v1/incident/${second?.id}/merge`, { incidentId: first?.id }],
    ['POST', '/v1/mute', { incidentId: first?.id, until, reason: 'x' }],
  ];
  await ask('DELETE', `/v1/source/${one}`);
  for (const [index, [method, at, json]] of requests.entries())
    for (const headers of [{}, { 'Idempotency-Key': `attic-${index}` }]) {
      const name = `${method} ${at}${'Idempotency-Key' in headers ? ' with a key' : ''}`;
      if (method === 'GET' && 'Idempotency-Key' in headers) continue;
      const { status, body } = await call(method, at, json ? { json, headers } : { headers });
      t.match({ status, body }, { status: 404, body: { code: 'incidentNotFound' } }, name);
    }
  t.strictSame((await call('POST', `${path}/comment`, note)).body, kept.body, 'a retry has its answer');
  await ask('POST', `/v1/source/${one}/restore`);
  t.match(await get(path), { state: 'open', counts: { open: 2 } });

  await ask('POST', `${path}/merge`, { json: { incidentId: second?.id } });
  const merged = async (): Promise<readonly string[]> =>
    (await list('state=merged&from=2024-03-05&to=2024-03-07')).map(({ id }) => id);
  t.ok((await merged()).includes(first?.id ?? ''));
  for (const [act, json] of [
    ['assign', { subject: 'anna' }],
    ['assign', { subject: null }],
    ['comment', { text: 'x' }],
  ] as const) {
    const { status, body } = await call<{ detail: string }>('POST', `${path}/${act}`, { json });
    t.match({ status, body }, { status: 409, body: { code: 'incidentTransition' } }, act);
    t.match(body.detail, `is merged into ${second?.id}`, 'where to go');
  }
  t.match(await get(path), { state: 'merged', assignee: null });
  await ask('DELETE', `/v1/source/${one}`);
  t.equal((await call('GET', path)).status, 404, 'a merged one');
  t.notOk((await merged()).includes(first?.id ?? ''), 'lists leave it out');
  const both = `/v1/incident/${second?.id}`;
  t.match(await get(both), { counts: { open: 4 } }, 'one with another source stays');
  const hidden = { json: { alertIds: [first?.alertIds[0]] } };
  t.match((await call('POST', `${both}/split`, hidden)).body, { code: 'incidentTransition' });
  t.match(await ask('POST', `${both}/acknowledge`), { state: 'acknowledged' });
  await ask('POST', `/v1/source/${one}/restore`);
});

t.test('another tenant sees and changes nothing', async t => {
  const [incident] = await list('state=unprocessed');
  const token = await tokenFor({ tenant: 'other' });
  t.equal((await call('GET', `/v1/incident/${incident?.id}`, { token })).status, 404);
  t.equal((await call('POST', `/v1/incident/${incident?.id}/acknowledge`, { token })).status, 404);
  t.match((await call('GET', '/v1/incident/list', { token })).body, { incidents: exactList() });
  t.match((await call('GET', '/v1/settings', { token })).body, { incidentLabels: exactList() });
});
