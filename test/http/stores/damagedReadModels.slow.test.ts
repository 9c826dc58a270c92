// The file of the read models is overwritten while the service runs: the service notices it and rebuilds them from the log.
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import t from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import {
  analysed,
  eventually,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  type Call,
} from '../../helpers/service.js';

/** Writes all changes into the main file and makes the service read its pages from there. */
const flushed = (file: string): void => {
  const db = new Database(file);
  try {
    db.exec('update shapes set shape = shape');
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
};

const overwrite = (file: string, from: number): void => {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(fstatSync(descriptor).size - from, 0xa5), 0, undefined, from);
  closeSync(descriptor);
};

const paths = ['/v1/source/1', '/v1/day/list/1/2022', '/v1/day/list/1/2023', '/v1/model/list/1'];
const answersOf = async (call: Call): Promise<readonly unknown[]> => {
  const answers = await Promise.all(paths.map(path => call('GET', path)));
  return answers.map(({ status, body }) => [status, body]);
};

const importDay = (call: Call, date: string) =>
  call<{ readonly code?: string }>('POST', '/v1/import/days', {
    json: { sourceId: 1, days: [ordinaryDay(date)] },
  });

for (const [name, from] of [
  ['from its first byte', 0],
  ['after its first page', 4096],
] as const)
  for (const finder of ['a read', 'a write'] as const)
    t.test(`read models overwritten ${name} and noticed by ${finder} are rebuilt`, async t => {
      const { call, readModelsFile, logged, restart } = await startService(t);
      const json = { name: 'S', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) };
      await call('POST', '/v1/import/create-source', { json });
      await analysed(call, 1);
      t.ok((await importDay(call, '2023-01-01')).status < 300);
      await idle(call);
      const before = await answersOf(call);
      await eventually('room for a checkpoint', () => {
        try {
          flushed(readModelsFile);
          return true;
        } catch {
          return undefined;
        }
      });
      overwrite(readModelsFile, from);

      if (finder === 'a write') await importDay(call, '2023-01-02');
      else t.equal((await call('GET', '/v1/day/list/1/2023')).status, 503, 'neither a 404 nor a 500');
      const statuses = new Set<number>();
      await eventually('the read models of the whole log', async () => {
        const { status } = await call('GET', '/v1/source/1');
        statuses.add(status);
        return status === 200 && (await call('GET', '/health')).status === 200 ? true : undefined;
      });
      t.notOk(statuses.has(404) || statuses.has(500), [...statuses].join());
      t.match(logged(), 'the read models are damaged; rebuilding them from the log');
      if (finder === 'a read') t.strictSame(await answersOf(call), before);

      t.ok((await importDay(call, '2023-01-03')).status < 300);
      await idle(call);
      const after = await answersOf(call);
      const file = new Database(readModelsFile, { readonly: true });
      t.equal(file.pragma('integrity_check', { simple: true }), 'ok');
      file.close();
      await restart();
      t.strictSame(await answersOf(call), after);
    });

/** A changed bit in the JSON of a row, and the request that reads it. */
const badRows = [
  {
    name: 'a model, noticed by a list',
    sql: 'update models set model = substr(model, 1, length(model) - 9)',
    read: (call: Call) => call('GET', '/v1/model/list/1'),
  },
  {
    name: 'days, noticed by an import that compares them with its own',
    sql: 'update day_values set activity = substr(activity, 1, 9)',
    read: (call: Call) => importDay(call, '2023-01-03'),
  },
  {
    name: 'days, noticed by a table that reads them one after the other',
    sql: 'update day_values set activity = substr(activity, 1, 9)',
    read: (call: Call) => call('GET', '/v1/table/1/days').catch(() => ({ status: 0 })),
  },
] as const;

for (const { name, sql, read } of badRows)
  t.test(`rows that are no JSON any more are rebuilt: ${name}`, async t => {
    const { call, readModelsFile, logged } = await startService(t);
    const json = { name: 'S', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) };
    await call('POST', '/v1/import/create-source', { json });
    await analysed(call, 1);
    t.ok((await importDay(call, '2023-01-01')).status < 300);
    await idle(call);
    const before = await answersOf(call);
    const db = new Database(readModelsFile);
    db.exec(sql);
    db.close();

    t.not((await read(call)).status, 500);
    await eventually('the read models of the whole log', async () =>
      (await call('GET', '/health')).status === 200 ? true : undefined,
    );
    t.match(logged(), 'the read models are damaged; rebuilding them from the log');
    t.notMatch(logged(), 'subject parked');
    t.strictSame(await answersOf(call), before);
  });
