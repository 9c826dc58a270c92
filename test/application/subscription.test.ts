import { Database } from '../../adapters/sqlite/driver.js';
import { system } from '../../adapters/environment.js';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import {
  logSubscription,
  bothSubscriptions,
  type Delivered,
} from '../../application/processManager/subscription.js';
import { memoryStore } from '../../adapters/memory/memoryStore.js';
import { readModels } from '../../projections/readModels.js';
import { id } from '../helpers/samples.js';
import { proposed } from '../helpers/storeContract.js';

const plan = (n: number, at = '2024-01-31T00:00:00.000Z') => ({ ...proposed(n, {}, 'DayPlanned'), at });

/** Deliveries of a log in memory with events of which none or some are to be delivered. */
const delivering = (t: Test, parts: Partial<Parameters<typeof logSubscription>[0]> = {}) => {
  const db = new Database(':memory:');
  const models = readModels(db);
  const store = memoryStore();
  const faults: unknown[] = [];
  const begin = () => {
    const brought: Delivered[] = [];
    const subscription = logSubscription({
      store,
      models,
      fault: error => faults.push(error),
      environment: system,
      ...parts,
    });
    subscription.start(async batch => void brought.push(...batch));
    return { brought, subscription };
  };
  t.teardown(() => db.close());
  return { store, models, faults, begin };
};
const until = async (look: () => boolean): Promise<void> => {
  for (const since = performance.now(); !look(); await sleep(2))
    if (performance.now() - since > 10_000) throw new Error('waited too long');
};
const idsOf = (brought: readonly Delivered[]) => brought.map(({ event }) => event.id);

t.test('the checkpoint stays behind the first event that is not done, at an event', async t => {
  const { store, models, begin } = delivering(t);
  // Others lie between: positions of what is delivered are no neighbours.
  await store.append('source-1', 'absent', [plan(1), proposed(2), plan(3), proposed(4), plan(5)]);
  const first = begin();
  await until(() => first.brought.length === 3);
  const checkpoint = () => models.checkpoint('reactor').position;
  t.equal(checkpoint(), 0n);
  first.brought[1]?.done();
  await sleep(5);
  t.equal(checkpoint(), 0n, 'the first is not done');
  first.brought[0]?.done();
  await sleep(5);
  t.equal(checkpoint(), 3n, 'up to the second, which is done');
  await first.subscription.stop();
  const second = begin();
  await until(() => second.brought.length === 1);
  t.strictSame(idsOf(second.brought), [id(5)], 'what is not done comes again');
  second.brought[0]?.done();
  await second.subscription.stop();
  t.equal(checkpoint(), 5n);
});

t.test('overdue events are delivered when they are overdue, and marked', async t => {
  const { store, begin } = delivering(t, { overdueMs: 300 });
  await store.append('source-1', 'absent', [plan(1)]);
  const { brought, subscription } = begin();
  await until(() => brought.length === 1);
  t.match(brought[0], { isOverdue: true }, 'an old one at once');
  const at = Date.now();
  await store.append('source-1', 0, [plan(2, new Date(at).toISOString())]);
  subscription.wake();
  await sleep(100);
  t.equal(brought.length, 1);
  await until(() => brought.length === 2);
  t.ok(Date.now() - at >= 300);
  await store.append('source-1', 1, [plan(3, new Date(Date.now() + 60_000).toISOString())]);
  subscription.wake();
  await sleep(20);
  await subscription.stop();
  t.strictSame(idsOf(brought), [id(1), id(2)], 'a stop waits for nothing');
});

t.test('a failed reaction is a fault, or what is said instead, and then it is done with', async t => {
  const failures: unknown[] = [];
  const told = delivering(t, { failed: error => failures.push(error) });
  await told.store.append('source-1', 'absent', [plan(1)]);
  const { brought, subscription } = told.begin();
  await until(() => brought.length === 1);
  brought[0]?.failed('no');
  await subscription.stop();
  t.strictSame([failures, told.faults, told.models.checkpoint('reactor').position], [['no'], [], 1n]);

  const untold = delivering(t);
  await untold.store.append('source-1', 'absent', [plan(1)]);
  const other = untold.begin();
  await until(() => other.brought.length === 1);
  other.brought[0]?.failed('no');
  await other.subscription.stop();
  t.strictSame([untold.faults, untold.models.checkpoint('reactor').position], [['no'], 0n]);
});

t.test('two together bring what each brings', async t => {
  const [one, other] = [delivering(t), delivering(t)];
  await one.store.append('source-1', 'absent', [plan(1)]);
  await other.store.append('source-2', 'absent', [plan(2)]);
  const of = ({ store, models }: typeof one) =>
    logSubscription({ store, models, fault: error => t.fail(String(error)), environment: system });
  const both = bothSubscriptions(of(one), of(other));
  const brought: Delivered[] = [];
  both.start(async batch => void brought.push(...batch));
  await until(() => brought.length === 2);
  await one.store.append('source-1', 0, [plan(3)]);
  await other.store.append('source-2', 0, [plan(4)]);
  both.wake();
  await until(() => brought.length === 4);
  await both.stop();
  t.strictSame(idsOf(brought).sort(), [1, 2, 3, 4].map(id).sort());
});
