import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import Koa from 'koa';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { influxClients } from '../../../adapters/http/routes/imports/lines.js';
import { QueueFull } from '../../../application/ports/analyst.js';
import { StoreUnavailable } from '../../../application/ports/eventStore.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { exactList } from '../../helpers/exactList.js';
import { eventually, ordinaryDays, startService, type Sent } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// Writes in line protocol: which source gets which points, and the answers that clients of InfluxDB expect.

const pool = sharedAnalyst();

type Unclaimed = {
  readonly feeds: readonly {
    readonly measurement: string;
    readonly field: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly firstSeen: string;
    readonly lastSeen: string;
    readonly points: number;
  }[];
};
type Refused = { readonly code?: string; readonly message?: string; readonly error?: string };
type Stored = { readonly day: { readonly activity: readonly number[] } | null };

const hallFeed = { measurement: 'energy', field: 'value', tags: { room: 'hall' } };
const date = '2024-03-06';
const v2 = '/api/v2/write?org=o&bucket=b';

/** Nanoseconds of a time of the date. */
const stamp = (time: string): string => `${Date.parse(`${date}T${time}Z`)}000000`;

/** A service with a source of the series `energy,room=hall value`, in the morning. */
const morning = async (test: Test) => {
  const clock = drivenClock(`${date}T00:00:00.000Z`);
  const { ask, send, create, events } = await serviceBy(test, clock, pool);
  const described = async (name: string, feed: object): Promise<number> => {
    const id = await create(name);
    await ask('PATCH', `/v1/source/${id}`, { feed });
    return id;
  };
  const sourceId = await described('Hall', hallFeed);
  const write = (lines: readonly string[], path = v2) =>
    send<Refused>('POST', path, lines.join('\n'), 'text/plain');
  /** Waits until a slice of a source has a value. */
  const value = (slice: number, expected: number, id = sourceId) =>
    eventually(`the value ${expected}`, async () => {
      const { day } = await ask<Stored>('GET', `/v1/day/${id}/${date}`);
      return day?.activity[slice] === expected ? true : undefined;
    });
  const unclaimed = async () => (await ask<Unclaimed>('GET', '/v1/feed/unclaimed')).feeds;
  return { clock, ask, events, described, sourceId, write, value, unclaimed };
};

t.test('points get to the source whose feed their series fits, and into its days', async t => {
  const { clock, ask, described, sourceId, write, value, unclaimed } = await morning(t);
  const attic = await described('Attic', { ...hallFeed, tags: { room: 'hall', floor: '2' } });
  await clock.goTo(`${date}T04:30:00Z`);
  const lines = [
    `energy,room=hall value=10,name="x" ${stamp('01:10:00')}`,
    `energy,host=pi,room=hall value=30 ${stamp('01:20:00')}`,
    `energy,floor=2,room=hall value=7 ${stamp('01:20:00')}`,
    `energy,room=yard value=1i,count=2u,on=true ${stamp('01:20:00')}`,
  ];
  t.equal((await write(lines)).status, 204);
  t.match(
    await unclaimed(),
    exactList(
      { measurement: 'energy', field: 'count', tags: { room: 'yard' }, points: 1 },
      { measurement: 'energy', field: 'value', tags: { room: 'yard' }, points: 1 },
    ),
  );
  await clock.goTo(`${date}T04:31:00Z`);
  await value(1, 20);
  await value(1, 7, attic);
  await write([`energy,room=yard value=2 ${stamp('01:20:00')}`]);
  const [latest] = await unclaimed();
  t.match(latest, { field: 'value', points: 2, firstSeen: /T04:30/, lastSeen: /T04:31/ });
  const yard = { measurement: 'energy', field: 'value', tags: { room: 'yard' } };
  await ask('PATCH', `/v1/source/${sourceId}`, { feed: yard });
  t.match(await unclaimed(), exactList({ field: 'count' }), 'a series that a source has taken since');
  await write([`energy,room=yard value=50 ${stamp('02:20:00')}`]);
  await clock.goTo(`${date}T04:32:00Z`);
  await value(2, 50);
  await clock.goTo('2024-03-13T05:00:00Z');
  t.strictSame(await unclaimed(), [], 'a series without points for seven days');
});

t.test('stamps of each precision, none, and points that come after a week', async t => {
  const { clock, events, write, value, unclaimed, ask, sourceId } = await morning(t);
  await clock.goTo(`${date}T04:30:00Z`);
  const seconds = Date.parse(`${date}T01:10:00Z`) / 1000;
  await write([`energy,room=hall value=1 ${seconds}000`], '/write?db=x&precision=ms');
  await write([`energy,room=hall value=2 ${seconds + 3600}`], '/write?db=x&rp=y&consistency=all&precision=s');
  await write([`energy,room=hall value=3 ${seconds + 7200}000000`], '/write?precision=u');
  for (const lines of [[], ['# nothing', '']]) t.equal((await write(lines)).status, 204, 'an empty body');
  await write(['energy,room=hall value=4']);
  await clock.goTo(`${date}T05:20:00Z`);
  for (const [slice, expected] of [1, 2, 3, 4].entries()) await value(slice + 1, expected);
  const before = (await events()).length;
  await write(['other value=1']);
  t.match(await unclaimed(), exactList({ measurement: 'other' }));
  t.equal((await events()).length, before, 'unclaimed series are not in the log');
  await write([`energy,room=hall value=8 ${Date.parse('2024-02-20T08:10:00Z')}000000`]);
  const { day } = await ask<Stored>('GET', `/v1/day/${sourceId}/2024-02-20`);
  t.equal(day?.activity[8], 8);
});

t.test('a backlog of a closed date that comes in several bodies is stored whole', async t => {
  const { clock, events, write, value } = await morning(t);
  const backlog = Array.from(
    { length: 48 },
    (_, half) =>
      `energy,room=hall value=${20 + (half >> 1)} ${Number(stamp('00:10:00')) / 1e6 + 1_800_000 * half}000000`,
  );
  await clock.goTo('2024-03-08T09:00:00Z');
  for (let from = 0; from < backlog.length; from += 12) {
    await write(backlog.slice(from, from + 12));
    await clock.goTo(new Date(clock.environment.nowMs() + 10_500).toISOString());
  }
  const later = async () => clock.goTo(new Date(clock.environment.nowMs() + 10_500).toISOString());
  await eventually('the last slice', async () => {
    await later();
    return (await events()).some(({ type }) => type === 'PointsImported') || undefined;
  });
  await value(23, 43);
  const imports = (await events()).filter(({ type }) => type === 'PointsImported');
  t.equal(imports.length, 1, 'half of the date would have a gap');
});

t.test('rejected lines are named, and the others are stored', async t => {
  const { clock, write, value } = await morning(t);
  await clock.goTo(`${date}T04:30:00Z`);
  const lines = [
    `energy,room=hall value=41 ${stamp('01:10:00')}`,
    'energy,room=hall value=',
    `energy,room=hall value=1 ${Date.parse('2024-03-08T00:00:00Z')}000000`,
    `energy,room=hall value=43 ${stamp('01:20:00')}`,
  ];
  const { status, body } = await write(lines);
  t.equal(status, 400);
  t.strictSame(body, {
    code: 'invalid',
    message:
      "partial write: line 2: unable to parse 'energy,room=hall value=': missing field value; line 3: got the time " +
      '2024-03-08T00:00:00.000Z, expected one up to tomorrow, 2024-03-07, by the clock of UTC of source 1; ' +
      'all other lines are stored, dropped=2',
  });
  await clock.goTo(`${date}T04:31:00Z`);
  await value(1, 42);
  const first = await write(['energy value'], '/write?db=x');
  t.equal(first.status, 400);
  t.match(first.body, { error: /^partial write: line 1: unable to parse 'energy value': missing/ });
  const at = stamp('02:10:00');
  const mixed = await write([
    `energy,room=hall,host=a value=1 ${at}`,
    `energy,room=hall,host=b value=2 ${at}`,
  ]);
  t.match(mixed.body.message, /line 2: two series of the feed of source 1 have this time/);
});

/** A service over a network. */
const started = async (test: Test) => {
  const service = await startService(test);
  const write = (body: string | Buffer, sent: Sent = {}, path = v2) =>
    service.call<Refused>('POST', path, { body, ...sent });
  const unclaimed = async (sent: Sent = {}) =>
    (await service.call<Unclaimed>('GET', '/v1/feed/unclaimed', sent)).body.feeds;
  return { ...service, write, unclaimed };
};

t.test('refusals in the form of InfluxDB', async t => {
  const { write, tokenFor, logged, unclaimed } = await started(t);
  const line = 'other value=1';
  const v1 = '/write?db=x';
  const zipped = { 'Content-Encoding': 'gzip' };
  t.equal((await write(gzipSync('zipped value=1'), { headers: zipped })).status, 204);
  const readOnly = await tokenFor({ scopes: ['read'] });
  const refused: readonly (readonly [path: string, sent: Sent, status: number, body: object])[] = [
    ['/api/v2/write', { token: null }, 401, { code: 'unauthorized', message: /Authorization/ }],
    [v1, { token: null }, 401, { error: /Authorization/ }],
    ['/api/v2/write', { token: 'x' }, 401, { code: 'unauthorized' }],
    ['/api/v2/write', { token: readOnly }, 403, { code: 'forbidden', message: /"import"/ }],
    ['/api/v2/write?precision=d', {}, 400, { code: 'invalid', message: /^invalid precision: got d/ }],
    ['/api/v2/write?u=anna&p=secret-x', {}, 400, { code: 'invalid', message: /got the parameter u and p/ }],
    [`${v1}&p=secret-x`, { token: null }, 400, { error: /got the parameter p/ }],
    ['/api/v2/write', { headers: { 'Content-Encoding': 'br' } }, 415, { code: 'invalid' }],
    ['/api/v2/write', { headers: zipped }, 400, { code: 'invalid', message: /not gzip/ }],
    [
      '/api/v2/write',
      { body: gzipSync(Buffer.alloc(25_000_001, '#')), headers: zipped },
      413,
      { code: 'request too large', message: /25000000 bytes/ },
    ],
  ];
  for (const [path, sent, status, body] of refused) {
    const answer = await write(line, sent, path);
    t.equal(answer.status, status, `${path}: ${answer.text}`);
    t.match(answer.headers.get('content-type'), /^application\/json/);
    t.match(answer.body, body);
  }
  t.match(await unclaimed(), exactList({ measurement: 'zipped', points: 1 }));
  t.notMatch(logged(), /secret-x|anna/);
  t.equal((await write(line, {}, '/write?db=x&u=&p=')).status, 204, 'empty ones are none');
});

t.test('full queues are answered 429, other temporary problems 503', async t => {
  const koa = new Koa();
  koa.use(influxClients(pino({ level: 'silent' })));
  koa.use(({ path }) => {
    throw path === '/write' ? new StoreUnavailable('away') : new QueueFull('12 bodies are waiting');
  });
  const server = koa.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const write = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'm f=1' });
  const full = await write('/api/v2/write');
  t.strictSame([full.status, full.headers.get('retry-after')], [429, '5']);
  t.strictSame(await full.json(), { code: 'too many requests', message: '12 bodies are waiting' });
  const away = await write('/write');
  t.strictSame([away.status, away.headers.get('retry-after')], [503, '5']);
  t.match(await away.json(), { error: /event store is unreachable/ });
});

t.test('tokens as Token, Basic and with a user before a colon', async t => {
  const { write, tokenFor, unclaimed } = await started(t);
  const token = await tokenFor({ subject: 'telegraf', tenant: 'plant', scopes: ['import'] });
  const basic = Buffer.from(`any:${token}`).toString('base64');
  const forms = [
    `Token ${token}`,
    `token ${token}`,
    `Basic ${basic}`,
    `Token any:${token}`,
    `Bearer ${token}`,
  ];
  for (const form of forms)
    t.equal(
      (await write('m f=1', { token: null, headers: { Authorization: form } })).status,
      204,
      form.slice(0, 12),
    );
  const reader = await tokenFor({ tenant: 'plant', scopes: ['read'] });
  t.match(await unclaimed({ token: reader }), exactList({ measurement: 'm', points: forms.length }));
  t.strictSame(await unclaimed(), [], 'each tenant has its own');
});

t.test('/ping is that of InfluxDB', async t => {
  const { call } = await started(t);
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, text } = await call(method, '/ping', { token: null });
    t.equal(status, 204);
    t.match(headers.get('x-influxdb-version'), /^1\.8\./);
    t.equal(text, '');
  }
  t.equal((await call('POST', '/ping', { token: null })).status, 405);
  const wrong = await call<{ error: string }>('GET', '/write');
  t.equal(wrong.status, 405);
  t.match(wrong.body, { error: 'got GET, expected POST' });
});

t.test('a feed belongs to one source of a tenant', async t => {
  const { call } = await started(t);
  const create = async (name: string, feed: object | null) =>
    call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
      json: { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 30), feed },
    });
  const { id } = (await create('Hall', hallFeed)).body.source;
  const other = (await create('Yard', null)).body.source.id;
  const refusal = {
    status: 422,
    body: { code: 'descriptionInvalid', errors: { 0: { code: 'feedTaken', pointer: '/feed' } } },
  };
  const patch = (source: number, feed: object) => call('PATCH', `/v1/source/${source}`, { json: { feed } });
  t.match(await patch(other, hallFeed), refusal);
  t.equal((await patch(id, hallFeed)).status, 200, 'its own one');
  const { measurement, field, tags } = hallFeed;
  t.match((await patch(other, { tags })).body, {
    errors: { 0: { code: 'feed', detail: /^got a feed without measurement or field/ } },
  });
  t.match((await patch(other, { measurement, field, tags: { ...tags, floor: '2' } })).body, {
    feed: { measurement, field, tags: { ...tags, floor: '2' } },
  });
  t.match(await patch(other, { tags: { floor: null } }), refusal, 'the feed after the patch');
  t.match((await patch(other, { field: 'power' })).body, {
    feed: { measurement, field: 'power', tags: { ...tags, floor: '2' } },
  });
  t.match(await create('Third', hallFeed), refusal);
  await call('DELETE', `/v1/source/${id}`);
  t.equal((await patch(other, { ...hallFeed, tags: { ...tags, floor: null } })).status, 200);
  t.match(await call('POST', `/v1/source/${id}/restore`), refusal);
});
