import { Database } from '../../../adapters/sqlite/driver.js';
import { pino } from 'pino';
import t from 'tap';
import type { Analyst } from '../../../application/ports/analyst.js';
import { StoreUnavailable, type EventStore } from '../../../application/ports/eventStore.js';
import {
  logSubscription,
  type Subscription,
  type Delivered,
} from '../../../application/followUps/subscription.js';
import { system } from '../../../adapters/environment.js';
import { projectionRunner } from '../../../application/reading/projectionRunner.js';
import { commandHandler } from '../../../application/commands/commandHandler.js';
import { followUps, type FollowUps } from '../../../application/followUps/followUps.js';
import { processManager } from '../../../application/followUps/processManager.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { parking as parkingOf } from '../../../application/reading/parking.js';
import { waitersFor } from '../../../application/reading/freshness.js';
import { days } from '../../../domain/days.js';
import { decode, type KnownEvent } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import { source } from '../../../domain/source/source.js';
import type { SourceCommand } from '../../../domain/source/sourceCommands.js';
import { readModels } from '../../../projections/readModels.js';
import { dayOf, factsOf, id, instant, learnedOf, origin } from '../../helpers/data/samples.js';

type Run = (signal: AbortSignal | undefined) => Promise<unknown>;

/** Projection runner, command handler, process manager and read models on a store; the test supplies the analysis. */
const wired = async (store: EventStore, run: Run, otherDeliveries?: Subscription) => {
  const models = readModels(new Database(':memory:'));
  const faults: unknown[] = [];
  const fault = (error: unknown) => faults.push(error);
  const handle = commandHandler(
    store,
    () => {
      projections.wake();
      subscription.wake();
    },
    system,
  );
  const analyst = {
    run: (_job: unknown, signal?: AbortSignal) => run(signal),
    waiting: () => 0,
    close: async () => {},
  } as Analyst;
  const log = pino({ level: 'silent' });
  const caughtUp = () => projections.catchUp();
  const requests = waitersFor(system);
  const parking = parkingOf({ models, write: change => change(), log });
  const reacts = followUps({
    models,
    parking,
    caughtUp,
    handle,
    analyst,
    waiters: requests,
    log,
    environment: { ...system, nowMs: () => Date.parse(instant(1)) },
  });
  const projections = projectionRunner({
    store,
    after: () => models.checkpoint('readModels').position,
    apply: (events, through) => {
      models.apply(events, through);
      reacts.notice(events);
      requests.notify();
    },
    fault,
    environment: system,
  });
  await projections.catchUp();
  const subscription = otherDeliveries ?? logSubscription({ store, models, fault, environment: system });
  const reacting = processManager({
    subscription,
    caughtUp,
    followUps: reacts,
    parking,
    log,
    environment: system,
  });
  return {
    models,
    handle,
    reacts,
    faults,
    /** Resolves when no work is pending. */
    quiet: async () => {
      for (let calm = 0; calm < 5; calm += 1) {
        await projections.catchUp();
        await new Promise(resolve => setTimeout(resolve, 5));
        if (reacting.backlog() > 0) calm = 0;
      }
    },
    stop: async () => {
      await reacting.stop();
      await projections.stop();
    },
  };
};

const create: SourceCommand = { type: 'CreateSource', requestId: id(1), facts: factsOf(1), seed: 1 };
const ask = (n: number): SourceCommand => ({
  type: 'RequestModelsReset',
  requestId: id(n),
  modelCount: 2,
  seed: 1,
});
const imported = (n: number, kind: 'reference' | 'recent', date: string) =>
  ({
    type: 'ImportDays',
    sourceId: 1,
    importId: id(n),
    kind,
    part: 1,
    parts: 1,
    days: [dayOf(date, 1000)],
    summary: { lines: 0, days: 1, missingSamples: 0, filledSamples: 0, duplicates: 0, warnings: [] },
  }) as const;

const logOf = async (store: EventStore): Promise<KnownEvent[]> => {
  const events: KnownEvent[] = [];
  for await (const event of store.all(0n)) {
    const known = decode(event);
    if (known) events.push(known);
  }
  return events;
};
const typesOf = async (store: EventStore): Promise<string[]> => (await logOf(store)).map(({ type }) => type);

t.test('process manager: a check waits for the analysis of its source and has its cause', async t => {
  const store = memoryStore();
  let finish = (): void => {};
  const service = await wired(store, async () => {
    await new Promise<void>(resolve => (finish = resolve));
    return learnedOf(2);
  });
  await service.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await service.handle(source, streams.source(1), create, origin(1));
  await service.handle(days, streams.days(1), imported(3, 'recent', '2024-01-01'), origin(3));
  await new Promise(resolve => setTimeout(resolve, 50));
  t.strictSame(await typesOf(store), ['DaysImported', 'SourceCreated', 'DaysImported']);
  t.equal(service.reacts.isAnalysing(1), true);
  finish();
  await service.quiet();
  t.equal(service.reacts.isAnalysing(1), false);
  const log = (await logOf(store)).filter(({ type }) => type !== 'AlertsGrouped');
  t.strictSame(
    log.slice(3).map(({ type }) => type),
    ['ModelsReset', 'DaysChecked', 'AlertRaised', 'DaysChecked'],
    'the import is checked first; a second check with the same models changes nothing',
  );
  const importId = log[2]?.id ?? '';
  t.match(log[4], {
    data: { cause: { id: importId, type: 'DaysImported' }, part: 1, last: true },
    metadata: { by: 'reactor', cause: importId, correlation: id(3) },
  });
  t.match(log[6], { data: { cause: { id: log[3]?.id, type: 'ModelsReset' } } });
  t.strictSame(service.faults, []);
  await service.stop();
});

t.test('process manager: an analysis does not wait for a check that waits for it', async t => {
  // The order after another instance ended during the analysis.
  const store = memoryStore();
  let bring = (_: readonly Delivered[]): Promise<void> => Promise.resolve();
  const wake = (): void => {};
  const stop = async (): Promise<void> => {};
  const start: Subscription['start'] = take => (bring = take);
  const service = await wired(store, async () => learnedOf(2), { start, wake, stop });
  await service.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await service.handle(source, streams.source(1), create, origin(1));
  await service.handle(days, streams.days(1), imported(3, 'recent', '2024-01-01'), origin(3));
  const [, created, recent] = await logOf(store);
  if (!created || !recent) throw new Error('too few events');
  const done: string[] = [];
  const failed = (error: unknown) => t.fail(String(error));
  await bring([{ event: recent, done: () => done.push('check'), failed }]);
  await new Promise(resolve => setTimeout(resolve, 50));
  t.strictSame(done, [], 'the check waits');
  await bring([{ event: created, done: () => done.push('analysis'), failed }]);
  await service.quiet();
  t.strictSame(done, ['analysis', 'check']);
  const checked = (await logOf(store)).findLast(({ type }) => type !== 'AlertsGrouped');
  t.match(checked, { type: 'AlertRaised' }, 'with the models of the awaited analysis');
  await service.stop();
});

t.test('process manager: checks of days with the most findings fit into an append', async t => {
  const store = memoryStore();
  const wide = (level: number) => Array<number>(144).fill(level);
  const learned = learnedOf(1);
  const [model] = learned.models;
  if (!model) throw new Error('no model');
  const models = [{ ...model, activity: wide(0), topTolerance: wide(0), bottomTolerance: wide(0) }];
  const service = await wired(store, async () => ({ ...learned, models }));
  const facts = factsOf(1, 144);
  await service.handle(source, streams.source(1), { ...create, facts }, origin(1));
  await service.quiet();
  // Numbers with the maximum number of digits.
  const worst = wide(0).map(
    (_, slice) => (slice % 2 === 0 ? 1 : -1) * 1.234_567_890_123_456_7e-100 * (slice + 1),
  );
  const dates = Array.from({ length: 31 }, (_, n) => `2024-01-${String(n + 1).padStart(2, '0')}`);
  for (const [part, month] of ['2024-01', '2024-03', '2024-05', '2024-07'].entries()) {
    const command = {
      ...imported(3, 'recent', ''),
      part: part + 1,
      parts: 4,
      days: dates.map(date => ({ ...dayOf(date), date: month + date.slice(7), activity: worst })),
    };
    await service.handle(days, streams.days(1), command, origin(3 + part));
  }
  await service.quiet();
  t.strictSame(service.faults, []);
  const log = await logOf(store);
  t.equal(log.filter(({ type }) => type === 'AlertRaised').length, 124);
  t.match(log.find(({ type }) => type === 'AlertRaised')?.data, { slices: { length: 144 } });
  await service.stop();
});

t.test('process manager: handled events cause nothing after a rebuild of the read models', async t => {
  const store = memoryStore();
  let runs = 0;
  const run = async () => {
    runs += 1;
    return learnedOf(2);
  };
  const first = await wired(store, run);
  await first.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await first.handle(source, streams.source(1), create, origin(1));
  await first.handle(days, streams.days(1), imported(3, 'recent', '2024-01-01'), origin(3));
  await first.quiet();
  const plan = { type: 'PlanDay', requestId: id(4), date: '2024-01-01', modelId: 2 } as const;
  await first.handle(source, streams.source(1), plan, origin(4));
  const clear = { type: 'ClearDayPlan', requestId: id(5), date: '2024-01-01' } as const;
  await first.handle(source, streams.source(1), clear, origin(5));
  await first.quiet();
  await first.stop();
  const before = await logOf(store);

  const second = await wired(store, run);
  for (const event of before) t.equal(second.reacts.isDue(event), false, `${event.type} is handled`);
  await second.quiet();
  t.strictSame(await logOf(store), before);
  t.equal(runs, 1);
  await second.stop();
});

t.test('process manager: a failed analysis is an event, a later one may succeed', async t => {
  const store = memoryStore();
  let failing = true;
  const service = await wired(store, async () => {
    if (failing) throw new RangeError('got NaN, expected a number');
    return learnedOf(2);
  });
  await service.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await service.handle(source, streams.source(1), create, origin(1));
  await service.quiet();
  t.match((await logOf(store)).at(-1), {
    type: 'AnalysisFailed',
    data: { requestId: id(1), code: 'analysisFailed', detail: 'got NaN, expected a number' },
  });
  t.match(service.models.sources.one(1, '9999-12-31')?.analysis, { status: 'failed' });
  failing = false;
  await service.handle(source, streams.source(1), ask(3), origin(3));
  await service.quiet();
  t.match(service.models.sources.one(1, '9999-12-31')?.analysis, { status: 'completed', modelsVersion: 1 });
  t.strictSame(service.faults, []);
  await service.stop();
});

t.test('process manager: a newer reset aborts the running analysis', async t => {
  const store = memoryStore();
  const ended: string[] = [];
  let calls = 0;
  const service = await wired(store, async signal => {
    calls += 1;
    if (calls > 1) return learnedOf(2);
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => {
        ended.push('first');
        reject(Object.assign(new Error('ended'), { name: 'AbortError' }));
      }),
    );
  });
  await service.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await service.handle(source, streams.source(1), create, origin(1));
  while (!service.reacts.isAnalysing(1)) await new Promise(resolve => setTimeout(resolve, 5));
  await service.handle(source, streams.source(1), ask(3), origin(3));
  await service.quiet();
  t.strictSame(ended, ['first']);
  const resets = (await logOf(store)).filter(({ type }) => type === 'ModelsReset');
  t.strictSame(
    resets.map(({ data }) => (data as { requestId: string }).requestId),
    [id(3)],
  );
  t.strictSame(service.faults, [], 'the end of the first is no fault');
  await service.stop();
});

t.test('process manager: an unreachable store is retried, without duplicates', async t => {
  const inner = memoryStore();
  let failures = 0;
  const store: EventStore = {
    ...inner,
    append: async (stream, expected, events) => {
      const isOwn = events[0]?.metadata.by === 'reactor';
      if (isOwn && failures === 0) {
        failures += 1;
        throw new StoreUnavailable('nothing is stored');
      }
      const answer = await inner.append(stream, expected, events);
      // The second append is stored, its acknowledgement is lost; the third stores nothing.
      if (isOwn && (failures += 1) <= 3) throw new StoreUnavailable('not now');
      return answer;
    },
  };
  const service = await wired(store, async () => learnedOf(2));
  await service.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await service.handle(source, streams.source(1), create, origin(1));
  await service.quiet();
  t.ok(failures >= 3, 'the store failed');
  t.strictSame(await typesOf(store), ['DaysImported', 'SourceCreated', 'ModelsReset', 'DaysChecked']);
  t.match(service.models.days.check((await logOf(store))[2]?.id ?? ''), { parts: 1, complete: true });
  t.strictSame(service.faults, []);
  await service.stop();
});

t.test('process manager: an invalid analysis result is recorded as an event', async t => {
  const store = memoryStore();
  const service = await wired(store, async () => ({ ...learnedOf(1), models: undefined }));
  await service.handle(days, streams.days(1), imported(2, 'reference', '2023-01-01'), origin(2));
  await service.handle(source, streams.source(1), create, origin(1));
  await service.quiet();
  t.match(
    (await logOf(store)).at(-1),
    { type: 'AnalysisFailed' },
    'an invalid result is recorded as AnalysisFailed',
  );
  await service.stop();
});

t.test('process manager: delivered events wait while the log cannot be read', async t => {
  let bring = (_: readonly Delivered[]): Promise<void> => Promise.resolve();
  const done: string[] = [];
  let tries = 0;
  const away = async (): Promise<void> => {
    tries += 1;
    if (tries < 4) throw new StoreUnavailable('away');
  };
  const subscription: Subscription = { start: take => (bring = take), wake: () => {}, stop: async () => {} };
  const nothingDue = { isDue: () => false, end: () => {} } as unknown as FollowUps;
  const log = pino({ level: 'silent' });
  const reacting = processManager({
    subscription,
    caughtUp: away,
    followUps: nothingDue,
    parking: { isParked: () => false, park: (_, error) => t.fail(String(error)) },
    log,
    environment: system,
  });
  const event = { id: id(1), type: 'DayPlanned', stream: 'source-1' } as KnownEvent;
  await bring([{ event, done: () => done.push('done'), failed: error => t.fail(String(error)) }]);
  t.strictSame([tries, done], [4, ['done']]);
  await reacting.stop();
});

t.test('process manager: a job counts for the tenant of its source until it is done', async t => {
  let bring = (_: readonly Delivered[]): Promise<void> => Promise.resolve();
  const ends = new Map<string, () => void>();
  const subscription: Subscription = { start: take => (bring = take), wake: () => {}, stop: async () => {} };
  const run = ({ stream }: KnownEvent) => new Promise<void>(resolve => ends.set(stream, resolve));
  const reacting = processManager({
    subscription,
    caughtUp: async () => {},
    followUps: { isDue: () => true, run, end: () => {} } as unknown as FollowUps,
    parking: { isParked: () => false, park: (_, error) => t.fail(String(error)) },
    tenantOf: sourceId => (sourceId < 3 ? 'north' : 'south'),
    log: pino({ level: 'silent' }),
    environment: system,
  });
  const doing = [1, 2, 3].map(
    sourceId =>
      new Promise<void>((done, failed) => {
        const event = { id: id(sourceId), type: 'DayPlanned', stream: `source-${sourceId}` } as KnownEvent;
        void bring([{ event, done, failed }]);
      }),
  );
  const counts = () => [reacting.backlog(), ...['north', 'south', 'east'].map(reacting.backlogOf)];
  while (ends.size < 3) await new Promise(resolve => setImmediate(resolve));
  t.strictSame(counts(), [3, 2, 1, 0]);
  for (const [sourceId, left] of [
    [1, [2, 1, 1, 0]],
    [3, [1, 1, 0, 0]],
    [2, [0, 0, 0, 0]],
  ] as const) {
    ends.get(`source-${sourceId}`)!();
    await doing[sourceId - 1];
    await new Promise(resolve => setImmediate(resolve));
    t.strictSame(counts(), left);
  }
  await reacting.stop();
});

t.test('process manager: the work of one tenant leaves room for the checks of others', async t => {
  let bring = (_: readonly Delivered[]): Promise<void> => Promise.resolve();
  const subscription: Subscription = { start: take => (bring = take), wake: () => {}, stop: async () => {} };
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = ({ id: event }: KnownEvent) => {
    started.push(event);
    return new Promise<void>(resolve => ends.push(resolve));
  };
  const reacting = processManager({
    subscription,
    caughtUp: async () => {},
    followUps: { isDue: () => true, run, end: () => {} } as unknown as FollowUps,
    parking: { isParked: () => false, park: (_, error) => t.fail(String(error)) },
    tenantOf: sourceId => (sourceId === 9999 ? 'south' : 'north'),
    log: pino({ level: 'silent' }),
    environment: system,
  });
  const failed = (error: unknown) => t.fail(String(error));
  const deliveredOf = (type: string, sourceId: number, mayWait = true): Delivered => {
    const event = { id: `${type} ${sourceId}`, type, stream: `source-${sourceId}`, data: {} };
    return { event: event as unknown as KnownEvent, done: () => {}, failed, mayWait };
  };
  const turn = () => new Promise(resolve => setImmediate(resolve));
  const north = Array.from({ length: 2000 }, (_, n) => deliveredOf('DayPlanned', n + 1));
  await bring([
    ...north,
    deliveredOf('DayPlanned', 9999),
    deliveredOf('ModelsResetRequested', 1),
    deliveredOf('DayPlanCleared', 2000, false),
  ]);
  await turn();
  t.strictSame(started.length, 503, 'half of the jobs are of the first tenant');
  t.strictSame(started.slice(-3), ['DayPlanned 9999', 'ModelsResetRequested 1', 'DayPlanCleared 2000']);
  t.strictSame([reacting.backlogOf('north'), reacting.backlogOf('south')], [2002, 1]);
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await turn();
  }
  t.strictSame(reacting.backlog(), 0);
  const planned = started.filter(id => id.startsWith('DayPlanned ') && id !== 'DayPlanned 9999');
  t.strictSame(
    planned,
    north.map(({ event }) => event.id),
    'the jobs of a tenant start in their order',
  );
  await reacting.stop();
});
