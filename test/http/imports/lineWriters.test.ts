import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { InfluxDB, Point, setLogger } from '@influxdata/influxdb-client';
import { InfluxDB as FirstClient } from 'influx';
import t from 'tap';
import { startInfluxd, withoutInfluxd } from '../../helpers/influxd.js';
import { eventually, ordinaryDays, startService } from '../../helpers/service.js';

// Writers as people have them: two clients in JavaScript, one in Python, and an InfluxDB that passes its writes on.

// The client logs the refusal that a test expects.
setLogger({ error: () => {}, warn: () => {} });

const service = await startService(t);
const { call } = service;
const token = await service.tokenFor({ subject: 'writer', scopes: ['import'] });
const port = Number(new URL(service.address()).port);

const feed = { measurement: 'energy', field: 'value', tags: { room: 'hall, "1"=a' } };
const tags = { host: 'pi', ...feed.tags };
const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
  json: { name: 'Hall', referenceYear: 2023, days: ordinaryDays('2023-01-01', 30), feed },
});
const { id } = created.body.source;

/** Waits for the values that writers have sent. */
const stored: (() => Promise<unknown>)[] = [];

/** The middle of a past hour, and a function that notes the value to come there. */
const hourBefore = (hours: number) => {
  const at = new Date((Math.floor(Date.now() / 3_600_000) - hours + 0.5) * 3_600_000);
  const [date, slice] = [at.toISOString().slice(0, 10), at.getUTCHours()];
  const value = async (): Promise<number | undefined> => {
    const { body } = await call<{ day: { activity: readonly number[] } | null }>(
      'GET',
      `/v1/day/${id}/${date}`,
    );
    return body.day?.activity[slice];
  };
  const expect = (expected: number): void =>
    void stored.push(() =>
      eventually(`the value ${expected}`, async () => ((await value()) === expected ? true : undefined)),
    );
  return { at, expect };
};

/** Series that came and that no source takes, of a measurement: field, tags and number of points. */
const others = async (measurement: string) => {
  type Feeds = {
    readonly feeds: readonly { measurement: string; field: string; tags: object; points: number }[];
  };
  const { body } = await call<Feeds>('GET', '/v1/feed/unclaimed');
  return body.feeds
    .filter(one => one.measurement === measurement)
    .map(({ field, tags, points }) => [field, tags, points])
    .sort();
};

t.test('@influxdata/influxdb-client, plain and with gzip', async t => {
  const { at, expect } = hourBefore(30);
  const client = new InfluxDB({ url: service.address(), token });
  const point = (name: string, value: number) =>
    Object.entries(tags).reduce(
      (made, [key, one]) => made.tag(key, one),
      new Point(name)
        .floatField(feed.field, value)
        .intField('count', 12)
        .booleanField('on', true)
        .stringField('note', 'a "b"\nc \\')
        .timestamp(at),
    );
  for (const gzipThreshold of [1_000_000, 1]) {
    const api = client.getWriteApi('org', 'bucket', 'ms', { gzipThreshold });
    api.writePoints([point(feed.measurement, 11), point('v2 client', 1)]);
    await api.close();
  }
  expect(11);
  t.strictSame(await others('v2 client'), [
    ['count', tags, 2],
    ['value', tags, 2],
  ]);
  const wrong = new InfluxDB({ url: service.address(), token: 'x' }).getWriteApi('o', 'b', 'ms', {
    maxRetries: 0,
  });
  wrong.writePoint(point('m', 1));
  const refusal = await wrong.close().catch((error: unknown) => error);
  t.match(refusal, { statusCode: 401 });
});

t.test('influx, the client of the first API', async t => {
  const { at, expect } = hourBefore(31);
  const client = new FirstClient({
    host: '127.0.0.1',
    port,
    database: 'x',
    username: 'any',
    password: token,
  });
  t.ok(
    (await client.ping(5000)).every(({ online }) => online),
    'it finds the service by /ping',
  );
  const fields = { value: 12, note: 'a "b"' };
  await client.writePoints([
    { measurement: feed.measurement, tags, fields, timestamp: at },
    { measurement: 'v1-client', tags, fields, timestamp: at },
  ]);
  expect(12);
  t.strictSame(await others('v1-client'), [['value', tags, 1]]);
});

const python = ['python3', '/usr/bin/python3'].find(
  one => spawnSync(one, ['-c', 'import influxdb']).status === 0,
);

const pythonProgram = `
import json, sys
from influxdb import InfluxDBClient
port, token, points = json.loads(sys.argv[1])
client = InfluxDBClient("127.0.0.1", port, "any", token, "x", gzip=True)
print(client.ping())
client.write_points([])
client.write_points(points)
`;

t.test(
  'influxdb for Python',
  { skip: python ? false : 'needs the Debian package python3-influxdb' },
  async t => {
    const { at, expect } = hourBefore(32);
    const fields = { value: 13, on: true, note: 'a "b"' };
    const points = [feed.measurement, 'python client'].map(measurement => ({
      ...{ measurement, tags, fields },
      time: at.toISOString(),
    }));
    const { stdout } = await promisify(execFile)(python ?? '', [
      '-c',
      pythonProgram,
      JSON.stringify([port, token, points]),
    ]);
    t.match(stdout, /^1\.8\./, 'its ping');
    expect(13);
    t.strictSame(await others('python client'), [['value', tags, 1]]);
  },
);

t.test('a subscription of InfluxDB 1.x', { skip: withoutInfluxd }, async t => {
  const influxd = await startInfluxd(t.testdir());
  t.teardown(influxd.stop);
  const { at, expect } = hourBefore(33);
  await influxd.query('CREATE DATABASE "x"');
  await influxd.query(
    `CREATE SUBSCRIPTION "daybook" ON "x"."autogen" DESTINATIONS ALL 'http://any:${token}@127.0.0.1:${port}'`,
  );
  const key = String.raw`energy,host=pi,room=hall\,\ "1"\=a`;
  const lines = `${key} value=14 ${at.getTime()}000000\nsubscribed f=1i 1709720000000000000`;
  // InfluxDB passes nothing on until it has noticed the subscription.
  await eventually('the first passed write', async () => {
    t.equal((await influxd.write('x', lines)).status, 204);
    await new Promise(resolve => setTimeout(resolve, 100));
    return (await others('subscribed')).length > 0 ? true : undefined;
  });
  expect(14);
  t.equal((await others('subscribed'))[0]?.[0], 'f');
});

t.test('the values are in the days of their source', async () => {
  // The log gets the points of elapsed slices every ten seconds.
  await Promise.all(stored.map(wait => wait()));
});
