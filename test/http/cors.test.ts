import t from 'tap';
import { liveEvents } from '../../client/liveEvents.js';
import { startService } from '../helpers/service.js';

const ours = 'https://app.example.org';
const { call } = await startService(t, { CORS_ORIGINS: `${ours}, http://127.0.0.1:5173` });
const corsHeaders = (headers: Headers): string[] =>
  [...headers.keys()].filter(name => name.startsWith('access-control-'));

t.test('a preflight request of a named origin needs no token', async t => {
  for (const origin of [ours, 'http://127.0.0.1:5173'])
    for (const path of ['/v1/source/list', '/v1/import/days', '/health', '/no/such/path']) {
      const { status, headers, text } = await call('OPTIONS', path, {
        token: null,
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization, content-type, idempotency-key',
        },
      });
      t.equal(status, 204, path);
      t.equal(text, '');
      t.equal(headers.get('access-control-allow-origin'), origin);
      t.match(headers.get('access-control-allow-methods'), /GET, POST, PUT, PATCH, DELETE/);
      t.match(headers.get('access-control-allow-headers'), /Authorization, Content-Type, Idempotency-Key/);
      t.equal(headers.get('access-control-allow-credentials'), null, 'no cookies');
      t.match(headers.get('vary'), /Origin/);
    }
});

t.test('a stream of changes is resumed from a named origin', async t => {
  const resumed = new AbortController();
  let names: string[] = [];
  const sendOnce = async (request: Request): Promise<Response> => {
    names = [...request.headers.keys()];
    resumed.abort();
    return new Response('', { status: 401 });
  };
  const connection = { url: ours, sendOnce, retries: {} } as unknown as Parameters<typeof liveEvents>[0];
  const stream = liveEvents(connection, { lastEventId: '5', signal: resumed.signal });
  await stream.next().catch(() => {});
  t.ok(names.includes('last-event-id'));
  const { headers } = await call('OPTIONS', '/v1/events', {
    token: null,
    headers: {
      Origin: ours,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': ['authorization', ...names].join(),
    },
  });
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
  for (const name of ['authorization', 'traceparent', ...names]) t.ok(allowed.includes(name), name);
  t.notOk(allowed.includes('if-match'), 'which is not offered');
});

t.test('scripts of a named origin can read answers and errors', async t => {
  for (const [path, token, expected] of [
    ['/v1/source/list', undefined, 200],
    ['/v1/source/99', undefined, 404],
    ['/v1/source/list', null, 401],
    ['/health', null, 200],
  ] as const) {
    const { status, headers } = await call('GET', path, {
      ...(token === undefined ? {} : { token }),
      headers: { Origin: ours },
    });
    t.equal(status, expected);
    t.equal(headers.get('access-control-allow-origin'), ours, path);
    for (const name of ['Location', 'ETag', 'Retry-After', 'X-Daybook-Position'])
      t.ok(headers.get('access-control-expose-headers')?.split(', ').includes(name), name);
    t.match(headers.get('vary'), /Origin/);
  }
});

t.test('other origins, and requests without one, get no CORS headers', async t => {
  for (const origin of [
    undefined,
    'https://evil.example',
    'https://app.example.org.evil.example',
    'http://app.example.org',
    `${ours}:8443`,
    'null',
    `${ours}/`,
  ]) {
    const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
    const got = await call('GET', '/v1/source/list', { headers });
    t.equal(got.status, 200, 'the API itself answers: a browser keeps the answer from the page');
    t.strictSame(corsHeaders(got.headers), [], origin ?? 'none');
    t.match(got.headers.get('vary'), /Origin/, 'no cache gives the answer of another origin');
    const preflight = await call('OPTIONS', '/v1/source/list', {
      token: null,
      headers: { ...headers, 'Access-Control-Request-Method': 'GET' },
    });
    t.equal(preflight.status, 401);
    t.strictSame(corsHeaders(preflight.headers), []);
  }
});

t.test('an OPTIONS request that is no preflight request needs a route', async t => {
  const { status, headers } = await call('OPTIONS', '/v1/source/list', { headers: { Origin: ours } });
  t.equal(status, 200);
  t.match(headers.get('allow'), /GET/);
});

t.test('no origin is allowed by default', async t => {
  const { call } = await startService(t);
  const { headers } = await call('GET', '/v1/source/list', { headers: { Origin: ours } });
  t.strictSame(corsHeaders(headers), []);
  t.notMatch(headers.get('vary') ?? '', /Origin/i);
  const preflight = await call('OPTIONS', '/v1/source/list', {
    token: null,
    headers: { Origin: ours, 'Access-Control-Request-Method': 'GET' },
  });
  t.equal(preflight.status, 401);
});
