import t from 'tap';
import { waitersFor } from '../../../application/reading/freshness.js';

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
