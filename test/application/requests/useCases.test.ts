import { readFileSync } from 'node:fs';
import t from 'tap';
import { StoreUnavailable } from '../../../application/ports/eventStore.js';
import { isOfTenant, recordReading } from '../../../application/requests/history/auditTrail.js';
import { QueueFull } from '../../../application/ports/analyst.js';
import { acceptChange, withdrawAcceptance } from '../../../application/requests/useCases/acceptChanges.js';
import {
  deleteCalendarRule,
  saveCalendarRule,
  leaveOutDay,
  takeBackLeavingOut,
} from '../../../application/requests/useCases/changePlan.js';
import { splitIncident } from '../../../application/requests/useCases/changeIncidents.js';
import {
  changeModel,
  replaceModels,
  resetModels,
  restoreModels,
} from '../../../application/requests/useCases/changeModels.js';
import * as plan from '../../../application/requests/useCases/changePlan.js';
import { createCollectingSource } from '../../../application/requests/useCases/createSource.js';
import {
  archiveSource,
  describeSource,
  restoreSource,
  relearnSource,
} from '../../../application/requests/useCases/changeSource.js';
import { erasePerson } from '../../../application/requests/useCases/changeTokens.js';
import { takeDayBack } from '../../../application/requests/useCases/importDays.js';
import { catalog } from '../../../domain/catalog.js';
import type { EventOf } from '../../../domain/events.js';
import { source } from '../../../domain/source/source.js';
import type { DescriptionPatch } from '../../../domain/source/sourceDescription.js';
import { streams } from '../../../domain/streams.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { exactList } from '../../helpers/exactList.js';
import { draft, factsOf, id, instant, origin } from '../../helpers/data/samples.js';
import { memoryService, recentDate } from '../../helpers/memoryService.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import { repositoryRoot } from '../../helpers/repository.js';

// Requests on a store in memory with one source, whose checks nothing runs.

const date = recentDate;
const change = { sourceId: 1, type: 'level', from: date, size: 0.1 } as const;

type On = Awaited<ReturnType<typeof memoryService>>;

const incidentId = 'inc-1-20240304-1';

/** Groups two alerts into an incident that has a change; the second is of the source, unless its id is given. */
const grouped = async (
  { store, service }: On,
  second = '1-20240305-1',
  changes: readonly object[] = [change],
): Promise<void> => {
  const fixture = readFileSync(`${repositoryRoot()}/test/fixtures/events/AlertsGrouped.v1.json`, 'utf8');
  const { data } = JSON.parse(fixture.replaceAll('1-20240305-1', second)) as EventOf<'AlertsGrouped'>;
  const incidents = data.incidents.map(facts => ({ ...facts, changes }));
  const event = proposed(500, { ...data, incidents }, 'AlertsGrouped');
  await store.append(streams.incidents('default'), 'absent', [event]);
  await service.caughtUp();
};

const place = { sourceId: 1, date };
const leftOut = { sourceId: 1, date: '2023-01-02' };
const rule = { name: 'Fair', from: '2024-01-01', to: '2024-12-31', rule: 'FREQ=YEARLY' };
const sought = { sourceIds: undefined, from: undefined };

type Request = (on: On, n: number) => Promise<unknown>;

/** Requests that return the event that causes a check, and whether it is complete. */
const checking: Readonly<Record<string, Request>> = {
  planDay: ({ service, requester }, n) =>
    plan.changePlan(service, requester(n), place, { type: 'PlanDay', modelId: 2 }),
  clearDayPlan: ({ service, requester }, n) =>
    plan.changePlan(service, requester(n), place, { type: 'ClearDayPlan' }),
  nameSpecialDay: ({ service, requester }, n) =>
    plan.changePlan(service, requester(n), place, { type: 'NameSpecialDay', name: 'Fair' }),
  clearSpecialDay: ({ service, requester }, n) =>
    plan.changePlan(service, requester(n), place, { type: 'ClearSpecialDay' }),
  takeDayBack: ({ service, requester }, n) => takeDayBack(service, requester(n), place, null),
  changeModel: ({ service, requester, setup }, n) =>
    changeModel(service, requester(n), setup(), { modelId: 1, change: { anomaly: true } }),
};

/** Requests that wait for a check in another way, or for an analysis. */
const others: Readonly<Record<string, Request>> = {
  acceptChange: async ({ service, requester }, n) => acceptChange(service, requester(n), incidentId, sought),
  withdrawAcceptance: async ({ service, requester }, n) =>
    withdrawAcceptance(service, requester(n), incidentId),
  saveCalendarRule: async ({ service, requester }, n) =>
    saveCalendarRule(service, requester(n), { sourceId: 1 }, rule as never),
  deleteCalendarRule: ({ service, requester }, n) => deleteCalendarRule(service, requester(n), id(1)),
  replaceModels: ({ service, requester, setup }, n) =>
    replaceModels(service, requester(n), setup(), {
      supplied: [{ draft: draft('all') }],
      keepPlanning: false,
    }),
  resetModels: ({ service, requester }, n) =>
    resetModels(service, requester(n), {
      sourceId: 1,
      modelCount: 2,
      coverage: undefined,
      keepPlanning: false,
    }),
  restoreModels: ({ service, requester }, n) =>
    restoreModels(service, requester(n), { sourceId: 1, modelsVersion: 1, keepPlanning: false }),
  leaveOutDay: ({ service, requester }, n) => leaveOutDay(service, requester(n), leftOut, 'a test'),
  takeBackLeavingOut: ({ service, requester }, n) => takeBackLeavingOut(service, requester(n), leftOut),
  relearnSource: ({ service, requester, setup }, n) => relearnSource(service, requester(n), setup()),
  restoreSource: ({ service, requester, setup }, n) => restoreSource(service, requester(n), setup(), false),
};

t.test(
  'each request that adds work is refused before it stores anything while too much is waiting',
  async t => {
    const on = await memoryService({ backlog: 800 });
    await grouped(on);
    const stored = on.events.length;
    for (const [name, request] of Object.entries({ ...checking, ...others })) {
      await t.rejects(async () => request(on, 9), QueueFull, name);
      await on.service.caughtUp();
      t.equal(on.events.length, stored, `${name} stores nothing`);
    }
  },
);

t.test('a request that changes a plan or a model waits for the check that it causes', async t => {
  const on = await memoryService();
  const stored = on.events.length;
  for (const [index, [name, request]] of Object.entries(checking).entries()) {
    const before = on.events.length;
    on.asked.length = 0;
    t.match(await request(on, 10 + index), { checked: false }, `${name}: the check is not over`);
    t.equal(on.asked.length, 1, `${name} has waited for it`);
    t.equal(on.events.length, before + 1, `${name} stores one event`);
    t.match(await request(on, 30 + index), { causeId: undefined, checked: true }, `${name}: nothing to do`);
    t.equal(on.asked.length, 1, `${name} does not wait for nothing`);
  }
  t.equal(on.events.length, stored + Object.keys(checking).length);
});

t.test('a retry of an acceptance is done when its change is accepted; another request is judged', async t => {
  const on = await memoryService();
  await grouped(on);
  const accept = {
    type: 'AcceptChange',
    requestId: origin(9).id,
    change: { ...change, incidentId },
  } as const;
  const { service, requester } = on;
  await service.handle(source, streams.source(1), accept, origin(9));
  await service.caughtUp();
  t.match(await acceptChange(service, requester(9, true), incidentId, sought), { id: incidentId });
  const refusal = { code: 'incidentTransition', message: /^the models of source 1 are of people/ };
  await t.rejects(acceptChange(service, requester(10), incidentId, sought), refusal);
  const other = { ...sought, sourceIds: [2] };
  const unknown = /^got source 2, expected sources of incident inc-1-20240304-1 with a change: 1$/;
  await t.rejects(acceptChange(service, requester(11), incidentId, other), { message: unknown });
});

/** Accepts the change of source 1, as request 9. */
const acceptFirst = async ({ service }: On): Promise<void> => {
  const accepted = { ...change, incidentId };
  const command = { type: 'AcceptChange', requestId: origin(9).id, change: accepted } as const;
  await service.handle(source, streams.source(1), command, origin(9));
  await service.caughtUp();
};

t.test(
  'a retry of an acceptance goes on with its other sources when the change is not seen any more',
  async t => {
    const on = await memoryService();
    const { service, requester } = on;
    await secondSource(on);
    await grouped(on, undefined, []);
    await acceptFirst(on);
    t.match(await acceptChange(service, requester(9, true), incidentId, sought), { id: incidentId });
    const later = await memoryService();
    await secondSource(later);
    await grouped(later, undefined, [{ ...change, sourceId: 2 }]);
    await acceptFirst(later);
    const both = { ...sought, sourceIds: [1, 2] };
    await t.rejects(acceptChange(later.service, requester(9, true), incidentId, both), {
      message: /^the models of source 2 are of people/,
    });
  },
);

t.test('the change of an archived source is not accepted, nor its acceptance withdrawn', async t => {
  const on = await memoryService();
  const { service, requester } = on;
  await secondSource(on);
  await grouped(on, '2-20240305-1');
  await acceptFirst(on);
  await archiveSource(service, requester(30), 1);
  const refusal = { code: 'incidentTransition', message: /^source 1 is archived/ };
  for (const sourceIds of [undefined, [1]])
    await t.rejects(acceptChange(service, requester(31), incidentId, { ...sought, sourceIds }), refusal);
  await t.rejects(withdrawAcceptance(service, requester(32), incidentId), refusal);
  await t.resolves(acceptChange(service, requester(33, true), incidentId, sought));
  await t.resolves(withdrawAcceptance(service, requester(34, true), incidentId));
});

t.test('a retry of an erasure gives the person whose key is destroyed already', async t => {
  const { service, requester } = await memoryService();
  let key: string | undefined = 'a'.repeat(32);
  const people = { keyIdOf: async () => key };
  const models = { ...service.models, tree: { size: () => 1 } };
  const parts = { ...service, people, models } as unknown as typeof service;
  t.equal(await erasePerson(parts, requester(30), 'bob'), 'a'.repeat(32));
  key = undefined;
  t.equal(await erasePerson(parts, requester(30, true), 'bob'), 'a'.repeat(32));
  await t.rejects(erasePerson(parts, requester(31, true), 'bob'), { code: 'personNotFound' });
  const destroyed: string[] = [];
  const empty = {
    ...parts,
    people: {
      keyIdOf: async () => (destroyed.length === 0 ? 'b' : undefined),
      destroy: async (personId: string) => void destroyed.push(personId),
    },
    models: { ...models, tree: { size: () => 0 } },
  } as unknown as typeof service;
  for (const isRetry of [false, true])
    await t.rejects(erasePerson(empty, requester(32, isRetry), 'bob'), { code: 'personNotFound' });
  t.strictSame(
    destroyed,
    ['b'],
    'in an empty log the key is destroyed, and no event had been written under it',
  );
});

t.test(
  'read models that lost events hide no event of a tenant, no record of a reading and no erasure',
  async t => {
    const { store, service, requester } = await memoryService();
    service.models.clear();
    let destroyed = 0;
    const people = {
      keyIdOf: async () => 'a'.repeat(32),
      destroy: async () => void (destroyed += 1),
    };
    const requireWhole = () => {
      throw new StoreUnavailable('the read models lost events');
    };
    const parts = { ...service, people, requireWhole } as unknown as typeof service;
    const events = await listed(store.all(0n));
    const [created] = events.filter(({ type }) => type === 'SourceCreated');
    t.throws(() => isOfTenant(parts, created!, 'default'), StoreUnavailable);
    await t.rejects(
      recordReading(parts, requester(30), { query: {}, format: 'json', count: 1 }),
      StoreUnavailable,
    );
    await t.rejects(erasePerson(parts, requester(31), 'bob'), StoreUnavailable);
    t.strictSame([destroyed, (await listed(store.all(0n))).length], [0, events.length]);
    service.models.project([{ ...created!, v: 99 }]);
    t.ok(isOfTenant(service, created!, 'default'), 'also of a source that is parked at its creation');
    t.notOk(isOfTenant(service, created!, 'other'));
  },
);

t.test('a change without a name claims none, also when the source was renamed meanwhile', async t => {
  const on = await memoryService();
  const { service, requester, setup } = on;
  await secondSource(on);
  const before = setup();
  const rename = { patch: { name: 'Other' }, allowDuplicate: true };
  await describeSource(service, requester(30), before, rename);
  const unit = { patch: { unit: 'kWh' }, allowDuplicate: false };
  await describeSource(service, requester(31), before, unit);
  t.match(setup(), { name: 'Other', unit: 'kWh' });
});

t.test('the feed of a source is not free while it is learned again', async t => {
  const on = await memoryService();
  const { service, requester, setup } = on;
  await secondSource(on);
  const feed = { patch: { feed: { measurement: 'energy', field: 'value' } }, allowDuplicate: false };
  await describeSource(service, requester(30), setup(), feed);
  const { name: _, ...facts } = factsOf(3);
  const created = { ...facts, relearnedFrom: 1, requestId: 'c', seed: 1 };
  const command = { type: 'RelearnSource', requestId: 'r', created } as const;
  await service.handle(source, streams.source(1), command, origin(31));
  await service.caughtUp();
  t.match(setup(), { relearnedAs: 3 });
  t.equal(service.models.sources.setup(3), undefined);
  const second = service.models.sources.setup(2)!;
  const taken = { code: 'descriptionInvalid', faults: exactList({ code: 'feedTaken' }) };
  await t.rejects(describeSource(service, requester(32), second, feed), taken);
});

t.test('a retry is done although its source was archived; another request is refused', async t => {
  const on = await memoryService();
  const { service, requester, events } = on;
  const { replaceModels, resetModels } = others;
  const { changeModel } = checking;
  for (const [index, request] of [changeModel!, replaceModels!, resetModels!].entries()) {
    await request(on, 10 + index);
    await archiveSource(service, requester(20 + index), 1);
    const stored = events.length;
    await t.resolves(request({ ...on, requester: n => requester(n, true) }, 10 + index));
    const refusal = { code: 'sourceNotFound', message: 'the source is archived: restore it first' };
    await t.rejects(request(on, 30 + index), refusal);
    t.equal(events.length, stored, 'nothing is stored');
    await restoreSource(service, requester(40 + index), on.setup(), false);
  }
});

/** Creates source 2. */
const secondSource = async ({ service }: On, name = 'Other'): Promise<void> => {
  const reserve = { type: 'ReserveSourceId', requestId: 'b' } as const;
  await service.handle(catalog, streams.catalog, reserve, origin(20));
  const create = { type: 'CreateSource', requestId: 'b', facts: { ...factsOf(2), name }, seed: 1 } as const;
  await service.handle(source, streams.source(2), create, origin(21));
  await service.caughtUp();
};

t.test('an alert of an archived source is not split off', async t => {
  const on = await memoryService();
  const { service, requester, events } = on;
  const hidden = '2-20240305-1';
  await secondSource(on);
  await grouped(on, hidden);
  await archiveSource(service, requester(22), 2);
  const stored = events.length;
  const split = (n: number) => splitIncident(service, requester(n), incidentId, [hidden]);
  const refusal = (message: string) => ({ code: 'incidentTransition', message });
  const archived = `got alert ${hidden} of an archived source, expected alerts of other sources`;
  await t.rejects(split(23), refusal(archived));
  t.equal(events.length, stored, 'nothing is stored');
  await restoreSource(service, requester(24), service.models.sources.setup(2)!, false);
  const noAlert = `got alert ${hidden}, expected alerts of incident ${incidentId}`;
  await t.rejects(split(25), refusal(noAlert), 'the source is no reason any more');
});

t.test('a restored source needs its name for itself, unless duplicates are allowed', async t => {
  const on = await memoryService();
  const { service, requester, setup, asked } = on;
  t.equal(await restoreSource(service, requester(9), setup(), false), true, 'it is not archived');
  await archiveSource(service, requester(10), 1);
  await secondSource(on, factsOf(1).name);
  const taken = { code: 'sourceNameTaken' };
  await t.rejects(restoreSource(service, requester(11), setup(), false), taken);
  t.ok(setup().archivedAt);
  t.strictSame(asked, [], 'nothing to wait for');
  t.equal(await restoreSource(service, requester(12), setup(), true), false, 'its check is not over');
  t.equal(setup().archivedAt, null);
  t.equal(asked.length, 1);
});

t.test('a tenant has a largest number of sources that are not archived', async t => {
  const on = await memoryService();
  const { requester, setup } = on;
  await secondSource(on);
  const service = { ...on.service, sourcesMax: 2, now: () => instant(60) };
  const create = (n: number) =>
    createCollectingSource(service, requester(n), {
      ...{ activitySize: 4, interpolationMethod: 'zero', aggregation: 'mean', calendar: null },
      ...{ description: { name: `Room ${n}` }, allowDuplicate: false, coverage: undefined },
    });
  const refusal = { code: 'tooManySources', message: /^got source 3 of the tenant, expected at most 2/ };
  await t.rejects(create(60), refusal);
  await archiveSource(service, requester(61), 1);
  await create(62);
  await t.rejects(restoreSource(service, requester(63), setup(), false), refusal);
});

t.test('the retry of a creation is done although a source that explains it was archived', async t => {
  const { service, requester } = await memoryService();
  const create = (n: number, isRetry = false) =>
    createCollectingSource({ ...service, now: () => instant(n) }, requester(n, isRetry), {
      ...{ activitySize: 4, interpolationMethod: 'zero', aggregation: 'mean', calendar: null },
      ...{ description: { name: `Room ${n}`, explainedBy: [1] }, allowDuplicate: false, coverage: undefined },
    });
  const { sourceId } = await create(60);
  await archiveSource(service, requester(61), 1);
  t.equal((await create(60, true)).sourceId, sourceId);
  await t.rejects(create(62), { code: 'descriptionInvalid' });
  await t.rejects(create(63, true), { code: 'descriptionInvalid' }, 'no earlier attempt created it');
});

t.test('of changes at the same time one takes a feed, and one closes no circle', async t => {
  const on = await memoryService();
  const { service, requester, setup } = on;
  await secondSource(on);
  const second = () => service.models.sources.setup(2)!;
  const feed = { measurement: 'energy', field: 'value' };
  const describe = (n: number, of: SourceSetup, patch: DescriptionPatch) =>
    describeSource(service, requester(n), of, { patch, allowDuplicate: false });
  const create = (n: number, name: string) =>
    createCollectingSource({ ...service, now: () => instant(n) }, requester(n), {
      ...{ activitySize: 4, interpolationMethod: 'zero', aggregation: 'mean', calendar: null },
      ...{ description: { name, feed }, allowDuplicate: true, coverage: undefined },
    });
  const taken = { code: 'descriptionInvalid', faults: exactList({ code: 'feedTaken' }) };
  /** Runs changes at the same time; the first one is done, and the reason of the second is returned. */
  const refused = async (first: Promise<unknown>, later: Promise<unknown>): Promise<unknown> => {
    const [done, other] = await Promise.allSettled([first, later]);
    t.equal(done.status, 'fulfilled');
    return other.status === 'rejected' ? other.reason : undefined;
  };
  t.match(await refused(create(50, 'A'), create(51, 'B')), taken, 'creations');
  const [created] = service.models.sources.feeds('default');
  await describe(52, service.models.sources.setup(created?.sourceId ?? 0)!, { feed: null });
  t.match(await refused(describe(53, setup(), { feed }), describe(54, second(), { feed })), taken, 'changes');
  await archiveSource(service, requester(55), 1);
  const restored = restoreSource(service, requester(56), setup(), false);
  t.match(await refused(restored, describe(57, second(), { feed })), taken, 'a restored source');
  t.match(
    await refused(describe(58, setup(), { explainedBy: [2] }), describe(59, second(), { explainedBy: [1] })),
    { faults: exactList({ detail: /a circle/ }) },
  );
  await describe(60, setup(), { feed: { ...feed, tags: { a: '1', b: '2' } } });
  await describe(61, second(), { feed: { ...feed, tags: { c: '3' } } });
  // Each of them is free by itself, both together are those of the first source.
  const before = second();
  const tags = [{ a: '1', c: null }, { b: '2' }];
  const merged = tags.map((change, index) =>
    describe(62 + index, before, { feed: { ...feed, tags: change } }),
  );
  t.match(await refused(merged[0]!, merged[1]!), taken, 'two changes of one feed');
});

t.test('a repeat with a kept response does no work before it', async t => {
  const { service, requester, setup } = await memoryService();
  const kept = new Error('the response was kept');
  const repeat = { ...requester(40), begin: () => Promise.reject(kept) };
  const work = () => {
    throw new Error('work before the kept response');
  };
  const parts = {
    ...service,
    analyst: { run: work },
    log: { ...service.log, read: work, all: work },
  } as never;
  const supplied = [{ draft: draft('A'), id: undefined, limits: undefined }] as never;
  await t.rejects(replaceModels(parts, repeat, setup(), { supplied, keepPlanning: false }), kept);
  const restoring = { sourceId: 1, modelsVersion: 1, keepPlanning: false };
  await t.rejects(restoreModels(parts, repeat, restoring), kept);
});

t.test('the sources of a rule for labels are looked through in turns', async t => {
  const { service, requester, setup } = await memoryService();
  let steps = 0;
  const sources = {
    presentIds: () => Array.from({ length: 50 }, (_, index) => index),
    setup: (sourceId: number) => ({ ...setup(), sourceId, labels: sourceId === 7 ? { site: 'north' } : {} }),
  };
  const now = () => '2024-02-10T00:00:00.000Z';
  const parts = { ...service, now, models: { ...service.models, sources } } as never;
  const place = { labels: { site: 'north' } };
  const { window } = await plan.ruleTimes(parts, requester(50), place, () => void (steps += 1));
  t.equal(steps, 50);
  t.match(window, { to: '2029-12-31' });
});
