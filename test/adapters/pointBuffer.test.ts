import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { openLog } from '../../adapters/composition/openLog.js';
import { system } from '../../adapters/environment.js';
import { Database } from '../../adapters/sqlite/driver.js';
import { pointFile } from '../../adapters/points/pointFile.js';
import { waitingPoints } from '../../adapters/points/pointStatements.js';
import { pointStreams } from '../../adapters/points/pointStreams.js';
import type { SourceStreamParts } from '../../adapters/points/sourceStream.js';
import { exactList } from '../helpers/exactList.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb/eventStoreDb.js';
import { point, pointBufferContract } from '../helpers/points/pointBufferContract.js';
import { sharedMemory } from '../helpers/points/sharedMemory.js';
import { turnsOf } from '../helpers/waits.js';

// The buffer of points: durable before the answer, each instant once.

const skip = withoutEventStoreDb;

pointBufferContract('file', async t => {
  const buffer = pointFile(':memory:');
  t.teardown(buffer.close);
  return buffer;
});
pointBufferContract('streams', async () => pointStreams({ ...sharedMemory(), environment: system }));

/** Streams of a new log on the server. */
const onServer = async (t: Test): Promise<SourceStreamParts> => {
  const log = await openLog(newAddress());
  t.teardown(log.close);
  return { store: log, truncate: log.shared!.truncate, environment: system };
};
pointBufferContract('eventstoredb', async t => pointStreams(await onServer(t)), { skip, runs: 3 });

t.test('file: points survive a restart; batches of one turn are stored whole', async t => {
  const file = join(t.testdir(), 'points.sqlite');
  const first = pointFile(file);
  await Promise.all(
    [1, 2, 3].map(sourceId => first.add({ sourceId, by: 'anna', points: [point(sourceId, 5)] })),
  );
  first.close();
  const second = pointFile(file);
  t.teardown(second.close);
  t.strictSame(await second.sourcesWaiting(), [1, 2, 3]);
});

t.test('file: a damaged file is replaced, and the log says what is lost', async t => {
  const file = join(t.testdir(), 'points.sqlite');
  writeFileSync(file, 'no database');
  const lines: string[] = [];
  const buffer = pointFile(file, pino({}, { write: (line: string) => void lines.push(line) }));
  t.teardown(buffer.close);
  t.match(lines.join(''), /points of the current slices are lost/);
  t.equal(await buffer.add({ sourceId: 1, by: 'anna', points: [point(1, 1)] }), 0);
});

/** A buffer of a closed file whose rows a statement changes, and what it logs. */
const changedBuffer = (t: Test, file: string, sql: string) => {
  const db = new Database(file);
  db.exec(sql);
  db.close();
  const lines: string[] = [];
  const buffer = pointFile(file, pino({}, { write: (line: string) => void lines.push(line) }));
  t.teardown(buffer.close);
  return { buffer, lines };
};

t.test('file: a damaged row is left out and named, and its point can be sent again', async t => {
  const file = join(t.testdir(), 'points.sqlite');
  const points = [1, 2, 3].map(at => point(at, 10 * at));
  for (const [sql, damaged] of [
    ['update points set value = value + 0.5 where at = 2', 2],
    ['update points set base = base + 1 where at = 3', 3],
    ['update points set sum = sum + 1 where at = 3', 3],
  ] as const) {
    const first = pointFile(file);
    await first.add({ sourceId: 1, by: 'anna', points });
    first.close();
    const { buffer, lines } = changedBuffer(t, file, sql);
    const sound = points.filter(({ at }) => at !== damaged);
    t.strictSame(await buffer.waiting(1, 10), sound, sql);
    t.match(lines, exactList(new RegExp(`"source":1,"at":${damaged},.*is damaged; it is left out`)));
    t.strictSame(await buffer.between(1, 0, 10), sound);
    t.strictSame(await buffer.lastBefore(1, 10), sound.at(-1));
    t.equal(await buffer.add({ sourceId: 1, by: 'anna', points }), 2);
    t.strictSame(await buffer.waiting(1, 10), points);
  }
  const { buffer } = changedBuffer(t, file, 'update points set value = 7 where at >= 2');
  t.strictSame(await buffer.lastBefore(1, 10), points[0], 'the last sound point');
});

for (const [name, sql] of [
  ['sums', 'alter table points drop column log_end; alter table points drop column sum; drop table log_end'],
  ['ends of the log', 'alter table points drop column log_end; drop table log_end'],
] as const)
  t.test(`file: points of an older version stay, without ${name}`, async t => {
    const file = join(t.testdir(), 'points.sqlite');
    const points = [1, 2, 3].map(at => point(at, 10 * at));
    const first = pointFile(file);
    await first.add({ sourceId: 1, by: 'anna', points });
    await first.stored(1, [points[0]!]);
    first.close();
    const { buffer, lines } = changedBuffer(t, file, sql);
    t.strictSame(await buffer.between(1, 0, 10), points);
    t.equal(await buffer.cutTo?.(0n, { hasSource: async () => true, hasDays: async () => true }), 0);
    const later = [...points, point(4, 40)];
    t.equal(await buffer.add({ sourceId: 1, by: 'anna', points: later }), 3);
    t.strictSame(await buffer.waiting(1, 10), later.slice(1));
    await buffer.stored(1, later);
    t.strictSame([await buffer.waiting(1, 10), lines], [[], []]);
  });

t.test(
  'file: points that a restored log lacks wait again, without those of a source that it lacks',
  async t => {
    const file = join(t.testdir(), 'points.sqlite');
    let end = 5n;
    const buffer = pointFile(file, undefined, () => end);
    t.teardown(buffer.close);
    const points = [1, 2, 3, 4].map(at => point(at, 10 * at));
    for (const sourceId of [1, -1, 2, -2]) await buffer.add({ sourceId, by: 'anna', points });
    await buffer.stored(1, points.slice(0, 1));
    end = 7n;
    await buffer.stored(1, points.slice(1, 2));
    await buffer.giveUp(1, points.slice(2, 3));
    await buffer.stored(-1, points);
    await buffer.stored(2, points);
    const asked: number[] = [];
    const hasSource = async (id: number) => {
      asked.push(id);
      return id === 1;
    };
    const log = { hasSource, hasDays: async () => false };
    t.equal(await buffer.cutTo?.(7n, log), 0, 'the log is whole');
    t.strictSame(asked, []);
    t.equal(await buffer.cutTo?.(6n, log), 5);
    t.strictSame(
      await buffer.waiting(1, 10),
      [points[1], points[3]],
      'neither the first nor the given up one',
    );
    t.strictSame(await buffer.waiting(-1, 10), points);
    t.strictSame(await buffer.sourcesWaiting(), [-1, 1]);
    t.strictSame([await buffer.between(2, 0, 10), await buffer.between(-2, 0, 10)], [[], []]);
    t.equal(await buffer.cutTo?.(6n, log), 0, 'once');
  },
);

t.test('file: after a restore, points lose bases and sources that came after the backup', async t => {
  let end = 5n;
  const buffer = pointFile(join(t.testdir(), 'points.sqlite'), undefined, () => end);
  t.teardown(buffer.close);
  const based = [-1, 3, 20, 40].map((base, at) => ({ ...point(at, 10 * at), base }));
  await buffer.add({ sourceId: 1, by: 'anna', points: based });
  end = 9n;
  for (const sourceId of [2, 3]) await buffer.add({ sourceId, by: 'anna', points: based });
  const asked: number[] = [];
  const hasDays = async (id: number, revision: number) => {
    asked.push(revision);
    return id === 1 && revision <= 17;
  };
  t.equal(await buffer.cutTo?.(7n, { hasSource: async id => id !== 2, hasDays }), 0);
  t.strictSame(
    await buffer.waiting(1, 10),
    based.map(one => ({ ...one, base: Math.min(17, one.base) })),
    'the last revision of the restored log, so that a later import of the day counts',
  );
  t.ok(asked.length < 12, 'without reading the stream');
  t.strictSame(
    (await buffer.waiting(3, 10)).map(({ base }) => base),
    [-1, -1, -1, -1],
    'a source without whole days keeps its points',
  );
  t.strictSame(await buffer.sourcesWaiting(), [1, 3], 'although nothing was marked since');
});

t.test('file: many points are read, marked and forgotten in turns of the event loop', async t => {
  const buffer = pointFile(':memory:');
  t.teardown(buffer.close);
  const points = Array.from({ length: 20_000 }, (_, index) => point(index, index));
  await buffer.add({ sourceId: 1, by: 'anna', points });
  const counts = [
    await turnsOf(() => buffer.waiting(1, 50_000)),
    await turnsOf(() => buffer.between(1, 0, 20_000)),
    await turnsOf(() => buffer.stored(1, points)),
    await turnsOf(() => buffer.forget(1, 20_000)),
  ];
  t.ok(
    counts.every(count => count >= 9),
    `turns: ${counts.join(', ')}`,
  );
});

t.test('file: points that wait are found without reading the others', async t => {
  const file = join(t.testdir(), 'points.sqlite');
  pointFile(file).close();
  const db = new Database(file);
  t.teardown(() => db.close());
  const plan = db
    .prepare<[object], { detail: string }>(`explain query plan ${waitingPoints}`)
    .all({ id: 1, from: 0, to: 9, limit: 9 });
  t.strictSame(
    plan.map(({ detail }) => detail),
    ['SEARCH points USING INDEX points_waiting (source_id=? AND at>? AND at<?)'],
  );
});

t.test('file: points whose log cannot be flushed are in the database before the answer', async t => {
  const folder = t.testdir();
  const file = join(folder, 'points.sqlite');
  const buffer = pointFile(file);
  t.teardown(buffer.close);
  // The open file of SQLite stays; the flush finds a folder.
  rmSync(`${file}-wal`);
  mkdirSync(`${file}-wal`);
  const points = Array.from({ length: 600 }, (_, index) => point(index, index));
  await Promise.all(points.map(one => buffer.add({ sourceId: 1, by: 'anna', points: [one] })));
  copyFileSync(file, join(folder, 'copy.sqlite'));
  const copy = pointFile(join(folder, 'copy.sqlite'));
  t.teardown(copy.close);
  t.equal((await copy.waiting(1, 1000)).length, 600, 'commits of several turns');
});
