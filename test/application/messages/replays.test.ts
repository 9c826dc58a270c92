// The cost of replays for others: events that are read, turns of the event loop, steps at once.
import { serialize } from 'node:v8';
import t from 'tap';
import { announcements } from '../../../application/messages/messageContent.js';
import { startingState } from '../../../application/messages/progress.js';
import { madeOf, readAhead } from '../../../application/messages/deliveryPlan.js';
import { turnMs, turns } from '../../../application/ports/sharing/turns.js';
import type { Outgoing } from '../../../application/ports/deliveries.js';
import { streams } from '../../../domain/streams.js';
import type { MessageType } from '../../../domain/webhooks/webhookTarget.js';
import { chance } from '../../helpers/crash/chance.js';
import { accepted, deliveryStores, webhookWorld } from '../../helpers/receivers/webhookWorld.js';

type World = ReturnType<typeof webhookWorld>;

const replayAll = (world: World, tenant: string, webhookId: string, requestId = 'r') =>
  world.append(streams.webhooks(tenant), {
    type: 'WebhookReplayRequested',
    data: { webhookId, requestId, after: '0' },
  });

t.test('a replay reads the events of its tenant only, from an index', async t => {
  const world = webhookWorld(chance(1), () => accepted);
  await world.createSource(1, 'small');
  await world.createSource(2, 'big');
  for (let n = 0; n < 3; n += 1) await world.raise(1, n);
  for (let n = 0; n < 2000; n += 1) await world.raise(2, n);
  const webhookId = await world.createWebhook(1, 'small');
  const { models, crash } = await world.start(deliveryStores.file());
  const { after } = models.messageCauses;
  let rows = 0;
  models.messageCauses.after = (...asked) => {
    const page = after(...asked);
    rows += page.length;
    return page;
  };
  await replayAll(world, 'small', webhookId);
  await world.runUntil(60_000);
  t.equal(world.inbox.length, 3);
  t.ok(rows <= 4 * 3, `${rows} rows were read for 3 messages in a log of 2,006 events`);
  crash();
});

t.test('a long reading lets others have their turns, and ends after 2,000 events', async t => {
  const world = webhookWorld(chance(1), () => accepted);
  await world.createSource(1, 'a');
  for (let n = 0; n < 2100; n += 1) await world.raise(1, n);
  const webhookId = await world.createWebhook(1, 'a', { events: ['analysis.failed'] });
  await replayAll(world, 'a', webhookId);
  const { models, crash } = await world.start(deliveryStores.file());
  crash();
  const webhook = models.webhooks.one(webhookId);
  if (!webhook) throw new Error('no webhook');
  // A clock on which each event takes a millisecond.
  let elapsed = 0;
  let yielded = 0;
  const shared = turns({
    elapsedMs: () => (elapsed += 0.5),
    nextTurn: async () => void (yielded += 1),
  });
  const parts = { models, turns: shared, announcedAt: announcements(models) };
  const first = await readAhead(parts, webhook, startingState(webhook));
  t.strictSame([first.messages.length, first.isEnd], [0, false]);
  t.ok(yielded >= 2000 / (2 * turnMs), `${yielded} turns of others in 2,000 events`);
  const { isEnd } = await readAhead(parts, webhook, startingState(webhook), first);
  t.equal(isEnd, true);
});

t.test('messages that wait are kept without their bodies', async t => {
  const world = webhookWorld(chance(1), () => accepted);
  await world.createSource(1, 'a');
  for (let n = 0; n < 150; n += 1) await world.raise(1, n);
  const webhookId = await world.createWebhook(1, 'a');
  await replayAll(world, 'a', webhookId);
  const { models, crash } = await world.start(deliveryStores.file());
  crash();
  const webhook = models.webhooks.one(webhookId);
  if (!webhook) throw new Error('no webhook');
  const parts = {
    models,
    turns: turns({ elapsedMs: () => 0, nextTurn: async () => {} }),
    announcedAt: announcements(models),
  };
  const { messages } = await readAhead(parts, webhook, startingState(webhook));
  t.equal(messages.length, 100);
  const [bodyBytes = 0] = messages.map(next => madeOf(parts, webhook, next)[0]?.message.body.length ?? 0);
  const keptBytes = serialize(messages).length / messages.length;
  t.ok(keptBytes < bodyBytes / 3, `${keptBytes} bytes are kept of a message whose body has ${bodyBytes}`);
});

t.test('a message of an event with many is made without the others', async t => {
  const world = webhookWorld(chance(1), () => accepted);
  await world.createSource(1, 'a');
  for (const [index, events] of [['alert.updated'], ['incident.updated']].entries())
    await world.createWebhook(index + 1, 'a', {
      events: events as MessageType[],
      digest: { everyMinutes: 60 },
    });
  for (let n = 0; n < 20; n += 1) await world.raise(1, n);
  await world.group('a', ...Array.from({ length: 20 }, (_, n) => ({ incidentId: `inc-${n}` })));
  await world.append(streams.source(1), { type: 'SourceArchived', data: { requestId: 'archive' } });
  const { models, crash } = await world.start(deliveryStores.file());
  const { position } = await world.append(streams.source(1), {
    type: 'SourceRestored',
    data: { requestId: 'restore' },
  });
  let made = 0;
  const { findingAt } = models.messageCauses;
  models.messageCauses.findingAt = (id, at) => {
    if (at === position) made += 1;
    return findingAt(id, at);
  };
  await world.runUntil(3_700_000);
  t.strictSame(
    world.inbox.map(({ body }) => body.data.messages?.length),
    [20, 20],
  );
  t.ok(made <= 4 * 40, `${made} messages were made to send 40, which are also made when they are read`);
  crash();
});

t.test(
  'a replay of a tenant waits while another one of it runs; tenants do not wait for each other',
  async t => {
    const under = new Map<string, number>();
    const most = new Map<string, number>();
    let together = 0;
    const count = (key: string, change: 1 | -1): void => {
      under.set(key, (under.get(key) ?? 0) + change);
      most.set(key, Math.max(most.get(key) ?? 0, under.get(key) ?? 0));
      together = Math.max(
        together,
        [...under.values()].reduce((sum, one) => sum + one, 0),
      );
    };
    const tenantOf = new Map<string, string>();
    const answer = ({ url }: Outgoing) => {
      const key = tenantOf.get(url) ?? '';
      count(key, 1);
      // Timers are up to half a millisecond late: the request ends before its answer is there.
      world.time.after({ name: 'receiver', alive: true }, 45, () => count(key, -1));
      return { ...accepted, delayMs: 50 };
    };
    const world: World = webhookWorld(chance(1), answer);
    const tenants = Array.from({ length: 10 }, (_, n) => `tenant${n}`);
    const webhooks: { readonly tenant: string; readonly id: string }[] = [];
    for (const [index, tenant] of tenants.entries()) {
      await world.createSource(index + 1, tenant);
      for (let n = 0; n < 5; n += 1) await world.raise(index + 1, n);
      for (let n = 0; n < 2; n += 1) {
        const number = webhooks.length + 1;
        tenantOf.set(`https://receiver-${number}.example.org/`, tenant);
        webhooks.push({ tenant, id: await world.createWebhook(number, tenant) });
      }
    }
    const { crash } = await world.start(deliveryStores.file());
    for (const { tenant, id } of webhooks) await replayAll(world, tenant, id);
    await world.runUntil(600_000);
    t.equal(world.inbox.length, webhooks.length * 5, 'all messages arrived');
    t.strictSame(
      [...most.values()],
      tenants.map(() => 1),
      'one request at a time of each tenant',
    );
    t.ok(together > 1 && together <= 8, `${together} of all tenants, expected 2 to 8`);
    crash();
  },
);
