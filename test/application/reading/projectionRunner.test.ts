import { system } from '../../../adapters/environment.js';
import { setImmediate as yieldToEventLoop, setTimeout as after } from 'node:timers/promises';
import fc from '../../helpers/property.js';
import t from 'tap';
import { eventHash } from '../../../auditing/eventBytes.js';
import { LogDamaged, StoreUnavailable, type EventStore } from '../../../application/ports/eventStore.js';
import {
  projectionRunner,
  type ProjectionRunner,
  type ProjectionRunnerParts,
} from '../../../application/reading/projectionRunner.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import type { KnownEvent } from '../../../domain/events.js';
import { id } from '../../helpers/data/samples.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import { exactList } from '../../helpers/exactList.js';

/** A log with one stream; `more` appends the next events. */
const growing = () => {
  const store = memoryStore();
  let count = 0;
  return {
    store,
    count: () => count,
    append: async (events: number, type?: string): Promise<void> => {
      for (let n = 0; n < events; n += 1) {
        const data = { sourceId: count, requestId: id(count) };
        await store.append('catalog', count === 0 ? 'absent' : count - 1, [proposed(count, data, type)]);
        count += 1;
      }
    },
  };
};

type Reached = { readonly position: bigint; readonly eventId: string };

/** A projection runner that records the positions of applied events. */
const recordingRunner = (
  store: EventStore,
  rest: Partial<ProjectionRunnerParts> = {},
  begin = 0n,
): {
  readonly runner: ProjectionRunner;
  readonly applied: number[];
  readonly batches: [number, Reached][];
  readonly faults: unknown[];
} => {
  const applied: number[] = [];
  const batches: [number, Reached][] = [];
  const faults: unknown[] = [];
  let reached = begin;
  const runner = projectionRunner({
    store,
    after: () => reached,
    fault: error => faults.push(error),
    environment: system,
    ...rest,
    apply: async (events, through, stored) => {
      await rest.apply?.(events, through, stored);
      reached = through.position;
      applied.push(...events.map(event => Number(event.position)));
      batches.push([events.length, { position: through.position, eventId: through.id }]);
    },
  });
  return { runner, applied, batches, faults };
};

const upTo = (end: number, from = 1): number[] => Array.from({ length: end - from + 1 }, (_, n) => from + n);

t.test('projection runner: applies all events in order, in batches of 200', async t => {
  const log = growing();
  await log.append(450);
  const { runner, applied, batches } = recordingRunner(log.store);
  await runner.catchUp();
  t.strictSame(applied, upTo(450));
  t.strictSame(batches, [
    [200, { position: 200n, eventId: id(199) }],
    [200, { position: 400n, eventId: id(399) }],
    [50, { position: 450n, eventId: id(449) }],
  ]);
  await log.append(1);
  await runner.catchUp();
  t.strictSame(applied, upTo(451), 'new events after the batch');
  await runner.catchUp();
  t.equal(batches.length, 4, 'no batch without events');
});

t.test('projection runner: events after the checkpoint are applied again', async t => {
  const log = growing();
  await log.append(3);
  let kept = 3n;
  const { runner, applied } = recordingRunner(log.store, { after: () => kept });
  await runner.catchUp();
  t.strictSame(applied, []);
  kept = 1n;
  await runner.catchUp(1n);
  t.strictSame(applied, [], 'the first batch is committed');
  await runner.catchUp(2n);
  t.strictSame(applied, [2, 3], 'the second batch is lost');
});

t.test('projection runner: a full last batch, and an empty log', async t => {
  const log = growing();
  const { runner, batches } = recordingRunner(log.store);
  await runner.catchUp();
  t.strictSame(batches, []);
  await log.append(200);
  await runner.catchUp();
  t.strictSame(
    batches.map(([count]) => count),
    [200],
  );
});

t.test('projection runner: begins after a position', async t => {
  const log = growing();
  await log.append(10);
  const { runner, applied } = recordingRunner(log.store, {}, 7n);
  await runner.catchUp();
  t.strictSame(applied, [8, 9, 10]);
});

t.test('projection runner: applies new events after a notification', async t => {
  const log = growing();
  await log.append(3);
  const { runner, applied } = recordingRunner(log.store);
  await after(5);
  t.strictSame(applied, []);
  runner.wake();
  runner.wake();
  while (applied.length < 3) await yieldToEventLoop();
  t.strictSame(applied, [1, 2, 3]);
});

t.test('projection runner: only the requested types', async t => {
  const log = growing();
  await log.append(1);
  await log.append(1, 'DayPlanned');
  await log.append(1);
  const { runner, applied } = recordingRunner(log.store, { types: ['DayPlanned'] });
  await runner.catchUp();
  t.strictSame(applied, [2]);
});

t.test('projection runner: a long catch-up yields to the event loop', async t => {
  const log = growing();
  await log.append(1000);
  let turns = 0;
  let catching = true;
  const others = (async () => {
    while (catching) {
      await yieldToEventLoop();
      turns += 1;
    }
  })();
  const { runner, batches } = recordingRunner(log.store);
  await runner.catchUp();
  catching = false;
  await others;
  t.ok(turns >= batches.length, `${turns} turns in ${batches.length} batches`);
});

t.test('catchUp: waits for all events up to the call, also during a batch', async t => {
  const log = growing();
  await log.append(2);
  let go = () => {};
  const gate = new Promise<void>(resolve => (go = resolve));
  const { runner, applied } = recordingRunner(log.store, { apply: () => gate });
  const first = runner.catchUp();
  await after(2);
  // The runner has read two events and waits in `apply`.
  await log.append(1);
  let caughtUp = false;
  const second = runner.catchUp().then(() => {
    caughtUp = true;
    t.strictSame(applied, [1, 2, 3]);
  });
  await after(2);
  t.notOk(caughtUp);
  go();
  await first;
  await second;
  t.ok(caughtUp);
});

t.test('concurrent calls of catchUp resolve together', async t => {
  const log = growing();
  await log.append(5);
  const { runner, batches } = recordingRunner(log.store);
  await Promise.all(Array.from({ length: 20 }, () => runner.catchUp()));
  t.equal(batches.length, 1);
});

t.test('catchUp: correct for any order of appends, notifications and calls', async t => {
  const step = fc.oneof(
    fc.integer({ min: 1, max: 230 }).map(events => ({ kind: 'append', events }) as const),
    fc.constantFrom({ kind: 'wake' } as const, { kind: 'settle' } as const, { kind: 'turn' } as const),
    fc.constant({ kind: 'await' } as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), fc.nat(2), async (steps, pause) => {
      const log = growing();
      const { runner, applied, faults } = recordingRunner(log.store, {
        apply: async () => {
          for (let n = 0; n < pause; n += 1) await yieldToEventLoop();
        },
      });
      const settling: Promise<void>[] = [];
      const catchUp = () => {
        const atTheCall = log.count();
        return runner.catchUp().then(() => {
          if (applied.length < atTheCall)
            throw new Error(`caught up with ${applied.length} of ${atTheCall} events`);
        });
      };
      for (const step of steps)
        if (step.kind === 'append') await log.append(step.events);
        else if (step.kind === 'wake') runner.wake();
        else if (step.kind === 'settle') settling.push(catchUp());
        else if (step.kind === 'turn') await yieldToEventLoop();
        else await catchUp();
      await Promise.all(settling);
      await catchUp();
      if (applied.join() !== upTo(log.count()).join())
        throw new Error('events are missing, duplicate or out of order');
      if (faults.length > 0) throw faults[0];
      await runner.stop();
    }),
    { numRuns: 60 },
  );
  t.pass('held');
});

for (const sync of [true, false])
  t.test(`projection runner: an error of apply stops it, ${sync ? 'thrown' : 'rejected'}`, async t => {
    const log = growing();
    await log.append(450);
    const broken = new Error('no disk');
    const { runner, applied, faults } = recordingRunner(log.store, {
      apply: (_, { position }) => {
        if (position < 400n) return;
        if (sync) throw broken;
        return Promise.reject(broken);
      },
    });
    const settling = [runner.catchUp(), runner.catchUp()];
    for (const catchUp of settling) await t.rejects(catchUp, broken);
    t.strictSame(faults, [broken], 'reported once');
    t.strictSame(applied, upTo(200), 'events before the error are applied, none after it');
    await log.append(1);
    runner.wake();
    await t.rejects(runner.catchUp(), broken, 'catchUp rejects from then on');
    await after(2);
    t.equal(applied.length, 200);
    t.equal(faults.length, 1);
    await runner.stop();
  });

t.test('projection runner: an error of the store stops it', async t => {
  const log = growing();
  await log.append(2);
  const broken = new Error('unreachable');
  let reads = 0;
  const store: EventStore = {
    ...log.store,
    all: async function* (...call) {
      reads += 1;
      yield* log.store.all(...call);
      if (reads === 2) throw broken;
    },
  };
  const { runner, applied, faults } = recordingRunner(store);
  await runner.catchUp();
  await log.append(1);
  await t.rejects(runner.catchUp(), broken);
  t.strictSame(faults, [broken]);
  t.strictSame(applied, [1, 2], 'only complete batches of an interrupted read are applied');
});

t.test('projection runner: the checkpoint moves past unknown types', async t => {
  const log = growing();
  await log.append(1);
  await log.append(2, 'SomethingOfALaterVersion');
  await log.append(1);
  await log.append(1, 'SomethingOfALaterVersion');
  const { runner, applied, batches } = recordingRunner(log.store);
  await runner.catchUp();
  t.strictSame(applied, [1, 4]);
  t.strictSame(batches, [[2, { position: 5n, eventId: id(4) }]]);
  await log.append(3, 'SomethingOfALaterVersion');
  await runner.catchUp();
  t.strictSame(batches.at(-1), [0, { position: 8n, eventId: id(7) }]);
});

t.test('projection runner: an event of a newer version is passed on as it is stored', async t => {
  const log = growing();
  await log.append(2);
  await log.store.append('catalog', 1, [{ ...proposed(2), v: 2 }]);
  const { runner, applied, batches, faults } = recordingRunner(log.store);
  await runner.catchUp();
  t.strictSame(applied, [1, 2]);
  t.match(batches, exactList(exactList(2, { position: 3n })));
  t.strictSame(faults, []);
});

t.test('stop: finishes the running batch and begins no other', async t => {
  const log = growing();
  await log.append(450);
  let go = () => {};
  const gate = new Promise<void>(resolve => (go = resolve));
  const { runner, applied, faults } = recordingRunner(log.store, { apply: () => gate });
  const settling = runner.catchUp();
  await after(2);
  let stopped = false;
  const stopping = runner.stop().then(() => (stopped = true));
  await after(2);
  t.notOk(stopped, 'stop waits for the batch');
  go();
  await stopping;
  await settling;
  t.strictSame(applied, upTo(200));
  runner.wake();
  await runner.catchUp();
  await after(2);
  t.strictSame(applied, upTo(200), 'catchUp rejects after stop');
  t.strictSame(faults, []);
  await runner.stop();
});

t.test('stop: without any work', async t => {
  const log = growing();
  await log.append(2);
  const { runner, applied } = recordingRunner(log.store);
  runner.wake();
  await runner.stop();
  await runner.catchUp();
  t.strictSame(applied, []);
});

t.test('projection runner: events have their envelope', async t => {
  const log = growing();
  await log.append(1);
  const events: KnownEvent[] = [];
  const { runner } = recordingRunner(log.store, { apply: batch => void events.push(...batch) });
  await runner.catchUp();
  const event = {
    ...proposed(0, { sourceId: 0, requestId: id(0) }),
    stream: 'catalog',
    revision: 0,
    position: 1n,
  };
  t.strictSame(events, [{ ...event, hash: eventHash(event, null) }]);
});

/** A store whose reads fail after the given numbers of events, then succeed. */
const failingReads = (store: EventStore, after: readonly number[]): EventStore => {
  let reads = 0;
  return {
    ...store,
    all: async function* (...call) {
      const most = after[reads] ?? Infinity;
      reads += 1;
      let count = 0;
      for await (const event of store.all(...call)) {
        if (count === most) throw new StoreUnavailable('the read failed');
        count += 1;
        yield event;
      }
    },
  };
};

t.test('projection runner: a failed read is retried; each event is applied once', async t => {
  for (const after of [[0], [7], [200, 0, 199], [201], [450], [0, 0, 3]]) {
    const log = growing();
    await log.append(450);
    let reported = 0;
    const { runner, applied, faults } = recordingRunner(failingReads(log.store, after), {
      unavailable: () => (reported += 1),
    });
    await runner.catchUp();
    t.strictSame(applied, upTo(450), `after ${after.join()} events`);
    t.equal(reported, after.filter(most => most < 450).length, 'each failure is reported');
    t.strictSame(faults, []);
    await runner.stop();
  }
});

t.test('catchUp: a damaged log is a refusal at once, since damage does not pass', async t => {
  let reads = 0;
  const store: EventStore = {
    ...memoryStore(),
    all: async function* () {
      reads += 1;
      throw new LogDamaged('a page');
    },
  };
  const noWaitEnds = { ...system, after: () => () => {} };
  const { runner } = recordingRunner(store, { unavailable: () => {}, environment: noWaitEnds });
  await t.rejects(runner.catchUp(), { name: 'LogDamaged' });
  t.equal(reads, 1);
  await runner.stop();
});

t.test('stop: also while the store is unreachable', async t => {
  const store: EventStore = {
    ...memoryStore(),
    all: async function* () {
      throw new StoreUnavailable('away');
    },
  };
  const { runner, applied, faults } = recordingRunner(store, { unavailable: () => {} });
  const caughtUp = runner.catchUp();
  await after(200);
  await runner.stop();
  await caughtUp;
  t.strictSame([applied, faults], [[], []]);
});
