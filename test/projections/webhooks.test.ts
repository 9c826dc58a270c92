import t from 'tap';
import { Database } from '../../adapters/sqlite/driver.js';
import type { KnownEvent } from '../../domain/events.js';
import type { WebhookEvent } from '../../domain/webhooks/webhooks.js';
import { readModels } from '../../projections/readModels.js';

const at = (position: number): string => `2024-03-06T08:00:${String(position).padStart(2, '0')}.000Z`;

/** Read models after these events of one tenant; positions count from 1. */
const after = (...events: readonly WebhookEvent[]) => {
  const models = readModels(new Database(':memory:'));
  events.forEach((event, index) => {
    const position = BigInt(index + 1);
    const known = {
      ...event,
      id: `event-${position}`,
      v: 1,
      metadata: { by: 'x', cause: 'x', correlation: 'x' },
      at: at(index + 1),
      stream: 'webhooks-t',
      revision: index,
      position,
    } as KnownEvent;
    models.apply([known], known);
  });
  return models;
};

const created = (webhookId: string): WebhookEvent => ({
  type: 'WebhookCreated',
  data: {
    webhookId,
    keyId: `key-${webhookId}`,
    host: 'hooks.example.org',
    url: 'sealed',
    events: ['alert.raised'],
    labels: { site: 'north' },
    minCriticity: 0.5,
  },
});

t.test('a webhook from its creation to a replay', async t => {
  const { webhooks } = after(
    created('a'),
    { type: 'WebhookDisabled', data: { webhookId: 'a', reason: 'failing' } },
    { type: 'WebhookEnabled', data: { webhookId: 'a' } },
    {
      type: 'WebhookSecretRotated',
      data: { webhookId: 'a', requestId: 'r', secret: 2, previousUntil: at(50) },
    },
    { type: 'WebhookReplayRequested', data: { webhookId: 'a', requestId: 'p', after: '9007199254740993' } },
  );
  t.strictSame(webhooks.list('t'), [
    {
      id: 'a',
      tenant: 't',
      keyId: 'key-a',
      host: 'hooks.example.org',
      url: 'sealed',
      events: ['alert.raised'],
      labels: { site: 'north' },
      minCriticity: 0.5,
      status: 'active',
      disabledReason: null,
      disabledAt: null,
      secret: 2,
      previousUntil: at(50),
      createdAt: at(1),
      createdPosition: 1n,
      announcedFrom: 1n,
      activation: 2,
      replay: { requestId: 'p', after: 9_007_199_254_740_993n, position: 5n },
    },
  ]);
  t.strictSame(webhooks.one('a'), webhooks.list('t')[0]);
  t.strictSame(webhooks.list('other'), []);
});

t.test('a change has its filter from its position on; another address ends the backoff', async t => {
  const { webhookId, keyId, ...target } = created('a').data as Extract<
    WebhookEvent,
    { type: 'WebhookCreated' }
  >['data'];
  const { webhooks } = after(
    { type: 'WebhookDeleted', data: { webhookId: 'b', keyId: 'k' } },
    created(webhookId),
    { type: 'WebhookChanged', data: { webhookId, ...target, minCriticity: 0.9 } },
    { type: 'WebhookChanged', data: { webhookId, ...target, minCriticity: 0.1, url: 'sealed too' } },
    { type: 'WebhookChanged', data: { webhookId, ...target, labels: {}, url: 'sealed too' } },
  );
  t.match(webhooks.one('a'), { keyId, url: 'sealed too', minCriticity: 0.5, activation: 3, secret: 1 });
  t.strictSame(
    [1n, 2n, 3n, 4n, 5n, 90n].map(position => webhooks.filterAt('a', position)?.minCriticity),
    [0.5, 0.5, 0.9, 0.1, 0.5, 0.5],
  );
  t.strictSame(webhooks.filterAt('a', 5n), { events: ['alert.raised'], labels: {}, minCriticity: 0.5 });
  t.equal(webhooks.filterAt('b', 5n), undefined);
});

t.test('other options and another format end the backoff, the same ones do not', async t => {
  const {
    webhookId,
    keyId: _,
    ...target
  } = created('a').data as Extract<WebhookEvent, { type: 'WebhookCreated' }>['data'];
  const changed = (options: object, minCriticity = 0.5, format: 'ntfy' | 'slack' = 'ntfy'): WebhookEvent => ({
    type: 'WebhookChanged',
    data: { webhookId, ...target, format, minCriticity, options },
  });
  const topic = { topic: 'sealed:1' };
  const activationAfter = (...events: readonly WebhookEvent[]) =>
    after(created(webhookId), ...events).webhooks.one('a')?.activation;
  t.equal(activationAfter(changed(topic)), 1);
  t.equal(activationAfter(changed(topic), changed(topic, 0.9)), 1);
  t.equal(activationAfter(changed(topic), changed({ topic: 'sealed:2' })), 2);
  t.equal(activationAfter(changed(topic), changed(topic, 0.5, 'slack')), 2);
  t.equal(activationAfter({ type: 'WebhookChanged', data: { webhookId, ...target, minCriticity: 0.9 } }), 0);
});

t.test('only enabled webhooks are active; a deleted one is gone and its key is known', async t => {
  const { webhooks, people } = after(
    created('a'),
    created('b'),
    created('c'),
    { type: 'WebhookDisabled', data: { webhookId: 'b', reason: 'requested' } },
    { type: 'WebhookDeleted', data: { webhookId: 'c', keyId: 'key-c' } },
  );
  t.strictSame(webhooks.active(), ['a']);
  t.strictSame(webhooks.active('t'), ['a']);
  t.strictSame(webhooks.active('other'), []);
  t.match(webhooks.one('b'), { status: 'disabled', disabledReason: 'requested', disabledAt: at(4) });
  t.equal(webhooks.one('c'), undefined);
  t.strictSame(people.erased(), ['key-c']);
});
