import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../adapters/sqlite/driver.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import t from 'tap';
import { tableDigests, tablesThatDiffer, replay as replayInto } from '../../../application/reading/replay.js';
import { replay as command } from '../../../adapters/cli/commands/replay.js';
import { openReadModels } from '../../../adapters/composition/openLog.js';
import { fillByCommands } from '../../helpers/logs/auditLog.js';
import { run } from '../../helpers/process.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

const folders = t.testdir({ data: {}, made: {} });
const dataDir = join(folders, 'data');
const service = await startService(t, { EVENT_STORE: 'sqlite', DATA_DIR: dataDir });
const { call } = service;
const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 45) },
});
const { id } = body.source;
await analysed(call, id);
const { date, activity } = ordinaryDay('2024-01-03');
await call('POST', '/v1/import/days', {
  json: { sourceId: id, days: [{ date, activity: activity.map(value => value * 4) }] },
});
await idle(call);
const between = (await call<{ readModels: { position: string } }>('GET', '/health')).body.readModels.position;
const then = (await call('GET', '/v1/alert/list')).body;
await call('POST', `/v1/alert/${id}-20240103-1/acknowledge`);
await call('PUT', `/v1/planning/${id}/2024-02-01`, { json: { modelId: 1 } });
await idle(call);
const end = service.events().at(-1)?.position;

const other = join(folders, 'made');
const replay = (into: string, ...args: readonly string[]) =>
  run(['replay', '--into', join(other, into), ...args], { DATA_DIR: dataDir });
const digests = (file: string): ReadonlyMap<string, string> => {
  const db = new Database(file, { readonly: true });
  const all = tableDigests(db);
  db.close();
  return all;
};

t.test('replay: the whole log gives the live read models, also while the service runs', async t => {
  const done = await replay('whole');
  t.equal(done.code, 0);
  t.match(done.stdout, `up to position ${end} in`);
  t.match(
    done.stdout,
    new RegExp(`the live read models are the same at position ${end}: digest [0-9a-f]{64}\n`),
  );
  const [made, live] = [join(other, 'whole', 'read-models.sqlite'), service.readModelsFile].map(digests);
  t.strictSame(tablesThatDiffer(made ?? new Map(), live ?? new Map()), []);
  t.ok((made?.size ?? 0) > 8, 'tables with rows');
  t.equal((await replay('at-the-end', '--until', String(end))).code, 0);
  t.match(await replay('at-present', '--until', new Date().toISOString()), {
    code: 0,
    stdout: /are the same/,
  });
});

t.test('replay: up to a position gives the read models of that time', async t => {
  t.match(await replay('between', '--until', between), { code: 0, stdout: /not compared/ });
  const folder = join(other, 'between');
  t.strictSame(
    readdirSync(folder).filter(name => name.endsWith('.sqlite')),
    ['read-models.sqlite'],
  );
  const db = new Database(join(folder, 'read-models.sqlite'), { readonly: true });
  t.strictSame(db.prepare('select id, state from alerts').all(), [{ id: `${id}-20240103-1`, state: 'open' }]);
  t.equal(db.prepare('select count(*) from planning_overrides').pluck().get(), 0);
  db.close();
  t.match(then, { alerts: exactList({ state: 'open' }) });
});

t.test('replay: a batch that the disk refuses is rolled back and can be repeated', async t => {
  const { db, models, close } = openReadModels(join(t.testdir(), 'read-models.sqlite'));
  t.teardown(close);
  const events = service.events();
  const log = async function* (count: number) {
    yield* events.slice(0, count);
  };
  const pages = Number(db.pragma('page_count', { simple: true }));
  db.pragma(`max_page_count = ${pages + 2}`);
  await t.rejects(replayInto(models, log(events.length), { tree: true }), { name: 'StorageFull' });
  db.pragma('max_page_count = 1000000');
  t.notOk(db.inTransaction);
  t.equal(models.checkpoint('readModels').position, 0n);
  const { count } = await replayInto(models, log(events.length), { tree: true });
  t.equal(count, events.length);
  t.strictSame(tablesThatDiffer(tableDigests(db), digests(service.readModelsFile)), []);
});

/** Names of the indexes of a database. */
const indexesOf = (db: Database): unknown[] =>
  db.prepare(`select name from sqlite_master where type = 'index' order by name`).pluck().all();

t.test('replay: indexes that are created at the end, also after a crash in between', async t => {
  const store = memoryStore();
  await fillByCommands(store, 3000, 1);
  const file = join(t.testdir(), 'read-models.sqlite');
  const other = openReadModels('');
  await replayInto(other.models, store.all(0n), { tree: true, whileServing: true });
  const expected = indexesOf(other.db);
  t.ok(expected.includes('days_by_import'));

  const crashed = openReadModels(file);
  crashed.models.begin();
  crashed.models.dropIndexes();
  crashed.models.commit();
  t.notOk(indexesOf(crashed.db).includes('days_by_import'));
  crashed.close();

  const opened = openReadModels(file);
  t.notOk(indexesOf(opened.db).includes('days_by_import'), 'a start listens before it creates them');
  let withoutIndexes = 0;
  const progress = (): void => void (withoutIndexes += indexesOf(opened.db).length < expected.length ? 1 : 0);
  await replayInto(opened.models, store.all(0n), { tree: true, progress });
  t.ok(withoutIndexes > 1, `${withoutIndexes} batches without indexes`);
  t.strictSame(indexesOf(opened.db), expected);
  t.strictSame(tablesThatDiffer(tableDigests(opened.db), tableDigests(other.db)), []);
  opened.close();
  other.close();
});

t.test('replay: wrong usage', async t => {
  const refused = (args: readonly string[], name = 'SettingsError') =>
    t.rejects(async () => command.run(args, { DATA_DIR: dataDir }), { name }, args.join(' '));
  const into = ['--into', join(other, 'wrong')];
  for (const until of ['yesterday', '9998-01-01T00:00:00Z', String((end ?? 0n) + 1n)])
    await refused([...into, '--until', until]);
  await refused([...into, '--what'], 'WrongArguments');
  await refused([]);
  await refused(['--into', dataDir]);
  t.equal((await replay('wrong')).code, 0, 'the corrected command');
  t.equal((await replay('whole')).code, 2, 'a folder that has read models');
});

t.test('replay: finds changed read models and those of another log', async t => {
  await service.stop();
  const file = service.readModelsFile;
  t.match(await replay('stopped'), { code: 0, stdout: /are the same/ }, 'the service is stopped');
  t.notOk(
    readdirSync(dataDir).some(name => name.startsWith('read-models.sqlite-')),
    'no files remain',
  );
  copyFileSync(file, join(other, 'kept.sqlite'));
  const change = (sql: string): void => {
    copyFileSync(join(other, 'kept.sqlite'), file);
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };
  const behind = openReadModels(file);
  behind.models.clear();
  const [last] = service.events().slice(-1);
  const before = (last?.position ?? 0n) - 1n;
  const isIncluded = ({ position }: { readonly position: bigint }): boolean => position <= before;
  const log = (async function* () {
    yield* service.events();
  })();
  await replayInto(behind.models, log, { tree: true, isIncluded });
  behind.close();
  t.match(
    await replay('behind', '--until', String(before)),
    { code: 0, stdout: new RegExp(`are the same at position ${before}:`) },
    'the log has grown since',
  );
  copyFileSync(join(other, 'kept.sqlite'), file);
  const parking = openReadModels(file);
  parking.models.park(last!, new Error('cannot be checked'), last!.position);
  parking.close();
  t.match(
    await replay('parked'),
    { code: 3, stdout: /not compared at position \d+, .*\n\S+ is parked: event \d+ .*: cannot be checked\n/ },
    'a replay checks nothing',
  );
  change(`update alerts set state = 'resolved'`);
  t.match(await replay('changed'), { code: 1, stdout: /not the same at position \d+: alerts\n/ });
  change(`delete from alert_steps where step = 1; update days set outcome = 'normal'`);
  t.match(await replay('twice'), { code: 1, stdout: /: alert_steps, days\n/ });
  change(`update checkpoints set position = position + 5 where name = 'readModels'`);
  t.match(await replay('ahead'), { code: 1, stdout: /the log ends at/ });
  change(`update shapes set shape = 'older'`);
  t.match(await replay('older'), { code: 3, stdout: /another version/ });
  t.equal(new Database(file, { readonly: true }).prepare('select shape from shapes').pluck().get(), 'older');
});
