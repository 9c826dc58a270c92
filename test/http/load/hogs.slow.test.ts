import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { analysed, eventually, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// Clients of one tenant that send slowly, read nothing or send too many requests do not delay other tenants.

const service = await startService(t);
const { call, tokenFor } = service;
const newSource = async (token: string): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    token,
    json: { name: 'Gate', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) },
  });
  const own = ((method, path) => call(method, path, { token })) as typeof call;
  await analysed(own, body.source.id);
  return body.source.id;
};
const tenantOf = async (tenant: string) => {
  const token = await tokenFor({ tenant });
  return { token, id: await newSource(token) };
};
const one = await tenantOf('one');
const two = await tenantOf('two');
const three = await tenantOf('three');
type Tenant = typeof one;

const imported = ({ token, id }: Tenant, date: string) =>
  call('POST', '/v1/import/days', { token, json: { sourceId: id, days: [ordinaryDay(date)] } });

/** A raw connection, and the received text. */
const open = async (t: Test): Promise<{ socket: Socket; text: () => string; ended: () => boolean }> => {
  const { hostname, port } = new URL(service.address());
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  let text = '';
  let ended = false;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (ended = true));
  await new Promise(resolve => socket.once('connect', resolve));
  return { socket, text: () => text, ended: () => ended };
};
const head = (method: string, path: string, token: string, length?: number): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: test',
    `Authorization: Bearer ${token}`,
    ...(length === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
    '\r\n',
  ].join('\r\n');
/** Number of requests of a tenant that the service ran. */
const workedOn = (tenant: string): number =>
  service
    .logged()
    .split('\n')
    .filter(line => line.includes('"msg":"request"') && line.includes(`"tenant":"${tenant}"`)).length;

t.test('bodies that arrive byte by byte do not delay imports of others, and are refused', async t => {
  const slow = await Promise.all(
    [one, two].flatMap(({ token }) =>
      Array.from({ length: 16 }, async () => {
        const client = await open(t);
        client.socket.write(`${head('POST', '/v1/import/days', token, 100_000)}{`);
        return client;
      }),
    ),
  );
  const plain = await open(t);
  plain.socket.write(`${head('PUT', `/v1/planning/${one.id}/2024-01-01`, one.token, 1000)}{`);
  const drip = setInterval(() => {
    for (const { socket } of [...slow, plain]) if (socket.writable) socket.write(' ');
  }, 200);
  t.teardown(() => clearInterval(drip));
  await new Promise(resolve => setTimeout(resolve, 500));
  t.equal((await imported(three, '2024-01-01')).status, 200, 'another tenant imports');
  t.equal((await imported(one, '2024-01-01')).status, 200, 'and so do others of the same');
  for (const { text, ended } of [...slow, plain]) {
    await eventually('the end of a slow body', () => ended() || undefined);
    t.match(text(), /^HTTP\/1\.1 408 [^]*Connection: close[^]*"code":"bodyTooSlow"/i);
    t.match(text(), /got \d+ bytes in \d+\.\d s, expected at least 8192 a second/);
  }
});

t.test('many small imports that wait for the rest of their bodies are all accepted', async t => {
  const clients = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const client = await open(t);
      const body = JSON.stringify({ sourceId: one.id, days: ordinaryDays(`2024-0${1 + (n % 9)}-03`, 1) });
      client.socket.write(head('POST', '/v1/import/days', one.token, body.length) + body.slice(0, 40));
      return { ...client, finish: () => client.socket.write(body.slice(40)) };
    }),
  );
  await new Promise(resolve => setTimeout(resolve, 300));
  for (const { finish } of clients) finish();
  for (const { text } of clients)
    await eventually('an answer', () => /^HTTP\/1\.1 \d{3}/.exec(text()) ?? undefined);
  t.strictSame([...new Set(clients.map(({ text }) => text().slice(9, 12)))], ['200']);
});

t.test('a request does not run while its client leaves earlier answers unread', async t => {
  const before = workedOn('two');
  const path = `/v1/planning/list/${two.id}/2023`;
  const hogs = await Promise.all(Array.from({ length: 20 }, () => open(t)));
  for (const { socket } of hogs) {
    socket.pause();
    socket.write(head('GET', path, two.token).repeat(200));
  }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call('GET', `/v1/day/list/${three.id}/2022`, { token: three.token })),
  );
  t.ok(
    answers.every(({ status }) => status === 200),
    'others are answered',
  );
  // The operating system buffers a few answers of each connection; then all of them wait.
  let last = -1;
  const begun = await eventually('all to wait', async () => {
    const now = workedOn('two') - before;
    const calm = now === last && now >= hogs.length;
    last = now;
    await new Promise(resolve => setTimeout(resolve, 300));
    return calm ? now : undefined;
  });
  t.ok(begun < 2000, `${begun} of ${20 * 200} requests were worked on`);
  for (const { socket } of hogs) socket.destroy();
  await new Promise(resolve => setTimeout(resolve, 300));
  t.ok(workedOn('two') - before <= begun + hogs.length, 'none is begun for clients that are gone');
  t.equal((await call('GET', path, { token: two.token })).status, 200);
});

t.test('pipelined requests are answered in their order', async t => {
  const { socket, text } = await open(t);
  const statuses = Array.from({ length: 60 }, (_, n) => (n % 3 === 2 ? 404 : 200));
  socket.write(
    statuses
      .map(status =>
        head('GET', status === 200 ? `/v1/day/list/${two.id}/2022` : '/v1/source/9999', two.token),
      )
      .join(''),
  );
  const found = await eventually('sixty answers', () => {
    const got = [...text().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    return got.length === 60 ? got : undefined;
  });
  t.strictSame(found, statuses);
});

t.test(
  'reads as of a moment are queued by tenant: one tenant does not fill the queue of another',
  async t => {
    const order: string[] = [];
    const ask = async ({ token, id }: Tenant, name: string, position: number) => {
      const { status } = await call('GET', `/v1/day/list/${id}/2022?asOf=${position}`, { token });
      order.push(name);
      return status;
    };
    const last = Number(service.events().at(-1)?.position);
    const first = service.events().find(event => event.stream === `source-${one.id}`)?.position ?? 0n;
    const ofOne = Array.from({ length: 40 }, (_, n) => ask(one, 'one', Math.min(last, Number(first) + n)));
    const ofThree = ask(three, 'three', last);
    const statuses = await Promise.all(ofOne);
    t.equal(await ofThree, 200);
    t.ok(
      statuses.every(status => status === 200 || status === 503),
      `${statuses.filter(status => status === 200).length} of 40 are answered, the rest put off`,
    );
    t.ok(
      order.lastIndexOf('one') > order.indexOf('three'),
      'the other tenant waits for a few of them, not for all',
    );
  },
);
