import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { openStores, uptimeFile } from '../../../adapters/composition/openStores.js';
import { system } from '../../../adapters/environment.js';
import { readSettings } from '../../../adapters/settings/settings.js';
import { commandHandler } from '../../../application/commands/commandHandler.js';
import { uptimeAfter, uptimeInMemory, type Uptime } from '../../../application/followUps/clock.js';
import { replay } from '../../../application/reading/replay.js';
import { catalog } from '../../../domain/catalog.js';
import { streams } from '../../../domain/streams.js';
import { origin } from '../../helpers/data/samples.js';

const at = (time: string): string => `2024-03-04T${time}.000Z`;
const signs = (...times: readonly string[]): Uptime | undefined =>
  times.reduce<Uptime | undefined>((before, time) => uptimeAfter(before, at(time)), undefined);

t.test('five minutes without a heartbeat are no outage, more are', async t => {
  t.strictSame(signs('06:00:00'), { aliveAt: at('06:00:00'), resumedAt: at('06:00:00') }, 'nothing is known');
  t.strictSame(signs('06:00:00', '06:01:00', '06:06:00'), {
    ...{ aliveAt: at('06:06:00'), resumedAt: at('06:00:00') },
  });
  t.strictSame(signs('06:00:00', '06:05:01', '06:06:00'), {
    ...{ aliveAt: at('06:06:00'), resumedAt: at('06:05:01') },
  });
});

t.test('a wall clock that was set back is an outage', async t => {
  t.equal(signs('06:00:00', '03:00:00')?.resumedAt, at('03:00:00'));
});

t.test('a record keeps the uptime', async t => {
  const file = join(t.testdir(), 'uptime.json');
  for (const record of [uptimeInMemory(), uptimeFile(file)]) {
    t.equal(record.read(), undefined);
    const uptime = { aliveAt: at('06:01:00'), resumedAt: at('06:00:00') };
    record.write(uptime);
    t.strictSame(record.read(), uptime);
    record.write({ ...uptime, aliveAt: at('06:02:00') });
    t.equal(record.read()?.aliveAt, at('06:02:00'));
  }
  t.match(JSON.parse(readFileSync(file, 'utf8')), { aliveAt: at('06:02:00') });
});

t.test('an uptime is forgotten with the read models: the log may be a backup', async t => {
  const dataDir = t.testdir();
  const settings = readSettings({ DATA_DIR: dataDir });
  const logger = pino({ level: 'silent' });
  const uptime = { aliveAt: at('06:01:00'), resumedAt: at('06:00:00') };
  const run = async (work: (stores: Awaited<ReturnType<typeof openStores>>) => Promise<unknown>) => {
    const stores = await openStores(settings, logger, system, error => {
      throw error;
    });
    await work(stores).finally(stores.close);
  };
  await run(async ({ uptime: record, log, models }) => {
    record.write(uptime);
    const handle = commandHandler(log, () => {}, system);
    await handle(catalog, streams.catalog, { type: 'BeginLog', requestId: 'a' } as const, origin(1));
    await replay(models, log.all(0n), { tree: true });
  });
  await run(async ({ uptime: record }) => t.strictSame(record.read(), uptime, 'another start'));
  for (const name of readdirSync(dataDir).filter(name => name.startsWith('read-models')))
    rmSync(join(dataDir, name));
  await run(async ({ uptime: record }) => t.equal(record.read(), undefined, 'a restored log'));
});

t.test('a damaged record is an unknown uptime', async t => {
  const file = join(t.testdir(), 'uptime.json');
  for (const text of ['', '{', 'null', '[]', '{"aliveAt":1}', '{"aliveAt":"soon","resumedAt":"later"}']) {
    writeFileSync(file, text);
    t.equal(uptimeFile(file).read(), undefined, text);
  }
  mkdirSync(`${file}.new`);
  t.throws(() => uptimeFile(file).write({ aliveAt: at('06:00:00'), resumedAt: at('06:00:00') }));
});
