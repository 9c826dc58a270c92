import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { deliveryFile } from '../../../adapters/webhooks/deliveryFile.js';
import { deliveryStreams } from '../../../adapters/webhooks/deliveryStreams.js';
import { system } from '../../../adapters/environment.js';
import {
  attemptsMax,
  type Attempt,
  type DeliveryState,
  type DeliveryStore,
} from '../../../application/ports/deliveries.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { exactList } from '../../helpers/exactList.js';

const state = (cursor: bigint): DeliveryState => ({
  cursor,
  ahead: { 7: '9007199254740995' },
  replayId: 'r',
  replayPosition: '9007199254740994',
  failing: { eventId: 'e', activation: 0, since: 'a', attempts: 2, nextAt: 'b' },
});
const attempt = (n: number): Attempt => ({
  id: `message-${n}`,
  type: 'alert.raised',
  sourceId: 1,
  position: '9007199254740993',
  at: '2024-01-01T00:00:00.000Z',
  attempt: n,
  status: 500,
  failure: null,
  latencyMs: 12,
  outcome: 'retrying',
});

/** Contract of every store of deliveries. */
const contract = (name: string, open: (t: Test) => DeliveryStore): void => {
  t.test(`${name}: progress is as it was saved`, async t => {
    const store = open(t);
    t.equal(await store.state('a'), undefined);
    t.strictSame(await store.claim('a'), { state: undefined });
    const big = state(9_007_199_254_740_993n);
    t.equal(await store.save('a', big, attempt(1)), true);
    t.equal(await store.save('b', state(1n)).catch(() => false), name !== 'streams', 'only when claimed');
    t.strictSame(await store.state('a'), big);
    await store.release('a');
    t.strictSame(await store.claim('a'), { state: big });
    t.equal(await store.save('a', { ...big, failing: null, replayId: null }), true);
    t.strictSame(await store.state('a'), { ...big, failing: null, replayId: null });
    t.equal(await store.save('a', { ...big, refreshedAtMs: 1_700_000_000_123 }), true);
    t.strictSame(await store.state('a'), { ...big, refreshedAtMs: 1_700_000_000_123 });
    t.equal(await store.save('a', big), true);
    t.strictSame(await store.state('a'), big);
  });

  t.test(`${name}: attempts are listed newest first`, async t => {
    const store = open(t);
    t.strictSame(await store.attempts('a', 10), []);
    await store.claim('a');
    await store.save('a', state(1n), attempt(1));
    await store.save('a', state(2n));
    await store.note('a', { ...attempt(2), type: 'webhook.test' });
    t.equal(await store.save('a', state(3n), attempt(3)), true, 'a test does not end the claim');
    t.strictSame(
      (await store.attempts('a', 2)).map(({ id }) => id),
      ['message-3', 'message-2'],
    );
    t.strictSame(await store.attempts('b', 10), []);
    t.strictSame(await store.state('a'), state(3n), 'a test does not move the progress');
  });
};

contract('file', t => {
  const store = deliveryFile(':memory:');
  t.teardown(store.close);
  return store;
});
contract('streams', () => sharedBy(memoryStore()).store);

/** An instance on shared streams, with a clock of its own. */
function sharedBy(store: ReturnType<typeof memoryStore>) {
  const clock = { nowMs: 1_000_000 };
  const environment = { ...system, nowMs: () => clock.nowMs };
  const parts = { store, keepLast: async () => {}, deleteStream: async () => {}, environment };
  return { store: deliveryStreams(parts), clock };
}

t.test('file: the last attempts are kept', async t => {
  const store = deliveryFile(':memory:');
  for (let n = 1; n <= attemptsMax + 5; n += 1) await store.note('a', attempt(n));
  const kept = await store.attempts('a', 2 * attemptsMax);
  t.equal(kept.length, attemptsMax);
  t.equal(kept[0]?.id, `message-${attemptsMax + 5}`);
  await store.forget('a');
  t.strictSame(await store.attempts('a', 10), []);
  store.close();
});

t.test('file: progress outlives the process; a damaged file begins again and says so', async t => {
  const file = join(t.testdir(), 'webhooks.sqlite');
  const first = deliveryFile(file);
  await first.save('a', state(7n), attempt(1));
  first.close();
  const again = deliveryFile(file);
  t.strictSame(await again.state('a'), state(7n));
  again.close();
  writeFileSync(
    file,
    'not a database, and longer than the header of one, so that SQLite looks at it '.repeat(9),
  );
  const warnings: string[] = [];
  const logger = { warn: (_: unknown, text: string) => void warnings.push(text) };
  const damaged = deliveryFile(file, logger as never);
  t.equal(await damaged.state('a'), undefined);
  t.match(warnings, exactList(/messages are delivered again/));
  damaged.close();
});

/** Changes of the rows of a webhook, as a disk may make them, and the table that is named. */
const damages: readonly (readonly [name: string, table: string, sql: string])[] = [
  ['unparseable text', 'progress', `update progress set failing = '{"eventId' where webhook_id = 'a'`],
  ['text of a list', 'progress', `update progress set failing = '[1]' where webhook_id = 'a'`],
  ['another cursor', 'progress', `update progress set position = position + 4 where webhook_id = 'a'`],
  ['another replay', 'progress', `update progress set replay_id = 's' where webhook_id = 'a'`],
  ['another position ahead', 'progress', `update ahead set position = '8' where webhook_id = 'a'`],
  ['no number ahead', 'progress', `update ahead set position = '1x' where webhook_id = 'a'`],
];

const collected = () => {
  const lines: Record<string, unknown>[] = [];
  const warn = (fields: object, text: string): void => void lines.push({ ...fields, text });
  return { lines, logger: { warn } as never };
};

for (const [name, table, sql] of damages)
  for (const isOld of /another/.test(name) ? [false] : [false, true])
    t.test(
      `file: ${name}${isOld ? ' in a row of an older version' : ''} costs one webhook its progress`,
      async t => {
        const file = join(t.testdir(), 'webhooks.sqlite');
        const first = deliveryFile(file);
        await first.save('a', state(7n), attempt(1));
        await first.save('b', state(7n), attempt(1));
        first.close();
        const db = new Database(file);
        if (isOld) db.exec('delete from sums');
        db.exec(sql);
        db.close();
        const { lines, logger } = collected();
        const store = deliveryFile(file, logger);
        t.strictSame(await store.claim('a'), { state: undefined });
        t.equal(await store.state('a'), undefined);
        t.match(lines, exactList({ file, table, webhook: 'a', text: /its messages are delivered again/ }));
        t.strictSame(await store.state('b'), state(7n), 'the other webhook goes on');
        t.strictSame(await store.attempts('a', 9), [attempt(1)], 'attempts are kept');
        await store.save('a', state(9n));
        t.strictSame(await store.state('a'), state(9n));
        store.close();
      },
    );

t.test('file: a damaged attempt is left out of the list, and said once', async t => {
  const file = join(t.testdir(), 'webhooks.sqlite');
  const first = deliveryFile(file);
  for (const n of [1, 2, 3, 4]) await first.note('a', attempt(n));
  first.close();
  const db = new Database(file);
  db.exec(`update attempts set attempt = replace(attempt, '"latencyMs":12', '"latencyMs":13') where n = 2`);
  db.exec(`update attempts set attempt = replace(attempt, '{"id', '{id') where n = 3`);
  db.exec(`update attempts set attempt = '${JSON.stringify(attempt(4))}' where n = 4`);
  db.close();
  const { lines, logger } = collected();
  const store = deliveryFile(file, logger);
  for (const _ of [1, 2]) t.strictSame(await store.attempts('a', 9), [attempt(4), attempt(1)]);
  t.match(lines, exactList({ table: 'attempts', n: 3 }, { table: 'attempts', n: 2 }));
  store.close();
});

t.test('file: progress of a file of an older version is kept', async t => {
  const folder = t.testdir();
  for (const [index, later] of [['replays'], ['refreshes'], ['refreshes', 'sums']].entries()) {
    const file = join(folder, `webhooks-${index}.sqlite`);
    const first = deliveryFile(file);
    await first.save('a', state(7n), attempt(1));
    first.close();
    const db = new Database(file);
    for (const table of new Set(['replays', ...later])) db.exec(`drop table ${table}`);
    db.close();
    const store = deliveryFile(file);
    const { replayPosition: _, ...kept } = state(7n);
    t.strictSame(await store.state('a'), kept);
    await store.save('a', state(8n));
    t.strictSame(await store.state('a'), state(8n));
    store.close();
  }
});

t.test(
  'file: progress of a file of a newer version is kept, and other files are never overwritten',
  async t => {
    const folder = t.testdir();
    const file = join(folder, 'webhooks.sqlite');
    const first = deliveryFile(file);
    await first.save('a', state(7n));
    first.close();
    const newer = new Database(file);
    newer.exec('create table of_a_newer_version (id integer primary key)');
    newer.close();
    const store = deliveryFile(file);
    t.strictSame(await store.state('a'), state(7n));
    store.close();
    for (const table of ['one', 'two']) {
      rmSync(file);
      const other = new Database(file);
      other.exec(`create table ${table} (id integer primary key)`);
      other.close();
      deliveryFile(file).close();
    }
    const tables = ['.other', '.other-2'].map(end => {
      const db = new Database(`${file}${end}`, { readonly: true });
      const names = db.prepare('select name from sqlite_master').pluck().all();
      db.close();
      return names;
    });
    t.strictSame(tables, [['one'], ['two']]);
  },
);

t.test('streams: one instance at a time; a lease ends when its instance is gone', async t => {
  const log = memoryStore();
  const [one, other] = [sharedBy(log), sharedBy(log)];
  t.strictSame(await one.store.claim('a'), { state: undefined });
  t.strictSame(await other.store.claim('a'), { busyUntilMs: 1_060_000 });
  t.equal(await one.store.save('a', state(1n)), true);
  other.clock.nowMs = 1_060_000;
  t.strictSame(await other.store.claim('a'), { state: state(1n) }, 'after the lease');
  t.equal(await one.store.save('a', state(2n)), false, 'it was taken over');
  t.strictSame(await other.store.state('a'), state(1n));
  await other.store.release('a');
  t.strictSame(await one.store.claim('a'), { state: state(1n) }, 'after a release');
});

t.test('file: a replay beyond the end of a restored log ends with it', async t => {
  const store = deliveryFile(':memory:');
  await store.save('a', { ...state(3n), ahead: {}, replayPosition: '12' });
  t.equal(store.cutTo?.(9n), 1);
  t.strictSame(await store.state('a'), { ...state(3n), ahead: {}, replayPosition: '9', failing: null });
  store.close();
});
