import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { eventHash } from '../../auditing/eventBytes.js';
import { verifier, type Verified } from '../../auditing/logVerifier.js';
import { UnusableLog } from '../../adapters/sqlite/logSchema.js';
import { linesOfFile } from '../../adapters/sqlite/readOnly.js';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';
import type { Recorded } from '../../domain/events.js';
import { fillByCommands } from '../helpers/logs/auditLog.js';
import { oldSchemas, writeOldLog } from '../helpers/logs/oldLog.js';
import { run } from '../helpers/process.js';
import { id, instant } from '../helpers/data/samples.js';
import { listed, proposed } from '../helpers/logs/storeContract.js';
import { exactList } from '../helpers/exactList.js';
import { amount } from '../helpers/amount.js';

// Verification of log files that were changed with SQLite, bypassing the service.

const seed = 3;
const eventsMin = 60;

/** Bytes and events of a valid log file. */
const valid = await (async () => {
  const file = join(t.testdir(), 'events.sqlite');
  const store = sqliteStore(file);
  await fillByCommands(store, eventsMin, seed);
  await store.append('source-1', (await listed(store.read('source-1'))).length - 1, [
    proposed(7, { text: 'no UTF-8: \ufffd', count: 10, list: [1, 2] }),
  ]);
  const events = await listed(store.all(0n));
  await store.close();
  return { bytes: readFileSync(file), events };
})();

/** Path of a copy of the valid log file. */
const copied = (t: Test): string => {
  const file = join(t.testdir(), 'events.sqlite');
  writeFileSync(file, valid.bytes);
  return file;
};

/** Executes SQL on a log file. */
const changed = (file: string, sql: string): void => {
  const db = new Database(file);
  db.unsafeMode();
  db.exec(sql);
  db.close();
};

const triggerTexts = (file: string): readonly string[] => {
  const db = new Database(file, { readonly: true });
  const texts = db.prepare<[], string>(`select sql from sqlite_schema where type = 'trigger'`).pluck().all();
  db.close();
  return texts;
};

/** Executes SQL without the triggers of the log, then restores them. */
const changedRows = (file: string, sql: string): void => {
  const names = ['events_never_replaced', 'events_never_updated', 'events_never_deleted'];
  const texts = triggerTexts(file);
  changed(file, [...names.map(name => `drop trigger if exists ${name}`), sql, ...texts].join(';\n'));
};

const verified = async (file: string): Promise<Verified & { readonly faults: readonly string[] }> => {
  const check = verifier();
  const faults: string[] = [];
  for await (const { line, faults: stored } of linesOfFile(file, found => faults.push(...found.faults)))
    check.take(line, undefined, stored);
  return { ...check.done(), faults };
};

const last = valid.events.at(-1) as Recorded;
const lastOf = (stream: string): Recorded =>
  valid.events.findLast(event => event.stream === stream) as Recorded;
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** SQL that inserts an event with a valid hash at any position; it resolves an alert. */
const forgedAt = (position: bigint): string => {
  const before = lastOf('alerts-1');
  const event = {
    id: id(900_000),
    stream: before.stream,
    revision: before.revision + 1,
    type: 'AlertResolved',
    v: 1,
    at: instant(9),
    data: { alertId: '1-20240101-1', comment: null, date: '2024-01-01', verdict: 'expected' },
    metadata: { by: 'eve', cause: id(1), correlation: id(1) },
  };
  const hash = eventHash(event, before.hash ?? null);
  const values = [event.id, event.stream, event.revision, event.type, 1, event.at]
    .concat([JSON.stringify(event.data), JSON.stringify(event.metadata), hash])
    .map(value => text(String(value)));
  return `insert into events (position, id, stream, revision, type, v, at, data, metadata, hash)
    values (${position}, ${values.join()})`;
};

t.test('log file: a valid log has no faults', async t => {
  const { faults, findings, events } = await verified(copied(t));
  t.strictSame([faults, findings, events], [[], [], valid.events.length]);
});

t.test('log file: a row before the first position is refused by the service and reported', async t => {
  const refused = new Database(copied(t));
  t.throws(
    () => refused.exec(forgedAt(-5n)),
    /CHECK constraint failed/,
    'the present schema refuses the row',
  );
  refused.close();
  for (const position of [-5n, 0n, -(2n ** 63n)]) {
    const file = join(t.testdir({ [`at${position}`]: {} }), `at${position}`, 'events.sqlite');
    writeOldLog(file, oldSchemas['with hashes'] ?? '', valid.events);
    t.strictSame((await verified(file)).findings, [], 'a log of an earlier version');
    changed(file, forgedAt(position));
    t.throws(() => sqliteStore(file), UnusableLog, 'the service refuses to start on it');
    const { findings, events } = await verified(file);
    t.equal(events, valid.events.length + 1, 'readers include the row');
    t.match(findings[0], {
      code: 'stored',
      event: 1,
      stream: 'alerts-1',
      revision: lastOf('alerts-1').revision + 1,
      id: id(900_000),
      detail: `its position is ${position}, expected at least 1`,
    });
  }
});

t.test('log file: rows with another text than Daybook writes are reported', async t => {
  const { position, stream, revision } = last;
  const replace = (column: string, was: string, is: string): string =>
    `update events set ${column} = replace(${column}, ${text(was)}, ${text(is)}) where position = ${position}`;
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['a field in the metadata', replace('metadata', '"by":', '"approved":"yes","by":'), /fields approved,by/],
    [
      'a field of the metadata twice',
      replace('metadata', '"by":', '"by":"eve","by":'),
      /metadata are not stored/,
    ],
    ['spaces in the metadata', replace('metadata', '"by":', '"by": '), /metadata are not stored/],
    ['a name twice in the data', replace('data', '"count":', '"count":11,"count":'), /data are not stored/],
    ['spaces in the data', replace('data', '"count":', '"count": '), /data are not stored/],
    ['a line feed', `update events set data = data || char(10) where position = ${position}`, /data are not/],
    ['another notation of a number', replace('data', '10', '1e1'), /data are not stored/],
    ['another notation of a letter', replace('data', 'UTF', '\\u0055TF'), /data are not stored/],
    [
      'another order',
      `update events set data = '{"text":"no UTF-8: \ufffd","list":[1,2],"count":10}' where position = ${position}`,
      /data are not stored/,
    ],
    [
      'bytes that are not UTF-8',
      `update events set data = cast(replace(cast(data as blob), x'efbfbd', x'f09080') as text) where position = ${position}`,
      /not UTF-8/,
    ],
  ];
  for (const [index, [title, sql, detail]] of cases.entries()) {
    const file = join(t.testdir({ [`case${index}`]: {} }), `case${index}`, 'events.sqlite');
    writeFileSync(file, valid.bytes);
    changedRows(file, sql);
    const { faults, findings } = await verified(file);
    t.strictSame(faults, []);
    t.match(
      findings,
      exactList({ code: 'stored', event: Number(position), stream, revision, detail }),
      title,
    );
  }
});

t.test('log file: another text of an event is found in any row', async t => {
  const rewritten: Readonly<
    Record<string, readonly [column: 'data' | 'metadata', (text: string) => string]>
  > = {
    'an extra metadata field': ['metadata', text => text.replace('{', '{"approved":"yes",')],
    'a metadata name twice': ['metadata', text => text.replace(/^\{("[^"]+":)/, '{$1"eve",$1')],
    'other spacing of the metadata': ['metadata', text => text.replace('":', '": ')],
    'a data name twice': ['data', text => text.replace(/^\{("[^"]+":)/, '{$1"eve",$1')],
    'other spacing of the data': ['data', text => text.replace(/^\{/, '{ ')],
    'a line feed after the data': ['data', text => `${text}\n`],
  };
  const file = copied(t);
  const texts = new Database(file, { readonly: true });
  const rows = texts
    .prepare<[], { position: number; data: string; metadata: string }>(
      'select position, data, metadata from events order by position',
    )
    .all();
  texts.close();
  t.equal(rows.length, valid.events.length);
  const some = rows.filter((_, index) => index % amount({ quick: 5, slow: 1 }) === 0);
  for (const [title, [column, rewrite]] of Object.entries(rewritten)) {
    const unseen: number[] = [];
    for (const row of some) {
      writeFileSync(file, valid.bytes);
      const other = rewrite(row[column]);
      if (other === row[column]) t.fail(`${title}: the text of row ${row.position} is not changed`);
      changedRows(file, `update events set ${column} = ${text(other)} where position = ${row.position}`);
      const { findings } = await verified(file);
      if (findings[0]?.code !== 'stored' || findings[0].event !== row.position) unseen.push(row.position);
    }
    t.strictSame(unseen, [], `${title} in each of ${some.length} rows`);
  }
});

t.test('log file: a row that is not an event is reported, others are read', async t => {
  const cases = {
    metadata: `metadata = 'null'`,
    list: `metadata = '[1]'`,
    broken: `data = '{'`,
    surrogate: `data = '["\\ud83d"]'`,
    infinite: `data = '[1e999]'`,
    deep: `data = '${'['.repeat(200_000)}${']'.repeat(200_000)}'`,
  };
  for (const [name, set] of Object.entries(cases)) {
    const file = join(t.testdir({ [name]: {} }), name, 'events.sqlite');
    writeFileSync(file, valid.bytes);
    changedRows(file, `pragma ignore_check_constraints = on; update events set ${set} where position = 10`);
    const { findings, events } = await verified(file);
    t.equal(events, valid.events.length, name);
    t.match(findings[0], { event: 10 }, name);
  }
});

t.test('log file: logs of every earlier version can be verified and continued', async t => {
  for (const [name, schema] of Object.entries(oldSchemas)) {
    const file = join(t.testdir({ old: {} }), 'old', 'events.sqlite');
    writeOldLog(file, schema, valid.events);
    const known = schema.includes('hash') ? 0 : valid.events.length;
    const assertValid = async (title: string): Promise<void> => {
      const { faults, findings, withoutHash } = await verified(file);
      t.strictSame([faults, findings, withoutHash], [[], [], known], `${name}: ${title}`);
    };
    await assertValid('unchanged');
    changedRows(
      file,
      `update events set data = replace(data, '"count":', '"count": ') where position = ${last.position}`,
    );
    t.match(
      (await verified(file)).findings,
      exactList({ code: 'stored', event: Number(last.position) }),
      'spaces',
    );
    changedRows(
      file,
      `update events set data = replace(data, '": ', '":') where position = ${last.position}`,
    );
    const [store, other] = [sqliteStore(file), sqliteStore(file)];
    t.equal((await listed(other.all(0n))).length, valid.events.length);
    await other.close();
    await store.append('source-70', 'absent', [proposed(70)]);
    await store.close();
    await assertValid('opened by this version');
  }
});

t.test('log file: unknown schema objects are reported', async t => {
  const trigger = (name: string): string =>
    `create trigger ${name} after insert on events begin select 1; end`;
  const cases: readonly (readonly [string, string, RegExp, boolean])[] = [
    ['a trigger', trigger('more'), /got trigger more, which/, true],
    [
      'a trigger with a name of Daybook',
      `drop trigger events_never_deleted; ${trigger('events_never_deleted')}`,
      /trigger events_never_deleted differs from the one that Daybook creates/,
      true,
    ],
    ['a trigger removed', 'drop trigger events_never_updated', /events_never_updated is missing/, false],
    ['an index', 'create index more on events (at)', /got index more/, true],
    ['a table', 'create table more (a)', /got table more/, false],
    ['a view', 'create view more as select * from events', /got view more/, false],
    [
      'a view instead of the table',
      `alter table events rename to kept; create view events as select * from kept where type <> 'AlertResolved'`,
      /the table events was not created by Daybook/,
      true,
    ],
    [
      'a column',
      'alter table events add column more text',
      /the table events was not created by Daybook/,
      true,
    ],
    [
      'indexes that do not belong to the table',
      `pragma writable_schema = on;
       update sqlite_schema set rootpage = (select sum(rootpage) from sqlite_schema
         where name like 'sqlite_autoindex_events_%') - rootpage
       where name like 'sqlite_autoindex_events_%'`,
      /damaged/,
      false,
    ],
    [
      'the last rows removed',
      `drop trigger events_never_deleted; delete from events where position > 50;
       create trigger events_never_deleted before delete on events
       begin select raise(abort, 'events are append-only'); end`,
      /it had events up to position \d+, its last is 50/,
      false,
    ],
  ];
  for (const [index, [title, sql, fault, isRefused]] of cases.entries()) {
    const file = join(t.testdir({ [`case${index}`]: {} }), `case${index}`, 'events.sqlite');
    writeFileSync(file, valid.bytes);
    changed(file, sql);
    const { faults } = await verified(file);
    t.ok(
      faults.some(text => fault.test(text)),
      `${title}: ${faults.join()}`,
    );
    if (isRefused) t.throws(() => sqliteStore(file), UnusableLog, `${title}: the service refuses it`);
  }
});

t.test('log file: missing rows are reported as a gap', async t => {
  const file = copied(t);
  const ends = new Map(valid.events.map(event => [event.stream, event]));
  const [end] = [...ends.values()].filter(event => event !== last);
  changedRows(file, `delete from events where position = ${end?.position}`);
  const { findings } = await verified(file);
  t.match(findings, exactList({ code: 'stored', detail: /expected \d+: the events between are missing/ }));
});

t.test('log file: a position above 2^53 is read once', async t => {
  const file = copied(t);
  changedRows(file, `update events set position = 9007199254740993 where position = ${last.position}`);
  const { findings, events } = await verified(file);
  t.equal(events, valid.events.length);
  t.match(findings, exactList({ code: 'stored', detail: /its position is 9007199254740993/ }));
});

t.test('log file: includes the -wal file, also behind a symbolic link', async t => {
  const dir = t.testdir({ real: {}, linked: {} });
  const file = join(dir, 'real', 'events.sqlite');
  writeFileSync(file, valid.bytes);
  const store = sqliteStore(file);
  await store.append('source-80', 'absent', [proposed(80)]);
  symlinkSync(file, join(dir, 'linked', 'events.sqlite'));
  const seen = await verified(join(dir, 'linked', 'events.sqlite'));
  t.equal(seen.events, valid.events.length + 1, 'events in the -wal file next to the real file');
  t.match(await run(['verify', '--log', join(dir, 'linked')], {}), {
    code: 3,
    stdout: new RegExp(`The given path is a link; verified ${file}\\.`),
  });
  await store.close();
  writeFileSync(`${file}-journal`, 'x'.repeat(600));
  t.match((await verified(file)).faults, exactList(/-journal exists/));
});

t.test('verify: reports all faults of a log file', async t => {
  const dir = t.testdir({ data: {} });
  const file = join(dir, 'data', 'events.sqlite');
  writeOldLog(file, oldSchemas['with hashes'] ?? '', valid.events);
  changed(file, `${forgedAt(-5n)}; create table more (a)`);
  t.match(await run(['verify', '--log', 'data'], {}, { cwd: dir }), {
    code: 1,
    stdout:
      /events\.sqlite: got table more, which Daybook did not create\nevent 1 \(alerts-1 revision \d+, .*\): its position is -5, expected at least 1/,
  });
  const { code, stdout } = await run(['verify', '--log', 'data', '--json'], {}, { cwd: dir });
  t.equal(code, 1);
  t.match(JSON.parse(stdout), { clean: false, file: { path: file, faults: exactList(/table more/) } });
  const { code: started, stderr } = await run(['serve'], { DATA_DIR: join(dir, 'data') });
  t.equal(started, 3);
  t.match(stderr, /got an event at position -5, expected positions from 1; run "daybook verify /);
  t.notMatch(stderr, /\n.*\n/, 'in one sentence');
});
