// Read models in a real file, in which bits change, are compared with a log of all kinds of events.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openReadModels, openTemporaryReadModels } from '../../../adapters/composition/openLog.js';
import { isBroken } from '../../../adapters/sqlite/database.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { StoreUnavailable, type EventStore } from '../../../application/ports/eventStore.js';
import { growth } from '../../../application/reading/projectionRunner.js';
import { replay } from '../../../application/reading/replay.js';
import { pacer } from '../../../application/ports/sharing/turns.js';
import { type Difference, firstDifference, scrubber } from '../../../application/reading/scrubber.js';
import { eventVersions, type EventType, type Recorded } from '../../../domain/events.js';
import type { TableRow } from '../../../projections/readModel.js';
import { readModels } from '../../../projections/readModels.js';
import { chance } from '../../helpers/crash/chance.js';
import { dumpedTables } from '../../helpers/data/tables.js';
import { exactList } from '../../helpers/exactList.js';
import { everyEvent, poisoned, storeOf } from '../../helpers/logs/poisonedLog.js';
import { amount } from '../../helpers/amount.js';

// Webhooks stay, so that they have rows.
const log = everyEvent().filter(({ type }) => type !== 'WebhookDeleted');
const stored = await storeOf(log);
const noPace = () => undefined;

/** A file with the read models of a store. */
const builtIn = async (t: Test, store: EventStore): Promise<string> => {
  const file = join(t.testdir(), 'read-models.sqlite');
  const { db, models, close } = openReadModels(file);
  await replay(models, store.all(0n), { tree: true });
  models.saveCheckpoint('reactor', 5n);
  db.pragma('wal_checkpoint(TRUNCATE)');
  close();
  return file;
};

type Compared = { readonly difference: Difference | undefined; readonly damaged: readonly unknown[] };

/** Compares all read models of a database with a log. */
const compared = async (db: Database, store: EventStore): Promise<Compared> => {
  const models = readModels(db);
  const damaged: unknown[] = [];
  const park = (event: Recorded, error: unknown): void => {
    damaged.push(error);
    models.park(event, error, models.checkpoint('readModels').position);
  };
  const snapshot = () => ({ models, close: () => {} });
  const parts = { store, models, snapshot, openTemporary: openTemporaryReadModels, parking: { park } };
  return { difference: await firstDifference(parts, noPace), damaged };
};

const comparedFile = async (file: string, store: EventStore): Promise<Compared> => {
  const db = new Database(file);
  try {
    return await compared(db, store);
  } finally {
    db.close();
  }
};

t.test('read models of a log equal it, however it was cut into batches', async t => {
  const file = await builtIn(t, stored);
  t.strictSame(await comparedFile(file, stored), { difference: undefined, damaged: [] });
  const db = new Database(':memory:');
  const models = readModels(db);
  for await (const event of stored.all(0n)) models.project([event]);
  const { difference } = await compared(db, stored);
  t.match(difference, { table: 'tree_leaves' }, 'without a tree');
  db.close();
});

t.test('a source is compared with that which it was relearned from', async t => {
  const template = log.find(({ type, stream }) => type === 'SourceCreated' && stream === 'source-1');
  if (!template) throw new Error('no source');
  const event = (sourceId: number, type: EventType, data: object) => {
    const id = `${template.id.slice(0, -6)}${String(1000 * sourceId + type.length).padStart(6, '0')}`;
    return { ...template, id, type, v: eventVersions[type], stream: `source-${sourceId}`, data };
  };
  const created = (sourceId: number, others = {}) => ({
    ...(template.data as object),
    ...{ sourceId, name: `s${sourceId}`, requestId: `r${sourceId}`, ...others },
  });
  const sources = Array.from({ length: 45 }, (_, index) =>
    event(index + 1, 'SourceCreated', created(index + 1)),
  );
  const relearned = created(46, { relearnedFrom: 1 });
  const imported = log.find(({ type, stream }) => type === 'DaysImported' && stream === 'days-1');
  if (!imported) throw new Error('no days');
  const store = await storeOf([
    ...sources,
    { ...imported, stream: 'days-46', data: { ...(imported.data as object), sourceId: 46 } },
    event(1, 'SourceRelearned', { requestId: 'q', created: relearned }),
    event(1, 'SourceArchived', { requestId: 'q', relearnedAs: 46 }),
    event(46, 'SourceCreated', relearned),
  ]);
  const file = await builtIn(t, store);
  t.strictSame(await comparedFile(file, store), { difference: undefined, damaged: [] });
  const db = new Database(file);
  db.exec("update sources set name = 'Other' where id = 45");
  t.match((await compared(db, store)).difference, { table: 'sources', key: '45' });
  db.close();
});

t.test('a parked subject is compared up to its last applied event', async t => {
  const index = log.findIndex(({ type, stream }) => type === 'DayPlanned' && stream === 'source-1');
  const poison = { kind: 'null', field: 0, value: null };
  const store = await storeOf(log.map((event, at) => (at === index ? poisoned(event, poison) : event)));
  const file = await builtIn(t, store);
  const db = new Database(file);
  t.equal(readModels(db).parked.count(), 1);
  t.strictSame(await compared(db, store), { difference: undefined, damaged: [] });
  db.exec("update sources set name = 'Other' where id = 1");
  t.match((await compared(db, store)).difference, { table: 'sources', key: '1' });
  db.close();
});

t.test('later events of the log are left out, and those of a subject that a follower parked', async t => {
  const events: Recorded[] = [];
  for await (const event of stored.all(0n)) events.push(event);
  const db = new Database(':memory:');
  const models = readModels(db);
  const project = (from: number, to: number): void => {
    for (const event of events.slice(from, to)) models.project([event], growth(models.tree, [event]));
  };
  const half = events.findIndex(({ type, stream }) => type === 'ModelsReset' && stream === 'source-1');
  project(0, half);
  t.strictSame(await compared(db, stored), { difference: undefined, damaged: [] });
  const last = events[half - 1];
  const event = events.find(({ stream }) => stream === 'source-1');
  if (last && event) models.park(event, new Error('cannot be followed'), last.position);
  project(half, events.length);
  t.strictSame(await compared(db, stored), { difference: undefined, damaged: [] });
  db.close();
});

t.test('read models that go on are compared without a snapshot that stays open', async t => {
  const events: Recorded[] = [];
  for await (const event of stored.all(0n)) events.push(event);
  const half = events.findIndex(({ type, stream }) => type === 'ModelsReset' && stream === 'source-1');
  /** Compares read models of a half of the log, which get the rest at a pause of the comparison. */
  const comparedAt = async (pause: number, change = '') => {
    const db = new Database(':memory:');
    const models = readModels(db);
    const project = (some: readonly Recorded[]): void => {
      for (const event of some) models.project([event], growth(models.tree, [event]));
    };
    project(events.slice(0, half));
    const seen = { pauses: 0, snapshots: 0, pausesOfSnapshots: 0, difference: undefined as unknown };
    let isOpen = false;
    const snapshot = () => {
      seen.snapshots += 1;
      isOpen = true;
      return { models, close: () => void (isOpen = false) };
    };
    const parking = { park: () => t.fail('the log is sound') };
    const parts = { store: stored, models, snapshot, openTemporary: openTemporaryReadModels, parking };
    seen.difference = await firstDifference(parts, () => {
      if (isOpen) seen.pausesOfSnapshots += 1;
      seen.pauses += 1;
      if (seen.pauses !== pause) return;
      project(events.slice(half));
      if (change !== '') db.exec(change);
    });
    db.close();
    return seen;
  };
  const still = await comparedAt(Infinity);
  t.strictSame({ ...still, pauses: 0 }, { ...still, pauses: 0, snapshots: 0, difference: undefined });
  let most = 0;
  for (let pause = half + 1; pause < still.pauses; pause += 9) {
    const { difference, snapshots, pausesOfSnapshots } = await comparedAt(pause);
    t.strictSame([difference, pausesOfSnapshots], [undefined, 0], `the rest comes at pause ${pause}`);
    most = Math.max(most, snapshots);
  }
  t.ok(most > 0, 'rows that changed meanwhile are compared once more');
  const { difference } = await comparedAt(half + 1, "update sources set name = 'Other' where id = 1");
  t.match(difference, { table: 'sources', key: '1' });
});

const changes: readonly (readonly [table: string, sql: string])[] = [
  ['alerts', "update alerts set state = 'resolved' where source_id = 1"],
  ['alerts', 'update alerts set criticity = criticity + 1e-15 where source_id = 1'],
  ['days', 'delete from days where source_id = 101'],
  ['webhooks', "update webhooks set target = replace(target, 'a', 'b')"],
  ['erased_people', 'delete from erased_people'],
  ['source_namings', 'delete from source_namings'],
  ['day_values', "update day_values set activity = replace(activity, '1', '2')"],
  ['tree_nodes', "update tree_nodes set hash = x'00' where level = 1 and node_index = 3"],
  ['tree_nodes', 'delete from tree_nodes where level = 0 and node_index = 7'],
  ['tree_leaves', 'update tree_leaves set revision = revision + 1 where leaf_index = 3'],
  ['checkpoints', "update checkpoints set position = position + 1 where name = 'readModels'"],
  ['checkpoints', "update checkpoints set event_id = 'other' where name = 'readModels'"],
];

for (const [table, sql] of changes)
  t.test(`a change is found: ${sql}`, async t => {
    const file = await builtIn(t, stored);
    const db = new Database(file);
    const before = db.prepare('select total_changes()').pluck().get();
    db.exec(sql);
    t.not(db.prepare('select total_changes()').pluck().get(), before, 'the statement changes a row');
    db.close();
    t.match((await comparedFile(file, stored)).difference, { table });
  });

t.test('a lost index without entries is found', async t => {
  const file = await builtIn(t, stored);
  const db = new Database(file);
  db.exec('drop index sources_by_feed');
  db.close();
  t.match((await comparedFile(file, stored)).difference, { table: 'sources_by_feed' });
});

t.test('an entry that only an index has wrong is found', async t => {
  const file = await builtIn(t, stored);
  const opened = (use: (db: Database) => void): void => {
    const db = new Database(file);
    db.unsafeMode(true);
    db.pragma('writable_schema = on');
    use(db);
    db.close();
  };
  let entry: Record<string, unknown> = {};
  opened(db => {
    db.exec("update alerts set tenant = 'other' || tenant where source_id = 1");
    const ofIndex = "from sqlite_master where name = 'alerts_of_tenant'";
    entry = db.prepare<[], Record<string, unknown>>(`select * ${ofIndex}`).get() ?? {};
    db.exec(`delete ${ofIndex}`);
  });
  // Without its index the table is changed back, and the index is not.
  opened(db => {
    db.exec('update alerts set tenant = substr(tenant, 6) where source_id = 1');
    db.prepare('insert into sqlite_master values ($type, $name, $tbl_name, $rootpage, $sql)').run(entry);
  });
  t.match((await comparedFile(file, stored)).difference, { table: 'alerts_of_tenant' });
});

/** All rows by table, and the order in which each index has them: what answers are made of. */
const contentOf = (db: Database): unknown => {
  const { shapes, parked, checkpoints = [], ...tables } = dumpedTables(db);
  const own = checkpoints.filter(row => (row as { readonly name: string }).name === 'readModels');
  const indexes = db
    .prepare<[], { name: string; tbl_name: string; sql: string }>(
      "select name, tbl_name, sql from sqlite_master where type = 'index' and sql is not null order by name",
    )
    .all()
    .map(({ name, tbl_name, sql }) => {
      const [, columns = '', , where = 'true'] = /\(([^)]*)\)( where (.*))?$/is.exec(sql) ?? [];
      return [name, db.prepare(`select ${columns} from ${tbl_name} indexed by ${name} where ${where}`).all()];
    });
  // SQLite ignores the case of names.
  const values = Object.entries(tables).map(([name, rows]) => [
    name.toLowerCase(),
    rows.map(row => Object.values(row as object)),
  ]);
  return JSON.stringify([values, own, indexes], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
};

const flipsMax = amount({ quick: 15, slow: 40 });

t.test('a flipped bit is harmless, or noticed by SQLite, or found by a comparison', async t => {
  const seed = Number(process.env['SEED'] ?? 69);
  t.comment(`SEED=${seed}`);
  const random = chance(seed);
  const file = await builtIn(t, stored);
  const sound = readFileSync(file);
  const flipped = `${file}.flipped`;
  const open = new Database(file);
  const expected = contentOf(open);
  open.close();
  const used = [...sound.keys()].filter(at => sound[at] !== 0);
  const counts = { harmless: 0, noticed: 0, found: 0 };
  for (let count = 0; count < flipsMax; count += 1) {
    const at = random.one(used);
    const bit = random.below(8);
    const bytes = Buffer.from(sound);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    writeFileSync(flipped, bytes);
    const place = `bit ${bit} of byte ${at}`;
    let db: Database | undefined;
    try {
      db = new Database(flipped);
      const { difference, damaged } = await compared(db, stored);
      if (damaged.length > 0) throw new Error(`${place}: the log is sound`);
      // Another version, or no checkpoint: the service builds them again.
      const isEmpty = readModels(db).checkpoint('readModels').position === 0n;
      if (isEmpty) counts.noticed += 1;
      else if (difference) counts.found += 1;
      else if (contentOf(db) === expected) counts.harmless += 1;
      else t.fail(`${place} changes rows and was not found`);
    } catch (error) {
      const { code } = error as { code?: string };
      if (!isBroken(error) && code !== 'SQLITE_ERROR') t.fail(`${place}: ${String(error)}`);
      counts.noticed += 1;
    } finally {
      db?.close();
    }
  }
  t.comment(JSON.stringify(counts));
  t.ok(counts.found > flipsMax / 5, JSON.stringify(counts));
});

t.test('an event whose hash does not fit is damage of the log, not of the read models', async t => {
  const file = await builtIn(t, stored);
  const change = (event: Recorded): Recorded =>
    event.stream === 'days-1' && event.revision === 0 ? { ...event, at: '2000-01-01T00:00:00.000Z' } : event;
  const changed: EventStore = {
    ...stored,
    async *all(after) {
      for await (const event of stored.all(after)) yield change(event);
    },
    async *read(stream, from) {
      for await (const event of stored.read(stream, from)) yield change(event);
    },
  };
  const { difference, damaged } = await comparedFile(file, changed);
  t.equal(difference, undefined, 'the subject is left out');
  t.match(
    damaged,
    exactList({ message: /^revision 0 of days-1 \(DaysImported\) is damaged: position \d+: it does not/ }),
  );
});

t.test('work takes its share of the time', async t => {
  let nowMs = 0;
  const waits: number[] = [];
  const environment = {
    elapsedMs: () => nowMs,
    after: (ms: number, run: () => void) => {
      waits.push(ms);
      nowMs += ms;
      run();
      return () => {};
    },
  };
  const stopping = new AbortController();
  const pace = pacer(0.01, environment, stopping.signal);
  nowMs += 4;
  t.equal(pace(), undefined, 'too little to wait');
  nowMs += 2;
  await pace();
  t.strictSame(waits, [594], '6 of 600 ms');
  t.equal(pace(), undefined);
  nowMs += 6;
  stopping.abort(new Error('stopped'));
  await t.rejects(Promise.resolve(pace()), { message: 'stopped' });
});

t.test('a difference rebuilds the read models, unless it comes again', async t => {
  const { models } = (() => {
    const db = new Database(':memory:');
    return { models: readModels(db) };
  })();
  await replay(models, stored.all(0n), { tree: true });
  const passes: (() => void)[] = [];
  const lines: string[] = [];
  let emptied = 0;
  let isBad = false;
  let isFull = false;
  const bad = {
    ...models,
    rows: { ...models.rows, has: (row: TableRow) => !isBad && models.rows.has(row) },
  };
  let fault: Error | undefined;
  const scrub = scrubber(
    {
      store: stored,
      models: bad,
      snapshot: () => {
        if (fault) throw fault;
        return {
          models: bad,
          close: () => {},
        };
      },
      openTemporary: openTemporaryReadModels,
      isWhole: () => true,
      parking: { park: () => t.fail('the log is sound') },
      empty: () => {
        if (isFull) throw new StoreUnavailable('full');
        emptied += 1;
      },
      log: { error: (_: unknown, text: string) => lines.push(text), info: () => {} } as never,
      environment: {
        elapsedMs: () => performance.now(),
        after: (ms: number, run: () => void) => {
          if (ms < 1000) run();
          else passes.push(run);
          return () => {};
        },
      } as never,
    },
    { share: 1, everyMs: 1000 },
  );
  const pass = async (): Promise<void> => {
    passes.splice(0).forEach(run => run());
    while (passes.length === 0) await new Promise(resolve => setTimeout(resolve, 5));
  };
  scrub.start();
  await pass();
  t.strictSame([emptied, scrub.isDiffering(), lines], [0, false, []]);
  isBad = true;
  isFull = true;
  await pass();
  t.strictSame([emptied, scrub.differences()], [0, 1]);
  isFull = false;
  await pass();
  t.strictSame([emptied, scrub.isDiffering(), scrub.differences()], [1, true, 2], 'tried again');
  await pass();
  t.strictSame([emptied, scrub.isDiffering(), scrub.differences()], [1, true, 3], 'a bug rebuilds once');
  fault = new StoreUnavailable('busy');
  await pass();
  t.equal(scrub.isDiffering(), true, 'a pass without an end says nothing');
  fault = undefined;
  isBad = false;
  await pass();
  t.equal(scrub.isDiffering(), false);
  isBad = true;
  await pass();
  t.equal(emptied, 2, 'after a clean pass a difference is damage again');
  const rebuilding = /rebuilding them/;
  t.match(lines, exactList(rebuilding, rebuilding, /differ from the log$/, rebuilding));
  await scrub.stop();
});
