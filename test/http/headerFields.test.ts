import { connect } from 'node:net';
import fc from '../helpers/property.js';
import t from 'tap';
import { singleFields } from '../../adapters/http/middleware/acceptedRequests.js';
import { startService } from '../helpers/service.js';

const service = await startService(t);
const { hostname, port } = new URL(service.address());
const token = await service.tokenFor({});

/** The answer to a request with these lines of header fields. */
const answerTo = (lines: readonly string[], version = '1.1'): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        [`GET /v1/source/list HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'),
      ),
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), body });
    });
  });

const authorization = `Authorization: Bearer ${token}`;

t.test('two Host fields, or none, are refused with a problem', async t => {
  for (const lines of [
    ['Host: a.example', 'Host: b.example', authorization],
    ['Host: a.example', 'host: a.example', authorization],
    [authorization],
    ['Host: a.example', 'Host: b.example'],
    ['Host: a.example, b.example', authorization],
    ['Host: a.example@b.example', authorization],
  ]) {
    const { status, body } = await answerTo(lines);
    t.equal(status, 400, lines.join());
    t.match(JSON.parse(body), { code: 'unparseable', detail: /host/ });
  }
  t.equal((await answerTo([authorization], '1.0')).status, 200, 'HTTP/1.0 has no Host');
  for (const host of ['a.example', 'a_b.example:8080', '[::1]:8080'])
    t.equal((await answerTo([`Host: ${host}`, authorization])).status, 200, host);
});

t.test('over random duplicates a request is refused exactly when a single field is repeated', async t => {
  const values: Readonly<Record<string, string>> = { authorization: `Bearer ${token}`, host: 'a.example' };
  const names = [...singleFields, 'accept', 'x-forwarded-for', 'cookie', 'user-agent', 'accept-language'];
  const field = fc.record({ name: fc.constantFrom(...names), isUpper: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(field, { maxLength: 6 }), async more => {
      const all = ['host', 'authorization', ...more.map(({ name }) => name)];
      const lines = [
        `Host: ${values['host']}`,
        authorization,
        ...more.map(({ name, isUpper }) => `${isUpper ? name.toUpperCase() : name}: ${values[name] ?? 'x'}`),
      ];
      const isRepeated = all.some((name, index) => singleFields.has(name) && all.indexOf(name) < index);
      const { status, body } = await answerTo(lines);
      if (isRepeated)
        t.match({ status, body: JSON.parse(body) }, { status: 400, body: { code: 'unparseable' } });
      else t.equal(status, 200, lines.join(' '));
    }),
    { numRuns: 60 },
  );
});
