import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import t from 'tap';
import { pointFile } from '../../adapters/points/pointFile.js';
import { amount } from '../helpers/amount.js';

// The buffer of points: durable before the answer, each instant once.

const point = (at: number, value: number, base = -1) => ({ at, value, base });

t.test('a point is known by its instant: repeats change nothing, corrections replace', async t => {
  const buffer = pointFile(':memory:');
  t.teardown(buffer.close);
  const add = (...points: readonly ReturnType<typeof point>[]) =>
    buffer.add({ sourceId: 1, by: 'anna', points });
  t.equal(await add(point(20, 2), point(10, 1)), 0);
  t.equal(await add(point(10, 1), point(20, 3)), 1);
  t.strictSame(await buffer.waiting(1, 10), [point(10, 1), point(20, 3)]);
  await buffer.stored(1, [point(10, 1), point(20, 2)]);
  t.strictSame(await buffer.waiting(1, 10), [point(20, 3)], 'a correction that came meanwhile waits');
  t.equal(await add(point(10, 1)), 1, 'a repeat of a stored point waits no more');
  t.equal(await add(point(10, 1, 4)), 0, 'but after the day was replaced it counts again');
  t.strictSame(await buffer.waiting(1, 1), [point(10, 1, 4)]);
  t.strictSame(await buffer.between(1, 10, 20), [point(10, 1, 4)]);
  t.strictSame(await buffer.lastBefore(1, 20), point(10, 1, 4));
  t.equal(await buffer.writer(1), 'anna');
  t.strictSame(await buffer.sourcesWaiting(), [1]);
  await buffer.stored(1, await buffer.waiting(1, 10));
  await buffer.forget(1, 100);
  t.strictSame(await buffer.between(1, 0, 100), [point(20, 3)], 'the last point stays');
});

t.test('points survive a restart; batches of one turn are stored whole', async t => {
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

t.test('a damaged file is replaced, and the log says what is lost', async t => {
  const file = join(t.testdir(), 'points.sqlite');
  writeFileSync(file, 'no database');
  const lines: string[] = [];
  const buffer = pointFile(file, pino({}, { write: (line: string) => void lines.push(line) }));
  t.teardown(buffer.close);
  t.match(lines.join(''), /points of the current slices are lost/);
  t.equal(await buffer.add({ sourceId: 1, by: 'anna', points: [point(1, 1)] }), 0);
});

t.test('the points of a source are the last ones of each instant, whatever the batches', async () => {
  const sent = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3 }), fc.boolean()),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(sent, async points => {
      const buffer = pointFile(':memory:');
      const known = new Map<number, number>();
      for (const [at, value, stores] of points) {
        await buffer.add({ sourceId: 1, by: 'anna', points: [point(at, value)] });
        known.set(at, value);
        if (stores) await buffer.stored(1, await buffer.waiting(1, 2));
      }
      const all = await buffer.between(1, 0, 21);
      buffer.close();
      const expected = [...known].sort(([one], [other]) => one - other);
      return JSON.stringify(all.map(({ at, value }) => [at, value])) === JSON.stringify(expected);
    }),
    { numRuns: amount({ quick: 50, slow: 1000 }) },
  );
});
