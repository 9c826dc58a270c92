import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import fc from '../../helpers/property.js';
import t from 'tap';
import { snapshotsOf } from '../../../adapters/sqlite/readModels.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { tableBytes, answerFormats } from '../../../adapters/tables.js';
import { QueueFull } from '../../../application/ports/analyst.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { pointsVerdict } from '../../../adapters/http/answers/alertChanges.js';
import type { Service } from '../../../application/requests/service.js';
import { walkedPage, type LargeParts } from '../../../adapters/http/answers/largeAnswer.js';
import { filterOf, keyedAlerts } from '../../../adapters/http/routes/alerts/alertQuery.js';
import { incidentIds } from '../../../adapters/http/routes/incidents/incidents.js';
import type { Muting } from '../../../application/requests/incidents.js';
import { largeAnswers, walks } from '../../../application/requests/largeAnswers.js';
import { groupsOf, type Value } from '../../../application/requests/dataTables.js';
import { dateOf } from '../../../domain/dates.js';
import { readModelMemos, readModels } from '../../../projections/readModels.js';
import { created, holding, raised } from '../../helpers/data/sourceHistory.js';
import { handWritten } from '../../helpers/data/tables.js';

const seed = 20_261_123;
t.comment(`seed ${seed}`);

t.test('a table reads no further than its reader, in every format', async t => {
  const columns = { sourceId: 'integer', date: 'date', value: 'number' } as const;
  const total = 400_000;
  for (const format of answerFormats) {
    let made = 0;
    const rows = function* (): Generator<readonly Value[]> {
      for (; made < total; made += 1) yield [1, '2024-01-01', made / 7];
    };
    const bytes = tableBytes(
      { columns },
      format,
      groupsOf(rows(), () => undefined),
    );
    const stream = Readable.from(bytes, { highWaterMark: 1, objectMode: true });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    t.ok(made < 6000, `${format}: ${made} of ${total} rows after the first chunk`);
    stream.destroy();
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    const ended = made;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    t.equal(made, ended, `${format}: nothing more is made for a reader that is gone`);
  }
});

t.test('other work may run between the rows of a group: some rows take long to read', async t => {
  let taken = 0;
  const rows = function* (): Generator<readonly Value[]> {
    for (taken = 1; taken <= 2500; taken += 1) yield [taken];
  };
  const asked: number[] = [];
  const sizes: number[] = [];
  const groups = groupsOf(rows(), () => {
    asked.push(taken);
    return taken % 7 === 0 ? nextTurn() : undefined;
  });
  for await (const group of groups) sizes.push(group.length);
  t.strictSame(sizes, [1000, 1000, 500]);
  t.strictSame(
    asked,
    Array.from({ length: 2500 }, (_, row) => row + 1),
  );
});

t.test('few answers are streamed at once, of one tenant half of them; each ends after its time', t => {
  const timers = new Map<number, () => void>();
  let count = 0;
  const after = (_: number, run: () => void): (() => void) => {
    const key = (count += 1);
    timers.set(key, run);
    return () => void timers.delete(key);
  };
  const { stream } = largeAnswers({ after });
  let ended = 0;
  const take = (tenant: string): (() => void) => stream(tenant, () => (ended += 1));
  const one = Array.from({ length: 8 }, () => take('one'));
  t.throws(() => take('one'), QueueFull);
  const two = Array.from({ length: 4 }, () => take('two'));
  t.throws(() => take('two'), QueueFull, 'half of the rest');
  t.equal(timers.size, 12);
  for (const run of timers.values()) run();
  t.equal(ended, 12);
  for (const release of [...one, ...one, ...two]) release();
  t.equal(timers.size, 0);
  t.equal(Array.from({ length: 8 }, () => take('one')).length, 8, 'a place is freed once');
  t.throws(() => take('one'), QueueFull);
  t.end();
});

t.test('few answers are made as a whole at once, of one tenant half of them; the others wait', async t => {
  const { enter, waiting } = largeAnswers({ after: () => () => {} });
  const leaves: (() => void)[] = [];
  const asked = (tenant: string) => enter(tenant).then(leave => leaves.push(leave));
  const all = Array.from({ length: 5 }, () => asked('one'));
  await nextTurn();
  t.strictSame([leaves.length, waiting()], [4, 1]);
  await Promise.all([asked('two'), asked('two')]);
  const third = asked('two');
  t.strictSame([leaves.length, waiting()], [6, 2], 'half of the rest');
  for (const leave of leaves.splice(0)) leave();
  await Promise.all([...all, third]);
  t.equal(waiting(), 0);
});

t.test('a snapshot stays as it is, in a file and in memory', t => {
  for (const file of [`${t.testdir()}/read-models.sqlite`, ':memory:']) {
    const db = new Database(file);
    db.pragma('journal_mode = WAL');
    const models = readModels(db);
    const advance = (position: bigint): void =>
      models.apply([], { position, id: `event-${position}`, stream: 'catalog', revision: Number(position) });
    const { open: snapshot, close } = snapshotsOf(file);
    advance(1n);
    const first = snapshot(db, readModelMemos());
    advance(2n);
    const second = snapshot(db, readModelMemos());
    advance(3n);
    const seen = [first, second].map(({ models }) => models.checkpoint('readModels').position);
    t.strictSame(seen, [1n, 2n], file);
    first.close();
    second.close();
    const third = snapshot(db, readModelMemos());
    t.equal(third.models.checkpoint('readModels').position, 3n, 'a later one has the last commit');
    third.close();
    third.close();
    close();
    db.close();
  }
  t.end();
});

t.test('connections of snapshots are used again, but not those to a file that was replaced', t => {
  const file = `${t.testdir()}/read-models.sqlite`;
  const { open, close } = snapshotsOf(file);
  const made = (): InstanceType<typeof Database> => {
    const db = new Database(file);
    db.pragma('journal_mode = WAL');
    readModels(db);
    return db;
  };
  const db = made();
  const memos = readModelMemos();
  const first = open(db, memos);
  first.close();
  const second = open(db, memos);
  t.equal(second.models, first.models, 'with its statements');
  const beside = open(db, memos);
  t.not(beside.models, first.models, 'one snapshot has a connection for itself');
  second.close();
  beside.close();
  db.close();
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const other = made();
  const third = open(other, memos);
  t.notOk([first.models, beside.models].includes(third.models));
  t.equal(third.models.checkpoint('readModels').position, 0n);
  third.close();
  close();
  t.throws(() => third.models.checkpoint('readModels'), /not open/, 'none stays open');
  other.close();
  t.end();
});

t.test('no snapshot is opened next to others that keep much of the write-ahead log', t => {
  const file = `${t.testdir()}/read-models.sqlite`;
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  readModels(db);
  const { open: snapshot, close } = snapshotsOf(file, 100);
  const first = snapshot(db, readModelMemos());
  t.throws(() => snapshot(db, readModelMemos()), QueueFull);
  first.close();
  const second = snapshot(db, readModelMemos());
  t.equal(second.models.checkpoint('readModels').position, 0n, 'without any it is opened');
  second.close();
  close();
  db.close();
  t.end();
});

t.test('after a snapshot that kept much, several are opened again', t => {
  const file = `${t.testdir()}/read-models.sqlite`;
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  readModels(db);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const { open: snapshot, close } = snapshotsOf(file, 500_000);
  const first = snapshot(db, readModelMemos());
  db.exec('create table others (text)');
  const insert = db.prepare('insert into others values (?)');
  for (let count = 0; count < 20; count += 1) insert.run('x'.repeat(50_000));
  t.throws(() => snapshot(db, readModelMemos()), QueueFull);
  first.close();
  // SQLite copies the log by itself after more pages; the next change begins it again.
  for (let count = 0; count < 2; count += 1) {
    db.pragma('wal_checkpoint(PASSIVE)');
    insert.run('x');
  }
  const others = [1, 2].map(() => snapshot(db, readModelMemos()));
  t.equal(others.length, 2);
  for (const other of others) other.close();
  close();
  db.close();
  t.end();
});

/** Ids of a walk of a length. */
const idsOf = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

const incidentFilter = {
  tenant: 'default',
  sourceId: undefined,
  from: undefined,
  to: undefined,
  states: ['open'],
  labels: [],
  kinds: undefined,
  assignee: undefined,
  sort: 'date',
  descending: false,
} as const;

t.test('incidents of which few fit are read in parts', async t => {
  const db = new Database(':memory:');
  const { incidents } = readModels(db);
  const insert = db.prepare(
    `insert into incidents values (?, 'default', ?, '', 'open', 0.5, 0, ?, ?, '{"sourceIds":[]}', 0, null, null, '')`,
  );
  for (let index = 0; index < 1200; index += 1) {
    const date = `2024-01-${10 + (index % 20)}`;
    insert.run(`inc-1-${index}`, index, date, date);
  }
  for (const sort of ['date', 'raised', 'criticity', 'severity'] as const) {
    const parts: number[] = [];
    const seen = new Set<string>();
    const keys = (part: Parameters<typeof incidents.keys>[0]) => {
      const found = incidents.keys(part);
      parts.push(found.length);
      for (const { id } of found) seen.add(id);
      return found;
    };
    const filter = { ...incidentFilter, sourceId: 1, sort };
    let turns = 0;
    const service = {
      service: { models: { incidents: { ...incidents, keys } } },
      yieldToEventLoop: () => void (turns += 1),
    } as unknown as LargeParts;
    const found: string[] = [];
    for await (const id of incidentIds(service, filter, { mutes: [], now: '' }, undefined)) found.push(id);
    t.strictSame(found, [], 'none has an alert');
    t.strictSame([parts, seen.size, turns], [[500, 500, 200], 1200, 2 + 120], sort);
  }
  db.close();
});

t.test('alerts of which few fit are read in parts, in every order, and only of the dates', async t => {
  const { events, add } = handWritten();
  add('source-1', created(1));
  for (let day = 0; day < 1200; day += 1)
    add('alerts-1', raised(`1-${dateOf(18_000 + day).replaceAll('-', '')}-1`, 0.5));
  const { db, models } = holding(events);
  let turns = 0;
  const service = {
    models,
    largeAnswers: largeAnswers({ after: () => () => undefined }),
    snapshot: () => ({ models, close: () => undefined }),
    now: () => '2024-01-01T00:00:00.000Z',
    turns: { yielderFor: () => () => void (turns += 1) },
  } as unknown as Parameters<typeof keyedAlerts>[0];
  const call = { actor: { tenant: 'default' }, query: { limit: 1 } } as Parameters<typeof keyedAlerts>[1];
  const filter = { ...filterOf({ state: 'resolved' }), tenant: 'default', sourceId: undefined };
  for (const sort of ['date', 'raised'] as const)
    for (const [from, parts] of [
      [undefined, 2],
      [dateOf(18_000 + 1000), sort === 'date' ? 0 : 2],
    ] as const) {
      turns = 0;
      await keyedAlerts(service, call, { ...filter, sort, from }, sort);
      t.equal(turns, parts, `${sort} from ${from}`);
    }
  db.close();
});

t.test('alerts of incidents are read in turns, and mutes only where there is one', async t => {
  const ids = idsOf(50).map(String);
  const seen = { turns: 0, looks: 0 };
  const incidents = {
    keys: ({ after }: { readonly after?: { readonly id: string } }) =>
      after ? [] : [...ids, 'other'].map(id => ({ id, key: id })),
    fitting: (_: unknown, some: readonly string[]) => new Set(some.filter(id => id !== 'other')),
    one: (id: string) => ((seen.looks += 1), { id, sources: [], sourceCount: 0 }),
  };
  const parts = {
    service: { models: { incidents } },
    yieldToEventLoop: () => void (seen.turns += 1),
  } as unknown as LargeParts;
  const now = '2024-01-01T00:00:00.000Z';
  const until = '2024-01-02T00:00:00.000Z';
  const mutes: Muting['mutes'] = [{ scope: { incidentId: '7' }, from: now, until, createdAt: now }];
  const listed = async (some: Muting['mutes'], muted?: boolean): Promise<string[]> => {
    const found: string[] = [];
    for await (const id of incidentIds(parts, incidentFilter, { mutes: some, now }, muted)) found.push(id);
    return found;
  };
  for (const muted of [undefined, false]) t.strictSame(await listed([], muted), ids);
  t.strictSame(await listed([], true), []);
  t.strictSame(await listed(mutes), ids);
  t.strictSame(seen, { turns: 18, looks: 0 }, 'ten at a time');
  t.strictSame(await listed(mutes, true), ['7']);
  t.strictSame(seen, { turns: 18 + 6 + 50, looks: 50 });
  t.equal((await listed(mutes, false)).length, 49);
});

t.test('walks are kept within their bounds, those used last of each tenant', t => {
  const beginning = fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), length: fc.nat({ max: 90_000 }) });
  fc.assert(
    fc.property(fc.array(beginning, { maxLength: 40 }), beginnings => {
      let now = 1;
      const { keep, find } = walks({ elapsedMs: () => now });
      const begun: { readonly tenant: string; readonly key: string; readonly length: number }[] = [];
      for (const { tenant, length } of beginnings) {
        now += 1;
        const key = `walk-${now}`;
        keep(tenant, key, { ids: idsOf(length) });
        begun.push({ tenant, length, key });
        if (!find(tenant, begun.at(-1)?.key ?? '')) throw new Error('a new walk is not kept');
      }
      let all = 0;
      for (const tenant of ['a', 'b', 'c']) {
        const own = begun.filter(one => one.tenant === tenant);
        const kept = own.filter(({ key }) => find(tenant, key));
        const ids = kept.reduce((sum, { length }) => sum + length, 0);
        all += ids;
        if (ids > 200_000) throw new Error(`${tenant} keeps ${ids} ids`);
        if (kept.some(({ key }) => find(`${tenant}2`, key))) throw new Error('another tenant finds a walk');
        // Without other tenants that fill the memory, the newest are kept.
        if (own.slice(own.length - kept.length).some(one => !kept.includes(one)))
          throw new Error('an older walk was kept instead of a newer one');
      }
      if (all > 1_000_000) throw new Error(`${all} ids`);
      now += 16 * 60_000;
      if (begun.some(({ tenant, key }) => find(tenant, key))) throw new Error('a walk is kept too long');
    }),
    { seed, numRuns: 50 },
  );
  t.end();
});

t.test('a list that is too long to be kept has a first page, and says why it has no second one', async t => {
  const kept = walks({ elapsedMs: () => 1 });
  const parts = { walks: kept, yieldToEventLoop: () => undefined };
  const page = (count: number, cursor?: string) => {
    const query = cursor === undefined ? {} : { cursor };
    const actor = { subject: 'tester', tenant: 'default', scopes: new Set<string>(), exp: 0 };
    const list = {
      name: 'sources',
      ids: () => idsOf(count),
      fitting: (ids: readonly number[]) => new Set(ids),
    };
    return walkedPage(parts, { actor, query }, list, 3);
  };
  for (const [count, code] of [
    [100_000, undefined],
    [100_001, 'listTooLong'],
  ] as const) {
    const first = await page(count);
    t.strictSame(first.ids, [0, 1, 2]);
    const second = page(count, first.nextCursor);
    if (code === undefined) t.strictSame((await second).ids, [3, 4, 5]);
    else await t.rejects(second, { code, status: 422 });
  }
});

t.test(
  'an answer about points reads as many alerts of its events as it lists, and counts the others',
  async t => {
    let [read, turns] = [0, 0];
    const standing = Array.from({ length: 31 }, (_, index) => `1-${index}`);
    const one = (id: string) => {
      read += 1;
      const end = performance.now() + 0.1;
      while (performance.now() < end);
      return { id };
    };
    const causedBy = (_cause: string, _type: string, limit: number) => {
      const first = standing.slice(0, limit).map(one);
      return { first, count: standing.length };
    };
    const models = {
      planning: { modelNames: () => new Map(), checks: () => undefined },
      sources: { setup: () => undefined },
      days: { checkedDays: () => [{ standing }] },
      alerts: { one, causedBy },
    };
    const causes = Array.from({ length: 200 }, (_, index) => `cause ${index}`);
    const stored = { id: 'i', points: 0, dates: [], repeated: 0, warnings: [], causes, checked: true };
    const service = { models, now: () => '2024-02-10T00:00:00Z' } as unknown as Service;
    const place = { sourceId: 1, clock: clockOf('UTC')! };
    let isMade = false;
    const count = (): void => {
      turns += 1;
      if (!isMade) setImmediate(count);
    };
    setImmediate(count);
    const { alerts } = await pointsVerdict(service, place, stored, { lines: 0, notes: [] });
    isMade = true;
    t.equal(alerts.raised.length, 1000);
    t.equal(alerts.unchanged.length, 1000);
    t.equal(alerts.counts.raised, 200 * 31);
    t.equal(alerts.counts.unchanged, 200 * 31);
    t.equal(read, 5 * 1000);
    t.ok(turns > 10, `${turns} turns`);
  },
);
