// Starts of the service: while its read models do not have the log yet, after a failure, and with a given analyst.
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { analyst } from '../../adapters/analyst.js';
import { start, type Running } from '../../adapters/main.js';
import { readSettings } from '../../adapters/settings/settings.js';
import { openLog } from '../../adapters/composition/openLog.js';
import { fakeEventStoreDb } from '../helpers/eventStoreDb/fakeEventStoreDb.js';
import { freePort } from '../helpers/freePort.js';
import { proposed } from '../helpers/logs/storeContract.js';
import { eventually } from '../helpers/service.js';

t.test('while the read models catch up, the process is alive and says how far they are', async t => {
  const server = await fakeEventStoreDb();
  t.teardown(server.close);
  const log = await openLog({ kind: 'eventstoredb', url: server.url, prefix: '' });
  await log.append('catalog', 'absent', [proposed(1), proposed(2)]);
  await log.close();
  const port = await freePort();
  const env = { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: server.url, PORT: String(port) };
  const settings = readSettings({
    ...{ DATA_DIR: t.testdir(), JWT_SECRET: 'a secret of this test, of 32 bytes' },
    ...env,
  });
  let release = (): void => {};
  // Reads of the log wait from the moment at which it is open.
  const hold = (): void => {
    const released = new Promise<void>(resolve => (release = resolve));
    server.always('read', (line, serve) => void released.then(() => serve(line)));
  };
  const fault = (error: unknown) => t.fail(String(error));
  let ready = false;
  const step = (done: string): void => {
    if (done.startsWith('Log opened')) hold();
  };
  const starting = start(settings, pino({ level: 'silent' }), fault, { step }).then((running: Running) => {
    ready = true;
    return running;
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const health = await eventually('an answer', () => ask('/health').catch(() => undefined));
  t.equal(health.status, 503);
  t.equal(health.headers.get('retry-after'), '5');
  t.equal(health.headers.get('content-type'), 'application/problem+json');
  t.match(await health.json(), { code: 'readModelsBehind', status: 503, detail: /up to position 0;/ });
  t.equal((await ask('/health/live?now')).status, 200);
  for (const path of ['/health/ready', '/v1/source/list', '/', '/metrics'])
    t.equal((await ask(path)).status, 503, path);
  t.notOk(ready);

  server.always('read');
  release();
  const running = await starting;
  t.teardown(running.stop);
  t.equal(running.address, `http://127.0.0.1:${port}`);
  t.equal((await ask('/health')).status, 200);
  t.equal((await ask('/v1/source/list')).status, 401, 'requests are handled');
});

t.test('a start that fails leaves its address free', async t => {
  const port = await freePort();
  const dir = t.testdir({ one: {}, other: {} });
  const settings = readSettings({ DATA_DIR: join(dir, 'one'), PORT: String(port) });
  const running = await start(settings, pino({ level: 'silent' }), () => {});
  const again = readSettings({ DATA_DIR: join(dir, 'other'), PORT: String(port) });
  await t.rejects(
    start(again, pino({ level: 'silent' }), () => {}),
    { code: 'EADDRINUSE' },
  );
  await running.stop();
  const free = await start(again, pino({ level: 'silent' }), () => {});
  await free.stop();
  t.pass('it can be used again');
});

t.test('a service uses the analyst that its start is given, and closes it', async t => {
  const settings = readSettings({ DATA_DIR: t.testdir(), PORT: '0' });
  const own = analyst(error => t.fail(String(error)));
  let closes = 0;
  const close = async (): Promise<void> => {
    closes += 1;
    await own.close();
  };
  const given = { ...own, close };
  const running = await start(settings, pino({ level: 'silent' }), () => {}, { given });
  t.equal(closes, 0);
  await running.stop();
  t.equal(closes, 1);
});
