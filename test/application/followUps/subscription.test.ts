import { Database } from '../../../adapters/sqlite/driver.js';
import { system } from '../../../adapters/environment.js';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import {
  logSubscription,
  bothSubscriptions,
  type Delivered,
} from '../../../application/followUps/subscription.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { readModels } from '../../../projections/readModels.js';
import { id } from '../../helpers/data/samples.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import { longestMs } from '../../helpers/waits.js';

const plan = (n: number, at = '2024-01-31T00:00:00.000Z') => ({ ...proposed(n, {}, 'DayPlanned'), at });

/** A subscription to a log in memory; `begin` starts a consumer. */
const subscriptionOf = (t: Test, parts: Partial<Parameters<typeof logSubscription>[0]> = {}) => {
  const db = new Database(':memory:');
  const models = readModels(db);
  const store = memoryStore();
  const faults: unknown[] = [];
  const begin = () => {
    const delivered: Delivered[] = [];
    const subscription = logSubscription({
      store,
      models,
      fault: error => faults.push(error),
      environment: system,
      ...parts,
    });
    subscription.start(async batch => void delivered.push(...batch));
    return { delivered, subscription };
  };
  t.teardown(() => db.close());
  return { store, models, faults, begin };
};
const until = async (look: () => boolean): Promise<void> => {
  for (const since = performance.now(); !look(); await sleep(2))
    if (performance.now() - since > longestMs) throw new Error('waited too long');
};
const idsOf = (delivered: readonly Delivered[]) => delivered.map(({ event }) => event.id);

t.test('subscription: the checkpoint is the last event before the first unhandled one', async t => {
  const { store, models, begin } = subscriptionOf(t);
  // Other events are in between: positions of delivered events are not consecutive.
  await store.append('source-1', 'absent', [plan(1), proposed(2), plan(3), proposed(4), plan(5)]);
  const first = begin();
  await until(() => first.delivered.length === 3);
  const checkpoint = () => models.checkpoint('reactor').position;
  t.equal(checkpoint(), 0n);
  first.delivered[1]?.done();
  await sleep(5);
  t.equal(checkpoint(), 0n, 'the first is not handled');
  first.delivered[0]?.done();
  await sleep(5);
  t.equal(checkpoint(), 3n, 'up to the second, which is handled');
  await first.subscription.stop();
  const second = begin();
  await until(() => second.delivered.length === 1);
  t.strictSame(idsOf(second.delivered), [id(5)], 'unhandled events are delivered again');
  second.delivered[0]?.done();
  await second.subscription.stop();
  t.equal(checkpoint(), 5n);
});

t.test('subscription: overdue events are delivered late and marked', async t => {
  const { store, begin } = subscriptionOf(t, { overdueMs: 300 });
  await store.append('source-1', 'absent', [plan(1)]);
  const { delivered, subscription } = begin();
  await until(() => delivered.length === 1);
  t.match(delivered[0], { isOverdue: true }, 'an old event is delivered immediately');
  const at = Date.now();
  await store.append('source-1', 0, [plan(2, new Date(at).toISOString())]);
  subscription.wake();
  await until(() => delivered.length === 2);
  t.ok(Date.now() - at >= 300, 'not before');
  await store.append('source-1', 1, [plan(3, new Date(Date.now() + 60_000).toISOString())]);
  subscription.wake();
  await sleep(20);
  await subscription.stop();
  t.strictSame(idsOf(delivered), [id(1), id(2)], 'stop does not wait for events that are not due');
});

t.test('subscription: an event of a clock that was ahead is overdue like one of now', async t => {
  const { store, begin } = subscriptionOf(t, { overdueMs: 100 });
  await store.append('source-1', 'absent', [plan(1, new Date(Date.now() + 30 * 86_400_000).toISOString())]);
  const at = performance.now();
  const { delivered, subscription } = begin();
  await until(() => delivered.length === 1);
  t.ok(performance.now() - at >= 100, 'not before');
  await subscription.stop();
});

t.test('subscription: a failure is a fault, or handled by `failed` and acknowledged', async t => {
  const failures: unknown[] = [];
  const handling = subscriptionOf(t, { failed: error => failures.push(error) });
  await handling.store.append('source-1', 'absent', [plan(1)]);
  const { delivered, subscription } = handling.begin();
  await until(() => delivered.length === 1);
  delivered[0]?.failed('no');
  await subscription.stop();
  t.strictSame([failures, handling.faults, handling.models.checkpoint('reactor').position], [['no'], [], 1n]);

  const unhandling = subscriptionOf(t);
  await unhandling.store.append('source-1', 'absent', [plan(1)]);
  const other = unhandling.begin();
  await until(() => other.delivered.length === 1);
  other.delivered[0]?.failed('no');
  await other.subscription.stop();
  t.strictSame([unhandling.faults, unhandling.models.checkpoint('reactor').position], [['no'], 0n]);
});

t.test('subscription: two combined deliver the events of both', async t => {
  const [one, other] = [subscriptionOf(t), subscriptionOf(t)];
  await one.store.append('source-1', 'absent', [plan(1)]);
  await other.store.append('source-2', 'absent', [plan(2)]);
  const checkpointOf = ({ store, models }: typeof one) =>
    logSubscription({ store, models, fault: error => t.fail(String(error)), environment: system });
  const both = bothSubscriptions(checkpointOf(one), checkpointOf(other));
  const delivered: Delivered[] = [];
  both.start(async batch => void delivered.push(...batch));
  await until(() => delivered.length === 2);
  await one.store.append('source-1', 0, [plan(3)]);
  await other.store.append('source-2', 0, [plan(4)]);
  both.wake();
  await until(() => delivered.length === 4);
  await both.stop();
  t.strictSame(idsOf(delivered).sort(), [1, 2, 3, 4].map(id).sort());
});
