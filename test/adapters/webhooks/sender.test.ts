import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { privateReceiversOf } from '../../../adapters/webhooks/privateReceivers.js';
import {
  addressFault,
  isPublicAddress,
  webhookSender,
  signedHeaders,
} from '../../../adapters/webhooks/sender.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const older = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const never = new AbortController().signal;
const message = {
  tenant: 'default',
  id: 'message-1',
  body: '{"specversion":"1.0"}',
  webhookId: 'w',
  secrets: [secret],
};

/** A receiver on this machine. */
const receiver = async (t: Test, listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
};

const answering =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end('thanks');
  };

t.test('the signature is that of the specification', async t => {
  // Example of the Standard Webhooks specification, section "Signature scheme".
  const { 'webhook-signature': signature, 'webhook-timestamp': timestamp } = signedHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    },
    1_614_265_330_000,
  );
  t.equal(timestamp, '1614265330');
  t.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

t.test('a message arrives signed, for receivers with either secret', async t => {
  let got: { readonly headers: IncomingHttpHeaders; readonly body: string } | undefined;
  const url = await receiver(t, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got = { headers: request.headers, body };
      response.writeHead(204).end();
    });
  });
  const { send } = webhookSender({ allowPrivate: true });
  const sent = await send({ ...message, url, secrets: [secret, older] }, never);
  t.match(sent, { status: 204, failure: null });
  t.ok(sent.latencyMs > 0);
  t.match(got?.headers, {
    'webhook-id': 'message-1',
    'content-type': 'application/cloudevents+json; charset=utf-8',
  });
  const headers = got?.headers as Record<string, string>;
  for (const known of [secret, older])
    t.strictSame(new Webhook(known).verify(got?.body ?? '', headers), { specversion: '1.0' });
  const forged = Buffer.alloc(32, 9).toString('base64');
  t.throws(() => new Webhook(forged).verify(got?.body ?? '', headers));
  t.throws(() => new Webhook(secret).verify(`${got?.body} `, headers), 'another body');
});

t.test('answers and failures of receivers', async t => {
  const outcome = (url: string, timeoutMs = 60_000) =>
    webhookSender({ allowPrivate: true, timeoutMs }).send({ ...message, url }, never);
  const statusOf = async (status: number, headers = {}) =>
    outcome(await receiver(t, answering(status, headers)));
  t.match(await statusOf(500), { status: 500, failure: null });
  t.match(await statusOf(429, { 'Retry-After': '120' }), { status: 429, retryAfterMs: 120_000 });
  t.equal((await statusOf(503, { 'Retry-After': 'soon' })).retryAfterMs, undefined);
  t.match(await outcome(await receiver(t, () => {}), 300), { status: null, failure: 'timeout' });
  t.match(await outcome(await receiver(t, ({ socket }) => socket.destroy())), { failure: 'unreachable' });
  const plain = await receiver(t, answering(200));
  t.match(await outcome(plain.replace('http:', 'https:')), { failure: 'tls' });
  const garbage = createNetServer(socket => socket.end('SSH-2.0-OpenSSH\r\n'));
  await new Promise<void>(resolve => garbage.listen(0, '127.0.0.1', resolve));
  t.teardown(() => garbage.close());
  const { port } = garbage.address() as AddressInfo;
  t.match(await outcome(`http://127.0.0.1:${port}/`), { status: null, failure: 'protocol' });
});

t.test('a redirect is an answer: it is not followed', async t => {
  let followed = false;
  const target = await receiver(t, (_, response) => {
    followed = true;
    response.end();
  });
  const url = await receiver(t, answering(302, { Location: target }));
  const { send } = webhookSender({ allowPrivate: true });
  t.match(await send({ ...message, url }, never), { status: 302 });
  t.equal(followed, false);
});

t.test('an endless answer is cut off', async t => {
  let written = 0;
  const closed = new Promise<void>(resolve => {
    void receiver(t, (request, response) => {
      request.resume();
      response.on('close', resolve);
      const more = (): void => {
        if (response.destroyed) return;
        written += 1024;
        response.write('x'.repeat(1024));
        setImmediate(more);
      };
      more();
    }).then(url =>
      webhookSender({ allowPrivate: true })
        .send({ ...message, url }, never)
        .then(sent => t.match(sent, { status: 200 })),
    );
  });
  await closed;
  t.ok(written < 10_000_000, `${written} bytes`);
});

t.test('a stop ends a request', async t => {
  const url = await receiver(t, () => {});
  const stopping = new AbortController();
  const sent = webhookSender({ allowPrivate: true }).send({ ...message, url }, stopping.signal);
  setTimeout(() => stopping.abort(), 20);
  t.match(await sent, { status: null, failure: 'unreachable' });
});

const privateAddresses = [
  ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '0.0.0.0', '0.1.2.3', '100.64.0.1', '100.127.255.255', '192.0.0.1', '192.0.2.1'],
  ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
  ],
  ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1', '2001:db8::1'],
  ...['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:7f00:1::', '100::1', 'not an address', ''],
];
const publicAddresses = ['93.184.215.14', '8.8.8.8', '172.32.0.1', '2606:2800:21f:cb07::1', '::ffff:8.8.8.8'];

t.test('addresses of private and special networks', async t => {
  for (const address of privateAddresses) t.equal(isPublicAddress(address), false, address);
  for (const address of publicAddresses) t.equal(isPublicAddress(address), true, address);
});

t.test('addresses that a webhook must not have', async t => {
  const refused = [
    ...[
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0177.0.0.1/',
      'http://127.1/',
    ],
    ...[
      'http://0/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[fe80::1]/',
      'http://169.254.169.254/',
    ],
    ...[
      'http://localhost/',
      'http://LOCALHOST:8080/',
      'http://a.localhost/',
      'http://printer/',
      'http://a.internal/',
    ],
    ...[
      'http://example.org./',
      'http://example.org:22/',
      'http://example.org:25/',
      'http://１２７.０.０.１/',
    ],
  ];
  for (const url of refused) {
    t.type(addressFault(url, false), 'string', url);
    t.equal(addressFault(url, true), undefined, `${url} is allowed with WEBHOOK_ALLOW_PRIVATE`);
  }
  const invalid = [
    ...[
      '',
      'hooks',
      '//example.org/',
      'ftp://example.org/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http:///',
    ],
    ...['https://anna@example.org/', 'https://anna:secret@example.org/', 'https://example.org/#a'],
    ...[
      'https://example.org:0/',
      'https://example.org:99999/',
      'https://exam ple.org/',
      'https:\\\\example.org/',
    ],
    ...['https://example.org/\nHost: other', 'http://[::1', 'https:example.org'],
  ];
  for (const url of invalid)
    for (const allowPrivate of [false, true])
      t.type(addressFault(url, allowPrivate), 'string', `${url} (${allowPrivate})`);
  for (const url of [
    'https://example.org/hook?token=a',
    'http://example.org:8080/',
    'https://hooks.example.org',
    'https://93.184.215.14/',
    'https://bücher.example/',
  ])
    t.equal(addressFault(url, false), undefined, url);
});

t.test('a name is refused by the addresses that it has when the connection is made', async t => {
  const url = await receiver(t, answering(200));
  const { port } = new URL(url);
  const resolving =
    (...addresses: readonly string[]): LookupFunction =>
    (_, options, callback) => {
      const all = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
      if (options.all === true) callback(null, all);
      else callback(null, addresses[0] ?? '', 4);
    };
  const send = (allowPrivate: boolean, ...addresses: readonly string[]) =>
    webhookSender({
      allowPrivate,
      names: { lookupFor: () => resolving(...addresses) },
      timeoutMs: 60_000,
    }).send({ ...message, url: `http://hooks.example.org:${port}/` }, never);
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '169.254.169.254', '::ffff:127.0.0.1'])
    t.match(await send(false, address), { status: null, failure: 'addressRefused' }, address);
  t.match(await send(false, '93.184.215.14', '127.0.0.1'), { failure: 'addressRefused' }, 'one of several');
  t.match(await send(true, '127.0.0.1'), { status: 200 });
});

t.test('receivers of a list may be private, at their port alone', async t => {
  const allowed = privateReceiversOf('Alerts.lan:9093, 10.0.0.5:25, [FD00::5]:8080') ?? false;
  t.strictSame(allowed, ['alerts.lan:9093', '10.0.0.5:25', '[fd00::5]:8080']);
  const fine = [
    'http://alerts.lan:9093/',
    'http://10.0.0.5:25/',
    'http://[fd00:0::5]:8080/',
    'http://ALERTS.lan:9093/x',
  ];
  for (const url of fine) t.equal(addressFault(url, allowed), undefined, url);
  const refused = [
    'http://alerts.lan/',
    'http://alerts.lan:9094/',
    'http://10.0.0.6:8025/',
    'http://[fd00::6]:8080/',
  ];
  for (const url of refused)
    t.match(addressFault(url, allowed), /WEBHOOK_ALLOW_PRIVATE allows it with .+:\d+$/, url);

  const url = await receiver(t, answering(200));
  const { port } = new URL(url);
  const lookupFor = (address: string) => (): LookupFunction => (_, options, callback) =>
    options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
  const send = (setting: string, name: string, address: string) =>
    webhookSender({
      allowPrivate: privateReceiversOf(setting) ?? false,
      names: { lookupFor: lookupFor(address) },
      timeoutMs: 60_000,
    }).send({ ...message, url: `http://${name}:${port}/` }, never);
  t.match(await send(`alerts.lan:${port}`, 'alerts.lan', '127.0.0.1'), { status: 200 }, 'by its name');
  t.match(
    await send(`127.0.0.1:${port}`, 'hooks.example.org', '127.0.0.1'),
    { status: 200 },
    'by its address',
  );
  const elsewhere = [`127.0.0.1:${Number(port) - 1}`, `127.0.0.2:${port}`, `alerts.lan:${port}`];
  for (const setting of elsewhere)
    t.match(await send(setting, 'hooks.example.org', '127.0.0.1'), { failure: 'addressRefused' }, setting);
  const { send: toNumbers } = webhookSender({ allowPrivate: [`127.0.0.1:${port}`] });
  t.match(await toNumbers({ ...message, url }, never), { status: 200 });
});

t.test('an address in numbers is refused although no name is resolved', async t => {
  const url = await receiver(t, answering(200));
  const { send } = webhookSender({ allowPrivate: false });
  t.match(await send({ ...message, url }, never), { status: null, failure: 'addressRefused' });
});
