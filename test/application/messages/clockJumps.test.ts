// The clock of the machine jumps, forward and back, while receivers fail and instances restart.
import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from '../../helpers/property.js';
import t from 'tap';
import type { DeliveryState } from '../../../application/ports/deliveries.js';
import { startingState, failingMaxMs, nextFailing } from '../../../application/messages/progress.js';
import type { WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { chance } from '../../helpers/crash/chance.js';
import { accepted, deliveryStores, refused, webhookWorld } from '../../helpers/receivers/webhookWorld.js';
import { amount } from '../../helpers/amount.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A world with one webhook, whose receiver works while `isUp`. */
const stage = async (
  kind: keyof typeof deliveryStores = 'file',
  target: Partial<WebhookTarget> = {},
  seed = 1,
) => {
  const receiver = { isUp: false };
  const world = webhookWorld(chance(seed), () => (receiver.isUp ? accepted : refused(503)));
  await world.createSource(1, 'a');
  const webhookId = await world.createWebhook(1, 'a', target);
  const open = deliveryStores[kind]();
  let instance = await world.start(open);
  return {
    world,
    receiver,
    statusOf: () => instance.models.webhooks.one(webhookId)?.status,
    crash: () => instance.crash(),
    restart: async (): Promise<void> => {
      instance.crash();
      instance = await world.start(open);
    },
    pass: (ms: number) => world.runUntil(world.time.nowMs() + ms),
  };
};

for (const restarts of [[], ['ahead'], ['right'], ['ahead', 'right']])
  t.test(
    `300 days ahead and back while a receiver fails, restarts while ${restarts.join(' and ')}`,
    async t => {
      const { world, receiver, statusOf, restart, pass, crash } = await stage();
      await world.raise(1, 1);
      await pass(10 * minuteMs);
      world.wallClock.errorMs = 300 * dayMs;
      await pass(2 * hourMs);
      if (restarts.includes('ahead')) await restart();
      await pass(2 * hourMs);
      t.equal(statusOf(), 'active', 'a jump is no time of failures');
      world.wallClock.errorMs = 0;
      if (restarts.includes('right')) await restart();
      await pass(minuteMs);
      receiver.isUp = true;
      await pass(hourMs);
      t.equal(world.inbox.length, 1, 'delivered within an hour');
      crash();
    },
  );

t.test('the lease of an instance that crashed while its clock was ahead ends as usual', async t => {
  const { world, receiver, restart, pass, crash } = await stage('streams');
  world.wallClock.errorMs = 300 * dayMs;
  await world.raise(1, 1);
  // Claimed, and not given back: the first request is under way.
  await pass(1000);
  await world.raise(1, 2);
  await pass(5005);
  world.wallClock.errorMs = 0;
  receiver.isUp = true;
  await restart();
  await pass(3 * minuteMs);
  t.equal(world.inbox.length, 2);
  crash();
});

t.test(
  'a message of an event from the future waits for the next digest, not for that of its year',
  async t => {
    const { world, receiver, restart, pass, crash } = await stage('file', { digest: { everyMinutes: 60 } });
    receiver.isUp = true;
    await pass(minuteMs);
    world.wallClock.errorMs = 300 * dayMs;
    await world.raise(1, 1);
    await pass(minuteMs);
    world.wallClock.errorMs = 0;
    await pass(65 * minuteMs);
    t.equal(world.inbox.length, 1, 'in memory');
    world.wallClock.errorMs = 300 * dayMs;
    await world.raise(1, 2);
    await pass(minuteMs);
    world.wallClock.errorMs = 0;
    await restart();
    await pass(65 * minuteMs);
    t.equal(world.inbox.length, 2, 'after a restart');
    crash();
  },
);

t.test('a webhook is disabled after a day of waits, whatever the clock shows', async t => {
  let failing = nextFailing(
    null,
    { eventId: 'e', activation: 0 },
    { nowMs: 0, random: 0, retryAfterMs: undefined },
  );
  let nowMs = 0;
  let count = 0;
  let waitedMs = 0;
  for (; failing; count += 1) {
    waitedMs += failing.waitMs ?? 0;
    nowMs += 300 * dayMs * (count % 2 === 0 ? 1 : -1);
    failing = nextFailing(failing, failing, { nowMs, random: 0, retryAfterMs: undefined });
    if (failing) t.ok(Date.parse(failing.since) <= nowMs, 'not since the future');
  }
  t.ok(count >= 24, `${count} attempts`);
  t.ok(waitedMs >= failingMaxMs && waitedMs < failingMaxMs + hourMs);
});

type Step =
  | { readonly kind: 'jump'; readonly errorMs: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'raise' }
  | { readonly kind: 'receiver'; readonly isUp: boolean }
  | { readonly kind: 'pass'; readonly ms: number };
const anyStep = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({
    kind: fc.constant('jump' as const),
    errorMs: fc.constantFrom(0, 300 * dayMs, -300 * dayMs, hourMs, -hourMs, 90_000, -90_000, 30 * dayMs),
  }),
  fc.constant<Step>({ kind: 'restart' }),
  fc.constant<Step>({ kind: 'raise' }),
  fc.record({ kind: fc.constant('receiver' as const), isUp: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 100 * minuteMs }) }),
);

t.test('any jumps and restarts: an hour after clock and receiver work again, all is delivered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('file' as const, 'streams' as const),
      fc.nat(1000),
      fc.array(anyStep, { maxLength: 20 }),
      async (kind, seed, steps) => {
        const { world, receiver, statusOf, restart, pass, crash } = await stage(kind, {}, seed);
        const ids: string[] = [];
        const raise = async (): Promise<void> => {
          const { data } = await world.raise(1, ids.length);
          ids.push((data as { readonly alertId: string }).alertId);
        };
        await raise();
        for (const step of steps) {
          if (step.kind === 'jump') world.wallClock.errorMs = step.errorMs;
          else if (step.kind === 'receiver') receiver.isUp = step.isUp;
          else if (step.kind === 'raise') await raise();
          else if (step.kind === 'pass') await pass(step.ms);
          else await restart();
        }
        deepStrictEqual(statusOf(), 'active', 'less than a day of failures');
        world.wallClock.errorMs = 0;
        receiver.isUp = true;
        // The last instance may wait for the lease of one that crashed, and begins an hour's wait after it.
        await pass(hourMs + 2 * minuteMs);
        const arrived = new Set(world.inbox.map(({ body }) => body.data.alert.id));
        ok(
          ids.every(id => arrived.has(id)),
          `${arrived.size} of ${ids.length}`,
        );
        crash();
      },
    ),
    { numRuns: amount({ quick: 35, slow: 100 }) },
  );
});

const record = { createdPosition: 5n, activation: 2, replay: null } as WebhookRecord;
const failingOf = (activation: number): DeliveryState => ({
  cursor: 7n,
  ahead: {},
  replayId: null,
  failing: {
    eventId: 'e',
    activation,
    since: '2026-01-01T00:00:00.000Z',
    attempts: 9,
    nextAt: '2026-01-01T01:00:00.000Z',
  },
});

t.test('a webhook that is enabled again forgets the backoff of its failures before', async t => {
  t.equal(startingState(record, failingOf(1)).failing, null);
  t.match(startingState(record, failingOf(2)).failing, { attempts: 9 });
});

t.test('a replay does not go beyond its own request', async t => {
  // After a copy of the log to a store with other positions, `after` may be beyond the end.
  const replay = { requestId: 'r', after: 90n, position: 9n };
  const ahead = { ...failingOf(2), cursor: 70n };
  t.match(startingState({ ...record, replay }, ahead), { cursor: 9n, replayId: 'r', failing: null });
  t.match(startingState({ ...record, replay: { ...replay, after: 3n } }, failingOf(2)), { cursor: 3n });
});

t.test('a replay from a position ahead of the progress leaves out no message that waits', async t => {
  const state = { ...failingOf(2), cursor: 5n, ahead: { 1: '7', 2: '30' } };
  const replay = { requestId: 'r', after: 20n, position: 40n };
  const kept = { cursor: 5n, ahead: { 1: '7', 2: '20' } };
  t.strictSame(startingState({ ...record, replay }, state), {
    ...{ ...kept, replayId: 'r', replayPosition: '40', failing: null },
  });
  const back = { ...replay, after: 3n };
  const again = startingState({ ...record, replay: back }, state);
  t.strictSame([again.cursor, again.ahead], [3n, {}]);
  t.equal(startingState({ ...record, replay }).cursor, record.createdPosition, 'of a new webhook as well');
});

t.test('a replay does not run again when a restored log lacks a later one', async t => {
  const replay = { requestId: 'r', after: 0n, position: 40n };
  const state = { ...failingOf(2), cursor: 50n, replayId: 'later', replayPosition: '50', failing: null };
  t.strictSame(startingState({ ...record, replay }, state), state);
  const next = { ...replay, requestId: 'next', position: 51n };
  t.match(startingState({ ...record, replay: next }, state), { cursor: 0n, replayPosition: '51' });
});
