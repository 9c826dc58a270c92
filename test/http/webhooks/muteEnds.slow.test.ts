// Messages that real receivers get at the end of a mute, and when a change that stays is recognised.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

type Message = {
  readonly type: string;
  readonly subject: string;
  readonly data: {
    readonly change: string;
    readonly incident?: { readonly sentence: string; readonly change: { readonly type: string } | null };
    readonly alert: { readonly id: string };
  };
};

const messages: Readonly<Record<'incidents' | 'alerts', Message[]>> = { incidents: [], alerts: [] };
const receivers = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const kind = request.url === '/incidents' ? 'incidents' : 'alerts';
    messages[kind].push(JSON.parse(body) as Message);
    response.writeHead(204).end();
  });
});
await new Promise<void>(resolve => receivers.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  receivers.closeAllConnections();
  receivers.close();
});
const address = `http://127.0.0.1:${(receivers.address() as AddressInfo).port}`;
const { call, restart } = await startService(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
const ask = async <Body>(method: string, path: string, json?: object): Promise<Body> => {
  const answer = await call<Body>(method, path, json ? { json } : {});
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
};
const arrived = (kind: 'incidents' | 'alerts', count: number): Promise<Message> =>
  eventually(`message ${count} about ${kind}`, () => messages[kind][count - 1]);

await ask('POST', '/v1/import/create-source', {
  ...{ name: 'hall', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) },
});
await analysed(call, 1);
await ask('POST', '/v1/webhook/create', {
  url: `${address}/incidents`,
  events: ['incident.opened', 'incident.updated'],
});
await ask('POST', '/v1/webhook/create', {
  url: `${address}/alerts`,
  events: ['alert.raised', 'alert.updated'],
});

/** Imports a day that opens an hour later, and returns its alert. */
const raise = async (date: string): Promise<string> => {
  const activity = ordinaryDay(date).activity.with(8, 20);
  const { alerts } = await ask<{ alerts: { raised: readonly { id: string }[] } }>('POST', '/v1/import/days', {
    sourceId: 1,
    days: [{ date, activity }],
  });
  return alerts.raised[0]?.id ?? '';
};

t.test('the end of a mute announces an incident, and its alert to a receiver of alerts', async t => {
  // A restarted service looks at the ends of mutes at once, a running one each minute.
  const until = new Date(Date.now() + 15_000).toISOString();
  await ask('POST', '/v1/mute', { sourceId: 1, until, reason: 'Sprinkler test' });
  const alertId = await raise('2022-04-04');
  t.strictSame([messages.incidents, messages.alerts], [[], []], 'muted');
  await restart();
  t.match(await arrived('incidents', 1), {
    type: 'incident.opened',
    subject: `inc-${alertId}`,
    data: {
      change: 'opened',
      incident: {
        sourceCount: 1,
        worstSeverity: Number,
        loss: / its allowance$/,
        losses: { fr: / sa marge$/ },
      },
      alert: { id: alertId, severity: Number },
    },
  });
  const alert = await arrived('alerts', 1);
  t.match(alert, { type: 'alert.raised', subject: alertId, data: { change: 'raised' } });
  await ask('POST', `/v1/alert/${alertId}/acknowledge`);
  t.match(await arrived('alerts', 2), { type: 'alert.updated', data: { change: 'acknowledged' } });
  t.match(await arrived('incidents', 2), { type: 'incident.updated', data: { change: 'acknowledged' } });
});

t.test('a mute that is deleted announces, too', async t => {
  const { id } = await ask<{ id: string }>('POST', '/v1/mute', {
    ...{ sourceId: 1, until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'Inventory' },
  });
  await ask('POST', `/v1/incident/${messages.incidents[0]?.subject}/resolve`, { verdict: 'expected' });
  const second = await raise('2022-05-09');
  await ask('DELETE', `/v1/mute/${id}`);
  t.match(await arrived('incidents', 3), { type: 'incident.opened', subject: `inc-${second}` });
});

t.test('a change that stays is one message', async t => {
  await raise('2022-05-10');
  await raise('2022-05-11');
  const message = await arrived('incidents', 4);
  t.match(message, { type: 'incident.updated', subject: messages.incidents[2]?.subject });
  t.match(message.data, { change: 'changed', incident: { change: { type: 'opening' } } });
  t.match(message.data.incident?.sentence, /; closed 08–09 since 9 May 2022$/);
});
