// The adapter with a real EventStoreDB; faults are tested with a fake one.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { groupSubscription, replayParked, type GroupParts } from '../../adapters/eventstoredb/group.js';
import { streamExpiry } from '../../adapters/eventstoredb/store.js';
import { keptResponsesOn } from '../../adapters/http/idempotency/sharedKeptResponses.js';
import { openLog } from '../../adapters/composition/openLog.js';
import type { KnownEvent, Proposed } from '../../domain/events.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb/eventStoreDb.js';
import { fakeEventStoreDb } from '../helpers/eventStoreDb/fakeEventStoreDb.js';
import { factsOf, id, instant } from '../helpers/data/samples.js';
import { listed, proposed, storeContract } from '../helpers/logs/storeContract.js';

const skip = withoutEventStoreDb;

storeContract('eventstoredb', () => openLog(newAddress()), { skip, anyIdOnce: false });
storeContract(
  'eventstoredb, a fake server',
  async () => {
    const server = await fakeEventStoreDb();
    const { close, ...store } = await openLog({ kind: 'eventstoredb', url: server.url, prefix: 't-' });
    return { ...store, close: () => close().then(server.close) };
  },
  { anyIdOnce: false },
);

/** Events that the process manager handles, one per source. */
const created = (n: number): Proposed => ({
  ...proposed(n, { ...factsOf(n), requestId: id(n), seed: 1 }, 'SourceCreated'),
});

/** A log on the server, and instances that share its work. */
const sharing = async (t: Test) => {
  const log = await openLog(newAddress());
  t.teardown(log.close);
  const { shared } = log;
  if (!shared) throw new Error('a log that is not shared');
  const silent = pino({ level: 'silent' });
  const fault = (error: unknown) => t.fail(String(error));
  const instance = async (
    react: (event: KnownEvent) => boolean | 'hang',
    parts: Pick<GroupParts, 'history' | 'kinds'> = {},
  ) => {
    const group = groupSubscription({ ...shared, fault, log: silent, ...parts });
    await group.prepare();
    group.start(async ([delivered]) => {
      if (!delivered) return;
      const reaction = react(delivered.event);
      if (reaction === true) delivered.done();
      else if (reaction === false) delivered.failed(new Error('it fails'));
    });
    t.teardown(group.stop);
    return group;
  };
  return { log, connection: shared.connection, instance };
};

const until = async (awaited: string, look: () => boolean): Promise<void> => {
  for (const since = performance.now(); !look(); await sleep(20))
    if (performance.now() - since > 20_000) throw new Error(`waited for ${awaited}`);
};

t.test('eventstoredb: instances share events, each is handled by one', { skip }, async t => {
  const { log, instance } = await sharing(t);
  const received: string[][] = [[], []];
  for (const own of received) await instance(({ stream }) => own.push(stream) > 0);
  const count = 40;
  for (let n = 1; n <= count; n += 1) await log.append(`source-${n}`, 'absent', [created(n)]);
  await log.append('alerts-1', 'absent', [proposed(900)]);
  await until('all events', () => received.flat().length >= count);
  await sleep(200);
  t.strictSame(received.flat().sort(), Array.from({ length: count }, (_, n) => `source-${n + 1}`).sort());
  t.ok(received[0]?.length && received[1]?.length, `${received[0]?.length} and ${received[1]?.length}`);
});

t.test('eventstoredb: unhandled events of an instance are delivered to another', { skip }, async t => {
  const { log, instance } = await sharing(t);
  const hung: string[] = [];
  const first = await instance(({ stream }) => (hung.push(stream), 'hang'));
  await log.append('source-1', 'absent', [created(1)]);
  await until('the event', () => hung.length === 1);
  const done: string[] = [];
  await instance(({ stream }) => done.push(stream) > 0);
  await sleep(200);
  t.strictSame(done, [], 'the first instance has the event');
  await first.stop();
  await until('the event again', () => done.length === 1);
  t.strictSame(done, ['source-1']);
});

t.test('eventstoredb: an event that keeps failing is parked, and can be replayed', { skip }, async t => {
  const { log, connection, instance } = await sharing(t);
  let works = false;
  const tries: string[] = [];
  const group = await instance(({ stream }) => tries.push(stream) > 0 && (works || stream !== 'source-1'));
  t.equal(await replayParked(connection), 0);
  await log.append('source-1', 'absent', [created(1)]);
  await log.append('source-2', 'absent', [created(2)]);
  await until('the parked event', () => group.state()?.parked === 1);
  t.equal(tries.filter(stream => stream === 'source-1').length, 6, 'tried six times');
  t.equal(tries.filter(stream => stream === 'source-2').length, 1, 'other events are delivered');
  works = true;
  t.equal(await replayParked(connection), 1);
  await until('an empty parking lot', () => group.state()?.parked === 0);
  t.equal(tries.filter(stream => stream === 'source-1').length, 7);
});

t.test('eventstoredb: a new group begins where work is left, and counts all of it', { skip }, async t => {
  const { log, instance } = await sharing(t);
  const [together, count] = [500, 3000];
  for (let n = 0; n < count; n += together) {
    const events = Array.from({ length: together }, (_, index) => created(n + index));
    await log.append('source-1', n === 0 ? 'absent' : n - 1, [events[0] as Proposed, ...events.slice(1)]);
  }
  const positions = (await listed(log.all(0n))).map(({ position }) => position);
  const countAfter = (after: bigint): number => positions.filter(position => position > after).length;
  const begin = async (name: string, done: bigint) => {
    const received: bigint[] = [];
    const history = { doneUpTo: () => done, countAfter };
    const kinds = [{ name, types: ['SourceCreated'] as const }];
    const group = await instance(({ position }) => received.push(position) > 0 && 'hang', { history, kinds });
    return { received, state: group.state };
  };
  // The server's buffers have at most 1,000 events.
  const whole = await begin('whole', 0n);
  await until('all are counted', () => whole.state()?.undone === count);
  const left = await begin('left', positions[count - 10] ?? 0n);
  await until('the last ones', () => left.received.length === 10);
  t.strictSame(left.received, positions.slice(-10));
  await until('the last are counted', () => left.state()?.undone === 10);
  const misplaced = await begin('misplaced', (positions[count - 10] ?? 0n) + 1n);
  await until('the first', () => misplaced.received.length > 0);
  t.equal(misplaced.received[0], positions[0], 'a position that no event has is not used');
});

t.test('eventstoredb: kept responses are shared, and expire after a week', { skip }, async t => {
  const log = await openLog(newAddress());
  t.teardown(log.close);
  const { connection } = log.shared ?? {};
  if (!connection) throw new Error('a log that is not shared');
  const [one, other, third] = [0, 1, 2].map(() => keptResponsesOn(log, streamExpiry(connection)));
  const begun = await one?.begin('anna', 'key', 'digest', instant(1));
  t.match(begun, { isRetry: false });
  t.match(await other?.begin('anna', 'key', 'digest', instant(1)), {
    isRetry: true,
    id: (begun as { id: string }).id,
  });
  const answer = { status: 200, body: { text: randomBytes(1_500_000).toString('hex') } };
  await one?.keep('anna', 'key', answer);
  t.strictSame(await third?.begin('anna', 'key', 'digest', instant(2)), { answer }, 'three megabytes');
  await t.rejects(async () => third?.begin('anna', 'key', 'another', instant(2)), { code: 'keyReused' });
  const streams: string[] = [];
  for await (const { event } of connection.client.readAll({
    direction: 'backwards',
    fromPosition: 'end',
    maxCount: 20,
  }))
    if (event?.streamId.includes(`${connection.prefix}answers-`)) streams.push(event.streamId);
  const stream = streams.find(name => !name.startsWith('$$')) ?? '';
  const { metadata } = await connection.client.getStreamMetadata(stream);
  t.equal(metadata?.maxAge, 7 * 86_400);
  t.strictSame(await listed(log.all(0n)), [], 'they are not in the log');
});

t.test('eventstoredb: foreign events on the server are read once', { skip }, async t => {
  const [own, other] = [await openLog(newAddress()), await openLog(newAddress())];
  t.teardown(own.close);
  t.teardown(other.close);
  const { client } = own.shared?.connection ?? {};
  if (!client) throw new Error('a log that is not shared');
  const begun: unknown[] = [];
  const { readAll } = client;
  client.readAll = ((options: { readonly fromPosition: unknown }) => {
    begun.push(options.fromPosition);
    return readAll.call(client, options as Parameters<typeof readAll>[0]);
  }) as typeof readAll;

  await own.append('catalog', 'absent', [proposed(1)]);
  const position = (await listed(own.all(0n))).at(-1)?.position ?? 0n;
  for (let n = 0; n < 5; n += 1)
    await other.append('catalog', n === 0 ? 'absent' : n - 1, [proposed(10 + n)]);
  const end = (await listed(other.all(0n))).at(-1)?.position ?? 0n;
  t.strictSame(await listed(own.all(position)), []);
  t.strictSame(await listed(own.all(position)), []);
  const [, first, second] = begun as { readonly commit: bigint }[];
  t.equal(first?.commit, position);
  t.ok(second && second.commit >= end, 'from the last read position, not from the last event of Daybook');
  await own.append('catalog', 0, [proposed(2)]);
  await other.append('catalog', 4, [proposed(20)]);
  t.strictSame(
    (await listed(own.all(position))).map(({ id: one }) => one),
    [id(2)],
    'the next event is found',
  );
  t.strictSame(
    (await listed(own.all(0n))).map(({ id: one }) => one),
    [id(1), id(2)],
    'the whole log is found',
  );
});
