import t from 'tap';
import { memoryStore } from '../../adapters/memory/memoryStore.js';
import { StoreUnavailable } from '../../application/eventStore.js';
import { freshness, readWaitMs, type Seen } from '../../application/freshness.js';
import { projectionRunner } from '../../application/projecting/projectionRunner.js';
import { chance } from '../helpers/crash/chance.js';
import { proposed } from '../helpers/storeContract.js';
import { environmentOf, scheduler as newScheduler } from '../simulation/scheduler.js';

// An instance alone whose read models cannot be written for a while, in virtual time.
t.test('a projection runner that fails on the embedded store', async t => {
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
  /** Steps through virtual time until the result is there: what was seen, or the name of the error. */
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
  t.strictSame(await outcome(rules.forRead()), { position: 1n, ageMs: 0 }, 'level with the log');

  isDiskBroken = true;
  await store.append('source-1', 0, [proposed(2)]);
  runner.wake();
  await outcome(soon());
  t.ok(runner.isFailing());
  const old = (await outcome(rules.forRead())) as Seen;
  t.equal(old.position, 1n, 'reads go on with what is there');
  t.ok(old.ageMs > 0, 'and tell its age');
  t.match(await outcome(rules.forRead(3_600_000)), { position: 1n }, 'so they do where the client allows it');
  const asked = scheduler.nowMs();
  t.equal(await outcome(rules.forRead(0)), 'ReadModelsBehind', 'no old answer where the client allows none');
  t.ok(scheduler.nowMs() - asked >= readWaitMs - 1, 'after the longest wait');

  isDiskBroken = false;
  t.strictSame(await outcome(rules.forRead(0)), { position: 2n, ageMs: 0 }, 'the next try is the cure');
  t.notOk(runner.isFailing());
  t.strictSame(await outcome(rules.forRead()), { position: 2n, ageMs: 0 });
  await runner.stop();
});
