import { openTemporaryReadModels } from '../../../adapters/composition/openLog.js';
import { type EventStore, eventsOfSource } from '../../../application/ports/eventStore.js';
import { system } from '../../../adapters/environment.js';
import t from 'tap';
import { HistoryTooLong, asOf, momentOf } from '../../../application/requests/history/asOf.js';
import { commandHandler } from '../../../application/commands/commandHandler.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { turns } from '../../../application/ports/sharing/turns.js';
import { days } from '../../../domain/days.js';
import { source } from '../../../domain/source/source.js';
import { dayOf, factsOf, id, instant, learnedOf, origin } from '../../helpers/data/samples.js';

const asker = { tenant: 'default' };

const parts = (store: Pick<EventStore, 'read'>) => ({
  store,
  turns: turns(system),
  openTemporary: openTemporaryReadModels,
});

/** A log of two sources with models; events are one second apart. */
const filled = async () => {
  const store = memoryStore();
  const handle = commandHandler(store, () => {}, system);
  let n = 0;
  for (const sourceId of [1, 2]) {
    const requestId = id(100 + sourceId);
    const reference = {
      type: 'ImportDays',
      sourceId,
      importId: requestId,
      kind: 'reference',
      part: 1,
      parts: 1,
      days: [dayOf('2023-01-01')],
      summary: { lines: 1, duplicates: 0, missingSamples: 0, filledSamples: 0, days: 1, warnings: [] },
    } as const;
    await handle(days, `days-${sourceId}`, reference, origin((n += 1)));
    const create = { type: 'CreateSource', requestId, facts: factsOf(sourceId), seed: 1 } as const;
    await handle(source, `source-${sourceId}`, create, origin((n += 1)));
    const learned = { type: 'ResetModels', requestId, learned: learnedOf(2) } as const;
    await handle(source, `source-${sourceId}`, learned, origin((n += 1)));
  }
  const plan = (sourceId: number, date: string, decided: number) =>
    handle(
      source,
      `source-${sourceId}`,
      { type: 'PlanDay', requestId: id(500 + decided), date, modelId: 2 } as const,
      { ...origin(500 + decided), at: instant(decided) },
    );
  const end = async (): Promise<bigint> => {
    let last = 0n;
    for await (const { position } of store.all(0n)) last = position;
    return last;
  };
  return { store, plan, end };
};

t.test('events of a source: its streams are merged in log order', async t => {
  const { store, plan } = await filled();
  await plan(2, '2024-01-01', 20);
  await plan(1, '2024-01-01', 21);
  const read = async (sourceId: number): Promise<string[]> => {
    const found: string[] = [];
    for await (const { type, position } of eventsOfSource(store, sourceId)) found.push(`${position} ${type}`);
    return found;
  };
  t.strictSame(await read(1), ['1 DaysImported', '2 SourceCreated', '3 ModelsReset', '8 DayPlanned']);
  t.strictSame(await read(2), ['4 DaysImported', '5 SourceCreated', '6 ModelsReset', '7 DayPlanned']);
  t.strictSame(await read(3), []);
});

t.test('a moment is a position, the end of a date, or an instant', async t => {
  t.strictSame(momentOf('42'), { position: 42n });
  t.strictSame(momentOf('2024-02-29'), { instant: '2024-02-29T23:59:59.999Z' });
  t.strictSame(momentOf('2024-02-29T12:00:00Z'), { instant: '2024-02-29T12:00:00.000Z' });
  t.strictSame(momentOf('2024-02-29T12:00:00.5+02:00'), { instant: '2024-02-29T10:00:00.500Z' });
  for (const text of [
    '',
    '-1',
    '2023-02-29',
    '2023-02-29T12:00:00Z',
    '2024-02-29T24:00:00Z',
    '2024-02-29T12:00Z',
  ])
    t.equal(momentOf(text), undefined, text);
});

t.test('as of: an event stored late but decided earlier is included in the next answer', async t => {
  const { store, plan, end } = await filled();
  let present = await end();
  const known = asOf({ ...parts(store), end: () => present });
  t.teardown(known.close);
  const originAt = async (second: number) =>
    (await known.at([1], { instant: instant(second) }, asker)).planning.day(1, '2024-01-01').origin;
  t.equal(await originAt(30), 'automatic');
  await plan(1, '2024-01-01', 29);
  t.equal(await originAt(30), 'automatic', 'not before the present read models contain it');
  present = await end();
  t.equal(await originAt(30), 'manual');
  t.equal(await originAt(28), 'automatic');
  await plan(1, '2024-01-01', 40);
  await plan(1, '2024-02-01', 31);
  present = await end();
  t.equal(await originAt(30), 'manual', 'as of: an instant includes events decided at it or before');
});

t.test('as of: an answer reads a bounded number of events', async t => {
  const { store, end } = await filled();
  const last = await end();
  const known = asOf({ ...parts(store), end: () => last, eventsMax: 5 });
  t.teardown(known.close);
  t.strictSame((await known.at([1], { position: last }, asker)).sources.ids('default'), [1]);
  await t.rejects(known.at([1, 2], { position: last }, asker), HistoryTooLong);
  const decided = await known.at([1, 2], { position: last }, asker, 'decisions');
  t.strictSame(decided.typicalDays.list(2).length, 2, 'without the days');
  t.strictSame((await known.at([1, 2], { position: last - 1n }, asker)).sources.ids('default'), [1, 2]);
});

t.test('as of: the checkpoint is the last event of the sources, in any order', async t => {
  const { store, end } = await filled();
  const last = await end();
  const known = asOf({ ...parts(store), end: () => last });
  t.teardown(known.close);
  for (const ids of [
    [1, 2],
    [2, 1],
  ])
    t.equal((await known.at(ids, { position: last }, asker)).checkpoint('readModels').position, last);
});

t.test('as of: cached alerts name the incidents that they are in now', async t => {
  const { store, end } = await filled();
  const last = await end();
  let count = 1;
  const grouped = () => [
    {
      ...{ alertId: '1-20240101-1', incidentId: `inc-1-20240101-${count}`, sourceId: 1, date: '2024-01-01' },
      ...{ joinedOrder: 1, joinedAt: instant(1) },
    },
  ];
  const incidents = { eventCount: () => count, membership: grouped };
  const known = asOf({ ...parts(store), end: () => last, incidents });
  t.teardown(known.close);
  const named = async () =>
    (await known.at([1], { position: last }, asker)).incidents
      .membership(['1-20240101-1'])
      .map(({ incidentId }) => incidentId);
  t.strictSame(await named(), ['inc-1-20240101-1']);
  count = 2;
  t.strictSame(await named(), ['inc-1-20240101-2'], 'after a split or a merge');
});

t.test('as of: concurrent requests for more instants than are cached are all correct', async t => {
  const { store, plan, end } = await filled();
  for (let n = 0; n < 12; n += 1) await plan(1, `2024-01-${String(n + 10)}`, 50 + n);
  const last = await end();
  const known = asOf({ ...parts(store), end: () => last });
  t.teardown(known.close);
  const counts = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const models = await known.at([1], { instant: instant(50 + n) }, asker);
      return models.planning.year(1, 2024).filter(day => day.origin === 'manual').length;
    }),
  );
  t.strictSame(
    counts,
    Array.from({ length: 12 }, (_, n) => n + 1),
  );
});

t.test('as of: read models stay open while a query holds them, and are closed once after it', async t => {
  const { store, end } = await filled();
  const last = await end();
  let open = 0;
  const known = asOf({
    ...parts(store),
    end: () => last,
    openTemporary: () => {
      const { models, close } = openTemporaryReadModels();
      open += 1;
      return {
        models,
        close: () => {
          open -= 1;
          close();
        },
      };
    },
  });
  const held = await known.at([1], { position: 3n }, asker);
  const release = [known.hold(held), known.hold(held)];
  for (const position of [1n, 2n, 4n, 5n, 6n]) await known.at([1], { position }, asker);
  await parts(store).turns.nextTurn();
  t.equal(open, 5, 'four cached ones and the held one');
  release[0]?.();
  release[0]?.();
  t.strictSame(held.sources.ids('default'), [1], 'one query holds it still');
  release[1]?.();
  t.equal(open, 4);
  const cached = await known.at([1], { position: 6n }, asker);
  const late = known.hold(cached);
  known.close();
  late();
  t.equal(open, 0);
});

t.test('as of: sources without an event at the moment, and many alerts, are read in turns', async t => {
  const { store, end } = await filled();
  const last = await end();
  let steps = 0;
  const known = asOf({
    ...parts(store),
    turns: { ...turns(system), yielderFor: () => () => void (steps += 1) },
    end: () => last,
  });
  t.teardown(known.close);
  const sourceIds = Array.from({ length: 500 }, (_, index) => index + 1);
  await known.at(sourceIds, { position: 0n }, asker);
  t.ok(steps >= 500, `${steps} steps for 500 sources`);

  const asked: number[] = [];
  const alerting = asOf({
    ...parts(store),
    openTemporary: () => {
      const { models, close } = openTemporaryReadModels();
      const ids = Array.from({ length: 1000 }, (_, index) => `alert-${String(index).padStart(4, '0')}`);
      const alertsAfter = (after: string, limit: number) => ids.filter(one => one > after).slice(0, limit);
      return { models: { ...models, incidents: { ...models.incidents, alertsAfter } }, close };
    },
    incidents: { membership: ids => (asked.push(ids.length), []), eventCount: () => 1 },
    end: () => last,
  });
  t.teardown(alerting.close);
  await alerting.at([1], { position: last }, asker);
  t.equal(
    asked.reduce((sum, each) => sum + each),
    1000,
  );
  t.ok(Math.max(...asked) <= 200, 'a part of them at once');
});
