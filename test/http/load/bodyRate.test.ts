import t from 'tap';
import { BodyTooSlow, requireRate, type BodyRate } from '../../../adapters/http/clientConnection.js';

const rate: BodyRate = { bytesPerSecondMin: 1000, overMs: 10_000, graceMs: 5000 };

/** A clock with timers that runs only when the test advances it. */
const ownClock = () => {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    elapsedMs: () => now,
    after: (ms: number, run: () => void) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Advances the clock; each timer fires at its time. */
    pass: async (ms: number) => {
      const end = now + ms;
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        now = next.at;
        timers.delete(next);
        next.run();
        await new Promise(resolve => setImmediate(resolve));
      }
      now = end;
    },
  };
};

/** Outcome of a body whose chunks arrive after the given waits and are each handled for the given time. */
const outcome = async (
  chunks: readonly { readonly afterMs: number; readonly bytes: number; readonly workMs?: number }[],
  own: BodyRate = rate,
): Promise<string> => {
  const clock = ownClock();
  const body = async function* () {
    for (const { afterMs, bytes } of chunks) {
      await new Promise<void>(resolve => void clock.after(afterMs, resolve));
      yield Buffer.alloc(bytes);
    }
  };
  let ended: string | undefined;
  const read = async () => {
    let got = 0;
    for await (const _ of requireRate(body(), own, clock)) {
      const { workMs = 0 } = chunks[got] ?? {};
      got += 1;
      if (workMs > 0) await new Promise<void>(resolve => void clock.after(workMs, resolve));
    }
    return `${got} chunks`;
  };
  const reading = read().then(
    text => (ended = text),
    (error: unknown) => {
      ended = `${error instanceof BodyTooSlow ? 'too slow' : 'failed'} at ${clock.elapsedMs()}: ${String(error)}`;
    },
  );
  for (let n = 0; n < 2000 && ended === undefined; n += 1) {
    await clock.pass(100);
    await new Promise(resolve => setImmediate(resolve));
  }
  await reading;
  return ended ?? '';
};
/** The first words of an outcome. */
const shortened = (text: string): string => text.replace(/ at .*/, '');
const every = (afterMs: number, bytes: number, count: number, workMs = 0) =>
  Array.from({ length: count }, () => ({ afterMs, bytes, workMs }));

t.test('a body below the minimum rate over the last seconds of waiting is refused', async t => {
  t.equal(
    await outcome(every(1000, 1, 100)),
    'too slow at 5000: BodyTooSlow: got 4 bytes in 5.0 s, expected at least 1000 a second',
    'a byte a second is refused when the first seconds have passed',
  );
  t.match(await outcome([{ afterMs: 200_000, bytes: 1 }]), /^too slow at 5000: .*got 0 bytes/);
  t.equal(await outcome(every(100, 130, 300)), '300 chunks', 'just fast enough');
  t.match(await outcome(every(500, 450, 100)), /^too slow at 5\d{3}: /, 'just too slow');
  t.equal(await outcome(every(1, 65_536, 300)), '300 chunks');
  t.match(
    await outcome([...every(100, 1_000_000, 300), { afterMs: 100_000, bytes: 1 }]),
    /^too slow at 4\d{4}: /,
    'what came before is no credit for more than the stretch that counts',
  );
  t.equal(await outcome([...every(100, 100_000, 100), { afterMs: 8000, bytes: 1 }]), '101 chunks', 'a pause');
});

t.test('the rate counts only the time in which the service waits for the client', async t => {
  t.equal(
    await outcome(every(10, 10, 50, 3000)),
    '50 chunks',
    'we took two and a half minutes, not the client',
  );
  t.equal(await outcome(every(10, 10, 5, 12_000)), '5 chunks', 'each chunk was handled beyond its deadline');
  t.match(await outcome(every(1000, 10, 50, 3000)), /^too slow/);
});

t.test('a minimum rate of 0 accepts any body', async t => {
  t.equal(await outcome(every(10_000, 1, 15), { ...rate, bytesPerSecondMin: 0 }), '15 chunks');
});

t.test('a body that comes without a pause needs no timer for each chunk', async t => {
  const clock = ownClock();
  let timers = 0;
  const counted = {
    elapsedMs: clock.elapsedMs,
    after: (ms: number, run: () => void) => {
      timers += 1;
      return clock.after(ms, run);
    },
  };
  const body = async function* () {
    for (let n = 0; n < 1000; n += 1) yield Buffer.alloc(65_536);
  };
  let chunks = 0;
  for await (const _ of requireRate(body(), rate, counted)) {
    chunks += 1;
    await clock.pass(10);
  }
  t.equal(chunks, 1000);
  t.ok(timers <= 4, `${timers} timers in ten seconds`);
  t.equal(
    await outcome([...every(10, 65_536, 100), { afterMs: 100_000, bytes: 1 }]).then(shortened),
    'too slow',
  );
});
