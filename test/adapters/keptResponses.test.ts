import {
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { system } from '../../adapters/environment.js';
import { keptResponsesIn } from '../../adapters/http/idempotency/keptResponsesFile.js';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import { durableReadModels } from '../../adapters/sqlite/readModels.js';
import { keyFile } from '../../adapters/privacy/keys.js';
import { exactList } from '../helpers/exactList.js';
import { proposed } from '../helpers/logs/storeContract.js';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';

const at = '2026-01-01T00:00:00.000Z';
const answer = { status: 200, body: { text: 'x'.repeat(1000) } };

/** A clock that stands still, and a timer that goes off by hand. */
const manual = (days = 0) => {
  const timers = new Set<() => void>();
  const after = (_ms: number, run: () => void) => {
    timers.add(run);
    return () => void timers.delete(run);
  };
  const clock = { nowMs: Date.parse(at) + days * 86_400_000 };
  return { clock, timers, environment: { ...system, nowMs: () => clock.nowMs, after } };
};

const opened = (file: string, { environment } = manual()) => {
  const warnings: unknown[] = [];
  const answers = keptResponsesIn(file, environment, { warn: (said: unknown) => void warnings.push(said) });
  const ask = async (key: string) => {
    const begun = await answers.begin('holder', key, 'digest', at);
    if (!('answer' in begun)) await answers.keep('holder', key, answer);
    return 'answer' in begun ? 'answered' : 'new';
  };
  return { ask, close: answers.close, warnings };
};

/** Writes a file with 200 responses. */
const filled = async (t: Test): Promise<string> => {
  const file = join(t.testdir(), 'answers.sqlite');
  const { ask, close } = opened(file);
  for (let key = 0; key < 200; key += 1) await ask(`key-${key}`);
  close();
  return file;
};

const overwritten = (file: string, from: number): void => {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xa5, from));
};

const otherDatabase = (file: string, sql: string): void => {
  writeFileSync(file, '');
  const db = new Database(file);
  db.exec(sql);
  db.close();
};

for (const [name, damage] of [
  ['garbage from its first byte', file => overwritten(file, 0)],
  ['garbage after its first page', file => overwritten(file, 4096)],
  ['half of it', file => truncateSync(file, readFileSync(file).length / 2)],
  ['a table of other columns', file => otherDatabase(file, 'create table answers (key text)')],
  ['another database', file => otherDatabase(file, 'create table events (id text)')],
] as const satisfies readonly (readonly [string, (file: string) => void])[])
  t.test(`kept responses: ${name}`, async t => {
    const file = await filled(t);
    damage(file);
    const { ask, close, warnings } = opened(file);
    for (let key = 0; key < 200; key += 1) t.match(await ask(`key-${key}`), /new|answered/);
    t.equal(warnings.length, 1, 'one warning');
    for (let key = 199; key < 400; key += 1) await ask(`key-${key}`);
    t.equal(await ask('key-300'), 'answered', 'new responses are kept');
    close();
    const again = opened(file);
    t.equal(await again.ask('key-300'), 'answered', 'also after the next start');
    t.equal(again.warnings.length, 0);
    again.close();
    t.equal(existsSync(`${file}.other`), name.includes('other'), 'a valid database is kept as a backup');
  });

t.test('kept responses: a damaged file that cannot be replaced at first', async t => {
  const file = await filled(t);
  const [folder, away] = [dirname(file), `${dirname(file)}-away`];
  const { ask, close } = opened(file);
  overwritten(file, 8192);
  renameSync(folder, away);
  symlinkSync(folder, folder);
  const found = await Promise.allSettled(Array.from({ length: 200 }, (_, key) => ask(`key-${key}`)));
  const failed = found.filter(({ status }) => status === 'rejected');
  t.ok(failed.length > 0);
  t.match(failed.at(-1), { reason: { name: 'StoreUnavailable' } });
  rmSync(folder);
  renameSync(away, folder);
  for (const kept of ['new', 'answered']) t.equal(await ask('key-0'), kept, 'replaced at the next request');
  close();
});

t.test(
  'read models: after a replacement that failed at first, the first call on the empty ones is refused',
  t => {
    const folder = join(t.testdir({ data: {} }), 'data');
    const away = `${folder}-away`;
    const opened = durableReadModels(join(folder, 'read-models.sqlite'), '1', () => undefined);
    const { models, empty, close } = opened;
    let emptied = 0;
    opened.onEmptied(() => (emptied += 1));
    models.saveCheckpoint('processManager', 7n);
    const event = { ...proposed(0), hash: 'h', stream: 'source-7', revision: 0, position: 3n };
    models.park(event, new Error('cannot be followed'), 5n);
    const ofWrongRows = { ...event, id: proposed(1).id, stream: 'source-8', position: 6n };
    models.park(ofWrongRows, new Error('cannot be applied'), 5n);
    renameSync(folder, away);
    symlinkSync(folder, folder);
    t.throws(() => empty(new Error('differs')), StoreUnavailable);
    t.throws(() => models.checkpoint('processManager'), StoreUnavailable);
    t.equal(emptied, 0);
    rmSync(folder);
    renameSync(away, folder);
    t.throws(() => models.checkpoint('processManager'), /the read models are empty/);
    t.equal(emptied, 1, 'the followers of the log begin again');
    t.equal(models.checkpoint('processManager').position, 0n);
    t.match(
      models.parked.all(),
      exactList({ subject: 'source-7', position: 3n, applied: 5n }),
      'still parked; an event that could not be applied is tried again',
    );
    close();
    t.end();
  },
);

t.test('kept responses: a damaged response', async t => {
  const file = await filled(t);
  const db = new Database(file);
  db.exec(`update answers set answer = '{"status":20' where key_digest = 'key-1'`);
  db.exec(`update answers set answer = '[1]' where key_digest = 'key-2'`);
  db.close();
  const { ask, close, warnings } = opened(file);
  for (const key of ['key-1', 'key-2']) {
    t.equal(await ask(key), 'new');
    t.equal(await ask(key), 'answered');
  }
  t.equal(await ask('key-3'), 'answered', 'the others are kept');
  t.equal(warnings.length, 0);
  close();
});

t.test(
  'kept responses: expired ones are deleted at the start and every hour, without a new request',
  async t => {
    const file = await filled(t);
    const count = (): unknown => {
      const db = new Database(file);
      const found = db.prepare('select count(*) from answers').pluck().get();
      db.close();
      return found;
    };
    const hours = manual(6.9);
    const { close, warnings } = opened(file, hours);
    t.equal(count(), 200);
    hours.clock.nowMs += 86_400_000 / 5;
    for (const run of [...hours.timers]) run();
    t.equal(count(), 0, 'by the timer');
    close();
    t.strictSame([hours.timers.size, warnings], [0, []], 'the timer ends with them');
    const again = await filled(t);
    opened(again, manual(7.1)).close();
    t.equal(count(), 0, 'at the start');
  },
);

t.test(
  'kept responses: those after the end of a restored log are removed, and a start reads no others',
  async t => {
    const file = join(t.testdir(), 'answers.sqlite');
    const opening = (end: bigint) => keptResponsesIn(file, manual().environment, undefined, () => end);
    const keep = async (key: string, end: bigint) => {
      const answers = opening(end);
      await answers.begin('holder', key, 'digest', at);
      await answers.keep('holder', key, answer);
      answers.close();
    };
    const cutTo = (end: bigint) => {
      const answers = opening(end);
      const cut = answers.cutTo?.(end);
      answers.close();
      return cut;
    };
    const changed = (sql: string) => {
      const db = new Database(file);
      db.exec(sql);
      db.close();
    };
    await keep('one', 5n);
    await keep('two', 9n);
    await keep('three', 7n);
    t.strictSame([cutTo(9n), cutTo(7n), cutTo(7n)], [0, 1, 0]);
    changed(`update answers set answer = json_set(answer, '$.logEnd', 99)`);
    t.equal(cutTo(50n), 0, 'not read');
    changed('drop table log_end');
    t.strictSame([cutTo(50n), cutTo(40n)], [2, 0], 'those of an earlier version are read once');
  },
);

t.test('kept responses: many expired ones are deleted in steps', async t => {
  const file = join(t.testdir(), 'answers.sqlite');
  opened(file).close();
  const db = new Database(file);
  t.teardown(() => void db.close());
  const insert = db.prepare(`insert into answers values ('holder', ?, 'digest', 'id', ?, null)`);
  db.transaction(() => {
    for (let key = 0; key < 1200; key += 1) insert.run(`key-${key}`, at);
  })();
  const count = (): unknown => db.prepare('select count(*) from answers').pluck().get();
  const hours = manual(8);
  const { close } = opened(file, hours);
  const counts = [count()];
  while (counts.at(-1) !== 0 && counts.length < 10) {
    const timers = [...hours.timers];
    hours.timers.clear();
    for (const run of timers) run();
    counts.push(count());
  }
  close();
  t.strictSame(counts, [700, 200, 0]);
});

t.test('damaged files: the log and the keys are never recreated', async t => {
  const file = await filled(t);
  overwritten(file, 0);
  const copy = `${file}.copy`;
  cpSync(file, copy);
  t.throws(() => sqliteStore(file), { name: 'StoreUnavailable', message: /SQLITE_NOTADB/ });
  t.throws(() => keyFile(file), { name: 'StoreUnavailable', message: /SQLITE_NOTADB/ });
  t.same(readFileSync(file), readFileSync(copy), 'the files are unchanged');
});

t.test('kept responses: a file with the text of keys, as earlier versions wrote it, is replaced', async t => {
  const file = join(t.testdir(), 'answers.sqlite');
  otherDatabase(
    file,
    `CREATE TABLE answers (
       holder text not null,
       key text not null,
       digest text not null,
       command_id text not null,
       begun_at text not null,
       answer text,
       primary key (holder, key)
     ) strict, without rowid;
     CREATE INDEX answers_by_age on answers (begun_at);
     insert into answers values ('holder', 'anna-1', 'digest', 'id', '${at}', null)`,
  );
  const { ask, close, warnings } = opened(file);
  t.equal(await ask('other'), 'new');
  t.equal(warnings.length, 1);
  close();
  t.notOk(readFileSync(file).includes('anna-1'));
  t.notOk(existsSync(`${file}.other`), 'no copy of the keys is kept');
});
