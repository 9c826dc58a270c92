import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { eventHash } from '../../adapters/audit/eventHash.js';
import { Conflict, StoreUnavailable } from '../../adapters/eventStore.js';
import { memoryStore } from '../../adapters/stores/memory.js';
import { sqliteStore } from '../../adapters/stores/sqlite.js';
import { id } from '../helpers/samples.js';
import { listed, proposed, storeContract } from '../helpers/storeContract.js';

const folder = t.testdir();
let files = 0;
const newFile = (): string => join(folder, `log-${(files += 1)}.sqlite`);

storeContract('memory', memoryStore);
storeContract('sqlite', () => sqliteStore(newFile()));

/** A file with three events in two streams, closed again. */
const filled = async (): Promise<string> => {
  const file = newFile();
  const store = sqliteStore(file);
  await store.append('source-1', 'absent', [proposed(0), proposed(1)]);
  await store.append('days-1', 'absent', [proposed(2)]);
  await store.close();
  return file;
};

t.test('sqlite: what was appended is there after closing and opening', async t => {
  const file = await filled();
  const store = sqliteStore(file);
  t.strictSame(
    (await listed(store.all(0n))).map(event => event.id),
    [id(0), id(1), id(2)],
  );
  t.equal(
    await store.append('source-1', 'absent', [proposed(0), proposed(1)]),
    1,
    'a repeat is known as one',
  );
  t.equal(await store.append('source-1', 1, [proposed(3)]), 2);
  t.equal((await listed(store.all(0n))).at(-1)?.revision, 2);
  await store.close();
});

t.test('sqlite: a log that was begun before there were hashes goes on with them', async t => {
  const file = await filled();
  const db = new Database(file);
  db.exec('alter table events drop column hash');
  db.close();
  const [one, other] = [sqliteStore(file), sqliteStore(file)];
  const log = await listed(one.all(0n));
  t.equal(log.length, 3);
  t.notOk(log.some(event => 'hash' in event));
  await other.append('source-1', 1, [proposed(3)]);
  await one.append('source-1', 2, [proposed(4)]);
  const [, , third, fourth] = await listed(one.read('source-1'));
  if (!third || !fourth) throw new Error('no events');
  t.equal(third.hash, eventHash(third, null), 'the chain begins');
  t.equal(fourth.hash, eventHash(fourth, third.hash ?? null), 'and goes on');
  await Promise.all([one.close(), other.close()]);
});

t.test('sqlite: two connections conflict, and each reads what the other appends', async t => {
  const file = newFile();
  const [one, other] = [sqliteStore(file), sqliteStore(file)];
  await one.append('source-1', 'absent', [proposed(0)]);
  await t.rejects(other.append('source-1', 'absent', [proposed(1)]), Conflict);
  t.equal(await other.append('source-1', 0, [proposed(1)]), 1);
  t.equal(await other.append('source-1', 'absent', [proposed(0)]), 0, 'a repeat of what the other appended');
  t.strictSame(
    (await listed(one.read('source-1'))).map(event => event.id),
    [id(0), id(1)],
  );
  await t.rejects(one.append('source-1', 0, [proposed(2)]), Conflict);
  await one.close();
  t.equal((await listed(other.all(0n))).length, 2);
  await other.close();
});

t.test('sqlite: a file that cannot be opened is StoreUnavailable', async t => {
  const isFolder = join(folder, 'a-folder');
  mkdirSync(isFolder);
  t.throws(() => sqliteStore(isFolder), StoreUnavailable);
});

const changes: readonly (readonly [string, string])[] = [
  ['update', `update events set data = '{}' where position = 1`],
  ['delete', 'delete from events where position = 1'],
  ['delete of all', 'delete from events'],
  [
    'insert or replace',
    `insert or replace into events (position, id, stream, revision, type, v, at, data, metadata)
     select position, id, stream, revision, type, v, at, '{}', metadata from events where position = 1`,
  ],
];

t.test('sqlite: events are never changed nor taken away', async t => {
  for (const [what, statement] of changes)
    await t.test(what, async t => {
      const db = new Database(await filled());
      const before = db.prepare('select * from events order by position').all();
      t.throws(() => db.exec(statement), /append-only/);
      t.strictSame(db.prepare('select * from events order by position').all(), before);
      db.close();
    });
});

t.test('sqlite: the tables are strict, and hold JSON alone', async t => {
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

t.test('sqlite: WAL, and every append synced', async t => {
  // How far a connection syncs is known to itself alone, so the store's own is caught at its first statement.
  const file = newFile();
  const { exec } = Database.prototype;
  let own: Database.Database | undefined;
  Database.prototype.exec = function (this: Database.Database, text: string) {
    own ??= this;
    return exec.call(this, text);
  };
  t.teardown(() => (Database.prototype.exec = exec));
  const store = sqliteStore(file);
  t.equal(Number(own?.pragma('synchronous', { simple: true })), 2, 'synchronous = FULL');
  t.equal(own?.pragma('journal_mode', { simple: true }), 'wal');
  await store.close();
});

const sqlite3 = (...args: readonly string[]) => spawnSync('sqlite3', [...args], { encoding: 'utf8' });
const skip = sqlite3('--version').status === 0 ? false : 'no sqlite3 command on PATH';

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

t.test('sqlite: the sqlite3 command changes nothing either', { skip }, async t => {
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
