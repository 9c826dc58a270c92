import { system } from '../../adapters/environment.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { Database } from '../../adapters/sqlite/driver.js';
import { tomorrowIn } from '../../adapters/timeZones.js';
import { commandHandler } from '../../application/commands/commandHandler.js';
import { keyedQueue } from '../../application/ports/sharing/fairQueue.js';
import type { Requester } from '../../application/requests/access.js';
import { appendImport } from '../../application/requests/useCases/importDays.js';
import type { Service } from '../../application/requests/service.js';
import type { AlertsCommand } from '../../domain/alerts/alerts.js';
import { catalog } from '../../domain/catalog.js';
import { decode, type KnownEvent } from '../../domain/events.js';
import { source } from '../../domain/source/source.js';
import { streams } from '../../domain/streams.js';
import { readModels } from '../../projections/readModels.js';
import { dayOf, factsOf, findingOf, id, learnedOf, origin } from './data/samples.js';
import { summary } from './data/sourceHistory.js';

/** The actor of the requests, and the date of the recent day. */
export const actor = { tenant: 'default', subject: 'anna' };
export const recentDate = '2024-02-05';

/** A check of the source that raises an alert on its recent day. */
export const raisingCheck: AlertsCommand = {
  ...{ type: 'RecordCheck', sourceId: 1, cause: { id: id(50), type: 'DaysImported' }, part: 1, last: true },
  ...{ engine: 'test 1', modelsVersion: 1, knowledge: { source: 1, days: 1 } },
  days: [
    {
      ...{ date: recentDate, importId: id(51), dayDigest: 'd', plannedModelId: 1, outcome: 'abnormal' },
      finding: findingOf(1),
    },
  ],
};

/**
 * The parts of a service that requests use, on a store in memory: source 1 with models, one reference day and one recent
 * day. Nothing runs checks, and read models have the events up to the last `caughtUp` only.
 */
export const memoryService = async ({ backlog = 0, facts = factsOf(1) } = {}) => {
  const clock = { nowMs: Date.UTC(2024, 1, 10) };
  const environment = { ...system, nowMs: () => clock.nowMs };
  const store = memoryStore();
  const models = readModels(new Database(':memory:'));
  const events: KnownEvent[] = [];
  const reading = keyedQueue();
  const catchUp = async (): Promise<void> => {
    const more: KnownEvent[] = [];
    for await (const event of store.all(events.at(-1)?.position ?? 0n)) more.push(decode(event)!);
    const last = more.at(-1);
    if (last) models.apply(more, last);
    events.push(...more);
  };
  const caughtUp = (): Promise<void> => reading.run('', catchUp);
  const asked: string[] = [];
  const ask = async (look: () => unknown): Promise<unknown> => (asked.push(''), look());
  const service = {
    ...{ models, caughtUp, environment, log: store, tomorrowIn, requireWhole: () => {} },
    handle: commandHandler(store, () => {}, environment),
    ...{ dependentChanges: keyedQueue(), sourcesMax: Infinity },
    ...{ backlog: () => backlog, backlogOf: () => backlog },
    waiters: { notify: () => {}, until: ask, outcome: ask },
    analyst: { run: async () => [] },
    people: { sealed: async (_: unknown, text: string) => text },
    calendars: { follow: async () => {} },
  } as unknown as Service;
  const requester = (n: number, isRetry = false): Requester => ({
    ...{ actor, hasKey: isRetry },
    begin: async () => ({ ...origin(n), isRetry }),
  });
  await service.handle(
    catalog,
    streams.catalog,
    { type: 'ReserveSourceId', requestId: 'a' } as const,
    origin(0),
  );
  const create = { type: 'CreateSource', requestId: 'a', facts, seed: 1 } as const;
  await service.handle(source, streams.source(1), create, origin(1));
  const reset = { type: 'ResetModels', requestId: 'a', learned: learnedOf(2) } as const;
  await service.handle(source, streams.source(1), reset, origin(2));
  for (const [kind, on] of [
    ['reference', '2023-01-02'],
    ['recent', recentDate],
  ] as const) {
    const imported = { days: [dayOf(on)], summary: { ...summary, days: 1 } };
    await appendImport(service, { sourceId: 1, kind, imported }, `import-${kind}`, origin(3));
  }
  await caughtUp();
  const setup = () => models.sources.setup(1)!;
  return { clock, store, service, requester, events, asked, setup };
};
