import { deepStrictEqual } from 'node:assert/strict';
import fc from '../helpers/property.js';
import t from 'tap';
import { lookUp } from '../../domain/keyed.js';
import {
  type WebhookCommand,
  webhooks,
  webhooksMax,
  type WebhookEvent,
} from '../../domain/webhooks/webhooks.js';
import {
  requireFormat,
  usualEvents,
  receiverFormats,
  mailHost,
  messageTypes,
  patchedTarget,
  webhookLabelsMax,
  type TargetPatch,
  type WebhookTarget,
} from '../../domain/webhooks/webhookTarget.js';
import { foldsInHalves, given, play } from '../helpers/decisions/decider.js';
import { exactList } from '../helpers/exactList.js';

const target: WebhookTarget = {
  host: 'hooks.example.org',
  url: 'sealed:1:k:x',
  events: ['alert.raised'],
  labels: { site: 'north' },
  minCriticity: 0.5,
};
const idOf = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-5000-8000-000000000000`;
const id = idOf(1);
const create: WebhookCommand = { type: 'CreateWebhook', webhookId: id, keyId: 'k', target };
const created: WebhookEvent = { type: 'WebhookCreated', data: { webhookId: id, keyId: 'k', ...target } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { webhookId: id, reason: 'failing' } };
const deleted: WebhookEvent = { type: 'WebhookDeleted', data: { webhookId: id, keyId: 'k' } };
const rotation: WebhookCommand = {
  type: 'RotateWebhookSecret',
  webhookId: id,
  requestId: 'one',
  previousUntil: '2024-03-07T09:00:00.000Z',
};
const rotated = (secret: number, requestId: string): WebhookEvent => ({
  type: 'WebhookSecretRotated',
  data: { webhookId: id, requestId, secret, previousUntil: '2024-03-07T09:00:00.000Z' },
});

t.test('a webhook is created once', async t => {
  given(t, webhooks).when(create).then(created);
  given(t, webhooks, created).when(create).then();
  given(t, webhooks, created, deleted).when(create).then();
});

t.test('quiet hours have a length', async t => {
  const at = (from: string, to: string): WebhookCommand => ({
    ...create,
    target: { ...target, quietHours: { from, to } },
  });
  const refused = given(t, webhooks).when(at('07:00', '07:00')).rejects('webhookInvalid');
  t.match(refused?.faults, exactList({ pointer: '/quietHours/to' }));
  given(t, webhooks)
    .when(at('22:00', '07:00'))
    .then({
      type: 'WebhookCreated',
      data: { webhookId: id, keyId: 'k', ...target, quietHours: { from: '22:00', to: '07:00' } },
    });
});

t.test('a tenant has a limited number of webhooks; deleted ones leave room', async t => {
  const full = Array.from({ length: webhooksMax }, (_, n): WebhookEvent => ({
    type: 'WebhookCreated',
    data: { webhookId: idOf(n + 2), keyId: 'k', ...target },
  }));
  const refused = given(t, webhooks, ...full)
    .when(create)
    .rejects('tooManyWebhooks');
  t.match(refused?.message, /got webhook 51 of the tenant, expected at most 50/);
  given(t, webhooks, ...full, { type: 'WebhookDeleted', data: { webhookId: idOf(2), keyId: 'k' } })
    .when(create)
    .then(created);
});

t.test('a new secret has the next number, once a request', async t => {
  given(t, webhooks, created).when(rotation).then(rotated(2, 'one'));
  given(t, webhooks, created, rotated(2, 'one')).when(rotation).then();
  given(t, webhooks, created, rotated(2, 'other')).when(rotation).then(rotated(3, 'one'));
});

t.test('a webhook is disabled and enabled; the first reason stays', async t => {
  const disable: WebhookCommand = { type: 'DisableWebhook', webhookId: id, reason: 'failing' };
  const enable: WebhookCommand = { type: 'EnableWebhook', webhookId: id };
  const enabled: WebhookEvent = { type: 'WebhookEnabled', data: { webhookId: id } };
  given(t, webhooks, created).when(disable).then(disabled);
  given(t, webhooks, created, disabled)
    .when({ ...disable, reason: 'requested' })
    .then();
  given(t, webhooks, created, disabled).when(enable).then(enabled);
  given(t, webhooks, created).when(enable).then();
});

t.test(
  'a change keeps what it does not name, removes by null, and is not recorded without an effect',
  async t => {
    const change = (patch: TargetPatch): WebhookCommand => ({ type: 'ChangeWebhook', webhookId: id, patch });
    const changed = (after: Partial<WebhookTarget>): WebhookEvent => ({
      type: 'WebhookChanged',
      data: { webhookId: id, ...target, ...after },
    });
    const digest = { everyMinutes: 60, at: '00:30' };
    given(t, webhooks, created)
      .when(change({ minCriticity: 0.9, digest, labels: { team: 'a' } }))
      .then(changed({ minCriticity: 0.9, digest, labels: { site: 'north', team: 'a' } }));
    given(t, webhooks, created, changed({ digest }))
      .when(change({ digest: null, labels: { site: null } }))
      .then(changed({ labels: {} }));
    given(t, webhooks, created, changed({ digest }))
      .when(change({ labels: null }))
      .then(changed({ digest, labels: {} }));
    given(t, webhooks, created, changed({ digest }))
      .when(change({ digest: { at: '00:30', everyMinutes: 60 }, labels: { site: 'north', gone: null } }))
      .then();
    given(t, webhooks, created).when(change({})).then();
    given(t, webhooks, created)
      .when(change({ language: 'fr' }))
      .rejects('webhookInvalid');
    given(t, webhooks, created)
      .when(change({ quietHours: { from: '07:00', to: '07:00' } }))
      .rejects('webhookInvalid');
    const quietHours = { from: '22:00', to: '07:00', minCriticity: 0.99 };
    given(t, webhooks, created, changed({ quietHours, digest }))
      .when(change({ quietHours: { to: '06:00' }, digest: { everyMinutes: 30, at: null } }))
      .then(changed({ quietHours: { ...quietHours, to: '06:00' }, digest: { everyMinutes: 30 } }));
    given(t, webhooks, created, changed({ quietHours }))
      .when(change({ quietHours: { minCriticity: null } }))
      .then(changed({ quietHours: { from: '22:00', to: '07:00' } }));
    t.match(
      given(t, webhooks, created)
        .when(change({ quietHours: { to: '06:00' }, digest: { at: '08:00' } }))
        .rejects('webhookInvalid')?.faults,
      exactList({ pointer: '/digest/everyMinutes' }, { pointer: '/quietHours/from' }),
    );
    const many = Object.fromEntries(Array.from({ length: webhookLabelsMax }, (_, n) => [`label${n}`, 'x']));
    const { label0: _, ...most } = many;
    given(t, webhooks, created)
      .when(change({ labels: most }))
      .then(changed({ labels: { site: 'north', ...most } }));
    const refused = given(t, webhooks, created)
      .when(change({ labels: many }))
      .rejects('webhookInvalid');
    t.match(refused?.faults, exactList({ pointer: '/labels', detail: 'got 33 labels, expected at most 32' }));
    const mail: WebhookEvent = {
      type: 'WebhookCreated',
      data: { webhookId: id, keyId: 'k', ...target, host: 'mail', language: 'fr' },
    };
    given(t, webhooks, mail)
      .when(change({ host: 'x.example.org', url: 'sealed' }))
      .rejects('webhookInvalid');
    given(t, webhooks, mail)
      .when(change({ host: 'x.example.org', url: 'sealed', language: null }))
      .then(changed({ host: 'x.example.org', url: 'sealed' }));
  },
);

t.test('a format has its options and no others', async t => {
  const of = (more: Partial<WebhookTarget>): WebhookCommand => ({
    ...create,
    target: { ...target, ...more },
  });
  const refusals = (more: Partial<WebhookTarget>): readonly string[] | undefined =>
    given(t, webhooks)
      .when(of(more))
      .rejects('webhookInvalid')
      ?.faults.map(({ pointer, detail }) => `${pointer} ${detail}`);
  const options = { topic: 'sealed:1:k:y' };
  given(t, webhooks)
    .when(of({ format: 'ntfy', options }))
    .then({
      type: 'WebhookCreated',
      data: { webhookId: id, keyId: 'k', ...target, format: 'ntfy', options },
    });
  t.strictSame(refusals({ format: 'ntfy', options: { priority: 'sealed:1:k:z' } }), [
    '/options/topic got none for the format ntfy, expected topic',
  ]);
  t.strictSame(refusals({ format: 'teams', options }), [
    '/options/topic got topic for the format teams, expected none; null removes it',
  ]);
  t.strictSame(refusals({ format: 'slack', host: 'mail' }), [
    '/format got a mail address for the format slack, expected none',
  ]);
  t.strictSame(
    refusals({
      ...{ format: 'alertmanager', events: ['alert.raised', 'analysis.completed'] },
      ...{ digest: { everyMinutes: 60 }, quietHours: { from: '22:00', to: '07:00' } },
    }),
    [
      '/digest got a digest for the format alertmanager, expected none',
      '/quietHours got quiet hours for the format alertmanager, expected none',
      '/events/1 got analysis.completed for the format alertmanager, expected none',
    ],
  );
  const patched = patchedTarget(
    { ...target, format: 'ntfy', options },
    { format: 'cloudevents', options: null },
  );
  t.strictSame(patched, target, 'CloudEvents are the absence of a format');
  const more = patchedTarget({ ...target, options }, { options: { token: 'sealed:1:k:t', topic: null } });
  t.strictSame(more.options, { token: 'sealed:1:k:t' });
  t.strictSame(usualEvents('slack', messageTypes), messageTypes);
  t.notOk(usualEvents('alertmanager', messageTypes).some(type => type.startsWith('analysis')));
});

t.test('a replay is recorded once a request, also of a disabled webhook', async t => {
  const replay: WebhookCommand = { type: 'ReplayWebhook', webhookId: id, requestId: 'one', after: '17' };
  const requested: WebhookEvent = {
    type: 'WebhookReplayRequested',
    data: { webhookId: id, requestId: 'one', after: '17' },
  };
  given(t, webhooks, created, disabled).when(replay).then(requested);
  given(t, webhooks, created, requested).when(replay).then();
});

t.test('an unknown or deleted webhook is not found', async t => {
  const commands: readonly WebhookCommand[] = [
    rotation,
    { type: 'ChangeWebhook', webhookId: id, patch: {} },
    { type: 'DisableWebhook', webhookId: id, reason: 'gone' },
    { type: 'EnableWebhook', webhookId: id },
    { type: 'ReplayWebhook', webhookId: id, requestId: 'one', after: '0' },
    { type: 'DeleteWebhook', webhookId: id },
  ];
  for (const command of commands) {
    given(t, webhooks).when(command).rejects('webhookNotFound');
    given(t, webhooks, created, deleted).when(command).rejects('webhookNotFound');
  }
  given(t, webhooks, created).when({ type: 'DeleteWebhook', webhookId: id }).then(deleted);
});

const anyCommand = fc.oneof(
  fc.nat(3).map((n): WebhookCommand => ({ ...create, webhookId: idOf(n) })),
  fc
    .tuple(fc.nat(3), fc.constantFrom('one', 'two'))
    .chain(([n, requestId]) =>
      fc.constantFrom<WebhookCommand>(
        { ...rotation, webhookId: idOf(n), requestId },
        { type: 'ReplayWebhook', webhookId: idOf(n), requestId, after: '5' },
        { type: 'DisableWebhook', webhookId: idOf(n), reason: 'requested' },
        { type: 'EnableWebhook', webhookId: idOf(n) },
        { type: 'ChangeWebhook', webhookId: idOf(n), patch: { minCriticity: 0.7, labels: { site: null } } },
        { type: 'DeleteWebhook', webhookId: idOf(n) },
      ),
    ),
);

t.test('any commands: repeats are quiet, secrets only grow, the count is of those not deleted', async () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 60 }), fc.nat(), (commands, cut) => {
      const secretOf = (state: typeof webhooks.initial, n: number) =>
        lookUp(state.webhooks, idOf(n))?.secret ?? 0;
      const { events } = play(webhooks, commands, (state, _, before) => {
        const all = [0, 1, 2, 3].map(n => lookUp(state.webhooks, idOf(n)));
        deepStrictEqual(state.count, all.filter(one => one && one.status !== 'deleted').length);
        for (const n of [0, 1, 2, 3])
          deepStrictEqual(secretOf(state, n) - secretOf(before, n) >= 0, true, `secret of ${n}`);
      });
      foldsInHalves(webhooks, events, cut);
    }),
  );
});

t.test('each format has its options, and some take no digests, quiet hours or analyses', async t => {
  const waits: Partial<WebhookTarget> = {
    digest: { everyMinutes: 60 },
    quietHours: { from: '22:00', to: '07:00' },
    grouping: 'incident',
    events: ['alert.raised', 'analysis.failed'],
    options: { token: 'x' },
  };
  const codesOf = (of: WebhookTarget): readonly string[] => {
    try {
      requireFormat(of);
      return [];
    } catch (error) {
      const { faults } = error as { readonly faults: readonly { pointer: string; code: string }[] };
      return faults.map(({ pointer, code }) => `${pointer} ${code}`);
    }
  };
  const noDigests = ['/digest digestRefused', '/grouping groupingRefused'];
  const unknown = '/options/token optionUnknown';
  const expected = {
    cloudevents: [unknown],
    slack: [unknown],
    teams: [unknown],
    pagerduty: [...noDigests, unknown, '/options/routingKey optionMissing'],
    ntfy: ['/options/topic optionMissing'],
    alertmanager: [...noDigests, '/quietHours quietHoursRefused', '/events/1 eventRefused'],
  };
  for (const format of receiverFormats) {
    t.strictSame(codesOf({ ...target, ...waits, format }), expected[format], format);
    const mail = codesOf({ ...target, host: mailHost, format });
    t.equal(mail.includes('/format formatOfMail'), format !== 'cloudevents', `${format} to a mail address`);
  }
  t.strictSame(codesOf({ ...target, ...waits, options: {} }), [], 'CloudEvents are the default');
  t.strictSame(codesOf({ ...target, format: 'pagerduty', options: { routingKey: 'x' } }), []);
});
