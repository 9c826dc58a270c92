// Start of the service on a fake EventStoreDB that refuses it or uses TLS.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import {
  accessDenied,
  fakeEventStoreDb,
  refuses,
  unavailable,
  type FakeEventStoreDb,
} from '../helpers/eventStoreDb/fakeEventStoreDb.js';
import { launch } from '../helpers/process.js';
import { repositoryRoot } from '../helpers/repository.js';

t.jobs = 2;
const folder = join(repositoryRoot(), 'test/fixtures/tls');
const pem = (name: string) => readFileSync(join(folder, name));
const files = { certificate: pem('node.crt'), key: pem('node.key') };
const ca = join(folder, 'ca.crt');

/** A server with TLS, and its connection string with a password that must not be shown. */
const secured = async (t: Test) => {
  const server = await fakeEventStoreDb(1, files);
  t.teardown(server.close);
  const urlOf = (caFile = ca, scheme = 'esdb', host = '127.0.0.1') =>
    `${scheme}://anna:hunter2@${host}:${server.port}?tls=true&tlsCAFile=${caFile}` +
    '&maxDiscoverAttempts=2&discoveryInterval=20';
  return { server, urlOf };
};

const serve = (t: Test, url: string) =>
  launch(['serve'], {
    DATA_DIR: t.testdir(),
    PORT: '0',
    EVENT_STORE: 'eventstoredb',
    EVENTSTOREDB_URL: url,
  });

/** Asserts that a start ends after one attempt, like a start with a wrong setting. */
const expectRefused = async (t: Test, url: string, cure: RegExp, server?: FakeEventStoreDb) => {
  const { exit, stdout, stderr } = serve(t, url);
  const { code } = await exit;
  t.equal(code, 2, 'exit code of a wrong setting');
  t.notMatch(stdout(), /listens/);
  t.match(stderr(), /^EVENTSTOREDB_URL: /m);
  t.match(stderr(), cure);
  t.notMatch(stderr(), /retrying/, 'no retry');
  t.notMatch(stderr(), /hunter2/, 'no password');
  t.notMatch(stderr(), /\n {4}at /, 'no stack');
  if (server) t.ok(server.count('read').calls <= 3, `${server.count('read').calls} reads`);
};

void t.test('start: a wrong password', async t => {
  const { server, urlOf } = await secured(t);
  server.always('read', refuses({ code: status.UNAUTHENTICATED }));
  await expectRefused(t, urlOf(), /does not accept this name and password/, server);
});

void t.test('start: a user without read access to the log', async t => {
  const { server, urlOf } = await secured(t);
  server.always('read', refuses(accessDenied));
  await expectRefused(t, urlOf(), /\$admins/, server);
});

void t.test('start: a user who must not create persistent subscriptions', async t => {
  const { server, urlOf } = await secured(t);
  server.always('create', refuses({ code: status.PERMISSION_DENIED }));
  await expectRefused(t, urlOf(), /persistent subscriptions.*\$admins/);
  t.equal(server.count('create').calls, 1);
});

for (const scheme of ['esdb', 'esdb+discover'])
  void t.test(`start: a certificate of another authority, ${scheme}`, async t => {
    const { urlOf } = await secured(t);
    await expectRefused(t, urlOf(join(folder, 'other-ca.crt'), scheme), /not trusted.*tlsCAFile/s);
  });

void t.test('start: a server without TLS', async t => {
  const server = await fakeEventStoreDb();
  t.teardown(server.close);
  await expectRefused(t, `esdb://anna:hunter2@127.0.0.1:${server.port}?tlsCAFile=${ca}`, /does not use TLS/);
});

for (const scheme of ['esdb', 'esdb+discover'])
  void t.test(`start: tls=false for a server with TLS, ${scheme}`, async t => {
    const { server } = await secured(t);
    const options = 'tls=false&maxDiscoverAttempts=2&discoveryInterval=20';
    // One of two hosts is enough: the other may be down.
    const url = `${scheme}://127.0.0.1:1,127.0.0.1:${server.port}?${options}`;
    await expectRefused(t, url, /the server uses TLS; expected no tls=false.*tlsCAFile=/s);
  });

void t.test('start: tls=false for a server that is late', async t => {
  const server = await fakeEventStoreDb();
  t.teardown(server.close);
  await server.away();
  const { ready, stderr, end } = serve(t, server.url);
  while (!stderr().includes('retrying')) await setTimeout(20);
  await server.back();
  t.equal((await fetch(`${await ready}/health`)).status, 200, 'it starts as soon as the server answers');
  await end('SIGTERM');
});

void t.test('start: a connection string of KurrentDB', async t => {
  const cures = { kurrentdb: 'esdb', 'kurrentdb+discover': 'esdb+discover', 'kdb+discover': 'esdb+discover' };
  for (const [scheme, expected] of Object.entries(cures))
    await expectRefused(
      t,
      `${scheme}://anna:hunter2@127.0.0.1:1?tls=false`,
      new RegExp(
        `got ${scheme.replace('+', '.')}://, expected ${expected.replace('+', '.')}:// with the same rest`,
      ),
    );
});

void t.test('start: a certificate file of the connection string is missing or invalid', async t => {
  const url = 'esdb://anna:hunter2@127.0.0.1:1?tls=true';
  await expectRefused(t, `${url}&tlsCAFile=./no/ca.crt`, /tlsCAFile=\.\/no\/ca\.crt: there is no such file/);
  await expectRefused(t, `${url}&TLS_CA_FILE=no%20ca.crt`, /tlsCAFile=no ca\.crt: there is no such file/);
  await expectRefused(t, `${url}&tlsCAFile=${folder}/README.md`, /tlsCAFile=.*README\.md: cannot be used/);
  await expectRefused(
    t,
    `${url}&userCertFile=a.crt&userKeyFile=b.key`,
    /userCertFile=a\.crt: there is no such file/,
  );
});

for (const [scheme, host] of [
  ['esdb', '127.0.0.1'],
  ['esdb', 'localhost'],
  ['esdb+discover', '127.0.0.1'],
] as const)
  void t.test(`start: TLS with a name and an address, ${scheme}://${host}`, async t => {
    const { server, urlOf } = await secured(t);
    // Temporary errors are retried in every phase of the start.
    server.next('read', refuses(unavailable));
    server.next('create', refuses(unavailable));
    const { ready, end, stderr } = serve(t, urlOf(ca, scheme, host));
    const address = await ready;
    t.equal((await fetch(`${address}/health`)).status, 200);
    await end('SIGTERM');
    t.notMatch(stderr(), /DEP0123|ServerName/);
    t.notMatch(stderr(), /hunter2/);
  });

void t.test('start: SIGTERM ends it, also as the first process of a container', async t => {
  const { end, stderr } = serve(t, 'esdb://127.0.0.1:1?tls=false');
  while (!stderr().includes('retrying')) await setTimeout(20);
  // Without a listener the exit has a signal instead of a code, and process 1 would go on.
  t.same(await end('SIGTERM'), { code: 143, signal: null });
});
