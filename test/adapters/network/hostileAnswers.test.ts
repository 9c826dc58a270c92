// Servers that answer without end, more than is needed, or nothing: what one answer costs is limited.
import { channel } from 'node:diagnostics_channel';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { fetchKeys } from '../../../adapters/network/remoteKeys.js';
import { mailSender } from '../../../adapters/mail/mailSender.js';
import { nameResolver } from '../../../adapters/network/nameResolver.js';
import { otlpTracer } from '../../../adapters/monitoring/otlpTracer.js';
import { webhookSender } from '../../../adapters/webhooks/sender.js';

const never = new AbortController().signal;
const names = nameResolver();
const message = { tenant: 'default', id: 'm', body: '{}', webhookId: 'w', secrets: [] };

/** Sends a text again and again while the client reads. */
const flood = (socket: Socket, text: string): void => {
  const bytes = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
    if (!socket.destroyed) socket.once('drain', () => setImmediate(more));
  };
  more();
};

/** A server that does something with each connection once a request came; `port`, and its open connections. */
const server = async (t: Test, attack: (socket: Socket) => void, greets = false) => {
  const open = new Set<Socket>();
  const listening = createServer(socket => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    if (greets) attack(socket);
    else socket.once('data', () => attack(socket));
  });
  await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    listening.close();
  });
  return { port: (listening.address() as AddressInfo).port, open };
};

/** Sockets of clients that were made while `work` ran. */
const clientsOf = async <Result>(work: () => Promise<Result>) => {
  const sockets: Socket[] = [];
  const made = (event: unknown) => void sockets.push((event as { socket: Socket }).socket);
  const sockets_ = channel('net.client.socket');
  sockets_.subscribe(made);
  try {
    return { result: await work(), sockets };
  } finally {
    sockets_.unsubscribe(made);
  }
};

const ended = (socket: Socket): Promise<void> =>
  new Promise(resolve => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

const ok = 'HTTP/1.1 200 OK\r\n';
const kilobyte = 'x'.repeat(1024);
const bomb = gzipSync(Buffer.alloc(50_000_000));

/** Answers of hostile HTTP servers. The time limit of the clients is so long that only another one can end them. */
const floods: Readonly<Record<string, (socket: Socket) => void>> = {
  '103 Early Hints': socket => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'),
  '100 Continue': socket => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  '102 with header fields': socket => flood(socket, `HTTP/1.1 102 Processing\r\nX: ${kilobyte}\r\n\r\n`),
  'an endless status line': socket => {
    socket.write('HTTP/1.1 200 ');
    flood(socket, kilobyte);
  },
  'endless header fields': socket => {
    socket.write(ok);
    flood(socket, 'a: b\r\n');
  },
  'an endless header field': socket => {
    socket.write(`${ok}a: `);
    flood(socket, kilobyte);
  },
  'an endless body': socket => {
    socket.write(`${ok}Content-Length: 100000000000\r\n\r\n`);
    flood(socket, kilobyte);
  },
  'an endless body without a length': socket => {
    socket.write(`${ok}\r\n`);
    flood(socket, kilobyte);
  },
  'endless chunk extensions': socket => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n1;`);
    flood(socket, kilobyte);
  },
  'a chunk extension each byte': socket => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`);
    flood(socket, `1;${kilobyte}\r\nx\r\n`);
  },
  'endless trailer fields': socket => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`);
    flood(socket, 'a: b\r\n');
  },
  'a packed body of 50 MB': socket => {
    socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  },
  'no HTTP at all': socket => flood(socket, kilobyte),
};

const drips: Readonly<Record<string, (socket: Socket) => void>> = {
  nothing: () => {},
  'a body byte by byte': socket => {
    socket.write(`${ok}Content-Length: 4000\r\n\r\n`);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.once('close', () => clearInterval(timer));
  },
  'header fields byte by byte': socket => {
    socket.write(`${ok}a: `);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.once('close', () => clearInterval(timer));
  },
  'another protocol': socket => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    flood(socket, kilobyte);
  },
};

/** Bytes that a client may have read: its limit of a body and of the rest, and one read of a socket. */
const readMax = (bodyMax: number): number => bodyMax + 65_536 + 65_536;

const clients = {
  'a webhook': {
    bytesMax: readMax(4096),
    send: (port: number, timeoutMs: number) =>
      webhookSender({ allowPrivate: true, timeoutMs, names }).send(
        { ...message, url: `http://127.0.0.1:${port}/` },
        never,
      ),
  },
  'the keys of tokens': {
    bytesMax: readMax(1_000_000),
    send: (port: number) =>
      fetchKeys(new URL(`http://127.0.0.1:${port}/keys`), names).catch((error: unknown) => error),
  },
  'the collector of traces': {
    bytesMax: readMax(65_536),
    send: async (port: number) => {
      const url = new URL(`http://127.0.0.1:${port}/v1/traces`);
      const tracer = otlpTracer({ url, headers: {}, serviceName: 'test' }, names, pino({ level: 'silent' }));
      tracer.record({
        ...{ correlation: '00000000-0000-4000-8000-000000000001', key: 'k', name: 'n', kind: 'server' },
        ...{ startMs: 0, durationMs: 1, attributes: {} },
      } as never);
      await tracer.close();
    },
  },
};

for (const [client, { send, bytesMax }] of Object.entries(clients))
  t.test(`${client}: floods end by their bytes`, async t => {
    for (const [name, attack] of Object.entries(floods)) {
      const { port, open } = await server(t, attack);
      const { sockets } = await clientsOf(() => send(port, 600_000));
      const socket = sockets.find(one => one.remotePort === port) ?? sockets[0];
      if (!socket) throw new Error('no socket');
      await ended(socket);
      t.ok(socket.bytesRead <= bytesMax, `${name}: ${socket.bytesRead} bytes were read`);
      for (const one of open) await ended(one);
    }
  });

t.test('webhook: informational responses are counted, a few are accepted', async t => {
  const answering = (count: number) => (socket: Socket) => {
    for (let i = 0; i < count; i += 1) socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  };
  const sent = async (count: number) => {
    const { port } = await server(t, answering(count));
    return clients['a webhook'].send(port, 60_000);
  };
  t.match(await sent(3), { status: 204, failure: null });
  t.match(await sent(30), { status: null, failure: 'protocol' });
});

t.test('webhook: slow answers end by their time', async t => {
  for (const [name, attack] of Object.entries(drips)) {
    const { port } = await server(t, attack);
    const { result, sockets } = await clientsOf(() => clients['a webhook'].send(port, 300));
    for (const socket of sockets) await ended(socket);
    t.ok(sockets.length > 0, `${name}: ${JSON.stringify(result)}`);
  }
});

t.test('webhook: a TLS handshake without end', async t => {
  const { port } = await server(t, socket => flood(socket, '\x16\x03\x03\x40\x00' + 'x'.repeat(0x4000)));
  const { result, sockets } = await clientsOf(() =>
    webhookSender({ allowPrivate: true, timeoutMs: 60_000, names }).send(
      { ...message, url: `https://127.0.0.1:${port}/` },
      never,
    ),
  );
  for (const socket of sockets) await ended(socket);
  t.match(result, { status: null });
});

const greeting = '220 mail.example ESMTP\r\n';
const smtpFloods: Readonly<Record<string, (socket: Socket) => void>> = {
  'an endless greeting line': socket => flood(socket, kilobyte),
  'an endless greeting of lines': socket => flood(socket, '220-hello\r\n'),
  'endless empty lines': socket => flood(socket, '\r\n'),
  'endless replies': socket => flood(socket, '250 ok\r\n'),
  'endless extensions': socket => {
    socket.write(greeting);
    flood(socket, '250-SIZE\r\n');
  },
  'an endless TLS handshake': socket => {
    socket.write(`${greeting}250-hello\r\n250 STARTTLS\r\n220 go\r\n`);
    flood(socket, '\x16\x03\x03\x40\x00' + 'x'.repeat(0x4000));
  },
};

t.test('a mail server that floods is left', async t => {
  const from = { name: '', address: 'daybook@example.org' };
  for (const [name, attack] of Object.entries(smtpFloods)) {
    const { port } = await server(t, attack, true);
    const sender = mailSender({ host: '127.0.0.1', port, isTls: false, from, names, stepTimeoutMs: 600_000 });
    const event = { type: 'webhook.test', data: {} };
    const { result, sockets } = await clientsOf(() =>
      sender.send({ ...message, body: JSON.stringify(event), url: 'mailto:anna@example.org' }, never),
    );
    for (const socket of sockets) await ended(socket);
    const [{ bytesRead } = { bytesRead: NaN }] = sockets;
    t.ok(bytesRead <= readMax(0), `${name}: ${bytesRead} bytes were read, ${JSON.stringify(result)}`);
  }
});

t.test('a mail server that answers slowly is left when the time of the delivery is over', async t => {
  const { port } = await server(
    t,
    socket => {
      const timer = setInterval(() => socket.write('220-hello\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    },
    true,
  );
  const from = { name: '', address: 'daybook@example.org' };
  const sender = mailSender({ host: '127.0.0.1', port, isTls: false, from, names, stepTimeoutMs: 100 });
  const event = JSON.stringify({ type: 'webhook.test', data: {} });
  const { result, sockets } = await clientsOf(() =>
    sender.send({ ...message, body: event, url: 'mailto:anna@example.org' }, never),
  );
  t.match(result, { status: null, failure: 'timeout' });
  for (const socket of sockets) await ended(socket);
  t.ok(sockets.length > 0);
});
