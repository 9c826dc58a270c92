// Connections and the process with faults of the server.
import { spawn } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { connect } from '../../../adapters/eventstoredb/connection.js';
import { eventStoreDb, streamExpiry } from '../../../adapters/eventstoredb/store.js';
import {
  accessDenied,
  answerLost,
  brokenAfter,
  internal,
  notLeader,
  refuses,
  silent,
  slow,
  tooSlow,
  twice,
  unavailable,
  type CallFault,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import {
  uncaught,
  limits,
  quiet,
  until,
  bounded,
  prefix,
  faultTest,
  ids,
  breaks,
  watched,
  grouped,
  finished,
} from '../../helpers/eventStoreDb/eventStoreDbFaults.js';

faultTest(
  'connection: calls after its close are refused',
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
    t.equal(server.count('append').calls, calls, 'nothing is sent');
  },
);

faultTest(
  'connection: an append during the replacement of the channel',
  async (t, { server, connection, store }) => {
    // At any of the turns that the client needs to close a failed channel.
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
  },
);

faultTest('connection: an append during its close', async (t, { server }) => {
  for (let turns = 0; turns < 40; turns += 1) {
    const connection = connect({ url: server.url, prefix });
    const store = eventStoreDb(connection, 0n, limits);
    // The first append of a connection waits for the channel, and the close does, too.
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

faultTest('connection: an append on a closed channel', async (t, { connection, store }) => {
  await store.append('source-1', 'absent', [proposed(0)]);
  const inner = connection.client as unknown as { getChannel: () => Promise<{ close: () => void }> };
  (await inner.getChannel()).close();
  await t.rejects(bounded('an append', store.append('source-2', 'absent', [proposed(1)])), {
    name: 'StoreUnavailable',
    message: /Channel has been shut down/,
  });
  t.strictSame(uncaught, []);
});

faultTest('connection: a cluster without reachable nodes', async (t, { server }) => {
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
    // The append was sent or not when the connection broke.
    name: /StoreUnavailable|OutcomeUnknown/,
  });
  await stop();
  await group.stop();
  await bounded('a connection to close', connection.close());
  const lasting = connect({ url: `${url}&maxDiscoverAttempts=1000&discoveryInterval=20`, prefix });
  const read = listed(eventStoreDb(lasting, 0n, limits).read('source-1')).catch((error: unknown) => error);
  await bounded('a connection to close that was never there', lasting.close());
  t.match(await bounded('a read', read), { name: 'StoreUnavailable' });
  // An error after the reader has ended.
  const late = connect({ url: `${url}&maxDiscoverAttempts=10&discoveryInterval=40`, prefix });
  const given = listed(eventStoreDb(late, 0n, { ...limits, quietMs: 50 }).read('source-1'));
  await t.rejects(bounded('a read', given), { name: 'StoreUnavailable', message: /sent nothing/ });
  await quiet(800);
  await late.close();
  // The discovery continues until it finds a node.
  const { calls } = server.count('gossip');
  await server.back();
  await until('it is found', () => server.count('gossip').calls > calls);
  await quiet(50);
});

const moduleOf = (path: string): string =>
  JSON.stringify(new URL(`../../../adapters/${path}.js`, import.meta.url));

/** A program that uses a store in every way, ignores errors, and stops at the end of its input. */
const user = `
  import { connect } from ${moduleOf('eventstoredb/connection')};
  import { eventStoreDb } from ${moduleOf('eventstoredb/store')};
  import { watch } from ${moduleOf('eventstoredb/subscriptions')};
  import { groupSubscription } from ${moduleOf('eventstoredb/group')};
  const [url, found, missing] = process.argv.slice(1);
  const log = { warn() {}, error() {} };
  const limits = { tryMs: 60, reachMs: 60, unknownMs: 150, quietMs: 60 };
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
  await Promise.all([use(url), use(url), use(found), use(found), use(missing)]);
  console.log('survived');
  process.exit(0);
`;

faultTest('process: no fault of a server ends it', async (t, { server }) => {
  const discovering = 'tls=false&maxDiscoverAttempts=1&discoveryInterval=10';
  const [found, missing] = [server.port, 1].map(port => `esdb+discover://127.0.0.1:${port}?${discovering}`);
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    user,
    server.url,
    `${found}`,
    `${missing}`,
  ]);
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += String(text)));
  let exit: unknown;
  child.once('close', code => (exit = code));
  const isGone = () => exit !== undefined;
  await until('it has begun', () => output.includes('begun') || isGone());
  const worst: readonly CallFault[] = [
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
    // An error after the end of the call.
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
  t.equal(twiceStored, undefined, 'no event is stored twice');
});

await finished();
