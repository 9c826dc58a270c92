// Messages about incidents after events that are not theirs: the end of a mute, a source that is archived or restored.
import t from 'tap';
import { streams } from '../../../domain/streams.js';
import { chance } from '../../helpers/crash/chance.js';
import { factsOf, id } from '../../helpers/data/samples.js';
import { accepted, deliveryStores, webhookWorld } from '../../helpers/receivers/webhookWorld.js';

const events = ['incident.opened', 'incident.updated', 'incident.ended'] as const;

/** A world with two sources that have an alert each, and a receiver of incidents. */
const stage = async () => {
  const world = webhookWorld(chance(1), () => accepted);
  for (const sourceId of [1, 2]) {
    await world.createSource(sourceId, 'a');
    await world.raise(sourceId, 1, 0.9);
  }
  await world.createWebhook(1, 'a', { events });
  await world.start(deliveryStores.file());
  const source = (sourceId: number, type: 'SourceArchived' | 'SourceRestored') =>
    world.append(streams.source(sourceId), { type, data: { requestId: id(2) } });
  const mute = (type: 'MuteCreated' | 'MuteEnded', sourceId = 1) => {
    const [from, until] = ['2000-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'];
    const data = { muteId: id(900), scope: { sourceId }, from, until, reason: 'r' };
    return world.append(streams.mutes('a'), { type, data } as never);
  };
  /** Changes of the incidents in the messages. */
  const changes = async () => {
    await world.runUntil(world.time.nowMs() + 60_000);
    return world.inbox.map(({ body }) => (body.data as { readonly change?: string }).change);
  };
  return { world, source, mute, changes };
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
