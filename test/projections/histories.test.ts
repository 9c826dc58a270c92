import { system } from '../../adapters/environment.js';
import { Database } from '../../adapters/sqlite/driver.js';
import fc from '../helpers/property.js';
import t from 'tap';
import { projectionRunner } from '../../application/reading/projectionRunner.js';
import {
  commandHandler,
  type CommandHandler,
  type CommandMetadata,
} from '../../application/commands/commandHandler.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { alerts, type AlertsCommand } from '../../domain/alerts/alerts.js';
import { catalog } from '../../domain/catalog.js';
import { days } from '../../domain/days.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { isCause, type CauseEvent, followUpOf, followUpTypes, isGrouped } from '../../domain/followUps.js';
import { decode, type KnownEvent } from '../../domain/events.js';
import { sourceOf, streams } from '../../domain/streams.js';
import { Rejection } from '../../domain/rejection.js';
import { source } from '../../domain/source/source.js';
import type { SourceCommand } from '../../domain/source/sourceCommands.js';
import { readModels, type ReadModels } from '../../projections/readModels.js';
import { overviewQueries } from '../../projections/overview.js';
import { sourceQueries } from '../../projections/sources/sourceQueries.js';
import { dayOf, draft, factsOf, findingOf, id, instant, learnedOf } from '../helpers/data/samples.js';
import { dueFollowUps } from '../helpers/logs/dueFollowUps.js';
import { listed } from '../helpers/logs/storeContract.js';
import { dumpedTables } from '../helpers/data/tables.js';
import { through, holding, imported, everything } from '../helpers/data/sourceHistory.js';
import { amount } from '../helpers/amount.js';

// Random histories

type Step = {
  readonly on: 1 | 2;
  readonly do:
    | SourceCommand
    | AlertsCommand
    | {
        readonly type: 'Import';
        readonly n: number;
        readonly sizes: readonly number[];
        readonly first: string;
      }
    /** Changes the alert of the source that is `which` before the last raised one. */
    | {
        readonly type: 'Move';
        readonly move: 'AcknowledgeAlert' | 'ResolveAlert' | 'ReopenAlert';
        readonly which: number;
      };
};

const anyStep: fc.Arbitrary<Step> = (() => {
  const dates = Array.from({ length: 6 }, (_, n) => dateOf(dayNumber('2024-02-27') + n));
  const request = fc.integer({ min: 1, max: 15 });
  const date = fc.constantFrom(...dates);
  // An import always has the same parts.
  const sizesOf = [[1], [2], [1, 2], [2, 2, 1]];
  const check = fc
    .record({
      cause: fc.integer({ min: 2000, max: 2100 }),
      type: fc.constantFrom('DaysImported', 'ModelsReset', 'ModelsReplaced', 'DayPlanned', 'DayPlanCleared'),
      part: fc.integer({ min: 1, max: 2 }),
      places: fc.subarray([0, 1, 2], { minLength: 1 }),
      planned: fc.constantFrom(null, 1, 2),
      digest: fc.integer({ min: 1, max: 3 }),
      abnormal: fc.boolean(),
      known: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ cause, type, part, places, planned, digest, abnormal, known }): AlertsCommand => ({
      type: 'RecordCheck',
      sourceId: 1,
      cause: { id: id(cause), type },
      part,
      last: part === 2,
      engine: 'test 1',
      modelsVersion: digest,
      knowledge: { source: known, days: known },
      // A cause checks a date once: dates of February in its first part, of March in its second.
      days: places.map((place, n) => ({
        date: dates[3 * (part - 1) + place] ?? '',
        importId: id(6002 + digest),
        dayDigest: `digest ${digest}`,
        plannedModelId: planned,
        outcome: abnormal && n % 2 === 0 ? 'abnormal' : 'normal',
        finding: abnormal && n % 2 === 0 ? findingOf(planned, digest / 4) : null,
      })),
    }));
  const command: fc.Arbitrary<Step['do']> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .tuple(request, date, fc.constantFrom('Fair', 'Market'))
        .map(([n, on, name]): SourceCommand => ({
          type: 'NameSpecialDay',
          requestId: id(n),
          date: on,
          name,
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(request, date)
        .map(([n, on]): SourceCommand => ({ type: 'ClearSpecialDay', requestId: id(n), date: on })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(request, fc.constantFrom('Fair', 'Market'), fc.array(date, { minLength: 1, maxLength: 3 }))
        .map(([n, name, days]): SourceCommand => ({
          type: 'ApplyCalendarRule',
          requestId: id(n),
          rule: {
            ...{ ruleId: id(n), name, rule: null, from: '2024-01-01', to: '2024-12-31' },
            dates: [...new Set(days)].sort(),
          },
        })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(request, request).map(([n, rule]): SourceCommand => ({
        type: 'WithdrawCalendarRule',
        requestId: id(n),
        ruleId: id(rule),
      })),
    },
    {
      weight: 2,
      arbitrary: request.map((n): SourceCommand => ({
        type: 'RequestModelsReset',
        requestId: id(n),
        modelCount: 2,
        seed: n,
      })),
    },
    {
      weight: 5,
      arbitrary: fc.tuple(request, fc.integer({ min: 0, max: 3 })).map(([n, count]): SourceCommand => ({
        type: 'ResetModels',
        requestId: id(n),
        learned: learnedOf(count),
      })),
    },
    {
      weight: 1,
      arbitrary: request.map((n): SourceCommand => ({
        type: 'FailAnalysis',
        requestId: id(n),
        code: 'c',
        detail: `d ${n}`,
      })),
    },
    {
      weight: 1,
      arbitrary: request.map((n): SourceCommand => ({
        type: 'ReplaceModels',
        requestId: id(n),
        models: [draft('A'), draft('B', 20, n % 2 === 0)],
        engine: 'test 1',
        assignments: [{ date: '2023-01-02', model: n % 2 }],
      })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(request, date, fc.integer({ min: 1, max: 6 }))
        .map(([n, date, modelId]): SourceCommand => ({ type: 'PlanDay', requestId: id(n), date, modelId })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(request, date)
        .map(([n, date]): SourceCommand => ({ type: 'ClearDayPlan', requestId: id(n), date })),
    },
    { weight: 6, arbitrary: check },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.integer({ min: 3001, max: 3100 }), date)
        .map(
          ([n, first]) => ({ type: 'Import', n, sizes: sizesOf[n % sizesOf.length] ?? [], first }) as const,
        ),
    },
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom('AcknowledgeAlert', 'ResolveAlert', 'ReopenAlert'), fc.nat(5))
        .map(([move, which]) => ({ type: 'Move', move, which }) as const),
    },
  );
  return fc
    .tuple(fc.constantFrom<1 | 2>(1, 2), command)
    .map(([on, command]) => ({ on, do: command }) as Step);
})();

/** Executes the steps; skips those that the deciders refuse. */
const history = async (steps: readonly Step[], appended: () => void, store = memoryStore()) => {
  const handle = commandHandler(store, appended, system);
  let count = 0;
  const origin = (): CommandMetadata => {
    count += 1;
    const eventId = id(10_000 + count);
    return {
      id: eventId,
      isRetry: false,
      by: count % 3 === 0 ? 'zoë' : 'reactor',
      cause: id(2000 + (count % 100)),
      correlation: eventId,
      at: instant(count),
    };
  };
  const raisedIds: Record<1 | 2, string[]> = { 1: [], 2: [] };
  const pending: Record<1 | 2, string | null> = { 1: id(1), 2: id(2) };
  for (const sourceId of [1, 2] as const) {
    await handle(catalog, streams.catalog, { type: 'ReserveSourceId', requestId: id(sourceId) }, origin());
    const facts = { ...factsOf(sourceId), tenant: sourceId === 1 ? 'default' : 'north' };
    const command = { type: 'CreateSource', requestId: id(sourceId), facts, seed: 1 } as const;
    await handle(source, streams.source(sourceId), command, origin());
  }
  const run = async ({ on, do: command }: Step): Promise<void> => {
    switch (command.type) {
      case 'RecordCheck': {
        // The cause of a check is an event of the same source.
        const cause = { ...command.cause, id: `${command.cause.id}-${on}` };
        const check = { ...command, sourceId: on, cause };
        const { events } = await handle(alerts, streams.alerts(on), check, origin());
        for (const { type, data } of events) if (type === 'AlertRaised') raisedIds[on].push(data.alertId);
        return;
      }
      case 'Move': {
        const alertId = raisedIds[on].at(-1 - command.which);
        if (alertId === undefined) return;
        const move: AlertsCommand =
          command.move === 'ResolveAlert'
            ? {
                type: command.move,
                alertId,
                verdict: 'notAnomaly',
                comment: command.which === 0 ? null : 'so',
              }
            : { type: command.move, alertId };
        await handle(alerts, streams.alerts(on), move, origin());
        return;
      }
      case 'Import': {
        let day = dayNumber(command.first);
        // Every fifth import lacks its last part, as after a crash.
        const parts = command.n % 5 === 0 ? command.sizes.length - 1 : command.sizes.length;
        for (const [index, size] of command.sizes.slice(0, parts).entries()) {
          const importedDays = Array.from({ length: size }, () => dayOf(dateOf(day++), command.n % 7));
          // The import id contains the source.
          const event = imported(
            id(2 * command.n + on),
            'recent',
            importedDays,
            index + 1,
            command.sizes.length,
            on,
          );
          await handle(days, streams.days(on), { ...event.data, type: 'ImportDays' }, origin());
        }
        return;
      }
      case 'AcknowledgeAlert':
      case 'AcknowledgeAlerts':
      case 'ResolveAlert':
      case 'ResolveAlerts':
      case 'ReopenAlert':
      case 'ReopenAlerts':
        throw new Error('unexpected command');
      default: {
        // Prefer the awaited analysis to one that is no longer awaited.
        const ends = command.type === 'ResetModels' || command.type === 'FailAnalysis';
        const effective = ends && pending[on] !== null ? { ...command, requestId: pending[on] } : command;
        const { state } = await handle(source, streams.source(on), effective, origin());
        pending[on] = state.status === 'active' ? state.pendingRequestId : null;
      }
    }
  };
  for (const step of steps)
    try {
      await run(step);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  return store;
};

/** Applies the log to read models from their checkpoint to the end. */
const followed = (store: ReturnType<typeof memoryStore>, models: ReadModels) => {
  let batches = 0;
  const runner = projectionRunner({
    store,
    after: () => models.checkpoint('readModels').position,
    apply: (events, until) => {
      batches += 1;
      models.apply(events, until);
    },
    fault: () => {},
    environment: system,
  });
  return { ...runner, batches: () => batches };
};

t.test('read models: equal for any batches, duplicates, restarts and replays', async t => {
  const eventCounts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 30, maxLength: 90, size: 'max' }),
      fc.nat(),
      async (steps, cut) => {
        const live = new Database(':memory:');
        const liveModels = readModels(live);
        const store = memoryStore();
        const following = followed(store, liveModels);
        await history(steps, following.wake, store);
        await following.catchUp();
        await following.stop();
        const wanted = JSON.stringify(dumpedTables(live));
        const assertEqual = (db: Database, title: string) => {
          const found = JSON.stringify(dumpedTables(db));
          if (found !== wanted) throw new Error(`${title}: got ${found}, expected ${wanted}`);
        };

        const events = (await listed(store.all(0n))).map(decode).filter(event => event !== undefined);
        for (const { type } of events) eventCounts.set(type, (eventCounts.get(type) ?? 0) + 1);
        const atOnce = holding(events);
        assertEqual(atOnce.db, 'all at once');

        const at = cut % (events.length + 1);
        const halves = holding(events.slice(0, at));
        // Opened again in between, as after a restart.
        readModels(halves.db).apply(events.slice(at), through(events));
        assertEqual(halves.db, `in two halves, cut at ${at}`);

        const again = followed(store, liveModels);
        await again.catchUp();
        await again.stop();
        if (again.batches() > 0) throw new Error('duplicate events were applied');
        assertEqual(live, 'each batch twice');

        liveModels.clear();
        const replay = followed(store, liveModels);
        await replay.catchUp();
        await replay.stop();
        assertEqual(live, 'cleared and replayed');

        for (const sourceId of [1, 2]) countsAreSound(liveModels, sourceId);
        for (const db of [live, atOnce.db, halves.db]) db.close();
      },
    ),
    { numRuns: amount({ quick: 10, slow: 25 }), endOnFailure: true },
  );
  for (const type of [
    'DaysImported',
    'ModelsReset',
    'ModelsReplaced',
    'DayPlanned',
    'AlertRaised',
    'AlertInvalidated',
    'AlertResolved',
  ])
    t.ok((eventCounts.get(type) ?? 0) > 0, `the histories contain ${type}`);
});

t.test('sources: counts and days that are kept are those of the rows after every event', async t => {
  const read = <Value>(_id: number, _version: number | string, read: () => Value): Value => read();
  let changes = 0;
  const numRuns = amount({ quick: 10, slow: 25 });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 30, maxLength: 90, size: 'max' }), async steps => {
      const store = memoryStore();
      const first = new Database(':memory:');
      const following = followed(store, readModels(first));
      await history(steps, following.wake, store);
      await following.stop();
      first.close();
      const db = new Database(':memory:');
      const models = readModels(db);
      const rows = {
        sources: sourceQueries(db, { setups: read, counted: read }),
        overview: overviewQueries(db, read),
      };
      let before: string | undefined;
      for await (const stored of store.all(0n)) {
        models.project([stored]);
        const [kept, found] = [models, rows].map(({ sources, overview }) =>
          JSON.stringify(
            [1, 2].map(id => [sources.one(id, '9999-12-31'), overview.entry(id, '0001-01-01', '9999-12-31')]),
          ),
        );
        if (kept !== found) throw new Error(`after ${stored.type}: got ${kept}, expected ${found}`);
        if (kept !== before) changes += 1;
        before = kept;
      }
      db.close();
    }),
    { numRuns, endOnFailure: true },
  );
  t.ok(changes > 20 * numRuns, 'the histories change counts');
});

const asksForWork = (event: KnownEvent): boolean => followUpOf(event) !== undefined || isGrouped(event);

t.test(
  'read models: work that is not done is known for any log, and a new group begins before it',
  async t => {
    let unfinished = 0;
    const numRuns = amount({ quick: 16, slow: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 5, maxLength: 60, size: 'max' }),
        // Checks of the causes in the log; the others were not reached before a crash.
        fc.infiniteStream(fc.boolean()),
        fc.nat(),
        async (steps, isChecked, cut) => {
          const store = memoryStore();
          await history(steps, () => {}, store);
          const checked = [...isChecked.take(1000)];
          const handle = commandHandler(store, () => {}, system);
          const read = async () => (await listed(store.all(0n))).map(decode).filter(one => one !== undefined);
          for (const [n, cause] of (await read()).filter(isCause).entries())
            if (checked[n]) await checkNothing(handle, cause, n);
          const all = await read();
          const events = withRelearning(all.slice(0, 1 + (cut % all.length)), cut);
          const { db, models } = holding(events);
          const due = dueFollowUps(events).map(({ position }) => position);
          unfinished += due.length;
          t.strictSame(events.map(({ position }) => position).filter(models.followUps.isDue), due);
          // Alerts that are not grouped are not counted: that would look at each source.
          const others = dueFollowUps(events).filter(event => !isGrouped(event));
          t.equal(models.followUps.dueCount(), others.length);
          for (const types of [followUpTypes, ...followUpTypes.map(type => [type])]) {
            const ofTypes = events.filter(({ type }) => types.includes(type));
            const from = models.followUps.doneUpTo(types);
            t.ok(from === 0n || events.some(({ position }) => position === from), 'the position of an event');
            const isAfter = ({ position }: KnownEvent): boolean => position > from;
            const isOpen = ({ position }: KnownEvent): boolean => due.includes(position);
            t.strictSame(ofTypes.filter(isOpen).filter(isAfter), ofTypes.filter(isOpen), 'none is left out');
            const first = ofTypes.find(isOpen);
            const asks = events.filter(one => asksForWork(one) && isAfter(one));
            if (first) t.equal(asks[0], first, 'nothing that is done is repeated before the first');
            else t.strictSame(asks, [], 'nothing is repeated');
            const counted = events.filter(one => asksForWork(one) && types.includes(one.type));
            t.equal(models.followUps.countAfter(from, types), counted.filter(isAfter).length);
          }
          db.close();
        },
      ),
      { numRuns, endOnFailure: true },
    );
    t.ok(unfinished > numRuns, `${unfinished} events whose work is not done`);
  },
);

/** A log in which a source is learned again at its end, before or after its new source was created. */
const withRelearning = (events: readonly KnownEvent[], n: number): readonly KnownEvent[] => {
  const end = through(events).position;
  const facts = { ...factsOf(3), requestId: id(70), seed: 1, relearnedFrom: 1 };
  const one = { v: 1, metadata: { by: 'anna', cause: id(71), correlation: id(71) }, at: instant(9000) };
  const asked = {
    ...one,
    ...{ id: id(72), stream: 'source-1', revision: 900, position: end + 1n },
    ...{ type: 'SourceRelearned', data: { requestId: id(71), created: { ...facts, sourceId: 3 } } },
  };
  const made = { type: 'SourceCreated', data: facts, stream: 'source-3', revision: 0, position: end + 2n };
  const added = [[], [asked], [asked, { ...one, ...made, id: id(73) }]][n % 3] as readonly KnownEvent[];
  return [...events, ...added];
};

/** Records the check of a cause, without days. */
const checkNothing = async (handle: CommandHandler, { id: causeId, type, stream }: CauseEvent, n: number) => {
  const sourceId = sourceOf(stream);
  const check: AlertsCommand = {
    type: 'RecordCheck',
    sourceId,
    cause: { id: causeId, type },
    part: 1,
    last: true,
    engine: 'test 1',
    modelsVersion: 0,
    knowledge: { source: 1000, days: 1000 },
    days: [],
  };
  const at = instant(5000 + n);
  const metadata = { isRetry: false, by: 'reactor', cause: causeId, correlation: causeId, at };
  await handle(alerts, streams.alerts(sourceId), check, { ...metadata, id: id(50_000 + n) });
};

/** Asserts that read models are consistent with each other. */
function countsAreSound(models: ReadModels, sourceId: number): void {
  const record = models.sources.one(sourceId, '9999-12-31');
  const listing = models.alerts.page({
    ...everything,
    tenant: record?.tenant ?? '',
    sourceId,
    states: ['open', 'acknowledged'],
    limit: 1000,
  });
  const dates = listing.map(({ date }) => date);
  if (new Set(dates).size !== dates.length) throw new Error('two unprocessed alerts on a date');
  const sound =
    record?.counts.unprocessedAlerts === listing.length &&
    record.counts.recentDays === models.days.recentDates(sourceId).length &&
    record.counts.models === models.typicalDays.list(sourceId).length;
  if (!sound) throw new Error(`the counts of source ${sourceId} are wrong`);
  for (const { id } of listing)
    if (models.alerts.history(id)[0]?.type !== 'AlertRaised')
      throw new Error(`the history of ${id} does not begin with its first step`);
}
