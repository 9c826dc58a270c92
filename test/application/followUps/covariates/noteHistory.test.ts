import fc from '../../../helpers/property.js';
import { pino } from 'pino';
import t from 'tap';
import { system } from '../../../../adapters/environment.js';
import { memoryStore } from '../../../../adapters/memoryStore.js';
import { Database } from '../../../../adapters/sqlite/driver.js';
import { commandHandler, type CommandHandler } from '../../../../application/commands/commandHandler.js';
import { StoreUnavailable } from '../../../../application/ports/eventStore.js';
import { checks as checksOf } from '../../../../application/followUps/followUps.js';
import { noteMismatch } from '../../../../application/decisions/mismatches.js';
import { logHistory } from '../../../../application/decisions/logHistory.js';
import { parking as parkingOf } from '../../../../application/reading/parking.js';
import { waitersFor } from '../../../../application/reading/freshness.js';
import { isCause, type CauseEvent } from '../../../../domain/followUps.js';
import { days } from '../../../../domain/days.js';
import { decode, eventVersions, type DomainEvent, type KnownEvent } from '../../../../domain/events.js';
import { sourceOf, streams } from '../../../../domain/streams.js';
import type { CovariateReading } from '../../../../domain/source/covariates.js';
import { dayHistory } from '../../../../projections/dayHistory.js';
import { readModels } from '../../../../projections/readModels.js';
import { dayOf, id, instant, origin } from '../../../helpers/data/samples.js';
import { checks, created, imported, replaced, reset } from '../../../helpers/data/sourceHistory.js';
import { handWritten } from '../../../helpers/data/tables.js';
import { amount } from '../../../helpers/amount.js';

// Two instances check the office, source 1, which the temperature explains, source 2. Both may lag and crash.

const environment = { ...system, nowMs: () => Date.parse(instant(1)) };
const effect = { sourceId: 2, name: 'Temperature', knee: 15, below: 0.02, above: 0, from: -10, to: 30 };
const dates = ['2024-03-04', '2024-03-05', '2024-03-06'];

/** Models of a source, learned with these facts. */
const learned = (sourceId: number, version: number, more: object = {}): DomainEvent => {
  const event = reset(version, 2 * sourceId);
  if (event.type !== 'ModelsReset') throw new Error(`got ${event.type}, expected ModelsReset`);
  const facts = { ...event.data, requestId: id(100 + sourceId), checks: { ...checks, ...more } };
  return { ...event, data: facts };
};

type Step =
  | {
      readonly do: 'import';
      readonly source: number;
      readonly from: number;
      readonly levels: readonly number[];
    }
  | { readonly do: 'archive'; readonly source: number }
  | { readonly do: 'restore'; readonly source: number }
  | { readonly do: 'learn'; readonly explained: boolean }
  /** An instance runs one of the latest causes, from read models that lag, and crashes after some appends. */
  | {
      readonly do: 'run';
      readonly instance: number;
      readonly back: number;
      readonly lag: number;
      readonly appends: number;
    };

const source = fc.constantFrom(1, 2);
const imports = fc.record({
  do: fc.constant('import' as const),
  source: fc.constantFrom(1, 2, 2),
  from: fc.nat(2),
  levels: fc.array(fc.constantFrom(5, 20), { minLength: 1, maxLength: 2 }),
});
const runs = fc.record({
  do: fc.constant('run' as const),
  instance: fc.nat(1),
  back: fc.nat(3),
  lag: fc.nat(4),
  appends: fc.nat(3),
});
/** One change of the sources in seven steps. */
const steps = fc.oneof(
  { arbitrary: imports, weight: 6 },
  { arbitrary: runs, weight: 6 },
  {
    arbitrary: fc.record({ do: fc.constantFrom('archive' as const, 'restore' as const), source }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constant('learn' as const), explained: fc.boolean() }), weight: 1 },
);
const histories = fc.array(steps, { minLength: 8, maxLength: 30, size: 'max' });

const crash = () => new StoreUnavailable('crashed');

/** A log with both sources, and the means to add to it. */
const office = async () => {
  const store = memoryStore();
  let count = 0;
  const append = async (stream: string, event: DomainEvent): Promise<void> => {
    const { by, cause, correlation, at } = origin((count += 1));
    let revision = -1;
    for await (const stored of store.read(stream)) ({ revision } = stored);
    const proposed = {
      id: id(900 + count),
      type: event.type,
      v: eventVersions[event.type],
      data: event.data,
    };
    await store.append(stream, revision < 0 ? 'absent' : revision, [
      { ...proposed, metadata: { by, cause, correlation }, at },
    ]);
  };
  const logged = async (): Promise<KnownEvent[]> => {
    const events: KnownEvent[] = [];
    for await (const event of store.all(0n)) events.push(decode(event) as KnownEvent);
    return events;
  };
  let versions = 1;
  const learn = (explained: boolean): Promise<void> =>
    append(
      'source-1',
      learned(1, (versions += 1), explained ? { covariates: [{ ...effect, usual: [0, 0] }] } : {}),
    );
  await append('source-1', created(1));
  await append('source-2', created(2));
  await append('source-2', learned(2, 1));
  await learn(true);
  const plain = commandHandler(store, () => {}, environment);

  const instance = () => {
    const models = readModels(new Database(':memory:'));
    const catchUp = async (lag: number): Promise<void> => {
      const { position } = models.checkpoint('readModels');
      const all = await logged();
      const events = all.slice(0, all.length - lag).filter(event => event.position > position);
      const last = events.at(-1);
      if (last) models.apply(events, last);
    };
    let left = Infinity;
    const handle: CommandHandler = async (...command) => {
      if ((left -= 1) < 0) throw crash();
      return plain(...command);
    };
    const parking = parkingOf({ models, write: change => change(), log: pino({ level: 'silent' }) });
    const parts = { models, parking, handle, waiters: waitersFor(system), environment };
    const checking = checksOf({ ...parts, caughtUp: () => catchUp(0) }, async () => {});
    return async (cause: CauseEvent, lag = 0, appends = Infinity): Promise<void> => {
      await catchUp(lag);
      // The process manager waits until the read models have the event, and skips what is done.
      if (models.checkpoint('readModels').position < cause.position) await catchUp(0);
      if (!models.followUps.isDue(cause.position)) return;
      left = appends;
      await checking.run(cause).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
      });
    };
  };
  const instances = [instance(), instance()] as const;
  const causes = async () => (await logged()).filter(isCause);
  return {
    logged,
    take: async (step: Step): Promise<void> => {
      if (step.do === 'learn') return learn(step.explained);
      if (step.do === 'archive' || step.do === 'restore') {
        const type = step.do === 'archive' ? 'SourceArchived' : 'SourceRestored';
        return append(`source-${step.source}`, { type, data: { requestId: id((count += 1)) } });
      }
      if (step.do === 'run') {
        const cause = (await causes()).at(-1 - step.back);
        return cause && instances[step.instance === 0 ? 0 : 1](cause, step.lag, step.appends);
      }
      const some = step.levels.map((level, n) => dayOf(dates[(step.from + n) % 3] ?? '', level));
      const { data } = imported(id(5000 + (count += 1)), 'recent', some, 1, 1, step.source);
      await plain(days, streams.days(step.source), { type: 'ImportDays', ...data }, origin(5000 + count));
    },
    /** Runs all causes in the order of the log, until all are done. */
    settle: async (): Promise<void> => {
      for (let done = 0; ; done += 1) {
        const cause = (await causes())[done];
        if (!cause) return;
        await instances[0](cause);
      }
    },
  };
};

/** Missing notes, and notes with other dates than possible ones, as `verify --decisions` finds them. */
const faultsOf = (log: readonly KnownEvent[]): { readonly missing: number; readonly wrong: number } => {
  const history = logHistory(dayHistory(new Database(':memory:')));
  let [missing, wrong] = [0, 0];
  for (const [index, event] of log.entries()) {
    missing += history.take({ event, n: index + 1 }).length;
    if (event.type === 'CovariateDaysImported') {
      const cause = history.days.importOf(event.metadata.cause);
      if (noteMismatch(history, { event, n: index + 1 }, cause)) wrong += 1;
    }
  }
  return { missing, wrong };
};

t.test('an honest log of two instances that lag and crash has no fault in its notes', async t => {
  let notes = 0;
  const numRuns = amount({ quick: 20, slow: 50 });
  await fc.assert(
    fc.asyncProperty(histories, async steps => {
      const { take, settle, logged } = await office();
      await take({ do: 'import', source: 1, from: 0, levels: [5, 5] });
      await settle();
      for (const step of steps) await take(step);
      await settle();
      const log = await logged();
      notes += log.filter(({ type }) => type === 'CovariateDaysImported').length;
      t.strictSame(faultsOf(log), { missing: 0, wrong: 0 });
    }),
    { numRuns },
  );
  t.ok(notes > 0.4 * numRuns, `${notes} notes`);
});

t.test('a note that was removed with its check is found, and so is a note that lacks a date', async t => {
  let notes = 0;
  const numRuns = amount({ quick: 12, slow: 30 });
  await fc.assert(
    fc.asyncProperty(fc.array(imports, { minLength: 2, maxLength: 8 }), async steps => {
      const { take, settle, logged } = await office();
      for (const step of steps) {
        await take(step);
        await settle();
      }
      const log = await logged();
      for (const note of log) {
        if (note.type !== 'CovariateDaysImported') continue;
        notes += 1;
        const without = log.filter(({ id, metadata }) => id !== note.id && metadata.cause !== note.id);
        t.ok(faultsOf(without).missing > 0, `${without.length} events without a note`);
        const less = { ...note.data, dates: note.data.dates.slice(1) };
        t.equal(
          faultsOf(log.map(event => (event === note ? { ...note, data: less } : event))).wrong,
          1,
          'a note with a date less',
        );
      }
    }),
    { numRuns },
  );
  t.ok(notes > numRuns / 15, `${notes} notes`);
});

/** A log in which the office has a checked day that knew 5 degrees, and an import of 20 degrees is not checked. */
const corrected = (explained = true) => {
  const log = handWritten();
  const { add } = log;
  const imports = (sourceId: number, n: number, level: number): string =>
    add(`days-${sourceId}`, imported(id(n), 'recent', [dayOf('2024-03-04', level)], 1, 1, sourceId));
  const check = (sourceId: number, causeId: string, covariates?: readonly CovariateReading[]): string =>
    add(`alerts-${sourceId}`, checkedDay(causeId, covariates));
  for (const sourceId of [1, 2]) add(`source-${sourceId}`, created(sourceId));
  const covariates = [{ ...effect, usual: [0, 0] }];
  const models = learned(1, 1, explained ? { covariates } : {});
  for (const [stream, event] of [
    ['source-1', models],
    ['source-2', learned(2, 1)],
  ] as const)
    check(sourceOf(stream), add(stream, event));
  check(2, imports(2, 1, 5));
  check(1, imports(1, 2, 10), [{ sourceId: 2, value: 5, revision: 0 }]);
  const causeId = imports(2, 3, 20);
  const note = (importId = id(3), revision = 1): void => {
    const data = { sourceId: 1, covariateId: 2, importId, revision, dates: ['2024-03-04'] };
    add('days-1', { type: 'CovariateDaysImported', data }, 'reactor', causeId);
  };
  return { ...log, check, note, causeId, covariates };
};

const checkedDay = (causeId: string, covariates?: readonly CovariateReading[]): DomainEvent => ({
  type: 'DaysChecked',
  data: {
    cause: { id: causeId, type: 'DaysImported' },
    ...{ part: 1, last: true, modelsVersion: 1 },
    days: [
      {
        ...{ date: '2024-03-04', importId: id(2), dayDigest: 'd', plannedModelId: 1, outcome: 'normal' },
        ...{ standing: [], ...(covariates && { covariates }) },
      },
    ],
  },
});

t.test('an import that changes a value that a check knew requires a note before its check', async t => {
  const { events, check, causeId } = corrected();
  check(2, causeId);
  t.strictSame(faultsOf(events), { missing: 1, wrong: 0 });
  const noted = corrected();
  noted.note();
  noted.check(2, noted.causeId);
  t.strictSame(faultsOf(noted.events), { missing: 0, wrong: 0 });
});

t.test(
  'a source that is archived, or uses the covariate, while the import waits, may have a note',
  async t => {
    for (const isNoted of [true, false]) {
      const archived = corrected();
      archived.add('source-1', { type: 'SourceArchived', data: { requestId: id(70) } });
      const user = corrected(false);
      user.add('source-1', learned(1, 2, { covariates: user.covariates }));
      const former = corrected();
      former.add('source-1', replaced(2, 3));
      for (const { events, check, causeId, note } of [archived, user, former]) {
        if (isNoted) note();
        check(2, causeId);
        t.strictSame(faultsOf(events), { missing: 0, wrong: 0 });
      }
    }
  },
);

t.test('a note is accepted after the check of its import, but not one that no state required', async t => {
  const late = corrected(false);
  late.check(2, late.causeId);
  late.note();
  t.strictSame(faultsOf(late.events), { missing: 0, wrong: 0 }, 'another instance may be slow');
  const foreign = corrected(false);
  foreign.note();
  t.strictSame(faultsOf(foreign.events), { missing: 0, wrong: 1 }, 'it does not use the covariate');
});
