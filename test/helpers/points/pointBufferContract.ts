import fc from '../property.js';
import type { Test } from 'tap';
import { givenUp, type BufferedPoint, type PointBuffer } from '../../../application/ports/pointBuffer.js';
import { amount } from '../amount.js';
import { testOfFile } from '../inTurn.js';

/** A point of the buffer. */
export const point = (at: number, value: number, base = -1): BufferedPoint => ({ at, value, base });

type Options = { readonly skip?: string | false; readonly runs?: number };

/**
 * Contract of every buffer of points.
 * @param open opens an empty buffer, which ends with the test
 */
export const pointBufferContract = (
  name: string,
  open: (t: Test) => Promise<PointBuffer>,
  { skip = false, runs = amount({ quick: 50, slow: 1000 }) }: Options = {},
): void => {
  const t = testOfFile();
  t.test(`${name}: a point is known by its instant: repeats change nothing`, { skip }, async t => {
    const buffer = await open(t);
    const add = (...points: readonly BufferedPoint[]) => buffer.add({ sourceId: 1, by: 'anna', points });
    t.equal(await add(point(20, 2), point(10, 1)), 0);
    t.equal(await add(point(10, 1), point(20, 3)), 1);
    t.strictSame(await buffer.waiting(1, 10), [point(10, 1), point(20, 3)]);
    await buffer.stored(1, [point(10, 1), point(20, 2)]);
    t.strictSame(await buffer.waiting(1, 10), [point(20, 3)], 'a correction that came meanwhile waits');
    t.equal(await add(point(10, 1)), 1, 'a repeat of a stored point waits no more');
    t.equal(await add(point(10, 1, 4)), 0, 'but after the day was replaced it counts again');
    t.strictSame(await buffer.waiting(1, 1), [point(10, 1, 4)]);
    t.strictSame(await buffer.waiting(1, 10, 20), [point(10, 1, 4)], 'only those before an instant');
    t.strictSame(await buffer.between(1, 10, 20), [point(10, 1, 4)]);
    t.strictSame(await buffer.between(1, 10, 21), [point(10, 1, 4), point(20, 3)]);
    t.strictSame(await buffer.between(1, 10, 21, 1), [point(10, 1, 4)], 'the first ones up to a limit');
    t.strictSame(await buffer.lastBefore(1, 20), point(10, 1, 4));
    t.equal(await buffer.writer(1), 'anna');
    t.strictSame(await buffer.sourcesWaiting(), [1]);
    await buffer.stored(1, await buffer.waiting(1, 10));
    t.strictSame(await buffer.sourcesWaiting(), []);
    await buffer.forget(1, 100);
    t.strictSame(await buffer.between(1, 0, 100), [point(20, 3)], 'the last point stays');
  });

  t.test(
    `${name}: points that were given up are before every base, and wait when they are sent again`,
    { skip },
    async t => {
      const buffer = await open(t);
      const add = (...points: readonly BufferedPoint[]) => buffer.add({ sourceId: 1, by: 'anna', points });
      await add(point(10, 1), point(20, 2), point(30, 3));
      await buffer.stored(1, [point(30, 3)]);
      await buffer.giveUp(1, [point(10, 1), point(20, 5), point(30, 3)]);
      const known = [point(10, 1, givenUp), point(20, 2), point(30, 3, givenUp)];
      t.strictSame(await buffer.between(1, 0, 100), known);
      t.strictSame(await buffer.waiting(1, 10), [point(20, 2)], 'a correction that came meanwhile waits');
      t.equal(await buffer.writer(1), 'anna');
      t.equal(await add(point(10, 1)), 0);
      t.strictSame(await buffer.waiting(1, 10), [point(10, 1), point(20, 2)]);
    },
  );

  t.test(`${name}: sources have points of their own; one without points has none`, { skip }, async t => {
    const buffer = await open(t);
    await Promise.all(
      [3, 1, 2].map(sourceId => buffer.add({ sourceId, by: `by ${sourceId}`, points: [point(sourceId, 5)] })),
    );
    t.strictSame(await buffer.sourcesWaiting(), [1, 2, 3]);
    t.strictSame(await buffer.waiting(2, 10), [point(2, 5)]);
    t.equal(await buffer.writer(3), 'by 3');
    t.strictSame(await buffer.waiting(4, 10), []);
    t.equal(await buffer.lastBefore(4, 10), undefined);
    t.equal(await buffer.writer(4), undefined);
    await buffer.stored(4, [point(1, 1)]);
    await buffer.forget(4, 100);
  });

  t.test(`${name}: a large batch comes whole, whatever its order`, { skip }, async t => {
    const buffer = await open(t);
    const count = 40_000;
    const value = (n: number) => -Number.MAX_VALUE / (n + 3);
    const at = (n: number) => 1_772_000_000_000_000 + n;
    const points = Array.from({ length: count }, (_, n) => {
      const index = (n * 7919) % count;
      return point(at(index), value(index), 1_000_000);
    });
    t.equal(await buffer.add({ sourceId: 1, by: 'anna', points }), 0);
    t.equal(await buffer.add({ sourceId: 1, by: 'anna', points }), count);
    const all = await buffer.waiting(1, count + 1);
    t.equal(all.length, count);
    t.ok(all.every((one, n) => one.at === at(n) && one.value === value(n) && one.base === 1_000_000));
    t.strictSame(await buffer.waiting(1, 5000, at(6000)), all.slice(0, 5000));
    t.strictSame(await buffer.between(1, at(10), at(5010)), all.slice(10, 5010));
    const [first, ...others] = all;
    const late = others.splice(20_000, 1);
    await buffer.stored(1, others);
    t.strictSame(await buffer.waiting(1, 3), [first, ...late]);
    await buffer.forget(1, at(30_000));
    const kept = await buffer.between(1, 0, Infinity);
    t.strictSame(kept.slice(0, 3), [first, ...late, all[30_000]], 'points that wait are not forgotten');
    t.equal(kept.length, 10_002);
  });

  t.test(`${name}: points are the last ones of each instant, whatever the batches`, { skip }, async () => {
    const sent = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3 }), fc.boolean()),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(sent, async points => {
        const buffer = await open(t);
        const known = new Map<number, number>();
        for (const [at, value, stores] of points) {
          await buffer.add({ sourceId: 1, by: 'anna', points: [point(at, value)] });
          known.set(at, value);
          if (stores) await buffer.stored(1, await buffer.waiting(1, 2));
        }
        const all = await buffer.between(1, 0, 21);
        const expected = [...known].sort(([one], [other]) => one - other);
        return JSON.stringify(all.map(({ at, value }) => [at, value])) === JSON.stringify(expected);
      }),
      { numRuns: runs },
    );
  });
};
