import t from 'tap';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { StoreUnavailable } from '../../../application/ports/eventStore.js';
import { freshness, readWaitMs, type Seen } from '../../../application/reading/freshness.js';
import { projectionRunner } from '../../../application/reading/projectionRunner.js';
import { chance } from '../../helpers/crash/chance.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import { environmentOf, scheduler as newScheduler } from '../../simulation/scheduler.js';

// One instance whose read models cannot be written for a while, in simulated time.
t.test('freshness: a projection runner that fails on the embedded store', async t => {
  const scheduler = newScheduler(chance(1));
  const environment = environmentOf(scheduler, { name: 'alone', alive: true }, chance(2), 0);
  const store = memoryStore();
  let position = 0n;
  let isDiskBroken = false;
  const runner = projectionRunner({
    store,
    after: () => position,
    apply: (_, through) => {
      if (isDiskBroken) throw new StoreUnavailable('the read models cannot be written');
      position = through.position;
    },
    fault: error => t.fail(String(error)),
    unavailable: () => {},
    environment,
  });
  const rules = freshness({ projections: runner, shared: false, position: () => position, environment });
  /** Advances simulated time until there is a result: the value, or the name of the error. */
  const outcome = async (work: Promise<Seen | void>): Promise<unknown> => {
    let result: { readonly value: unknown } | undefined;
    void work.then(
      value => (result = { value }),
      (error: unknown) => (result = { value: (error as Error).name }),
    );
    while (!result) await scheduler.step();
    return result.value;
  };
  const soon = () => new Promise<void>(resolve => environment.after(200, resolve));

  await store.append('source-1', 'absent', [proposed(1)]);
  await outcome(runner.catchUp());
  t.strictSame(await outcome(rules.forRead()), { position: 1n, ageMs: 0 }, 'the read models have caught up');

  isDiskBroken = true;
  await store.append('source-1', 0, [proposed(2)]);
  runner.wake();
  await outcome(soon());
  t.ok(runner.isFailing());
  const old = (await outcome(rules.forRead())) as Seen;
  t.equal(old.position, 1n, 'reads return stale read models');
  t.ok(old.ageMs > 0, 'the age is reported');
  t.match(await outcome(rules.forRead(3_600_000)), { position: 1n }, 'the client accepts this age');
  const asked = scheduler.nowMs();
  t.equal(await outcome(rules.forRead(0)), 'ReadModelsBehind', 'the client accepts no stale answer');
  t.ok(scheduler.nowMs() - asked >= readWaitMs - 1, 'after the maximum wait');
  const again = scheduler.nowMs();
  t.equal(await outcome(rules.forRead(100)), 'ReadModelsBehind', 'the client accepts a smaller age only');
  t.ok(scheduler.nowMs() - again >= readWaitMs - 1, 'after the maximum wait, too');

  isDiskBroken = false;
  t.strictSame(await outcome(rules.forRead(0)), { position: 2n, ageMs: 0 }, 'the next attempt succeeds');
  t.notOk(runner.isFailing());
  t.strictSame(await outcome(rules.forRead()), { position: 2n, ageMs: 0 });
  await runner.stop();
});
