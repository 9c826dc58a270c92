import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import type { Outgoing } from '../../../application/ports/deliveries.js';
import { derivedId } from '../../../application/commands/commandHandler.js';
import { vaultOf } from '../../../application/messages/dispatch.js';
import { createWebhook } from '../../../application/requests/useCases/changeWebhooks.js';
import { Rejection } from '../../../domain/rejection.js';
import type { WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import { deliveryId } from '../../../application/messages/messages.js';
import { failingMaxMs, retryDelayMs } from '../../../application/messages/progress.js';
import type { Recorded } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import type { WebhookEvent } from '../../../domain/webhooks/webhooks.js';
import { chance, type Chance } from '../../helpers/crash/chance.js';
import { id } from '../../helpers/data/samples.js';
import {
  accepted,
  deliveryStores,
  refused,
  webhookWorld,
  type Answer,
  type WebhookWorld,
} from '../../helpers/receivers/webhookWorld.js';
import { exactList } from '../../helpers/exactList.js';
import { amount } from '../../helpers/amount.js';

const hourMs = 3_600_000;

/** Receivers that fail for a while, in all ways, until `calmMs`. */
const faultyReceivers = (random: Chance, calmMs: number) => {
  const downUntil = new Map<string, number>();
  return ({ url }: Outgoing, nowMs: number): Answer => {
    if (nowMs >= calmMs) return accepted;
    if (random.happens(0.05)) downUntil.set(url, nowMs + random.next() * 2 * hourMs);
    if (nowMs < (downUntil.get(url) ?? 0)) return refused(random.one([500, 503, 404, 302, 429]));
    if (random.happens(0.1)) return refused(500);
    if (random.happens(0.1))
      return { delayMs: 10_000, accepts: true, sent: { status: null, failure: 'timeout' } };
    return { ...accepted, delayMs: random.one([5, 100, 9000]) };
  };
};

/** The first acceptance of each message, in the order of their arrival. */
const firstArrivals = ({ inbox }: WebhookWorld, url: string): readonly string[] => [
  ...new Set(inbox.filter(one => one.url === url).map(one => one.id)),
];

/** A history of alerts with crashes of instances and faults of receivers. */
const simulate = async (seed: number, kind: keyof typeof deliveryStores): Promise<void> => {
  const random = chance(seed, kind.length);
  const calmMs = 6 * hourMs;
  const world = webhookWorld(random, faultyReceivers(random, calmMs));
  const open = deliveryStores[kind]();
  const [first, second] = [await world.createSource(1, 'a'), await world.createSource(2, 'a')];
  await world.createSource(3, 'b');
  deepStrictEqual([first.position, second.position], [1n, 2n]);
  await world.raise(1, 900);
  const ids = [await world.createWebhook(1, 'a'), await world.createWebhook(2, 'a', { minCriticity: 0.6 })];
  const other = await world.createWebhook(3, 'b');
  const count = kind === 'file' ? 1 : 2;
  const instances = await Promise.all(Array.from({ length: count }, () => world.start(open)));
  const raised: Recorded[] = [];
  for (let n = 0; n < 40; n += 1) {
    await world.runUntil(world.time.nowMs() + random.next() * 600_000);
    raised.push(await world.raise(random.one([1, 2, 3]), n, random.one([0.5, 0.7])));
    if (!random.happens(0.3)) continue;
    const at = random.below(count);
    instances[at]?.crash();
    instances[at] = await world.start(open);
  }
  await world.runUntil(calmMs + 6 * hourMs);

  const expected = (webhookId: string, wanted: (event: Recorded) => boolean) =>
    raised.filter(wanted).map(event => deliveryId(webhookId, event.id));
  const criticity = ({ data }: Recorded) => (data as { readonly criticity: number }).criticity;
  const ofA = ({ stream }: Recorded) => stream !== streams.alerts(3);
  deepStrictEqual(firstArrivals(world, 'https://receiver-1.example.org/'), expected(ids[0] ?? '', ofA));
  deepStrictEqual(
    firstArrivals(world, 'https://receiver-2.example.org/'),
    expected(ids[1] ?? '', event => ofA(event) && criticity(event) >= 0.6),
  );
  deepStrictEqual(
    firstArrivals(world, 'https://receiver-3.example.org/'),
    expected(other, event => !ofA(event)),
  );
  for (const { crash } of instances) crash();
};

const seeds = Array.from({ length: amount({ quick: 4, slow: 10 }) }, (_, index) => index + 1);

for (const kind of ['file', 'streams'] as const)
  t.test(`${kind}: every message arrives in order, at least once, after crashes and faults`, async t => {
    for (const seed of seeds) {
      await t.resolves(simulate(seed, kind), `seed ${seed}`);
      if (!t.passing()) break;
    }
  });

const quiet = chance(1);
/** A world with source 1 and one webhook, which an instance delivers. */
const smallWorld = async (answer: (request: Outgoing, nowMs: number) => Answer) => {
  const world = webhookWorld(quiet, answer);
  await world.createSource(1, 'a');
  const webhookId = await world.createWebhook(1, 'a');
  const instance = await world.start(deliveryStores.file());
  return { world, webhookId, instance };
};

t.test('a receiver that fails for 24 hours disables its webhook; enabled, it loses nothing', async t => {
  let isUp = false;
  const { world, webhookId, instance } = await smallWorld(() => (isUp ? accepted : refused(500)));
  await world.raise(1, 1);
  await world.raise(1, 2);
  await world.runUntil(failingMaxMs - hourMs);
  t.match(instance.models.webhooks.one(webhookId), { status: 'active' });
  const attempts = world.requests.length;
  t.ok(attempts > 20 && attempts < 60, `${attempts} attempts in 23 hours`);
  t.equal(new Set(world.requests.map(request => request.id)).size, 1, 'the second message waits');
  await world.runUntil(failingMaxMs + 2 * hourMs);
  t.match(instance.models.webhooks.one(webhookId), { status: 'disabled', disabledReason: 'failing' });
  const [last] = await instance.deliveries.attempts(webhookId, 1);
  t.match(last, { outcome: 'disabled', status: 500, type: 'alert.raised', sourceId: 1 });

  const before = world.requests.length;
  await world.raise(1, 3);
  await world.runUntil(30 * hourMs);
  t.equal(world.requests.length, before, 'a disabled webhook sends nothing');
  isUp = true;
  const events = instance.models.webhooks.one(webhookId);
  t.ok(events);
  let last2: Recorded | undefined;
  for await (const event of world.log.read('webhooks-a')) last2 = event;
  t.match(last2, { type: 'WebhookDisabled', metadata: { by: 'reactor' } });
  await enable(world, webhookId, last2?.revision ?? 0);
  await world.runUntil(31 * hourMs);
  t.equal(world.inbox.length, 3, 'all three messages');
  t.match(
    world.inbox.map(({ body }) => body.data.alert.id),
    exactList('1-20240102-1', '1-20240103-1', '1-20240104-1'),
  );
});

const enable = async (world: WebhookWorld, webhookId: string, revision: number): Promise<void> => {
  await world.log.append('webhooks-a', revision, [
    {
      type: 'WebhookEnabled',
      data: { webhookId },
      id: id(90),
      v: 1,
      metadata: { by: 'anna', cause: id(91), correlation: id(91) },
      at: '2024-02-01T00:00:00.000Z',
    },
  ]);
  world.wakeAll();
};

t.test('a disabled webhook sends no message that waits, also when its secret is rotated', async t => {
  const { world, webhookId } = await smallWorld(() => ({ ...accepted, delayMs: 1000 }));
  for (let n = 1; n <= 5; n += 1) await world.raise(1, n);
  await world.runUntil(1500);
  const before = world.requests.length;
  t.ok(before > 0 && before < 4, `${before} of 5 messages`);
  const append = async (event: WebhookEvent) => {
    await world.append('webhooks-a', event);
    await world.runUntil(world.time.nowMs() + 60_000);
    t.equal(world.requests.length, before, event.type);
  };
  await append({ type: 'WebhookDisabled', data: { webhookId, reason: 'gone' } });
  const rotated = { webhookId, requestId: id(95), secret: 2, previousUntil: '2024-02-02T00:00:00.000Z' };
  await append({ type: 'WebhookSecretRotated', data: rotated });
});

t.test('status 410 disables a webhook at once', async t => {
  const { world, webhookId, instance } = await smallWorld(() => refused(410));
  await world.raise(1, 1);
  await world.runUntil(60_000);
  t.equal(world.requests.length, 1);
  t.match(instance.models.webhooks.one(webhookId), { status: 'disabled', disabledReason: 'gone' });
});

t.test('status 410 of an address does not disable the one that replaced it meanwhile', async t => {
  const oldUrl = 'https://receiver-1.example.org/';
  const slowlyGone = { ...refused(410), delayMs: 10_000 };
  const { world, webhookId, instance } = await smallWorld(({ url }) =>
    url === oldUrl ? slowlyGone : accepted,
  );
  await world.raise(1, 1);
  await world.runUntil(5000);
  const url = await world.people.sealed(vaultOf('a', webhookId), 'https://new.example.org/');
  const rules = { events: ['alert.raised'] as const, labels: {}, minCriticity: 0 };
  const changed = { webhookId, host: 'new.example.org', url, ...rules };
  await world.append('webhooks-a', { type: 'WebhookChanged', data: changed });
  await world.runUntil(60_000);
  t.match(instance.models.webhooks.one(webhookId), { status: 'active' });
  t.match(world.inbox, exactList({ url: 'https://new.example.org/' }));
  const attempts = await instance.deliveries.attempts(webhookId, 9);
  t.strictSame(
    attempts.map(({ outcome }) => outcome),
    ['delivered', 'retrying'],
  );
});

t.test('a message is sent once while its progress cannot be stored', async t => {
  const world = webhookWorld(quiet, () => accepted);
  await world.createSource(1, 'a');
  const webhookId = await world.createWebhook(1, 'a');
  const file = deliveryStores.file()();
  let isFull = true;
  const instance = await world.start(() => ({
    ...file,
    save: async (...progress) => {
      if (isFull && progress[2]) throw new Error('database or disk is full');
      return file.save(...progress);
    },
  }));
  await world.raise(1, 1);
  await world.raise(1, 2);
  await world.runUntil(600_000);
  t.equal(world.requests.length, 1);
  isFull = false;
  await world.runUntil(660_000);
  t.equal(world.requests.length, 2, 'the next message waited');
  t.equal((await instance.deliveries.attempts(webhookId, 9)).length, 2);
});

t.test('progress of a webhook that is disabled is stored after the event', async t => {
  const world = webhookWorld(quiet, () => refused(410));
  await world.createSource(1, 'a');
  const webhookId = await world.createWebhook(1, 'a');
  const file = deliveryStores.file()();
  const instance = await world.start(() => ({
    ...file,
    save: async (id, state, attempt) => {
      const isStored = await file.save(id, state, attempt);
      if (attempt?.outcome !== 'disabled') return isStored;
      instance.crash();
      return new Promise(() => {});
    },
  }));
  await world.raise(1, 1);
  await world.runUntil(60_000);
  const next = await world.start(() => file);
  await world.runUntil(120_000);
  t.match(next.models.webhooks.one(webhookId), { status: 'disabled', disabledReason: 'gone' });
  t.equal(world.requests.length, 1, 'nothing is sent again');
});

t.test('a refused creation keeps the key of a webhook that another attempt created', async t => {
  const { world, instance } = await smallWorld(() => accepted);
  const create = async (createdBy: 'another attempt' | 'none') => {
    const metadata = { id: id(createdBy === 'none' ? 801 : 802), by: 'anna', at: '2024-01-01T00:00:00.000Z' };
    const webhookId = derivedId('webhook', 'a', metadata.id);
    const { id: keyId } = await world.people.keyOf(vaultOf('a', webhookId));
    const service = {
      ...{ people: world.people, models: instance.models, webhooks: { addressFault: () => undefined } },
      caughtUp: instance.project,
      handle: async (_decider: unknown, stream: string, { target }: { readonly target: WebhookTarget }) => {
        if (createdBy !== 'none')
          await world.append(stream, { type: 'WebhookCreated', data: { webhookId, keyId, ...target } });
        throw new Rejection('tooManyWebhooks', 'refused');
      },
    };
    const requester = { actor: { tenant: 'a', subject: 'anna', scopes: [] }, begin: async () => metadata };
    const url = 'https://receiver-9.example.org/';
    const wanted = { url, labels: {}, minCriticity: 0 };
    type Given = Parameters<typeof createWebhook>;
    const given = [service, requester, wanted] as unknown as Given;
    await t.rejects(createWebhook(...given), { code: 'tooManyWebhooks' });
    return (await world.people.known(vaultOf('a', webhookId)))?.id === keyId;
  };
  t.equal(await create('another attempt'), true);
  t.equal(await create('none'), false, 'without a webhook the key is destroyed');
});

t.test('a webhook without its key is disabled and sends nothing', async t => {
  const { world, webhookId, instance } = await smallWorld(() => accepted);
  const { keyId = '' } = instance.models.webhooks.one(webhookId) ?? {};
  await world.people.destroy(keyId);
  await world.raise(1, 1);
  await world.runUntil(60_000);
  t.equal(world.requests.length, 0);
  t.match(instance.models.webhooks.one(webhookId), { status: 'disabled', disabledReason: 'keyLost' });
});

t.test('a replay delivers again, with the same ids', async t => {
  const { world, webhookId } = await smallWorld(() => accepted);
  const first = await world.raise(1, 1);
  await world.raise(1, 2);
  await world.raise(1, 3);
  await world.runUntil(60_000);
  const ids = world.inbox.map(one => one.id);
  t.equal(ids.length, 3);
  await world.append('webhooks-a', {
    type: 'WebhookReplayRequested',
    data: { webhookId, requestId: 'r', after: String(first.position) },
  });
  await world.runUntil(120_000);
  t.strictSame(world.inbox.map(one => one.id).slice(3), ids.slice(1), 'the two after the position');
  await world.append('webhooks-a', {
    type: 'WebhookReplayRequested',
    data: { webhookId, requestId: 's', after: '0' },
  });
  await world.raise(1, 4);
  await world.runUntil(180_000);
  t.strictSame(world.inbox.map(one => one.id).slice(5, 8), ids, 'also from before its creation');
  t.equal(world.inbox.length, 9, 'and then it goes on');
});

t.test('nothing is sent from read models that lack events before the progress', async t => {
  const world = webhookWorld(chance(9), () => accepted);
  await world.createSource(1, 'a');
  const webhookId = await world.createWebhook(1, 'a');
  const open = deliveryStores.file();
  const first = await world.start(open);
  await world.raise(1, 0);
  await world.runUntil(60_000);
  t.equal(world.inbox.length, 1);
  const cursor = (await first.deliveries.state(webhookId))?.cursor ?? 0n;
  first.crash();
  let reached = cursor - 1n;
  await world.start(open, position => position <= reached);
  await world.raise(1, 1);
  await world.runUntil(120_000);
  t.equal(world.inbox.length, 1, 'the read models are behind');
  reached = cursor;
  await world.runUntil(180_000);
  t.equal(world.inbox.length, 2);
});

t.test('a slow receiver does not delay another one', async t => {
  const slow: Answer = { delayMs: 10_000, accepts: false, sent: { status: null, failure: 'timeout' } };
  const { world } = await smallWorld(({ url }) => (url.includes('receiver-1') ? slow : accepted));
  await world.createWebhook(2, 'a');
  await world.runUntil(1000);
  for (let n = 0; n < 10; n += 1) await world.raise(1, n);
  await world.runUntil(4000);
  t.equal(firstArrivals(world, 'https://receiver-2.example.org/').length, 10);
});

t.test('a webhook of another tenant, type or criticity gets nothing', async t => {
  const { world } = await smallWorld(() => accepted);
  await world.createWebhook(2, 'b');
  await world.createWebhook(3, 'a', { events: ['alert.resolved'] });
  await world.createWebhook(4, 'a', { labels: { site: 'north' } });
  await world.createWebhook(5, 'a', { minCriticity: 0.51 });
  await world.raise(1, 1, 0.5);
  await world.runUntil(60_000);
  t.strictSame(
    world.inbox.map(({ url }) => url),
    ['https://receiver-1.example.org/'],
  );
});

t.test('waits grow from seconds to an hour', async t => {
  t.strictSame(
    [1, 2, 3, 10, 11, 1000].map(attempts => retryDelayMs(attempts, 0)),
    [5000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000],
  );
  t.equal(retryDelayMs(1, 0.5), 3750, 'a random half is left out');
  t.equal(retryDelayMs(1, 0, 60_000), 60_000, 'a receiver may ask for more');
  t.equal(retryDelayMs(1, 0, 1e12), hourMs, 'but not for more than an hour');
});

t.test('a message whose progress was not stored is tried again without another event', async t => {
  const world = webhookWorld(chance(1), () => accepted);
  await world.createSource(1, 'a');
  const webhookId = await world.createWebhook(1, 'a');
  const open = deliveryStores.file();
  let lost = 0;
  const { deliveries, crash } = await world.start(() => {
    const store = open();
    return {
      ...store,
      save: async (...progress) => (progress[2] && lost++ === 0 ? false : store.save(...progress)),
    };
  });
  const { position } = await world.raise(1, 1);
  await world.runUntil(60_000);
  t.strictSame(new Set(world.inbox.map(({ body }) => body.position)), new Set([String(position)]));
  t.equal(world.inbox.length, 2);
  t.equal((await deliveries.state(webhookId))?.cursor, position);
  crash();
});
