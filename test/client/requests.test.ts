// Retries, uploads and errors of the client, with a server that answers as each test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import { daybookClient, ProblemError, type DaybookClient, type Progress } from '../../client/index.js';
import { liveEvents } from '../../client/liveEvents.js';

/** An answer of the server; `lost` ends the connection without one, `cut` within its body. */
type Answer =
  | 'lost'
  | 'cut'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
    };

type Got = { readonly method: string; readonly path: string; readonly key: string; readonly body: string };

const answerWith = (response: ServerResponse, answer: Answer): void => {
  if (answer === 'lost') return void response.destroy();
  if (answer === 'cut') {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
    return void response.write('{"alerts":', () => setImmediate(() => response.destroy()));
  }
  const { status, headers, json } = answer;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(json ?? {}));
};

const ok: Answer = { status: 200, json: { alerts: [] } };
const overloaded: Answer = {
  status: 503,
  headers: { 'Retry-After': '0' },
  json: { code: 'queueFull', detail: 'wait' },
};

/** A client of a server that gives these answers in turn, then the last one again. */
const clientOf = async (
  t: Test,
  answers: readonly Answer[],
  options: Partial<Parameters<typeof daybookClient>[0]> = {},
): Promise<{ readonly client: DaybookClient; readonly got: readonly Got[] }> => {
  const got: Got[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // An upload can be cut off on purpose.
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const key = String(headers['idempotency-key'] ?? '');
      got.push({ method, path: url, key, body: Buffer.concat(chunks).toString() });
      answerWith(response, answers[Math.min(got.length, answers.length) - 1] ?? ok);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = daybookClient({ url, token: 'secret', retries: { delayMs: 1, delayMaxMs: 50 }, ...options });
  return { client, got };
};

const acknowledge = (client: DaybookClient) =>
  client.post('/v1/alert/acknowledge', { body: { ids: ['1-20260302-1'] } });
const source1 = { params: { path: { source_id: 1 } } };

t.test('a POST is repeated with its key and body after 503 and after a lost answer', async t => {
  const { client, got } = await clientOf(t, [overloaded, 'lost', ok]);
  t.strictSame(await acknowledge(client), { alerts: [] });
  t.equal(got.length, 3);
  t.match(got[0]?.key, /^\S{16,255}$/);
  t.equal(new Set(got.map(({ key }) => key)).size, 1, 'one key');
  t.strictSame(new Set(got.map(({ body }) => body)), new Set(['{"ids":["1-20260302-1"]}']));
  await acknowledge(client);
  t.not(got.at(-1)?.key, got[0]?.key, 'another request has another key');
});

t.test('a request whose answer is cut within its body is repeated, then refused', async t => {
  const { client, got } = await clientOf(t, ['cut', ok]);
  t.strictSame(await acknowledge(client), { alerts: [] });
  t.equal(new Set(got.map(({ key }) => key)).size, 1, 'one key');
  const file = new Blob(['date;value\n']);
  const params = { path: { source_id: 7 } };
  const requests: readonly ((cut: DaybookClient) => Promise<unknown>)[] = [
    (cut: DaybookClient) => cut.get('/v1/source/{source_id}', source1),
    (cut: DaybookClient) => cut.upload('/v1/import-csv/{source_id}/days', { file, params }),
  ];
  for (const send of requests) {
    const cut = await clientOf(t, ['cut'], { retries: { attemptsMax: 2, delayMs: 1 } });
    await t.rejects(send(cut.client), { name: 'ProblemError', status: 0, code: 'unreachable' });
    t.equal(cut.got.length, 2);
  }
});

t.test('changes', async t => {
  t.test('end with the error of the function that gives the token', async t => {
    let calls = 0;
    const token = () => {
      calls += 1;
      throw new RangeError('no session');
    };
    const { client } = await clientOf(t, [ok], { token });
    await t.rejects(client.changes().next(), { name: 'RangeError', message: 'no session' });
    t.equal(calls, 1);
  });

  t.test('stay connected while their reader works on an event', async t => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (text: string): void => void writer.write(Buffer.from(text)).catch(() => {});
    const lost: boolean[] = [];
    const connection = { url: 'http://daybook', sendOnce: async () => new Response(readable), retries: {} };
    const changes = liveEvents(connection as unknown as Parameters<typeof liveEvents>[0], {
      onLost: isFailure => lost.push(isFailure),
    });
    write('event: ready\nid: 1\n\n');
    t.match(await changes.next(), { value: { kind: 'ready', id: '1' } });
    mock.timers.tick(60_000);
    write('event: change\nid: 2\ndata: {"type":"DaysImported","sourceId":3}\n\n');
    t.match(await changes.next(), { value: { kind: 'change', sourceId: 3 } });
    t.strictSame(lost, []);
    await changes.return();
  });
});

t.test('a refusal is thrown with status, code, detail and faults', async t => {
  const errors = [{ code: 'maximum', detail: 'must be <= 500', pointer: '/query/limit' }];
  const { client, got } = await clientOf(t, [
    { status: 422, json: { code: 'parametersInvalid', detail: 'wrong', errors } },
  ]);
  const error = await client.get('/v1/source/{source_id}', source1).catch((error: unknown) => error);
  t.type(error, ProblemError);
  t.match(error, { status: 422, code: 'parametersInvalid', detail: 'wrong', message: 'wrong', errors });
  t.equal(got.length, 1, 'it is not repeated');
});

t.test('a POST whose earlier attempt is still in progress is repeated', async t => {
  const json = { code: 'keyInUse', detail: 'in progress' };
  const inUse = { status: 409, headers: { 'Retry-After': '0' }, json };
  const { client, got } = await clientOf(t, ['lost', inUse, inUse, ok]);
  t.strictSame(await acknowledge(client), { alerts: [] });
  t.equal(new Set(got.map(({ key }) => key)).size, 1, 'one key');
  const refused = await clientOf(t, [{ status: 409, json: { code: 'alertTransition' } }]);
  await t.rejects(acknowledge(refused.client), { status: 409, code: 'alertTransition' });
  t.equal(refused.got.length, 1, 'another conflict is not repeated');
});

t.test('an answer that is no problem document has its status', async t => {
  const { client } = await clientOf(t, [{ status: 404, headers: { 'Content-Type': 'text/html' } }]);
  await t.rejects(client.get('/v1/source/{source_id}', source1), {
    status: 404,
    code: 'unknown',
    detail: 'HTTP 404',
  });
});

t.test('the attempts end', async t => {
  const { client, got } = await clientOf(t, [overloaded], { retries: { attemptsMax: 3, delayMs: 1 } });
  await t.rejects(acknowledge(client), { status: 503, code: 'queueFull' });
  t.equal(got.length, 3);
});

t.test('Retry-After is waited for; beyond the longest wait the request is refused at once', async t => {
  const soon = new Date(Date.now() + 2000).toUTCString();
  const patient = await clientOf(t, [{ ...overloaded, headers: { 'Retry-After': soon } }, ok], {
    retries: { delayMs: 1, delayMaxMs: 5000 },
  });
  await acknowledge(patient.client);
  t.ok(Date.now() >= Date.parse(soon), 'a date');
  const hasty = await clientOf(t, [{ ...overloaded, headers: { 'Retry-After': '3600' } }, ok]);
  await t.rejects(acknowledge(hasty.client), { status: 503, code: 'queueFull' });
  t.equal(hasty.got.length, 1);
});

t.test('a DELETE is repeated with its key after a lost answer', async t => {
  const { client, got } = await clientOf(t, ['lost', ok]);
  await client.delete('/v1/source/{source_id}', source1);
  t.equal(got.length, 2);
  const keys = got.map(({ key }) => key);
  t.match(keys[0], /^\S{16,255}$/);
  t.equal(keys[1], keys[0]);
});

t.test('a signal ends the waiting', async t => {
  const { client } = await clientOf(t, [overloaded], { retries: { delayMs: 60_000, delayMaxMs: 120_000 } });
  const request = client.get('/v1/overview', { signal: AbortSignal.timeout(50) });
  await t.rejects(request, { name: 'TimeoutError' });
});

t.test('the present token is sent, and a refused one is reported', async t => {
  let token = 'first';
  const refused: unknown[] = [];
  const { client } = await clientOf(t, [{ status: 401 }], {
    token: async () => token,
    onTokenRefused: of => refused.push(of),
  });
  await t.rejects(client.get('/v1/overview'), { status: 401, code: 'unknown' });
  token = 'second';
  await t.rejects(client.get('/v1/overview'), { status: 401, code: 'unknown' });
  t.strictSame(refused, ['first', 'second']);
});

t.test('an analysis that fails, or takes too long, ends the wait', async t => {
  const failed = { status: 200, json: { analysis: { status: 'failed', detail: 'too few days' } } };
  await t.rejects((await clientOf(t, [failed])).client.analysed(1), {
    name: 'UnfinishedError',
    message: 'the analysis failed: too few days',
  });
  const running = { status: 200, json: { analysis: { status: 'running' } } };
  await t.rejects((await clientOf(t, [running])).client.analysed(1, { timeoutMs: -1 }), {
    name: 'UnfinishedError',
  });
  const analysis = { status: 'collecting', usableDays: 12, learnsAt: '2026-05-04' };
  const { client, got } = await clientOf(t, [{ status: 200, json: { analysis } }]);
  await t.rejects(client.analysed(1), {
    name: 'UnfinishedError',
    message: /12 usable days and learns on 2026-05-04/,
  });
  t.equal(got.length, 1);
});

t.test('the address has to be a URL', async t => {
  t.throws(() => daybookClient({ url: 'daybook', token: '' }), TypeError);
});

t.test('uploads', async t => {
  const chunks = ['date;value\n', '2023-01-01T00:00:00;1\n', '2023-01-01T01:00:00;2\n'];
  const days = { params: { path: { source_id: 7 }, query: { separator: ';' as const } } };

  t.test('are streamed with progress, and opened again for each attempt', async t => {
    const { client, got } = await clientOf(t, [overloaded, ok]);
    let opened = 0;
    const seen: Progress[] = [];
    const file = async function* () {
      opened += 1;
      for (const chunk of chunks) yield Buffer.from(chunk);
    };
    const onProgress = (progress: Progress) => seen.push(progress);
    await client.upload('/v1/import-csv/{source_id}/days', { file, ...days, onProgress });
    t.equal(opened, 2);
    t.strictSame(
      got.map(({ method, path, body }) => [method, path, body]),
      Array(2).fill(['POST', '/v1/import-csv/7/days?separator=%3B', chunks.join('')]),
    );
    t.equal(got[0]?.key, got[1]?.key);
    t.strictSame(
      seen.slice(3).map(({ bytes }) => bytes),
      [11, 33, 55],
    );
  });

  t.test('of a Blob know their size', async t => {
    const { client } = await clientOf(t, [ok]);
    let last: Progress | undefined;
    await client.upload('/v1/import-csv/{source_id}/days', {
      file: new Blob(chunks),
      ...days,
      onProgress: progress => (last = progress),
    });
    t.strictSame(last, { bytes: 55, total: 55 });
  });

  t.test('of a file that cannot be read throw its error', async t => {
    const { client, got } = await clientOf(t, [ok]);
    const file = async function* () {
      yield Buffer.from('date;value\n');
      throw new RangeError('a broken disk');
    };
    await t.rejects(client.upload('/v1/import-csv/{source_id}/days', { file, ...days }), {
      name: 'RangeError',
      message: 'a broken disk',
    });
    t.equal(got.length, 0, 'nothing whole was sent');
  });

  t.test('are stopped by a signal', async t => {
    const { client } = await clientOf(t, [ok]);
    const stop = new AbortController();
    const file = async function* () {
      yield Buffer.from('date;value\n');
      stop.abort(new RangeError('enough'));
      await new Promise(resolve => setTimeout(resolve, 1000));
      yield Buffer.from('more');
    };
    const upload = client.upload('/v1/import-csv/{source_id}/days', { file, ...days, signal: stop.signal });
    await t.rejects(upload, { message: 'enough' });
  });
});
