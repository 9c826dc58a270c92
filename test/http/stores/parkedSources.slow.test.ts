import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { eventVersions, type EventType, type Recorded } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import { exactList } from '../../helpers/exactList.js';
import { id as idOf } from '../../helpers/data/samples.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { run } from '../../helpers/process.js';
import { analysed, idle, startService, type TestService } from '../../helpers/service.js';

const year = Array.from({ length: 28 }, (_, day) => ({
  date: dateOf(dayNumber('2023-01-02') + day),
  activity: Array.from({ length: 4 }, (_, slice) => 10 * slice + (day % 7)),
}));

const day = (date: string, level = 1) => ({
  date,
  activity: [0, 10, 20, 30].map(value => value * level + 2),
});

const createSource = async ({ call }: TestService, name: string, token?: string): Promise<number> => {
  const { status, body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days: year },
    ...(token !== undefined && { token }),
  });
  t.equal(status, 201, name);
  return body.source.id;
};

/** Two sources of one tenant and one of another, analysed and with a checked day. */
const begun = async (t: Test) => {
  const service = await startService(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const { call } = service;
  const [broken, sound] = [await createSource(service, 'Broken'), await createSource(service, 'Sound')];
  for (const id of [broken, sound]) {
    await analysed(call, id);
    const json = { sourceId: id, days: [day('2023-03-01', 9)] };
    t.equal((await call('POST', '/v1/import/days', { json })).status, 200);
  }
  await idle(call);
  return { service, broken, sound };
};

type Appended = {
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
  readonly v?: number;
};

/** Appends events to the log of a stopped service, and starts it again. */
const restartedWith = async (
  { settings, stop, restart }: TestService,
  appended: readonly Appended[],
): Promise<void> => {
  if (settings.log.kind !== 'sqlite') return;
  await stop();
  const store = sqliteStore(settings.log.file);
  for (const [index, { stream, ...event }] of appended.entries()) {
    let revision: number | 'absent' = 'absent';
    for await (const one of store.read(stream)) ({ revision } = one);
    await store.append(stream, revision, [
      {
        v: eventVersions[event.type as EventType],
        id: idOf(4000 + index),
        metadata: { by: 'someone', cause: idOf(1), correlation: idOf(1) },
        at: '2024-01-01T00:00:00.000Z',
        ...event,
      },
    ]);
  }
  await store.close();
  await restart();
};

type Problem = { readonly code: string; readonly detail: string };
type Health = { readonly status: string; readonly parked: readonly object[] };

/** Checks that one source is parked, that nothing of it is stored, and that another one works as before. */
const checkParked = async (t: Test, service: TestService, broken: number, sound: number): Promise<void> => {
  const { call, events } = service;
  await idle(call);
  const count = events().length;
  const requests = [
    ['GET', `/v1/source/${broken}`],
    ['GET', `/v1/source/${broken}?asOf=1`],
    ['GET', `/v1/day/list/${broken}/2023`],
    ['GET', `/v1/planning/list/${broken}/2023`],
    ['GET', `/v1/model/list/${broken}`],
    ['GET', `/v1/table/${broken}/days?format=ndjson`],
    ['GET', `/v1/alert/${broken}-20230301-1`],
    ['POST', '/v1/import/days', { sourceId: broken, days: [day('2023-03-02')] }],
    ['POST', `/v1/model/reset/${broken}/2`],
    ['PUT', `/v1/planning/${broken}/2023-03-01`, { modelId: 1 }],
    ['PATCH', `/v1/source/${broken}`, { name: 'New' }],
    ['POST', `/v1/alert/${broken}-20230301-1/acknowledge`],
    ['DELETE', `/v1/source/${broken}`],
  ] as const;
  for (const [method, path, json] of requests) {
    const { status, body, headers } = await call<Problem>(method, path, json ? { json } : {});
    t.strictSame([status, body.code], [503, 'sourceParked'], `${method} ${path}`);
    t.ok(headers.get('Retry-After'), 'Retry-After');
  }
  t.equal(events().length, count, 'nothing was stored');
  const other = await service.tokenFor({ tenant: 'other' });
  t.equal((await call('GET', `/v1/source/${broken}`, { token: other })).status, 404, 'another tenant');

  const { body: list } = await call<{ sources: { id: number; parked?: object }[] }>('GET', '/v1/source/list');
  t.ok(list.sources.find(({ id }) => id === broken)?.parked, 'the list marks it');
  t.notOk(list.sources.find(({ id }) => id === sound)?.parked);
  const { body: overview } = await call<{ sources: { id: number; parked?: object; days: object[] }[] }>(
    'GET',
    '/v1/overview?to=2023-03-10',
  );
  t.match(
    overview.sources.find(({ id }) => id === broken),
    { parked: { type: String, cause: /^\w+$/ } },
  );
  t.strictSame(overview.sources.find(({ id }) => id === broken)?.days, []);
  t.not(overview.sources.find(({ id }) => id === sound)?.days.length, 0);
  const { body: planned } = await call<{ sources: { id: number; parked?: object; planned?: object[] }[] }>(
    'GET',
    `/v1/overview?sourceIds=${broken},${sound}`,
  );
  t.match(
    planned.sources,
    exactList({ id: broken, parked: { type: String }, planned: undefined }, { id: sound, planned: Array }),
    'plans of the other',
  );
  const { body: alerts } = await call<{ alerts: { sourceId: number }[] }>('GET', '/v1/alert/list');
  t.strictSame([...new Set(alerts.alerts.map(({ sourceId }) => sourceId))], [sound], 'alerts of the other');

  const { status, body: health } = await call<Health>('GET', '/health', { token: null });
  t.strictSame([status, health.status, health.parked.length], [200, 'degraded', 1]);
  t.match(health.parked[0], { subject: `source-${broken}`, position: /^\d+$/ });
  t.match((await call('GET', '/metrics')).text, /^daybook_parked_sources 1$/m);
  t.ok(service.logged().includes('subject parked'), 'the log has it');

  const json = { sourceId: sound, days: [day('2023-03-03', 9), day('2023-03-04')] };
  const imported = await call<{ alerts: { raised: object[] } }>('POST', '/v1/import/days', { json });
  t.equal(imported.status, 200);
  t.not(imported.body.alerts.raised.length, 0, 'checks go on');
};

t.test('an event that the read models cannot apply parks its source, over restarts', async t => {
  const { service, broken, sound } = await begun(t);
  await restartedWith(service, [
    { stream: `source-${broken}`, type: 'DayPlanned', data: { date: null, modelId: 1 } },
  ]);
  await checkParked(t, service, broken, sound);
  await service.restart();
  await checkParked(t, service, broken, sound);
  const third = await createSource(service, 'Third');
  await analysed(service.call, third);
});

t.test('an event of a newer version parks its source', async t => {
  const { service, broken, sound } = await begun(t);
  await restartedWith(service, [
    { stream: `alerts-${broken}`, type: 'AlertRaised', v: 99, data: { alertId: 'x' } },
  ]);
  await checkParked(t, service, broken, sound);
});

t.test('an event whose check fails parks its source', async t => {
  const { service, broken, sound } = await begun(t);
  const model = { id: 1, name: 'One', color: '#000000', anomaly: false, days: 0 };
  // The models have another number of slices than the days of the source.
  const profile = { activity: [1, 2], topTolerance: [1, 2], bottomTolerance: [1, 2] };
  const data = {
    requestId: idOf(3000),
    models: [{ ...model, ...profile }],
    assignments: [],
    modelsVersion: 2,
  };
  await restartedWith(service, [{ stream: `source-${broken}`, type: 'ModelsReplaced', data }]);
  await checkParked(t, service, broken, sound);
});

t.test('an event in the streams of a tenant parks these streams only', async t => {
  const { service, broken } = await begun(t);
  const { call } = service;
  const other = await service.tokenFor({ tenant: 'other' });
  await restartedWith(service, [
    { stream: 'webhooks-default', type: 'WebhookCreated', data: { webhookId: null } },
  ]);
  const webhook = { url: 'http://127.0.0.1:9/hook', events: ['alert.raised'] };
  const count = service.eventCount();
  for (const [method, path, json] of [
    ['GET', '/v1/webhook/list'],
    ['POST', '/v1/webhook/create', webhook],
  ] as const) {
    const { status, body } = await call<Problem>(method, path, json ? { json } : {});
    t.strictSame([status, body.code], [503, 'sourceParked'], path);
    t.match(body.detail, /^the webhooks stream of this tenant is parked: /);
  }
  t.equal(service.eventCount(), count);
  t.equal((await call('GET', '/v1/webhook/list', { token: other })).status, 200);
  t.equal((await call('GET', `/v1/source/${broken}`)).status, 200);
  const { text } = await call('GET', '/health', { token: null });
  t.match(JSON.parse(text), {
    status: 'degraded',
    parked: exactList({ subject: /^webhooks$/, type: 'WebhookCreated' }),
  });
  t.notMatch(text, /default/, 'no names of tenants');
});

t.test('an event of the catalogue refuses new sources only', async t => {
  const { service, broken } = await begun(t);
  const { call } = service;
  await restartedWith(service, [{ stream: 'catalog', type: 'SourceIdReserved', v: 99, data: {} }]);
  const { status, body } = await call<Problem>('POST', '/v1/import/create-source', {
    json: { name: 'New', referenceYear: 2023, days: year },
  });
  t.strictSame([status, body.code], [503, 'sourceParked']);
  t.match(body.detail, /the catalogue of sources is parked/);
  t.equal((await call('GET', `/v1/source/${broken}`)).status, 200);
  const json = { sourceId: broken, days: [day('2023-03-09')] };
  t.equal((await call('POST', '/v1/import/days', { json })).status, 200);
});

t.test('an event of mutes that have ended does not stop the clock of the others', async t => {
  const { service, broken } = await begun(t);
  const { call } = service;
  const until = new Date(Date.now() + 2000).toISOString();
  const mute = await call('POST', '/v1/mute', { json: { sourceId: broken, until, reason: 'Test' } });
  t.equal(mute.status, 201);
  await restartedWith(service, [{ stream: 'mutes-default', type: 'MuteEnded', v: 99, data: {} }]);
  await sleep(Math.max(0, Date.parse(until) - Date.now()) + 1000);
  const { text } = await call('GET', '/health', { token: null });
  t.match(JSON.parse(text), { parked: exactList({ subject: 'mutes', type: 'MuteEnded' }) });
  t.notMatch(service.logged(), /passed deadlines of sources cannot be recorded/);
});

t.test('rebuild tells what stays parked, and verify --decisions what is wrong', async t => {
  const { service, broken, sound } = await begun(t);
  const data = {
    sourceId: broken,
    importId: 'x',
    kind: 'recent',
    part: 1,
    parts: 1,
    days: [{ date: '2023-03-05' }],
  };
  await restartedWith(service, [{ stream: `days-${broken}`, type: 'DaysImported', data }]);
  await checkParked(t, service, broken, sound);
  await service.stop();
  const { dataDir } = service.settings;
  const rebuilt = await run(['rebuild'], { DATA_DIR: dataDir });
  t.match(rebuilt, {
    code: 1,
    stderr: new RegExp(`source-${broken} is parked: event \\d+ \\(DaysImported\\)`),
  });
  const verified = await run(['verify', '--log', dataDir, '--decisions'], {});
  t.match(verified, { code: 1, stdout: /cannot be replayed/ });
  await service.restart();
  await checkParked(t, service, broken, sound);
});

const folder = `${repositoryRoot()}/test/fixtures/events/`;
const examples = readdirSync(folder).map(file => JSON.parse(readFileSync(folder + file, 'utf8')) as Recorded);

t.test('every type of event without its data: the service starts and the others go on', async t => {
  const { service, sound } = await begun(t);
  const { call, tokenFor } = service;
  const ids = new Map<Recorded, number>();
  for (const example of examples)
    if (/-\d+$/.test(example.stream)) ids.set(example, await createSource(service, `Of ${ids.size}`));
  for (const id of ids.values()) await analysed(call, id);
  await idle(call);
  // Each event parks a source or a tenant of its own, so that none hides another.
  const events = examples.map((example, index) => {
    const kind = /^[a-z]+/.exec(example.stream)?.[0] ?? '';
    const stream = kind === 'catalog' ? kind : `${kind}-${ids.get(example) ?? `tenant${index}`}`;
    return { type: example.type, stream, data: null };
  });
  await restartedWith(service, events);
  for (const [{ type, stream }, id] of ids) {
    const { status } = await call('GET', `/v1/source/${id}`);
    t.ok([200, 503].includes(status), `${type} in ${stream}: ${status}`);
  }
  const parkedLines = service
    .logged()
    .split('\n')
    .filter(line => line.includes('subject parked'));
  const subjects = new Set(parkedLines.map(line => (JSON.parse(line) as { subject: string }).subject));
  for (const [index, { type }] of examples.entries()) {
    const tenant = `tenant${index}`;
    const token = await tokenFor({ tenant });
    for (const [path, stream] of [
      ['webhook/list', streams.webhooks(tenant)],
      ['incident/list', streams.incidents(tenant)],
      ['mute/list', streams.mutes(tenant)],
      ['calendar-rule/list', streams.calendar(tenant)],
      ['token/list', streams.tokens(tenant)],
      ['settings', streams.settings(tenant)],
    ] as const) {
      const { status } = await call('GET', `/v1/${path}`, { token });
      t.equal(status, subjects.has(stream) ? 503 : 200, `${type}, ${path}`);
    }
  }
  t.equal((await call('GET', `/v1/source/${sound}`)).status, 200);
  const json = { sourceId: sound, days: [day('2023-03-03', 9)] };
  t.equal((await call('POST', '/v1/import/days', { json })).status, 200);
  t.equal((await call('GET', '/health', { token: null })).status, 200);
  const { text } = await call('GET', '/metrics');
  const parked = Number(/^daybook_parked_sources (\d+)$/m.exec(text)?.[1]);
  t.ok(parked > 0.8 * examples.length, `${parked} of ${examples.length} are parked`);
});
