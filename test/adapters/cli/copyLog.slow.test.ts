import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../adapters/sqlite/driver.js';
import t from 'tap';
import { copyLog as copyCommand } from '../../../adapters/cli/commands/copyLog.js';
import { compareLogs, copyLog } from '../../../application/logs/copyLog.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { DataDirInUse, lockDataDir } from '../../../adapters/sqlite/dataDir.js';
import { keyFile } from '../../../adapters/privacy/keys.js';
import { seal, secretBytes } from '../../../adapters/privacy/people.js';
import { WrongArguments } from '../../../adapters/cli/terminal/arguments.js';
import { SettingsError } from '../../../adapters/settings/values.js';
import { deliveryFile } from '../../../adapters/webhooks/deliveryFile.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import type { Proposed } from '../../../domain/events.js';
import { launch, run } from '../../helpers/process.js';
import { id } from '../../helpers/data/samples.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import {
  plainLog,
  fill,
  hashesOf,
  sha256Of,
  withEvent,
  logFile,
  copyRun,
  rowsOf,
  sha256OfFile,
  countIn,
  grown,
} from '../../helpers/logs/copiedLogs.js';

t.test('copy-log: from a folder to a new folder', async t => {
  const dir = t.testdir({ data: {} });
  const log = plainLog(100);
  const from = await logFile(join(dir, 'data', 'events.sqlite'), log);
  const before = sha256OfFile(from);
  const to = join(dir, 'deep', 'new');
  const first = await copyRun(join(dir, 'data'), to);
  t.strictSame([first.code, first.stdout], [0, `100 events, sha256 ${sha256Of(log)}\n`]);
  t.match(first.stderr, /^copied 100 events, 0 existed already\n/m);
  t.equal(statSync(to).mode & 0o777, 0o700);
  t.strictSame(readdirSync(to).sort(), ['events.sqlite', 'lock.sqlite', 'people.sqlite'], 'closed cleanly');
  t.equal(sha256OfFile(from), before, 'the source is unchanged');
  t.strictSame(rowsOf(join(to, 'events.sqlite')), rowsOf(from));

  const again = await copyRun(from, join(to, 'events.sqlite'));
  t.strictSame([again.code, again.stdout], [0, first.stdout], 'again');
  t.match(again.stderr, /^copied 0 events, 100 existed already\n/m);

  const sameFolder = await copyRun(from, join(dir, 'data', 'other.sqlite'));
  t.strictSame([sameFolder.code, sameFolder.stdout], [0, first.stdout], 'both in one folder');
  writeFileSync(join(dir, 'empty.sqlite'), '');
  const emptied = await copyRun(from, join(dir, 'empty.sqlite'));
  t.strictSame([emptied.code, emptied.stdout], [0, first.stdout], 'into an empty file');
});

t.test('copy-log: keys of another log at the target are reported before anything is copied', async t => {
  const dir = t.testdir({ data: {}, other: {} });
  const keyOf = (digit: string) => ({
    ...{ id: digit.repeat(32), tenant: 'north', subject: 'anna', secret: Buffer.alloc(secretBytes, digit) },
  });
  const event = { ...proposed(50), metadata: { by: seal('anna', keyOf('1')), cause: '', correlation: '' } };
  await logFile(join(dir, 'data', 'events.sqlite'), [
    ...plainLog(5),
    { stream: 'source-9', revision: 0, event },
  ]);
  for (const [folder, digit] of Object.entries({ data: '1', other: '2' })) {
    const keys = keyFile(join(dir, folder, 'people.sqlite'));
    await keys.keep(keyOf(digit));
    keys.close();
  }
  const { code, stdout, stderr } = await copyRun(join(dir, 'data'), join(dir, 'other'));
  t.strictSame([code, stdout], [1, '']);
  t.match(stderr, /^the keys of people at --to are of another log: .* "north"/);
  t.equal(countIn(join(dir, 'other', 'events.sqlite')), 0);
  t.equal((await copyRun(join(dir, 'data'), join(dir, 'new'))).code, 0);
  t.equal((await copyRun(join(dir, 'data'), join(dir, 'new'))).code, 0, 'the copied keys are no others');

  const people = join(dir, 'data', 'people.sqlite');
  renameSync(people, join(dir, 'people-backup.sqlite'));
  for (const to of ['new', 'without'])
    t.match(await copyRun(join(dir, 'data'), join(dir, to)), {
      ...{ code: 2, stdout: '', stderr: /^--from: there is no .*people.sqlite, and without its keys/ },
    });
  t.notOk(existsSync(people), 'none is created');
  t.equal(countIn(join(dir, 'without', 'events.sqlite')), 0);
});

t.test('copy-log: the progress of webhooks is copied', async t => {
  const dir = t.testdir({ data: {} });
  const created = proposed(50, { webhookId: 'w' }, 'WebhookCreated');
  const placed = { stream: 'webhooks-default', revision: 0, event: created };
  await logFile(join(dir, 'data', 'events.sqlite'), [...plainLog(5), placed]);
  const progress = deliveryFile(join(dir, 'data', 'webhooks.sqlite'));
  const state = { cursor: 4n, ahead: {}, replayId: null, failing: null };
  await progress.save('w', state);
  progress.close();
  const { code, stderr } = await copyRun(join(dir, 'data'), join(dir, 'new'));
  t.equal(code, 0);
  t.match(stderr, /copied the progress of 1 webhook\n/);
  const copied = deliveryFile(join(dir, 'new', 'webhooks.sqlite'));
  t.strictSame(await copied.state('w'), state);
  copied.close();
});

t.test('copy-log: another log in the target is reported with the first difference', async t => {
  const dir = t.testdir();
  const log = plainLog(50);
  const from = await logFile(join(dir, 'from.sqlite'), log);
  for (const [name, there, message] of [
    ['other.sqlite', withEvent(log, 20, { id: id(906) }), `event 21 .*${id(20)}.*${id(906)}`],
    ['changed.sqlite', withEvent(log, 20, { data: 1 }), 'event 21 .*differs in the target: data'],
    [
      'longer.sqlite',
      [...log, { stream: 'source-8', revision: 0, event: proposed(907) }],
      `event 51 .*${id(907)}`,
    ],
  ] as const) {
    const to = await logFile(join(dir, name), there);
    const before = sha256OfFile(to);
    const { code, stdout, stderr } = await copyRun(from, to);
    t.strictSame([code, stdout], [1, ''], name);
    t.match(stderr, new RegExp(`^the target contains another log: .*${message}.*\n$`));
    t.equal(sha256OfFile(to), before, 'the target is unchanged');
  }
});

t.test('copy-log: a target that stores other data is reported', async t => {
  const log = plainLog(50);
  const [source, kept] = [memoryStore(), memoryStore()];
  await fill(source, log);
  await fill(kept, log.slice(0, 10));
  // Stores other data of one event.
  const bend = (event: Proposed): Proposed => (event.id === id(30) ? { ...event, data: { n: 31 } } : event);
  const target: EventStore = {
    ...kept,
    append: (stream, expected, events) => kept.append(stream, expected, events.map(bend)),
  };
  t.strictSame(await copyLog({ source, target }), { count: 50, already: 10 });
  const { difference, ...digests } = await compareLogs({ source, target });
  t.match(difference, new RegExp(`^event 31 .*${id(30)}.* differs in the target: data$`));
  t.strictSame(
    digests,
    {
      source: { count: 50, sha256: sha256Of(log) },
      target: { count: 50, sha256: sha256Of(withEvent(log, 30, { data: { n: 31 } }), hashesOf(log)) },
    },
    'the hash is copied',
  );
});

t.test('copy-log: a target with a foreign trigger is refused', async t => {
  const dir = t.testdir();
  const log = plainLog(50);
  const from = await logFile(join(dir, 'from.sqlite'), log);
  const to = await logFile(join(dir, 'to.sqlite'), log.slice(0, 10));
  const db = new Database(to);
  db.exec(`drop trigger events_never_updated; create trigger bends after insert on events when new.id = '${id(30)}'
    begin update events set data = '{"n":31}' where id = new.id; end;`);
  db.close();
  t.match(await copyRun(from, to), {
    code: 3,
    stdout: '',
    stderr: /got trigger bends, which Daybook did not create/,
  });
});

t.test('copy-log: wrong usage', async t => {
  const dir = t.testdir({
    data: {},
    nothing: {},
    'note.sqlite': 'this is no database at all, only some text',
  });
  const data = join(dir, 'data');
  const from = await logFile(join(data, 'events.sqlite'), plainLog(5));
  symlinkSync(from, join(dir, 'symbolic.sqlite'));
  // A log with two names cannot be locked, so the hard link is to a copy.
  const linked = join(dir, 'linked.sqlite');
  copyFileSync(from, linked);
  linkSync(linked, join(dir, 'hard.sqlite'));
  symlinkSync(data, join(dir, 'folder'));
  const other = join(dir, 'other.sqlite');
  const db = new Database(other);
  db.exec('create table events (id integer)');
  db.close();
  const files = () =>
    readdirSync(dir, { recursive: true }).filter(name => !String(name).endsWith('lock.sqlite'));
  const before = [files(), sha256OfFile(other)];
  const env = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' };
  for (const [args, message, withEnv = {}] of [
    [[], /^--from: got none/],
    [['--from', data], /^--to: got none/],
    [['--to', data], /^--from: got none/],
    [['--from', '', '--to', data], /^--from: got none/],
    [['--from', data, '--to', join(dir, 'new'), 'more'], /more/],
    [['--from', data, '--to', join(dir, 'new'), '--fast'], /--fast/],
    [['--from', join(dir, 'nowhere'), '--to', data], /^--from: there is no log .*nowhere.events\.sqlite/],
    [['--from', join(dir, 'nothing'), '--to', data], /^--from: there is no log .*nothing.events\.sqlite/],
    [['--from', join(dir, 'none.sqlite'), '--to', data], /^--from: there is no log .*none\.sqlite/],
    [['--from', join(dir, 'note.sqlite'), '--to', join(dir, 'new')], /^--from: .*is not a log/],
    [['--from', other, '--to', join(dir, 'new')], /^--from: .*is not a log/],
    [['--from', data, '--to', other], /^--to: .*is not a log/],
    [['--from', data, '--to', join(dir, 'note.sqlite')], /^--to: .*is not a log/],
    [['--from', data, '--to', join(dir, 'copy.db')], /^--to: got .*copy\.db/],
    [['--from', data, '--to', data], /^--to: got the log of --from/],
    [['--from', data, '--to', from], /^--to: got the log of --from/],
    [['--from', from, '--to', join(dir, 'symbolic.sqlite')], /^--to: got the log of --from/],
    [['--from', linked, '--to', join(dir, 'hard.sqlite')], /^--to: got the log of --from/],
    [['--from', join(dir, 'folder'), '--to', data], /^--to: got the log of --from/],
    [['--from', 'eventstoredb', '--to', 'eventstoredb'], /^--to: got the log of --from/, env],
    [['--from', data, '--to', 'eventstoredb'], /^EVENTSTOREDB_URL: got none/],
    [
      ['--from', data, '--to', 'eventstoredb'],
      /^EVENTSTOREDB_PREFIX: /,
      { ...env, EVENTSTOREDB_PREFIX: 'X' },
    ],
    [['--from', data, '--to', 'esdb://anna:geheim@host'], /EVENTSTOREDB_URL/],
    [['--from=esdb+discover://anna:geheim@host', '--to', data], /EVENTSTOREDB_URL/],
    [['esdb://anna:geheim@host'], /EVENTSTOREDB_URL/],
  ] as readonly (readonly [readonly string[], RegExp, Record<string, string>?])[]) {
    // `main` turns a SettingsError into exit code 2 and a message without a stack.
    const fault = await copyCommand.run(args, withEnv).then(
      code => new Error(`ended with ${code}`),
      (error: unknown) => error,
    );
    const { name, message: said } = fault as NodeJS.ErrnoException;
    t.match(said, message, args.join(' '));
    t.ok(fault instanceof SettingsError || fault instanceof WrongArguments, name);
    t.notMatch(said, /geheim/);
    // A refused target can leave its folder, but no log.
    t.strictSame(
      files().filter(name => name !== 'new'),
      before[0],
      'no log is created',
    );
  }
  t.equal(sha256OfFile(other), before[1], 'another database is unchanged');
  for (const args of [
    ['--from', data],
    ['--from', data, '--fast'],
    ['--from', join(dir, 'note.sqlite'), '--to', join(dir, 'new')],
    ['--from', data, '--to', 'esdb://anna:geheim@host'],
  ]) {
    const { code, stdout, stderr } = await run(['copy-log', ...args], {});
    t.strictSame([code, stdout, stderr.trimEnd().split('\n').length], [2, '', 1], args.join(' '));
    t.notMatch(stderr, /geheim/);
  }
});

t.test('copy-log: a folder in use', async t => {
  const dir = t.testdir({ one: {}, other: {} });
  const from = await logFile(join(dir, 'one', 'events.sqlite'), plainLog(5));
  for (const used of ['one', 'other']) {
    const unlock = lockDataDir(join(dir, used));
    const { code, stdout, stderr } = await copyRun(join(dir, 'one'), join(dir, 'other'));
    t.strictSame([code, stdout], [3, ''], used);
    t.match(stderr, new RegExp(`${used} is used by a running Daybook\n$`));
    t.notOk(existsSync(join(dir, 'other', 'events.sqlite')), 'nothing was copied');
    unlock();
  }
  const { code } = await copyRun(from, join(dir, 'other'));
  t.equal(code, 0, 'the lock is released');
});

t.test('copy-log: a store that cannot be used', async t => {
  const dir = t.testdir({ data: {}, full: {} });
  await logFile(join(dir, 'data', 'events.sqlite'), plainLog(5));
  const env = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' };
  const { code, stdout, stderr } = await copyRun(join(dir, 'data'), 'eventstoredb', env);
  t.strictSame([code, stdout], [3, '']);
  t.match(stderr, /EventStoreDB cannot be used.*\nRun the same command again/);
  const to = join(dir, 'data', 'events.sqlite', 'below');
  t.equal((await copyRun(join(dir, 'data'), to)).code, 3, 'a folder in a file');
});

t.test('copy-log: a damaged event is not copied, and is not taken for another log', async t => {
  const dir = t.testdir();
  const log = plainLog(5);
  const sound = await logFile(join(dir, 'sound.sqlite'), log);
  const damaged = await logFile(join(dir, 'damaged.sqlite'), log);
  const db = new Database(damaged);
  db.pragma('ignore_check_constraints = ON');
  db.exec('drop trigger events_never_updated');
  db.exec(`update events set data = '{' where position = 4`);
  db.close();
  for (const [from, to, side] of [
    [damaged, join(dir, 'new.sqlite'), 'source'],
    [damaged, sound, 'source'],
    [sound, damaged, 'target'],
  ] as const) {
    const { code, stdout, stderr } = await copyRun(from, to);
    t.strictSame([code, stdout], [3, '']);
    t.match(stderr, new RegExp(`^the ${side}'s event 4 .* is damaged: position 4 of .*\n$`));
  }
  t.equal(countIn(join(dir, 'new.sqlite')), 0);
});

t.test('copy-log: killed twice, and started again', async t => {
  const dir = t.testdir({ from: {} });
  const log = plainLog(2000, 1);
  const from = await logFile(join(dir, 'from', 'events.sqlite'), log);
  const folder = join(dir, 'to');
  const to = join(folder, 'events.sqlite');
  let there = 0;
  for (const round of ['first', 'second']) {
    const copying = launch(['copy-log', '--from', from, '--to', to], {});
    t.teardown(() => copying.end('SIGKILL'));
    await Promise.race([grown(to, there + 50), copying.exit]);
    if (existsSync(folder))
      for (const locked of [join(dir, 'from'), folder])
        t.throws(() => lockDataDir(locked)(), DataDirInUse, 'no service can start during the copy');
    t.strictSame(await copying.end('SIGKILL'), { code: null, signal: 'SIGKILL' });
    const now = countIn(to);
    t.ok(now > there && now < log.length, `the ${round} had ${now} of ${log.length}`);
    there = now;
  }
  const { code, stdout, stderr } = await copyRun(from, to);
  t.strictSame([code, stdout], [0, `2000 events, sha256 ${sha256Of(log)}\n`]);
  const counted = (count: number) => count.toLocaleString('en');
  t.ok(
    stderr.includes(`copied ${counted(2000 - there)} events, ${counted(there)} existed already\n`),
    stderr,
  );
  t.strictSame(rowsOf(to), rowsOf(from));
});

/** Runs a copy and returns its maximum resident memory, in bytes. */
const peakOf = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const copying = launch(['copy-log', ...args], env);
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${copying.pid}/status`, 'utf8');
      const known = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
      if (known !== undefined) peak = Math.max(peak, 1024 * Number(known));
    } catch {
      // The process has ended.
    }
  }, 20);
  const since = performance.now();
  const { code } = await copying.exit;
  clearInterval(watch);
  return {
    code,
    stderr: copying.stderr,
    peak,
    perSecond: (count: number) => Math.round((1000 * count) / (performance.now() - since)),
  };
};

const megabyte = 1_048_576;

t.test('copy-log: memory does not depend on the size of the log', async t => {
  if (!existsSync('/proc/self/status')) {
    t.pass('memory', { skip: 'needs /proc' });
    return;
  }
  const dir = t.testdir();
  const count = 20_000;
  const from = await logFile(join(dir, 'from.sqlite'), plainLog(count, 200, 'x'.repeat(3000)));
  const to = join(dir, 'to.sqlite');
  for (const mode of ['copied', 'compared only']) {
    // The text of all events has 60 MB, more than the memory limit.
    const env = { NODE_OPTIONS: '--max-old-space-size=48' };
    const { code, stderr, peak, perSecond } = await peakOf(['--from', from, '--to', to], env);
    t.equal(code, 0, stderr());
    t.comment(
      `${count} events ${mode}: at most ${(peak / megabyte).toFixed()} MB resident, ${perSecond(count)} events/s`,
    );
    t.ok(peak < 300 * megabyte);
  }
});
