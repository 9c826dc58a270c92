// Two instances on one event store share the deliveries of webhooks.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Attempt } from '../../../application/ports/deliveries.js';
import { fakeEventStoreDb } from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import {
  analysed,
  eventually,
  ordinaryDay,
  ordinaryDays,
  partOf,
  startService,
} from '../../helpers/service.js';

t.test('two instances deliver each message, and both report its deliveries', async t => {
  const server = await fakeEventStoreDb();
  t.teardown(() => server.close());
  const env = {
    EVENT_STORE: 'eventstoredb',
    EVENTSTOREDB_URL: server.url,
    JWT_SECRET: 'a secret that both instances know, of 32 bytes',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  const root = t.testdir();
  /** Starts an instance with a separate data folder. */
  const start = (name: string) => startService(partOf(t, name, root), env);
  const [one, other] = [await start('one'), await start('other')];

  const received: { readonly id: string; readonly subject: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(JSON.parse(body) as (typeof received)[number]);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

  const days = ordinaryDays('2022-01-01', 60);
  await one.call('POST', '/v1/import/create-source', { json: { name: 'hall', referenceYear: 2022, days } });
  await analysed(one.call, 1);
  const created = await one.call<{ id: string }>('POST', '/v1/webhook/create', {
    json: { url, events: ['alert.raised'] },
  });
  const raise = async (call: typeof one.call, date: string): Promise<string> => {
    const activity = ordinaryDay(date).activity.map(value => value + 999);
    const { body } = await call<{ alerts: { raised: readonly { id: string }[] } }>(
      'POST',
      '/v1/import/days',
      {
        json: { sourceId: 1, days: [{ date, activity }] },
      },
    );
    return body.alerts.raised[0]?.id ?? '';
  };
  const subjects = () => [...new Set(received.map(({ subject }) => subject))];
  const arrived = (count: number) =>
    eventually(`${count} messages`, () => (subjects().length >= count ? true : undefined));
  const ids = [await raise(one.call, '2022-04-01'), await raise(other.call, '2022-04-04')];
  await arrived(2);
  t.strictSame(subjects(), ids, 'in their order');

  const attemptsSeenBy = async (call: typeof one.call): Promise<readonly Attempt[]> =>
    (await call<{ deliveries: readonly Attempt[] }>('GET', `/v1/webhook/${created.body.id}/deliveries`)).body
      .deliveries;
  await eventually('both attempts', async () =>
    (await attemptsSeenBy(one.call)).length >= 2 ? true : undefined,
  );
  t.strictSame(await attemptsSeenBy(one.call), await attemptsSeenBy(other.call), 'one list for both');

  await one.stop();
  ids.push(await raise(other.call, '2022-04-05'));
  await arrived(3);
  t.strictSame(subjects(), ids, 'the other instance delivers alone');
});
