import t, { type Test } from 'tap';
import { tomorrowIn } from '../../../adapters/timeZones.js';
import { system } from '../../../adapters/environment.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { commandHandler, type CommandMetadata } from '../../../application/commands/commandHandler.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { appendImport } from '../../../application/requests/useCases/importDays.js';
import { createRelearned, isRelearned } from '../../../application/followUps/analyses.js';
import {
  relearnSource,
  type RelearningService,
} from '../../../application/requests/useCases/changeSource.js';
import type { Exported } from '../../../auditing/eventBytes.js';
import { catalog } from '../../../domain/catalog.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { decode, type KnownEvent } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import { source } from '../../../domain/source/source.js';
import { readModels } from '../../../projections/readModels.js';
import { decidedBy, exported, forged } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { dayOf, factsOf, origin } from '../../helpers/data/samples.js';
import { summary } from '../../helpers/data/sourceHistory.js';

// A process dies at each append of a request that learns a source again.

const environment = { ...system, nowMs: () => Date.UTC(2025, 0, 11) };
const days = Array.from({ length: 370 }, (_, index) =>
  dayOf(dateOf(dayNumber('2023-12-30') + index), index % 7),
);

const knownEvents = async (store: EventStore): Promise<KnownEvent[]> => {
  const events: KnownEvent[] = [];
  for await (const event of store.all(0n)) events.push(decode(event) as KnownEvent);
  return events;
};

/** A process on a store that dies at its nth append, from 0, before or after it is stored. */
const processOn = (store: EventStore, diesAt = Infinity, isStored = false, tomorrow = tomorrowIn) => {
  const models = readModels(new Database(':memory:'));
  let count = 0;
  const append: EventStore['append'] = async (...args) => {
    if (count > diesAt || (count === diesAt && !isStored)) throw new Error('the process died');
    count += 1;
    const revision = await store.append(...args);
    if (count > diesAt) throw new Error('the process died');
    return revision;
  };
  const caughtUp = async (): Promise<void> => {
    const { position } = models.checkpoint('readModels');
    const events = (await knownEvents(store)).filter(event => event.position > position);
    const last = events.at(-1);
    if (last) models.apply(events, last);
  };
  const service: RelearningService = {
    ...{ models, caughtUp, environment, log: store },
    handle: commandHandler({ ...store, append }, () => {}, environment),
    ...{ backlog: () => 0, backlogOf: () => 0, tomorrowIn: tomorrow },
  };
  return { service, appends: () => count };
};

const filled = async (of: readonly Day[] = days) => {
  const store = memoryStore();
  const { service } = processOn(store);
  const reserve = { type: 'ReserveSourceId', requestId: 'a' } as const;
  await service.handle(catalog, streams.catalog, reserve, origin(0));
  const create = { type: 'CreateSource', requestId: 'a', facts: factsOf(1), seed: 1 } as const;
  await service.handle(source, streams.source(1), create, origin(1));
  const imported = { days: of, summary: { ...summary, days: of.length } };
  await appendImport(service, { sourceId: 1, kind: 'recent', imported }, 'b', origin(2));
  return store;
};

const requestedAt = '2025-01-10T06:00:00.000Z';
const request = (isRetry: boolean): CommandMetadata => ({ ...origin(9), at: requestedAt, isRetry });

/** Sends the request in a process that has just started. */
const relearnIn = async ({ service }: ReturnType<typeof processOn>, isRetry: boolean) => {
  await service.caughtUp();
  const setup = service.models.sources.setup(1);
  if (!setup) throw new Error('no source');
  const actor = { tenant: 'default', subject: 'anna' };
  return relearnSource(service, { actor, hasKey: true, begin: async () => request(isRetry) }, setup);
};

/** A new process does the work that events of the log ask for. */
const restarted = async (store: EventStore) => {
  const { service } = processOn(store);
  await service.caughtUp();
  for (const event of (await knownEvents(store)).filter(isRelearned)) await createRelearned(service, event);
  await service.caughtUp();
  return service.models;
};

const lastYear = days.slice(-365);

/** Checks that one source has taken the place of source 1, or nothing has happened. */
const checkWhole = async (t: Test, store: EventStore, where: string): Promise<boolean> => {
  const models = await restarted(store);
  const old = models.sources.setup(1);
  const present = models.sources.presentIds('default');
  if (old?.archivedAt === null) {
    t.strictSame(present, [1], `${where}: the old source alone`);
    t.equal(old.relearnedAs, null);
    return false;
  }
  t.strictSame(present, [old?.relearnedAs], `${where}: the new source alone`);
  const id = old?.relearnedAs ?? 0;
  t.match(models.sources.setup(id), { name: 'Gate 1', relearnedFrom: 1 });
  const reference = models.days.reference(id).map(({ date, activity }) => ({ date, activity }));
  t.strictSame(
    reference,
    lastYear.map(({ date, activity }) => ({ date, activity })),
    `${where}: its reference is the last year`,
  );
  return true;
};

t.test('a crash at any append leaves nothing half done, and the retry completes it', async t => {
  const whole = processOn(await filled());
  await relearnIn(whole, false);
  const outcomes: boolean[] = [];
  const ids = new Set<string>();
  for (let diesAt = 0; diesAt < whole.appends(); diesAt += 1)
    for (const isStored of [false, true]) {
      const where = `append ${diesAt}, ${isStored ? 'stored' : 'not stored'}`;
      const store = await filled();
      await t.rejects(relearnIn(processOn(store, diesAt, isStored), false), { message: 'the process died' });
      outcomes.push(await checkWhole(t, store, where));
      const { sourceId } = await relearnIn(processOn(store), true);
      t.ok(await checkWhole(t, store, `${where}, retried`));
      const { service } = processOn(store);
      await service.caughtUp();
      t.equal(service.models.sources.setup(1)?.relearnedAs, sourceId);
      const created = (await knownEvents(store)).filter(({ type }) => type === 'SourceCreated');
      t.equal(created.length, 2, `${where}: one source is created`);
      ids.add(created[1]?.id ?? '');
    }
  t.equal(ids.size, 1, 'the request and the process manager create it under the same id');
  t.strictSame(
    [...new Set(outcomes)],
    [false, true],
    'the new source exists from the append that archives the old one on',
  );
  t.ok(
    outcomes.every((done, index) => index === 0 || done || !outcomes[index - 1]),
    'and stays',
  );
});

t.test('recent days that arrive between a crash and the retry belong to the new source', async t => {
  const store = await filled();
  await t.rejects(relearnIn(processOn(store, 8), false), { message: 'the process died' });
  const later = [dayOf('2025-01-03', 3)];
  const { service } = processOn(store);
  const imported = { days: later, summary: { ...summary, days: 1 } };
  await appendImport(service, { sourceId: 1, kind: 'recent', imported }, 'c', origin(3));
  const next = processOn(store);
  const { sourceId } = await relearnIn(next, true);
  t.match(next.service.models.sources.setup(sourceId)?.reference, {
    from: '2024-01-05',
    to: '2025-01-03',
    days: 365,
  });
  const dates = next.service.models.days.reference(sourceId).map(({ date }) => date);
  t.strictSame(dates, [...lastYear.slice(1).map(({ date }) => date), '2025-01-03']);
});

t.test('of two simultaneous requests one is carried out', async t => {
  const store = await filled();
  const { service } = processOn(store);
  await service.caughtUp();
  const setup = service.models.sources.setup(1);
  if (!setup) throw new Error('no source');
  const send = (n: number) =>
    relearnSource(
      service,
      {
        actor: { tenant: 'default', subject: 'anna' },
        hasKey: true,
        begin: async () => ({ ...origin(n), at: requestedAt }),
      },
      setup,
    );
  const ends = await Promise.allSettled([send(21), send(22)]);
  t.strictSame(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.match(
    ends.find(end => end.status === 'rejected'),
    { reason: { code: 'sourceRelearned' } },
  );
  t.ok(await checkWhole(t, store, 'two requests'));
});

t.test('until the new source exists, the name belongs to the old one', async t => {
  const store = await filled();
  await t.rejects(relearnIn(processOn(store, 13, true), false), { message: 'the process died' });
  const { service } = processOn(store);
  await service.caughtUp();
  t.ok(service.models.sources.setup(1)?.archivedAt, 'the old source is archived');
  t.strictSame(service.models.sources.presentIds('default'), [], 'the new one does not exist');
  t.equal(service.models.sources.named('default', 'Gate 1'), 1);
  const models = await restarted(store);
  t.equal(models.sources.named('default', 'Gate 1'), models.sources.setup(1)?.relearnedAs);
});

// The requests come on 2025-01-10.
const history = Array.from({ length: 400 }, (_, index) =>
  dayOf(dateOf(dayNumber('2023-12-09') + index), index % 7),
);
const withFuture = [...history, dayOf('2025-01-12'), dayOf('2099-01-01')];
const noAnalyst = { run: () => Promise.reject(new Error('no analysis is needed')) };
/** Findings about the new source; that of the other one has no reference days. */
const findingsOf = async (log: readonly Exported[]) =>
  (await decidedBy(noAnalyst, log)).findings.filter(({ stream }) => stream === 'source-2');

t.test('future days are left out, and a later date of the retry makes a reference of its own', async t => {
  const store = await filled(withFuture);
  await t.rejects(relearnIn(processOn(store, 8), false), { message: 'the process died' });
  // The retry comes a day later.
  const next = processOn(store, Infinity, false, () => '2025-01-12');
  const { sourceId } = await relearnIn(next, true);
  const { reference } = next.service.models.sources.setup(sourceId) ?? {};
  t.match(reference, { to: '2025-01-12' });
  t.equal(next.service.models.days.reference(sourceId).at(-1)?.date, '2025-01-12');
});

t.test('the decision is repeated with the date that it names; older logs counted all days', async t => {
  const store = await filled(withFuture);
  await relearnIn(processOn(store), false);
  const log = exported(await knownEvents(store));
  t.match(JSON.stringify(log), /"countedTo":"2025-01-11"/);
  t.strictSame(await findingsOf(log), []);
  const counted = (countedTo: string | undefined) =>
    forged(
      forged(
        log,
        ({ type }) => type === 'SourceRelearned',
        data => ({ ...data, created: { ...(data['created'] as object), countedTo } }),
      ),
      ({ type, stream }) => type === 'SourceCreated' && stream === 'source-2',
      data => ({ ...data, countedTo }),
    );
  const other = exactList({ detail: /does not follow from a revision/ });
  t.match(await findingsOf(counted('2025-01-12')), other);
  t.match(await findingsOf(counted(undefined)), other);
});

t.test('the source that is learned again is archived as the event before says', async t => {
  const store = await filled(withFuture);
  await relearnIn(processOn(store), false);
  const log = exported(await knownEvents(store));
  const found = async (of: readonly Exported[]) =>
    (await decidedBy(noAnalyst, of)).findings.map(({ detail }) => detail);
  const madeUp = /at \/reference\/from got "2023-01-01"/;
  t.match(await found(log), exactList(madeUp), 'the sample has no reference days');
  const archivedAs = (relearnedAs: number | undefined) =>
    found(
      forged(
        log,
        ({ type }) => type === 'SourceArchived',
        data => ({ ...data, relearnedAs }),
      ),
    );
  t.match(await archivedAs(7), exactList(madeUp, 'got relearnedAs 7, expected 2'));
  t.match(await archivedAs(undefined), exactList(madeUp, 'got relearnedAs nothing, expected 2'));
});

t.test('a log of an earlier build, which counted all days, is decided again alike', async t => {
  const future = history.map(day => ({ ...day, date: dateOf(dayNumber(day.date) + 27_000) }));
  const store = await filled([...history, ...future]);
  await relearnIn(
    processOn(store, Infinity, false, () => '9999-12-31'),
    false,
  );
  const log = exported(await knownEvents(store));
  t.notMatch(JSON.stringify(log), /countedTo/);
  t.strictSame(await findingsOf(log), []);
});

t.test('a last date that is not tomorrow is found', async t => {
  const store = await filled([...history, dayOf('2025-02-01'), dayOf('2099-01-01')]);
  await relearnIn(
    processOn(store, Infinity, false, () => '2025-02-01'),
    false,
  );
  t.match(
    await findingsOf(exported(await knownEvents(store))),
    exactList({ detail: 'its last counted date 2025-02-01 is not tomorrow of 2025-01-10T06:00:00.000Z' }),
  );
});
