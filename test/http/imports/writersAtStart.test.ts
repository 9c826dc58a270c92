import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { InfluxDB as FirstClient } from 'influx';
import t from 'tap';
import { exactList } from '../../helpers/exactList.js';
import { startService } from '../../helpers/service.js';

// The requests of Telegraf, Home Assistant and programs from their start to their first points, as they send them:
// these two programs are not installed here.

const service = await startService(t);
const { call } = service;
const token = await service.tokenFor({ subject: 'writer', scopes: ['import'] });
const at = Date.now() - 3_600_000;
const asToken = { Authorization: `Token ${token}` };
const asPassword = { Authorization: `Basic ${Buffer.from(`telegraf:${token}`).toString('base64')}` };

type Headers = Readonly<Record<string, string>>;
type Sent = { readonly method?: string; readonly headers: Headers; readonly body?: string };

/** A request without a length, as programs in Go send it. */
const chunked = async (path: string, { headers, body = '' }: Sent): Promise<number | undefined> => {
  const sent = request(service.address() + path, { method: 'POST', headers });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', response => response.resume().on('end', () => resolve(response.statusCode)));
  });
  await pipeline(Readable.from([body]), createGzip(), sent);
  return answered;
};

const unclaimed = async (): Promise<readonly object[]> =>
  (await call<{ feeds: readonly object[] }>('GET', '/v1/feed/unclaimed')).body.feeds;

const query = (text: string, { method = 'POST', headers = asPassword }: Partial<Sent> = {}) =>
  call<{ results?: object[]; error?: string }>(method, `/query?${new URLSearchParams({ q: text })}`, {
    token: null,
    headers,
  });

t.test('Telegraf, outputs.influxdb_v2: gzip without a length', async t => {
  const lines = `cpu,cpu=cpu-total,host=pi usage_idle=97.5 ${at}000000\n`;
  const headers = {
    ...asToken,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Encoding': 'gzip',
    'User-Agent': 'Telegraf/1.34.0 Go/1.24.1',
  };
  t.equal(await chunked('/api/v2/write?bucket=any&org=any', { headers, body: lines }), 204);
  t.match(await unclaimed(), exactList({ measurement: 'cpu', field: 'usage_idle', points: 1 }));
});

t.test('Telegraf, outputs.influxdb: creates its database by a form, then writes', async t => {
  const body = new URLSearchParams({ q: 'CREATE DATABASE "telegraf"' }).toString();
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const created = await call('POST', '/query', { token: null, headers: { ...asPassword, ...form }, body });
  t.strictSame([created.status, created.body], [200, { results: [{ statement_id: 0 }] }]);
  const headers = {
    ...asPassword,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Encoding': 'gzip',
  };
  const lines = `mem,host=pi used=1i ${at}000000\n`;
  t.equal(await chunked('/write?consistency=any&db=telegraf', { headers, body: lines }), 204);
});

t.test('Home Assistant, api_version 2: an empty write, then its points', async t => {
  const write = (body: string) =>
    call('POST', '/api/v2/write?org=any&bucket=any&precision=ns', {
      token: null,
      headers: {
        ...asToken,
        'Content-Type': 'text/plain',
        'Content-Encoding': 'identity',
        'Accept-Encoding': 'identity',
        Accept: 'application/json',
      },
      body,
    });
  t.equal((await write('')).status, 204);
  const line = `kWh,domain=sensor,entity_id=energy_hall friendly_name_str="Hall",value=12.5 ${at}000000`;
  t.equal((await write(line)).status, 204);
});

t.test('Home Assistant, api_version 1: an empty write, then its points', async t => {
  const write = (body: string) =>
    call('POST', '/write?db=home_assistant', {
      token: null,
      headers: { ...asPassword, 'Content-Type': 'application/octet-stream', Accept: 'text/plain' },
      body,
    });
  t.equal((await write('')).status, 204);
  t.equal((await write(`°C,domain=sensor,entity_id=attic value=21.5 ${at}000000\n`)).status, 204);
});

t.test('a program that looks for its database, and creates it', async t => {
  const client = new FirstClient({
    ...{ host: '127.0.0.1', port: Number(new URL(service.address()).port), database: 'plant' },
    ...{ username: 'any', password: token },
  });
  t.strictSame(await client.getDatabaseNames(), []);
  await client.createDatabase('plant');
  const shown = { statement_id: 1, series: [{ name: 'databases', columns: ['name'] }] };
  t.strictSame((await query('create database x; SHOW DATABASES;')).body.results, [
    { statement_id: 0 },
    shown,
  ]);
  t.equal((await query('show databases', { method: 'GET' })).status, 200);
});

t.test('other queries, tokens and forms are refused as InfluxDB refuses them', async t => {
  const refused = async (text: string, sent: Partial<Sent>, status: number, error: RegExp) => {
    const answer = await query(text, sent);
    t.strictSame([answer.status, Object.keys(answer.body)], [status, ['error']], answer.text);
    t.match(answer.body.error, error);
  };
  const all = 'SELECT * FROM cpu';
  await refused(all, {}, 400, /got the query SELECT \* FROM cpu, expected CREATE DATABASE/);
  await refused('', { method: 'GET' }, 400, /got no query, expected/);
  await refused(all, { method: 'PUT' }, 405, /expected GET, HEAD, POST/);
  await refused('SHOW DATABASES', { headers: {} }, 401, /Authorization/);
  const reader = await service.tokenFor({ scopes: ['read'] });
  await refused('SHOW DATABASES', { headers: { Authorization: `Token ${reader}` } }, 403, /"import"/);
  const large = await call('POST', '/query', {
    token: null,
    headers: asPassword,
    body: `q=${'x'.repeat(70_000)}`,
  });
  t.match(large, { status: 413, body: { error: /got a body of 70002 bytes, expected at most 65536/ } });
  t.notMatch(service.logged(), /SELECT/);
});

t.test('each series that no source takes is listed once', async t => {
  t.match(
    (await unclaimed()).map(feed => (feed as { measurement: string }).measurement).sort(),
    exactList('cpu', 'kWh', 'mem', '°C'),
  );
});
