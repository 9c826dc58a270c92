import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import t from 'tap';
import { growth } from '../../application/reading/projectionRunner.js';
import { fits, openReadModels } from '../../adapters/composition/openLog.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import type { SourceEvent } from '../../domain/source/sourceState.js';
import { alertsModel } from '../../projections/alerts.js';
import { daysModel } from '../../projections/days.js';
import { modelsModel } from '../../projections/models.js';
import { peopleModel } from '../../projections/people.js';
import { planningModel } from '../../projections/planning.js';
import { followUpQueries } from '../../projections/followUps.js';
import { readModels } from '../../projections/readModels.js';
import { sourcesModel } from '../../projections/sources/sources.js';
import { dayOf, id } from '../helpers/data/samples.js';
import { proposed } from '../helpers/logs/storeContract.js';
import { dumpedTables } from '../helpers/data/tables.js';
import {
  through,
  passedBy,
  reached,
  holding,
  calendar,
  checks,
  resetWith,
  imported,
  created,
  lived,
  raised,
} from '../helpers/data/sourceHistory.js';

// Batches, checkpoints, versions

t.test('read models: rows and checkpoint are committed together', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const before = dumpedTables(db);
  const planned = add('source-1', {
    type: 'DayPlanned',
    data: { requestId: id(500), date: '2024-03-04', modelId: 1 },
  });
  t.ok(planned);
  // A duplicate alert, which no valid log contains, makes the batch fail.
  add('alerts-1', raised('1-20240305-1'));
  t.throws(() => models.apply(events.slice(-2), through(events)), /UNIQUE/);
  t.strictSame(dumpedTables(db), before);
  models.apply(events.slice(-2, -1), through(events.slice(0, -1)));
  t.equal(models.checkpoint('readModels').position, BigInt(events.length - 1));
  db.close();
});

t.test('read models: the same rows when events are applied one by one or in one batch', async t => {
  const { events, add } = lived();
  const { requestId } = created(1).data;
  const described = { requestId, name: 'Gate', labels: {}, place: null, expectedInterval: 'PT6H' };
  add('source-1', { type: 'SourceDescribed', data: described });
  add('days-1', imported(id(301), 'recent', [dayOf('2024-03-06')]));
  add('days-1', { type: 'ClockTicked', data: { sourceId: 1, deadline: '2024-01-31T06:00:00.000Z' } });
  add('days-1', imported(id(302), 'recent', [dayOf('2024-03-07')]));
  add('source-1', { type: 'SourceArchived', data: { requestId } });
  add('source-1', { type: 'SourceRestored', data: { requestId } });
  add('days-1', imported(id(303), 'recent', [dayOf('2024-03-05')]));
  add('source-1', { type: 'SourceArchived', data: { requestId } });
  // The first four events end with the creation of a source, after the import of its reference days.
  for (const history of [events.slice(0, 4), events]) {
    const atOnce = holding(history);
    const oneByOne = holding([]);
    for (const event of history) oneByOne.models.apply([event], event);
    t.strictSame(dumpedTables(atOnce.db), dumpedTables(oneByOne.db));
    atOnce.db.close();
    oneByOne.db.close();
  }
});

t.test('read models: checkpoints by name', async t => {
  const { events } = lived();
  const { db, models } = holding(events);
  const last = events.at(-1);
  const event = { id: id(8), stream: last?.stream, revision: last?.revision };
  t.strictSame(models.checkpoint('readModels'), { position: 8n, event });
  t.strictSame(models.checkpoint('reactor'), { position: 0n, event: null });
  models.saveCheckpoint('reactor', 2n ** 60n);
  t.strictSame(models.checkpoint('reactor'), { position: 2n ** 60n, event: null });
  t.strictSame(models.checkpoint('readModels'), { position: 8n, event });
  models.apply([], passedBy(9n, 9));
  t.strictSame(models.checkpoint('readModels'), reached(9n, 9), 'a batch without known events');
  db.close();
});

t.test('read models: a crash rolls back all batches of a transaction', async t => {
  const file = join(t.testdir(), 'read-models.sqlite');
  const crashed = openReadModels(file);
  crashed.models.apply([], passedBy(1n, 1));
  crashed.models.begin();
  crashed.models.apply([], passedBy(2n, 2));
  t.same(crashed.models.checkpoint('readModels'), reached(2n, 2));
  crashed.close();
  const opened = openReadModels(file);
  t.teardown(opened.close);
  t.same(opened.models.checkpoint('readModels'), reached(1n, 1));
  opened.models.begin();
  opened.models.apply([], passedBy(3n, 3));
  const { events } = lived();
  const failing = (): void => opened.models.apply([...events, ...events.slice(-1)], passedBy(4n, 4));
  t.throws(failing, /UNIQUE/);
  t.ok(opened.db.inTransaction, 'only the owner of the transaction can commit it');
  opened.models.rollback();
  t.notOk(opened.db.inTransaction);
  t.same(opened.models.checkpoint('readModels'), reached(1n, 1));
  t.strictSame(dumpedTables(opened.db)['days'], []);
  t.throws(failing, /UNIQUE/);
  t.notOk(opened.db.inTransaction, 'a failed batch is rolled back alone');
  t.same(opened.models.checkpoint('readModels'), reached(1n, 1));
  t.strictSame(dumpedTables(opened.db)['days'], []);
  opened.models.rollback();
  t.notOk(opened.models.isOpen());
  t.throws(opened.models.commit, /no transaction is active/, 'a commit without a transaction is an error');
});

t.test('read models: no event causes a table scan, also without the indexes of queries', async t => {
  const db = new Database(':memory:');
  readModels(db).dropIndexes();
  const statements: string[] = [];
  const recording = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name) as unknown;
      return (statement: string) => {
        statements.push(statement);
        return target.prepare(statement);
      };
    },
  });
  for (const model of [sourcesModel, daysModel, modelsModel, planningModel, alertsModel, peopleModel])
    [model.apply, model.applyBatch].forEach(applier => applier?.(recording));
  t.ok(statements.length > 25, `${statements.length} statements`);
  for (const statement of statements) {
    const explained = `explain query plan ${statement.replaceAll(/\$\w+|\?/g, '1')}`;
    const steps = db.prepare<[], { detail: string }>(explained).all();
    // Reading all recent days of a source counts as a scan, too.
    const walks = steps.filter(
      ({ detail }) => detail.startsWith('SCAN') || /SEARCH days .*\(source_id=\? AND kind=\?\)/.test(detail),
    );
    t.same(walks, [], statement);
  }
});

t.test('read models: the first work that is due is found without a look at work that is done', async t => {
  const db = new Database(':memory:');
  readModels(db);
  const statements: string[] = [];
  followUpQueries(
    new Proxy(db, {
      get: (target, name) => (statement: string) => {
        if (name === 'prepare') statements.push(statement);
        return (Reflect.get(target, name) as (text: string) => unknown).call(target, statement);
      },
    }),
  );
  const steps = statements.flatMap(statement =>
    db
      .prepare<[], { detail: string }>(`explain query plan ${statement.replaceAll('?', '1')}`)
      .all()
      .map(({ detail }) => detail),
  );
  t.ok(steps.some(step => step.startsWith('SEARCH follow_ups USING INDEX follow_ups_grouping')));
  t.strictSame(
    steps.filter(step => /^SCAN follow_ups(?! USING (COVERING )?INDEX follow_ups_due)/.test(step)),
    [],
  );
});

t.test('read models: another schema version drops all tables, the same keeps them', async t => {
  const file = join(t.testdir(), 'read-models.sqlite');
  const { events } = lived();
  const first = openReadModels(file);
  first.models.apply(events, through(events));
  first.models.saveCheckpoint('reactor', 5n);
  first.close();

  const db = new Database(file);
  const whole = dumpedTables(db);
  readModels(db);
  t.strictSame(dumpedTables(db), whole, 'the same version keeps all rows');
  db.exec(
    `update shapes set shape = 'of an earlier version'; create table left_over (x); insert into left_over values (1)`,
  );
  const models = readModels(db);
  t.strictSame(models.checkpoint('readModels'), { position: 0n, event: null });
  t.strictSame(models.checkpoint('reactor'), { position: 0n, event: null });
  t.equal(models.sources.one(1, '9999-12-31'), undefined);
  t.notOk('left_over' in dumpedTables(db), 'tables of an earlier version are gone');
  models.apply(events, through(events));
  models.saveCheckpoint('reactor', 5n);
  t.strictSame(dumpedTables(db), whole, 'a replay restores all rows');
  db.close();
});

/** A reset whose models use another source. */
const explainedBy = (event: SourceEvent, sourceId: number): Extract<SourceEvent, { type: 'ModelsReset' }> => {
  if (event.type !== 'ModelsReset') throw new Error(`got ${event.type}, expected ModelsReset`);
  const line = { knee: 15, below: 0.02, above: 0, from: -10, to: 30 };
  const covariates = [{ sourceId, name: 'Temperature', ...line, usual: [0.1, 0.2] }];
  return { ...event, data: { ...event.data, checks: { ...checks, covariates } } };
};

t.test('every table has rows in these tests', async t => {
  const { events, add } = lived();
  add('source-1', { type: 'DayPlanned', data: { requestId: id(500), date: '2024-03-04', modelId: 1 } });
  add('source-1', {
    type: 'SpecialDayNamed',
    data: { requestId: id(501), date: '2024-03-05', name: 'Fair' },
  });
  add('source-1', {
    type: 'ReferenceDayLeftOut',
    data: { requestId: id(503), date: '2023-01-03', reason: 'a fair' },
  });
  const change = { type: 'level', size: 0.25, from: '2024-03-04', incidentId: 'inc-1-20240304-1' } as const;
  add('source-1', { type: 'ChangeAccepted', data: { requestId: id(504), change } });
  const reset = explainedBy(resetWith(2, 3, calendar), 7);
  add('source-1', {
    type: 'ModelsResetRequested',
    data: {
      requestId: reset.data.requestId,
      modelCount: 2,
      seed: 1,
      covariates: [
        { sourceId: 7, name: 'Temperature', revision: 0, values: [{ date: '2023-01-02', value: 4 }] },
      ],
    },
  });
  const evidence = { errorReduction: 0.4, better: 10, of: 12 };
  const cycles = [{ kind: 'days', length: 8, first: '2023-01-02', evidence }] as const;
  add('source-1', { ...reset, data: { ...reset.data, cycles } });
  add('source-1', { type: 'DayPlanned', data: { requestId: id(502), date: '2024-03-04', modelId: 3 } });
  add('source-1', {
    type: 'SourceDescribed',
    data: { requestId: id(504), name: 'East', labels: { site: 'A' }, place: null, expectedInterval: null },
  });
  add(
    'days-1',
    imported(
      id(206),
      'recent',
      ['01', '02', '04', '05'].map(day => dayOf(`2024-02-${day}`)),
    ),
  );
  add('days-1', {
    type: 'DayTakenBack',
    data: { sourceId: 1, date: '2024-02-05', importId: id(206), reason: null },
  });
  add('days-1', imported(id(203), 'recent', [dayOf('2024-03-06')], 1, 2));
  add('audit-default', { type: 'PersonErased', data: { personId: id(503) } });
  add('webhooks-default', {
    type: 'WebhookCreated',
    data: {
      webhookId: id(504),
      keyId: id(505),
      host: 'hooks.example.org',
      url: 'sealed',
      events: ['alert.raised'],
      labels: {},
      minCriticity: 0,
    },
  });
  const rule = { ruleId: id(506), name: 'Fair', rule: null, from: '2024-01-01', to: '2024-12-31' };
  add('calendar-default', {
    type: 'CalendarRuleSaved',
    data: { requestId: id(507), rule: { ...rule, dates: ['2024-03-05'], labels: { site: 'A' } } },
  });
  const times = { issuedAt: '2024-03-05T08:00:00.000Z', expiresAt: '2024-06-03T08:00:00.000Z' };
  add('tokens-default', {
    type: 'TokenIssued',
    data: { jti: id(508), name: 'Gateway', scopes: ['import'], ...times },
  });
  const { db, models } = holding(events);
  const named = models.tokens.list('default', '2024-06-03T07:59:59.000Z').map(({ jti }) => jti);
  t.strictSame(named, [id(508)]);
  t.strictSame(
    models.tokens.list('default', '2024-06-03T08:00:00.000Z'),
    [],
    'an expired token is in no list',
  );
  t.strictSame(models.covariates.usersOf(7), [1]);
  const last = events.at(-1);
  if (last) models.apply([], last, growth(models.tree, events));
  const [event] = events;
  if (event) models.park(event, new Error('cannot be handled'), 1n);
  t.strictSame([models.tree.size(), models.tree.leaf(0)?.eventId], [events.length, event?.id]);
  const fixtures = ['incidents', 'incident_alerts', 'incident_places', 'incident_cuts', 'incident_steps'];
  const ofIncidents = [...fixtures, 'incident_streams', 'grouped_alerts', 'tenant_settings', 'mutes'];
  for (const [table, rows] of Object.entries(dumpedTables(db)))
    // The examples of events fill these: test/events.test.ts.
    if (!ofIncidents.includes(table)) t.not(rows.length, 0, table);
  db.close();
});

// Whether read models belong to a log

t.test('read models: the event at the checkpoint identifies the log', async t => {
  const store = memoryStore();
  const db = new Database(':memory:');
  const models = readModels(db);
  t.equal(await fits(models, store), true, 'empty read models and an empty log');
  await store.append('catalog', 'absent', [proposed(0), proposed(1), proposed(2)]);
  t.equal(await fits(models, store), true, 'empty read models');
  models.apply([], passedBy(2n, 1));
  t.equal(await fits(models, store), true);
  models.apply([], passedBy(3n, 2));
  t.equal(await fits(models, store), true, 'checkpoint at the end of the log');

  const other = memoryStore();
  await other.append('catalog', 'absent', [proposed(0), proposed(1), proposed(7), proposed(8)]);
  t.equal(await fits(models, other), false, 'another log');
  const shorter = memoryStore();
  await shorter.append('catalog', 'absent', [proposed(0), proposed(1)]);
  t.equal(await fits(models, shorter), false, 'a truncated log');
  t.equal(await fits(models, memoryStore()), false, 'an empty log');
  models.clear();
  t.equal(await fits(models, other), true, 'cleared read models belong to any log');
  db.close();
});

t.test('pages are written at commits only, but for catch-ups', async t => {
  const db = new Database(':memory:');
  const spills = () => db.pragma('cache_spill', { simple: true });
  const models = readModels(db);
  t.equal(spills(), 0, 'also in read models that were not replayed');
  models.useCatchUpCache(true);
  t.not(spills(), 0);
  models.useCatchUpCache(false);
  t.equal(spills(), 0);
  db.close();
});
