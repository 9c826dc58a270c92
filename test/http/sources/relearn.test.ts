import { join } from 'node:path';
import t from 'tap';
import { slowTest } from '../../helpers/amount.js';
import { verifyLog } from '../../../adapters/cli/audit/verifyLog.js';
import { sourceFacts, sourceReader } from '../../../adapters/cli/auditReport/facts.js';
import { auditReportHtml } from '../../../adapters/cli/auditReport/html.js';
import { exportLine } from '../../../auditing/eventBytes.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { partsOfReport } from '../../helpers/screens/reportPage.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { exactList } from '../../helpers/exactList.js';

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
  unit: 'kWh',
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
let yard = 0;
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
    notes: exactList(`recent days of source ${old}, 2023-01-31 to 2024-01-30: 365, 365 of them complete`),
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
    body: { days: exactList({ status: 'normal' }) },
  });
});

t.test('the past and the audit trail have both', async t => {
  t.strictSame((await get(old, `?asOf=${moment}`)).body, before);
  t.equal((await get(next, `?asOf=${moment}`)).status, 404);
  const audit = async (id: number) =>
    (await call<{ events: readonly object[] }>('GET', `/v1/audit/event?sourceId=${id}&limit=500`)).body
      .events;
  t.match(
    (await audit(old)).slice(-2),
    exactList(
      { type: 'SourceRelearned', data: { created: { sourceId: next, relearnedFrom: old } } },
      { type: 'SourceArchived', data: { relearnedAs: next } },
    ),
  );
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

t.test('interpolated slices count as those of a reference do', async t => {
  const sparse = await create('Sparse', { interpolationMethod: 'linear' });
  // Eight readings a day: a third of the slices is observed, the others lie between two readings.
  const rows = Array.from({ length: 366 * 8 }, (_, n) => {
    const [date, hour] = [dateOf(dayNumber('2023-01-29') + Math.floor(n / 8)), (n % 8) * 3];
    return `${date}T${String(hour).padStart(2, '0')}:00:00;${100 + hour + (n % 5)}`;
  });
  const csv = ['date;value', ...rows, ''].join('\n');
  await call('POST', `/v1/import-csv/${sparse}/days`, { csv });
  t.match((await get(sparse)).body.relearnProposed, { possible: true });
  t.match(await relearn(sparse), {
    status: 201,
    body: { source: { reference: { days: 365, completeDays: 0 } } },
  });
});

t.test('archived sources, other tenants and other scopes', async t => {
  yard = await create('Yard');
  const id = yard;
  await call('DELETE', `/v1/source/${id}`);
  t.match(await relearn(id), { status: 404, body: { code: 'sourceNotFound' } });
  const path = `/v1/source/${next}/relearn`;
  const north = await tokenFor({ tenant: 'north' });
  t.match(await call('POST', path, { token: north }), { status: 404, body: { code: 'sourceNotFound' } });
  const reader = await tokenFor({ scopes: ['read', 'import'] });
  t.match(await call('POST', path, { token: reader }), { status: 403 });
});

const pool = rememberingAnalyst();
t.teardown(pool.close);

t.test('the decisions can be made again, and a restart changes nothing', async t => {
  await idle(call);
  t.match(await decidedBy(pool, exported(service.events())), {
    ...{ findings: exactList(), findingCount: 0, undecided: 0, awaited: 0 },
  });
  const present = (await get(next)).body;
  await service.restart();
  t.strictSame((await get(next)).body, present);
});

slowTest('a reference that is not the recent days of the other source is found', async t => {
  // The events of the two sources: those of later ones are not needed.
  const log = exported(service.events()).filter(({ stream }) =>
    [old, next].some(id => new RegExp(`^(source|days|alerts)-${id}$`).test(stream)),
  );
  type Data = Readonly<Record<string, unknown>>;
  type Days = readonly { readonly date: string }[];
  const is = (type: string, id: number) => (event: (typeof log)[number]) =>
    event.type === type && event.stream.endsWith(`-${id}`);
  const hasDate = (id: number, date: string) => (event: (typeof log)[number]) =>
    is('DaysImported', id)(event) && (event.data as { days: Days }).days.some(day => day.date === date);
  const busy = (of: string) => (data: Data) => ({
    ...data,
    days: (data['days'] as Days).map(day =>
      day.date === of ? { ...day, activity: Array<number>(24).fill(40) } : day,
    ),
  });
  const created = (change: Data) => (data: Data) => ({
    ...data,
    created: { ...(data['created'] as Data), ...change },
  });
  const both = (change: Data) =>
    forged(forged(log, is('SourceRelearned', old), created(change)), is('SourceCreated', next), data => ({
      ...data,
      ...change,
    }));
  const floor = before.minChange;
  t.not(floor?.absolute, (await get(next)).body.minChange?.absolute, 'it is of the new reference');
  const older = await decidedBy(pool, both({ minChange: floor }));
  t.strictSame(older.findings, [], 'earlier builds kept the floor that was proposed');
  const wrongDay = new RegExp(
    `its reference day 2023-06-15 is not the recent day of source ${old} at revision \\d+ of days-${old}`,
  );
  const cases: readonly (readonly [string, ReturnType<typeof forged>, RegExp])[] = [
    ['a reference day', forged(log, hasDate(next, '2023-06-15'), busy('2023-06-15')), wrongDay],
    ['a recent day of the other', forged(log, hasDate(old, '2023-06-15'), busy('2023-06-15')), wrongDay],
    ['the year', both({ referenceYear: 2022 }), /at \/referenceYear got 2022, expected 2023/],
    ['the aggregation', both({ aggregation: 'mean' }), /at \/aggregation got "mean", expected "sum"/],
    ['the time zone', both({ timeZone: 'Asia/Tokyo' }), /at \/timeZone got "Asia\/Tokyo"/],
    [
      'a name in one of two events',
      forged(log, is('SourceCreated', next), data => ({ ...data, name: 'Port' })),
      /differs from the event of source .* at \/name got "Port", expected "Gate"/,
    ],
    [
      'the target coverage',
      both({ coverage: 0.99 }),
      /got the target coverage 0.99, expected that of source \d+, 0.95$/,
    ],
    [
      'no target coverage',
      both({ coverage: undefined }),
      /got the target coverage none, expected that of source \d+, 0.95$/,
    ],
    ['the floor', both({ minChange: { ...floor, absolute: 50 } }), /at \/minChange\/absolute got 50/],
    ['no floor', both({ minChange: undefined }), /at \/created\/minChange got nothing/],
    ['the seed', both({ seed: 2 }), /got the seed 2, expected 1/],
    ['the slices', both({ activitySize: 48 }), /at \/activitySize got 48, expected 24/],
    [
      'the interpolation',
      both({ interpolationMethod: 'linear' }),
      /at \/interpolationMethod got "linear", expected/,
    ],
    ['the calendar', both({ calendar: 'DE' }), /at \/calendar got "DE", expected "FR"/],
    ['the tenant', both({ tenant: 'north' }), /at \/tenant got "north", expected "default"/],
    ...(['labels', 'place', 'expectedInterval', 'unit'] as const).map(
      name =>
        [name, both({ [name]: undefined }), new RegExp(`at /created/${name} got nothing, expected`)] as const,
    ),
    [
      'a covariate',
      both({ covariates: [{ sourceId: yard, name: 'Yard', revision: 0, values: [] }] }),
      /its covariates are \[\d+\], expected those of the source/,
    ],
    ['the name', both({ name: 'Port' }), /at \/created\/name got "Port", expected "Gate"/],
    [
      'special days',
      both({ specialDays: [] }),
      /SourceRelearned does not follow from the earlier events: at \/created\/specialDays/,
    ],
    ['the import', both({ requestId: 'other' }), /import other does not follow from a revision of the days/],
    [
      'the cause of the creation',
      log.map(event =>
        is('SourceCreated', next)(event)
          ? { ...event, metadata: { ...event.metadata, cause: 'other' } }
          : event,
      ),
      /its metadata differ from those of its cause: at \/cause got "other"/,
    ],
    ['the other source', both({ relearnedFrom: next }), /no event of source|does not follow/],
    [
      'the source in its place',
      forged(log, is('SourceArchived', old), data => ({ ...data, relearnedAs: 99 })),
      /got relearnedAs 99, expected/,
    ],
  ];
  for (const [name, events, detail] of cases) {
    const { findings } = await decidedBy(pool, events);
    t.ok(
      findings.some(finding => detail.test(finding.detail)),
      `${name}: ${findings[0]?.detail}`,
    );
  }
  const alone = log.filter(({ stream }) => stream.endsWith(`-${next}`));
  t.match(await decidedBy(pool, alone), {
    findings: exactList(),
    reasons: exactList({ because: 'another source that they rest on is not in the log', count: 1 }),
  });
});

slowTest('the report for auditors links both sources', async t => {
  const log = exported(service.events());
  const dir = t.testdir({ 'events.ndjson': log.map(event => `${exportLine(event)}\n`).join('') });
  const input = { kind: 'export', file: join(dir, 'events.ndjson') } as const;
  const verification = { input, env: {}, checkpoints: [], fingerprintsFile: undefined, toCheckpoint: false };
  const pageOf = async (id: number) => {
    const { reader, read } = sourceReader(id);
    // Decisions are verified above.
    const report = await verifyLog(verification, undefined, [reader]);
    const { events, ...ofLog } = read();
    const facts = await sourceFacts(events, id, undefined);
    const page = auditReportHtml({ at: ofLog.last, inputs: [], report, ...ofLog, ...facts });
    return partsOfReport(page)
      .html.replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ');
  };
  const place = (type: string, id: number): number =>
    log.findIndex(event => event.type === type && event.stream === `source-${id}`) + 1;
  const [before, after] = [await pageOf(old), await pageOf(next)];
  for (const [page, relation, other, row] of [
    [before, 'learned again as', next, place('SourceRelearned', old)],
    [before, 'learned again as', next, place('SourceCreated', next)],
    [after, 'learned again from', old, place('SourceRelearned', old)],
    [after, 'learned again from', old, place('SourceCreated', next)],
  ] as const)
    t.match(page, new RegExp(`this source was ${relation} ${other} [-\\d: UTC]+ \\w+ ${row} [0-9a-f]{64}`));
  t.match(before, new RegExp(`archived the source in favour of source ${next}`));
  t.match(after, new RegExp(`with the reference year 2023, from the recent days of source ${old}`));
  t.notMatch(await pageOf(yard), /Learned again/);
});
