import { connect } from 'node:net';
import t from 'tap';
import { startService } from '../helpers/service.js';

// Requests that are no HTTP are answered with a problem that says why, and end the connection.

const service = await startService(t);
const { hostname, port } = new URL(service.address());

/** The whole answer to some bytes, until the service ends the connection. */
const answerTo = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });

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

t.test('what follows a good request does not garble its answer', async t => {
  const text = await answerTo('GET /health HTTP/1.1\r\nHost: test\r\n\r\nrubbish\r\n\r\n');
  t.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, 'one answer');
});
