// Traces of a real service, as a collector receives them.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { linkOf } from '../../adapters/http/middleware/requestMonitoring.js';
import { otlpTracer, traceIdOf } from '../../adapters/monitoring/otlpTracer.js';
import { nameResolver } from '../../adapters/network/nameResolver.js';
import type { Span } from '../../application/ports/monitoring.js';
import { id } from '../helpers/data/samples.js';
import {
  analysed,
  csvOf,
  eventually,
  ordinaryDay,
  ordinaryDays,
  startService,
  type TestService,
} from '../helpers/service.js';
import { exactList } from '../helpers/exactList.js';

type Value = { readonly stringValue?: string; readonly intValue?: string };
type SpanJson = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly links?: readonly object[];
  readonly status?: { readonly code: number };
};
type Exported = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[];
  }[];
};

/** A collector that keeps the received spans. */
const collector = async (t: Test, status = 200) => {
  const spans: SpanJson[] = [];
  const requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Exported;
  }[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then(chunks => {
      const body = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Exported;
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      spans.push(...body.resourceSpans.flatMap(one => one.scopeSpans.flatMap(scope => scope.spans)));
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, requests };
};

const createSource = async ({ call }: TestService): Promise<number> => {
  const made = await call<{ source: { id: number } }>(
    'POST',
    '/v1/import-csv/create-source?name=Gate&calendar=FR',
    { csv: csvOf(ordinaryDays('2023-01-01', 60)) },
  );
  await analysed(call, made.body.source.id);
  return made.body.source.id;
};

const attribute = ({ attributes }: SpanJson, key: string): Value | undefined =>
  attributes.find(one => one.key === key)?.value;

t.test('an import is one trace, from its request to its alert', async t => {
  const { url, spans, requests } = await collector(t);
  const service = await startService(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20b,x-other=c',
    OTEL_SERVICE_NAME: 'daybook-test',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const webhook = { url: 'http://127.0.0.1:9/secret-path', events: ['alert.raised'] };
  await service.call('POST', '/v1/webhook/create', { json: webhook });
  const sourceId = await createSource(service);
  const before = service.events().at(-1)?.position;
  const odd = { ...ordinaryDay('2023-03-03'), activity: Array.from({ length: 24 }, (_, hour) => 900 + hour) };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { status, headers } = await service.call('POST', '/v1/import/days', {
    json: { sourceId, days: [odd] },
    headers: { traceparent },
  });
  t.equal(status, 200);
  await service.call('GET', '/health');

  const requestId = headers.get('x-request-id') ?? '';
  const events = service.events(before);
  t.ok(events.some(({ type }) => type === 'AlertRaised'));
  t.strictSame([...new Set(events.map(({ metadata }) => metadata.correlation))], [requestId]);

  const traceId = traceIdOf(requestId);
  const ofTrace = () => spans.filter(span => span.traceId === traceId);
  await eventually('the spans', () => (ofTrace().length >= 5 ? true : undefined));
  const named = (name: string): SpanJson => {
    const found = ofTrace().filter(span => span.name === name);
    t.equal(found.length, 1, name);
    return found[0] as SpanJson;
  };
  const request = named('POST /v1/import/days');
  const days = named('append days');
  const check = named('check after DaysImported');
  const alerts = named('append alerts');
  t.equal(request.parentSpanId, undefined, 'the request is the root');
  t.equal(days.parentSpanId, request.spanId);
  t.equal(check.parentSpanId, request.spanId);
  t.equal(alerts.parentSpanId, check.spanId);
  const [delivery] = ofTrace().filter(span => span.name === 'deliver alert.raised');
  t.match(delivery, { parentSpanId: check.spanId, kind: 3, status: { code: 2 } }, 'an attempt that failed');
  t.notMatch(JSON.stringify(ofTrace()), /secret-path|127\.0\.0\.1/, 'no address of a receiver');
  t.strictSame(attribute(alerts, 'daybook.events'), { stringValue: 'DaysChecked AlertRaised' });
  t.strictSame(attribute(request, 'http.response.status_code'), { intValue: '200' });
  t.strictSame(request.links, [{ traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52) }]);
  for (const { startTimeUnixNano, endTimeUnixNano, traceId, spanId } of ofTrace()) {
    t.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano));
    t.match([traceId, spanId], exactList(/^[0-9a-f]{32}$/, /^[0-9a-f]{16}$/));
  }

  t.ok(spans.some(({ name }) => name === 'analysis after SourceCreated'));
  t.notOk(
    spans.some(({ name }) => name.includes('health')),
    'no trace of what is asked every few seconds',
  );
  const [first] = requests;
  t.equal(first?.path, '/otlp/v1/traces');
  t.match(first?.headers, { 'content-type': 'application/json', 'x-api-key': 'a b', 'x-other': 'c' });
  t.strictSame(first?.body.resourceSpans[0]?.resource.attributes, [
    { key: 'service.name', value: { stringValue: 'daybook-test' } },
  ]);
  t.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length, 'ids of spans differ');
});

t.test('waiting spans are sent when the service stops', async t => {
  const { url, spans } = await collector(t);
  const { call, stop } = await startService(t, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
  await call('GET', '/v1/source/4711');
  await stop();
  t.strictSame(
    spans.map(({ name, status }) => [name, status]),
    [['GET /v1/source/{source_id}', undefined]],
  );
});

t.test('a failing or unreachable collector does not affect the service', async t => {
  const failing = await collector(t, 503);
  for (const endpoint of [failing.url, 'http://127.0.0.1:9']) {
    const { call, stop, logged } = await startService(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    t.equal((await call('GET', '/v1/source/list')).status, 200);
    await stop();
    t.match(logged(), /spans cannot be sent/);
  }
});

t.test('dropped spans are counted, and the log says once that the queue is full', async t => {
  const span = (n: number): Span => ({
    ...{ correlation: id(1), key: `span-${n}`, name: 'work', kind: 'internal', attributes: {} },
    ...{ startMs: 1_700_000_000_000, durationMs: 1 },
  });
  const tracerOf = async (status: number) => {
    const { url, spans } = await collector(t, status);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const target = { url: new URL(url), headers: {}, serviceName: 'daybook' };
    return { tracer: otlpTracer(target, nameResolver(), log), spans, lines };
  };
  const { tracer, spans, lines } = await tracerOf(200);
  for (let n = 0; n < 4100; n += 1) tracer.record(span(n));
  await tracer.close();
  t.equal(spans.length, 4096);
  t.match(lines, exactList(/"dropped":1,.* is slow: spans that come meanwhile are dropped/));

  const failing = await tracerOf(503);
  for (let n = 0; n < 3; n += 1) failing.tracer.record(span(n));
  await failing.tracer.close();
  t.match(failing.lines, exactList(/"dropped":3,.*spans cannot be sent/));
});

t.test('a header traceparent links the trace of the client', async t => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  t.strictSame(linkOf(`00-${traceId}-${spanId}-00`), { traceId, spanId });
  t.strictSame(linkOf(`01-${traceId}-${spanId}-01-more`), { traceId, spanId }, 'a later version');
  for (const wrong of [
    '',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ])
    t.equal(linkOf(wrong), undefined, wrong);
});
