import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import t from 'tap';
import {
  retryMs,
  eventId,
  commandHandler,
  stateOf,
  type CommandHandler,
  type CommandMetadata,
} from '../../../application/commands/commandHandler.js';
import {
  EventFault,
  Conflict,
  LogDamaged,
  StoreUnavailable,
  type EventStore,
} from '../../../application/ports/eventStore.js';
import { system } from '../../../adapters/environment.js';
import type { Environment } from '../../../application/ports/environment.js';
import { untilReachable } from '../../../application/commands/backoff.js';
import { foldedStates } from '../../../application/commands/foldedStates.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { alerts, type AlertsCommand } from '../../../domain/alerts/alerts.js';
import { catalog, type CatalogEvent } from '../../../domain/catalog.js';
import { type Decider, fold } from '../../../domain/decider.js';
import { decode, processManagerName, UnknownVersion, type Proposed } from '../../../domain/events.js';
import { lookUp, onDate } from '../../../domain/keyed.js';
import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source/source.js';
import type { SourceCommand } from '../../../domain/source/sourceCommands.js';
import type { SourceEvent } from '../../../domain/source/sourceState.js';
import { factsOf, findingOf, id, instant, learnedOf, origin } from '../../helpers/data/samples.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import { exactList } from '../../helpers/exactList.js';

/** Metadata of attempt `tries` of request `n`; the id is the same for all attempts. */
const metadataOf = (n: number, tries = 1): CommandMetadata => ({
  ...origin(1000 * n + tries),
  id: id(n),
  isRetry: tries > 1,
});

const reserve = (n: number) => ({ type: 'ReserveSourceId', requestId: id(n) }) as const;
const reserveFor = (handle: CommandHandler, n: number) => handle(catalog, 'catalog', reserve(n), origin(n));
const create: SourceCommand = { type: 'CreateSource', requestId: id(1), facts: factsOf(1), seed: 1 };

/** A store with another `append`, which receives the original one. */
const appending = (
  store: EventStore,
  append: (own: EventStore['append'], ...call: Parameters<EventStore['append']>) => Promise<number>,
): EventStore => ({ ...store, append: (...call) => append(store.append, ...call) });

const empty = async function* () {};

/** The state of a stream, folded from all its events. */
const refolded = async <Command, Event, State>(
  store: EventStore,
  decider: Decider<Command, Event, State>,
  stream: string,
): Promise<State> => {
  const events = (await listed(store.read(stream))).map(decode).filter(event => event !== undefined);
  return fold(decider, decider.initial, events as never);
};

/** Appends another writer's reservation before each of the first `times` appends. */
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

t.test('command handler: events have a complete envelope', async t => {
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

t.test('command handler: several events of a command have distinct ids', async t => {
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

t.test('command handler: no events append nothing, a rejection is thrown', async t => {
  const store = memoryStore();
  let appended = 0;
  const handle = commandHandler(store, () => (appended += 1), system);
  await handle(source, 'source-1', create, origin(1));
  const retried = await handle(source, 'source-1', create, origin(2));
  t.strictSame(retried.events, []);
  t.match(retried.state, { status: 'active', pendingRequestId: id(1) });
  t.equal(appended, 1, 'projection runners are not woken without events');
  await t.rejects(
    handle(source, 'source-2', { type: 'ClearDayPlan', requestId: id(3), date: '2024-01-01' }, origin(3)),
    {
      name: 'Rejection',
      code: 'sourceNotFound',
    },
  );
  t.equal((await listed(store.all(0n))).length, 1);
  await handle(source, 'source-2', create, origin(4));
  t.equal((await listed(store.all(0n))).length, 2, 'the stream can be used after a rejection');
});

t.test('conflict: the command is decided again with the events of other writers', async t => {
  const own = memoryStore();
  const counted = overtaken(own, 3);
  const { events, state } = await reserveFor(
    commandHandler(counted.store, () => {}, system),
    1,
  );
  t.equal(counted.tries, 4);
  t.strictSame(events[0]?.data, { sourceId: 4, requestId: id(1) }, 'after three events of other writers');
  t.equal(state.nextSourceId, 5);
  t.equal((await listed(own.read('catalog'))).length, 4);
});

/** An environment whose clock advances only by waits; all random bytes are `byte`. */
const stoppedClock = (byte: number) => {
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

t.test('conflict: retries with exponential backoff within the time limit', async t => {
  const own = memoryStore();
  const counted = overtaken(own, 24);
  const { waits, environment, elapsedMs } = stoppedClock(0x80);
  const { events } = await reserveFor(
    commandHandler(counted.store, () => {}, environment),
    1,
  );
  t.strictSame(events[0]?.data, { sourceId: 25, requestId: id(1) }, 'after the events of other writers');
  t.equal(counted.tries, 25);
  const half = 0x80808080 / 2 ** 32;
  t.strictSame(
    waits.map(ms => ms / half),
    [10, 20, 40, 80, 160, 320, ...Array<number>(18).fill(500)],
  );
  t.ok(elapsedMs() < retryMs);
});

t.test('conflict: ten seconds of conflicts are a Contention error', async t => {
  const own = memoryStore();
  const counted = overtaken(own, Infinity);
  const { waits, environment, elapsedMs } = stoppedClock(0xff);
  const handle = commandHandler(counted.store, () => {}, environment);
  await t.rejects(reserveFor(handle, 1), { name: 'Contention', message: /stream catalog/ });
  t.ok(elapsedMs() < retryMs && elapsedMs() > retryMs - 500, `ended after ${elapsedMs()} ms`);
  t.equal(counted.tries, waits.length + 1);
  t.equal((await listed(own.read('catalog'))).length, counted.tries, 'only events of other writers');
});

t.test('command handler: other errors of the store are not retried', async t => {
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

const reservationOf = (event: CatalogEvent) => (event.type === 'SourceIdReserved' ? [event.data] : []);

/** A store whose reads and appends yield to the event loop. */
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

t.test('queue: commands of one stream run in sequence, those of others in parallel', async t => {
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
    handled.map(({ events }) => events.flatMap(reservationOf)[0]?.sourceId),
    requests,
    'in order of arrival, without conflicts',
  );
  t.strictSame(
    order,
    requests.flatMap(() => ['> catalog', '< catalog']),
    'one append at a time',
  );

  order.length = 0;
  await Promise.all(
    [1, 2].map(n => handle(source, `source-${n}`, { ...create, requestId: id(n) }, origin(100 + n))),
  );
  t.strictSame(order.slice(0, 2).sort(), ['> source-1', '> source-2'], 'two streams in parallel');
});

t.test('queue: a failed command does not block the next', async t => {
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

t.test('cache: the kept state equals the folded state, also with other writers', async t => {
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

t.test('cache: more bytes of states than its maximum', async t => {
  const own = memoryStore();
  const froms: number[] = [];
  const store: EventStore = {
    ...own,
    read: (stream, from = 0) => {
      froms.push(from);
      return own.read(stream, from);
    },
  };
  const handle = commandHandler(store, () => {}, system, foldedStates(100_000));
  const command = (n: number): SourceCommand => ({ ...create, requestId: id(n) });
  for (let n = 0; n < 510; n += 1) await handle(source, `source-${n}`, command(n), origin(n));
  froms.length = 0;
  let retried = 0;
  for (let n = 0; n < 510; n += 1)
    retried += (await handle(source, `source-${n}`, command(n), origin(n))).events.length;
  t.equal(retried, 0, 'all states are correct');
  t.ok(froms.includes(0), 'evicted streams are read from their start');
  froms.length = 0;
  await handle(source, 'source-509', command(509), origin(509));
  t.strictSame(froms, [1], 'kept streams are read from their last revision');
});

t.test('command handler: a stream with events of a later version of Daybook', async t => {
  const store = memoryStore();
  const handle = commandHandler(store, () => {}, system);
  await reserveFor(handle, 1);
  await store.append('catalog', 0, [proposed(901, {}, 'foreign SourceIdGivenBack')]);
  const { events } = await reserveFor(handle, 2);
  t.strictSame(events[0]?.data, { sourceId: 2, requestId: id(2) }, 'an event of another program is ignored');
  t.equal((await listed(store.read('catalog'))).at(-1)?.revision, 2);
  for (const newer of [{ ...proposed(902), v: 2 }, proposed(903, {}, 'SourceIdGivenBack')]) {
    const other = memoryStore();
    await other.append('catalog', 'absent', [newer]);
    const fault = await reserveFor(
      commandHandler(other, () => {}, system),
      3,
    ).catch((error: unknown) => error);
    t.ok(fault instanceof EventFault && fault.cause instanceof UnknownVersion, newer.type);
    t.match(fault, { event: { stream: 'catalog', revision: 0 } });
  }
});

// Lost acknowledgements

/** A store that stores events, but reports an error at the calls in `lost` (counted from 1). */
const losingAcknowledgements = (store: EventStore, ...lost: readonly number[]): EventStore => {
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

t.test('lost acknowledgement: a retry stores nothing twice', async t => {
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
    for (const restarted of [false, true])
      await t.test(`${type}, ${restarted ? 'after a restart' : 'in the same process'}`, async t => {
        const own = memoryStore();
        await own.append('source-1', 'absent', [created]);
        const store = losingAcknowledgements(own, 1);
        const handle = commandHandler(store, () => {}, system);
        await t.rejects(run(handle, metadataOf(5, 1)), StoreUnavailable);
        const log = await listed(own.all(0n));
        t.ok(log.length > 1, 'the events were stored');
        const retried = await run(
          restarted ? commandHandler(store, () => {}, system) : handle,
          metadataOf(5, 2),
        );
        t.strictSame(retried.events, []);
        t.strictSame(await listed(own.all(0n)), log);
      });
});

/** A store with an open alert, and its handler, which loses the acknowledgement of the second append. */
const withAlert = async () => {
  const store = memoryStore();
  const handle = commandHandler(losingAcknowledgements(store, 2), () => {}, system);
  await handle(alerts, 'alerts-1', check(1), metadataOf(1));
  return { store, handle };
};
const resolve: AlertsCommand = { type: 'ResolveAlert', alertId, verdict: 'expected', comment: null };

t.test('retry: a command that already ran succeeds', async t => {
  const { store, handle } = await withAlert();
  await t.rejects(handle(alerts, 'alerts-1', resolve, metadataOf(2, 1)), StoreUnavailable);
  const retried = await handle(alerts, 'alerts-1', resolve, metadataOf(2, 2));
  t.strictSame(retried.events, []);
  t.match(onDate(retried.state.alerts, '2024-02-29'), {
    raised: 1,
    standing: exactList({ state: 'resolved' }),
  });
  t.equal((await listed(store.read('alerts-1'))).filter(event => event.type === 'AlertResolved').length, 1);
});

t.test('retry: a first attempt is not refused because of its own retry on another instance', async t => {
  const store = memoryStore();
  const [first, second] = [1, 2].map(() => commandHandler(store, () => {}, system));
  await first!(alerts, 'alerts-1', check(1), metadataOf(1));
  await second!(alerts, 'alerts-1', resolve, metadataOf(2, 2));
  const { events, state } = await first!(alerts, 'alerts-1', resolve, { ...metadataOf(2, 1), hasKey: true });
  t.strictSame(events, []);
  t.match(onDate(state.alerts, '2024-02-29'), { standing: exactList({ state: 'resolved' }) });
  await t.rejects(first!(alerts, 'alerts-1', resolve, { ...metadataOf(3), hasKey: true }), {
    code: 'alertTransition',
  });
});

t.test('retry: another request is rejected', async t => {
  const { handle } = await withAlert();
  await t.rejects(handle(alerts, 'alerts-1', resolve, metadataOf(2, 1)), StoreUnavailable);
  await t.rejects(handle(alerts, 'alerts-1', resolve, metadataOf(3, 1)), { code: 'alertTransition' });
  await t.rejects(handle(alerts, 'alerts-1', resolve, origin(4)), Rejection);
  const other: AlertsCommand = { type: 'ReopenAlert', alertId: '1-20240301-1' };
  await t.rejects(handle(alerts, 'alerts-1', other, metadataOf(6, 1)), { code: 'alertNotFound' });
});

t.test('retry: succeeds after a rejected first attempt if the state allows it', async t => {
  const { store, handle } = await withAlert();
  const reopen: AlertsCommand = { type: 'ReopenAlert', alertId };
  await t.rejects(handle(alerts, 'alerts-1', reopen, metadataOf(2, 1)), { code: 'alertTransition' });
  await t.rejects(handle(alerts, 'alerts-1', resolve, metadataOf(3, 1)), StoreUnavailable);
  const { events } = await handle(alerts, 'alerts-1', reopen, metadataOf(2, 2));
  t.equal(events[0]?.type, 'AlertReopened');
  t.equal((await listed(store.read('alerts-1'))).at(-1)?.type, 'AlertReopened');
});

t.test('retry: a command that ran is not repeated after later changes', async t => {
  const store = memoryStore();
  const handle = commandHandler(losingAcknowledgements(store, 3), () => {}, system);
  await handle(source, 'source-1', create, metadataOf(1));
  await handle(
    source,
    'source-1',
    { type: 'ResetModels', requestId: id(1), learned: learnedOf(2) },
    metadataOf(2),
  );
  const plan = (n: number, modelId: number): SourceCommand => ({
    type: 'PlanDay',
    requestId: id(n),
    date: '2024-02-29',
    modelId,
  });
  await t.rejects(
    handle(source, 'source-1', plan(3, 1), metadataOf(3, 1)),
    StoreUnavailable,
    'stored, acknowledgement lost',
  );
  await handle(source, 'source-1', plan(4, 2), metadataOf(4));
  const retried = await handle(source, 'source-1', plan(3, 1), metadataOf(3, 2));
  t.strictSame(retried.events, [], 'a repetition would undo the later change');
  t.match(retried.state, { overrides: { '2024-02-29': 2 } });
  t.equal((await listed(store.read('source-1'))).length, 4);
});

t.test('retry: an alert acknowledged, then reopened by another request, stays reopened', async t => {
  const { handle } = await withAlert();
  const acknowledge: AlertsCommand = { type: 'AcknowledgeAlert', alertId };
  await t.rejects(handle(alerts, 'alerts-1', acknowledge, metadataOf(2, 1)), StoreUnavailable);
  await handle(alerts, 'alerts-1', resolve, metadataOf(3));
  await handle(alerts, 'alerts-1', { type: 'ReopenAlert', alertId }, metadataOf(4));
  t.strictSame((await handle(alerts, 'alerts-1', acknowledge, metadataOf(2, 2))).events, []);
});

t.test('two writers on one store lose no events', async t => {
  const store = memoryStore();
  const writers = [
    commandHandler(slow(store), () => {}, system),
    commandHandler(slow(store), () => {}, system),
  ];
  const given: { readonly sourceId: number; readonly requestId: string }[] = [];
  const requests = Array.from({ length: 20 }, (_, n) => n + 1);
  await Promise.all(
    writers.map(async (handle, writer) => {
      for (const n of requests) {
        const request = 100 * writer + n;
        for (;;)
          try {
            const { events } = await reserveFor(handle, request);
            given.push(...events.flatMap(reservationOf));
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

t.test('retry: the state contains events that another instance appended under the id', async t => {
  const own = memoryStore();
  const other = commandHandler(own, () => {}, system);
  let reads = 0;
  const late: EventStore = {
    ...own,
    read: async function* (...call) {
      yield* own.read(...call);
      reads += 1;
      // After reading the state, before searching for events of the command id.
      if (reads === 1) await reserveFor(other, 1);
    },
  };
  const retried = { ...origin(1), isRetry: true };
  const { events, state } = await commandHandler(late, () => {}, system)(
    catalog,
    'catalog',
    reserve(1),
    retried,
  );
  t.strictSame(events, [], 'no event is appended');
  t.equal(lookUp(state.reserved, id(1)), 1, 'the event of the other instance is in the state');
});

t.test('two instances decide the same cause otherwise: the state has the events of the log', async t => {
  const store = memoryStore();
  const handle = commandHandler(store, () => {}, system);
  let isLate = false;
  const late = {
    ...store,
    isShared: true,
    // This instance read the stream before the other one appended.
    read: (...call: Parameters<EventStore['read']>) => (isLate ? empty() : store.read(...call)),
    append: (...call: Parameters<EventStore['append']>) => {
      isLate = false;
      return store.append(...call);
    },
  };
  const other = commandHandler(late, () => {}, system);
  const same = { ...metadataOf(1), by: processManagerName };
  await handle(catalog, 'catalog', reserve(1), same);
  isLate = true;
  const { state, events } = await other(catalog, 'catalog', reserve(2), same);
  t.strictSame(events, [], 'the other instance stored another event under the id');
  const expected = await refolded(store, catalog, 'catalog');
  t.strictSame(state, expected);
  t.strictSame(await stateOf({ handle: other }, catalog, 'catalog'), expected);
  let isDown = false;
  const failing = {
    ...store,
    isShared: true,
    read: (...call: Parameters<EventStore['read']>) => {
      if (isDown) throw new StoreUnavailable('not now');
      return store.read(...call);
    },
    append: async (...call: Parameters<EventStore['append']>) => {
      const revision = await store.append(...call);
      isDown = true;
      return revision;
    },
  };
  isLate = true;
  const repeated = commandHandler(late, () => {}, system)(catalog, 'catalog', reserve(1), same);
  t.equal((await repeated).events.length, 1, 'the same event');
  const own = { ...metadataOf(3), by: processManagerName };
  const stored = await commandHandler(failing, () => {}, system)(catalog, 'catalog', reserve(3), own);
  t.equal(stored.events.length, 1, 'a command is done when only its result cannot be read');
  t.equal((await listed(store.all(0n))).length, 2);
});

t.test('retries while the store cannot be reached: not of damage, which does not pass', async t => {
  const attempts = async (error: Error) => {
    let count = 0;
    const failing = async () => {
      count += 1;
      if (count < 3) throw error;
      return count;
    };
    return untilReachable(failing, system, 10_000).catch(({ name }: Error) => `${name} after ${count}`);
  };
  t.equal(await attempts(new StoreUnavailable('away')), 3);
  t.equal(await attempts(new LogDamaged('events.sqlite is damaged')), 'LogDamaged after 1');
});
