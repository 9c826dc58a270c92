import t, { type Test } from 'tap';
import { openLog } from '../../adapters/composition/openLog.js';
import { system } from '../../adapters/environment.js';
import { pointStreams } from '../../adapters/points/pointStreams.js';
import type { SourceStreamParts } from '../../adapters/points/sourceStream.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb/eventStoreDb.js';
import { point } from '../helpers/points/pointBufferContract.js';
import { sharedMemory } from '../helpers/points/sharedMemory.js';

// Points of several instances on one event store.

const hourMs = 3_600_000;
/** An environment whose clock a test moves. */
const movedClock = () => {
  const clock = { nowMs: 1_772_000_000_000 };
  return { clock, environment: { ...system, nowMs: () => clock.nowMs } };
};

const shares = (name: string, open: (t: Test) => Promise<SourceStreamParts>, skip: string | false): void => {
  t.test(`${name}: instances agree on points, marks and sources`, { skip }, async t => {
    const parts = await open(t);
    const [one, other] = [pointStreams(parts), pointStreams(parts)];
    t.equal(await one.add({ sourceId: 1, by: 'anna', points: [point(10, 1), point(20, 2)] }), 0);
    t.equal(await other.add({ sourceId: 1, by: 'ben', points: [point(20, 2), point(15, 4)] }), 1);
    t.equal(await one.add({ sourceId: 1, by: 'anna', points: [point(15, 4)] }), 1, 'a repeat of the other');
    t.strictSame(await one.waiting(1, 9), [point(10, 1), point(15, 4), point(20, 2)]);
    await other.stored(1, [point(10, 1), point(15, 4)]);
    t.strictSame(await one.waiting(1, 9), [point(20, 2)]);
    t.equal(await other.add({ sourceId: 1, by: 'ben', points: [point(15, 5)] }), 0, 'a correction');
    t.equal(await one.add({ sourceId: 1, by: 'anna', points: [point(15, 4)] }), 0, 'its correction');
    t.strictSame(await other.between(1, 0, 99), [point(10, 1), point(15, 4), point(20, 2)]);
    t.equal(await other.writer(1), 'anna');
    t.strictSame(await pointStreams(parts).sourcesWaiting(), [1], 'an instance that is new finds them');
  });

  t.test(`${name}: points that come at the same time are all there, each once`, { skip }, async t => {
    const parts = await open(t);
    const all = [pointStreams(parts), pointStreams(parts), pointStreams(parts)];
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    const repeated = await Promise.all(
      numbers.flatMap(n => all.map(one => one.add({ sourceId: 7, by: 'anna', points: [point(n, n)] }))),
    );
    t.equal(
      repeated.reduce((sum, count) => sum + count, 0),
      60,
    );
    for (const one of all)
      t.strictSame(
        await one.between(7, 0, 99),
        numbers.map(n => point(n, n)),
      );
  });
};

shares('memory', async () => ({ ...sharedMemory(), environment: system }), false);
shares(
  'eventstoredb',
  async t => {
    const log = await openLog(newAddress());
    t.teardown(log.close);
    return { store: log, truncate: log.shared!.truncate, environment: system };
  },
  withoutEventStoreDb,
);

/** Sends points of one source for some days, one slice in a batch, each stored and forgotten after two days. */
const feed = async (parts: SourceStreamParts, batches: number, size: number): Promise<void> => {
  const buffer = pointStreams(parts);
  for (let n = 0; n < batches; n += 1) {
    const points = Array.from({ length: size }, (_, index) => point(n * size + index, n));
    await buffer.add({ sourceId: 1, by: 'anna', points });
    await buffer.stored(1, points.slice(0, -1));
    await buffer.forget(1, (n - 3) * size);
  }
};

const keepsBounded = async (t: Test, parts: SourceStreamParts): Promise<void> => {
  await feed(parts, 40, 1000);
  let events = 0;
  for await (const _ of parts.store.read('points-1')) events += 1;
  t.ok(events < 40, `${events} of 80 events`);
  const fresh = pointStreams(parts);
  t.strictSame((await fresh.waiting(1, 99)).length, 40, 'points that wait stay, whatever their age');
  t.equal((await fresh.between(1, 37_000, 40_000)).length, 3000);
  t.strictSame(await fresh.lastBefore(1, 1e9), point(39_999, 39));
  t.equal(await fresh.writer(1), 'anna');
};

t.test('a stream is compacted when most of it is forgotten', async t => {
  await keepsBounded(t, { ...sharedMemory(), environment: system });
});
t.test('eventstoredb: a stream is compacted', { skip: withoutEventStoreDb }, async t => {
  const log = await openLog(newAddress());
  t.teardown(log.close);
  await keepsBounded(t, { store: log, truncate: log.shared!.truncate, environment: system });
});

t.test('a batch of several events counts when it is whole', async t => {
  const memory = sharedMemory();
  const parts = { ...memory, environment: system };
  let left = 3;
  const dying = {
    ...parts,
    store: {
      ...memory.store,
      append: ((stream, expected, events) => {
        left -= 1;
        if (left < 0) return Promise.reject(new Error('the instance has ended'));
        return memory.store.append(stream, expected, events);
      }) as typeof memory.store.append,
    },
  };
  const points = Array.from({ length: 40_000 }, (_, n) => point(n, 1));
  // The list of sources, and two events of three.
  await t.rejects(pointStreams(dying).add({ sourceId: 1, by: 'anna', points }), { message: /has ended/ });
  const other = pointStreams(parts);
  t.strictSame(await other.waiting(1, 9), []);
  t.strictSame(await other.sourcesWaiting(), []);
  t.equal(await other.add({ sourceId: 1, by: 'ben', points: points.slice(0, 2) }), 0);
  t.strictSame(await other.waiting(1, 9), points.slice(0, 2), 'the rest of the first batch never counts');
});

t.test('a source of which nothing waits leaves the list, and comes back with its next point', async t => {
  const memory = sharedMemory();
  const { clock, environment } = movedClock();
  const parts = { ...memory, environment };
  const [one, other] = [pointStreams(parts), pointStreams(parts)];
  await one.add({ sourceId: 1, by: 'anna', points: [point(1, 1)] });
  await one.stored(1, [point(1, 1)]);
  t.strictSame(await other.sourcesWaiting(), []);
  t.equal(await memory.count('points-1'), 2, 'not at once: the next point may come soon');
  clock.nowMs += hourMs + 1;
  t.strictSame(await other.sourcesWaiting(), []);
  t.equal(await memory.count('points-1'), 3);
  const listed = await memory.count('points-waiting');
  t.strictSame(await other.sourcesWaiting(), []);
  t.equal(await memory.count('points-waiting'), listed, 'the source is not read again');
  await one.add({ sourceId: 1, by: 'anna', points: [point(2, 2)] });
  t.strictSame(await other.sourcesWaiting(), [1]);
});

t.test('an instance that ends between two appends leaves no source that cannot be found', async t => {
  // The order of appends: list, points; later settled, off the list.
  for (let survived = 0; survived < 8; survived += 1) {
    const memory = sharedMemory();
    const { clock, environment } = movedClock();
    const parts = { ...memory, environment };
    let left = survived;
    const append: typeof memory.store.append = (stream, expected, events) => {
      left -= 1;
      if (left < 0) return Promise.reject(new Error('the instance has ended'));
      return memory.store.append(stream, expected, events);
    };
    const dying = pointStreams({ ...parts, store: { ...memory.store, append } });
    let acknowledged: number[] = [];
    const step = async (at: number): Promise<void> => {
      await dying.add({ sourceId: 1, by: 'anna', points: [point(at, 1)] });
      acknowledged = [...acknowledged, at];
    };
    const run = async (): Promise<void> => {
      await step(1);
      await dying.stored(1, [point(1, 1)]);
      clock.nowMs += hourMs + 1;
      await dying.sourcesWaiting();
      await step(2);
    };
    await run().catch(() => {});
    const other = pointStreams(parts);
    t.strictSame(
      (await other.between(1, 0, 9)).map(({ at }) => at),
      acknowledged,
      `after ${survived} appends`,
    );
    const waits = (await other.waiting(1, 9)).length > 0;
    t.strictSame(await other.sourcesWaiting(), waits ? [1] : [], `listed after ${survived} appends`);
    await other.add({ sourceId: 1, by: 'ben', points: [point(3, 1)] });
    t.strictSame(await pointStreams(parts).sourcesWaiting(), [1], `found again after ${survived} appends`);
  }
});

t.test('a point that comes while its source leaves the list is found', async t => {
  const memory = sharedMemory();
  const { clock, environment } = movedClock();
  const parts = { ...memory, environment };
  const one = pointStreams(parts);
  await one.add({ sourceId: 1, by: 'anna', points: [point(1, 1)] });
  await one.stored(1, [point(1, 1)]);
  clock.nowMs += hourMs + 1;
  let between = async (): Promise<void> => {};
  const append: typeof memory.store.append = async (stream, expected, events) => {
    const isRemoval = events.some(({ type }) => type === 'SourceSettled');
    if (isRemoval) await between();
    return memory.store.append(stream, expected, events);
  };
  between = async () => {
    between = async () => {};
    await one.add({ sourceId: 1, by: 'anna', points: [point(2, 2)] });
  };
  const slow = pointStreams({ ...parts, store: { ...memory.store, append } });
  await slow.sourcesWaiting();
  t.strictSame(await pointStreams(parts).sourcesWaiting(), [1]);
});
