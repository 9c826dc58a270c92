import { system } from '../../adapters/environment.js';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setImmediate as yieldToEventLoop, setTimeout as after } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import t, { type Test } from 'tap';
import type { Delivered } from '../../application/processManager/subscription.js';
import { AppendTooLarge, Conflict, type EventStore } from '../../application/eventStore.js';
import { connect, type Connection } from '../../adapters/eventstoredb/connection.js';
import { groupSubscription, replayParked } from '../../adapters/eventstoredb/group.js';
import { beginningOf } from '../../adapters/eventstoredb/logReader.js';
import { eventStoreDb, streamExpiry } from '../../adapters/eventstoredb/store.js';
import { watch } from '../../adapters/eventstoredb/subscriptions.js';
import { projectionRunner } from '../../application/projecting/projectionRunner.js';
import { keptResponsesOn } from '../../adapters/http/idempotency/sharedKeptResponses.js';
import { checkCauses } from '../../domain/alerts.js';
import {
  accessDenied,
  answerLost,
  brokenAfter,
  fakeEventStoreDb,
  internal,
  notLeader,
  refuses,
  silent,
  slow,
  tooSlow,
  twice,
  unavailable,
  type FakeEventStoreDb,
  type Fault,
  type Line,
} from '../helpers/fakeEventStoreDb.js';
import { id, instant } from '../helpers/samples.js';
import { listed, proposed } from '../helpers/storeContract.js';

// What nobody has caught ends a process. Whatever these tests do to the client, there must be none of it.
const uncaught: unknown[] = [];
process.on('unhandledRejection', error => uncaught.push(error));
process.on('uncaughtException', error => uncaught.push(error));

/** Short ones, so that what waits for them is soon over. */
const limits = { tryMs: 5000, reachMs: 500, settleMs: 1200, quietMs: 500 };
/** For a server that does not answer. */
const tryMs = 500;
/** Nothing here takes so long unless it would take for ever. */
const patienceMs = 20_000;

// Most of the time is spent on waiting.
t.jobs = 4;

/** Waits for `ms` and until what both sides had to do then is done, however busy the machine is. */
const quiet = async (ms: number): Promise<void> => {
  await after(ms);
  for (let turn = 0; turn < 30; turn += 1) await yieldToEventLoop();
};

/** Waits until something is so. */
const until = async (what: string, isSo: () => boolean, ms = patienceMs): Promise<void> => {
  const end = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await after(5);
  }
};

/** What becomes of something that must not take for ever. */
const bounded = async <Result>(what: string, result: Promise<Result>): Promise<Result> => {
  const ending = new AbortController();
  const late = after(patienceMs, undefined, { signal: ending.signal }).then(() => {
    throw new Error(`waited in vain for ${what}`);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    ending.abort();
    late.catch(() => undefined);
  }
};

const prefix = 't-';

type Parts = {
  readonly server: FakeEventStoreDb;
  readonly connection: Connection;
  readonly store: EventStore;
  /** The same with short limits. */
  readonly hasty: EventStore;
  /** The same, for a server that does not answer. */
  readonly hastiest: EventStore;
};

/** A store on a server of its own. */
const opened = async (t: Test): Promise<Parts> => {
  const server = await fakeEventStoreDb();
  const connection = connect({ url: server.url, prefix });
  t.teardown(async () => {
    await bounded('a connection to close', connection.close());
    await server.close();
  });
  const store = eventStoreDb(connection, 0n);
  const hasty = eventStoreDb(connection, 0n, limits);
  return { server, connection, store, hasty, hastiest: eventStoreDb(connection, 0n, { ...limits, tryMs }) };
};

const held: Promise<unknown>[] = [];
const holds = (what: string, body: (t: Test, parts: Parts) => Promise<void>): void => {
  held.push(t.test(what, async t => body(t, await opened(t))));
};

const ids = (server: FakeEventStoreDb): readonly string[] => server.log.map(event => event.id);
const idsUpTo = (end: number): readonly string[] => Array.from({ length: end }, (_, n) => id(n));

/** The calls that a client keeps until they have ended. */
const leftOpen = ({ client }: Connection): number =>
  (client as unknown as { disposableStreams: Set<unknown> }).disposableStreams.size;

/** How a call may end other than well. */
const breaks = (server: FakeEventStoreDb): Readonly<Record<string, (line: Line) => void>> => ({
  UNAVAILABLE: line => line.fail(unavailable),
  'a raw INTERNAL': line => line.fail(internal),
  // What was sent before is let through first.
  'a broken connection': () => void quiet(30).then(server.drop),
});

// Appends.

holds(
  'an append to a silent server: the outcome is unknown, and a repeat stores it once',
  async (t, { server, store, hastiest }) => {
    server.always('append', silent);
    const append = (of: EventStore) =>
      bounded('an append', of.append('source-1', 'absent', [proposed(0), proposed(1)]));
    await t.rejects(append(hastiest), { name: 'OutcomeUnknown' });
    t.ok(server.count('append').calls > 1, 'it was tried more than once');
    t.strictSame(ids(server), []);
    server.always(
      'append',
      answerLost(() => {}),
    );
    await t.rejects(append(hastiest), { name: 'OutcomeUnknown' }, 'nor known when it was stored');
    t.strictSame(ids(server), idsUpTo(2));
    server.always('append');
    t.equal(await append(store), 1);
    t.strictSame(ids(server), idsUpTo(2), 'stored once');
  },
);

holds('an append to a server that only ever answers too late', async (t, { server, store, hastiest }) => {
  server.always('append', slow(tryMs * 1.5));
  await t.rejects(bounded('an append', hastiest.append('source-1', 'absent', [proposed(0)])), {
    name: 'OutcomeUnknown',
  });
  await after(tryMs * 2);
  server.always('append', slow(30));
  t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0, 'late is not too late');
  t.strictSame(ids(server), [id(0)]);
});

for (const name of ['UNAVAILABLE', 'a raw INTERNAL', 'a broken connection', 'silence'])
  holds(`an answer that is lost after the write, by ${name}`, async (t, { server, connection }) => {
    const how = breaks(server)[name] ?? (() => {});
    const store = eventStoreDb(connection, 0n, {
      ...limits,
      tryMs,
      settleMs: patienceMs,
      reachMs: patienceMs,
    });
    await store.append('source-1', 'absent', [proposed(0)]);
    server.next('append', answerLost(how));
    t.equal(await store.append('source-1', 0, [proposed(1), proposed(2)]), 2, 'nothing came in between');
    t.strictSame(ids(server), idsUpTo(3));
    server.next(
      'append',
      answerLost(line => {
        server.write(`${prefix}source-1`, { id: id(5) });
        how(line);
      }),
    );
    t.equal(await store.append('source-1', 2, [proposed(3), proposed(4)]), 4, 'another writer came after it');
    t.strictSame(ids(server), [0, 1, 2, 3, 4, 5].map(id));
    t.ok(server.count('append').calls >= 5, 'it was asked again each time');
  });

/** Appends as the second of a stream, with what others do to it between the write and its answer. */
const secondAppend = async (
  { server, store }: Parts,
  fault: Fault,
  { second = store, reads = () => {} }: { readonly second?: EventStore; readonly reads?: () => void } = {},
): Promise<number> => {
  await store.append('source-1', 'absent', [proposed(0)]);
  // What it goes after is known from here on.
  await listed(second.read('source-1'));
  reads();
  server.forgetRepeats();
  server.next('append', fault);
  return bounded('an append', second.append('source-1', 0, [proposed(1), proposed(2)]));
};

for (const others of [0, 2])
  holds(
    `a lost answer where the repeat is a conflict, with ${others} events of others behind it`,
    async (t, parts) => {
      const { server } = parts;
      const lost = answerLost(line => {
        if (others > 0) server.write(`${prefix}source-1`, { id: id(8) }, { id: id(9) });
        line.fail(unavailable);
      });
      t.equal(await secondAppend(parts, lost), 2, 'it is found in the stream');
      t.equal(server.log.length, 3 + others);
      t.equal(server.count('read').calls, 2);
    },
  );

holds('a try that was not stored, overtaken by another writer, is a conflict', async (t, parts) => {
  const { server } = parts;
  const overtaken: Fault = line => {
    server.write(`${prefix}source-1`, { id: id(1) }, { id: id(9) });
    line.fail(unavailable);
  };
  await t.rejects(secondAppend(parts, overtaken), { name: 'Conflict', expected: 0, actual: 2 });
  t.strictSame(ids(server), [0, 1, 9].map(id), 'although one of the ids is there');
});

holds('what became of an append is asked again when it cannot be read', async (t, parts) => {
  const reads = () =>
    parts.server.next(
      'read',
      refuses(unavailable),
      brokenAfter(1, line => line.fail(unavailable)),
    );
  t.equal(
    await secondAppend(
      parts,
      answerLost(line => line.fail(unavailable)),
      { reads },
    ),
    2,
  );
  t.equal(parts.server.count('read').calls, 4);
});

holds('what became of an append and can never be read is not known', async (t, parts) => {
  const reads = () => parts.server.always('read', refuses(unavailable));
  await t.rejects(
    secondAppend(
      parts,
      answerLost(line => line.fail(unavailable)),
      { second: parts.hasty, reads },
    ),
    { name: 'OutcomeUnknown' },
  );
  t.equal(parts.server.log.length, 3);
});

holds(
  'nobody listens: nothing was written, and that is said soon',
  async (t, { server, connection, hasty: store }) => {
    await server.away();
    await t.rejects(bounded('an append', store.append('source-1', 'absent', [proposed(0)])), {
      name: 'StoreUnavailable',
    });
    await t.rejects(bounded('a read', listed(store.read('source-1'))), { name: 'StoreUnavailable' });
    await t.rejects(bounded('a read', listed(store.all(0n))), { name: 'StoreUnavailable' });
    await t.rejects(bounded('the beginning', beginningOf(connection)), { name: 'StoreUnavailable' });
    await t.rejects(bounded('metadata', streamExpiry(connection)('answers-1', 7)), {
      name: 'StoreUnavailable',
    });
    await server.back();
    t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0, 'and is there again');
  },
);

for (const before of [true, false])
  holds(
    `a server that comes back while it is tried, ${before ? 'used before' : 'never used'}`,
    async (t, parts) => {
      const { server, connection } = parts;
      const store = eventStoreDb(connection, 0n);
      if (before) await store.append('catalog', 'absent', [proposed(0)]);
      await server.away();
      const append = store.append('source-1', 'absent', [proposed(1)]);
      await after(300);
      await server.back();
      t.equal(await bounded('an append', append), 0);
      t.equal(server.log.at(-1)?.id, id(1));
    },
  );

holds('a server that refuses to be written to', async (t, { server, hasty: store }) => {
  server.always('append', refuses(accessDenied));
  await t.rejects(store.append('source-1', 'absent', [proposed(0)]), { name: 'StoreUnavailable' });
  server.always('append', refuses(unavailable));
  await t.rejects(
    store.append('source-1', 'absent', [proposed(0)]),
    { name: 'OutcomeUnknown' },
    'an answer says nothing of what was done before it',
  );
  t.strictSame(ids(server), []);
});

holds('a server that is not the leader any more', async (t, { server: runner, connection, store }) => {
  const leader = await fakeEventStoreDb();
  t.teardown(leader.close);
  await store.append('source-1', 'absent', [proposed(0)]);
  leader.write(`${prefix}source-1`, { id: id(0) });
  runner.always('append', refuses(notLeader(leader.port)));
  runner.always('read', refuses(notLeader(leader.port)));
  t.equal(await store.append('source-1', 0, [proposed(1)]), 1, 'its leader is asked');
  t.strictSame(ids(leader), idsUpTo(2));
  t.equal((await listed(store.read('source-1'))).length, 2);
  t.equal(await beginningOf(connection), leader.log[1]?.position);
});

holds('a conflict says where the stream is, and is not tried again', async (t, { server, store }) => {
  const meets = async (expected: number | 'absent', actual: number | 'absent') => {
    const append = store.append('source-1', expected, [proposed(9)]);
    await t.rejects(append, new Conflict('source-1', expected, actual));
  };
  await meets(3, 'absent');
  await store.append('source-1', 'absent', [proposed(0), proposed(1)]);
  await meets('absent', 1);
  await meets(0, 1);
  await meets(5, 1);
  t.equal(server.count('append').calls, 3, 'where the stream has not come so far nothing is appended');
  t.equal(server.count('read').calls, 3, 'asked once what is there');
});

holds('the hash that an append builds on is asked for again, and nothing was stored', async (t, parts) => {
  const { server, store, hasty } = parts;
  await store.append('source-1', 'absent', [proposed(0)]);
  server.always('read', refuses(unavailable));
  await t.rejects(bounded('an append', hasty.append('source-1', 0, [proposed(1)])), {
    name: 'StoreUnavailable',
  });
  t.strictSame(ids(server), idsUpTo(1));
  server.always('read');
  server.next('read', refuses(unavailable), silent);
  const patient = eventStoreDb(parts.connection, 0n, { ...limits, reachMs: patienceMs });
  t.equal(await bounded('an append', patient.append('source-1', 0, [proposed(1)])), 1);
  t.equal(server.count('append').calls, 2);
});

holds(
  'what is too large never reaches the server; its own limit is met as ours',
  async (t, { server, store }) => {
    const large = [proposed(0, 'x'.repeat(1_100_000))];
    await t.rejects(store.append('source-1', 'absent', large), AppendTooLarge);
    t.equal(server.count('append').calls, 0);
    const exception = 'maximum-append-size-exceeded';
    server.always('append', refuses({ code: 3, exception, fields: { 'maximum-append-size': '1024' } }));
    await t.rejects(store.append('source-1', 'absent', [proposed(0)]), AppendTooLarge);
    t.equal(server.count('append').calls, 1, 'once');
  },
);

holds('an answer that comes twice is none, and its append is stored once', async (t, { server, store }) => {
  server.next('append', twice);
  t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0);
  t.strictSame(ids(server), [id(0)]);
});

holds('a connection that breaks in the middle of a large append', async (t, { server, store }) => {
  const large = randomBytes(350_000).toString('hex');
  const append = store.append('source-1', 'absent', [proposed(0, large), proposed(1), proposed(2)]);
  for (let n = 0; n < 4; n += 1) {
    await after(7);
    server.drop();
  }
  t.equal(await bounded('an append', append), 2);
  t.strictSame(ids(server), idsUpTo(3));
});

// Reads.

/** What an iteration brings, and how it ends. */
const brought = async <Item>(items: AsyncIterable<Item>): Promise<{ items: Item[]; ended: unknown }> => {
  const list: Item[] = [];
  try {
    for await (const item of items) list.push(item);
    return { items: list, ended: undefined };
  } catch (ended) {
    return { items: list, ended };
  }
};

holds('a read of a silent server ends', async (t, { server, connection, store, hasty }) => {
  await store.append('source-1', 'absent', [proposed(0), proposed(1), proposed(2)]);
  for (const read of [() => hasty.read('source-1'), () => hasty.all(0n)]) {
    server.next(
      'read',
      silent,
      brokenAfter(2, () => {}),
    );
    const nothing = await bounded('a read', brought(read()));
    t.match(nothing, { items: { length: 0 }, ended: { name: 'StoreUnavailable' } });
    const some = await bounded('a read', brought(read()));
    t.match(some, { items: { length: 2 }, ended: { name: 'StoreUnavailable' } }, 'also half way');
  }
  server.next('read', silent);
  await t.rejects(bounded('the beginning', beginningOf(connection, limits.quietMs)), {
    name: 'StoreUnavailable',
  });
  await until('the calls have ended', () => server.count('read').open === 0 && leftOpen(connection) === 0);
});

for (const name of ['UNAVAILABLE', 'a raw INTERNAL', 'a broken connection'])
  holds(`a read that is broken off by ${name}`, async (t, { server, connection, store }) => {
    await store.append('source-1', 'absent', [proposed(0), proposed(1), proposed(2)]);
    for (const read of [() => store.read('source-1'), () => store.all(0n)]) {
      const how = breaks(server)[name] as (line: Line) => void;
      server.next('read', brokenAfter(2, how), brokenAfter(0, how));
      const some = await bounded('a read', brought(read()));
      t.match(some, { items: [{ id: id(0) }, { id: id(1) }], ended: { name: 'StoreUnavailable' } });
      t.equal(some.items.length, 2, 'what came, came');
      const nothing = await bounded('a read', brought(read()));
      t.match(nothing, { items: { length: 0 }, ended: { name: 'StoreUnavailable' } });
      t.equal((await brought(read())).items.length, 3, 'and again whole');
    }
    await until('the client keeps no call', () => leftOpen(connection) === 0);
  });

holds('a reader may take its time: only the server can be silent', async (t, { store, connection }) => {
  const quietMs = 1000;
  const hasty = eventStoreDb(connection, 0n, { ...limits, quietMs });
  await store.append('source-1', 'absent', [proposed(0), proposed(1)]);
  let count = 0;
  for await (const _ of hasty.read('source-1')) {
    await after(quietMs * 1.5);
    count += 1;
  }
  t.equal(count, 2);
});

holds('a read that is left half way ends on the server too', async (t, { server, connection, store }) => {
  const large = 'x'.repeat(5000);
  const events = Array.from({ length: 50 }, (_, n) => proposed(n, { large }));
  await store.append('source-1', 'absent', events.slice(0, 40));
  await store.append('source-1', 39, events.slice(40));
  const leave = async (items: AsyncIterable<unknown>, afterwards: number) => {
    let count = 0;
    for await (const _ of items) if ((count += 1) === afterwards) break;
  };
  const reads = 15;
  server.always(
    'read',
    brokenAfter(45, () => {}),
  );
  for (let n = 1; n <= reads; n += 1) await leave(n % 2 === 0 ? store.read('source-1') : store.all(0n), n);
  await until('the calls have ended', () => server.count('read').open === 0);
  t.equal(server.count('read').cancelled, reads);
  server.always('read');
  for (let n = 1; n <= reads; n += 1) await leave(store.read('source-1', n % 10), n);
  await until('the client keeps none', () => leftOpen(connection) === 0);
  for await (const _ of store.read('source-1', 15)) {
    // Everything is here before it is left, so that there is nothing more to cancel.
    await quiet(50);
    break;
  }
  await until('the client keeps not even one that has ended', () => leftOpen(connection) === 0);
  t.equal((await listed(store.read('source-1'))).length, 50, 'and another goes well');
});

// Subscriptions.

/** A log that is listened to by nobody; what was said in it. */
const noted = (): { readonly log: Logger; readonly said: Record<string, unknown>[] } => {
  const said: Record<string, unknown>[] = [];
  const log = pino({}, { write: line => void said.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, said };
};

/** A watch of the log that counts how often it wakes. */
const watched = (t: Test, { connection }: Pick<Parts, 'connection'>, confirmationMs = patienceMs) => {
  const counted = { wakes: 0 };
  const { log, said } = noted();
  const kept = watch(connection, () => (counted.wakes += 1), log, { confirmationMs });
  const stop = () => bounded('a watch to stop', kept.stop());
  t.teardown(stop);
  return { counted, said, stop };
};

holds('a subscription wakes when it stands, and for events of the log alone', async (t, parts) => {
  const { server, store } = parts;
  await store.append('source-1', 'absent', [proposed(0)]);
  const { counted, said } = watched(t, parts);
  await until('it stands', () => counted.wakes === 1);
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
  holds(`a subscription that is ended by ${name} is reopened`, async (t, parts) => {
    const { server } = parts;
    const how =
      breaks(server)[name] ??
      (name === 'a plain end' ? (line: Line) => line.end() : (line: Line) => line.fail(tooSlow));
    server.next('subscribe', brokenAfter(1, how), brokenAfter(0, how), brokenAfter(4, how));
    const { counted, said } = watched(t, parts);
    await until('the third stands', () => counted.wakes === 2);
    server.write(`${prefix}source-1`, { id: id(0) }, { id: id(1) }, { id: id(2) }, { id: id(3) });
    await until('the fourth stands', () => counted.wakes === 6);
    server.write(`${prefix}source-1`, { id: id(4) });
    await until('the fourth wakes', () => counted.wakes === 7);
    t.match(server.count('subscribe'), { calls: 4, open: 1, mostOpen: 1 }, 'never two at a time');
    t.equal(said.length, 3, 'each time it is said');
    await until('the client keeps one call', () => leftOpen(parts.connection) === 1);
  });

holds('pauses between subscriptions grow, and begin anew with what comes', async (t, parts) => {
  const { server } = parts;
  server.always(
    'subscribe',
    brokenAfter(1, line => line.end()),
  );
  const { counted } = watched(t, parts);
  await after(900);
  // After pauses of 50, 100, 200 and 400 ms, and no earlier.
  t.ok(counted.wakes <= 5, `${counted.wakes} subscriptions`);
  await until('it has been tried', () => counted.wakes >= 4);
  server.always('subscribe');
  const { calls } = server.count('subscribe');
  await until(
    'one stands',
    () => server.count('subscribe').calls > calls && server.count('subscribe').open === 1,
  );
  server.write(`${prefix}source-1`, { id: id(0) });
  const { wakes } = counted;
  await until('it wakes', () => counted.wakes > wakes);
  const before = server.count('subscribe').calls;
  server.drop();
  // The first pause again, not the sixth of 1600 ms.
  await until('one stands again', () => server.count('subscribe').calls > before, 1500);
});

holds('a server that goes away for a while is watched again', async (t, parts) => {
  const { server, connection } = parts;
  const { counted, said } = watched(t, parts);
  await until('it stands', () => counted.wakes === 1);
  await server.away();
  await until('it was tried in vain', () => said.length >= 4);
  t.equal(counted.wakes, 1);
  server.write(`${prefix}source-1`, { id: id(0) });
  await server.back();
  await until('it stands again', () => counted.wakes === 2);
  server.write(`${prefix}source-1`, { id: id(1) });
  await until('it wakes', () => counted.wakes === 3);
  t.equal(server.count('subscribe').mostOpen, 1);
  await until('the client keeps one call', () => leftOpen(connection) === 1);
});

holds('a subscription that is never confirmed is given up and reopened', async (t, parts) => {
  const { server } = parts;
  server.next('subscribe', silent, silent);
  const { counted } = watched(t, parts, 500);
  await until('the third stands', () => counted.wakes === 1);
  t.match(server.count('subscribe'), { calls: 3, open: 1, mostOpen: 1, cancelled: 2 });
  await after(700);
  t.equal(server.count('subscribe').calls, 3, 'one that stands may be quiet');
});

holds('a watch that is stopped is over', async (t, parts) => {
  const { server, connection } = parts;
  const isOver = async (what: string, { counted, said, stop }: ReturnType<typeof watched>) => {
    await stop();
    const { wakes } = counted;
    await quiet(50);
    await until(`the call has ended ${what}`, () => server.count('subscribe').open === 0);
    const { calls } = server.count('subscribe');
    server.write(`${prefix}source-1`, { id: id(calls) });
    const words = said.length;
    await quiet(150);
    t.equal(counted.wakes, wakes, `no wake ${what}`);
    t.equal(server.count('subscribe').calls, calls, `no call ${what}`);
    t.equal(said.length, words, `no word ${what}`);
    await until(`nothing is left ${what}`, () => leftOpen(connection) === 0);
    await stop();
  };
  const standing = watched(t, parts);
  await until('it stands', () => standing.counted.wakes === 1);
  await isOver('of one that stands', standing);

  await isOver('of one that has just begun', watched(t, parts));

  server.next('subscribe', silent);
  const { calls } = server.count('subscribe');
  const waiting = watched(t, parts);
  await until('it was called', () => server.count('subscribe').calls > calls);
  await isOver('of one that waits to stand', waiting);

  server.always('subscribe', refuses(unavailable));
  const pausing = watched(t, parts);
  await until('it pauses', () => pausing.said.length === 3);
  await isOver('of one that pauses', pausing);
});

holds('a watch that is stopped in the middle of a burst', async (t, { server, connection }) => {
  let wakes = 0;
  let stopping: Promise<void> | undefined;
  const wake = () => {
    wakes += 1;
    if (wakes === 3) stopping = kept.stop();
  };
  const kept = watch(connection, wake, noted().log);
  await until('it stands', () => wakes === 1);
  server.write(`${prefix}source-1`, ...Array.from({ length: 30 }, (_, n) => ({ id: id(n) })));
  await until('it was stopped', () => stopping !== undefined);
  await stopping;
  await quiet(50);
  t.equal(wakes, 3);
});

// Deliveries of a group.

const dayImported = (n: number, v = 1) => ({ ...proposed(n, { n }, 'DaysImported'), v });

/** One group, that of the checks: what holds of it holds of the other. */
const kinds = [{ name: 'checks', types: checkCauses }];

/** Deliveries of a group; `answer` says at once what is to become of one, or leaves it. */
const grouped = (
  t: Test,
  { connection }: Pick<Parts, 'connection'>,
  answer: (delivered: Delivered, tries: number) => void = () => {},
) => {
  const taken: Delivered[] = [];
  const faults: unknown[] = [];
  const { log, said } = noted();
  const fault = (error: unknown) => void faults.push(error);
  const waits = { statePauseMs: 20, confirmationMs: patienceMs };
  const group = groupSubscription({ connection, beginning: 0n, fault, log, kinds, limits: waits });
  group.start(async delivered => {
    taken.push(...delivered);
    for (const one of delivered) answer(one, taken.filter(({ event }) => event.id === one.event.id).length);
  });
  const stop = () => bounded('deliveries to stop', group.stop());
  t.teardown(stop);
  return { taken, faults, said, stop, state: group.state, ids: () => taken.map(({ event }) => event.id) };
};

/** How much the server has given and heard nothing of, and how much waits. */
const heldOf = ({ groups }: FakeEventStoreDb) => {
  const [group] = [...groups.values()];
  const held = [...(group?.consumers ?? [])].reduce((sum, consumer) => sum + consumer.held.size, 0);
  return { held, waiting: group?.waiting.length ?? 0, parked: group?.parked.length ?? 0 };
};

holds('deliveries: the group is created, or there already; what is done is gone', async (t, parts) => {
  const { server, store } = parts;
  await store.append('days-1', 'absent', [dayImported(0), dayImported(1)]);
  const first = grouped(t, parts, ({ done }) => done());
  await until('the history came', () => first.taken.length === 2);
  await store.append('days-1', 1, [dayImported(2)]);
  await until('the new one came', () => first.taken.length === 3);
  t.strictSame(first.ids(), idsUpTo(3));
  t.match(first.taken[2]?.event, { ...dayImported(2), stream: 'days-1', revision: 2 });
  await until('all is acknowledged', () => heldOf(server).held === 0);
  await first.stop();
  const second = grouped(t, parts, ({ done }) => done());
  await store.append('days-1', 2, [dayImported(3)]);
  await until('it goes on', () => second.taken.length === 1);
  t.strictSame(second.ids(), [id(3)]);
  t.equal(server.count('create').calls, 2);
  t.equal(server.groups.size, 1);
  t.strictSame([...first.faults, ...second.faults, ...first.said, ...second.said], []);
});

holds('deliveries: as many as the buffer holds at a time', async (t, parts) => {
  const { server, store } = parts;
  const { taken, state } = grouped(t, parts);
  const events = Array.from({ length: 40 }, (_, n) => dayImported(n));
  await store.append('days-1', 'absent', events);
  await until('the buffer is full', () => taken.length === 32);
  t.match(heldOf(server), { held: 32, waiting: 8 });
  await until('the state says so', () => state()?.undone === 40);
  taken[7]?.done();
  await until('one more comes', () => taken.length === 33);
  for (const { done } of taken.slice(0, 33)) done();
  await until('the rest comes', () => taken.length === 40);
});

holds('deliveries: two instances share, and none gets what the other has', async (t, parts) => {
  const { server, store } = parts;
  const [one, other] = [grouped(t, parts), grouped(t, parts)];
  await until('both stand', () => server.count('group').open === 2);
  const events = Array.from({ length: 60 }, (_, n) => dayImported(n));
  await store.append('days-1', 'absent', events);
  await until('all have come', () => one.taken.length + other.taken.length === 60);
  t.equal(new Set([...one.ids(), ...other.ids()]).size, 60);
  await one.stop();
  for (const { done } of other.taken) done();
  await until('the rest comes to the other', () => new Set(other.ids()).size === 60);
});

holds(
  'deliveries: a failed event is retried five times, then parked, and may be replayed',
  async (t, parts) => {
    const { server, connection, store } = parts;
    let healed = false;
    const { taken, said, state, ids } = grouped(t, parts, ({ event, done, failed }) => {
      if (healed || event.id !== id(1)) done();
      else failed(new Error('no'));
    });
    await store.append('days-1', 'absent', [dayImported(0), dayImported(1), dayImported(2)]);
    await until('it is parked', () => heldOf(server).parked === 1);
    t.equal(ids().filter(one => one === id(1)).length, 6);
    t.equal(taken.length, 8);
    t.strictSame(
      said.map(({ tries }) => tries),
      [1, 2, 3, 4, 5, 6],
    );
    await until('the state says so', () => state()?.parked === 1);
    t.strictSame(state(), { undone: 0, parked: 1 });
    healed = true;
    t.equal(await replayParked(connection, kinds), 1);
    await until('it came again', () => taken.length === 9);
    await until('the state says so', () => state()?.parked === 0);
    t.equal(await replayParked(connection, kinds), 0);
    t.equal(server.count('replay').calls, 1);
  },
);

for (const name of ['UNAVAILABLE', 'a raw INTERNAL', 'a broken connection', 'a plain end'])
  holds(`deliveries: what was not done comes again after ${name}`, async (t, parts) => {
    const { server, store } = parts;
    const how = breaks(server)[name] ?? ((line: Line) => line.end());
    // Not before what is done has been said to be.
    server.next(
      'group',
      brokenAfter(
        3,
        line => void until('the first is done', () => heldOf(server).held === 1).then(() => how(line)),
      ),
    );
    const { taken, ids, faults } = grouped(t, parts, ({ event, done }, tries) => {
      if (event.id === id(0) || tries > 1) done();
    });
    await until('it stands', () => server.count('group').open === 1);
    await store.append('days-1', 'absent', [dayImported(0), dayImported(1)]);
    await until('the second came again', () => taken.length === 3);
    t.strictSame(ids(), [0, 1, 1].map(id), 'and the first, which was done, did not');
    // What is said of a delivery whose call is gone is heard by nobody, and hurts nobody.
    taken[1]?.done();
    taken[1]?.failed(new Error('late'));
    await until('all is done', () => heldOf(server).held === 0);
    t.match(server.count('group'), { calls: 2, mostOpen: 1 });
    t.strictSame(faults, []);
  });

holds('deliveries: unknown events are acknowledged', async (t, parts) => {
  const { server, store } = parts;
  const { ids } = grouped(t, parts);
  await until('it stands', () => server.count('group').open === 1);
  server.write(`${prefix}days-1`, { id: id(0), type: 'DaysImported' });
  await store.append('days-1', 0, [proposed(1, {}, 'SomethingNew'), proposed(2, {}, 'SourceIdReserved')]);
  server.write(`${prefix}days-elsewhere`, { id: id(3), data: Buffer.from('not JSON') });
  await store.append('days-1', 2, [dayImported(4)]);
  await until('the last came', () => ids().length === 1);
  t.strictSame(ids(), [id(4)]);
  await until('the others are acknowledged', () => heldOf(server).held === 1);
});

holds('deliveries: events of a newer version and a failing process manager are faults', async (t, parts) => {
  const { store } = parts;
  const { faults } = grouped(t, parts, () => {
    throw new Error('broken');
  });
  await store.append('days-1', 'absent', [dayImported(0, 99)]);
  await until('the first fault', () => faults.length === 1);
  await store.append('days-1', 0, [dayImported(1)]);
  await until('the second fault', () => faults.length === 2);
  t.match(faults, [{ name: 'UnknownVersion' }, { message: 'broken' }]);
});

holds('deliveries: a group that the server has lost is recreated', async (t, parts) => {
  const { server, store } = parts;
  await store.append('days-1', 'absent', [dayImported(0)]);
  const { ids } = grouped(t, parts, ({ done }) => done());
  await until('the first came', () => ids().length === 1);
  server.groups.clear();
  server.drop();
  await store.append('days-1', 0, [dayImported(1)]);
  await until('both came', () => ids().length === 3);
  t.strictSame(ids(), [0, 0, 1].map(id), 'from the beginning');
  t.equal(server.groups.size, 1);
});

holds('deliveries: a server that is away, and its state', async (t, parts) => {
  const { server, store, connection } = parts;
  await t.rejects(replayParked(connection, kinds), { name: 'StoreUnavailable' }, 'no group yet');
  const { ids, state } = grouped(t, parts, ({ done }) => done());
  t.equal(state(), undefined);
  await until('the state is known', () => state() !== undefined);
  await server.away();
  await until('it is not', () => state() === undefined);
  await t.rejects(bounded('a replay', replayParked(connection, kinds)), { name: 'StoreUnavailable' });
  await server.back();
  await store.append('days-1', 'absent', [dayImported(0)]);
  await until('it goes on', () => ids().length === 1);
  await until('the state is known again', () => state() !== undefined);
});

holds('deliveries: a failed start is retried', async (t, parts) => {
  const { server, store } = parts;
  await store.append('days-1', 'absent', [dayImported(0)]);
  server.next('features', refuses(internal));
  server.next('create', refuses(unavailable), refuses(internal));
  server.next('group', refuses(unavailable), refuses(internal), undefined);
  const { ids } = grouped(t, parts, ({ done }) => done());
  await until('it came', () => ids().length === 1);
  t.equal(server.count('group').mostOpen, 1);
});

holds('deliveries: stopped, they are over, whatever they waited for', async (t, parts) => {
  const { server, connection, store } = parts;
  const standing = grouped(t, parts);
  await store.append('days-1', 'absent', [dayImported(0)]);
  await until('one has come', () => standing.taken.length === 1);
  await standing.stop();
  await until('the call has ended', () => server.count('group').open === 0);
  t.match(heldOf(server), { held: 0, waiting: 1 }, 'what was not done is for others');
  await store.append('days-1', 0, [dayImported(1)]);
  const asked = server.count('info').calls;
  await quiet(100);
  t.equal(standing.taken.length, 1);
  t.ok(server.count('info').calls <= asked + 1, 'the state is not asked for any more');
  await until('the client keeps no call', () => leftOpen(connection) === 0);

  for (const method of ['create', 'group'] as const) {
    server.next(method, silent);
    const { calls } = server.count(method);
    const waiting = grouped(t, parts);
    await until(`${method} was called`, () => server.count(method).calls > calls);
    await waiting.stop();
    t.strictSame(waiting.taken, []);
  }
});

holds('deliveries: stopped before the server has said what it can', async (t, parts) => {
  const { server } = parts;
  server.always('features', silent);
  const { stop } = grouped(t, parts);
  await until('it was asked', () => server.count('features').calls > 0);
  await stop();
  t.equal(server.count('group').calls, 0);
});

// The connection.

holds(
  'a closed connection: what comes late is refused, and ends nothing',
  async (t, { server, connection, store, hasty, hastiest }) => {
    await store.append('source-1', 'absent', [proposed(0)]);
    server.always('append', silent);
    const late = hastiest.append('source-1', 0, [proposed(1)]);
    await until('it was called', () => server.count('append').calls === 2);
    await connection.close();
    const { calls } = server.count('append');
    await t.rejects(bounded('an append under way', late), { name: 'OutcomeUnknown' });
    await t.rejects(hasty.append('source-1', 0, [proposed(1)]), { name: 'StoreUnavailable' });
    await t.rejects(listed(store.read('source-1')), { name: 'StoreUnavailable' });
    await t.rejects(streamExpiry(connection)('answers-1', 7), { name: 'StoreUnavailable' });
    await connection.close();
    t.equal(server.count('append').calls, calls, 'nothing is sent any more');
  },
);

holds('an append that begins while the channel is replaced', async (t, { server, connection, store }) => {
  // Anywhere within the few turns that the client takes to close a channel that has failed.
  for (let turns = 0; turns < 10; turns += 1) {
    server.next('read', refuses(unavailable));
    const call = connection.client.readStream('source-1');
    const append = new Promise<number>((resolve, reject) => {
      call.resume().once('error', () => {
        void (async () => {
          for (let n = 0; n < turns; n += 1) await undefined;
          resolve(await store.append(`source-${turns}`, 'absent', [proposed(turns)]));
        })().catch(reject);
      });
    });
    t.equal(await bounded('an append', append), 0);
  }
  t.equal(server.log.length, 10);
  t.strictSame(uncaught, []);
});

holds('an append that begins while the connection is closed', async (t, { server }) => {
  for (let turns = 0; turns < 40; turns += 1) {
    const connection = connect({ url: server.url, prefix });
    const store = eventStoreDb(connection, 0n, limits);
    // The first one of a connection waits for the channel, and so does the close.
    const append = store
      .append(`source-${turns}`, 'absent', [proposed(turns)])
      .catch((error: unknown) => error);
    for (let n = 0; n < turns; n += 1) await undefined;
    await bounded('a connection to close', connection.close());
    const ended = await bounded('an append', append);
    t.match(ended === 0 ? 'stored' : (ended as Error).name, /stored|StoreUnavailable|OutcomeUnknown/);
  }
  await quiet(50);
  t.strictSame(uncaught, []);
});

holds('an append on a channel that has been closed', async (t, { connection, store }) => {
  await store.append('source-1', 'absent', [proposed(0)]);
  const inner = connection.client as unknown as { getChannel: () => Promise<{ close: () => void }> };
  (await inner.getChannel()).close();
  await t.rejects(bounded('an append', store.append('source-2', 'absent', [proposed(1)])), {
    name: 'StoreUnavailable',
    message: /Channel has been shut down/,
  });
  t.strictSame(uncaught, []);
});

holds('a cluster of which no node can be found', async (t, { server }) => {
  await server.away();
  const url = server.url.replace('esdb:', 'esdb+discover:');
  const connection = connect({ url: `${url}&maxDiscoverAttempts=2&discoveryInterval=20`, prefix });
  const store = eventStoreDb(connection, 0n, limits);
  const { stop } = watched(t, { connection });
  const group = grouped(t, { connection });
  await t.rejects(bounded('an append', store.append('source-1', 'absent', [proposed(0)])), {
    name: 'StoreUnavailable',
  });
  await t.rejects(bounded('a read', listed(store.read('source-1'))), { name: 'StoreUnavailable' });
  await server.back();
  await until('it is found', () => server.count('subscribe').open === 1);
  t.equal(await store.append('source-1', 'absent', [proposed(0)]), 0);
  await server.away();
  await t.rejects(bounded('an append', store.append('source-1', 0, [proposed(1)])), {
    // Sent or not, when the connection broke.
    name: /StoreUnavailable|OutcomeUnknown/,
  });
  await stop();
  await group.stop();
  await bounded('a connection to close', connection.close());
  const lasting = connect({ url: `${url}&maxDiscoverAttempts=1000&discoveryInterval=20`, prefix });
  const read = listed(eventStoreDb(lasting, 0n, limits).read('source-1')).catch((error: unknown) => error);
  await bounded('a connection to close that was never there', lasting.close());
  t.match(await bounded('a read', read), { name: 'StoreUnavailable' });
  // An error that comes when the reader has gone.
  const late = connect({ url: `${url}&maxDiscoverAttempts=10&discoveryInterval=40`, prefix });
  const given = listed(eventStoreDb(late, 0n, { ...limits, quietMs: 50 }).read('source-1'));
  await t.rejects(bounded('a read', given), { name: 'StoreUnavailable', message: /sent nothing/ });
  await quiet(800);
  await late.close();
  // Its search goes on as long as nobody is found.
  const { calls } = server.count('gossip');
  await server.back();
  await until('it is found', () => server.count('gossip').calls > calls);
  await quiet(50);
});

// The process.

const moduleOf = (path: string): string =>
  JSON.stringify(new URL(`../../adapters/${path}.js`, import.meta.url));

/** Uses a store in every way, whatever comes of it, until its input ends. */
const user = `
  import { connect } from ${moduleOf('eventstoredb/connection')};
  import { eventStoreDb } from ${moduleOf('eventstoredb/store')};
  import { watch } from ${moduleOf('eventstoredb/subscriptions')};
  import { groupSubscription } from ${moduleOf('eventstoredb/group')};
  const [url, found, nobody] = process.argv.slice(1);
  const log = { warn() {}, error() {} };
  const limits = { tryMs: 60, reachMs: 60, settleMs: 150, quietMs: 60 };
  const confirmationMs = 60;
  const closing = [];
  let stopped = false;
  process.stdin.resume().once('end', () => (stopped = true));
  const use = async url => {
    const connection = connect({ url, prefix: 't-' });
    const store = eventStoreDb(connection, 0n, limits);
    const watching = watch(connection, () => {}, log, { confirmationMs });
    const group = groupSubscription({
      connection, beginning: 0n, fault: () => {}, log, limits: { statePauseMs: 20, confirmationMs },
    });
    let n = 0;
    group.start(async ([one]) => ((n += 1) % 2 ? one.done() : one.failed(new Error('no'))));
    while (!stopped) {
      const id = crypto.randomUUID();
      const metadata = { by: '', cause: '', correlation: '' };
      const event = { id, type: 'DaysImported', v: 1, data: {}, metadata, at: '' };
      const append = name => store.append(name, 'absent', [event]).catch(() => {});
      const read = async items => { try { for await (const _ of items) if (Math.random() < 0.3) break; } catch {} };
      await Promise.all([append('days-' + id), append('source-' + id), read(store.all(0n)), read(store.read('days-' + id))]);
    }
    await watching.stop();
    await group.stop();
    await connection.close();
    await store.append('days-1', 'absent', []).catch(() => {});
    const late = { id: crypto.randomUUID(), type: 'Late', v: 1, data: {}, metadata: {}, at: '' };
    await store.append('days-1', 'absent', [late]).catch(() => {});
  };
  console.log('begun');
  await Promise.all([use(url), use(url), use(found), use(found), use(nobody)]);
  console.log('survived');
  process.exit(0);
`;

holds('nothing that a server does ends the process', async (t, { server }) => {
  const discovering = 'tls=false&maxDiscoverAttempts=1&discoveryInterval=10';
  const [found, nobody] = [server.port, 1].map(port => `esdb+discover://127.0.0.1:${port}?${discovering}`);
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    user,
    server.url,
    `${found}`,
    `${nobody}`,
  ]);
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += String(text)));
  let exit: unknown;
  child.once('close', code => (exit = code));
  const isGone = () => exit !== undefined;
  await until('it has begun', () => output.includes('begun') || isGone());
  const worst: readonly Fault[] = [
    twice,
    slow(100),
    silent,
    ...[unavailable, internal, tooSlow, accessDenied, notLeader(1)].map(refuses),
    ...Object.values(breaks(server)).flatMap(how => [
      answerLost(how),
      brokenAfter(1, how),
      brokenAfter(2, how),
    ]),
    brokenAfter(1, line => line.end()),
    brokenAfter(1, () => {}),
    // An error after the caller has ended the call.
    (line, serve) => {
      serve({ ...line, end: () => {} });
      setTimeout(() => line.fail(internal), 80);
    },
  ];
  const methods = ['append', 'read', 'subscribe', 'create', 'group', 'info', 'features'] as const;
  for (const [n, fault] of worst.entries()) {
    for (const [m, method] of methods.entries())
      if ((n + m) % 3 > 0 || method === 'append') server.always(method, fault);
      else server.always(method);
    await after(120);
    if (n % 4 === 0) {
      await server.away();
      await after(50);
      await server.back();
    }
    if (isGone()) break;
  }
  for (const method of methods) server.always(method);
  const stored = server.log.length;
  await until('it works again', () => server.log.length > stored || isGone());
  child.stdin.end();
  await until('it has ended', isGone);
  t.equal(exit, 0, output);
  t.match(output, /survived/);
  const [twiceStored] = ids(server).filter((one, n, all) => all.indexOf(one) < n - 1 && all[n - 1] === one);
  t.equal(twiceStored, undefined, 'nothing was stored twice');
});

// The log, followed.

holds(
  'following goes on where it was when the store comes back',
  async (t, { server, connection, store }) => {
    const count = 450;
    const events = Array.from({ length: count }, (_, n) => ({ ...proposed(n), data: { n } }));
    await store.append('catalog', 'absent', events.slice(0, count - 50));
    server.next(
      'read',
      brokenAfter(250, line => line.fail(unavailable)),
      refuses(unavailable),
      brokenAfter(100, line => line.fail(internal)),
      silent,
      brokenAfter(0, () => void setTimeout(server.drop, 10)),
    );
    const taken: string[] = [];
    const faults: unknown[] = [];
    let told = 0;
    let reached = 0n;
    const runner = projectionRunner({
      store: eventStoreDb(connection, 0n, { ...limits, quietMs: 1500 }),
      after: () => reached,
      apply: (batch, { position }) => {
        taken.push(...batch.map(event => event.id));
        reached = position;
      },
      fault: error => void faults.push(error),
      unavailable: () => void (told += 1),
      environment: system,
    });
    t.teardown(runner.stop);
    await bounded('the follower', runner.catchUp());
    t.strictSame(taken, idsUpTo(count - 50), 'each once, in order');
    t.ok(told >= 5);

    const before = told;
    await server.away();
    runner.wake();
    await until('it was tried', () => told > before + 1);
    await server.back();
    await store.append('catalog', count - 51, events.slice(count - 50));
    await bounded('the follower', runner.catchUp());
    t.strictSame(taken, idsUpTo(count));
    t.strictSame(faults, []);
  },
);

// Answers that instances share.

/** Answers of one more instance on a server. */
const instance = (t: Test, server: FakeEventStoreDb) => {
  const connection = connect({ url: server.url, prefix });
  t.teardown(connection.close);
  return keptResponsesOn(eventStoreDb(connection, 0n), streamExpiry(connection));
};

const sharing = (
  what: string,
  body: (t: Test, server: FakeEventStoreDb, store: EventStore) => Promise<void>,
): void => holds(`answers: ${what}`, (t, { server, store }) => body(t, server, store));

sharing('kept by one, given by all, also when every call is lost once', async (t, server, store) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const lost = answerLost(line => line.fail(unavailable));
  server.next('append', lost);
  const begun = await one.begin('anna', 'key', 'digest', instant(0));
  t.match(begun, { id: String, isRetry: false });
  await t.rejects(one.begin('anna', 'key', 'digest', instant(1)), { code: 'keyInUse' });
  server.next('append', lost);
  const answer = { status: 201, body: { text: 'Zähler' }, headers: { location: '/x' } };
  await one.keep('anna', 'key', answer);
  for (const of of [one, other, instance(t, server)])
    t.strictSame(await of.begin('anna', 'key', 'digest', instant(2)), { answer });
  await t.rejects(other.begin('anna', 'key', 'another digest', instant(3)), {
    code: 'keyReused',
    status: 422,
  });
  t.match(
    await other.begin('bert', 'key', 'another digest', instant(3)),
    { isRetry: false },
    'a key is its holder’s',
  );
  t.equal(server.log.filter(({ type }) => type === 'KeyUsed').length, 2);
  t.strictSame([...server.maxAges.values()], [7 * 86_400, 7 * 86_400]);
  t.strictSame(await listed(store.all(0n)), [], 'outside the log');
});

sharing('begun by two at once it has one id', async (t, server) => {
  const instances = [instance(t, server), instance(t, server), instance(t, server)];
  server.always('append', slow(30));
  const begun = await Promise.all(instances.map(one => one.begin('anna', 'key', 'digest', instant(0))));
  const [first] = begun;
  t.ok(begun.every(one => 'id' in one && first && 'id' in first && one.id === first.id));
  t.equal(begun.filter(one => 'isRetry' in one && !one.isRetry).length, 1, 'which one of them brought');
  t.equal(server.log.length, 1);
  await Promise.all(instances.map(one => one.keep('anna', 'key', { status: 200, body: 1 }).catch(() => {})));
  for (const one of instances)
    t.strictSame(await one.begin('anna', 'key', 'digest', instant(1)), { answer: { status: 200, body: 1 } });
  const others = await Promise.allSettled(
    instances.map((one, n) => one.begin('anna', 'other key', `digest ${n}`, instant(0))),
  );
  t.equal(
    others.filter(({ status }) => status === 'fulfilled').length,
    1,
    'of other requests one has the key',
  );
});

sharing('forgotten, or left by an instance that ended', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const begun = await one.begin('anna', 'key', 'digest', instant(0));
  one.leave('anna', 'key');
  t.match(await one.begin('anna', 'key', 'digest', instant(1)), { ...begun, isRetry: true });
  t.match(await other.begin('anna', 'key', 'digest', instant(1)), { ...begun, isRetry: true });
  await other.forget('anna', 'key');
  const anew = await other.begin('anna', 'key', 'another digest', instant(2));
  t.match(anew, { isRetry: false });
  t.not((anew as { id: string }).id, (begun as { id: string }).id);
});

sharing('large ones in parts, one of which is lost', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const body = { text: randomBytes(1_200_000).toString('base64') };
  await one.begin('anna', 'key', 'digest', instant(0));
  const refused: Fault = refuses(unavailable);
  server.next(
    'append',
    undefined,
    answerLost(line => line.fail(unavailable)),
    undefined,
    refused,
  );
  await one.keep('anna', 'key', { status: 200, body });
  t.ok(server.log.length > 2, `in ${server.log.length - 1} parts`);
  t.ok(server.log.every(({ data, metadata }) => data.length + metadata.length < 1_048_576));
  t.strictSame(await other.begin('anna', 'key', 'digest', instant(1)), { answer: { status: 200, body } });
});

sharing('large ones of which only a part was kept', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const body = { text: randomBytes(1_200_000).toString('base64') };
  const begun = await one.begin('anna', 'key', 'digest', instant(0));
  server.next('append', undefined);
  server.always('append', refuses(accessDenied));
  await t.rejects(one.keep('anna', 'key', { status: 200, body }), { name: 'StoreUnavailable' });
  server.always('append');
  t.match(
    await other.begin('anna', 'key', 'digest', instant(1)),
    { ...begun, isRetry: true },
    'no answer yet',
  );
  await other.keep('anna', 'key', { status: 200, body });
  t.strictSame(await one.begin('anna', 'key', 'digest', instant(2)), { answer: { status: 200, body } });
});

sharing('of two large ones, kept at once by two, one is given', async (t, server) => {
  const instances = [instance(t, server), instance(t, server)];
  await Promise.all(instances.map(one => one.begin('anna', 'key', 'digest', instant(0))));
  const answers = ['one', 'other'].map(name => ({
    status: 200,
    body: { name, text: randomBytes(1_200_000).toString('base64') },
  }));
  // Both begin to keep theirs at the same time, and who was first with its first part is last with its second.
  server.next('read', slow(150), slow(150));
  server.next('append', undefined, slow(100), slow(400));
  await Promise.allSettled(
    instances.map((one, n) => one.keep('anna', 'key', answers[n] ?? { status: 500, body: null })),
  );
  for (const one of instances) {
    const given = await one.begin('anna', 'key', 'digest', instant(1));
    t.ok('answer' in given);
    const { body } = 'answer' in given ? given.answer : { body: undefined };
    t.ok(
      answers.some(answer => JSON.stringify(answer.body) === JSON.stringify(body)),
      'whole',
    );
  }
});

sharing('after seven days a key is new, whether its events are still there or not', async (t, server) => {
  const one = instance(t, server);
  const at = (days: number) => new Date(Date.parse(instant(0)) + days * 86_400_000 + 1).toISOString();
  const first = await one.begin('anna', 'key', 'digest', at(0));
  await one.keep('anna', 'key', { status: 200, body: 1 });
  t.match(await one.begin('anna', 'key', 'digest', at(6)), { answer: { body: 1 } });
  const second = await one.begin('anna', 'key', 'another digest', at(8));
  t.match(second, { isRetry: false });
  await one.keep('anna', 'key', { status: 200, body: 2 });
  t.match(await one.begin('anna', 'key', 'another digest', at(9)), { answer: { body: 2 } });
  for (const { stream } of server.log) server.expire(stream);
  const third = await one.begin('anna', 'key', 'third digest', at(10));
  t.match(third, { isRetry: false });
  t.equal(new Set([first, second, third].map(of => ('id' in of ? of.id : ''))).size, 3);
  await one.keep('anna', 'key', { status: 200, body: 3 });
  t.match(await one.begin('anna', 'key', 'third digest', at(11)), { answer: { body: 3 } });
});

await Promise.all(held);
await t.test('nothing was left uncaught', async t => {
  // What a test leaves behind comes late.
  await after(300);
  t.strictSame(uncaught, []);
});
