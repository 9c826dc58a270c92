// The restore of docs/operations.md: copies of log, keys and points, and no read models.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { filesOf } from '../../../adapters/sqlite/database.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

const bodies: string[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    bodies.push(body);
    response.writeHead(204).end();
  });
});
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  receiver.closeAllConnections();
  receiver.close();
});
const { port } = receiver.address() as AddressInfo;

type Call = Awaited<ReturnType<typeof startService>>['call'];
/** Waits until the answer to a message is recorded: a service that stops before sends it again. */
const recorded = (call: Call, webhookId: string, message = '') =>
  eventually('the recorded attempt', async () => {
    const path = `/v1/webhook/${webhookId}/deliveries`;
    const { body } = await call<{ deliveries: readonly { id: string }[] }>('GET', path);
    return body.deliveries.some(({ id }) => message.includes(id)) ? true : undefined;
  });

const folder = t.testdir();
const data = join(folder, 'data');
const saved = ['points', 'events', 'people'] as const;
mkdirSync(data);

t.test('a restored service sends the messages of new events, and processes repeated requests', async t => {
  const started = () => startService(t, { DATA_DIR: data, WEBHOOK_ALLOW_PRIVATE: 'true' });
  const lost = await started();
  const { call } = lost;
  const days = ordinaryDays('2022-01-01', 60);
  await call('POST', '/v1/import/create-source', { json: { name: 'hall', referenceYear: 2022, days } });
  await analysed(call, 1);
  const webhook = { url: `http://127.0.0.1:${port}/`, events: ['alert.raised'] };
  const { id: webhookId } = (await call<{ id: string }>('POST', '/v1/webhook/create', { json: webhook }))
    .body;
  const raise = (date: string, by = call) =>
    by('POST', '/v1/import/days', {
      json: {
        sourceId: 1,
        days: [{ date, activity: ordinaryDay(date).activity.map(value => value + 999) }],
      },
      headers: { 'Idempotency-Key': `days-${date}` },
    });
  const sent = (count: number) =>
    eventually(`${count} messages`, () => (bodies.length >= count ? bodies : undefined));
  await raise('2022-06-01');
  await sent(1);
  for (const name of saved)
    await new Database(join(data, `${name}.sqlite`)).backup(join(folder, `${name}-backup.sqlite`));
  const first = lost.eventCount();
  await raise('2022-06-02');
  await raise('2022-06-03');
  const messages = await sent(3);
  await recorded(call, webhookId, messages[2]);
  await lost.stop();

  for (const name of saved) {
    for (const file of filesOf(join(data, `${name}.sqlite`))) rmSync(file, { force: true });
    cpSync(join(folder, `${name}-backup.sqlite`), join(data, `${name}.sqlite`));
  }
  for (const file of filesOf(join(data, 'read-models.sqlite'))) rmSync(file, { force: true });
  const restored = await started();
  const { eventCount, logged } = restored;
  t.match(logged(), /"webhooks":1,"responses":2,"msg":"the log ends before .*it was restored/);
  t.equal(eventCount(), first);
  const again = await raise('2022-06-01', restored.call);
  t.equal(eventCount(), first, 'a request that the log has gets its kept answer');
  t.match(again, { status: 200, body: { alerts: { raised: exactList({ id: '1-20220601-1' }) } } });
  const repeated = await raise('2022-06-02', restored.call);
  t.ok(eventCount() > first, 'a request that the log does not have is processed again');
  t.match(repeated, { status: 200, body: { alerts: { raised: exactList({ id: '1-20220602-1' }) } } });
  await sent(4);
  t.equal(messages[3]?.includes('"subject":"1-20220602-1"'), true, 'its message is sent');
  await recorded(restored.call, webhookId, messages[3]);
  await restored.restart();
  t.equal(logged().match(/it was restored/g)?.length, 1, 'said once');

  // The read models of the later log stay by mistake.
  await raise('2022-06-04', restored.call);
  await sent(5);
  await recorded(restored.call, webhookId, messages[4]);
  // Points of older dates are forgotten once they are stored.
  const recent = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const points = ordinaryDay(recent).activity.map((value, hour) => ({
    ...{ at: `${recent}T${String(hour).padStart(2, '0')}:30:00Z`, value },
  }));
  const storing = await restored.call('POST', '/v1/import/points', { json: { sourceId: 1, points } });
  t.equal(storing.status, 200);
  const pointsOf = ({ events }: typeof restored) => events().filter(({ type }) => type === 'PointsImported');
  t.equal(pointsOf(restored).length, 1);
  await restored.stop();
  for (const file of filesOf(join(data, 'events.sqlite'))) rmSync(file, { force: true });
  cpSync(join(folder, 'events-backup.sqlite'), join(data, 'events.sqlite'));
  const kept = await started();
  t.match(
    kept.logged(),
    /the read models belong to another copy of the log.*"points":24,"webhooks":1,"responses":2/s,
  );
  await eventually('the points', () => (pointsOf(kept).length === 1 ? true : undefined));
  await raise('2022-06-05', kept.call);
  await sent(6);
  t.match(bodies[5], /"subject":"1-20220605-1"/, 'no message is sent again');
});

t.test('read models of another log that stay send no message of the restored webhooks again', async t => {
  const parts = ['events', 'people', 'webhooks'] as const;
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  const before = bodies.length;
  const started = async (dataDir: string) => {
    mkdirSync(dataDir, { recursive: true });
    return startService(t, { DATA_DIR: dataDir, WEBHOOK_ALLOW_PRIVATE: 'true' });
  };
  const created = ({ call }: Awaited<ReturnType<typeof started>>, name: string) =>
    call('POST', '/v1/import/create-source', {
      json: { name, referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) },
    });
  const raise = ({ call }: Awaited<ReturnType<typeof started>>, date: string) =>
    call('POST', '/v1/import/days', {
      json: {
        sourceId: 1,
        days: [{ date, activity: ordinaryDay(date).activity.map(value => value + 999) }],
      },
    });
  const sent = (count: number) =>
    eventually(`${count} messages`, () => (bodies.length >= before + count ? true : undefined));
  const source = await started(from);
  await created(source, 'hall');
  await analysed(source.call, 1);
  const json = { url: `http://127.0.0.1:${port}/`, events: ['alert.raised'] };
  const made = await source.call<{ id: string }>('POST', '/v1/webhook/create', { json });
  await raise(source, '2022-06-01');
  await sent(1);
  await recorded(source.call, made.body.id, bodies[before]);
  await source.stop();
  const other = await started(to);
  await created(other, 'store');
  await other.stop();
  for (const name of parts) {
    for (const file of filesOf(join(to, `${name}.sqlite`))) rmSync(file, { force: true });
    for (const file of filesOf(join(from, `${name}.sqlite`)))
      if (existsSync(file)) cpSync(file, file.replace(from, to));
  }
  const restored = await started(to);
  t.match(restored.logged(), /another log; rebuilding them, and emptying points and kept responses/);
  await raise(restored, '2022-06-02');
  await sent(2);
  t.match(bodies[before + 1], /"subject":"1-20220602-1"/, 'the next message is a new one');
});
