// Bytes of the log, the read models and the deliveries of a real service change, as by a failing disk.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import { lineOf as copiedLineOf } from '../../../application/logs/copyLog.js';
import { growth } from '../../../application/reading/projectionRunner.js';
import { resumeParked } from '../../../application/reading/parking.js';
import { lineOf as exportLineOf } from '../../../auditing/eventBytes.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Recorded } from '../../../domain/events.js';
import { readModels } from '../../../projections/readModels.js';
import { id as idOf } from '../../helpers/data/samples.js';
import { chance } from '../../helpers/crash/chance.js';
import { samplesOf } from '../../helpers/documents/openMetrics.js';
import { run } from '../../helpers/process.js';
import { exactList } from '../../helpers/exactList.js';
import { eventually, idle, analysed, startService, type TestService } from '../../helpers/service.js';

type Health = {
  readonly status: string;
  readonly code?: string;
  readonly detail?: string;
  readonly causes?: readonly { readonly code: string; readonly detail: string }[];
  readonly parked?: readonly object[];
};
type Refused = { readonly code: string; readonly detail: string };

const year = Array.from({ length: 28 }, (_, day) => ({
  date: dateOf(dayNumber('2023-01-02') + day),
  activity: Array.from({ length: 4 }, (_, slice) => 10 * slice + (day % 7)),
}));

const importDay = ({ call }: TestService, sourceId: number, date: string) =>
  call<Refused>('POST', '/v1/import/days', {
    json: { sourceId, days: [{ date, activity: [0, 90, 180, 270] }] },
  });

const folders = t.testdir();
const folder = join(folders, 'prepared');
let copies = 0;

/** A data folder of a stopped service: two sources with models and alerts. */
const prepared = (async () => {
  await t.test('two sources with alerts', async t => {
    const service = await startService(t, { DATA_DIR: folder });
    const { call } = service;
    for (const id of [1, 2]) {
      const json = { name: `Source ${id}`, referenceYear: 2023, days: year };
      t.equal((await call('POST', '/v1/import/create-source', { json })).status, 201);
      await analysed(call, id);
      for (const date of ['2023-03-01', '2023-03-03'])
        t.equal((await importDay(service, id, date)).status, 200);
    }
    await idle(call);
  });
  for (const name of ['events', 'read-models']) {
    const db = new Database(join(folder, `${name}.sqlite`));
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  }
})();

/** A service on a copy of the folder, in which `damage` changed bytes. */
const started = async (
  t: Test,
  damage: (file: (name: string) => string) => void = () => {},
  scrub?: Parameters<typeof startService>[3],
) => {
  await prepared;
  const data = join(folders, `copy-${(copies += 1)}`);
  cpSync(folder, data, { recursive: true });
  const file = (name: string): string => join(data, name);
  damage(file);
  return { file, service: await startService(t, { DATA_DIR: data }, undefined, scrub) };
};

/** Changes rows of a log: its triggers refuse that, so they are left out meanwhile. */
const changeLog = (file: string, sql: string): void => {
  const db = new Database(file);
  db.pragma('ignore_check_constraints = on');
  const triggers = db
    .prepare<[], { name: string; sql: string }>("select name, sql from sqlite_master where type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`drop trigger ${name}`);
  db.exec(sql);
  for (const trigger of triggers) db.exec(trigger.sql);
  db.close();
};

/** Overwrites all pages of a database but the first. */
const spoil = (file: string): void => {
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xa5)]));
};

const ofImport =
  "stream = 'days-1' and type = 'DaysImported' and revision = (select min(revision) from events where stream = 'days-1')";
const cut = `update events set data = substr(data, 1, length(data) - 9) where ${ofImport}`;
const paths = (id: number) => [`/v1/source/${id}`, `/v1/day/list/${id}/2023`, `/v1/model/list/${id}`];
const answersOf = async ({ call }: TestService, ids: readonly number[]): Promise<unknown> =>
  Promise.all(ids.flatMap(paths).map(async path => (await call('GET', path)).body));
const alertsOf = async ({ call }: TestService): Promise<unknown> =>
  (await call('GET', '/v1/alert/list')).body;

/** The service answers about source 2, and that the log is damaged about source 1. */
const expectDamage = async (t: Test, { call, logged }: TestService): Promise<void> => {
  const refused = await call<Refused>('GET', '/v1/day/list/1/2023');
  t.equal(refused.status, 503);
  t.equal(refused.body.code, 'logDamaged');
  t.match(
    refused.body.detail,
    /^source 1 is parked: event \d+ \(DaysImported\) of it is damaged in the log; nothing was stored\. The operator has to run "daybook verify" for all damaged places, then restore the log from a backup$/,
  );
  const { status, body } = await call<Health>('GET', '/health');
  t.equal(status, 200);
  t.match(body, { status: 'degraded', causes: exactList({ code: 'logDamaged', detail: /daybook verify/ }) });
  t.match(body.parked, exactList({ subject: 'source-1', type: 'DaysImported', cause: 'EventDamaged' }));
  t.equal((await call('GET', '/v1/day/list/2/2023')).status, 200);
  t.equal(logged().match(/"msg":"subject parked"/g)?.length, 1, 'said once');
};

t.test('text that cannot be parsed parks its source; a restored log takes it up again', async t => {
  const { file, service } = await started(t);
  const before = [await answersOf(service, [1, 2])];
  await service.stop();
  changeLog(file('events.sqlite'), cut);
  await service.restart();

  // The read models have the event: nothing needs it yet.
  t.strictSame(await answersOf(service, [1, 2]), before[0]);
  t.equal((await service.call<Health>('GET', '/health')).body.status, 'ok');
  const write = await importDay(service, 1, '2023-03-05');
  t.equal(write.status, 503);
  t.equal(write.body.code, 'logDamaged');
  await expectDamage(t, service);
  t.equal((await importDay(service, 2, '2023-03-05')).status, 200);
  const trail = await service.call<Refused>('GET', '/v1/audit/event');
  t.match(
    [trail.status, trail.body],
    exactList(503, { code: 'logDamaged', detail: /position \d+ of events\.sqlite: / }),
  );
  t.equal((await service.call('GET', '/v1/audit/event?sourceId=2')).status, 200);
  const proof = await service.call<Refused>('GET', '/v1/audit/proof/consistency?from=1');
  t.match(
    proof.body,
    {
      code: 'logDamaged',
      detail: /^there are no proofs: the log is damaged; the operator has to run "daybook verify"/,
    },
    'no proofs of a damaged log, whose event may belong to another tenant',
  );

  await service.restart();
  t.notMatch(service.logged(), 'sound again');
  await service.stop();
  for (const suffix of ['', '-wal', '-shm']) rmSync(file(`read-models.sqlite${suffix}`), { force: true });
  await service.restart();
  t.match(
    (await service.call<Health>('GET', '/health')).body.parked,
    exactList({ subject: 'source-1', cause: 'EventDamaged' }),
    'a rebuild',
  );
  t.equal((await service.call('GET', '/v1/day/list/2/2023')).status, 200);

  await service.stop();
  const db = new Database(join(folder, 'events.sqlite'), { readonly: true });
  const data = db.prepare<[], string>(`select data from events where ${ofImport}`).pluck().get() ?? '';
  db.close();
  changeLog(file('events.sqlite'), `update events set data = '${data}' where ${ofImport}`);
  await service.restart();
  t.match(service.logged(), 'damaged events of the log are sound again');
  t.equal((await service.call<Health>('GET', '/health')).body.status, 'ok');
  t.strictSame(await answersOf(service, [1]), (before[0] as unknown[]).slice(0, 3));
  t.equal((await service.call('GET', '/v1/audit/proof/consistency?from=1')).status, 200);
});

t.test('an event whose hash does not fit is found by the comparison, and parks its source', async t => {
  const sql = `update events set data = replace(data, '10', '11') where ${ofImport}`;
  const { service, file } = await started(t, copy => changeLog(copy('events.sqlite'), sql), {
    share: 1,
    everyMs: 50,
  });
  await eventually('the comparison', () => (service.logged().includes('subject parked') ? true : undefined));
  await expectDamage(t, service);
  await service.restart();
  t.match((await service.call<Health>('GET', '/health')).body.parked, exactList({ subject: 'source-1' }));
  t.notMatch(service.logged(), 'sound again');

  await service.stop();
  t.ok(existsSync(file('uptime.json')));
  const rebuilt = await run(['rebuild'], { DATA_DIR: dirname(file('events.sqlite')) });
  t.equal(rebuilt.code, 1, 'a rebuild does not forget it');
  t.match(rebuilt.stderr, /^source-1 is parked: event \d+ \(DaysImported\) .* is damaged: /);
  t.notOk(existsSync(file('uptime.json')), 'the log may be a backup: its sources are not silent at once');
  await service.restart();
  t.match((await service.call<Health>('GET', '/health')).body.parked, exactList({ subject: 'source-1' }));
  t.equal((await service.call('GET', '/v1/day/list/1/2023')).status, 503);
});

t.test('a damaged event has no line in exports and copies, and no other build takes it up', async t => {
  const { service, file } = await started(t);
  await service.stop();
  changeLog(file('events.sqlite'), cut);
  const store = sqliteStore(file('events.sqlite'));
  let damaged: Recorded | undefined;
  for await (const event of store.all(0n)) if (event.damage !== undefined) damaged = event;
  if (!damaged) throw new Error('no event is damaged');
  const event = damaged;
  t.match(event, { stream: 'days-1', revision: 0, type: 'DaysImported', data: null });
  for (const line of [exportLineOf, copiedLineOf])
    t.throws(() => line(event), {
      name: 'EventDamaged',
      message: /^revision 0 of days-1 .* of events\.sqlite: /,
    });
  const db = new Database(':memory:');
  const models = readModels(db, 'one');
  models.project([event], growth(models.tree, [event]));
  t.match(models.parked.all(), exactList({ subject: 'source-1', cause: 'EventDamaged' }));
  const sound = sqliteStore(join(folder, 'events.sqlite'));
  t.strictSame(await resumeParked(readModels(db, 'two'), sound), [], 'its tree has the damaged event');
  await sound.close();
  t.equal(models.parked.count(), 1);
  db.close();
  await store.close();
});

t.test('a log with damage takes no events, also when the damage is not seen any more', async t => {
  const { service, file } = await started(t);
  await service.stop();
  const log = file('events.sqlite');
  const sound = readFileSync(log);
  const store = sqliteStore(log);
  spoil(log);
  const reading = async (): Promise<void> => {
    for await (const _ of store.all(0n));
  };
  await t.rejects(reading(), {
    name: 'LogDamaged',
    message: /^events\.sqlite is damaged after position \d+ /,
  });
  writeFileSync(log, sound);
  const metadata = { by: 'anna', cause: idOf(1), correlation: idOf(1) };
  const at = '2026-01-01T00:00:00.000Z';
  const proposed = { id: idOf(1), type: 'AuditTrailRead', v: 1, data: {}, metadata, at };
  await t.rejects(store.append('audit-other', 'absent', [proposed]), { name: 'LogDamaged' });
  await store.close();
});

t.test('read models whose version is damaged are rebuilt by an answer that reads a snapshot', async t => {
  const { service } = await started(t);
  const before = await answersOf(service, [1]);
  const db = new Database(service.readModelsFile);
  db.pragma('busy_timeout = 5000');
  db.exec("update shapes set shape = 'other'");
  db.close();
  t.equal((await service.call('GET', '/v1/day/list/1/2023')).status, 503);
  await eventually('the rebuild', async () =>
    (await service.call('GET', '/health')).status === 200 ? true : undefined,
  );
  t.strictSame(await answersOf(service, [1]), before);
});

t.test(
  'pages of the log that SQLite cannot read: 503, the place in the log of the service, and nothing is appended',
  async t => {
    const { service, file } = await started(t);
    const { call } = service;
    const log = file('events.sqlite');
    spoil(log);
    const refused = await eventually('a refusal', async () => {
      const answer = await call<Refused>('GET', '/v1/audit/event');
      return answer.body.code === 'logDamaged' ? answer : undefined;
    });
    t.match(
      refused.body.detail,
      /^the log is damaged; the operator has to run "daybook verify".*restore the log from a backup$/,
    );
    t.match(
      service.logged(),
      /events\.sqlite is damaged .*\(SQLITE_CORRUPT\)/,
      'the operator learns the place',
    );
    const health = await call<Health>('GET', '/health');
    t.match(
      [health.status, health.body],
      exactList(503, { code: 'logDamaged', detail: /^the log is damaged; the operator has to / }),
    );
    t.equal((await call('GET', '/health/ready')).status, 503);
    t.equal((await importDay(service, 2, '2023-03-07')).status, 503);
    t.equal((await call('GET', '/v1/source/2')).status, 200, 'read models are sound');
  },
);

t.test('random bits of the log: no 500, no end of the process, and no wrong answer', async t => {
  const seed = Number(process.env['SEED'] ?? 1);
  t.comment(`SEED=${seed}`);
  const random = chance(seed);
  await prepared;
  const expected = await (async () => {
    const { service } = await started(t);
    const answers = [await answersOf(service, [1, 2])];
    await service.stop();
    return answers;
  })();
  for (let count = 0; count < 6; count += 1) {
    let place = '';
    const flip = (file: (name: string) => string): void => {
      const bytes = readFileSync(file('events.sqlite'));
      const used = [...bytes.keys()].filter(at => at >= 4096 && bytes[at] !== 0);
      const at = random.one(used);
      place = `byte ${at}`;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      writeFileSync(file('events.sqlite'), bytes);
    };
    await t.test(`flip ${count}`, async t => {
      const { service } = await started(t, flip).catch((error: unknown) => {
        t.match(String(error), 'events.sqlite', place);
        return { service: undefined };
      });
      if (!service) return;
      t.strictSame([await answersOf(service, [1, 2])], expected, 'read models are sound');
      for (const id of [1, 2]) {
        const { status } = await importDay(service, id, '2023-03-09');
        t.ok(status === 200 || status === 202 || status === 503, `${place}: ${status}`);
      }
      for (const path of ['/v1/audit/event', '/health'])
        t.not((await service.call('GET', path)).status, 500, `${place}: ${path}`);
    });
  }
});

t.test('a changed row of the read models is found and repaired', async t => {
  const { service } = await started(t, undefined, { share: 1, everyMs: 300 });
  const { call, logged } = service;
  const before = await alertsOf(service);
  const db = new Database(service.readModelsFile);
  db.pragma('busy_timeout = 5000');
  db.exec("update alerts set state = 'resolved' where source_id = 1");
  db.close();
  await eventually('the comparison', () =>
    logged().includes('differ from the log; rebuilding') ? true : undefined,
  );
  await eventually('the end of the rebuild', async () =>
    (await call('GET', '/health')).status === 200 ? true : undefined,
  );
  t.strictSame(await alertsOf(service), before);
  t.match(logged(), /"file":"read-models.sqlite","table":"alerts/);
  const causes = new Set<string>();
  await eventually('a clean comparison', async () => {
    const { body } = await call<Health>('GET', '/health');
    for (const { code } of body.causes ?? []) causes.add(code);
    return body.status === 'ok' ? true : undefined;
  });
  t.strictSame([...causes], ['readModelsDiffer']);
  const token = await service.tokenFor({ scopes: ['metrics'] });
  const { text } = await call('GET', '/metrics', { token });
  t.match(
    samplesOf(text).find(({ name }) => name === 'daybook_read_model_differences'),
    { value: 1 },
  );
});

t.test('read models whose tree cannot grow are rebuilt', async t => {
  const { service } = await started(t, file => {
    const db = new Database(file('read-models.sqlite'));
    db.exec('delete from tree_nodes');
    db.close();
  });
  // Some of the next events need a node that is missing.
  let day = dayNumber('2023-04-01');
  await eventually('the damage', async () => {
    await importDay(service, 2, dateOf((day += 1)));
    return service.logged().includes('the read models are damaged') ? true : undefined;
  });
  await eventually('the rebuild', async () =>
    (await service.call('GET', '/health')).status === 200 ? true : undefined,
  );
  t.equal((await importDay(service, 1, '2023-03-11')).status, 200);
  t.equal((await service.call('GET', '/v1/audit/proof/consistency?from=9')).status, 200);
});

t.test('a damaged schema of the read models is replaced at the start', async t => {
  const { service } = await started(t, file => {
    const db = new Database(file('read-models.sqlite'));
    db.unsafeMode(true);
    db.pragma('writable_schema = on');
    db.exec(
      "update sqlite_master set sql = replace(sql, 'models_version', 'models_versiom') where name = 'alerts'",
    );
    db.close();
  });
  t.match(service.logged(), 'the read models are damaged; rebuilding them from the log');
  t.equal((await service.call('GET', '/v1/alert/list')).status, 200);
});
