// The metrics of a real service: access and exact counts.
import t from 'tap';
import { routesOf } from '../../adapters/http/app.js';
import { publicOperations } from '../../adapters/http/routes/publicRoutes.js';
import { noMetrics } from '../../application/ports/monitoring.js';
import type { Service } from '../../application/requests/service.js';
import { samplesOf, valueOf, type Sample } from '../helpers/documents/openMetrics.js';
import {
  analysed,
  csvOf,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  type TestService,
} from '../helpers/service.js';

const openMetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const metricsOf = async ({ call }: TestService): Promise<readonly Sample[]> =>
  samplesOf((await call('GET', '/metrics')).text);

t.test('the metrics need a token with their scope', async t => {
  const { call, tokenFor } = await startService(t);
  t.equal((await call('GET', '/metrics', { token: null })).status, 401);
  const reader = await tokenFor({ scopes: ['read', 'audit'] });
  const refused = await call<{ code: string }>('GET', '/metrics', { token: reader });
  t.match({ status: refused.status, code: refused.body.code }, { status: 403, code: 'scopeMissing' });
  const token = await tokenFor({ scopes: ['metrics'] });
  const { status, headers, text } = await call('GET', '/metrics', { token });
  t.equal(status, 200);
  t.equal(headers.get('content-type'), openMetrics);
  t.ok(text.endsWith('\n# EOF\n'));
  t.equal((await call('GET', '/v1/source/list', { token })).status, 403, 'the scope opens nothing else');
  const other = await call('POST', '/metrics', { token });
  t.equal(other.status, 405);
  t.equal(other.headers.get('allow'), 'GET, HEAD');
  t.equal((await call('GET', '/metrics/', { token })).status, 404);
});

t.test('a separate port serves the metrics only', async t => {
  const service = await startService(t, { METRICS_PORT: '0' });
  const address = service.metricsAddress();
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+$/, 'this machine alone, by default');
  const answer = await fetch(`${address}/metrics`);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), openMetrics);
  t.ok(samplesOf(await answer.text()).length > 50);
  for (const path of ['/', '/metrics/', '/metrics?x=1', '/health', '/v1/source/list'])
    t.equal((await fetch(`${address}${path}`)).status, 404, path);
  const other = await fetch(`${address}/metrics`, { method: 'POST', body: 'x' });
  t.equal(other.status, 405);
  t.equal(other.headers.get('allow'), 'GET, HEAD');
  t.equal((await service.call('GET', '/metrics')).status, 404, 'the port of the API has them no more');
  t.equal((await service.call('GET', '/metrics', { token: null })).status, 401);
});

t.test('each counter grows by the number of its requests, events or analyses', async t => {
  const service = await startService(t);
  const { call } = service;
  const before = await metricsOf(service);
  const days = ordinaryDays('2023-01-01', 60);
  const made = await call<{ source: { id: number } }>(
    'POST',
    '/v1/import-csv/create-source?name=Gate&calendar=FR',
    { csv: csvOf(days) },
  );
  const sourceId = made.body.source.id;
  await analysed(call, sourceId);
  const odd = { ...ordinaryDay('2023-03-03'), activity: Array.from({ length: 24 }, (_, hour) => 900 + hour) };
  const json = { sourceId, days: [...ordinaryDays('2023-03-01', 2), odd] };
  const imported = await call('POST', '/v1/import/days', { json });
  t.equal(imported.status, 200);
  t.equal((await call('POST', '/v1/import/days', { json: { sourceId, days: [] } })).status, 422);
  await idle(call);

  const after = await metricsOf(service);
  const grown = (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    (valueOf(after, name, labels) ?? NaN) - (valueOf(before, name, labels) ?? 0);
  const expected: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['daybook_imports_total', { kind: 'reference' }, 1],
    ['daybook_imports_total', { kind: 'recent' }, 1],
    ['daybook_imported_days_total', { kind: 'reference' }, 60],
    ['daybook_imported_days_total', { kind: 'recent' }, 3],
    ['daybook_imported_rows_total', { kind: 'reference' }, 60 * 24],
    ['daybook_imported_rows_total', { kind: 'recent' }, 0],
    ['daybook_checked_days_total', { outcome: 'normal' }, 2],
    ['daybook_checked_days_total', { outcome: 'abnormal' }, 1],
    ['daybook_checked_days_total', { outcome: 'gap' }, 0],
    ['daybook_alerts_raised_total', { kind: 'activity' }, 1],
    ['daybook_alerts_raised_total', { kind: 'gap' }, 0],
    ['daybook_analysis_duration_seconds_count', { kind: 'typicalDays', outcome: 'completed' }, 1],
    ['daybook_analysis_duration_seconds_count', { kind: 'typicalDays', outcome: 'failed' }, 0],
    ['daybook_analysis_duration_seconds_count', { kind: 'nearestModels', outcome: 'failed' }, 0],
    ['daybook_append_duration_seconds_count', { outcome: 'conflict' }, 0],
    [
      'daybook_http_request_duration_seconds_count',
      { method: 'POST', route: '/v1/import-csv/create-source', status: '201' },
      1,
    ],
    [
      'daybook_http_request_duration_seconds_count',
      { method: 'POST', route: '/v1/import/days', status: '200' },
      1,
    ],
    [
      'daybook_http_request_duration_seconds_count',
      { method: 'POST', route: '/v1/import/days', status: '422' },
      1,
    ],
    ['daybook_http_request_duration_seconds_count', { method: 'GET', route: '/metrics', status: '200' }, 1],
  ];
  for (const [name, labels, value] of expected)
    t.equal(grown(name, labels), value, `${name} ${JSON.stringify(labels)}`);

  const events = service.events();
  for (const { labels, value } of after.filter(({ name }) => name === 'daybook_events_appended_total'))
    t.equal(value, events.filter(({ type }) => type === labels['type']).length, String(labels['type']));
  t.ok(grown('daybook_append_duration_seconds_count', { outcome: 'stored' }) > 4);
  t.ok(grown('daybook_append_duration_seconds_sum', { outcome: 'stored' }) > 0);
  for (const queue of ['analyses', 'eventLoop', 'history', 'bodies', 'lines', 'largeAnswers'])
    t.equal(valueOf(after, 'daybook_queue_length', { queue }), 0, queue);
  for (const name of [
    'daybook_projection_lag_events',
    'daybook_projection_lag_seconds',
    'daybook_process_manager_backlog_events',
    'daybook_process_manager_parked_events',
  ])
    t.equal(valueOf(after, name), 0, name);
  t.ok((valueOf(after, 'nodejs_eventloop_lag_p99_seconds') ?? 0) > 0.001, 'the event loop is measured');

  await service.restart();
  const restarted = await metricsOf(service);
  t.equal(
    valueOf(restarted, 'daybook_imports_total', { kind: 'reference' }),
    0,
    'a restart counts nothing again',
  );
});

t.test('no request adds a value to a label', async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const tenant = 'tenant-of-this-test';
  const token = await tokenFor({ tenant, subject: 'subject-of-this-test' });
  for (const path of [
    '/v1/source/471147114711',
    '/v1/alert/471147114711-20230101-1',
    '/v1/nothing/471147114711',
    '/%2f471147114711',
    '/471147114711',
  ])
    await call('GET', path, { token });
  for (const method of ['PROPFIND', 'DELETE', 'OPTIONS'])
    await call(method, '/v1/source/471147114711', { token });
  await call('GET', '/v1/source/471147114711', { token: null });
  const { text } = await call('GET', '/metrics');
  for (const secret of ['471147114711', tenant, 'subject-of-this-test'])
    t.notOk(text.includes(secret), secret);
  const routes = new Set([
    ...routesOf({ metrics: noMetrics } as Service).map(({ path }) => path),
    ...publicOperations.map(({ path }) => path),
    ...['/metrics', 'screens', 'none'],
  ]);
  const named = samplesOf(text).flatMap(({ labels }) => labels['route'] ?? []);
  t.ok(named.includes('none') && named.includes('/v1/source/{source_id}'));
  t.strictSame(
    [...new Set(named)].filter(route => !routes.has(route)),
    [],
  );
});

t.test('live and ready answer without a token', async t => {
  const { call } = await startService(t);
  for (const path of ['/health/live', '/health/ready']) {
    const { status, body } = await call('GET', path, { token: null });
    t.equal(status, 200, path);
    t.strictSame(body, { status: 'ok' });
  }
});
