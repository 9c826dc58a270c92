// Two services never write the same log: processes on one data folder, on links to it and on copies.
import { spawnSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import t, { type Test } from 'tap';
import { slowTest } from '../helpers/amount.js';
import { launchService, run, tokenFor, type Launched } from '../helpers/process.js';
import { ordinaryDays } from '../helpers/service.js';

const secret = 'a secret of the test of locks, long enough';

const settingsIn = (dataDir: string) => ({ DATA_DIR: dataDir, JWT_SECRET: secret, DISK_FREE_MIN_MB: '0' });

/** A service that ends with the test, or before. */
const serving = (t: Test, dataDir: string): Launched => {
  const launched = launchService(settingsIn(dataDir));
  launched.ready.catch(() => {});
  t.teardown(() => launched.end('SIGKILL'));
  return launched;
};

/** Output and exit code of a service that must not start. */
const refused = async (t: Test, dataDir: string): Promise<{ code: number | null; stderr: string }> => {
  const { ready, exit, stderr } = serving(t, dataDir);
  const started = await ready.then(
    () => true,
    () => false,
  );
  if (started) t.fail('a second service has started');
  return { code: started ? null : (await exit).code, stderr: stderr() };
};

/** Creates a source; returns the status, or `no answer`. */
const write = (address: string): Promise<number | string> =>
  fetch(`${address}/v1/import/create-source?allowDuplicate=true`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokenFor(secret, 'tester')}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'S', referenceYear: 2022, days: ordinaryDays('2022-01-01', 20) }),
  }).then(
    ({ status }) => status,
    () => 'no answer',
  );

/** Number of created sources in a log. */
const sourceCount = (dataDir: string): number => {
  const db = new Database(join(dataDir, 'events.sqlite'), { readonly: true });
  try {
    return Number(db.prepare(`select count(*) from events where type = 'SourceCreated'`).pluck().get());
  } finally {
    db.close();
  }
};

t.test('lock: deleted while a service runs', async t => {
  const dataDir = t.testdir();
  const first = serving(t, dataDir);
  const address = await first.ready;
  t.equal(await write(address), 201);
  for (const file of ['lock.sqlite', 'lock.sqlite-journal']) rmSync(join(dataDir, file), { force: true });
  t.same(await first.exit, { code: 3, signal: null }, 'the service ends');
  t.match(first.stderr(), /lock\.sqlite was removed or replaced/);
  const second = serving(t, dataDir);
  t.equal(await write(await second.ready), 201, 'another service can start');
  t.equal(sourceCount(dataDir), 2);
  const { code, stdout } = await run(
    ['verify', '--log', join(dataDir, 'events.sqlite')],
    settingsIn(dataDir),
  );
  t.equal(code, 3, stdout);
  t.match(stdout, /Verdict: no problem was found, but not proved: no checkpoint was given/);
});

slowTest('lock: of two services with a lock, the overtaken one stops', async t => {
  const dataDir = t.testdir();
  const first = serving(t, dataDir);
  const firstAddress = await first.ready;
  process.kill(first.pid, 'SIGSTOP');
  rmSync(join(dataDir, 'lock.sqlite'));
  const second = serving(t, dataDir);
  const secondAddress = await second.ready;
  t.equal(await write(secondAddress), 201);
  const answered = write(firstAddress);
  process.kill(first.pid, 'SIGCONT');
  t.not(await answered, 201, 'the first appends nothing');
  t.same(await first.exit, { code: 3, signal: null });
  t.equal(await write(secondAddress), 201, 'the second continues');
  t.equal(sourceCount(dataDir), 2);
  const { code, stdout } = await run(
    ['verify', '--log', join(dataDir, 'events.sqlite')],
    settingsIn(dataDir),
  );
  t.equal(code, 3, stdout);
  t.match(stdout, /Verdict: no problem was found, but not proved: no checkpoint was given/);
});

slowTest('lock: links to one log', async t => {
  const base = t.testdir();
  const [real, link, hard, alias, copy] = ['real', 'link', 'hard', 'alias', 'copy'].map(name =>
    join(base, name),
  ) as [string, string, string, string, string];
  for (const folder of [real, link, hard]) mkdirSync(folder);
  const log = join(real, 'events.sqlite');
  const first = serving(t, real);
  t.equal(await write(await first.ready), 201);
  symlinkSync(log, join(link, 'events.sqlite'));
  symlinkSync(real, alias);
  for (const folder of [link, alias]) {
    const { code, stderr } = await refused(t, folder);
    t.equal(code, 3);
    t.match(stderr, /is used by a running Daybook/, folder.slice(base.length + 1));
  }
  const { code } = await run(['verify', '--log', log], settingsIn(real));
  t.equal(code, 3, 'readers are allowed, and find no problem');
  await first.end('SIGTERM');
  cpSync(real, copy, { recursive: true });
  const both = [serving(t, link), serving(t, copy)];
  for (const { ready } of both) t.equal(await write(await ready), 201, 'lock: a link alone, a copy');
  t.equal((await refused(t, real)).code, 3, 'the folder of the log while the link is in use');
  for (const { end } of both) await end('SIGTERM');

  linkSync(log, join(hard, 'events.sqlite'));
  for (const folder of [real, hard]) {
    const { code, stderr } = await refused(t, folder);
    t.equal(code, 3);
    t.match(stderr, /has 2 names/);
  }
  rmSync(join(hard, 'events.sqlite'));
  writeFileSync(join(hard, 'events.sqlite'), '');
  const bound = spawnSync('mount', ['--bind', log, join(hard, 'events.sqlite')]).status === 0;
  if (!bound) {
    t.pass('lock: a mounted file', { skip: 'needs permission to mount' });
    return;
  }
  const { stderr } = await refused(t, hard);
  spawnSync('umount', ['--lazy', join(hard, 'events.sqlite')]);
  t.match(stderr, /mounted as a single file/);
});

t.test('lock: the log is replaced while a service runs', async t => {
  const dataDir = t.testdir();
  const first = serving(t, dataDir);
  const address = await first.ready;
  t.equal(await write(address), 201);
  const log = join(dataDir, 'events.sqlite');
  cpSync(log, `${log}.restored`);
  rmSync(log);
  cpSync(`${log}.restored`, log);
  t.not(await write(address), 201, 'no request is acknowledged that only the old file contains');
  t.same(await first.exit, { code: 3, signal: null });
  t.match(first.stderr(), /events\.sqlite was removed or replaced/);
});
