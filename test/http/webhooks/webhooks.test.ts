import { createServer, type IncomingHttpHeaders } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import type { Attempt } from '../../../application/ports/deliveries.js';
import type { ShownWebhook } from '../../../application/requests/useCases/testWebhook.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Received = { readonly headers: Record<string, string>; readonly body: string };
type Message = {
  readonly id: string;
  readonly type: string;
  readonly position: string;
  readonly data: {
    readonly change?: string;
    readonly alert?: { readonly id: string; readonly state: string };
  };
};
type Created = ShownWebhook & { readonly secret: string };

/** A receiver on this machine; it answers with `status`. */
const receiver = async (t: Test) => {
  const received: Received[] = [];
  const control = { status: 204 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (control.status < 300) received.push({ headers: plain(request.headers), body });
      response.writeHead(control.status).end('x'.repeat(10_000));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { received, control, url: `http://127.0.0.1:${port}/hook?token=a-secret-of-the-receiver` };
};

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const messagesIn = (received: readonly Received[]): readonly Message[] =>
  received.map(({ body }) => JSON.parse(body) as Message);

const high = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => value + 999) });

const stage = async (t: Test, env: NodeJS.ProcessEnv = { WEBHOOK_ALLOW_PRIVATE: 'true' }) => {
  const service = await startService(t, env);
  const { call } = service;
  const create = (json: object, headers = {}) =>
    call<Created>('POST', '/v1/webhook/create', { json, headers });
  const raise = async (date: string): Promise<string> => {
    const { body } = await call<{ alerts: { raised: readonly { id: string }[] } }>(
      'POST',
      '/v1/import/days',
      { json: { sourceId: 1, days: [high(date)] } },
    );
    return body.alerts.raised[0]?.id ?? '';
  };
  const createSource = async () => {
    const days = ordinaryDays('2022-01-01', 60);
    await call('POST', '/v1/import/create-source', {
      json: { name: 'hall', unit: 'visitors', referenceYear: 2022, days },
    });
    await analysed(call, 1);
  };
  return { ...service, create, raise, createSource };
};

const arrived = (received: readonly Received[], count: number) =>
  eventually(`${count} messages`, () => (received.length >= count ? received : undefined));

const ofAlerts = ['alert.raised', 'alert.updated', 'alert.resolved', 'analysis.completed'];

t.test('signed messages from the analysis to the end of an alert, across a restart', async t => {
  const service = await stage(t, {
    WEBHOOK_ALLOW_PRIVATE: 'true',
    PUBLIC_URL: 'https://daybook.example.org/',
  });
  const { create, raise, call } = service;
  const { received, url } = await receiver(t);
  const created = await create({ url, events: ofAlerts });
  t.equal(created.status, 201);
  t.equal(created.headers.get('cache-control'), 'no-store');
  const { secret, ...webhook } = created.body;
  t.match(webhook, { url, status: 'active', minCriticity: 0, disabledReason: null });
  t.strictSame(webhook.labels, {});
  await service.createSource();
  const alertId = await raise('2022-04-01');
  await arrived(received, 2);
  await call('POST', `/v1/alert/${alertId}/acknowledge`);
  await arrived(received, 3);
  // A restart before an answer is noted repeats its message.
  await eventually('three noted answers', async () => {
    const path = `/v1/webhook/${webhook.id}/deliveries`;
    const { body } = await call<{ deliveries: readonly Attempt[] }>('GET', path);
    return body.deliveries.length >= 3 ? true : undefined;
  });
  await service.restart();
  await call('POST', `/v1/alert/${alertId}/resolve`, {
    json: { verdict: 'anomaly', comment: 'private words' },
  });
  await arrived(received, 4);

  const messages = messagesIn(received);
  t.strictSame(
    messages.map(({ type, data }) => [type, data.change, data.alert?.state]),
    [
      ['analysis.completed', undefined, undefined],
      ['alert.raised', 'raised', 'open'],
      ['alert.updated', 'acknowledged', 'acknowledged'],
      ['alert.resolved', 'resolved', 'resolved'],
    ],
  );
  t.match(messages[1], {
    specversion: '1.0',
    source: '/v1/source/1',
    subject: alertId,
    datacontenttype: 'application/json',
    data: {
      source: { id: 1, name: 'hall', timeZone: 'UTC' },
      alert: {
        id: alertId,
        date: '2022-04-01',
        kind: 'activity',
        direction: 'over',
        sentence: /usual Friday/,
        sentences: { fr: /vendredi habituel/ },
        severity: Number,
        loss: / its allowance$/,
        losses: { fr: / sa marge$/ },
        deviation: { unit: 'visitors' },
      },
    },
  });
  t.match(messages[1]?.data, { link: `https://daybook.example.org/alerts/${alertId}` });
  t.strictSame((messages[1]?.data as { source?: { labels?: unknown } } | undefined)?.source?.labels, {});
  t.match(messages[0]?.data, { link: 'https://daybook.example.org/sources/1' });
  t.notMatch(received[3]?.body, /private words|sealed:/, 'comments of people stay inside');
  for (const { headers, body } of received) {
    const message = new Webhook(secret).verify(body, headers) as Message;
    t.equal(headers['webhook-id'], message.id);
  }
  const { body: list } = await call<{ webhooks: readonly ShownWebhook[] }>('GET', '/v1/webhook/list');
  t.match(
    list.webhooks,
    exactList({ id: webhook.id, url, delivery: { failedAttempts: 0, nextAttemptAt: null } }),
  );
  const { body: log } = await call<{ deliveries: readonly Attempt[] }>(
    'GET',
    `/v1/webhook/${webhook.id}/deliveries?limit=2`,
  );
  t.strictSame(
    log.deliveries.map(({ id, type, status, outcome }) => [id, type, status, outcome]),
    [
      [messages[3]?.id, 'alert.resolved', 204, 'delivered'],
      [messages[2]?.id, 'alert.updated', 204, 'delivered'],
    ],
  );

  // No file contains the secret or the address of the receiver as plain text.
  await service.stop();
  const folder = service.settings.dataDir;
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file)).toString('latin1');
    for (const text of [secret, secret.slice('whsec_'.length), 'a-secret-of-the-receiver'])
      t.notOk(bytes.includes(text), `${file} has no ${text.slice(0, 6)}…`);
  }
  t.notMatch(service.logged(), /whsec_|a-secret-of-the-receiver/);
});

t.test('a retried creation answers the same webhook and secret, which is not kept', async t => {
  const { create, call, settings, stop } = await stage(t);
  const json = { url: 'http://127.0.0.1:9/', events: ['alert.raised'], labels: { site: 'north' } };
  const headers = { 'Idempotency-Key': 'once' };
  const [first, again] = [await create(json, headers), await create(json, headers)];
  t.strictSame([first.status, again.status], [201, 201]);
  t.equal(again.body.secret, first.body.secret);
  t.equal(again.body.id, first.body.id);
  const other = await create({ ...json, minCriticity: 0.5 }, headers);
  t.equal(other.status, 422, 'another request under the key');
  const { text } = await call('GET', '/v1/webhook/list');
  t.notMatch(text, /whsec_/, 'a list has no secrets');
  await stop();
  const kept = readFileSync(join(settings.dataDir, 'answers.sqlite')).toString('latin1');
  t.notMatch(kept, /whsec_/);
});

t.test('after a rotation messages are signed with both secrets, which differ', async t => {
  const { create, call, events } = await stage(t);
  const { received, url } = await receiver(t);
  const { secret, ...webhook } = (await create({ url })).body;
  const rotated = await call<Created>('POST', `/v1/webhook/${webhook.id}/rotate-secret`);
  t.equal(rotated.status, 200);
  t.not(rotated.body.secret, secret);
  const event = events().find(({ type }) => type === 'WebhookSecretRotated');
  const until = new Date(Date.parse(event?.at ?? '') + 24 * 3_600_000).toISOString();
  t.equal(rotated.body.previousSecretUntil, until, 'a day from the rotation on');
  const tested = await call<Attempt>('POST', `/v1/webhook/${webhook.id}/test`);
  t.match(tested, { status: 200, body: { type: 'webhook.test', outcome: 'delivered', status: 204 } });
  const [{ headers, body }] = received as [Received];
  for (const valid of [secret, rotated.body.secret])
    t.match(new Webhook(valid).verify(body, headers), { type: 'webhook.test' });
  const third = await call<Created>('POST', `/v1/webhook/${webhook.id}/rotate-secret`);
  await call('POST', `/v1/webhook/${webhook.id}/test`);
  const [, last] = received as [Received, Received];
  t.throws(() => new Webhook(secret).verify(last.body, last.headers), 'the first one has ended');
  t.ok(new Webhook(third.body.secret).verify(last.body, last.headers));
});

t.test('failures are retried, disabled webhooks wait, replays repeat', async t => {
  const { create, call, raise, createSource } = await stage(t);
  await createSource();
  const { received, control, url } = await receiver(t);
  control.status = 500;
  const { body: webhook } = await create({ url, events: ['alert.raised'] });
  const path = `/v1/webhook/${webhook.id}`;
  const first = await raise('2022-04-01');
  const attempts = async () =>
    (await call<{ deliveries: readonly Attempt[] }>('GET', `${path}/deliveries`)).body.deliveries;
  await eventually('a failed attempt', async () => ((await attempts()).length > 0 ? true : undefined));
  t.match((await attempts()).at(-1), { status: 500, outcome: 'retrying', attempt: 1, failure: null });
  const failing = await call<{ webhooks: readonly ShownWebhook[] }>('GET', '/v1/webhook/list');
  t.match(failing.body.webhooks[0]?.delivery, { failingSince: /T/, nextAttemptAt: /T/ });
  t.ok((failing.body.webhooks[0]?.delivery.failedAttempts ?? 0) > 0);
  control.status = 204;
  // A receiver has the message before its answer is noted.
  const last = await eventually('the noted answer', async () =>
    (await attempts()).find(({ status }) => status === 204),
  );
  t.match(last, { outcome: 'delivered', attempt: (await attempts()).length });

  t.match((await call('POST', `${path}/disable`)).body, { status: 'disabled', disabledReason: 'requested' });
  const second = await raise('2022-04-04');
  await new Promise(resolve => setTimeout(resolve, 300));
  t.equal(received.length, 1, 'nothing while it is disabled');
  t.match((await call('POST', `${path}/enable`)).body, { status: 'active', disabledReason: null });
  await arrived(received, 2);
  const alertsIn = () => messagesIn(received).map(({ data }) => data.alert?.id);
  t.strictSame(alertsIn(), [first, second]);

  const position = String(BigInt(messagesIn(received)[1]?.position ?? '0') - 1n);
  t.equal((await call('POST', `${path}/replay`, { json: { position } })).status, 200);
  await arrived(received, 3);
  t.equal(messagesIn(received)[2]?.id, messagesIn(received)[1]?.id, 'the same message');
  const beyond = await call('POST', `${path}/replay`, { json: { position: '999999999' } });
  t.match(beyond, {
    status: 422,
    body: { code: 'webhookInvalid', errors: exactList({ pointer: '/position' }) },
  });
});

t.test('a webhook is read alone and changed; id, secret and progress stay', async t => {
  const { create, call, raise, createSource, events } = await stage(t);
  await createSource();
  const { received, url } = await receiver(t);
  const json = { url: 'http://127.0.0.1:9/', events: ['alert.raised'], digest: { everyMinutes: 1440 } };
  const created = await create(json);
  const { secret, ...webhook } = created.body;
  const path = `/v1/webhook/${webhook.id}`;
  t.equal(created.headers.get('location'), path);
  t.match(await call('GET', path), { status: 200, body: webhook });
  await raise('2022-04-01');
  const patch = { url, digest: null, labels: { site: null }, events: ['alert.raised', 'alert.updated'] };
  const changed = await call<ShownWebhook>('PATCH', path, { json: patch });
  t.match(changed, {
    status: 200,
    body: { id: webhook.id, url, digest: null, events: patch.events, createdAt: webhook.createdAt },
  });
  await arrived(received, 1);
  for (const { headers, body } of received)
    t.ok(new Webhook(secret).verify(body, headers), 'the secret stays');
  t.equal((await call('PATCH', path, { json: patch })).status, 200);
  const stored = events().filter(({ stream }) => stream === 'webhooks-default');
  t.strictSame(
    stored.map(({ type }) => type),
    ['WebhookCreated', 'WebhookChanged'],
    'a change without an effect is no event',
  );
  t.match(stored[1]?.data, { url: /^sealed:1:/ });
  const refused = await call('PATCH', path, { json: { url: 'ftp://example.org/' } });
  t.match(refused, { status: 422, body: { code: 'webhookInvalid', errors: exactList({ pointer: '/url' }) } });
  t.match(await call('PATCH', path, { json: { language: 'fr' } }), {
    status: 422,
    body: { code: 'webhookInvalid' },
  });
});

t.test('digests and quiet hours are stored and shown', async t => {
  const { create, call } = await stage(t);
  const waiting = {
    digest: { everyMinutes: 1440, at: '08:00' },
    quietHours: { from: '22:00', to: '07:00', minCriticity: 0.99 },
  };
  const created = await create({ url: 'http://127.0.0.1:9/', ...waiting });
  t.match(created, { status: 201, body: waiting });
  await create({ url: 'http://127.0.0.1:9/' });
  const { body } = await call<{ webhooks: readonly ShownWebhook[] }>('GET', '/v1/webhook/list');
  t.match(body.webhooks, exactList(waiting, { digest: null, quietHours: null }));
});

t.test('deletion of a webhook destroys its key', async t => {
  const { create, call, events, logged } = await stage(t);
  const { body: webhook } = await create({ url: 'http://127.0.0.1:9/hook?token=secret-words' });
  t.match(await call('DELETE', `/v1/webhook/${webhook.id}`), { status: 200, body: { id: webhook.id } });
  t.match(await call('DELETE', `/v1/webhook/${webhook.id}`), {
    status: 404,
    body: { code: 'webhookNotFound' },
  });
  t.strictSame((await call('GET', '/v1/webhook/list')).body, { webhooks: [] });
  const [created, deleted] = events().filter(({ stream }) => stream === 'webhooks-default');
  t.match([created?.type, deleted?.type], exactList('WebhookCreated', 'WebhookDeleted'));
  t.match(created?.data, { host: '127.0.0.1:9', url: /^sealed:1:/ });
  t.notMatch(logged(), /secret-words/);
  const { text } = await call('GET', '/v1/audit/event?stream=webhooks-default');
  t.notMatch(text, /secret-words/);
});

t.test('private addresses are refused without WEBHOOK_ALLOW_PRIVATE', async t => {
  const { create, eventCount } = await stage(t, {});
  for (const url of [
    'http://127.0.0.1:8080/',
    'https://169.254.169.254/',
    'http://localhost/',
    'http://[::1]/',
  ]) {
    const answer = await create({ url });
    t.match(
      answer,
      {
        status: 422,
        body: { code: 'webhookInvalid', errors: exactList({ pointer: '/url', code: 'addressRefused' }) },
      },
      url,
    );
  }
  t.equal(eventCount(), 0, 'nothing was stored');
});
