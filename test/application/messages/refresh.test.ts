import t from 'tap';
import { refreshMs } from '../../../application/messages/refresh.js';
import type { Environment } from '../../../application/ports/environment.js';
import type { DeliveryStore } from '../../../application/ports/deliveries.js';
import { streams } from '../../../domain/streams.js';
import type { WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import { chance } from '../../helpers/crash/chance.js';
import { accepted, deliveryStores, refused, webhookWorld } from '../../helpers/receivers/webhookWorld.js';
import { findingOf, id } from '../../helpers/data/samples.js';
import { vendorFaults } from '../../helpers/receivers/vendors.js';

// Open alerts are sent to Alertmanager again, in virtual time.

const minuteMs = 60_000;
const events = ['alert.raised', 'alert.updated', 'alert.resolved'] as const;
type Alert = { readonly labels: { readonly daybook_id: string }; readonly endsAt?: string };

const stage = async (
  target: Partial<WebhookTarget> = {},
  open: (environment: Environment) => DeliveryStore = deliveryStores.file(),
) => {
  const control = { status: 200 };
  const world = webhookWorld(chance(1), () => (control.status === 200 ? accepted : refused(control.status)));
  await world.createSource(1, 'a');
  await world.createWebhook(1, 'a', { format: 'alertmanager', events, ...target });
  const instance = await world.start(open);
  /** Alerts of the requests of some minutes: for each request their ids, those that are over with a mark. */
  const during = async (minutes: number) => {
    const before = world.requests.length;
    await world.runUntil(world.time.nowMs() + minutes * minuteMs);
    return world.requests.slice(before).map(({ body }) => {
      t.strictSame(vendorFaults('alertmanager', body), []);
      return (JSON.parse(body) as readonly Alert[]).map(
        ({ labels, endsAt }) => `${labels.daybook_id}${endsAt === undefined ? '' : ' over'}`,
      );
    });
  };
  const change = (type: 'AlertAcknowledged' | 'AlertResolved' | 'AlertReopened', date: string) =>
    world.append(streams.alerts(1), {
      type,
      data: {
        ...{ alertId: `1-${date.replaceAll('-', '')}-1`, date },
        ...(type === 'AlertResolved' && { verdict: 'anomaly', comment: null }),
      },
    } as never);
  return { world, control, instance, during, change, open };
};

t.test('open alerts are sent again every two minutes until they are over', async t => {
  const { world, during, change } = await stage();
  t.strictSame(await during(30), [], 'nothing without an open alert');
  await world.raise(1, 0);
  const [first, ...others] = await during(10);
  t.strictSame(first, ['1-20240101-1']);
  t.equal(others.length, 5, `a refresh every ${refreshMs / minuteMs} minutes, the first one at once`);
  await world.raise(1, 1);
  await change('AlertAcknowledged', '2024-01-01');
  const both = (await during(10)).filter(ids => ids.length > 1);
  t.equal(both.length, 5);
  t.strictSame(both[0], ['1-20240102-1', '1-20240101-1']);
  await change('AlertResolved', '2024-01-01');
  await change('AlertResolved', '2024-01-02');
  t.strictSame(await during(30), [['1-20240101-1 over'], ['1-20240102-1 over']]);
  await change('AlertReopened', '2024-01-01');
  t.strictSame(await during(3), [['1-20240101-1'], ['1-20240101-1'], ['1-20240101-1']], 'open again');
});

t.test('an alert keeps its labels when its source is renamed and its criticity rises', async t => {
  const { world, during } = await stage();
  await world.raise(1, 0, 0.5);
  await during(1);
  await world.append(streams.source(1), {
    type: 'SourceDescribed',
    data: {
      ...{ name: 'Renamed', labels: { site: 'Lyon' }, place: null, expectedInterval: null },
      requestId: id(1),
    },
  });
  const finding = {
    ...findingOf(null, 0.95),
    kind: 'drift' as const,
    importId: id(7),
    dayDigest: 'd',
    modelsVersion: 2,
  };
  const alert = { alertId: '1-20240101-1', date: '2024-01-01' };
  await world.append(streams.alerts(1), { type: 'AlertConfirmed', data: { ...finding, ...alert } });
  await world.append(streams.alerts(1), { type: 'AlertAcknowledged', data: alert });
  await during(5);
  await world.append(streams.alerts(1), {
    type: 'AlertResolved',
    data: { ...alert, verdict: 'anomaly', comment: null },
  });
  await during(1);
  const alerts = world.requests.flatMap(({ body }) => JSON.parse(body) as readonly Alert[]);
  t.strictSame(
    [...new Set(alerts.map(({ labels }) => JSON.stringify(labels)))].map(text => JSON.parse(text) as object),
    [
      {
        ...{ alertname: 'DaybookActivity', source: 'Gate 1', source_id: '1', severity: 'info' },
        daybook_id: '1-20240101-1',
      },
    ],
  );
  t.match(alerts.at(-1), { annotations: { summary: /^Resolved: Renamed: / } }, 'annotations are new');
});

t.test('an incident of an archived source is over, and is not sent again', async t => {
  const { world, during } = await stage({ events: ['incident.opened', 'incident.ended'] });
  await world.raise(1, 1);
  await world.group('a', {});
  t.ok((await during(5)).length > 1);
  await world.append(streams.source(1), { type: 'SourceArchived', data: { requestId: id(2) } });
  t.strictSame(await during(30), [[`${id(50)} over`]]);
});

t.test('a clock that is set back delays no refresh', async t => {
  const { world, during } = await stage();
  await world.raise(1, 0);
  await during(1);
  world.wallClock.errorMs = -3_600_000;
  t.strictSame(await during(2), [['1-20240101-1']]);
  t.equal((await during(4)).length, 2);
});

t.test('only alerts that were announced to the receiver are sent again', async t => {
  const { world, during } = await stage({ minCriticity: 0.8 });
  await world.raise(1, 0, 0.5);
  await world.raise(1, 1, 0.9);
  const requests = await during(10);
  t.strictSame(new Set(requests.flat()), new Set(['1-20240102-1']));
  t.ok(requests.length >= 5, `${requests.length} requests in ten minutes`);
  const ofCloudEvents = await stage({ format: 'cloudevents' } as never);
  await ofCloudEvents.world.raise(1, 0);
  await ofCloudEvents.world.runUntil(30 * minuteMs);
  t.equal(ofCloudEvents.world.requests.length, 1, 'other receivers forget nothing');
});

t.test('what a receiver knows is sent again behind newer alerts of others', async t => {
  const { world, during } = await stage({ minCriticity: 0.9 });
  await world.raise(1, 0, 0.95);
  await during(1);
  for (let day = 1; day <= 1001; day += 1) await world.raise(1, day, 0.5);
  const requests = await during(5);
  t.strictSame(new Set(requests.flat()), new Set(['1-20240101-1']));
  t.ok(requests.length >= 2, `${requests.length} requests in five minutes`);
});

t.test('incidents that a receiver knows are sent again behind newer ones of others', async t => {
  const { world, during } = await stage({ events: ['incident.opened'], minCriticity: 0.9 });
  await world.raise(1, 1, 0.95);
  await world.group('a', { criticity: 0.95 });
  await during(1);
  for (let at = 1; at <= 301; at += 1) await world.group('a', { incidentId: id(1000 + at), criticity: 0.5 });
  const requests = await during(5);
  t.strictSame(new Set(requests.flat()), new Set([id(50)]));
  t.ok(requests.length >= 2, `${requests.length} requests in five minutes`);
});

t.test('an alert that the end of a mute announced is sent again from then on', async t => {
  const { world, during, change } = await stage();
  const append = (type: 'MuteCreated' | 'MuteEnded', data: object) =>
    world.append(streams.mutes('a'), { type, data: { muteId: id(900), ...data } } as never);
  const [from, until] = ['2000-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'];
  await append('MuteCreated', { scope: { sourceId: 1 }, from, until, reason: 'r' });
  await world.raise(1, 0);
  t.strictSame(await during(10), [], 'muted');
  const end = await append('MuteEnded', {});
  const requests = await during(10);
  t.strictSame(new Set(requests.flat()), new Set(['1-20240101-1']));
  t.ok(requests.length >= 5, `${requests.length} requests in ten minutes`);
  await change('AlertAcknowledged', '2024-01-01');
  t.ok((await during(5)).length > 0);
  const starts = world.requests.map(({ body }) => (JSON.parse(body) as { startsAt: string }[])[0]?.startsAt);
  t.strictSame(new Set(starts), new Set([end.at]), 'it began when it was announced');
});

t.test('alerts and incidents that a restored source announced keep their beginning and labels', async t => {
  for (const target of [{ events }, { events: ['incident.opened', 'incident.updated'] }] as const) {
    const { world, during, change } = await stage(target);
    const source = (type: 'SourceArchived' | 'SourceRestored', n: number) =>
      world.append(streams.source(1), { type, data: { requestId: id(n) } });
    const [from, until] = ['2000-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'];
    const muteId = id(900);
    const mute = { muteId, scope: { sourceId: 1 }, from, until, reason: 'r' };
    await world.append(streams.mutes('a'), { type: 'MuteCreated', data: mute });
    await world.raise(1, 1, 0.5);
    await world.group('a', { criticity: 0.5 });
    await source('SourceArchived', 1);
    await world.append(streams.mutes('a'), { type: 'MuteEnded', data: { muteId } });
    await during(5);
    const restored = await source('SourceRestored', 2);
    await during(5);
    await world.group('a', { before: 'open', criticity: 0.99, recognised: true });
    await change('AlertAcknowledged', '2024-01-02');
    await during(5);
    const sent = world.requests.flatMap(({ body }) => JSON.parse(body) as readonly object[]);
    const origins = sent.map(alert => {
      const { startsAt, labels } = alert as { startsAt: string; labels: { severity: string } };
      return `${startsAt} ${labels.severity}`;
    });
    t.strictSame([...new Set(origins)], [`${restored.at} info`]);
  }
});

t.test('a restart neither ends the refresh nor repeats it at once', async t => {
  const { world, during, instance, open } = await stage();
  await world.raise(1, 0);
  await during(3);
  instance.crash();
  t.strictSame(await during(1), []);
  const other = await world.start(open);
  t.strictSame(await during(0.5), [['1-20240101-1']], 'it was due when the instance was away');
  t.equal((await during(10)).length, 5);
  other.crash();
});

t.test('of two instances one sends a refresh', async t => {
  const open = deliveryStores.streams();
  const { world, during } = await stage({}, open);
  await world.start(open);
  await world.raise(1, 0);
  await during(5);
  const count = (await during(60)).length;
  t.ok(count >= 20 && count <= 30, `${count} requests in an hour`);
});

t.test('a refresh that fails is repeated soon, is listed once, and delays no message', async t => {
  const { world, during, control, instance } = await stage();
  await world.raise(1, 0);
  await during(1);
  control.status = 503;
  t.equal((await during(2.2)).length, 3, 'at two minutes and then every half minute');
  const attempts = await instance.deliveries.attempts(id(501), 10);
  t.match(attempts[0], {
    type: 'alert.refresh',
    attempt: 1,
    status: 503,
    outcome: 'failed',
    sourceId: null,
    position: null,
  });
  t.not(attempts[1]?.type, 'alert.refresh', 'of failures in a row the first is listed');
  control.status = 200;
  await world.raise(1, 1);
  t.strictSame(await during(1), [['1-20240102-1'], ['1-20240102-1', '1-20240101-1']]);
});

t.test('a refresh has requests of at most 100 alerts', async t => {
  const { world, during } = await stage();
  for (let n = 0; n < 230; n += 1) await world.raise(1, n);
  await during(10);
  const sizes = (await during(2)).map(({ length }) => length);
  t.strictSame(sizes, [100, 100, 30]);
});

t.test('a digest is one message with a line for each', async t => {
  const { world } = await stage({ format: 'slack', digest: { everyMinutes: 60 }, language: 'fr' });
  await world.runUntil(minuteMs);
  await world.raise(1, 0);
  await world.raise(1, 1);
  await world.runUntil(61 * minuteMs);
  t.equal(world.requests.length, 1);
  const [{ body, format, secrets } = { body: '{}', format: '', secrets: [] }] = world.requests;
  t.strictSame({ format, secrets }, { format: 'slack', secrets: [] });
  t.strictSame(vendorFaults('slack', body), []);
  t.match(body, /2 messages\u00a0: Gate 1\u00a0: .*• Gate 1\u00a0: .*• Gate 1\u00a0: /);
});
