import { connect } from 'node:net';
import t from 'tap';
import { listen } from '../../adapters/http/server.js';
import { exactList } from '../helpers/exactList.js';
import { eventually, startService } from '../helpers/service.js';

// Requests that are no HTTP are answered with a problem that says why, and end the connection.

const service = await startService(t);
const { hostname, port } = new URL(service.address());

/** The whole answer to some bytes, until the service ends the connection. */
const answerTo = (bytes: string, to = port): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(to), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });

type Refusal = { readonly detail: string; readonly errors: readonly { readonly detail: string }[] };

const chunked = 'POST /v1/import/days HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n';

for (const [name, bytes, status, code, detail] of [
  ['a word of another protocol', 'HELO x\r\n\r\n', 400, 'unparseable', /is not HTTP\/1\.1: \w/],
  ['an unknown method', 'FOO / HTTP/1.1\r\nHost: test\r\n\r\n', 400, 'unparseable', /method/i],
  ['a size of a chunk that is no number', `${chunked}\r\nzz\r\n`, 400, 'unparseable', /chunk size/i],
  ['two lengths', `${chunked}Content-Length: 5\r\n\r\n`, 400, 'unparseable', /Content-Length/i],
  [
    'more headers than Node.js takes',
    `GET / HTTP/1.1\r\nHost: test\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headersTooLarge',
    /more than 16384 bytes/,
  ],
] as const)
  t.test(name, async t => {
    const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
    t.match(head, new RegExp(`^HTTP/1\\.1 ${status} [^]*Content-Type: application/problem\\+json`));
    t.equal(Number(/Content-Length: (\d+)/.exec(head)?.[1]), Buffer.byteLength(body), 'the body is whole');
    t.match(JSON.parse(body), { status, code, detail });
  });

t.test('a refusal names what was got, but no key', async t => {
  for (const [path, headers, detail] of [
    ['/v1/overview?sourceIds=1,x', {}, 'got "1,x", expected 1 to 100 ids between commas'],
    ['/v1/events', { 'Last-Event-ID': '-1' }, 'got "-1", expected the id of an event of this stream: digits'],
    ['/v1/source/list?cursor=x', {}, 'got "x", expected the nextCursor of an answer'],
    ['/v1/alert/list?cursor=x', {}, 'got "x", expected the nextCursor of an answer in the same order'],
    ['/v1/alert/list?state=x', {}, /^got "x", expected open, .* or unprocessed$/],
    ['/v1/alert/list?kind=x', {}, /^got "x", expected activity, /],
    [
      '/v1/alert/list?sort=criticity&cursor=x',
      {},
      'got "x", expected the nextCursor of an answer to this query',
    ],
  ] as const) {
    const { status, body } = await service.call<Refusal>('GET', path, { headers });
    t.match({ status, detail: body.errors[0]?.detail }, { status: 422, detail }, path);
  }
  const secret = `s ${'x'.repeat(10)}`;
  const keyed = await service.call<Refusal>('POST', '/v1/mute', {
    headers: { 'Idempotency-Key': secret },
    json: {},
  });
  t.equal(
    keyed.body.errors[0]?.detail,
    'got 12 characters, expected 1 to 255 visible ASCII characters without spaces',
  );
  t.notMatch(keyed.text, secret);
  const large = await service.call<Refusal>('POST', '/v1/mute', { json: { reason: 'x'.repeat(70_000) } });
  t.match(
    [large.status, large.body.detail],
    exactList(413, /^got a body of 70\d{3} bytes, expected at most 65536$/),
  );
  const { status, body } = await service.call<Refusal>('GET', '/v1/source/0');
  t.match({ status, detail: body.detail }, { status: 404, detail: /^no source 0$/ });
});

t.test('what follows a good request does not garble its answer', async t => {
  const text = await answerTo('GET /health HTTP/1.1\r\nHost: test\r\n\r\nrubbish\r\n\r\n');
  t.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, 'one answer');
});

t.test('a silent connection is kept while its client waits for an answer, and only then', async t => {
  const cut: string[] = [];
  const { address, close } = await listen(
    (request, response) => {
      const { url = '' } = request;
      response.once('close', () => response.writableFinished || cut.push(url));
      if (url === '/slow') setTimeout(() => request.resume(), 500);
      else request.resume();
      if (url === '/slow') request.once('end', () => setTimeout(() => response.end('made'), 500));
      if (url === '/large') response.write('x'.repeat(20_000_000));
    },
    { host: hostname, port: 0, idleTimeoutMs: 100 },
  );
  const to = new URL(address).port;
  const posted = (path: string, bytes: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(bytes)}`;
  t.match(await answerTo(posted('/slow', 200_000), to), /\r\n\r\nmade$/, 'its body waits, then its answer');
  t.equal(await answerTo(posted('/stalled', 1), to), '', 'a client that stops sending');
  t.equal(await answerTo('', to), '', 'a connection without a request');
  const reader = connect(Number(to), hostname, () => reader.pause().write(posted('/large', 200_000)));
  t.teardown(() => reader.destroy());
  await eventually('the end of the connection', () => cut[1]);
  t.strictSame(cut, ['/stalled', '/large'], 'a client that does not read');
  await close();
});
