import { spawnSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import { run } from '../../helpers/process.js';
import { analysed, eventually, idle, ordinaryDays, startService, type Call } from '../../helpers/service.js';

const volumeMB = 24;

const volumes = t.testdir({ full: {}, filling: {}, rebuilding: {} });

/** A small separate volume; undefined where mounting is not allowed. */
const smallVolume = (t: Test, name: 'full' | 'filling' | 'rebuilding'): string | undefined => {
  const folder = join(volumes, name);
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${volumeMB}m`, 'tmpfs', folder]).status === 0;
  if (!mounted) return undefined;
  t.teardown(() => spawnSync('umount', ['--lazy', folder]));
  return folder;
};

/** Fills a volume up to some free bytes; returns a function that frees the space again. */
const fill = (folder: string, freeBytes = 0): (() => void) => {
  const file = join(folder, 'filler');
  const filler = openSync(file, 'w');
  for (const bytes of [1_000_000, 4096, 1])
    try {
      for (;;) writeSync(filler, Buffer.alloc(bytes, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  closeSync(filler);
  truncateSync(file, statSync(file).size - freeBytes);
  return () => rmSync(file);
};

const createSource = async (call: Call): Promise<void> => {
  const json = { name: 'S', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) };
  await call('POST', '/v1/import/create-source', { json });
  await analysed(call, 1);
};

const importDay = (call: Call, index: number, headers = {}) =>
  call<{ code?: string }>('POST', '/v1/import/days', {
    json: { sourceId: 1, days: ordinaryDays('2023-01-01', index + 1).slice(-1) },
    headers,
  });

const daysOf = async (call: Call): Promise<number | string> => {
  const { status, body } = await call<{ days: readonly unknown[] }>('GET', '/v1/day/list/1/2023');
  return status === 200 ? body.days.length : `status ${status}`;
};

t.test('with too little free space writes are refused before they store anything', async t => {
  const { call, eventCount, logged } = await startService(t, { DISK_FREE_MIN_MB: '999999999' });
  const json = { name: 'S', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) };
  for (const [method, path] of [
    ['POST', '/v1/import/create-source'],
    ['POST', '/v1/alert/1/acknowledge'],
    ['PUT', '/v1/calendar/1/2023-01-01'],
    ['DELETE', '/v1/planning/1/2023-01-01'],
  ] as const) {
    const { status, body, headers } = await call<{ code: string }>(method, path, { json });
    t.same([status, body.code, headers.get('retry-after')], [503, 'storageFull', '5'], `${method} ${path}`);
  }
  t.equal(eventCount(), 0);
  const { status, body } = await call<{ code: string; detail: string }>('GET', '/health');
  t.same([status, body.code], [503, 'storageFull']);
  t.equal(body.detail, 'the disk is nearly full; this attempt had no effect');
  t.match(
    logged(),
    /\d+ MB are free in DATA_DIR, expected at least 999999999 MB \(DISK_FREE_MIN_MB\)/,
    'the operator learns sizes and setting',
  );
  t.equal((await call('GET', '/health/ready')).status, 503, 'no traffic, please');
  t.equal((await call('GET', '/health/live')).status, 200, 'a restart would not help');
  t.equal((await call('GET', '/v1/source/list')).status, 200, 'reads are answered');
});

t.test('a service on a full disk refuses writes and recovers', async t => {
  const dataDir = smallVolume(t, 'full');
  if (dataDir === undefined) {
    t.pass('on a volume of its own', { skip: 'mounting is not allowed here' });
    return;
  }
  const service = await startService(t, { DATA_DIR: dataDir, DISK_FREE_MIN_MB: '1' });
  const { call, eventCount } = service;
  await createSource(call);
  await idle(call);
  const acknowledged = 10;
  for (let index = 0; index < acknowledged; index += 1) {
    const { status } = await importDay(call, index);
    t.ok([200, 202].includes(status), `day ${index}: ${status}`);
  }
  // Immediately after, the read models have not committed the last events.
  const giveBack = fill(dataDir);
  const before = eventCount();
  const seen = new Set<unknown>();
  const healths = new Set<string>();
  for (let poll = 0; poll < 60; poll += 1) {
    seen.add(await daysOf(call));
    if (poll >= 30) {
      const { status, body } = await call<{ code?: string }>('GET', '/health');
      healths.add(`${status} ${body.code}`);
    }
    await sleep(50);
  }
  t.same([...seen], [acknowledged], 'all reads have what was acknowledged');
  t.same([...healths], ['503 storageFull'], 'health says so all the while');
  t.match(service.logged(), /the disk is full/, 'the read models could not be committed');
  const refused = await importDay(call, acknowledged, { 'Idempotency-Key': 'key' });
  t.same([refused.status, refused.body.code], [503, 'storageFull']);
  t.equal(eventCount(), before, 'nothing was stored');

  giveBack();
  await eventually('health', async () => ((await call('GET', '/health')).status === 200 ? true : undefined));
  t.equal(await daysOf(call), acknowledged);
  const repeated = await importDay(call, acknowledged, { 'Idempotency-Key': 'key' });
  t.ok([200, 202].includes(repeated.status), 'the same request is taken');
  t.equal(await daysOf(call), acknowledged + 1);
  await service.restart();
  t.equal(await daysOf(call), acknowledged + 1, 'after a restart, too');
});

t.test('a disk that becomes full during requests loses no acknowledged request', async t => {
  const dataDir = smallVolume(t, 'filling');
  if (dataDir === undefined) {
    t.pass('on a volume of its own', { skip: 'mounting is not allowed here' });
    return;
  }
  const service = await startService(t, { DATA_DIR: dataDir, DISK_FREE_MIN_MB: '0' });
  const { call } = service;
  await createSource(call);
  await idle(call);
  const giveBack = fill(dataDir);
  const keyOf = (index: number) => ({ 'Idempotency-Key': `day-${index}` });
  const codes = new Set<string>();
  const tries = async (count: number): Promise<number[]> => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => importDay(call, index, keyOf(index))),
    );
    for (const { status, body } of answers) codes.add(`${status} ${body.code ?? ''}`);
    return answers.flatMap(({ status }, index) => (status < 300 ? [index] : []));
  };
  // Files have some reserved space, which several group commits use up.
  for (let round = 0; round < 3; round += 1) {
    const good = await tries(12);
    const there = await daysOf(call);
    t.ok(typeof there === 'number' && there >= good.length, `${good.length} acknowledged, ${there} there`);
  }
  t.comment([...codes].join(', '));
  t.ok(
    [...codes].every(code => /^(20[02] |503 (storageFull|outcomeUnknown)$)/.test(code)),
    [...codes].join(),
  );
  giveBack();
  await eventually('health', async () => ((await call('GET', '/health')).status === 200 ? true : undefined));
  t.equal((await tries(12)).length, 12, 'the same requests are done');
  await idle(call);
  t.equal(await daysOf(call), 12);
  const ids = service.events().flatMap(({ type, data }) => {
    const { kind, importId } = data as { kind?: string; importId?: string };
    return type === 'DaysImported' && kind === 'recent' ? [importId] : [];
  });
  t.equal(ids.length, 12);
  t.equal(new Set(ids).size, 12, 'each once');
});

t.test('a rebuild that does not fit on the disk leaves the read models as they are', async t => {
  const folder = smallVolume(t, 'rebuilding');
  if (folder === undefined) {
    t.pass('on a volume of its own', { skip: 'mounting is not allowed here' });
    return;
  }
  const { call, stop } = await startService(t, { DATA_DIR: folder, DISK_FREE_MIN_MB: '0' });
  await createSource(call);
  await stop();
  const rebuild = () => run(['rebuild'], { DATA_DIR: folder });
  const file = join(folder, 'read-models.sqlite');
  t.equal((await rebuild()).code, 0);
  const bytes = readFileSync(file);
  const codes = new Set<number | null>();
  // Room for a part of the write-ahead log, for all of it, and for a part of the database after it.
  for (const sizes of [0.5, 1.5, 2, 2.25, 2.5, 2.75, 3, 3.5]) {
    const free = fill(folder, Math.round(sizes * bytes.length));
    const { code, stderr } = await rebuild();
    free();
    codes.add(code);
    if (code === 3) t.match(stderr, /the disk is full/);
    const left = readdirSync(folder).filter(name => name.includes('.new'));
    t.strictSame(left, [], `${sizes}: code ${code}`);
    if (code === 3) t.ok(readFileSync(file).equals(bytes), 'unchanged');
    const db = new Database(file, { readonly: true });
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    db.close();
  }
  t.strictSame([...codes].sort(), [0, 3]);
});
