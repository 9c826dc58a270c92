// Messages about incidents after events that are not theirs: the end of a mute, a source that is archived or restored.
import t from 'tap';
import type { Member } from '../../../domain/incidents/connections.js';
import { factsOf as incidentFacts } from '../../../domain/incidents/decisions.js';
import type { AlertsGroupedData, IncidentFacts } from '../../../domain/incidents/incidents.js';
import { streams } from '../../../domain/streams.js';
import { chance } from '../../helpers/crash/chance.js';
import { factsOf, id } from '../../helpers/data/samples.js';
import { accepted, deliveryStores, webhookWorld } from '../../helpers/receivers/webhookWorld.js';

const events = ['incident.opened', 'incident.updated', 'incident.ended'] as const;

const always = { from: '2000-01-01T00:00:00.000Z', until: '2099-01-01T00:00:00.000Z' };

const factsOfIncident = (incidentId: string): IncidentFacts => ({
  ...{ incidentId, state: 'open', before: null, kinds: ['activity'], criticity: 0.9 },
  counts: { open: 1, acknowledged: 0, resolved: 0, ended: 0 },
  ...{ since: '2024-01-02', until: '2024-01-02', sourceIds: [1], sourceCount: 1 },
  mainAlertId: '1-20240102-1',
});

/** A world with two sources that have an alert each, and a receiver of incidents. */
const stage = async () => {
  const world = webhookWorld(chance(1), () => accepted);
  for (const sourceId of [1, 2]) {
    await world.createSource(sourceId, 'a');
    await world.raise(sourceId, 1, 0.9);
  }
  await world.createWebhook(1, 'a', { events });
  const { models } = await world.start(deliveryStores.file());
  const source = (sourceId: number, type: 'SourceArchived' | 'SourceRestored') =>
    world.append(streams.source(sourceId), { type, data: { requestId: id(2) } });
  const mute = (type: 'MuteCreated' | 'MuteEnded', sourceId = 1) => {
    const data = { muteId: id(900), scope: { sourceId }, ...always, reason: 'r' };
    return world.append(streams.mutes('a'), { type, data } as never);
  };
  const snooze = (incidentId: string) =>
    world.append(streams.mutes('a'), {
      type: 'MuteCreated',
      data: { muteId: id(900), scope: { incidentId }, ...always, reason: 'r' },
    });
  /** Appends a grouping by which an alert joins an incident. */
  const join = (alertId: string, incidentId: string, moved: Partial<AlertsGroupedData> = {}) => {
    const span = { sense: 'over', minutes: [], places: [] } as const;
    const joined = [{ alertId, incidentId, reason: 'opened', with: [], label: null, span } as const];
    const grouped = { sourceId: 1, knowledge: 1, alertIds: [alertId], joined, spans: [], left: [] };
    const data = { ...grouped, merged: [], split: [], incidents: [factsOfIncident(incidentId)], ...moved };
    return world.append(streams.incidents('a'), { type: 'AlertsGrouped', data });
  };
  /** Changes of the incidents in the messages. */
  const changes = async () => {
    await world.runUntil(world.time.nowMs() + 60_000);
    return world.inbox.map(({ body }) => (body.data as { readonly change?: string }).change);
  };
  return { world, models, source, mute, snooze, join, changes };
};

const silenceId = '1-20240109-2';

/** Raises the alert `silenceId` of source 1. */
const raiseSilence = async (world: ReturnType<typeof webhookWorld>): Promise<void> => {
  const { data } = await world.raise(1, 8, 1);
  const since = { since: '2024-01-09T00:00:00.000Z', dueAt: '2024-01-09T12:00:00.000Z', lastDate: null };
  const silence = { ...since, intervalMinutes: 60, origin: 'given' };
  const silent = { ...(data as object), alertId: silenceId, kind: 'noData', silence };
  await world.append(streams.alerts(1), { type: 'AlertRaised', data: silent as never });
};

t.test('an incident ends for receivers when its last source is archived, and is back with it', async t => {
  const { world, source, changes } = await stage();
  await world.group('a', { sourceIds: [1, 2], sourceCount: 2 });
  await source(1, 'SourceArchived');
  t.strictSame(await changes(), ['opened'], 'another source is not archived');
  await source(2, 'SourceArchived');
  t.strictSame(await changes(), ['opened', 'ended']);
  await source(2, 'SourceRestored');
  await source(1, 'SourceRestored');
  t.strictSame(await changes(), ['opened', 'ended', 'reopened'], 'once');
});

t.test('the incident of an archived source ends however many others of the tenant go on', async t => {
  const { world, source, changes } = await stage();
  await world.group('a', {});
  for (let n = 0; n < 11; n += 1)
    await world.group(
      'a',
      ...Array.from({ length: 100 }, (_, index) => ({
        ...{ incidentId: id(2000 + 100 * n + index), sourceIds: [2], mainAlertId: '2-20240102-1' },
      })),
    );
  await world.runUntil(600_000);
  const before = (await changes()).length;
  await source(1, 'SourceArchived');
  t.strictSame((await changes()).slice(before), ['ended']);
});

t.test('an incident of an archived source is back with an alert of another source that joins it', async t => {
  const { world, source, changes } = await stage();
  await world.group('a', {});
  await source(1, 'SourceArchived');
  await world.group('a', { before: 'open', sourceIds: [1, 2], sourceCount: 2 });
  await world.group('a', { before: 'open', sourceIds: [1, 2], sourceCount: 2, recognised: true });
  t.strictSame(await changes(), ['opened', 'ended', 'reopened', 'changed']);
});

t.test('an incident ends for receivers when only alerts of an archived source are left in it', async t => {
  const { world, source, changes } = await stage();
  await world.group('a', { sourceIds: [1, 2], sourceCount: 2 });
  await source(1, 'SourceArchived');
  await world.group('a', { before: 'open' });
  await world.group('a', { before: 'open', recognised: true });
  t.strictSame(await changes(), ['opened', 'ended'], 'once');
  await source(1, 'SourceRestored');
  t.strictSame(await changes(), ['opened', 'ended', 'reopened']);
});

t.test('an incident of an archived source is not announced before the source is restored', async t => {
  const { world, source, mute, changes } = await stage();
  await mute('MuteCreated');
  await world.group('a', {});
  await source(1, 'SourceArchived');
  await mute('MuteEnded');
  t.strictSame(await changes(), []);
  await source(1, 'SourceRestored');
  t.strictSame(await changes(), ['opened']);
});

t.test(
  'an acknowledged incident is announced by a later alert above the filter, and by the end of a mute',
  async t => {
    const { world, mute, changes } = await stage();
    await world.createWebhook(2, 'a', { events, minCriticity: 0.95 });
    await world.group('a', {});
    const acknowledged = { before: 'acknowledged', state: 'acknowledged' } as const;
    await world.group('a', { ...acknowledged, before: 'open' });
    t.strictSame(await changes(), ['opened', 'acknowledged'], 'below the filter of the second receiver');
    await world.group('a', { ...acknowledged, criticity: 0.99 });
    t.strictSame(await changes(), ['opened', 'acknowledged', 'opened']);

    world.inbox.length = 0;
    await mute('MuteCreated');
    const incidentId = id(51);
    await world.group('a', { incidentId });
    await world.group('a', { incidentId, ...acknowledged, before: 'open' });
    await world.group('a', { incidentId: id(52), ...acknowledged, before: null });
    t.strictSame(await changes(), []);
    await mute('MuteEnded');
    t.strictSame(await changes(), ['opened'], 'not one that began acknowledged');
  },
);

t.test('an incident that was announced is so again when it is merged into a snoozed one', async t => {
  const { snooze, join, changes } = await stage();
  const [older, younger] = [factsOfIncident('older'), factsOfIncident('younger')];
  await snooze('older');
  await join('1-20240102-1', 'older');
  await join('2-20240102-1', 'younger');
  t.strictSame(await changes(), ['opened']);
  const merged = [{ incidentId: 'younger', into: 'older', alertId: '1-20240102-1' }];
  const incidents: IncidentFacts[] = [
    { ...older, before: 'open' },
    { ...younger, before: 'open', state: 'merged' },
  ];
  await join('1-20240103-1', 'older', { merged, incidents });
  t.strictSame((await changes()).slice(1).sort(), ['merged', 'opened']);
  await join('1-20240104-1', 'older', { incidents: [{ ...older, before: 'open', recognised: true }] });
  t.strictSame((await changes()).slice(3), ['changed'], 'its later changes follow');
});

t.test('a mute of a source covers those that are learned again from it, one after the other', async t => {
  const { world, mute, changes } = await stage();
  await mute('MuteCreated');
  for (const sourceId of [3, 4]) {
    const relearnedFrom = sourceId === 3 ? 1 : 3;
    const created = { ...factsOf(sourceId), tenant: 'a', relearnedFrom, requestId: id(sourceId), seed: 7 };
    await world.append(streams.source(sourceId), { type: 'SourceCreated', data: created });
  }
  await world.raise(4, 1, 0.9);
  await world.group('a', { sourceIds: [4], mainAlertId: '4-20240102-1' });
  t.strictSame(await changes(), []);
  await mute('MuteEnded');
  t.strictSame(await changes(), ['opened']);
});

t.test(
  'a single alert of a muted incident waits for the end of the mute, one of another for its grouping',
  async t => {
    const { world, mute, snooze, join } = await stage();
    await world.createWebhook(2, 'a', { events: ['alert.raised'] });
    const first = await join('1-20240102-1', 'snoozed');
    await snooze('snoozed');
    await world.raise(1, 2);
    await join('1-20240103-1', 'snoozed');
    await world.raise(1, 60);
    const other = await join('1-20240301-1', 'other');
    await world.raise(2, 60);
    const ended = await mute('MuteEnded');
    const arrived = async () => {
      await world.runUntil(world.time.nowMs() + 60_000);
      const inbox = world.inbox.splice(0).filter(({ body }) => body.type === 'alert.raised');
      return inbox.map(({ id: messageId, body }) => ({
        messageId,
        alertId: body.data.alert.id,
        position: BigInt(body.position),
      }));
    };
    const live = await arrived();
    t.strictSame(
      live.map(({ alertId, position }) => [alertId, position]),
      [
        ['1-20240301-1', other.position],
        ['1-20240103-1', ended.position],
        ['2-20240301-1', ended.position],
      ],
    );
    await world.append(streams.webhooks('a'), {
      type: 'WebhookReplayRequested',
      data: { webhookId: id(502), requestId: id(3), after: String(first.position) },
    });
    t.strictSame(await arrived(), live, 'a replay has the same messages');
  },
);

t.test('an alert is in the incident that it was in at a position, however it moved later', async t => {
  const { world, models, join } = await stage();
  const alertId = '1-20240102-1';
  const merged = [{ incidentId: 'one', into: 'two', alertId }];
  const split = [{ incidentId: 'three', from: 'two', alertIds: [alertId] }];
  const changed = ['one', 'two', 'three', 'four'].map(factsOfIncident);
  const other = '1-20240601-1';
  const events = [
    await join(alertId, 'one', { incidents: changed }),
    await join(other, 'other'),
    await join(other, 'other', { merged, incidents: changed }),
    await join(other, 'other', { split, incidents: changed }),
    await world.append(streams.incidents('a'), {
      type: 'IncidentSplit',
      data: { incidentId: 'three', newIncidentId: 'four', alertIds: [alertId], incidents: changed },
    }),
    await world.append(streams.incidents('a'), {
      type: 'IncidentsMerged',
      data: { incidentId: 'four', into: 'one', incidents: changed },
    }),
  ];
  await world.runUntil(60_000);
  const { incidentAt } = models.incidents;
  t.strictSame(
    events.map(({ position }) => incidentAt(alertId, position)),
    ['one', 'one', 'two', 'three', 'four', 'one'],
  );
  t.equal(incidentAt(alertId, (events[0]?.position ?? 0n) - 1n), undefined, 'before it was grouped');
});

t.test('the end of a mute repeats no message about an incident that it did not hold back', async t => {
  const { world, mute, changes } = await stage();
  await world.group('a', {});
  await world.group('a', { before: 'open', recognised: true });
  await mute('MuteCreated', 2);
  await mute('MuteEnded');
  t.strictSame(await changes(), ['opened', 'changed']);
});

t.test('the end of a mute announces what it held back, however much began and ended since', async t => {
  const { world, mute, changes } = await stage();
  await world.createWebhook(2, 'a', { events: ['alert.raised'] });
  await mute('MuteCreated', 2);
  const muted = await world.raise(2, 2, 0.9);
  await world.group('a', { sourceIds: [2], mainAlertId: (muted.data as { alertId: string }).alertId });
  for (let n = 0; n < 1100; n += 1) {
    const { data } = await world.raise(1, 10 + n);
    const { alertId, date } = data as { readonly alertId: string; readonly date: string };
    const resolved = { alertId, date, verdict: 'anomaly', comment: null } as const;
    await world.append(streams.alerts(1), { type: 'AlertResolved', data: resolved });
  }
  for (let n = 0; n < 11; n += 1)
    await world.group(
      'a',
      ...Array.from({ length: 100 }, (_, index) => ({
        ...{ incidentId: id(2000 + 100 * n + index), state: 'resolved' as const },
      })),
    );
  await world.runUntil(600_000);
  const before = (await changes()).length;
  await mute('MuteEnded');
  const after = await changes();
  t.strictSame(after.slice(before).sort(), ['opened', 'raised']);
});

t.test('the end of a mute announces what it held back, however many newer ones are open', async t => {
  const { world, mute, changes } = await stage();
  await world.createWebhook(2, 'a', { events: ['alert.raised'] });
  await mute('MuteCreated', 2);
  const muted = await world.raise(2, 2, 0.9);
  await world.group('a', { sourceIds: [2], mainAlertId: (muted.data as { alertId: string }).alertId });
  for (let n = 0; n < 120; n += 1) await world.raise(1, 10 + n);
  await world.group('a', ...Array.from({ length: 120 }, (_, n) => ({ incidentId: id(2000 + n) })));
  await world.runUntil(600_000);
  const before = (await changes()).length;
  await mute('MuteEnded');
  t.strictSame((await changes()).slice(before).sort(), ['opened', 'raised']);
});

t.test('what the end of a mute announces to receivers of alerts takes no place of an incident', async t => {
  const { world, mute, changes } = await stage();
  await raiseSilence(world);
  const announced = Array.from({ length: 100 }, (_, n) => ({ incidentId: id(2000 + n) }));
  const muted = { sourceIds: [2], mainAlertId: '2-20240102-1' };
  await mute('MuteCreated', 2);
  await world.group('a', muted);
  await world.group('a', ...announced.map(one => ({ ...one, mainAlertId: silenceId })));
  await world.group('a', ...announced.map(one => ({ ...one, ...muted, before: 'open' as const })));
  await world.runUntil(600_000);
  const before = (await changes()).length;
  t.equal(before, 100);
  await mute('MuteEnded');
  t.strictSame((await changes()).slice(before), ['opened']);
});

t.test('an incident is not compared with mutes that ended before it was opened', async t => {
  const { world, models, mute, changes } = await stage();
  for (let n = 0; n < 50; n += 1) {
    await mute('MuteCreated');
    await mute('MuteEnded');
  }
  await changes();
  let ends = 0;
  const { endsBetween } = models.mutes;
  models.mutes.endsBetween = (...asked) => {
    const found = endsBetween(...asked);
    ends += found.length;
    return found;
  };
  await world.group('a', {});
  t.strictSame(await changes(), ['opened']);
  t.equal(ends, 0);
});

t.test('the end of a mute looks for what is open only for receivers that may be told', async t => {
  const { models, mute, world } = await stage();
  await world.createWebhook(2, 'a', { events: ['alert.raised'] });
  await world.createWebhook(3, 'a', { events: ['analysis.failed'] });
  const asked = { liveAt: 0, openAlertsAt: 0 };
  const { liveAt } = models.incidents;
  const { openAlertsAt } = models.messageCauses;
  models.incidents.liveAt = (...of) => ((asked.liveAt += 1), liveAt(...of));
  models.messageCauses.openAlertsAt = (...of) => ((asked.openAlertsAt += 1), openAlertsAt(...of));
  await mute('MuteCreated', 2);
  await mute('MuteEnded');
  await world.runUntil(60_000);
  t.strictSame(asked, { liveAt: 1, openAlertsAt: 1 });
});

t.test(
  'a silence does not hide the alerts of its incident from a receiver without source.silent',
  async t => {
    const { world } = await stage();
    await world.createWebhook(2, 'a', { events: ['alert.raised', 'alert.resolved'], grouping: 'incident' });
    const messages = async () => {
      await world.runUntil(world.time.nowMs() + 60_000);
      return world.inbox
        .splice(0)
        .map(({ url, body }) => [url.includes('receiver-1') ? 1 : 2, body.type, body.data.alert.id]);
    };
    const found = await world.raise(1, 9, 0.8);
    await raiseSilence(world);
    const { alertId } = found.data as { readonly alertId: string };
    const of = { sourceId: 1, date: '2024-01-10', incidentId: id(50), order: 1, isPinned: false };
    const span = { sense: 'gap', minutes: [], places: [] } as const;
    let facts: IncidentFacts | null = null;
    const group = (...members: readonly Pick<Member, 'alertId' | 'state' | 'kind' | 'criticity'>[]) => {
      const all = members.map(member => ({ ...of, span, ...member }));
      facts = incidentFacts({ id: id(50), facts, isAcknowledged: false, members: all });
      return world.group('a', facts);
    };
    const silence = { alertId: silenceId, state: 'open', kind: 'noData', criticity: 1 } as const;
    const [ended, other] = [
      { ...silence, state: 'ended' },
      { alertId, state: 'open', kind: 'gap', criticity: 0.8 },
    ] as const;
    await group(silence);
    t.strictSame(await messages(), [[1, 'incident.opened', silenceId]]);
    await group(ended, other);
    t.strictSame(await messages(), [[2, 'alert.raised', alertId]], 'the incident was opened before');
    await group(ended, { ...other, state: 'resolved' });
    t.strictSame((await messages()).sort(), [
      [1, 'incident.ended', alertId],
      [2, 'alert.resolved', alertId],
    ]);
  },
);

t.test('a message about an incident has the state of its alert', async t => {
  const { world } = await stage();
  const alertId = '1-20240102-1';
  const states = async () => {
    await world.runUntil(world.time.nowMs() + 60_000);
    return world.inbox.splice(0).map(({ body }) => {
      const { incident, alert } = body.data as unknown as Record<
        'incident' | 'alert',
        { readonly state: string; readonly verdict: string | null }
      >;
      return [incident.state, alert.state, alert.verdict];
    });
  };
  await world.group('a', {});
  const resolved = { alertId, date: '2024-01-02', verdict: 'anomaly', comment: null } as const;
  await world.append(streams.alerts(1), { type: 'AlertResolved', data: resolved });
  const acknowledged = { before: 'open', state: 'acknowledged' } as const;
  await world.group('a', acknowledged);
  const incidents = [{ ...factsOfIncident(id(50)), before: 'acknowledged', state: 'open' } as const];
  const data = { incidentId: id(50), alertIds: [alertId], incidents };
  await world.append(streams.incidents('a'), { type: 'IncidentReopened', data });
  t.strictSame(await states(), [
    ['open', 'open', null],
    ['acknowledged', 'resolved', 'anomaly'],
    ['open', 'open', null],
  ]);
});
