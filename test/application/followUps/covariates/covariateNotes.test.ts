import { pino } from 'pino';
import t from 'tap';
import { system } from '../../../../adapters/environment.js';
import { memoryStore } from '../../../../adapters/memoryStore.js';
import { Database } from '../../../../adapters/sqlite/driver.js';
import { commandHandler, type CommandHandler } from '../../../../application/commands/commandHandler.js';
import {
  covariateNoter,
  covariateSeries,
  type DataChange,
} from '../../../../application/followUps/covariates.js';
import { checks as checksOf } from '../../../../application/followUps/followUps.js';
import { parking as parkingOf } from '../../../../application/reading/parking.js';
import { waitersFor } from '../../../../application/reading/freshness.js';
import { isCause, type CauseEvent } from '../../../../domain/followUps.js';
import { days } from '../../../../domain/days.js';
import { decode, eventVersions, type DomainEvent, type KnownEvent } from '../../../../domain/events.js';
import { streams } from '../../../../domain/streams.js';
import { readModels } from '../../../../projections/readModels.js';
import { exactList } from '../../../helpers/exactList.js';
import { dayOf, id, instant, origin } from '../../../helpers/data/samples.js';
import { checks, created, imported, reset } from '../../../helpers/data/sourceHistory.js';

// The temperature, source 2, explains the office, source 1.

const date = '2024-03-04';
const environment = { ...system, nowMs: () => Date.parse(instant(1)) };

/** The effect of the temperature on the office. */
const effect = { sourceId: 2, name: 'Temperature', knee: 15, below: 0.02, above: 0, from: -10, to: 30 };

/** Models of a source, learned with these facts. */
const learned = (sourceId: number, more: object = {}): DomainEvent => {
  const event = reset(1, 2 * sourceId);
  if (event.type !== 'ModelsReset') throw new Error(`got ${event.type}, expected ModelsReset`);
  const facts = { ...event.data, requestId: id(100 + sourceId), checks: { ...checks, ...more } };
  return { ...event, data: facts };
};

/** Checks on a log with both sources, and the means to hold the record of a check of the office. */
const office = async (effects: readonly object[] = [effect]) => {
  const store = memoryStore();
  const models = readModels(new Database(':memory:'));
  let appended = 0;
  const append = async (stream: string, expected: number | 'absent', event: DomainEvent) => {
    const { by, cause, correlation, at } = origin((appended += 1));
    const metadata = { by, cause, correlation };
    const { type, data } = event;
    await store.append(stream, expected, [
      { id: id(900 + appended), type, v: eventVersions[type], data, metadata, at },
    ]);
  };
  await append('source-1', 'absent', created(1));
  await append('source-1', 0, learned(1, { covariates: effects.map(each => ({ ...each, usual: [0, 0] })) }));
  await append('source-2', 'absent', created(2));
  await append('source-2', 0, learned(2));
  const logged = async (): Promise<KnownEvent[]> => {
    const events: KnownEvent[] = [];
    for await (const event of store.all(0n)) events.push(decode(event) as KnownEvent);
    return events;
  };
  const caughtUp = async () => {
    const { position } = models.checkpoint('readModels');
    const events = (await logged()).filter(event => event.position > position);
    const last = events.at(-1);
    if (last) models.apply(events, last);
  };
  let gate = Promise.resolve();
  const plain = commandHandler(store, () => {}, environment);
  const handle: CommandHandler = async (decider, stream, ...rest) => {
    if (stream === streams.alerts(1)) await gate;
    return plain(decider, stream, ...rest);
  };
  const parking = parkingOf({ models, write: change => change(), log: pino({ level: 'silent' }) });
  const parts = { models, parking, caughtUp, handle, waiters: waitersFor(system), environment };
  const checking = checksOf(parts, async () => {});
  const causes = async () => (await logged()).filter(isCause);
  const run = async (event: CauseEvent) => {
    await caughtUp();
    await checking.run(event);
  };
  for (const cause of await causes()) await run(cause);
  return {
    parts,
    /** Sets the first slices of the date of the temperature by points, while it is in progress. */
    begin: async (n: number, elapsed: number, level: number): Promise<void> => {
      const observed = [[0, Array<number>(elapsed).fill(level)]] as const;
      const command = {
        ...({ type: 'ImportPoints', sourceId: 2, importId: id(n), points: elapsed } as const),
        rule: { activitySize: 4, interpolates: false } as const,
        days: [{ date, observed, inProgress: { elapsed, closesAt: instant(900) } }],
      };
      await plain(days, streams.days(2), command, origin(n));
      await caughtUp();
    },
    /** The temperature explains a further source. */
    explain: async (sourceId: number): Promise<void> => {
      await append(`source-${sourceId}`, 'absent', created(sourceId));
      const covariates = [{ ...effect, usual: [0, 0] }];
      await append(`source-${sourceId}`, 0, learned(sourceId, { covariates }));
      await run((await causes()).at(-1)!);
    },
    /** Imports one day; returns the event that causes its check. */
    importDay: async (sourceId: number, n: number, level: number): Promise<CauseEvent> => {
      const { data } = imported(id(n), 'recent', [dayOf(date, level)], 1, 1, sourceId);
      await plain(days, streams.days(sourceId), { type: 'ImportDays', ...data }, origin(n));
      return (await causes()).at(-1)!;
    },
    run,
    /** The temperature is learned again as source 3, and restored. */
    succeed: async (): Promise<void> => {
      const archived = { requestId: id(80), relearnedAs: 3 };
      await append('source-2', 1, { type: 'SourceArchived', data: archived });
      const { data } = created(3) as Extract<DomainEvent, { type: 'SourceCreated' }>;
      await append('source-3', 'absent', { type: 'SourceCreated', data: { ...data, relearnedFrom: 2 } });
      await append('source-3', 0, learned(3));
      await append('source-2', 2, { type: 'SourceRestored', data: { requestId: id(81) } });
    },
    /** Archives the source that the temperature was learned again as. */
    regret: () => append('source-3', 1, { type: 'SourceArchived', data: { requestId: id(82) } }),
    /** Holds the records of checks of the office; returns a function that releases them. */
    hold: (): (() => void) => {
      let release = (): void => {};
      gate = new Promise(resolve => (release = resolve));
      return release;
    },
    notes: async () => (await causes()).filter(({ type }) => type === 'CovariateDaysImported'),
    /** Temperatures that the checks of the office knew, in order. */
    known: async () =>
      (await logged()).flatMap(event =>
        event.type === 'DaysChecked' && event.stream === streams.alerts(1)
          ? event.data.days.map(({ covariates }) => covariates?.map(({ value }) => value))
          : [],
      ),
  };
};

t.test('two quick corrections of a covariate leave the last value as the one that was used', async t => {
  const { importDay, run, hold, notes, known } = await office();
  await run(await importDay(2, 10, 5));
  await run(await importDay(1, 11, 10));
  t.strictSame(await known(), [[5]]);
  await run(await importDay(2, 12, 20));
  const [first] = await notes();
  t.ok(first, 'the first correction is noted');
  const release = hold();
  const held = run(first!);
  await new Promise(resolve => setImmediate(resolve));
  await run(await importDay(2, 13, 5));
  release();
  await held;
  for (const note of (await notes()).slice(1)) await run(note);
  t.strictSame(await known(), [[5], [20], [5]], 'the check that was under way knew the middle value');
});

t.test('the same value again is not noted when no check is pending', async t => {
  const { importDay, run, notes } = await office();
  await run(await importDay(2, 10, 5));
  await run(await importDay(1, 11, 10));
  await run(await importDay(2, 12, 5));
  t.strictSame(await notes(), []);
});

t.test('the value of a covariate is read once for all sources that it explains', async t => {
  const { parts, importDay, explain, run, notes } = await office();
  await explain(4);
  await run(await importDay(2, 10, 5));
  await run(await importDay(1, 11, 10));
  await run(await importDay(4, 12, 10));
  const event = await importDay(2, 13, 20);
  await parts.caughtUp();
  let reads = 0;
  const days = {
    ...parts.models.days,
    recent: (sourceId: number, on: string) => {
      reads += 1;
      return parts.models.days.recent(sourceId, on);
    },
  };
  await covariateNoter({ ...parts, models: { ...parts.models, days } })(event as DataChange);
  t.equal(reads, 1);
  t.match(
    (await notes()).map(({ data }) => data),
    exactList({ sourceId: 1, dates: exactList(date) }, { sourceId: 4, dates: exactList(date) }),
  );
});

t.test('models are learned from no covariate of a date in progress', async t => {
  const { parts, importDay, run, begin } = await office();
  const values = () =>
    covariateSeries(parts.models, [2], { from: date, to: date }).map(series => series.values);
  await begin(10, 3, 20);
  t.strictSame(values(), [[]], 'three quarters of the day are no day');
  await run(await importDay(2, 11, 5));
  t.strictSame(values(), [[{ date, value: 5 }]]);
});

t.test('an import of a source explains through it and through the one that it was learned from', async t => {
  const { importDay, run, succeed, notes, known } = await office([effect, { ...effect, sourceId: 3 }]);
  await succeed();
  await run(await importDay(2, 10, 5));
  await run(await importDay(1, 11, 10));
  t.strictSame(await known(), [[5, null]], 'the new source has no data of the date');
  await run(await importDay(3, 12, 5));
  const noted = await notes();
  t.match(
    noted.map(({ data }) => data),
    exactList({ sourceId: 1, covariateId: 3, dates: exactList(date) }),
    'the same value under the older id changes nothing',
  );
  for (const note of noted) await run(note);
  await run(await importDay(3, 13, 20));
  t.equal((await notes()).length, 2, 'one note for both, since both have the new value');
  for (const note of (await notes()).slice(1)) await run(note);
  t.strictSame(await known(), [
    [5, null],
    [5, 5],
    [20, 20],
  ]);
});

t.test('an import of a restored source explains again although its successor is archived', async t => {
  const { importDay, run, succeed, regret, notes, known } = await office();
  await succeed();
  await regret();
  await run(await importDay(2, 10, 5));
  await run(await importDay(1, 11, 10));
  await run(await importDay(2, 12, 6));
  for (const note of await notes()) await run(note);
  t.strictSame(await known(), [[5], [6]]);
});
