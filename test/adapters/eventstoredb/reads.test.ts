// Reads with faults of the server, also by the projection runner.
import { system } from '../../../adapters/environment.js';
import { setTimeout as after } from 'node:timers/promises';
import { beginningOf } from '../../../adapters/eventstoredb/logReader.js';
import { eventStoreDb } from '../../../adapters/eventstoredb/store.js';
import { serviceAsOf, type AsOfService } from '../../../adapters/http/asOfQuery.js';
import { projectionRunner } from '../../../application/reading/projectionRunner.js';
import {
  brokenAfter,
  internal,
  refuses,
  silent,
  unavailable,
  type Line,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { id } from '../../helpers/data/samples.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import {
  limits,
  prefix,
  quiet,
  until,
  bounded,
  faultTest,
  idsUpTo,
  keptCalls,
  breaks,
  finished,
} from '../../helpers/eventStoreDb/eventStoreDbFaults.js';
import { exactList } from '../../helpers/exactList.js';

/** Items of an iteration, and its error. */
const collected = async <Item>(items: AsyncIterable<Item>): Promise<{ items: Item[]; ended: unknown }> => {
  const list: Item[] = [];
  try {
    for await (const item of items) list.push(item);
    return { items: list, ended: undefined };
  } catch (ended) {
    return { items: list, ended };
  }
};

faultTest('read: a silent server ends it', async (t, { server, connection, store, hasty }) => {
  await store.append('source-1', 'absent', [proposed(0), proposed(1), proposed(2)]);
  for (const read of [() => hasty.read('source-1'), () => hasty.all(0n)]) {
    server.next(
      'read',
      silent,
      brokenAfter(2, () => {}),
    );
    const nothing = await bounded('a read', collected(read()));
    t.match(nothing, { items: { length: 0 }, ended: { name: 'StoreUnavailable' } });
    const some = await bounded('a read', collected(read()));
    t.match(some, { items: { length: 2 }, ended: { name: 'StoreUnavailable' } }, 'also after some events');
  }
  server.next('read', silent);
  await t.rejects(bounded('the beginning', beginningOf(connection, limits.quietMs)), {
    name: 'StoreUnavailable',
  });
  await until('the calls have ended', () => server.count('read').open === 0 && keptCalls(connection) === 0);
});

faultTest(
  'read: a past moment at a position without an event is refused before the log is read',
  async (t, { server, store }) => {
    await store.append('source-1', 'absent', [proposed(0), proposed(1), proposed(2)]);
    const [first = 0n, , last = 0n] = (await listed(store.all(0n))).map(({ position }) => position);
    t.strictSame(
      [
        await store.hasEventAt?.(first),
        await store.hasEventAt?.(first + 1n),
        await store.hasEventAt?.(last + 9n),
      ],
      [true, false, false],
    );
    let asked = 0;
    const service = {
      models: { checkpoint: () => ({ position: last }), parked: { source: () => undefined } },
      ...{ now: () => '2026-01-01T00:00:00.000Z', log: store },
      asOf: { at: async () => void (asked += 1) },
    } as unknown as AsOfService;
    const at = (asOf: bigint) => {
      const call = {
        query: { asOf: String(asOf) },
        actor: { tenant: 'a' },
        signal: AbortSignal.timeout(9999),
      };
      return serviceAsOf(service, call as never, () => [1]);
    };
    const { calls } = server.count('read');
    const refused: unknown = await at(first + 1n).catch((error: unknown) => error);
    t.match(refused, { faults: exactList({ code: 'asOfPosition' }) });
    t.strictSame([server.count('read').calls - calls, asked], [2, 0]);
    t.equal((await at(first)).now(), proposed(0).at);
    t.equal(
      (await at(last - 1n)).now(),
      proposed(2).at,
      'a check of an earlier build knew the log before it',
    );
    server.next('read', refuses(unavailable));
    await t.rejects(at(last), { name: 'StoreUnavailable' });
  },
);

faultTest('read: a log whose first events are gone is refused', async (t, { server, connection, store }) => {
  const lost = { name: 'StoreRefused', message: /stream catalog of this log was truncated or deleted/ };
  await store.append('catalog', 'absent', [proposed(0), proposed(1)]);
  t.equal(await beginningOf(connection), server.log[0]?.position);
  server.expire(`${prefix}catalog`);
  const metadata = Buffer.from(JSON.stringify({ $tb: 2 }));
  server.write(`$$${prefix}catalog`, { id: id(9), type: '$metadata', data: metadata });
  await t.rejects(beginningOf(connection), lost, 'deleted');
  server.write(`${prefix}catalog`, { id: id(2) });
  await t.rejects(beginningOf(connection), lost, 'truncated');
});

faultTest(
  'read: a catalog that is tombstoned or has expired is no new log',
  async (t, { server, connection, store }) => {
    const lost = { name: 'StoreRefused', message: /stream catalog of this log was truncated or deleted/ };
    await store.append('catalog', 'absent', [proposed(0)]);
    const fields = { 'stream-name': `${prefix}catalog` };
    const tombstoned = refuses({ code: 9, exception: 'stream-deleted', fields });
    server.next('read', (line, serve) => serve(line), tombstoned);
    await t.rejects(beginningOf(connection), lost, 'tombstoned');
    server.expire(`${prefix}catalog`);
    for (const [n, limit] of [{ $maxAge: 60 }, { $maxCount: 0 }].entries()) {
      const data = Buffer.from(JSON.stringify(limit));
      server.write(`$$${prefix}catalog`, { id: id(9 + n), type: '$metadata', data });
      await t.rejects(beginningOf(connection), lost, JSON.stringify(limit));
    }
  },
);

for (const name of ['UNAVAILABLE', 'a raw INTERNAL', 'a broken connection'])
  faultTest(`read: interrupted by ${name}`, async (t, { server, connection, store }) => {
    await store.append('source-1', 'absent', [proposed(0), proposed(1), proposed(2)]);
    for (const read of [() => store.read('source-1'), () => store.all(0n)]) {
      const how = breaks(server)[name] as (line: Line) => void;
      server.next('read', brokenAfter(2, how), brokenAfter(0, how));
      const some = await bounded('a read', collected(read()));
      t.match(some, { items: exactList({ id: id(0) }, { id: id(1) }), ended: { name: 'StoreUnavailable' } });
      t.equal(some.items.length, 2, 'events before the error are delivered');
      const nothing = await bounded('a read', collected(read()));
      t.match(nothing, { items: { length: 0 }, ended: { name: 'StoreUnavailable' } });
      t.equal((await collected(read())).items.length, 3, 'the next read is complete');
    }
    await until('the client keeps no call', () => keptCalls(connection) === 0);
  });

faultTest('read: a slow reader is not a silent server', async (t, { store, connection }) => {
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

faultTest('read: stopping early ends the call on the server', async (t, { server, connection, store }) => {
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
  await until('the client keeps none', () => keptCalls(connection) === 0);
  for await (const _ of store.read('source-1', 15)) {
    // All events have arrived, so that there is no call to cancel.
    await quiet(50);
    break;
  }
  await until('the client keeps no ended call', () => keptCalls(connection) === 0);
  t.equal((await listed(store.read('source-1'))).length, 50, 'another read succeeds');
});

faultTest(
  'projection runner: continues after its checkpoint when the store is reachable again',
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
    const applied: string[] = [];
    const faults: unknown[] = [];
    let failures = 0;
    let reached = 0n;
    const runner = projectionRunner({
      store: eventStoreDb(connection, 0n, { ...limits, quietMs: 1500 }),
      after: () => reached,
      apply: (batch, { position }) => {
        applied.push(...batch.map(event => event.id));
        reached = position;
      },
      fault: error => void faults.push(error),
      unavailable: () => void (failures += 1),
      environment: system,
    });
    t.teardown(runner.stop);
    await bounded('the follower', runner.catchUp());
    t.strictSame(applied, idsUpTo(count - 50), 'each event once, in order');
    t.ok(failures >= 5);

    const before = failures;
    await server.away();
    runner.wake();
    await until('it was tried', () => failures > before + 1);
    await server.back();
    await store.append('catalog', count - 51, events.slice(count - 50));
    await bounded('the follower', runner.catchUp());
    t.strictSame(applied, idsUpTo(count));
    t.strictSame(faults, []);
  },
);

await finished();
