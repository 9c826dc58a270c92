import t from 'tap';
import { waitersFor } from '../../../application/reading/freshness.js';
import { allCheckedInTime } from '../../../application/requests/service.js';
import type { ReadModels } from '../../../projections/readModels.js';

/** Timers that the test ends. */
const ownTimers = () => {
  const set: { readonly ms: number; readonly run: () => void }[] = [];
  return { set, after: (ms: number, run: () => void) => (set.push({ ms, run }), () => {}) };
};

t.test('a request waits ten seconds for its outcome, or for the given time', async t => {
  for (const [given, ms] of [
    [undefined, 10_000],
    [7, 7],
  ] as const) {
    const { set, after } = ownTimers();
    const waiting = waitersFor({ after }, given).outcome(() => undefined);
    t.equal(set[0]?.ms, ms);
    set[0]?.run();
    t.equal(await waiting, undefined);
  }
});

t.test('a condition is looked at again at each notice; its error ends the wait', async t => {
  const { notify, outcome } = waitersFor(ownTimers());
  let found: string | undefined;
  const waiting = outcome(() => found);
  notify();
  found = 'done';
  notify();
  t.equal(await waiting, 'done');
  let isBroken = false;
  const failing = outcome(() => {
    if (isBroken) throw new Error('broken');
    return undefined;
  });
  isBroken = true;
  notify();
  await t.rejects(failing, { message: 'broken' });
});

t.test('a request that waits for many checks of a source looks at the first that is not over', async t => {
  const waiters = waitersFor(ownTimers());
  const over = new Set<string>();
  let looks = 0;
  const check = (cause: string) => ((looks += 1), { complete: over.has(cause) });
  const models = { days: { check }, followUps: { isGrouped: () => true } } as unknown as ReadModels;
  const causes = Array.from({ length: 1000 }, (_, index) => `cause ${index}`);
  const waiting = allCheckedInTime({ models, waiters }, causes);
  for (const cause of causes) {
    over.add(cause);
    waiters.notify();
  }
  t.equal(await waiting, true);
  t.equal(looks, 2 * causes.length);

  const { set, after } = ownTimers();
  const late = allCheckedInTime({ models, waiters: waitersFor({ after }) }, [...causes, 'another']);
  set[0]?.run();
  t.equal(await late, false, 'not all in time');
});
