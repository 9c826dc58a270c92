// The whole service on a fake cluster of EventStoreDB with outages: for each way to name the nodes, an instance works
// again when they are back, without a restart.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { fakeEventStoreDb, type FakeEventStoreDb } from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

t.jobs = 3;
/** A short discovery, so that it ends while the nodes are away. */
const options = 'tls=false&maxDiscoverAttempts=2&discoveryInterval=20&gossipTimeout=30';

/** The ways to name the nodes of a cluster. */
const named = {
  'the first node': ([first]: readonly number[]) => `esdb://127.0.0.1:${first}?${options}`,
  'a discovered seed': ([first]: readonly number[]) => `esdb+discover://127.0.0.1:${first}?${options}`,
  'several hosts': (ports: readonly number[]) =>
    `esdb://${ports.map(port => `127.0.0.1:${port}`).join(',')}?${options}`,
};

type Given = { readonly days: readonly { readonly status: string }[] };

/** A service on the cluster with one source that has its models. */
const running = async (t: Test, cluster: FakeEventStoreDb, url: string) => {
  t.teardown(cluster.close);
  const { call } = await startService(t, { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: url });
  const json = { name: 'plant', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60), calendar: 'FR' };
  const made = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  const sourceId = made.body.source.id;
  await analysed(call, sourceId);
  const health = async () => (await call('GET', '/health')).status;
  return {
    call,
    /** Waits until /health has the given answer. */
    healthy: (status: number) =>
      eventually(`health ${status}`, async () => ((await health()) === status ? true : undefined)),
    /** Asserts that all parts of a request work: appends, the subscription, the group of checks, reads. */
    expectWork: async (t: Test, date: string) => {
      const days = [ordinaryDay(date)];
      const imported = await call<Given>('POST', '/v1/import/days', { json: { sourceId, days } });
      t.equal(imported.status, 200, `the import of ${date} is checked before it is answered`);
      const [day] = imported.body.days ?? [];
      t.match(day, { status: 'normal' });
      const { body } = await call<{ days: { date: string }[] }>('GET', `/v1/day/list/${sourceId}/2023`);
      t.ok(
        body.days.some(day => day.date === date),
        'and it can be read',
      );
    },
  };
};

for (const [name, urlOf] of Object.entries(named))
  void t.test(`an instance recovers from an outage of all nodes, named by ${name}`, async t => {
    const cluster = await fakeEventStoreDb(name === 'several hosts' ? 3 : 1);
    const { healthy, expectWork } = await running(t, cluster, urlOf(cluster.ports));
    await expectWork(t, '2023-01-01');
    for (const date of ['2023-01-02', '2023-01-03']) {
      await cluster.away();
      await healthy(503);
      // Longer than a discovery.
      await sleep(1500);
      await cluster.back();
      await healthy(200);
      await expectWork(t, date);
    }
  });

void t.test('an instance recovers from a cluster without a quorum', async t => {
  const cluster = await fakeEventStoreDb(3);
  const { healthy, expectWork } = await running(t, cluster, named['several hosts'](cluster.ports));
  cluster.lead(undefined);
  cluster.drop();
  await healthy(503);
  await sleep(1500);
  cluster.lead(2);
  await healthy(200);
  await expectWork(t, '2023-01-01');
});

void t.test('an instance works without the only seed while the other nodes run', async t => {
  const cluster = await fakeEventStoreDb(3);
  cluster.lead(1);
  const { healthy, expectWork } = await running(t, cluster, named['a discovered seed'](cluster.ports));
  await cluster.away(0);
  await expectWork(t, '2023-01-01');
  cluster.drop();
  await healthy(503);
  await sleep(1500);
  await cluster.back(0);
  await healthy(200);
  await expectWork(t, '2023-01-02');
});

for (const name of ['a discovered seed', 'several hosts'] as const)
  void t.test(`an instance recovers when one leader after the other fails, named by ${name}`, async t => {
    const cluster = await fakeEventStoreDb(3);
    const { expectWork, healthy } = await running(t, cluster, named[name](cluster.ports));
    const changes = [
      { from: 0, to: 1, goesAway: false },
      { from: 1, to: 2, goesAway: true },
      { from: 2, to: 0, goesAway: true },
      { from: 0, to: 1, goesAway: true },
    ];
    for (const [n, { from, to, goesAway }] of changes.entries()) {
      cluster.lead(to);
      if (goesAway) await cluster.away(from);
      if (from === 0 && goesAway && name === 'a discovered seed') {
        await sleep(1500);
        await cluster.back(from);
      }
      await expectWork(t, `2023-01-0${n + 1}`);
      await healthy(200);
      await cluster.back(from);
    }
  });
