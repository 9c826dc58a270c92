import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import fc from '../../helpers/property.js';
import t from 'tap';
import { compareLogs, copyLog } from '../../../application/logs/copyLog.js';
import {
  StoreUnavailable,
  appendBytesMax,
  bytesOf,
  written,
  type EventStore,
} from '../../../application/ports/eventStore.js';
import { connect } from '../../../adapters/eventstoredb/connection.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { openLog } from '../../../adapters/composition/openLog.js';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import type { Proposed } from '../../../domain/events.js';
import { newAddress } from '../../helpers/eventStoreDb/eventStoreDb.js';
import { id } from '../../helpers/data/samples.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import {
  skip,
  envOf,
  placed,
  plainLog,
  fill,
  sha256Of,
  readOnly,
  anyLog,
  withEvent,
  logFile,
  copyRun,
  rowsOf,
} from '../../helpers/logs/copiedLogs.js';

t.test('copy-log with EventStoreDB: any log, there and back', { skip }, async t => {
  await fc.assert(
    fc.asyncProperty(anyLog, fc.nat(), async (log, failing) => {
      const address = newAddress();
      const [source, back] = [sqliteStore(':memory:'), sqliteStore(':memory:')];
      await fill(source, log, 3);
      const wanted = { count: log.length, sha256: sha256Of(log) };
      // The first attempt fails at a random append.
      const once = await openLog(address);
      let left = failing % 12;
      const append: EventStore['append'] = async (...call) => {
        if ((left -= 1) < 0) throw new StoreUnavailable('gone');
        return once.append(...call);
      };
      await copyLog({ source, target: { ...once, append } }).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
      });
      await once.close();
      const there = await openLog(address);
      await copyLog({ source, target: there });
      await copyLog({ source: readOnly(there), target: back });
      for (const [one, other] of [
        [source, there],
        [there, back],
      ] as const) {
        const {
          source: first,
          target: second,
          difference,
        } = await compareLogs({ source: one, target: other });
        if (difference !== undefined) throw new Error(difference);
        if (first.sha256 !== wanted.sha256 || second.count !== wanted.count)
          throw new Error(`got ${JSON.stringify([first, second])}, expected ${JSON.stringify(wanted)}`);
      }
      await Promise.all([source.close(), there.close(), back.close()]);
    }),
    { numRuns: 25 },
  );
  t.pass('the same log');
});

t.test('copy-log with EventStoreDB: the command, there and back', { skip }, async t => {
  const dir = t.testdir();
  const count = 1500;
  const log = plainLog(count, 3, 'text '.repeat(40));
  const from = await logFile(join(dir, 'from.sqlite'), log);
  const env = envOf(newAddress());
  for (const [one, other] of [
    [from, 'eventstoredb'],
    ['eventstoredb', join(dir, 'back')],
  ] as const) {
    const since = performance.now();
    const { code, stdout, stderr } = await copyRun(one, other, env);
    t.comment(
      `${one === from ? 'there' : 'back'}: ${Math.round((1000 * count) / (performance.now() - since))} events/s`,
    );
    t.strictSame([code, stdout], [0, `${count} events, sha256 ${sha256Of(log)}\n`], stderr);
  }
  t.strictSame(rowsOf(join(dir, 'back', 'events.sqlite')), rowsOf(from));
  const again = await copyRun(from, 'eventstoredb', env);
  t.strictSame([again.code, again.stderr.includes('copied 0 events, 1,500 existed already\n')], [0, true]);
  const other = await logFile(join(dir, 'other.sqlite'), withEvent(log, 1000, { at: 'another time' }));
  for (const [one, two] of [
    [other, 'eventstoredb'],
    ['eventstoredb', other],
  ] as const) {
    const { code, stdout, stderr } = await copyRun(one, two, env);
    t.strictSame([code, stdout], [1, '']);
    t.match(stderr, new RegExp(`event 1001 .*${id(1000)}.* differs in the target: at`));
  }
});

t.test('copy-log with EventStoreDB: the largest events', { skip }, async t => {
  const address = newAddress();
  const frame = bytesOf(written('days-1', [proposed(0, '', 'DaysImported')]));
  const log = placed([
    ['catalog', proposed(0)],
    ...[appendBytesMax, 500_000, appendBytesMax - 500_000, 300, appendBytesMax - 1].map(
      (bytes, n): [string, Proposed] => [
        'days-1',
        proposed(1 + n, 'x'.repeat(bytes - frame), 'DaysImported'),
      ],
    ),
    ...Array.from({ length: 900 }, (_, n): [string, Proposed] => [
      'source-1',
      proposed(10 + n, 'y'.repeat(2000)),
    ]),
  ]);
  const source = memoryStore();
  await fill(source, log);
  const target = await openLog(address);
  t.teardown(() => target.close());
  await copyLog({ source, target });
  const { difference, target: digest } = await compareLogs({ source, target });
  t.equal(difference, undefined);
  t.strictSame(digest, { count: 906, sha256: sha256Of(log) });
});

t.test('copy-log with EventStoreDB: foreign events, and a missing log', { skip }, async t => {
  const dir = t.testdir();
  const address = newAddress();
  const { code, stderr } = await copyRun('eventstoredb', join(dir, 'none'), envOf(address));
  t.equal(code, 2, 'a prefix without a log');
  t.match(stderr, address.prefix);

  const store = await openLog(address);
  await fill(store, plainLog(4), 3);
  await store.close();
  const connection = connect(address);
  await connection.client.appendToStream(`${address.prefix}source-1`, [
    { id: id(908), type: 'Order', contentType: 'application/json', data: {}, metadata: {} },
  ]);
  await connection.close();
  const found = await copyRun('eventstoredb', join(dir, 'foreign'), envOf(address));
  t.strictSame([found.code, found.stdout], [1, '']);
  t.match(found.stderr, new RegExp(`event 5 \\(foreign Order ${id(908)}, source-1 revision 1\\)`));
  t.strictSame(rowsOf(join(dir, 'foreign', 'events.sqlite')), [], 'nothing was copied');
});

t.test('copy-log with EventStoreDB: the connection breaks during a copy', { skip }, async t => {
  const dir = t.testdir();
  const address = newAddress();
  const log = plainLog(800, 1, 'text '.repeat(40));
  const from = await logFile(join(dir, 'from.sqlite'), log);
  const { hostname, port } = new URL(address.url.replace(/^esdb:/, 'http:'));
  const sockets = new Set<Socket>();
  let bytes = 0;
  const between = createServer(near => {
    const far = connectTo(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
    near.on('data', ({ length }) => {
      bytes += length;
      if (bytes < 150_000) return;
      between.close();
      for (const socket of sockets) socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.teardown(() => between.close());
  const url = address.url.replace(/\/\/[^?/]+/, `//127.0.0.1:${(between.address() as AddressInfo).port}`);
  const broken = await copyRun(from, 'eventstoredb', envOf({ ...address, url }));
  t.strictSame([broken.code, broken.stdout], [3, ''], broken.stderr);
  t.match(broken.stderr, /EventStoreDB cannot be used.*\nRun the same command again/);
  const store = await openLog(address);
  const there = (await listed(store.all(0n))).length;
  await store.close();
  t.ok(there > 0 && there < log.length, `${there} events`);
  const { code, stdout, stderr } = await copyRun(from, 'eventstoredb', envOf(address));
  t.strictSame([code, stdout], [0, `800 events, sha256 ${sha256Of(log)}\n`], stderr);
});
