import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Attempt } from '../../../application/ports/deliveries.js';
import type { ShownWebhook } from '../../../application/requests/useCases/testWebhook.js';
import { exactList } from '../../helpers/exactList.js';
import { vendorNames, vendorReceiver, type VendorName } from '../../helpers/receivers/vendors.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// Receivers of each format, written after their vendors, behind the service.

const secrets = {
  routingKey: 'r0u7ing00k3y00of00pagerduty00abc',
  topic: 'topic-of-the-halls',
  token: 'tk_token-of-ntfy',
};
const optionsOf: Readonly<Record<VendorName, object>> = {
  slack: {},
  teams: {},
  pagerduty: { routingKey: secrets.routingKey },
  ntfy: { topic: secrets.topic, token: secrets.token, priority: 4 },
  alertmanager: { token: secrets.token },
};
const allEvents = ['alert.raised', 'alert.updated', 'alert.resolved'];

const stage = async (t: Test, env: NodeJS.ProcessEnv) => {
  const service = await startService(t, { PUBLIC_URL: 'https://daybook.example.org', ...env });
  const { call } = service;
  await call('POST', '/v1/import/create-source', {
    json: {
      ...{ name: 'hall', unit: 'visitors', labels: { site: 'Lyon' }, referenceYear: 2022 },
      days: ordinaryDays('2022-01-01', 60),
    },
  });
  await analysed(call, 1);
  const create = (json: object) => call<ShownWebhook>('POST', '/v1/webhook/create', { json });
  const raise = async (date: string): Promise<string> => {
    const days = [{ date, activity: ordinaryDay(date).activity.map(value => value + 999) }];
    const json = { sourceId: 1, days };
    const answer = await call<{ alerts: { raised: readonly { id: string }[] } }>('POST', '/v1/import/days', {
      json,
    });
    return answer.body.alerts.raised[0]?.id ?? '';
  };
  return { ...service, create, raise };
};

t.test(
  'each vendor takes an alert from its beginning to its end, again after 429 and in a replay',
  async t => {
    const vendors = await Promise.all(vendorNames.map((name, index) => vendorReceiver(t, name, index % 2)));
    const env = { WEBHOOK_ALLOW_PRIVATE: vendors.map(({ port }) => `127.0.0.1:${port}`).join() };
    const service = await stage(t, env);
    const { call, create, raise } = service;
    const created: ShownWebhook[] = [];
    for (const { name, url } of vendors) {
      const json = { url, format: name, options: optionsOf[name], events: allEvents };
      const { status, body } = await create(json);
      t.match({ status, body }, { status: 201, body: { format: name, language: 'en' } }, name);
      t.strictSame(body.options, Object.keys(optionsOf[name]));
      created.push(body);
    }
    const position = String(service.events().length);
    const all = (count: number) =>
      eventually(`${count} messages to each`, () => {
        const faults = vendors.flatMap(({ refused }) => refused);
        if (faults.length > 0) throw new Error(faults.join('\n'));
        return vendors.every(({ name, accepted }) => {
          // Open alerts are also sent again.
          const bodies = accepted.map(({ body }) => body);
          return (name === 'alertmanager' ? new Set(bodies).size : bodies.length) >= count;
        })
          ? true
          : undefined;
      });
    const alertId = await raise('2022-04-01');
    await all(1);
    await call('POST', `/v1/alert/${alertId}/acknowledge`);
    await all(2);
    const json = { verdict: 'anomaly', comment: 'private words' };
    await call('POST', `/v1/alert/${alertId}/resolve`, { json });
    await all(3);

    const bodiesOf = (name: VendorName): readonly string[] => [
      ...new Set(vendors.find(one => one.name === name)?.accepted.map(({ body }) => body)),
    ];
    t.strictSame(
      bodiesOf('pagerduty').map(body => {
        const { event_action: action, dedup_key: key } = JSON.parse(body) as Record<string, string>;
        return [action, key];
      }),
      [
        ['trigger', alertId],
        ['acknowledge', alertId],
        ['resolve', alertId],
      ],
    );
    const alerts = bodiesOf('alertmanager').map(body => JSON.parse(body) as readonly [Record<string, never>]);
    t.equal(
      new Set(alerts.map(([{ labels }]) => JSON.stringify(labels))).size,
      1,
      'one alert for Alertmanager',
    );
    t.strictSame(
      alerts.map(([one]) => 'endsAt' in one),
      [false, false, true],
    );
    for (const name of vendorNames) {
      const [first = ''] = bodiesOf(name);
      t.match(first, /usual Friday/, `${name}: the sentence`);
      t.match(first, /hall/, `${name}: the source`);
      t.match(first, /[▁▂▃▄▅▆▇█]{4}/, `${name}: the values of the day`);
      t.match(first, `https://daybook.example.org/alerts/${alertId}`, `${name}: the link`);
    }
    for (const { name, accepted, turnedAway } of vendors) {
      for (const [index, body] of turnedAway.entries())
        t.equal(body, accepted[index]?.body, `${name}: after 429`);
      const wanted = name === 'ntfy' || name === 'alertmanager' ? `Bearer ${secrets.token}` : undefined;
      for (const { authorization } of accepted) t.equal(authorization, wanted, `${name}: authorization`);
    }

    const before = new Map(vendors.map(({ name, accepted }) => [name, accepted.map(({ body }) => body)]));
    await service.restart();
    for (const { id } of created) await call('POST', `/v1/webhook/${id}/replay`, { json: { position } });
    for (const { name, accepted } of vendors) {
      const known = before.get(name) ?? [];
      await eventually(`a replay for ${name}`, () =>
        accepted.length >= known.length + 3 ? true : undefined,
      );
      const again = accepted.slice(known.length).map(({ body }) => body);
      t.strictSame(new Set(again), new Set(known), `${name}: a replay has the same bytes`);
    }

    const answers = await Promise.all(
      [
        ...created.map(({ id }) => `/v1/webhook/${id}`),
        ...['/v1/webhook/list', '/v1/audit/event?stream=webhooks-default'],
        ...created.map(({ id }) => `/v1/webhook/${id}/deliveries`),
      ].map(async path => (await call('GET', path)).text),
    );
    const events = JSON.stringify(service.events(), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    await service.stop();
    const { dataDir } = service.settings;
    const files = readdirSync(dataDir).map(file => readFileSync(join(dataDir, file)).toString('latin1'));
    for (const secret of [...Object.values(secrets), 'slack-secret', 'teams-secret'])
      for (const [place, texts] of Object.entries({
        answers,
        events: [events],
        files,
        log: [service.logged()],
      }))
        t.notOk(
          texts.some(text => text.includes(secret)),
          `${secret.slice(0, 6)}… is not in ${place}`,
        );
    t.match(answers[0], 'http://127.0.0.1', 'an answer has the beginning of the address');
  },
);

t.test('a trial is in the language of the receiver', async t => {
  const slack = await vendorReceiver(t, 'slack');
  const { create, call } = await stage(t, { WEBHOOK_ALLOW_PRIVATE: `127.0.0.1:${slack.port}` });
  const { body: webhook } = await create({ url: slack.url, format: 'slack', language: 'fr' });
  const tested = await call<Attempt>('POST', `/v1/webhook/${webhook.id}/test`);
  t.match(tested.body, { type: 'webhook.test', outcome: 'delivered', status: 200 });
  t.match(slack.accepted, exactList({ body: /Message de test de Daybook/ }));
});

t.test('formats, options and addresses that do not fit are refused with their place', async t => {
  const { create, call, eventCount } = await stage(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const before = eventCount();
  const url = 'https://receivers.example.org/hook';
  const routingKey = secrets.routingKey;
  const enqueue = 'https://events.pagerduty.com/v2/enqueue';
  const alerts = 'http://alerts.lan:9093/api/v2/alerts';
  for (const [json, ...faults] of [
    [{ url: enqueue, format: 'pagerduty' }, '/options/routingKey optionMissing'],
    [
      { url: enqueue, format: 'pagerduty', options: { routingKey }, digest: { everyMinutes: 5 } },
      '/digest digestRefused',
    ],
    [
      { url, format: 'slack', options: { topic: 'a', token: 'b' } },
      '/options/token optionUnknown',
      '/options/topic optionUnknown',
    ],
    [{ url, options: { token: 'b' } }, '/options/token optionUnknown'],
    [{ url: 'https://ntfy.example.org', format: 'ntfy' }, '/options/topic optionMissing'],
    [
      { url: 'https://ntfy.example.org/halls', format: 'ntfy', options: { topic: 'a' } },
      '/url addressOfFormat',
    ],
    [{ url, format: 'alertmanager' }, '/url addressOfFormat'],
    [{ url: alerts, format: 'alertmanager', digest: { everyMinutes: 5 } }, '/digest digestRefused'],
    [
      { url: alerts, format: 'alertmanager', quietHours: { from: '22:00', to: '07:00' } },
      '/quietHours quietHoursRefused',
    ],
    [
      { url: alerts, format: 'alertmanager', events: ['alert.raised', 'analysis.failed'] },
      '/events/1 eventRefused',
    ],
    [{ url: 'https://hooks.slack.com/', format: 'slack' }, '/url addressOfFormat'],
  ] as const) {
    const { status, body } = await create(json);
    const { code, errors } = body as unknown as { code: string; errors: { pointer: string; code: string }[] };
    t.strictSame({ status, code }, { status: 422, code: 'webhookInvalid' });
    const got = errors.map(fault => `${fault.pointer} ${fault.code}`).sort();
    t.strictSame(got, [...faults], JSON.stringify(json));
  }
  for (const options of [
    { routingKey: 'short' },
    { topic: 'with space' },
    { topic: 'x'.repeat(65) },
    { token: '' },
    { token: 'line\nend' },
    { priority: 6 },
    { priority: '3' },
    { channel: '#a' },
  ])
    t.match(await create({ url, format: 'ntfy', options }), { status: 422, body: { code: 'bodyInvalid' } });
  t.equal(eventCount(), before, 'nothing was stored');

  const { body: quiet } = await create({ url: alerts, format: 'alertmanager' });
  t.strictSame(quiet.events, ['incident.opened', 'incident.updated', 'incident.ended']);
  const patched = await call('PATCH', `/v1/webhook/${quiet.id}`, { json: { digest: { everyMinutes: 5 } } });
  t.match(patched, {
    status: 422,
    body: { errors: exactList({ pointer: '/digest', code: 'digestRefused' }) },
  });
});

t.test('options and format are changed by a merge patch', async t => {
  const [ntfy, slack] = [await vendorReceiver(t, 'ntfy'), await vendorReceiver(t, 'slack')];
  const { create, call, events } = await stage(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const options = { topic: 'one', token: 'tk_one' };
  const { body: webhook } = await create({ url: ntfy.url, format: 'ntfy', options });
  const path = `/v1/webhook/${webhook.id}`;
  const patch = (json: object) => call<ShownWebhook>('PATCH', path, { json });
  const changes = () => events().filter(({ type }) => type === 'WebhookChanged').length;
  t.strictSame((await patch({ options: { topic: 'one' } })).body.options, ['topic', 'token']);
  t.equal(changes(), 0, 'a change without an effect is no event');
  t.strictSame((await patch({ options: { topic: 'two', token: null, priority: 1 } })).body.options, [
    ...['topic', 'priority'],
  ]);
  t.equal(changes(), 1);
  await call('POST', `${path}/test`);
  t.match(ntfy.accepted, exactList({ authorization: undefined, body: /"topic":"two".*"priority":1/ }));
  t.match(await patch({ url: slack.url, format: 'slack' }), {
    status: 422,
    body: { errors: exactList({ pointer: '/options/topic' }, { pointer: '/options/priority' }) },
  });
  t.match(await patch({ url: slack.url, format: 'slack', options: null, language: 'fr' }), {
    status: 200,
    body: { format: 'slack', language: 'fr', url: `http://127.0.0.1:${slack.port}/…` },
  });
  await call('POST', `${path}/test`);
  t.match(slack.accepted, exactList({ body: /Message de test/ }));
  t.match(await patch({ format: 'cloudevents' }), {
    status: 422,
    body: { errors: exactList({ pointer: '/language' }) },
  });
  t.match((await patch({ format: 'cloudevents', language: null })).body, {
    format: 'cloudevents',
    language: null,
  });
});
