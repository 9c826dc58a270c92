// Notifications of new events with faults of the server.
import { setTimeout as after } from 'node:timers/promises';
import { watch } from '../../../adapters/eventstoredb/subscriptions.js';
import {
  brokenAfter,
  refuses,
  silent,
  tooSlow,
  unavailable,
  type Line,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { id } from '../../helpers/data/samples.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import {
  quiet,
  until,
  prefix,
  faultTest,
  keptCalls,
  breaks,
  recordingLog,
  watched,
  finished,
} from '../../helpers/eventStoreDb/eventStoreDbFaults.js';

faultTest('watch: notifies when subscribed, and for events of the log only', async (t, parts) => {
  const { server, store } = parts;
  await store.append('source-1', 'absent', [proposed(0)]);
  const { counted, said } = watched(t, parts);
  await until('it is subscribed', () => counted.wakes === 1);
  server.write('source-1', { id: id(1) });
  server.write(`${prefix}answers-1`, { id: id(2) });
  await store.append('days-1', 'absent', [proposed(3)]);
  await until('it was woken', () => counted.wakes === 2);
  for (const stream of ['catalog', 'source-2', 'alerts-1'])
    await store.append(stream, 'absent', [proposed(4)]);
  await until('it was woken', () => counted.wakes === 5);
  server.write(`${prefix}source-1`, ...Array.from({ length: 500 }, (_, n) => ({ id: id(100 + n) })));
  await until('a burst has come', () => counted.wakes === 505);
  t.strictSame(said, []);
});

for (const name of [
  'UNAVAILABLE',
  'a raw INTERNAL',
  'a broken connection',
  'Consumer too slow',
  'a plain end',
])
  faultTest(`watch: a subscription ended by ${name} is reopened`, async (t, parts) => {
    const { server } = parts;
    const how =
      breaks(server)[name] ??
      (name === 'a plain end' ? (line: Line) => line.end() : (line: Line) => line.fail(tooSlow));
    server.next('subscribe', brokenAfter(1, how), brokenAfter(0, how), brokenAfter(4, how));
    const { counted, said } = watched(t, parts);
    await until('the third is subscribed', () => counted.wakes === 2);
    server.write(`${prefix}source-1`, { id: id(0) }, { id: id(1) }, { id: id(2) }, { id: id(3) });
    await until('the fourth is subscribed', () => counted.wakes === 6);
    server.write(`${prefix}source-1`, { id: id(4) });
    await until('the fourth notifies', () => counted.wakes === 7);
    t.match(server.count('subscribe'), { calls: 4, open: 1, mostOpen: 1 }, 'one at a time');
    t.equal(said.length, 3, 'each end is logged');
    await until('the client keeps one call', () => keptCalls(parts.connection) === 1);
  });

faultTest('watch: exponential backoff, reset by an event', async (t, parts) => {
  const { server } = parts;
  server.always(
    'subscribe',
    brokenAfter(1, line => line.end()),
  );
  const { counted } = watched(t, parts);
  await after(900);
  // At the earliest after pauses of 50, 100, 200 and 400 ms.
  t.ok(counted.wakes <= 5, `${counted.wakes} subscriptions`);
  await until('it has been tried', () => counted.wakes >= 4);
  server.always('subscribe');
  const { calls } = server.count('subscribe');
  await until(
    'one is subscribed',
    () => server.count('subscribe').calls > calls && server.count('subscribe').open === 1,
  );
  let written = 0;
  const notified = async () => {
    const { wakes } = counted;
    server.write(`${prefix}source-1`, { id: id((written += 1)) });
    await until('it notifies', () => counted.wakes > wakes);
  };
  const pauses: number[] = [];
  // The first pause, not the sixth of 1600 ms, in one round of a few: a busy machine makes some of them longer.
  while (pauses.length < 5 && !pauses.some(ms => ms < 1500)) {
    // The first notification may be that of the subscription.
    await notified();
    await notified();
    const before = server.count('subscribe').calls;
    const begun = performance.now();
    server.drop();
    await until('one is subscribed again', () => {
      const { calls, open } = server.count('subscribe');
      return calls > before && open === 1;
    });
    pauses.push(performance.now() - begun);
  }
  t.ok(Math.min(...pauses) < 1500, `${pauses.map(Math.round)} ms`);
});

faultTest('watch: continues after an outage of the server', async (t, parts) => {
  const { server, connection } = parts;
  const { counted, said } = watched(t, parts);
  await until('it is subscribed', () => counted.wakes === 1);
  await server.away();
  await until('attempts failed', () => said.length >= 4);
  t.equal(counted.wakes, 1);
  server.write(`${prefix}source-1`, { id: id(0) });
  await server.back();
  await until('it is subscribed again', () => counted.wakes === 2);
  server.write(`${prefix}source-1`, { id: id(1) });
  await until('it notifies', () => counted.wakes === 3);
  t.equal(server.count('subscribe').mostOpen, 1);
  await until('the client keeps one call', () => keptCalls(connection) === 1);
});

faultTest('watch: an unconfirmed subscription is cancelled and reopened', async (t, parts) => {
  const { server } = parts;
  server.next('subscribe', silent, silent);
  const { counted } = watched(t, parts, 500);
  await until('the third is subscribed', () => counted.wakes === 1);
  t.match(server.count('subscribe'), { calls: 3, open: 1, mostOpen: 1, cancelled: 2 });
  await after(700);
  t.equal(server.count('subscribe').calls, 3, 'a subscription may be without events');
});

faultTest('watch: stop ends notifications, calls and log lines', async (t, parts) => {
  const { server, connection } = parts;
  const isOver = async (phase: string, { counted, said, stop }: ReturnType<typeof watched>) => {
    await stop();
    const { wakes } = counted;
    await quiet(50);
    await until(`the call has ended ${phase}`, () => server.count('subscribe').open === 0);
    const { calls } = server.count('subscribe');
    server.write(`${prefix}source-1`, { id: id(calls) });
    const words = said.length;
    await quiet(150);
    t.equal(counted.wakes, wakes, `no notification ${phase}`);
    t.equal(server.count('subscribe').calls, calls, `no call ${phase}`);
    t.equal(said.length, words, `no log line ${phase}`);
    await until(`nothing is left ${phase}`, () => keptCalls(connection) === 0);
    await stop();
  };
  const standing = watched(t, parts);
  await until('it is subscribed', () => standing.counted.wakes === 1);
  await isOver('of a subscribed watch', standing);

  await isOver('of a new watch', watched(t, parts));

  server.next('subscribe', silent);
  const { calls } = server.count('subscribe');
  const waiting = watched(t, parts);
  await until('it was called', () => server.count('subscribe').calls > calls);
  await isOver('of a watch that waits for confirmation', waiting);

  server.always('subscribe', refuses(unavailable));
  const pausing = watched(t, parts);
  await until('it pauses', () => pausing.said.length === 3);
  await isOver('of a watch that waits to retry', pausing);
});

faultTest('watch: stop during a burst of events', async (t, { server, connection }) => {
  let wakes = 0;
  let stopping: Promise<void> | undefined;
  const wake = () => {
    wakes += 1;
    if (wakes === 3) stopping = kept.stop();
  };
  const kept = watch(connection, wake, recordingLog().log);
  await until('it is subscribed', () => wakes === 1);
  server.write(`${prefix}source-1`, ...Array.from({ length: 30 }, (_, n) => ({ id: id(n) })));
  await until('it was stopped', () => stopping !== undefined);
  await stopping;
  await quiet(50);
  t.equal(wakes, 3);
});

await finished();
