import { pino } from 'pino';
import t from 'tap';
import { StoreUnavailable } from '../../../application/ports/eventStore.js';
import type { CommandHandler } from '../../../application/commands/commandHandler.js';
import { parking } from '../../../application/reading/parking.js';
import { pointClock, type PointClockParts } from '../../../application/requests/points/pointClock.js';
import { appendImport } from '../../../application/requests/useCases/importDays.js';
import { catalog } from '../../../domain/catalog.js';
import { days } from '../../../domain/days.js';
import { source } from '../../../domain/source/source.js';
import { streams } from '../../../domain/streams.js';
import { dayOf, factsOf, id, origin } from '../../helpers/data/samples.js';
import { summary } from '../../helpers/data/sourceHistory.js';
import { memoryService } from '../../helpers/memoryService.js';
import { eventually } from '../../helpers/service.js';

const date = '2024-02-09';
const closesAt = '2024-02-10T00:15:00.000Z';
const open = { ...summary, days: 1, inProgress: [{ date, elapsed: 1, closesAt }] };

/** Two sources with a date in progress, half an hour after its midnight. */
const started = async () => {
  const { clock, store, service, events } = await memoryService();
  const { handle, models, caughtUp, environment } = service;
  clock.nowMs = Date.parse(closesAt) + 15 * 60_000;
  const reserve = { type: 'ReserveSourceId', requestId: 'b' } as const;
  await handle(catalog, streams.catalog, reserve, origin(10));
  const create = { type: 'CreateSource', requestId: 'b', facts: factsOf(2), seed: 1 } as const;
  await handle(source, streams.source(2), create, origin(11));
  const openDate = (sourceId: number, importId: string, n: number) =>
    appendImport(
      service,
      { sourceId, kind: 'recent', imported: { days: [dayOf(date)], summary: open } },
      importId,
      origin(n),
    );
  await openDate(1, 'first-1', 12);
  await openDate(2, 'first-2', 13);
  await caughtUp();
  const log = pino({ level: 'silent' });
  const guards = parking({ models, write: change => change(), log });
  const begin = (parts: Partial<PointClockParts> = {}) => {
    const buffer = { sourcesWaiting: async () => [] };
    const resumedAt = () => '2024-02-09T00:00:00.000Z';
    const [store, forget] = [async () => true, async () => undefined];
    const all = { models, handle, environment, log, buffer, resumedAt, store, forget, ...parts };
    const { start, stop } = pointClock({ ...all, parking: guards });
    start();
    return stop;
  };
  const closed = async () => {
    await caughtUp();
    return events.flatMap(({ type, data }) => (type === 'DateClosed' ? [data.sourceId] : []));
  };
  return { clock, store, handle, openDate, caughtUp, begin, closed, models, environment };
};

t.test(
  'after an outage dates wait for what senders kept: five minutes, or the lateness of the source',
  async t => {
    const { clock, begin, closed, models } = await started();
    const resumedMs = clock.nowMs;
    const setup: typeof models.sources.setup = id => {
      const source = models.sources.setup(id);
      return source && { ...source, lateness: id === 1 ? 'PT15M' : 'PT0M' };
    };
    const closedAfter = async (minutes: number): Promise<readonly number[]> => {
      clock.nowMs = resumedMs + minutes * 60_000;
      let looks = 0;
      const stop = begin({
        models: { ...models, sources: { ...models.sources, setup } },
        buffer: { sourcesWaiting: async () => ((looks += 1), []) },
        resumedAt: () => new Date(resumedMs).toISOString(),
      });
      await eventually('a look', async () => looks > 0 || undefined);
      await stop();
      return closed();
    };
    t.strictSame(await closedAfter(4), []);
    t.strictSame(await closedAfter(5), [2]);
    t.strictSame(await closedAfter(14), [2]);
    t.strictSame(await closedAfter(15), [2, 1]);
  },
);

t.test('a date that an earlier build opened again closes again, and other dates close', async t => {
  const { store, caughtUp, begin, closed } = await started();
  const first = begin();
  await eventually('closed dates', async () => (await closed()).length === 2 || undefined);
  await first();
  const again = { sourceId: 1, importId: id(7), kind: 'recent', part: 1, parts: 1, days: [dayOf(date)] };
  const data = { ...again, summary: open };
  const metadata = { by: 'anna', cause: id(7), correlation: id(7) };
  const envelope = { id: id(7), type: 'DaysImported', v: 1, at: closesAt, metadata };
  let revision = -1;
  for await (const event of store.read(streams.days(1))) revision = event.revision;
  await store.append(streams.days(1), revision, [{ ...envelope, data } as never]);
  await caughtUp();
  const second = begin();
  await eventually('the second closing', async () => (await closed()).length === 3 || undefined);
  await second();
  t.strictSame((await closed()).sort(), [1, 1, 2]);
});

t.test('a closed date stays closed when days come that were read before its end', async t => {
  const { openDate, begin, closed, handle } = await started();
  const stop = begin();
  await eventually('closed dates', async () => (await closed()).length === 2 || undefined);
  await openDate(1, 'second-1', 14);
  const close = {
    type: 'CloseDate',
    sourceId: 1,
    date,
    rule: { activitySize: 4, interpolates: false },
  } as const;
  t.strictSame((await handle(days, streams.days(1), close, origin(15))).events, []);
  await stop();
});

t.test('a source that cannot be stored does not keep the dates of others open', async t => {
  const { handle, begin, closed } = await started();
  const refusing: CommandHandler = (decider, stream, ...rest) => {
    if (stream === streams.days(1)) throw new Error('this source cannot be stored');
    return handle(decider, stream, ...rest);
  };
  const stop = begin({ handle: refusing });
  await eventually('the other date', async () => (await closed()).length === 1 || undefined);
  await stop();
  t.strictSame(await closed(), [2]);
});

t.test('a date does not close before its last slices, which the store could not take', async t => {
  const { begin, closed } = await started();
  const buffer = { sourcesWaiting: async () => [1] };
  const turn = () => new Promise(resolve => setImmediate(resolve));
  for (const result of [Promise.reject(new StoreUnavailable('the disk is busy')), Promise.resolve(false)]) {
    let calls = 0;
    const stop = begin({ buffer, store: () => ((calls += 1), result) });
    await eventually('the other date', async () => (calls > 0 && (await closed()).includes(2)) || undefined);
    for (let count = 0; count < 50; count += 1) await turn();
    await stop();
    t.strictSame(await closed(), [2]);
  }
  const stop = begin({ buffer, store: async () => Promise.reject(new Error('a bug')) });
  await eventually('both dates', async () => (await closed()).length === 2 || undefined);
  await stop();
});

t.test('work on one source does not delay the dates of others, and the stop waits for it', async t => {
  const { begin, closed } = await started();
  let end = (): void => {};
  const buffer = { sourcesWaiting: async () => [1] };
  const stop = begin({ buffer, store: () => new Promise(resolve => (end = () => resolve(true))) });
  await eventually('the other date', async () => (await closed()).length === 1 || undefined);
  t.strictSame(await closed(), [2]);
  end();
  await stop();
});

t.test('many sources with waiting points are looked through in turns', async t => {
  const { begin, models, environment } = await started();
  let turns = 0;
  let elapsedMs = 0;
  const turnOf: number[] = [];
  const setup: typeof models.sources.setup = id => {
    turnOf.push(turns);
    return models.sources.setup(id);
  };
  const keys = Array.from({ length: 50 }, (_, index) => 100 + index);
  const stop = begin({
    buffer: { sourcesWaiting: async () => keys },
    models: { ...models, sources: { ...models.sources, setup } },
    environment: {
      ...environment,
      elapsedMs: () => (elapsedMs += 10),
      nextTurn: () => ((turns += 1), environment.nextTurn()),
    },
  });
  await eventually('a look at all of them', async () => turnOf.length >= keys.length || undefined);
  await stop();
  t.ok(new Set(turnOf.slice(0, keys.length)).size >= keys.length - 1, turnOf.join(' '));
});
