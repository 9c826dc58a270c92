import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import type { Environment } from '../../../application/ports/environment.js';
import type { DeliveryStore, Outgoing } from '../../../application/ports/deliveries.js';
import type { IncidentFacts } from '../../../domain/incidents/incidents.js';
import type { WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import { chance, type Chance } from '../../helpers/crash/chance.js';
import {
  accepted,
  deliveryStores,
  refused,
  webhookWorld,
  type Accepted,
  type Answer,
  type CloudEvent,
} from '../../helpers/receivers/webhookWorld.js';
import { exactList } from '../../helpers/exactList.js';
import { amount } from '../../helpers/amount.js';

// Digests and quiet hours in virtual time. It begins on 2026-01-01 at 00:00 UTC.

const hourMs = 3_600_000;

type Arrival = { readonly message: CloudEvent; readonly one: Accepted };

/** Messages that arrived, those of digests one by one, without repeats. */
const arrivals = (inbox: readonly Accepted[]): readonly Arrival[] => {
  const seen = new Set<string>();
  return inbox
    .flatMap(one => (one.body.data.messages ?? [one.body]).map(message => ({ message, one })))
    .filter(({ message: { id } }) => !seen.has(id) && seen.add(id));
};

const alertOf = ({ message }: Arrival): string => message.data.alert.id;
const sourceOf = ({ message }: Arrival): string => message.source;

/** A world with one webhook, source 1 in UTC and source 2 in New York (five hours behind). */
const worldWith = async (
  target: Partial<WebhookTarget>,
  {
    random = chance(1),
    answer = () => accepted,
    open = deliveryStores.file(),
  }: {
    readonly random?: Chance;
    readonly answer?: (request: Outgoing, nowMs: number) => Answer;
    readonly open?: (environment: Environment) => DeliveryStore;
  } = {},
) => {
  const world = webhookWorld(random, answer);
  await world.createSource(1, 'a');
  await world.createSource(2, 'a', 'America/New_York');
  const webhookId = await world.createWebhook(1, 'a', target);
  return { world, webhookId, open, instance: await world.start(open) };
};

t.test('a digest has the messages of its interval', async t => {
  const { world, webhookId, instance } = await worldWith({ digest: { everyMinutes: 60 } });
  await world.runUntil(10 * 60_000);
  await world.raise(1, 1);
  await world.raise(2, 2);
  await world.runUntil(hourMs - 1000);
  t.equal(world.inbox.length, 0, 'nothing before the full hour');
  await world.runUntil(hourMs + 1000);
  t.match(
    world.inbox,
    exactList({
      body: {
        type: 'digest',
        source: `/v1/webhook/${webhookId}`,
        data: {
          messages: exactList({ type: 'alert.raised', source: '/v1/source/1' }, { source: '/v1/source/2' }),
        },
      },
    }),
  );
  t.match(
    await instance.deliveries.attempts(webhookId, 1),
    exactList({ type: 'digest', sourceId: null, outcome: 'delivered', id: world.inbox[0]?.id }),
  );
  await world.runUntil(3 * hourMs);
  t.equal(world.inbox.length, 1, 'no digest without messages');
  await world.raise(1, 3);
  await world.runUntil(4 * hourMs + 1000);
  t.strictSame(arrivals(world.inbox).map(alertOf), ['1-20240102-1', '2-20240103-1', '1-20240104-1']);
});

t.test('of two instances one sends a digest: the other knows that its messages are delivered', async t => {
  const settings = { open: deliveryStores.streams() };
  const { world, open, instance } = await worldWith({ digest: { everyMinutes: 60 } }, settings);
  const other = await world.start(open);
  for (let hour = 0; hour < 4; hour += 1) {
    await world.runUntil((hour + 0.2) * hourMs);
    await world.raise(1, 2 * hour);
    await world.raise(2, 2 * hour + 1);
    await world.runUntil((hour + 1.1) * hourMs);
    t.equal(world.inbox.length, hour + 1);
  }
  t.equal(arrivals(world.inbox).length, 8);
  instance.crash();
  other.crash();
});

t.test('quiet hours of one time zone do not hold back sources of another one', async t => {
  const quietHours = { from: '22:00', to: '07:00', minCriticity: 0.9 };
  const { world, webhookId, instance } = await worldWith({ quietHours });
  await world.raise(1, 1);
  await world.runUntil(60_000);
  await world.raise(2, 2);
  await world.runUntil(120_000);
  t.strictSame(arrivals(world.inbox).map(alertOf), ['2-20240103-1'], 'it is 19:00 in New York');
  const state = await instance.deliveries.state(webhookId);
  t.match(state, { cursor: 3n, ahead: { 2: '5' } }, 'the first message still waits');
  instance.crash();
  await world.start(() => instance.deliveries);
  await world.runUntil(2 * hourMs);
  t.equal(world.inbox.length, 1, 'no repeat after a crash');
  const before = await world.raise(1, 3);
  await world.raise(1, 4, 0.95);
  await world.raise(1, 5);
  await world.runUntil(2 * hourMs + 60_000);
  t.strictSame(
    arrivals(world.inbox).map(alertOf),
    ['2-20240103-1', '1-20240102-1', '1-20240104-1', '1-20240105-1'],
    'an urgent message takes the earlier ones of its source along',
  );
  t.ok(before.position > 0n);
  await world.runUntil(7 * hourMs + 60_000);
  t.equal(arrivals(world.inbox).map(alertOf).at(-1), '1-20240106-1', 'the last one at 07:00');
  t.strictSame((await instance.deliveries.state(webhookId))?.ahead, {});
});

t.test('a message that is late after failures waits for the end of the quiet hours', async t => {
  let isUp = false;
  const { world } = await worldWith(
    { quietHours: { from: '02:00', to: '05:00' } },
    { answer: () => (isUp ? accepted : refused(503)) },
  );
  await world.raise(1, 1);
  await world.runUntil(2 * hourMs + 60_000);
  isUp = true;
  await world.runUntil(5 * hourMs - 1000);
  t.equal(world.inbox.length, 0);
  await world.runUntil(6 * hourMs);
  t.equal(world.inbox.length, 1);
});

t.test('more than a hundred messages make several digests, in order', async t => {
  const { world } = await worldWith({ digest: { everyMinutes: 120 } });
  // After midnight, which is the time of a digest.
  await world.runUntil(1000);
  for (let n = 0; n < 1150; n += 1) await world.raise(1, n);
  await world.runUntil(2 * hourMs + 60_000);
  // A thousand messages and those of one more reading wait at once, so that one digest between may have fewer.
  const sizes = world.inbox.map(({ body }) => body.data.messages?.length ?? 0);
  t.strictSame([sizes.filter(size => size === 100).length, Math.max(...sizes)], [11, 100], String(sizes));
  t.ok(sizes.length <= 13, String(sizes));
  const ids = arrivals(world.inbox).map(({ message }) => BigInt(message.position));
  t.equal(ids.length, 1150);
  t.ok(ids.every((position, index) => index === 0 || position > (ids[index - 1] ?? 0n)));
});

const ofIncidents = { events: ['incident.opened', 'incident.ended'] } as const;
const night = { from: '22:00', to: '07:00', minCriticity: 0.99 };

/** An incident of source 1 that opened in its quiet hours, with an alert of source 2, where it is 19:00. */
const incidentAtNight = async (opened: number, other: number) => {
  const { world } = await worldWith({ ...ofIncidents, quietHours: night });
  await world.raise(1, 1, opened);
  const ofBoth = { sourceIds: [1, 2], sourceCount: 2 };
  const group = (facts: Partial<IncidentFacts>) => world.group('a', { ...ofBoth, ...facts });
  await group({ criticity: opened });
  await world.raise(2, 2, other);
  await world.runUntil(60_000);
  deepStrictEqual(world.inbox, [], 'it waits');
  return {
    ...{ world, group },
    changes: () => arrivals(world.inbox).map(({ message }) => (message.data as { change?: string }).change),
  };
};

t.test(
  'the end of an incident does not overtake its opening, when another source is the main one',
  async t => {
    const { world, group, changes } = await incidentAtNight(0.5, 0.6);
    await group({ state: 'ended', before: 'open', criticity: 0.6, mainAlertId: '2-20240103-1' });
    await world.runUntil(120_000);
    t.strictSame(changes(), ['opened', 'ended']);
  },
);

t.test('an incident that becomes urgent in quiet hours waits no longer', async t => {
  const { world, group, changes } = await incidentAtNight(0.95, 0.999);
  await group({ before: 'open', criticity: 0.97 });
  await world.runUntil(120_000);
  t.strictSame(changes(), [], 'not urgent yet');
  await group({ before: 'open', criticity: 0.999, mainAlertId: '2-20240103-1' });
  await world.runUntil(180_000);
  t.strictSame(changes(), ['opened']);
});

const rules: readonly Partial<WebhookTarget>[] = [
  { digest: { everyMinutes: 30 } },
  { quietHours: { from: '22:00', to: '03:00', minCriticity: 0.65 } },
  { digest: { everyMinutes: 60 }, quietHours: { from: '00:30', to: '04:00', minCriticity: 0.65 } },
];

/** A history of alerts with crashes, and receivers that fail. */
const simulate = async (seed: number, kind: keyof typeof deliveryStores): Promise<void> => {
  const random = chance(seed, kind.length, 3);
  const calmMs = 6 * hourMs;
  const answer = (_: Outgoing, nowMs: number): Answer => {
    if (nowMs >= calmMs || random.happens(0.6)) return accepted;
    return random.one([
      refused(500),
      { delayMs: 10_000, accepts: true, sent: { status: null, failure: 'timeout' } },
    ]);
  };
  const target = rules[seed % rules.length] ?? {};
  const { world, open, instance } = await worldWith(target, { random, answer, open: deliveryStores[kind]() });
  const instances = [instance, ...(kind === 'streams' ? [await world.start(open)] : [])];
  const raised: { readonly id: string; readonly source: string; readonly criticity: number }[] = [];
  for (let n = 0; n < 40; n += 1) {
    await world.runUntil(world.time.nowMs() + random.next() * 900_000);
    const sourceId = random.one([1, 2]);
    const criticity = random.one([0.5, 0.5, 0.7]);
    const event = await world.raise(sourceId, n, criticity);
    const { alertId } = event.data as { readonly alertId: string };
    raised.push({ id: alertId, source: `/v1/source/${sourceId}`, criticity });
    if (!random.happens(0.3)) continue;
    const at = random.below(instances.length);
    instances[at]?.crash();
    instances[at] = await world.start(open);
  }
  await world.runUntil(36 * hourMs);

  const arrived = arrivals(world.inbox);
  for (const source of ['/v1/source/1', '/v1/source/2'])
    deepStrictEqual(
      arrived.filter(one => sourceOf(one) === source).map(alertOf),
      raised.filter(one => one.source === source).map(({ id }) => id),
      `all of ${source} in order`,
    );
  for (const { crash } of instances) crash();
};

for (const kind of ['file', 'streams'] as const)
  t.test(`${kind}: every message arrives, in order of its source, after crashes and faults`, async t => {
    for (let seed = 1; seed <= amount({ quick: 3, slow: 6 }); seed += 1) {
      await t.resolves(simulate(seed, kind), `seed ${seed}`);
      if (!t.passing()) break;
    }
  });
