import t from 'tap';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import {
  analysed,
  csvOf,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  type Sent,
} from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// A source is described, found, archived and restored.

const service = await startService(t);
const { call, tokenFor } = service;
const reference = ordinaryDays('2023-01-01', 28);
type Created = { readonly source: SourceRecord };
const create = (name: string, more: object = {}, query = '') =>
  call<Created & { readonly code?: string }>('POST', `/v1/import/create-source${query}`, {
    json: { name, referenceYear: 2023, days: reference, ...more },
  });
const patch = (id: number, json: unknown, query = '') =>
  call<SourceRecord & { readonly code: string }>('PATCH', `/v1/source/${id}${query}`, { json });
const get = async (id: number) => (await call<SourceRecord>('GET', `/v1/source/${id}`)).body;
const list = async (query: string) =>
  (await call<{ sources: readonly SourceRecord[]; nextCursor?: string }>('GET', `/v1/source/list?${query}`))
    .body;
const names = async (query: string) => (await list(query)).sources.map(({ name }) => name);
const typesOf = () => service.events().map(({ type }) => type);

t.test('a source can be created with a description, in JSON and in CSV', async t => {
  const json = await create('Gate', {
    labels: { site: 'Lyon', floor: '2' },
    place: { latitude: 45.7578, longitude: 4.832 },
    expectedInterval: 'P1D',
    unit: 'visitors',
  });
  t.equal(json.status, 201);
  t.match(json.body.source, {
    id: 1,
    labels: { site: 'Lyon', floor: '2' },
    place: { latitude: 45.7578, longitude: 4.832, address: null },
    expectedInterval: 'P1D',
    unit: 'visitors',
    archivedAt: null,
    lastData: { date: '2023-01-28' },
  });
  const csv = await call<Created>(
    'POST',
    '/v1/import-csv/create-source?name=Yard&label=site:Lyon&label=url:a:b&address=1%20quai&expectedInterval=PT6H&unit=kWh&feedMeasurement=energy&feedField=value&feedTag=room:hall&feedTag=url:a:b',
    { csv: csvOf(reference) },
  );
  t.equal(csv.status, 201);
  t.match(csv.body.source, {
    labels: { site: 'Lyon', url: 'a:b' },
    place: { latitude: null, longitude: null, address: '1 quai' },
    expectedInterval: 'PT6H',
    unit: 'kWh',
    feed: { measurement: 'energy', field: 'value', tags: { room: 'hall', url: 'a:b' } },
  });
  const plain = (await create('Plain')).body.source;
  t.match(plain, { place: null, expectedInterval: null, unit: null, lateness: 'PT15M' });
  t.strictSame(plain.labels, {});
  await idle(call);
});

t.test('a merge patch changes the fields that it names', async t => {
  const { status, body } = await patch(1, {
    name: 'East gate',
    labels: { floor: null, line: '7' },
    place: { address: '2 quai' },
  });
  t.equal(status, 200);
  t.match(body, {
    name: 'East gate',
    labels: { site: 'Lyon', line: '7' },
    place: { latitude: 45.7578, longitude: 4.832, address: '2 quai' },
    expectedInterval: 'P1D',
  });
  t.notOk('floor' in body.labels);
  t.strictSame(await get(1), body);
  const count = service.eventCount();
  t.equal((await patch(1, { labels: { line: '7' } })).status, 200);
  t.equal(service.eventCount(), count, 'the same again appends nothing');
  const media: Sent = {
    body: JSON.stringify({ place: null }),
    headers: { 'Content-Type': 'application/merge-patch+json' },
  };
  const cleared = await call<SourceRecord>('PATCH', '/v1/source/1', media);
  t.match([cleared.status, cleared.body.place], exactList(200, null));
  t.match(service.events().at(-1), {
    type: 'SourceDescribed',
    data: { name: 'East gate', place: null, expectedInterval: 'P1D', unit: 'visitors' },
  });
});

t.test('the unit is with the models of a source, while it has one', async t => {
  const models = async () => (await call<{ unit?: string }>('GET', '/v1/model/list/1')).body;
  t.equal((await models()).unit, 'visitors');
  t.match((await patch(1, { unit: null })).body, { unit: null });
  t.notOk('unit' in (await models()));
  t.notOk('unit' in (service.events().at(-1)?.data as object), 'an absent unit is absent in the event');
  t.match((await patch(1, { unit: 'm³' })).body, { unit: 'm³' });
  const trail = await call('GET', '/v1/audit/event?sourceId=1&type=SourceDescribed&limit=1&order=newest');
  t.match(trail.body, { events: exactList({ data: { unit: 'm³' } }) });
});

t.test('source names are unique, unless duplicates are allowed', async t => {
  const count = service.eventCount();
  const again = await create('Yard');
  t.match([again.status, again.body.code], exactList(409, 'sourceNameTaken'));
  t.equal(service.eventCount(), count, 'nothing is stored');
  t.match(await patch(3, { name: 'Yard' }), { status: 409, body: { code: 'sourceNameTaken' } });
  t.match(
    await patch(3, { name: ' Yard ' }),
    { status: 409, body: { code: 'sourceNameTaken' } },
    'it looks the same',
  );
  t.match((await patch(3, { name: ' Cafe\u0301 ' })).body, { name: 'Caf\u00e9' }, 'one form of a name');
  t.equal((await patch(3, { name: 'Plain' })).status, 200);
  t.equal((await patch(3, { name: 'Plain' })).status, 200, 'its own name');
  t.equal((await create('yard')).status, 201, 'upper and lower case differ');
  t.equal((await create('Yard', {}, '?allowDuplicate=true')).status, 201);
  t.equal((await patch(3, { name: 'Yard' }, '?allowDuplicate=true')).body.name, 'Yard');
  t.equal((await patch(3, { name: 'Plain' })).status, 200);
  const token = await tokenFor({ tenant: 'north' });
  const json = { name: 'Yard', referenceYear: 2023, days: reference };
  t.equal((await call('POST', '/v1/import/create-source', { json, token })).status, 201, 'of another tenant');
});

t.test('one of several simultaneous requests gets a name', async t => {
  const made = await Promise.all(Array.from({ length: 4 }, () => create('Twin')));
  t.strictSame(made.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  const renamed = await Promise.all([patch(3, { name: 'Solo' }), patch(4, { name: 'Solo' })]);
  t.strictSame(renamed.map(({ status }) => status).sort(), [200, 409]);
  t.equal((await names('text=solo')).length, 1);
  const free = renamed[0].status === 200 ? 3 : 4;
  t.equal((await patch(free, { name: 'Plain' })).status, 200);
});

t.test('a repeated creation answers the same source', async t => {
  const headers = { 'Idempotency-Key': 'again' };
  const json = { name: 'Once', referenceYear: 2023, days: reference };
  const once = await call<Created>('POST', '/v1/import/create-source', { json, headers });
  const again = await call<Created>('POST', '/v1/import/create-source', { json, headers });
  t.strictSame([once.status, again.status, again.body], [201, 201, once.body]);
});

t.test('lists are filtered, sorted and paged', async t => {
  t.strictSame((await names('label=site:Lyon')).sort(), ['East gate', 'Yard']);
  t.strictSame(await names('label=site:Lyon&label=line:7'), ['East gate']);
  t.strictSame(await names('label=site:Paris'), []);
  t.strictSame(await names('text=EAST'), ['East gate']);
  t.strictSame(await names('text=1%20quai'), ['Yard']);
  t.strictSame(await names('text=url:a'), ['Yard'], 'a label');
  const all = await names('');
  t.strictSame(
    await names('sort=name'),
    [...all].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  );
  t.strictSame(await names('sort=created&order=desc'), [...all].reverse());
  const high = { ...ordinaryDay('2024-02-01'), activity: Array<number>(24).fill(1000) };
  await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [high] } });
  t.equal((await names('sort=openAlerts'))[0], 'East gate');
  t.equal((await names('sort=lastData'))[0], 'East gate');
  t.match(
    (await list('sort=openAlerts&limit=1')).sources,
    exactList({ counts: { unprocessedAlerts: 1 }, lastData: { date: '2024-02-01' } }),
  );
  for (const query of ['sort=name', 'sort=openAlerts', 'sort=lastData&order=asc', 'sort=id&order=desc', '']) {
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`${query}&limit=2${cursor}`);
      paged.push(...page.sources.map(({ name }) => name));
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    t.strictSame(paged, await names(query), `pages of ${query}`);
  }
  const alerts = async (query: string) =>
    (await call<{ alerts: readonly AlertRecord[] }>('GET', `/v1/alert/list?${query}`)).body.alerts.length;
  t.strictSame([await alerts('label=line:7'), await alerts('label=url:a:b')], [1, 0]);
});

t.test('an archived source is hidden, and restored with all its data', async t => {
  /** Number of events in the streams of the source. */
  const ownCount = (): number => service.events().filter(({ stream }) => stream.endsWith('-1')).length;
  const before = await get(1);
  const moment = service.eventCount();
  const gone = await call<SourceRecord>('DELETE', '/v1/source/1');
  t.equal(gone.status, 200);
  t.match(gone.body, { id: 1, name: 'East gate', archivedAt: /^\d{4}-/ });
  const count = ownCount();
  t.equal((await call('DELETE', '/v1/source/1')).status, 200, 'again');
  t.equal(ownCount(), count, 'appends nothing');
  t.notOk((await names('')).includes('East gate'));
  t.strictSame(await names('archived=true'), ['East gate'], 'archived sources have their own list');
  t.strictSame(await names(`archived=true&asOf=${moment}`), [], 'which has its past, too');
  const alertId = '1-20240201-1';
  const days = { json: { sourceId: 1, days: [ordinaryDay('2024-02-02')] } };
  for (const [method, path, sent] of [
    ['GET', '/v1/source/1'],
    ['PATCH', '/v1/source/1', { json: { name: 'x' } }],
    ['GET', '/v1/model/list/1'],
    ['POST', '/v1/model/reset/1/2'],
    ['POST', '/v1/model/preview/1/2'],
    ['GET', '/v1/day/list/1/2024'],
    ['GET', '/v1/planning/list/1/2024'],
    ['GET', '/v1/calendar/list/1/2024'],
    ['POST', '/v1/import/days', days],
    ['POST', '/v1/import-csv/1/days', { csv: csvOf([ordinaryDay('2024-02-02')]) }],
    ['GET', `/v1/alert/${alertId}`],
    ['GET', `/v1/alert/${alertId}/explanation`],
    ['POST', `/v1/alert/${alertId}/acknowledge`],
    ['GET', '/v1/alert/list?sourceId=1'],
  ] as const)
    t.equal((await call(method, path, sent)).status, 404, `${method} ${path}`);
  t.equal(ownCount(), count, 'and nothing of it is stored');
  t.match(await call('GET', '/v1/alert/list'), { body: { alerts: { length: 0 } } });
  t.match(await call('GET', '/v1/overview'), { status: 200 });
  t.notMatch((await call('GET', '/v1/overview')).text, /East gate/);
  t.strictSame((await call('GET', `/v1/source/1?asOf=${moment}`)).body, before, 'its past can be read');
  t.match(
    (await list(`asOf=${moment}`)).sources.find(({ id }) => id === 1),
    { name: 'East gate' },
  );
  const audit = await call<{ events: readonly { type: string }[] }>(
    'GET',
    '/v1/audit/event?sourceId=1&limit=500',
  );
  t.ok(audit.body.events.some(({ type }) => type === 'SourceArchived'));
  t.equal((await create('East gate')).status, 201, 'its name is free');
  t.match(await call('POST', '/v1/source/1/restore'), { status: 409, body: { code: 'sourceNameTaken' } });
  const back = await call<SourceRecord>('POST', '/v1/source/1/restore?allowDuplicate=true');
  t.equal(back.status, 200);
  t.match(back.body, { ...before, version: before.version + 2 });
  t.strictSame(await names('archived=true'), []);
  t.equal((await call<AlertRecord>('GET', `/v1/alert/${alertId}`)).body.state, 'open');
  const then = service.eventCount();
  t.equal((await call('POST', '/v1/source/1/restore')).status, 200, 'again');
  t.equal(service.eventCount(), then, 'appends nothing');
  t.ok(
    typesOf().lastIndexOf('DaysChecked') > typesOf().lastIndexOf('SourceRestored'),
    'its days are checked',
  );
});

t.test('a source archived during its analysis has its models after a restore', async t => {
  const { body } = await create('Short');
  const { id } = body.source;
  await call('DELETE', `/v1/source/${id}`);
  await idle(call);
  t.equal((await call<SourceRecord>('POST', `/v1/source/${id}/restore`)).status, 200);
  t.match(await analysed(call, id), { analysis: { status: 'completed' } }, 'its analysis is there');
});

t.test('other tenants get 404, other scopes 403', async t => {
  const token = await tokenFor({ tenant: 'north' });
  for (const [method, path, sent] of [
    ['PATCH', '/v1/source/2', { json: {} }],
    ['DELETE', '/v1/source/2', {}],
    ['POST', '/v1/source/2/restore', {}],
  ] as const) {
    t.match(await call(method, path, { ...sent, token }), { status: 404, body: { code: 'sourceNotFound' } });
    const reader = await tokenFor({ scopes: ['read', 'import'] });
    t.match(await call(method, path, { ...sent, token: reader }), { status: 403 });
  }
});

t.test('verify --decisions reproduces the decisions of the service', async t => {
  await idle(call);
  t.match(await decidedAgain(service.events()), {
    findings: exactList(),
    findingCount: 0,
    undecided: 0,
    awaited: 0,
  });
});

t.test('a restart changes no answer', async t => {
  await idle(call);
  const before = await list('sort=name');
  await service.restart();
  t.strictSame(await list('sort=name'), before);
});
