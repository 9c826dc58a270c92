import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { eventHash } from '../../auditing/eventBytes.js';
import { Conflict, StoreUnavailable } from '../../application/ports/eventStore.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';
import { oldSchemas, writeOldLog } from '../helpers/logs/oldLog.js';
import { id } from '../helpers/data/samples.js';
import { exactList } from '../helpers/exactList.js';
import { listed, proposed, storeContract } from '../helpers/logs/storeContract.js';
import { turnsOf } from '../helpers/waits.js';
import type { Recorded } from '../../domain/events.js';

const folder = t.testdir();
let files = 0;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const newFile = (): string => join(folder, `log-${(files += 1)}.sqlite`);

storeContract('memory', memoryStore);
storeContract('sqlite', () => sqliteStore(newFile()));

/** Writes a file with three events in two streams. */
const filled = async (): Promise<string> => {
  const file = newFile();
  const store = sqliteStore(file);
  await store.append('source-1', 'absent', [proposed(0), proposed(1)]);
  await store.append('days-1', 'absent', [proposed(2)]);
  await store.close();
  return file;
};

t.test('sqlite: events are kept when the file is opened again', async t => {
  const file = await filled();
  const store = sqliteStore(file);
  t.strictSame(
    (await listed(store.all(0n))).map(event => event.id),
    [id(0), id(1), id(2)],
  );
  t.equal(await store.append('source-1', 'absent', [proposed(0), proposed(1)]), 1, 'a retry is recognised');
  t.equal(await store.append('source-1', 1, [proposed(3)]), 2);
  t.equal((await listed(store.all(0n))).at(-1)?.revision, 2);
  await store.close();
});

t.test('sqlite: a log without hashes continues with hashes', async t => {
  const file = newFile();
  const begun = sqliteStore(await filled());
  writeOldLog(file, oldSchemas['first'] ?? '', await listed(begun.all(0n)));
  await begun.close();
  const [one, other] = [sqliteStore(file), sqliteStore(file)];
  const log = await listed(one.all(0n));
  t.equal(log.length, 3);
  t.notOk(log.some(event => 'hash' in event));
  await other.append('source-1', 1, [proposed(3)]);
  await one.append('source-1', 2, [proposed(4)]);
  const [, , third, fourth] = await listed(one.read('source-1'));
  if (!third || !fourth) throw new Error('no events');
  t.equal(third.hash, eventHash(third, null), 'the chain begins');
  t.equal(fourth.hash, eventHash(fourth, third.hash ?? null), 'and continues');
  await Promise.all([one.close(), other.close()]);
});

t.test('sqlite: two connections conflict, and read each other’s events', async t => {
  const file = newFile();
  const [one, other] = [sqliteStore(file), sqliteStore(file)];
  await one.append('source-1', 'absent', [proposed(0)]);
  await t.rejects(other.append('source-1', 'absent', [proposed(1)]), Conflict);
  t.equal(await other.append('source-1', 0, [proposed(1)]), 1);
  t.equal(
    await other.append('source-1', 'absent', [proposed(0)]),
    0,
    'a retry of the other connection’s append',
  );
  t.strictSame(
    (await listed(one.read('source-1'))).map(event => event.id),
    [id(0), id(1)],
  );
  await t.rejects(one.append('source-1', 0, [proposed(2)]), Conflict);
  await one.close();
  t.equal((await listed(other.all(0n))).length, 2);
  await other.close();
});

t.test('sqlite: of two exclusive writers, the overtaken one stops permanently', async t => {
  const file = newFile();
  const faults: unknown[] = [];
  const one = sqliteStore(file, () => t.fail('the first to append continues'));
  const other = sqliteStore(file, error => faults.push(error));
  const reader = sqliteStore(file);
  await one.append('source-1', 'absent', [proposed(0)]);
  for (const stream of ['source-1', 'source-2'])
    await t.rejects(other.append(stream, 'absent', [proposed(1)]), { name: 'LogTaken' });
  t.equal(faults.length, 2);
  await one.append('source-1', 0, [proposed(2)]);
  await t.rejects(one.append('source-1', 0, [proposed(3)]), Conflict);
  t.equal((await listed(reader.all(0n))).length, 2, 'other connections can read');
  await one.append('source-1', 1, [proposed(3)]);
  await Promise.all([one.close(), other.close(), reader.close()]);
});

t.test('sqlite: an only writer whose folder cannot be used for a moment goes on afterwards', async t => {
  const [data, away] = [join(folder, 'data'), join(folder, 'away')];
  mkdirSync(data);
  const store = sqliteStore(join(data, 'log.sqlite'), () => t.fail('no other process writes the log'));
  await store.append('source-1', 'absent', [proposed(0)]);
  renameSync(data, away);
  symlinkSync(data, data);
  await t.rejects(store.append('source-1', 0, [proposed(1)]), StoreUnavailable);
  rmSync(data);
  renameSync(away, data);
  t.equal(await store.append('source-1', 0, [proposed(1)]), 1);
  await store.close();
});

t.test('sqlite: a file that cannot be opened is StoreUnavailable', async t => {
  const isFolder = join(folder, 'a-folder');
  mkdirSync(isFolder);
  t.throws(() => sqliteStore(isFolder), StoreUnavailable);
});

const changes: readonly (readonly [string, string])[] = [
  ['update', `update events set data = '{}' where position = 1`],
  ['delete', 'delete from events where position = 1'],
  ['delete of all rows', 'delete from events'],
  [
    'insert or replace',
    `insert or replace into events (position, id, stream, revision, type, v, at, data, metadata)
     select position, id, stream, revision, type, v, at, '{}', metadata from events where position = 1`,
  ],
];

t.test('sqlite: events are never changed or deleted', async t => {
  for (const [title, statement] of changes)
    await t.test(title, async t => {
      const db = new Database(await filled());
      const before = db.prepare('select * from events order by position').all();
      t.throws(() => db.exec(statement), /append-only/);
      t.strictSame(db.prepare('select * from events order by position').all(), before);
      db.close();
    });
});

t.test('sqlite: tables are strict and contain valid JSON only', async t => {
  const db = new Database(await filled());
  const insert = (column: string, value: string) => () =>
    db.exec(
      `insert into events (id, stream, revision, type, v, at, data, metadata)
       select ${['id', 'stream', 'revision', 'type', 'v', 'at', 'data', 'metadata']
         .map(name =>
           name === column ? value : ({ id: `'new'`, stream: `'source-9'`, revision: '0' }[name] ?? name),
         )
         .join(', ')} from events where position = 1`,
    );
  t.throws(insert('data', `'{not json'`), /CHECK/);
  t.throws(insert('metadata', `''`), /CHECK/);
  t.throws(insert('revision', '-1'), /CHECK/);
  t.throws(insert('v', '0'), /CHECK/);
  t.throws(insert('v', `'one'`), /INTEGER/);
  insert('at', `'2024-01-31T00:00:00.000Z'`)();
  db.close();
});

/** A store and its connection, captured at its first statement. */
const opened = (t: Test, file: string) => {
  const { exec } = Database.prototype;
  let own: Database | undefined;
  Database.prototype.exec = function (this: Database, text: string) {
    own ??= this;
    return exec.call(this, text);
  };
  const store = sqliteStore(file);
  Database.prototype.exec = exec;
  t.teardown(store.close);
  if (!own) throw new Error('no connection');
  return { store, own };
};

t.test('sqlite: WAL, and every append synced', async t => {
  // Only the connection itself knows its synchronous setting.
  const { own } = opened(t, newFile());
  t.equal(Number(own.pragma('synchronous', { simple: true })), 2, 'synchronous = FULL');
  t.equal(own.pragma('journal_mode', { simple: true }), 'wal');
});

/** Number of transactions in the -wal file: the last frame of each has the size of the database in its header. */
const transactionsOf = (file: string): number => {
  const wal = readFileSync(`${file}-wal`);
  const frameBytes = 24 + wal.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at < wal.length; at += frameBytes) if (wal.readUInt32BE(at + 4) > 0) count += 1;
  return count;
};

t.test('sqlite: concurrent appends share transactions, single ones do not wait', async t => {
  const file = newFile();
  const { store } = opened(t, file);
  await store.append('source-0', 'absent', [proposed(0)]);
  const before = transactionsOf(file);
  await Promise.all(range(20).map(n => store.append(`source-${n + 1}`, 'absent', [proposed(n + 1)])));
  t.equal(transactionsOf(file), before + 1, 'one transaction for twenty appends');
  for (const n of range(3)) await store.append('days-1', n === 0 ? 'absent' : n - 1, [proposed(50 + n)]);
  t.equal(transactionsOf(file), before + 4, 'one transaction for each append');
  await Promise.all(range(40).map(n => store.append(`alerts-${n}`, 'absent', [proposed(100 + n)])));
  t.equal(transactionsOf(file), before + 6, 'at most 32 appends in a transaction');
});

t.test('sqlite: on a full disk an append is stored or fails', async t => {
  const { store, own } = opened(t, newFile());
  await store.append('days-1', 'absent', [proposed(0)]);
  own.pragma(`max_page_count = ${Number(own.pragma('page_count', { simple: true })) + 8}`);
  const sizes = [100, 100_000, 200, 5000, 9000, 9000, 9000, 100];
  const caughtUp = await Promise.allSettled(
    sizes.map((size, n) => store.append(`source-${n}`, 'absent', [proposed(n + 1, 'x'.repeat(size))])),
  );
  const failures = caughtUp.flatMap(one => (one.status === 'rejected' ? [one.reason as unknown] : []));
  t.ok(failures.length > 1 && failures.every(failure => failure instanceof StoreUnavailable));
  const stored = (await listed(store.all(0n))).map(event => event.stream);
  const fulfilled = caughtUp.flatMap(({ status }, n) => (status === 'fulfilled' ? [`source-${n}`] : []));
  t.strictSame(stored, ['days-1', ...fulfilled]);
  own.pragma('max_page_count = 1000000');
  t.equal(
    await store.append('source-1', 'absent', [proposed(2, 'x'.repeat(100_000))]),
    0,
    'space is available again',
  );
});

t.test('sqlite: an error that rolls back a transaction fails all its appends', async t => {
  const { store, own } = opened(t, newFile());
  own.exec(`create trigger gone before insert on events when new.type = 'Gone'
    begin select raise(rollback, 'gone'); end`);
  const caughtUp = await Promise.allSettled([
    store.append('source-1', 'absent', [proposed(1)]),
    store.append('source-2', 'absent', [proposed(2, {}, 'Gone')]),
    store.append('source-3', 'absent', [proposed(3)]),
  ]);
  t.ok(caughtUp.every(({ status }) => status === 'rejected'));
  t.strictSame(await listed(store.all(0n)), []);
  t.equal(await store.append('source-1', 'absent', [proposed(1)]), 0, 'the store is usable after that');
});

t.test('sqlite: pending appends are stored before the file is closed', async t => {
  const file = newFile();
  const store = sqliteStore(file);
  const waiting = range(40).map(n => store.append(`source-${n}`, 'absent', [proposed(n)]));
  await store.close();
  t.strictSame(await Promise.all(waiting), Array<number>(40).fill(0));
  const { store: again } = opened(t, file);
  t.equal((await listed(again.all(0n))).length, 40);
});

t.test('sqlite: rare types are looked for in steps, in which others have their turn', async t => {
  const { store } = opened(t, newFile());
  const batch = range(3000);
  for (const n of range(4))
    await store.append(
      'days-1',
      n === 0 ? 'absent' : n * 3000 - 1,
      batch.map(index => proposed(n * 3000 + index)),
    );
  await store.append('source-1', 'absent', [proposed(12_000, {}, 'Rare')]);
  let found: readonly Recorded[] = [];
  const turns = await turnsOf(async () => (found = await listed(store.all(0n, ['Rare']))));
  t.match(found, exactList({ position: 12_001n }));
  t.ok(turns >= 2, `${turns} turns`);
  t.strictSame(await listed(store.all(0n, ['Unknown'])), []);
  t.equal((await listed(store.all(0n, [found[0]?.type ?? '', proposed(0).type]))).length, 12_001);
});

t.test('sqlite: no event that is appended during a read by types is left out', async t => {
  const { store } = opened(t, newFile());
  const of = (n: number, type: string) => proposed(n, {}, type);
  await store.append(
    'days-1',
    'absent',
    range(4980).map(n => of(n, 'Other')),
  );
  await store.append(
    'source-1',
    'absent',
    range(10).map(n => of(5000 + n, 'Wanted')),
  );
  const found: bigint[] = [];
  let revision = 9;
  const take = async (after: bigint): Promise<void> => {
    for await (const { position } of store.all(after, ['Wanted'])) {
      found.push(position);
      if (found.length > 5) continue;
      await store.append(
        'source-1',
        revision,
        range(20).map(n => of(6000 + 20 * revision + n, 'Wanted')),
      );
      revision += 20;
    }
  };
  await take(0n);
  await take(found.at(-1) ?? 0n);
  t.strictSame(
    found,
    range(110).map(n => BigInt(4981 + n)),
  );
});

const sqlite3 = (...args: readonly string[]) => spawnSync('sqlite3', [...args], { encoding: 'utf8' });
const skip = sqlite3('--version').status === 0 ? false : 'no sqlite3 command on PATH';

t.test('sqlite: a lock of another process delays appends, and the event loop goes on', async t => {
  const file = join(folder, 'locked.db');
  const store = sqliteStore(file);
  const other = new Database(file);
  t.teardown(() => other.close());
  other.exec('begin immediate');
  // The lock ends by a timer, which needs the event loop.
  setTimeout(() => other.exec('rollback'), 200);
  const appends = [1, 2].map(n => store.append(`catalog-${n}`, 'absent', [proposed(n)]));
  t.strictSame(await Promise.all(appends), [0, 0]);
  t.equal((await listed(store.all(0n))).length, 2);
  other.exec('begin immediate');
  const late = t.rejects(store.append('catalog-3', 'absent', [proposed(3)]), StoreUnavailable);
  await store.close();
  await late;
});

t.test(
  'sqlite: appends that wait for a lock are refused by their own time, not group after group',
  async t => {
    const file = join(folder, 'locked-for-long.db');
    const store = sqliteStore(file);
    const other = new Database(file);
    const { now } = performance;
    t.teardown(async () => {
      performance.now = now;
      other.close();
      await store.close();
    });
    other.exec('begin immediate');
    const appends = range(100).map(n => store.append(`catalog-${n}`, 'absent', [proposed(n)]));
    const [first = Promise.reject(new Error('none'))] = appends;
    let refused = 0;
    for (const append of appends) append.catch(() => (refused += 1));
    performance.now = () => now.call(performance) + 5000;
    await t.rejects(first, StoreUnavailable);
    await new Promise(resolve => setImmediate(resolve));
    t.equal(refused, 100);
    const next = store.append('catalog-0', 'absent', [proposed(0)]);
    other.exec('rollback');
    t.equal(await next, 0, 'a later one has its own time');
  },
);

t.test('sqlite: the sqlite3 command reads the file while it is open', { skip }, async t => {
  const file = await filled();
  const store = sqliteStore(file);
  await store.append('source-1', 1, [proposed(3, { text: 'Zähler' })]);
  t.equal(
    sqlite3(file, 'select position, stream, revision, type, at, data from events order by position').stdout,
    [
      '1|source-1|0|SourceIdReserved|2024-01-31T00:00:00.000Z|{"n":0}',
      '2|source-1|1|SourceIdReserved|2024-01-31T00:00:01.000Z|{"n":1}',
      '3|days-1|0|SourceIdReserved|2024-01-31T00:00:02.000Z|{"n":2}',
      '4|source-1|2|SourceIdReserved|2024-01-31T00:00:03.000Z|{"text":"Zähler"}',
      '',
    ].join('\n'),
  );
  t.equal(sqlite3(file, 'pragma integrity_check').stdout, 'ok\n');
  await store.close();
});

t.test('sqlite: the sqlite3 command cannot change events', { skip }, async t => {
  const file = await filled();
  const store = sqliteStore(file);
  for (const [what, statement] of changes.slice(0, 3)) {
    const { status, stderr } = sqlite3(file, statement);
    t.not(status, 0, what);
    t.match(stderr, /append-only/, what);
  }
  t.equal((await listed(store.all(0n))).length, 3);
  await store.close();
});
