import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { eventRoutes } from '../../adapters/http/routes/events.js';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import type { Service } from '../../application/requests/service.js';
import {
  analysed,
  csvOf,
  eventually,
  idle,
  ordinaryDays,
  startService,
  type TestService,
} from '../helpers/service.js';
import type { LiveChange } from '../../application/reading/liveChanges.js';
import { mintToken } from '../../adapters/http/middleware/tokens.js';
import { drivenClock, serviceBy } from '../helpers/clockedService.js';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';
import { id as idOf } from '../helpers/data/samples.js';
import { exactList } from '../helpers/exactList.js';
import { sharedAnalyst } from '../helpers/sharedAnalyst.js';

type Message = {
  readonly event: string;
  readonly id: string;
  readonly data: { type?: string; sourceId?: number };
};

/** Reads an event stream of the service until the test or the service ends it. */
const listen = async (t: Test, service: TestService, headers: Record<string, string>) => {
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const response = await fetch(`${service.address()}/v1/events`, { headers, signal: ending.signal });
  const messages: Message[] = [];
  let ended = false;
  let lastId = '';
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        lastId = field('id') || lastId;
        if (field('event') !== '')
          messages.push({
            event: field('event'),
            id: field('id'),
            data: JSON.parse(field('data')) as Message['data'],
          });
      }
    }
    ended = true;
  };
  const reading = read().catch(() => {});
  return {
    ...{ response, messages, isEnded: () => ended, lastId: () => lastId },
    end: () => (ending.abort(), reading),
  };
};

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

const createSource = async ({ call }: TestService, token?: string): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>(
    'POST',
    '/v1/import-csv/create-source?name=Gate&calendar=FR',
    { csv: csvOf(ordinaryDays('2023-01-01', 60)), ...(token !== undefined && { token }) },
  );
  return body.source.id;
};

t.test('changes are sent to clients of the tenant only', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const others = await tokenFor({ tenant: 'others' });
  const ours = await listen(t, service, bearer(await tokenFor({ scopes: ['read'] })));
  const theirs = await listen(t, service, bearer(others));
  t.equal(ours.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  t.equal(ours.response.headers.get('cache-control'), 'no-store');
  const id = await createSource(service);
  await analysed(call, id);
  await eventually('the models', () =>
    ours.messages.some(({ data }) => data.type === 'ModelsReset') ? true : undefined,
  );
  t.equal(ours.messages[0]?.event, 'ready');
  t.ok(ours.messages.slice(1).every(({ event, data }) => event === 'change' && data.sourceId === id));
  const positions = ours.messages.map(({ id }) => Number(id));
  t.strictSame(
    positions,
    [...positions].sort((a, b) => a - b),
    'in the order of the log',
  );
  const theirSource = await createSource(service, others);
  await eventually('the event of the others', () =>
    theirs.messages.some(({ data }) => data.sourceId === theirSource) ? true : undefined,
  );
  t.notOk(theirs.messages.some(({ data }) => data.sourceId === id));
  t.notOk(ours.messages.some(({ data }) => data.sourceId === theirSource));
});

t.test('points and dates that close are changes of their source, as imports are', async t => {
  const clock = drivenClock('2024-03-06T00:00:00.000Z');
  const pool = sharedAnalyst();
  const { create, ask, importDays, changes } = await serviceBy(t, clock, pool);
  const sourceId = await create('Gate');
  const seen: LiveChange[] = [];
  t.teardown(changes().listen('default', { changed: change => void seen.push(change), end: () => {} }));
  const isSeen = (type: LiveChange['type']) =>
    eventually(
      type,
      () => seen.some(change => change.type === type && change.sourceId === sourceId) || undefined,
    );
  await importDays(sourceId, '2024-03-05');
  await isSeen('DaysImported');
  await clock.goTo('2024-03-06T01:30:00Z');
  const points = ['00:10', '01:10'].map(time => ({ at: `2024-03-06T${time}:00Z`, value: 20 }));
  await ask('POST', '/v1/import/points', { sourceId, points });
  await isSeen('PointsImported');
  type Cells = { readonly sources: readonly { readonly days: readonly { readonly inProgress?: true }[] }[] };
  const inProgress = async () =>
    (await ask<Cells>('GET', '/v1/overview')).sources[0]?.days.map(day => day.inProgress);
  t.strictSame(await inProgress(), [undefined, true], 'the overview tells a date in progress');
  await clock.goTo('2024-03-07T00:20:00Z');
  await isSeen('DateClosed');
  t.strictSame(await inProgress(), [undefined, undefined]);
});

t.test('what people do with an incident is a change of the source of its first alert', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const id = await createSource(service);
  await analysed(call, id);
  const listening = await listen(t, service, bearer(await tokenFor({ scopes: ['read'] })));
  await call('POST', '/v1/import/days', {
    json: { sourceId: id, days: [{ date: '2024-03-05', activity: Array.from({ length: 24 }, () => 900) }] },
  });
  type Page = { readonly incidents: readonly { readonly id: string }[] };
  const [incident] = (await call<Page>('GET', '/v1/incident/list')).body.incidents;
  const path = `/v1/incident/${incident?.id}`;
  await call('POST', `${path}/comment`, { json: { text: 'A feast.' } });
  const isSeen = (type: string) =>
    eventually(type, () =>
      listening.messages.some(({ data }) => data.type === type && data.sourceId === id) ? true : undefined,
    );
  await isSeen('AlertsGrouped');
  await isSeen('IncidentCommented');
  const at = listening.messages.find(({ data }) => data.type === 'IncidentCommented')?.id ?? '';
  await listening.end();
  await call('POST', `${path}/assign`, { json: { subject: 'anna' } });
  const resumed = await listen(t, service, { ...bearer(await tokenFor({})), 'Last-Event-ID': at });
  await eventually('what was missed', () =>
    resumed.messages.some(({ data }) => data.type === 'IncidentAssigned') ? true : undefined,
  );
});

t.test('mutes and settings are changes of the tenant, also for a stream that is resumed', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const headers = bearer(await tokenFor({ scopes: ['read'] }));
  const listening = await listen(t, service, headers);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const json = { labels: { site: 'north' }, until: soon, reason: 'Works' };
  const { body: mute } = await call<{ id: string }>('POST', '/v1/mute', { json });
  await call('DELETE', `/v1/mute/${mute.id}`);
  await call('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } });
  const types = ['MuteCreated', 'MuteDeleted', 'TenantSettingsChanged'];
  const told = (messages: readonly Message[]) => messages.filter(({ event }) => event === 'tenant');
  await eventually('all of them', () => (told(listening.messages).length >= types.length ? true : undefined));
  t.strictSame(
    told(listening.messages).map(({ data }) => data),
    types.map(type => ({ type })),
  );
  const resumed = await listen(t, service, { ...headers, 'Last-Event-ID': listening.messages[0]?.id ?? '' });
  await eventually('what was missed', () =>
    told(resumed.messages).length >= types.length ? true : undefined,
  );
});

t.test('a client resumes after its last event, or reads everything again after too many', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const token = bearer(await tokenFor({}));
  const id = await createSource(service);
  await analysed(call, id);
  await idle(call);
  const first = await listen(t, service, { ...token, 'Last-Event-ID': '1' });
  await eventually('the events before', () =>
    first.messages.some(({ data }) => data.type === 'ModelsReset') ? true : undefined,
  );
  await first.end();
  const at = first.messages.at(-1)?.id ?? '';
  await call('PUT', `/v1/calendar/${id}/2023-02-03`, { json: { name: 'Fair' } });
  const second = await listen(t, service, { ...token, 'Last-Event-ID': at });
  await eventually('what was missed', () => (second.messages.length > 1 ? true : undefined));
  t.strictSame(second.messages[1]?.data, { type: 'SpecialDayNamed', sourceId: id });
  t.ok(Number(second.messages[1]?.id) > Number(at));

  const ahead = await listen(t, service, { ...token, 'Last-Event-ID': '999999' });
  await eventually('the answer', () => (ahead.messages.length > 0 ? true : undefined));
  t.equal(ahead.messages[0]?.event, 'reset', 'a position of another log');
});

t.test('a tenant resumes without a reset, however much others changed', async t => {
  const service = await startService(t);
  const { call, tokenFor, settings } = service;
  const id = await createSource(service);
  await analysed(call, id);
  await idle(call);
  const token = bearer(await tokenFor({}));
  const { setInterval: regular } = globalThis;
  const heartbeats = t.intercept(globalThis, 'setInterval', {
    value: (run: () => void) => regular(run, 20),
  });
  const first = await listen(t, service, token);
  await eventually('the beginning', () => first.messages.length > 0 || undefined);
  heartbeats.restore();
  await call('PATCH', '/v1/settings', {
    json: { incidentLabels: ['site'] },
    token: await tokenFor({ tenant: 'b' }),
  });
  await eventually(
    'a later heartbeat',
    () => Number(first.lastId()) > Number(first.messages[0]?.id) || undefined,
  );
  t.equal(first.messages.length, 1, 'no change of the tenant');
  await first.end();

  await service.stop();
  t.equal(settings.log.kind, 'sqlite');
  if (settings.log.kind !== 'sqlite') return;
  const store = sqliteStore(settings.log.file);
  const read = { query: {}, format: 'json', logSize: 1, count: 0 };
  const reading = (n: number) => ({
    ...{ id: idOf(4000 + n), type: 'AuditTrailRead', v: 1, data: read, at: '2024-01-01T00:00:00.000Z' },
    metadata: { by: 'bo', cause: idOf(1), correlation: idOf(1) },
  });
  await store.append(
    'audit-b',
    'absent',
    Array.from({ length: 1100 }, (_, n) => reading(n)),
  );
  await store.close();
  await service.restart();
  await call('PUT', `/v1/calendar/${id}/2023-02-03`, { json: { name: 'Fair' } });
  const resumed = await listen(t, service, { ...token, 'Last-Event-ID': first.lastId() });
  await eventually('what was missed', () => resumed.messages.length > 1 || undefined);
  t.match(
    resumed.messages.slice(0, 2),
    exactList({ event: 'ready' }, { event: 'change', data: { type: 'SpecialDayNamed', sourceId: id } }),
  );
});

t.test('a stream needs the scope, and a valid Last-Event-ID', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  t.equal((await call('GET', '/v1/events', { token: null })).status, 401);
  t.equal((await call('GET', '/v1/events', { token: await tokenFor({ scopes: ['import'] }) })).status, 403);
  for (const position of ['-1', 'x', '1'.repeat(30)]) {
    const { status, text } = await call('GET', '/v1/events', { headers: { 'Last-Event-ID': position } });
    t.equal(status, 422, position);
    t.match(text, /Last-Event-ID/);
  }
});

t.test('a stream ends with its token', async t => {
  const service = await startService(t);
  const expiring = await mintToken(
    service.settings.tokens,
    { subject: 'anna', tenant: 'default', scopes: ['read'] },
    2,
  );
  const { response, isEnded } = await listen(t, service, bearer(expiring));
  t.equal(response.status, 200);
  await eventually('the end of the stream', () => Promise.resolve(isEnded() || undefined));
  t.equal((await service.call('GET', '/v1/source/list', { token: expiring })).status, 401);
});

t.test('a stream ends while read models cannot be read, and the service goes on', async t => {
  const beats: (() => void)[] = [];
  const original = setInterval;
  t.teardown(() => void (globalThis.setInterval = original));
  globalThis.setInterval = ((run: () => void, ms: number) => {
    beats.push(run);
    return original(run, ms);
  }) as typeof setInterval;
  const models = {
    checkpoint: () => ({ position: 0n }),
    tokens: {
      revokedAt: () => {
        throw new StoreUnavailable('the read models were damaged');
      },
    },
  };
  const changes = { listen: () => () => {} };
  const [events] = eventRoutes({ models, changes, log: {}, turns: {} } as unknown as Service);
  const actor = { tenant: 'default', subject: 'anna', jti: 'token', exp: 1e10, scopes: [] };
  const call = { actor, signal: new AbortController().signal, lastEventId: '' };
  const { body } = (await events?.run(call as never)) ?? {};
  const chunks: string[] = [];
  const read = (async () => {
    for await (const chunk of body as Readable) chunks.push(String(chunk));
  })();
  t.equal(beats.length, 1);
  beats[0]?.();
  await read;
  t.match(chunks.join(''), /event: ready/);
});

t.test('a resumed stream leaves what the read models do not have to the live changes', async t => {
  const models = {
    checkpoint: () => ({ position: 3n }),
    sources: { setup: () => ({ tenant: 'default' }) },
    tokens: { revokedAt: () => undefined },
  };
  const event = (position: bigint) => ({ position, stream: 'source-1', type: 'SourceDescribed', data: {} });
  const log = {
    all: async function* () {
      yield event(2n);
      yield event(5n);
    },
  };
  let changed = (_: object): void => {};
  const changes = {
    listen: (_: string, to: { changed: typeof changed }) => ((changed = to.changed), () => {}),
  };
  const turns = { yielderFor: () => () => undefined };
  const [events] = eventRoutes({ models, changes, log, turns } as unknown as Service);
  const actor = { tenant: 'default', subject: 'anna', jti: 'token', exp: 1e10, scopes: [] };
  const call = { actor, signal: new AbortController().signal, lastEventId: '1' };
  const body = ((await events?.run(call as never)) ?? {}).body as Readable;
  for (const position of [4n, 5n]) changed({ position, type: 'SourceCreated', sourceId: 2 });
  const text = String(body.read());
  body.destroy();
  t.strictSame(
    [...text.matchAll(/^id: (\d+)\nevent: change/gm)].map(([, id]) => id),
    ['2', '4', '5'],
  );
});

t.test('streams that are resumed at once read the log a few at a time', async t => {
  const models = {
    checkpoint: () => ({ position: 3n }),
    sources: { setup: () => ({ tenant: 'default' }) },
    tokens: { revokedAt: () => undefined },
  };
  let [reading, most] = [0, 0];
  const log = {
    all: async function* () {
      most = Math.max(most, (reading += 1));
      await new Promise(setImmediate);
      yield { position: 2n, stream: 'source-1', type: 'SourceDescribed', data: {} };
      reading -= 1;
    },
  };
  const changes = { listen: () => () => undefined };
  const turns = { yielderFor: () => () => undefined };
  const [events] = eventRoutes({ models, changes, log, turns } as unknown as Service);
  const actor = { tenant: 'default', subject: 'anna', jti: 'token', exp: 1e10, scopes: [] };
  const call = { actor, signal: new AbortController().signal, lastEventId: '1' };
  const answers = await Promise.all(Array.from({ length: 50 }, () => events?.run(call as never)));
  for (const answer of answers) {
    const body = answer?.body as Readable;
    t.match(String(body.read()), 'id: 2\nevent: change');
    body.destroy();
  }
  t.equal(most, 4, 'half of the places of all tenants');
});

t.test('a stopping service ends its streams first', async t => {
  const service = await startService(t);
  const stream = await listen(t, service, bearer(await service.tokenFor({})));
  await eventually('the beginning', () => (stream.messages.length > 0 ? true : undefined));
  await service.stop();
  await eventually('the end', () => (stream.isEnded() ? true : undefined));
});

/** A model with its name in other languages. */
type Named = { readonly name: string; readonly names: { readonly fr: string } };

type Overview = {
  readonly from: string;
  readonly to: string;
  readonly sources: readonly {
    readonly id: number;
    readonly lastDate: string;
    readonly openAlerts: number;
    readonly days: readonly {
      readonly date: string;
      readonly outcome: string;
      readonly alert?: { id: string };
    }[];
    readonly worst: object | null;
    readonly planned?: readonly (Named & { readonly date: string; readonly modelId: number })[];
  }[];
};

t.test('the overview has the last days of all sources, and planned models on request', async t => {
  const service = await startService(t);
  const { call } = service;
  t.strictSame((await call<Overview>('GET', '/v1/overview')).body.sources, []);
  const id = await createSource(service);
  await analysed(call, id);
  const strange = ordinaryDays('2023-03-07', 1).map(({ date, activity }) => ({
    date,
    activity: activity.map(value => value * 3),
  }));
  await call('POST', `/v1/import-csv/${id}/days`, {
    csv: csvOf([...ordinaryDays('2023-03-02', 5), ...strange, ...ordinaryDays('2023-03-08', 3)]),
  });
  const { body } = await call<Overview>('GET', '/v1/overview');
  t.match(body, { from: '2023-02-18', to: '2023-03-18' });
  t.match(body.sources, exactList({ id, lastDate: '2023-03-10', openAlerts: 1 }));
  const day = body.sources[0]?.days.find(({ date }) => date === '2023-03-07');
  const loss = { loss: /^[\d.]+ times its allowance$/, losses: { fr: /^[\d,]+ fois sa marge$/ } };
  t.match(day, { outcome: 'abnormal', alert: { id: `${id}-20230307-1`, state: 'open', ...loss } });
  t.match(body.sources[0]?.worst, { id: `${id}-20230307-1`, ...loss });
  t.equal(body.sources[0]?.days.length, 21, 'twelve reference days, nine recent ones');
  t.equal(body.sources[0]?.planned, undefined);

  const { body: ahead } = await call<Overview>('GET', `/v1/overview?sourceIds=${id}`);
  t.equal(ahead.sources.length, 1);
  t.strictSame(
    ahead.sources[0]?.planned?.map(({ date }) => date),
    ['11', '12', '13', '14', '15', '16', '17'].map(date => `2023-03-${date}`),
  );
  const { models } = (
    await call<{ models: readonly (Named & { readonly id: number })[] }>('GET', `/v1/model/list/${id}`)
  ).body;
  for (const { modelId, name, names } of ahead.sources[0]?.planned ?? [])
    t.match(
      models.find(model => model.id === modelId),
      { name, names: { fr: names.fr } },
    );
  t.match(ahead.sources[0]?.planned?.[0]?.names, { fr: /samedi/ });
  const { body: before } = await call<Overview>('GET', '/v1/overview?to=2023-02-01&days=3');
  t.match(before, { from: '2023-01-29', to: '2023-02-01' });
  t.equal(before.sources[0]?.days.length, 3);
  const theirs = await call<Overview>('GET', `/v1/overview?sourceIds=${id}`, {
    token: await service.tokenFor({ tenant: 'others' }),
  });
  t.equal(theirs.status, 404);
  for (const query of [
    'to=yesterday',
    'days=0',
    'days=93',
    'sourceIds=a',
    'sourceIds=1,,2',
    'sourceIds=0',
    'x=1',
  ])
    t.equal((await call('GET', `/v1/overview?${query}`)).status, 422, query);
});

t.test('a connection without a request does not delay the end of the service', async t => {
  const service = await startService(t);
  const { hostname, port } = new URL(service.address());
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // An answered request: the server knows the connection that was opened before.
  await service.call('GET', '/health');
  await service.stop();
  if (!socket.closed) await once(socket, 'close');
  t.pass('the connection is closed');
});
