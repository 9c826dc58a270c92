import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pointStreams } from '../../../adapters/points/pointStreams.js';
import type { PointBuffer } from '../../../application/ports/pointBuffer.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { newAddress, withoutEventStoreDb } from '../../helpers/eventStoreDb/eventStoreDb.js';
import { sharedMemory } from '../../helpers/points/sharedMemory.js';
import { eventually } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// Instances that share a log and the points before it store the same slices as one instance.

const pool = sharedAnalyst();

type Point = readonly [at: string, value: number];
type Stored = { readonly day: { readonly activity: readonly number[] } | null };
type Instance = Awaited<ReturnType<typeof serviceBy>>;

const date = '2024-03-06';
const on = (time: string): string => `${date}T${time}:00Z`;
const secret = { JWT_SECRET: 'a secret that all instances know, of 32 bytes' };

type Around = (points: PointBuffer, index: number) => PointBuffer;

/** Opens instances on one store in memory. */
const inMemory =
  (around: Around = points => points) =>
  async (t: Test, clock: ReturnType<typeof drivenClock>, count: number): Promise<Instance[]> => {
    const memory = sharedMemory();
    const instances: Instance[] = [];
    for (let index = 0; index < count; index += 1) {
      const points = pointStreams({ ...memory, environment: clock.environment });
      instances.push(
        await serviceBy(t, clock, pool, {
          env: secret,
          share: stores => ({ ...stores, log: memory.log, points: around(points, index) }),
        }),
      );
    }
    return instances;
  };

/** Opens instances on one log of the server. */
const onServer = async (
  t: Test,
  clock: ReturnType<typeof drivenClock>,
  count: number,
): Promise<Instance[]> => {
  const { url, prefix } = newAddress();
  const folder = mkdtempSync(join(tmpdir(), 'daybook-points-'));
  // Registered before the services: teardowns run in reverse order.
  t.teardown(() => rmSync(folder, { recursive: true }));
  const instances: Instance[] = [];
  for (let index = 0; index < count; index += 1) {
    const env = {
      ...secret,
      DATA_DIR: join(folder, String(index)),
      EVENT_STORE: 'eventstoredb',
      EVENTSTOREDB_URL: url,
      EVENTSTOREDB_PREFIX: prefix,
    };
    instances.push(await serviceBy(t, clock, pool, { env }));
  }
  return instances;
};

const send = (instance: Instance | undefined, sourceId: number, ...points: readonly Point[]) =>
  instance!.ask<{ readonly import: { readonly duplicates: number } }>('POST', '/v1/import/points', {
    sourceId,
    points: points.map(([at, value]) => ({ at: on(at), value })),
  });

/** Data of the events of points, in the order of the log. */
const imported = async ({ events }: Instance): Promise<readonly unknown[]> =>
  (await events()).filter(({ type }) => type === 'PointsImported').map(({ data }) => data);

/** Sends a morning of points, through each instance in turn, and repeats it through the others at the same time. */
const morning = async (t: Test, count: number, open: ReturnType<typeof inMemory>) => {
  const clock = drivenClock(on('00:00'));
  const instances = await open(t, clock, count);
  const sourceId = await instances[0]!.create('Gate');
  let turn = 0;
  const step = async (...points: readonly Point[]): Promise<number> => {
    turn += 1;
    const order = instances.map((_, index) => instances[(index + turn) % count]);
    const answers = await Promise.all(order.map(instance => send(instance, sourceId, ...points)));
    return answers.reduce((sum, answer) => sum + answer.import.duplicates, 0);
  };
  await clock.goTo(on('02:30'));
  const repeats = [
    await step(['00:40', 12], ['00:10', 18]),
    await step(['00:25', 30]),
    await step(['01:05', 20], ['00:25', 30]),
  ];
  await clock.goTo(on('03:40'));
  repeats.push(await step(['03:30', 20]), await step(['03:35', 22], ['02:50', 8]));
  let seconds = 10;
  await eventually('the slice that the clock ends', async () => {
    await clock.goTo(`${date}T04:40:${(seconds += 1)}Z`);
    return (await imported(instances[0]!)).length >= 3 ? true : undefined;
  });
  await step(['04:39', 9]);
  const last = instances.at(-1)!;
  const { day } = await last.ask<Stored>('GET', `/v1/day/${sourceId}/${date}`);
  return { repeats, values: day?.activity.slice(0, 4), stored: await imported(last) };
};

const sameAsOne = async (t: Test, open: ReturnType<typeof inMemory>): Promise<void> => {
  const [one, two] = [await morning(t, 1, open), await morning(t, 2, open)];
  t.strictSame(one.values, [20, 20, 8, 21]);
  t.strictSame(one.repeats, [0, 0, 1, 0, 0]);
  t.strictSame(two.repeats, [2, 1, 3, 1, 2], 'a point counts once, through whichever instance it comes');
  t.strictSame(two.values, one.values);
  t.strictSame(two.stored, one.stored, 'the same events');
};

t.test('two instances store the same slices as one', t => sameAsOne(t, inMemory()));
t.test('eventstoredb: two instances store the same slices as one', { skip: withoutEventStoreDb }, t =>
  sameAsOne(t, onServer),
);

/**
 * Sends late readings of a register, each through the next instance: they join earlier ones, which wait in the stream
 * `points--<id>`. Then the same for the mean of a slice, which each body replaces.
 */
const late = async (t: Test, count: number, open: ReturnType<typeof inMemory>) => {
  const clock = drivenClock(on('12:00'));
  const instances = await open(t, clock, count);
  let minutes = 0;
  const create = async (aggregation: string): Promise<number> => {
    const given = { name: aggregation, activitySize: 24, aggregation, interpolationMethod: 'zero' };
    const { id } = await instances[0]!.ask<{ id: number }>('POST', '/v1/source', given);
    for (const { send } of instances)
      await eventually('the source', async () => {
        // Instances in memory look for events of others by the clock.
        await clock.goTo(new Date(Date.parse(on('12:00')) + (minutes += 1) * 60_000).toISOString());
        const { status } = await send('GET', `/v1/source/${id}`);
        return status === 200 ? true : undefined;
      });
    return id;
  };
  const [register, mean] = [await create('counter'), await create('mean')];
  let turn = 0;
  const sendLate = async (sourceId: number, ...points: readonly Point[]): Promise<readonly string[]> => {
    type Answer = { readonly import: { readonly warnings: readonly { readonly code: string }[] } };
    const answer = await instances[(turn += 1) % count]!.ask<Answer>('POST', '/v1/import/points', {
      sourceId,
      points: points.map(([time, value]) => ({ at: `2024-02-10T${time}:00Z`, value })),
    });
    return answer.import.warnings.map(({ code }) => code);
  };
  const slices = async (sourceId: number, from: number, to: number) => {
    const { day } = await instances[turn % count]!.ask<Stored>('GET', `/v1/day/${sourceId}/2024-02-10`);
    return day?.activity.slice(from, to);
  };
  const warned = [
    await sendLate(register, ['07:00', 1008]),
    await sendLate(register, ['09:00', 1025]),
    await sendLate(register, ['06:00', 1000]),
    await sendLate(register, ['08:00', 1020]),
  ];
  const joined = await slices(register, 6, 9);
  warned.push(await sendLate(register, ['07:00', 1010]));
  const corrected = await slices(register, 6, 9);
  warned.push(await sendLate(mean, ['08:05', 100], ['08:10', 300]), await sendLate(mean, ['08:30', 50]));
  return { warned, joined, corrected, replaced: await slices(mean, 8, 9) };
};

const lateAsOne = async (t: Test, open: ReturnType<typeof inMemory>): Promise<void> => {
  for (const count of [1, 2])
    t.strictSame(
      await late(t, count, open),
      {
        warned: Array.from({ length: 7 }, () => ['latePoint']),
        joined: [8, 12, 5],
        corrected: [10, 10, 5],
        replaced: [50],
      },
      `${count} instances`,
    );
};

t.test('late readings join those that came through another instance', t => lateAsOne(t, inMemory()));
t.test(
  'eventstoredb: late readings join those that came through another instance',
  { skip: withoutEventStoreDb },
  t => lateAsOne(t, onServer),
);

t.test('points of an instance that is stopped are stored by another one', async t => {
  const clock = drivenClock(on('00:00'));
  const [one, other] = await inMemory()(t, clock, 2);
  const sourceId = await one!.create('Gate');
  await clock.goTo(on('00:50'));
  await send(one, sourceId, ['00:40', 12]);
  await one!.restart(async () => {
    await clock.goTo(on('02:00'));
    await eventually('the slice', async () => ((await imported(other!)).length > 0 ? true : undefined));
    const { day } = await other!.ask<Stored>('GET', `/v1/day/${sourceId}/${date}`);
    t.equal(day?.activity[0], 12);
  });
});

t.test('a slower instance does not replace a slice by the value that it had before', async t => {
  let release: (() => void) | undefined;
  let holds = true;
  const slow: Around = (points, index) =>
    index === 0
      ? points
      : {
          ...points,
          between: async (...asked) => {
            const found = await points.between(...asked);
            if (holds) await new Promise<void>(resolve => (release = resolve));
            return found;
          },
        };
  const clock = drivenClock(on('00:00'));
  const [one, other] = await inMemory(slow)(t, clock, 2);
  const sourceId = await one!.create('Gate');
  await clock.goTo(on('00:59'));
  await send(one, sourceId, ['00:10', 18]);
  await clock.goTo(on('01:06'));
  // Given: the second instance has read the points of the slice, and not stored it.
  const late = send(other, sourceId, ['01:05', 20]);
  const resume = await eventually('the read', () => release);
  holds = false;
  // When: another point of the slice comes, which the first instance stores.
  await send(one, sourceId, ['00:40', 12]);
  t.equal((await imported(one!)).length, 1);
  resume();
  await late;
  // Then: the slice keeps the mean of both.
  const { day } = await other!.ask<Stored>('GET', `/v1/day/${sourceId}/${date}`);
  t.equal(day?.activity[0], 15);
  t.equal((await imported(one!)).length, 1);
});
