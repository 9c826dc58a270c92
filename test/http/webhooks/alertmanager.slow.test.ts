import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Attempt } from '../../../application/ports/deliveries.js';
import { exactList } from '../../helpers/exactList.js';
import { startAlertmanager, withoutAlertmanager } from '../../helpers/receivers/alertmanager.js';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

type Notified = { readonly status: string; readonly alerts: readonly { readonly labels: object }[] };

t.test(
  'a real Alertmanager has an alert while it is open, and tells its receivers the beginning and the end',
  { skip: withoutAlertmanager },
  async t => {
    const notified: Notified[] = [];
    const people = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        notified.push(JSON.parse(body) as Notified);
        response.end();
      });
    });
    await new Promise<void>(resolve => people.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      people.closeAllConnections();
      people.close();
    });
    const manager = await startAlertmanager(t, `http://127.0.0.1:${(people.address() as AddressInfo).port}/`);
    const { call } = await startService(t, {
      PUBLIC_URL: 'https://daybook.example.org',
      WEBHOOK_ALLOW_PRIVATE: `127.0.0.1:${manager.port}`,
    });
    const labels = { site: 'Lyon "2"', 'cost.centre': '7', severity: 'none' };
    await call('POST', '/v1/import/create-source', {
      json: { name: 'hall ÅB', labels, referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) },
    });
    await analysed(call, 1);
    const events = ['alert.raised', 'alert.updated', 'alert.resolved'];
    const json = { url: manager.url, format: 'alertmanager', events };
    const { body: webhook } = await call<{ id: string }>('POST', '/v1/webhook/create', { json });

    const tested = await call<Attempt>('POST', `/v1/webhook/${webhook.id}/test`);
    t.match(tested.body, { status: 200, outcome: 'delivered' });
    t.match(await manager.alerts(), exactList({ labels: { alertname: 'DaybookTest', severity: 'info' } }));

    const date = '2022-04-01';
    const days = [{ date, activity: ordinaryDay(date).activity.map(value => value + 999) }];
    const { body } = await call<{ alerts: { raised: readonly { id: string }[] } }>(
      'POST',
      '/v1/import/days',
      { json: { sourceId: 1, days } },
    );
    const alertId = body.alerts.raised[0]?.id ?? '';
    const listed = async () => (await manager.alerts()).filter(one => one.labels['daybook_id'] === alertId);
    const one = await eventually('the alert', async () => (await listed())[0]);
    t.strictSame(one.labels, {
      ...{ alertname: 'DaybookActivity', source: 'hall ÅB', source_id: '1', severity: 'critical' },
      ...{ daybook_id: alertId, site: 'Lyon "2"', cost_centre: '7', severity_: 'none' },
    });
    t.match(one.annotations, { summary: /^hall ÅB: .+usual Friday/, description: /[▁▂▃▄▅▆▇█]{4}/ });
    t.equal(one.generatorURL, `https://daybook.example.org/alerts/${alertId}`);

    await call('POST', `/v1/alert/${alertId}/acknowledge`);
    const acknowledged = await eventually('the acknowledgement', async () =>
      (await listed()).find(({ annotations }) => /^Acknowledged/.test(annotations['summary'] ?? '')),
    );
    t.equal(acknowledged.startsAt, one.startsAt, 'the same alert');
    t.equal((await listed()).length, 1);

    const resolve = () =>
      call('POST', `/v1/alert/${alertId}/resolve`, { json: { verdict: 'anomaly', comment: null } });
    const none = () => eventually('no alert', async () => ((await listed()).length === 0 ? true : undefined));
    await resolve();
    await none();
    await call('POST', `/v1/alert/${alertId}/reopen`);
    await eventually('the alert again', async () => (await listed())[0]);
    await resolve();
    await none();

    const statuses = () =>
      notified.filter(({ alerts }) => JSON.stringify(alerts).includes(alertId)).map(({ status }) => status);
    await eventually('both notifications', () => (statuses().at(-1) === 'resolved' ? true : undefined));
    t.equal(statuses()[0], 'firing');
  },
);
