import t from 'tap';
import type { SourceRecord } from '../../../projections/sources/sources.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// A source is learned again from its last year of recent days.

const service = await startService(t);
const { call, tokenFor } = service;
type Created = {
  readonly source: SourceRecord;
  readonly import: { readonly days: number; readonly notes: readonly string[] };
  readonly code?: string;
  readonly detail?: string;
};
const create = async (name: string, more: object = {}): Promise<number> => {
  const json = { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 28), ...more };
  const { body } = await call<Created>('POST', '/v1/import/create-source', { json });
  await analysed(call, body.source.id);
  return body.source.id;
};
const get = (id: number, query = '') => call<SourceRecord & Created>('GET', `/v1/source/${id}${query}`);
const relearn = (id: number, headers: Readonly<Record<string, string>> = {}) =>
  call<Created>('POST', `/v1/source/${id}/relearn`, { headers });
const importDays = (sourceId: number, first: string, count: number) =>
  call('POST', '/v1/import/days', { json: { sourceId, days: ordinaryDays(first, count) } });

const described = {
  labels: { site: 'Lyon' },
  place: { latitude: 45.75, longitude: 4.83, address: '2 quai' },
  expectedInterval: 'P1D',
};
const settings = { timeZone: 'Europe/Paris', calendar: 'FR', coverage: 0.95, aggregation: 'sum' };
const old = await create('Gate', { ...described, ...settings });

t.test('less than a year of recent days is refused, and nothing is stored', async t => {
  const none = await relearn(old);
  t.match(none, { status: 422, body: { code: 'recentTooShort', detail: /got no recent days/ } });
  t.equal((await get(old)).body.relearnProposed, null);
  await importDays(old, '2023-01-29', 364);
  t.equal((await get(old)).body.relearnProposed, null, 'no year yet');
  const count = service.eventCount();
  const refused = await relearn(old, { 'Idempotency-Key': 'early' });
  t.match(refused, { status: 422, body: { code: 'recentTooShort', detail: /full on 2024-01-28/ } });
  t.equal(service.eventCount(), count);
});

let moment = 0;
let before: SourceRecord;
let next = 0;
const key = { 'Idempotency-Key': 'again' };

t.test('the new source has the year, the description, the settings and the special days', async t => {
  await importDays(old, '2024-01-28', 3);
  await call('PUT', `/v1/calendar/${old}/2024-01-02`, { json: { name: 'Inventory' } });
  before = (await get(old)).body;
  t.match(before.relearnProposed, { reason: 'yearOfData', since: '2024-01-28', possible: true });
  moment = service.eventCount();
  const { status, body, headers } = await relearn(old, key);
  next = body.source.id;
  t.equal(status, 201);
  t.equal(headers.get('location'), `/v1/source/${next}`);
  t.match(body.source, { ...described, name: 'Gate', ...settings, coverage: undefined });
  t.match(body.source, {
    relearnedFrom: old,
    relearnedAs: null,
    archivedAt: null,
    activitySize: 24,
    referenceYear: 2023,
    reference: { from: '2023-01-31', to: '2024-01-30', days: 365, completeDays: 365 },
    counts: { recentDays: 0 },
    relearnProposed: null,
  });
  t.match(body.import, {
    days: 365,
    notes: [`recent days of source ${old}, 2023-01-31 to 2024-01-30: 365, 365 of them complete`],
  });
  const days = await call<{ days: readonly { kind: string }[] }>('GET', `/v1/day/list/${next}/2024`);
  t.strictSame([days.body.days.length, days.body.days[0]?.kind], [30, 'reference']);
  const calendar = await call<{ days: readonly object[] }>('GET', `/v1/calendar/list/${next}/2024`);
  t.ok(
    calendar.body.days.some(day => JSON.stringify(day).includes('Inventory')),
    'its special day',
  );
  t.match(await analysed(call, next), { analysis: { bounds: { targetCoverage: 0.95 } } });
});

t.test('a repeated request has the same answer', async t => {
  const count = service.eventCount();
  const again = await relearn(old, key);
  t.match(again, { status: 201, body: { source: { id: next } } });
  t.equal(service.eventCount(), count);
});

t.test('the old source is archived and names the new one', async t => {
  const gone = await get(old);
  t.match(gone, {
    status: 404,
    body: { detail: `no source ${old}: source ${old} was learned again as source ${next}` },
  });
  t.match(await importDays(old, '2024-01-31', 1), { status: 404, body: { code: 'sourceNotFound' } });
  t.match(await relearn(old), { status: 409, body: { code: 'sourceRelearned' } });
  const { body } = await call<{ sources: readonly SourceRecord[] }>('GET', '/v1/source/list');
  t.strictSame(
    body.sources.map(({ id }) => id),
    [next],
  );
  const days = { json: { sourceId: next, days: [ordinaryDay('2024-01-31')] } };
  t.match(await call('POST', '/v1/import/days', days), {
    status: 200,
    body: { days: [{ status: 'normal' }] },
  });
});

t.test('the past and the audit trail have both', async t => {
  t.strictSame((await get(old, `?asOf=${moment}`)).body, before);
  t.equal((await get(next, `?asOf=${moment}`)).status, 404);
  const audit = async (id: number) =>
    (await call<{ events: readonly object[] }>('GET', `/v1/audit/event?sourceId=${id}&limit=500`)).body
      .events;
  t.match((await audit(old)).slice(-2), [
    { type: 'SourceRelearned', data: { created: { sourceId: next, relearnedFrom: old } } },
    { type: 'SourceArchived', data: { relearnedAs: next } },
  ]);
  const of = service.events();
  const cause = of.find(({ type }) => type === 'SourceRelearned');
  const created = of.find(({ stream, type }) => stream === `source-${next}` && type === 'SourceCreated');
  t.match(created?.metadata, { cause: cause?.id, by: cause?.metadata.by });
  t.equal(created?.metadata.correlation, cause?.metadata.correlation);
});

t.test('a restored source can be learned again', async t => {
  const back = await call<SourceRecord>('POST', `/v1/source/${old}/restore?allowDuplicate=true`);
  t.match(back, { status: 200, body: { relearnedAs: next, archivedAt: null } });
  const { body } = await relearn(old);
  t.match(body.source, { relearnedFrom: old });
  t.not(body.source.id, next);
});

t.test('archived sources, other tenants and other scopes', async t => {
  const id = await create('Yard');
  await call('DELETE', `/v1/source/${id}`);
  t.match(await relearn(id), { status: 404, body: { code: 'sourceNotFound' } });
  const path = `/v1/source/${next}/relearn`;
  const north = await tokenFor({ tenant: 'north' });
  t.match(await call('POST', path, { token: north }), { status: 404, body: { code: 'sourceNotFound' } });
  const reader = await tokenFor({ scopes: ['read', 'import'] });
  t.match(await call('POST', path, { token: reader }), { status: 403 });
});

t.test('the decisions can be made again, and a restart changes nothing', async t => {
  await idle(call);
  t.match(await decidedAgain(service.events()), { findings: [], findingCount: 0, undecided: 0, awaited: 0 });
  const present = (await get(next)).body;
  await service.restart();
  t.strictSame((await get(next)).body, present);
});
