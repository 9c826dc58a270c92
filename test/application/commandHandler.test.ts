import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import t from 'tap';
import { retryMs } from '../../application/conflictRetry.js';
import { system } from '../../adapters/environment.js';
import type { Environment } from '../../application/environment.js';
import { Conflict, StoreUnavailable, type EventStore } from '../../application/eventStore.js';
import {
  eventId,
  commandHandler,
  type CommandHandler,
  type CommandMetadata,
} from '../../application/commandHandler.js';
import { memoryStore } from '../../adapters/memory/memoryStore.js';
import { alerts, type AlertsCommand } from '../../domain/alerts.js';
import { catalog, type CatalogEvent } from '../../domain/catalog.js';
import type { Decider } from '../../domain/decider.js';
import { fold } from '../../domain/decider.js';
import { decode, UnknownVersion, type Proposed } from '../../domain/events.js';
import { lookUp } from '../../domain/keyed.js';
import { Rejection } from '../../domain/rejection.js';
import { source, type SourceCommand, type SourceEvent } from '../../domain/source.js';
import { factsOf, findingOf, id, instant, learnedOf, origin } from '../helpers/samples.js';
import { listed, proposed } from '../helpers/storeContract.js';

/** A request under a lasting id: `n` says which, `tries` which try it is. */
const lasting = (n: number, tries = 1): CommandMetadata => ({
  ...origin(1000 * n + tries),
  id: id(n),
  isRetry: tries > 1,
});

const reserve = (n: number) => ({ type: 'ReserveSourceId', requestId: id(n) }) as const;
const reserveFor = (handle: CommandHandler, n: number) => handle(catalog, 'catalog', reserve(n), origin(n));
const create: SourceCommand = { type: 'CreateSource', requestId: id(1), facts: factsOf(1), seed: 1 };

/** A store whose `append` is `append`, given the store's own. */
const appending = (
  store: EventStore,
  append: (own: EventStore['append'], ...call: Parameters<EventStore['append']>) => Promise<number>,
): EventStore => ({ ...store, append: (...call) => append(store.append, ...call) });

/** The state of a stream read anew. */
const refolded = async <Command, Event, State>(
  store: EventStore,
  decider: Decider<Command, Event, State>,
  stream: string,
): Promise<State> => {
  const events = (await listed(store.read(stream))).map(decode).filter(event => event !== undefined);
  return fold(decider, decider.initial, events as never);
};

/** Follows `append` with a reservation that someone else made just before, `times` times. */
const overtaken = (store: EventStore, times: number): { readonly store: EventStore; tries: number } => {
  const counted = {
    tries: 0,
    store: appending(store, async (own, stream, expected, events) => {
      counted.tries += 1;
      if (counted.tries <= times) {
        const data = {
          sourceId: expected === 'absent' ? 1 : expected + 2,
          requestId: id(900 + counted.tries),
        };
        await own(stream, expected, [proposed(900 + counted.tries, data)]);
      }
      return own(stream, expected, events);
    }),
  };
  return counted;
};

t.test('a command becomes events with everything in their envelope', async t => {
  const store = memoryStore();
  let appended = 0;
  const handle = commandHandler(store, () => (appended += 1), system);
  const from: CommandMetadata = {
    id: id(5),
    isRetry: false,
    by: 'zoë',
    cause: id(6),
    correlation: id(7),
    at: instant(8),
  };
  const { events, state } = await handle(catalog, 'catalog', reserve(1), from);
  const data = { sourceId: 1, requestId: id(1) };
  const stored = (await listed(store.all(0n))).map(({ hash: _, ...event }) => event);
  t.strictSame(stored, [
    {
      id: eventId('catalog', id(5), 0),
      type: 'SourceIdReserved',
      v: 1,
      data,
      metadata: { by: 'zoë', cause: id(6), correlation: id(7) },
      at: instant(8),
      stream: 'catalog',
      revision: 0,
      position: 1n,
    },
  ]);
  t.strictSame(events, [{ type: 'SourceIdReserved', data, id: eventId('catalog', id(5), 0) }]);
  t.equal(state.nextSourceId, 2);
  t.equal(appended, 1);
});

t.test('several events of a command have ids of their own', async t => {
  const store = memoryStore();
  const handle = commandHandler(store, () => {}, system);
  const { events } = await handle(alerts, 'alerts-1', check(1), origin(1));
  t.strictSame(
    events.map(event => [event.type, event.id]),
    [
      ['DaysChecked', eventId('alerts-1', id(1), 0)],
      ['AlertRaised', eventId('alerts-1', id(1), 1)],
    ],
  );
  t.strictSame(
    (await listed(store.read('alerts-1'))).map(event => event.id),
    events.map(event => event.id),
  );
});

t.test('nothing to do appends nothing, a refusal comes through', async t => {
  const store = memoryStore();
  let appended = 0;
  const handle = commandHandler(store, () => (appended += 1), system);
  await handle(source, 'source-1', create, origin(1));
  const again = await handle(source, 'source-1', create, origin(2));
  t.strictSame(again.events, []);
  t.match(again.state, { status: 'active', pendingRequestId: id(1) });
  t.equal(appended, 1, 'followers are not woken for nothing');
  await t.rejects(
    handle(source, 'source-2', { type: 'ClearDayPlan', requestId: id(3), date: '2024-01-01' }, origin(3)),
    {
      name: 'Rejection',
      code: 'sourceNotFound',
    },
  );
  t.equal((await listed(store.all(0n))).length, 1);
  await handle(source, 'source-2', create, origin(4));
  t.equal((await listed(store.all(0n))).length, 2, 'the stream of a refused command goes on');
});

t.test('a lost race is decided anew, from what the others appended', async t => {
  const own = memoryStore();
  const counted = overtaken(own, 3);
  const { events, state } = await reserveFor(
    commandHandler(counted.store, () => {}, system),
    1,
  );
  t.equal(counted.tries, 4);
  t.strictSame(events[0]?.data, { sourceId: 4, requestId: id(1) }, 'after the three of the others');
  t.equal(state.nextSourceId, 5);
  t.equal((await listed(own.read('catalog'))).length, 4);
});

/** Surroundings whose clock stands still but for waits; `byte` is all of their randomness. */
const standing = (byte: number) => {
  let elapsedMs = 0;
  const waits: number[] = [];
  const environment: Environment = {
    ...system,
    elapsedMs: () => elapsedMs,
    after: (ms, run) => {
      waits.push(ms);
      const turn = setImmediate(() => {
        elapsedMs += ms;
        run();
      });
      return () => clearImmediate(turn);
    },
    randomBytes: count => Buffer.alloc(count, byte),
  };
  return { waits, environment, elapsedMs: () => elapsedMs };
};

t.test('lost races are retried after growing waits, as long as there is time', async t => {
  const own = memoryStore();
  const counted = overtaken(own, 24);
  const { waits, environment, elapsedMs } = standing(0x80);
  const { events } = await reserveFor(
    commandHandler(counted.store, () => {}, environment),
    1,
  );
  t.strictSame(events[0]?.data, { sourceId: 25, requestId: id(1) }, 'after those of the others');
  t.equal(counted.tries, 25);
  const half = 0x80808080 / 2 ** 32;
  t.strictSame(
    waits.map(ms => ms / half),
    [10, 20, 40, 80, 160, 320, ...Array<number>(18).fill(500)],
  );
  t.ok(elapsedMs() < retryMs);
});

t.test('races lost for ten seconds are contention', async t => {
  const own = memoryStore();
  const counted = overtaken(own, Infinity);
  const { waits, environment, elapsedMs } = standing(0xff);
  const handle = commandHandler(counted.store, () => {}, environment);
  await t.rejects(reserveFor(handle, 1), { name: 'Contention', message: /stream catalog/ });
  t.ok(elapsedMs() < retryMs && elapsedMs() > retryMs - 500, `ended after ${elapsedMs()} ms`);
  t.equal(counted.tries, waits.length + 1);
  t.equal((await listed(own.read('catalog'))).length, counted.tries, 'those of the others alone');
});

t.test('other failures of the store are not tried again', async t => {
  let tries = 0;
  const store = appending(memoryStore(), () => {
    tries += 1;
    return Promise.reject(new StoreUnavailable('no disk'));
  });
  await t.rejects(
    reserveFor(
      commandHandler(store, () => {}, system),
      1,
    ),
    StoreUnavailable,
  );
  t.equal(tries, 1);
});

/** A store in which every read and append takes some turns of the event loop. */
const slow = (store: EventStore): EventStore => ({
  append: async (...call) => {
    await yieldToEventLoop();
    const revision = await store.append(...call);
    await yieldToEventLoop();
    return revision;
  },
  read: async function* (...call) {
    await yieldToEventLoop();
    yield* store.read(...call);
    await yieldToEventLoop();
  },
  all: store.all,
});

t.test('commands to one stream wait for each other, those to others do not', async t => {
  const own = memoryStore();
  const order: string[] = [];
  const store = appending(slow(own), async (append, stream, expected, events) => {
    order.push(`> ${stream}`);
    const revision = await append(stream, expected, events);
    order.push(`< ${stream}`);
    return revision;
  });
  const handle = commandHandler(store, () => {}, system);
  const requests = Array.from({ length: 40 }, (_, n) => n + 1);
  const handled = await Promise.all(requests.map(n => reserveFor(handle, n)));
  t.strictSame(
    handled.map(({ events }) => events[0]?.data.sourceId),
    requests,
    'in the order they came; none of them loses to another',
  );
  t.strictSame(
    order,
    requests.flatMap(() => ['> catalog', '< catalog']),
    'one append after the other',
  );

  order.length = 0;
  await Promise.all(
    [1, 2].map(n => handle(source, `source-${n}`, { ...create, requestId: id(n) }, origin(100 + n))),
  );
  t.strictSame(order.slice(0, 2).sort(), ['> source-1', '> source-2'], 'two streams side by side');
});

t.test('a command that fails does not hold up the next', async t => {
  const handle = commandHandler(slow(memoryStore()), () => {}, system);
  const outcomes = await Promise.allSettled([
    handle(source, 'source-1', { type: 'ClearDayPlan', requestId: id(1), date: '2024-01-01' }, origin(1)),
    handle(source, 'source-1', create, origin(2)),
    handle(source, 'source-1', { ...create, requestId: id(9) }, origin(3)),
    handle(
      source,
      'source-1',
      { type: 'RequestModelsReset', requestId: id(4), modelCount: 2, seed: 1 },
      origin(4),
    ),
  ]);
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
});

t.test('the state kept is the state refolded, with others writing in between', async t => {
  const store = memoryStore();
  const [one, other] = [commandHandler(store, () => {}, system), commandHandler(store, () => {}, system)];
  const commands: readonly SourceCommand[] = [
    create,
    { type: 'ResetModels', requestId: id(1), learned: learnedOf(3) },
    { type: 'PlanDay', requestId: id(2), date: '2024-02-29', modelId: 2 },
    { type: 'PlanDay', requestId: id(3), date: '2024-03-01', modelId: 3 },
    { type: 'ClearDayPlan', requestId: id(4), date: '2024-02-29' },
    { type: 'ClearDayPlan', requestId: id(5), date: '2024-02-29' },
    { type: 'RequestModelsReset', requestId: id(6), modelCount: 2, seed: 1 },
    { type: 'ResetModels', requestId: id(6), learned: learnedOf(2) },
  ];
  for (const [n, command] of commands.entries()) {
    const { state } = await (n % 3 === 1 ? other : one)(source, 'source-1', command, origin(n));
    t.strictSame(state, await refolded(store, source, 'source-1'), command.type);
  }
});

t.test('more streams than are kept', async t => {
  const own = memoryStore();
  const froms: number[] = [];
  const store: EventStore = {
    ...own,
    read: (stream, from = 0) => {
      froms.push(from);
      return own.read(stream, from);
    },
  };
  const handle = commandHandler(store, () => {}, system);
  const command = (n: number): SourceCommand => ({ ...create, requestId: id(n) });
  for (let n = 0; n < 510; n += 1) await handle(source, `source-${n}`, command(n), origin(n));
  froms.length = 0;
  let again = 0;
  for (let n = 0; n < 510; n += 1)
    again += (await handle(source, `source-${n}`, command(n), origin(n))).events.length;
  t.equal(again, 0, 'all are known as they are');
  t.ok(froms.includes(0), 'some were forgotten and read whole');
  froms.length = 0;
  await handle(source, 'source-509', command(509), origin(509));
  t.strictSame(froms, [1], 'what is kept is read from where it ends');
});

t.test('a stream with events of a later version', async t => {
  const store = memoryStore();
  const handle = commandHandler(store, () => {}, system);
  await reserveFor(handle, 1);
  await store.append('catalog', 0, [proposed(901, {}, 'SourceIdGivenBack')]);
  const { events } = await reserveFor(handle, 2);
  t.strictSame(events[0]?.data, { sourceId: 2, requestId: id(2) }, 'an unknown type is passed by');
  t.equal((await listed(store.read('catalog'))).at(-1)?.revision, 2);
  await store.append('catalog', 2, [{ ...proposed(902), v: 2 }]);
  await t.rejects(reserveFor(handle, 3), UnknownVersion, 'a newer version is no thing to decide on');
});

// Lost acknowledgements

/** A store that stores and then says that it could not, at the calls in `lost` (counted from 1). */
const losing = (store: EventStore, ...lost: readonly number[]): EventStore => {
  let calls = 0;
  return appending(store, async (own, ...call) => {
    const revision = await own(...call);
    calls += 1;
    if (lost.includes(calls)) throw new StoreUnavailable('the acknowledgement was lost');
    return revision;
  });
};

function check(n: number): AlertsCommand {
  return {
    type: 'RecordCheck',
    sourceId: 1,
    cause: { id: id(n), type: 'DaysImported' },
    part: 1,
    last: true,
    engine: 'test 1',
    modelsVersion: 1,
    knowledge: { source: 1, days: 1 },
    days: [
      {
        date: '2024-02-29',
        importId: id(90),
        dayDigest: 'd',
        plannedModelId: 1,
        outcome: 'abnormal',
        finding: findingOf(1),
      },
    ],
  };
}
const alertId = '1-20240229-1';

t.test('a lost acknowledgement: the command again stores nothing twice', async t => {
  const created: Proposed = {
    ...proposed(
      800,
      { ...factsOf(1), requestId: id(1), seed: 1 } satisfies SourceEvent['data'],
      'SourceCreated',
    ),
  };
  const models: SourceCommand = { type: 'ResetModels', requestId: id(1), learned: learnedOf(2) };
  const cases: readonly (readonly [
    string,
    (handle: CommandHandler, metadata: CommandMetadata) => Promise<{ readonly events: readonly unknown[] }>,
  ])[] = [
    ['ReserveSourceId', (handle, metadata) => handle(catalog, 'catalog', reserve(1), metadata)],
    ['CreateSource', (handle, metadata) => handle(source, 'source-2', create, metadata)],
    ['ResetModels', (handle, metadata) => handle(source, 'source-1', models, metadata)],
    [
      'RequestModelsReset',
      (handle, metadata) =>
        handle(
          source,
          'source-1',
          { type: 'RequestModelsReset', requestId: id(3), modelCount: 2, seed: 1 },
          metadata,
        ),
    ],
    ['RecordCheck', (handle, metadata) => handle(alerts, 'alerts-1', check(1), metadata)],
  ];
  for (const [type, run] of cases)
    for (const afresh of [false, true])
      await t.test(`${type}, ${afresh ? 'after a restart' : 'in the same process'}`, async t => {
        const own = memoryStore();
        await own.append('source-1', 'absent', [created]);
        const store = losing(own, 1);
        const handle = commandHandler(store, () => {}, system);
        await t.rejects(run(handle, lasting(5, 1)), StoreUnavailable);
        const log = await listed(own.all(0n));
        t.ok(log.length > 1, 'it was stored');
        const again = await run(afresh ? commandHandler(store, () => {}, system) : handle, lasting(5, 2));
        t.strictSame(again.events, []);
        t.strictSame(await listed(own.all(0n)), log);
      });
});

/** A store with an open alert and the handler on it, which loses the acknowledgement of the second append. */
const withAlert = async () => {
  const store = memoryStore();
  const handle = commandHandler(losing(store, 2), () => {}, system);
  await handle(alerts, 'alerts-1', check(1), lasting(1));
  return { store, handle };
};
const resolve: AlertsCommand = { type: 'ResolveAlert', alertId, verdict: 'expected', comment: null };

t.test('again: a command that would be refused because it ran is done', async t => {
  const { store, handle } = await withAlert();
  await t.rejects(handle(alerts, 'alerts-1', resolve, lasting(2, 1)), StoreUnavailable);
  const again = await handle(alerts, 'alerts-1', resolve, lasting(2, 2));
  t.strictSame(again.events, []);
  t.match(again.state.alerts['2024']?.['02']?.['2024-02-29'], {
    raised: 1,
    standing: [{ state: 'resolved' }],
  });
  t.equal((await listed(store.read('alerts-1'))).filter(event => event.type === 'AlertResolved').length, 1);
});

t.test('again: another request is refused all the same', async t => {
  const { handle } = await withAlert();
  await t.rejects(handle(alerts, 'alerts-1', resolve, lasting(2, 1)), StoreUnavailable);
  await t.rejects(handle(alerts, 'alerts-1', resolve, lasting(3, 1)), { code: 'alertTransition' });
  await t.rejects(handle(alerts, 'alerts-1', resolve, origin(4)), Rejection);
  const other: AlertsCommand = { type: 'ReopenAlert', alertId: '1-20240301-1' };
  await t.rejects(handle(alerts, 'alerts-1', other, lasting(6, 1)), { code: 'alertNotFound' });
});

t.test('again: a refused first try may run later', async t => {
  const { store, handle } = await withAlert();
  const reopen: AlertsCommand = { type: 'ReopenAlert', alertId };
  await t.rejects(handle(alerts, 'alerts-1', reopen, lasting(2, 1)), { code: 'alertTransition' });
  await t.rejects(handle(alerts, 'alerts-1', resolve, lasting(3, 1)), StoreUnavailable);
  const { events } = await handle(alerts, 'alerts-1', reopen, lasting(2, 2));
  t.equal(events[0]?.type, 'AlertReopened');
  t.equal((await listed(store.read('alerts-1'))).at(-1)?.type, 'AlertReopened');
});

t.test('a command again under its id, after others have changed what it did, is done', async t => {
  const store = memoryStore();
  const handle = commandHandler(losing(store, 3), () => {}, system);
  await handle(source, 'source-1', create, lasting(1));
  await handle(
    source,
    'source-1',
    { type: 'ResetModels', requestId: id(1), learned: learnedOf(2) },
    lasting(2),
  );
  const plan = (n: number, modelId: number): SourceCommand => ({
    type: 'PlanDay',
    requestId: id(n),
    date: '2024-02-29',
    modelId,
  });
  await t.rejects(
    handle(source, 'source-1', plan(3, 1), lasting(3, 1)),
    StoreUnavailable,
    'lost, but stored',
  );
  await handle(source, 'source-1', plan(4, 2), lasting(4));
  const again = await handle(source, 'source-1', plan(3, 1), lasting(3, 2));
  t.strictSame(again.events, [], 'it was done before; doing it again would undo the other');
  t.match(again.state, { overrides: { '2024-02-29': 2 } });
  t.equal((await listed(store.read('source-1'))).length, 4);
});

t.test(
  'the same of an alert: acknowledged, reopened by another, acknowledged again under the first id',
  async t => {
    const { handle } = await withAlert();
    const acknowledge: AlertsCommand = { type: 'AcknowledgeAlert', alertId };
    await t.rejects(handle(alerts, 'alerts-1', acknowledge, lasting(2, 1)), StoreUnavailable);
    await handle(alerts, 'alerts-1', resolve, lasting(3));
    await handle(alerts, 'alerts-1', { type: 'ReopenAlert', alertId }, lasting(4));
    t.strictSame((await handle(alerts, 'alerts-1', acknowledge, lasting(2, 2))).events, []);
  },
);

t.test('two writers on one store lose nothing', async t => {
  const store = memoryStore();
  const writers = [
    commandHandler(slow(store), () => {}, system),
    commandHandler(slow(store), () => {}, system),
  ];
  const given: CatalogEvent['data'][] = [];
  const requests = Array.from({ length: 20 }, (_, n) => n + 1);
  await Promise.all(
    writers.map(async (handle, writer) => {
      for (const n of requests) {
        const request = 100 * writer + n;
        for (;;)
          try {
            const { events } = await reserveFor(handle, request);
            given.push(...events.map(({ data }) => data));
            break;
          } catch (error) {
            if (!(error instanceof Conflict)) throw error;
          }
      }
    }),
  );
  t.strictSame(
    given.map(data => data.sourceId).sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
  t.equal(new Set(given.map(data => data.requestId)).size, 40);
});

t.test('what another instance did under the same id, just then, is in the state', async t => {
  const own = memoryStore();
  const other = commandHandler(own, () => {}, system);
  let reads = 0;
  const late: EventStore = {
    ...own,
    read: async function* (...call) {
      yield* own.read(...call);
      reads += 1;
      // Between the state that was read and the look for what the id has led to.
      if (reads === 1) await reserveFor(other, 1);
    },
  };
  const again = { ...origin(1), isRetry: true };
  const { events, state } = await commandHandler(late, () => {}, system)(
    catalog,
    'catalog',
    reserve(1),
    again,
  );
  t.strictSame(events, [], 'nothing is done again');
  t.equal(lookUp(state.reserved, id(1)), 1, 'and what was done is known');
});
