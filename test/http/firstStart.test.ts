// The first sign-in without a terminal: one code, for 15 minutes, for five attempts, and only for an unused service.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { firstStart, type FirstCode } from '../../adapters/http/routes/firstStart.js';
import { tokenSigner } from '../../adapters/http/middleware/tokens.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { readSettings } from '../../adapters/settings/settings.js';
import { Database } from '../../adapters/sqlite/driver.js';
import { readModels } from '../../projections/readModels.js';
import { drivenClock } from '../helpers/clockedService.js';
import { exactList } from '../helpers/exactList.js';
import { serving } from '../helpers/servingProcess.js';
import { eventually, partOf, startService, type TestService } from '../helpers/service.js';

type Answer = {
  readonly code: string;
  readonly detail: string;
  readonly token: string;
  readonly scopes: readonly string[];
};

const give = ({ call }: Pick<TestService, 'call'>, code: string, more: object = {}) =>
  call<Answer>('POST', '/v1/first-token', { json: { code, name: 'anna', ...more }, token: null });
const isOffered = async ({ address }: TestService): Promise<unknown> =>
  ((await (await fetch(`${address()}/config.json`)).json()) as { firstStart: unknown }).firstStart;
const opened = async (service: TestService): Promise<FirstCode> => {
  const first = await service.firstCode();
  if (!first) throw new Error('no code');
  return first;
};
const wrong = '0000-0000-0000';

t.test('the code gives one token with all scopes, whoever types it how', async t => {
  const service = await startService(t);
  t.match(await give(service, wrong), { status: 409, body: { code: 'firstStartOver' } }, 'no code was made');
  const { code, validMinutes } = await opened(service);
  t.match(code, /^[0-9A-HJKMNP-Z]{4}(-[0-9A-HJKMNP-Z]{4}){2}$/);
  t.equal(validMinutes, 15);
  t.equal(await isOffered(service), true);
  const answer = await give(service, ` ${code.toLowerCase().replaceAll('-', ' ')} `, { expires: 'P30D' });
  t.equal(answer.status, 201, answer.text);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.match(answer.body, { name: 'anna', by: 'anna', byKind: 'person' });
  const { token } = answer.body;
  t.match((await service.call('GET', '/session.json', { token })).body, {
    subject: 'anna',
    tenant: 'default',
  });
  const listed = await service.call('GET', '/v1/token/list', { token });
  t.match(listed.body, { tokens: exactList({ name: 'anna' }) });
  t.match(
    service.events(),
    exactList(
      { stream: 'catalog', type: 'LogBegun' },
      { stream: 'tokens-default', type: 'TokenIssued', data: { isFirst: true } },
    ),
  );
  t.match(await give(service, code), { status: 409, body: { code: 'firstStartOver' } }, 'once');
  t.equal(await isOffered(service), false);
  t.equal(await service.firstCode(), undefined, 'and never again');
  await service.restart();
  t.equal(await service.firstCode(), undefined);

  const plain = code.replaceAll('-', '');
  for (const text of [code, plain]) {
    t.notOk(service.logged().includes(text), 'not in the log of the service');
    for (const file of readdirSync(service.settings.dataDir))
      t.notOk(readFileSync(join(service.settings.dataDir, file)).includes(text), `not in ${file}`);
  }
});

t.test('without a code the body is not looked at, and with one few requests may be in progress', async t => {
  const service = await startService(t);
  const noName = { json: { code: wrong }, token: null };
  t.match(await service.call('POST', '/v1/first-token', noName), { body: { code: 'firstStartOver' } });
  const { code } = await opened(service);
  t.match(await service.call('POST', '/v1/first-token', noName), { body: { code: 'bodyInvalid' } });
  const { hostname, port } = new URL(service.address());
  const held = Array.from({ length: 16 }, () => connect(Number(port), hostname));
  t.teardown(() => held.forEach(socket => socket.destroy()));
  for (const socket of held)
    socket.write(
      'POST /v1/first-token HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n',
    );
  await eventually('a refused request', async () => {
    const { status, body } = await give(service, code, { name: '' });
    return status === 503 && body.code === 'queueFull' ? true : undefined;
  });
  for (const socket of held) socket.destroy();
  const answer = await eventually('the end of the requests', async () => {
    const given = await give(service, code);
    return given.status === 503 ? undefined : given;
  });
  t.equal(answer.status, 201, answer.text);
});

t.test('five wrong codes end it; a request with a fault does not count', async t => {
  const service = await startService(t);
  const { code } = await opened(service);
  t.match(await give(service, code, { name: '' }), { status: 422, body: { code: 'bodyInvalid' } });
  t.match(await give(service, code, { expires: 'P401D' }), {
    status: 422,
    body: { code: 'tokenRequestInvalid' },
  });
  for (const left of [4, 3, 2, 1, 0])
    t.match(await give(service, wrong), {
      status: 403,
      body: { code: 'firstCodeWrong', detail: new RegExp(`attempts left: ${left}$`) },
    });
  t.match(await give(service, code), { status: 409, body: { code: 'firstStartOver' } });
  t.equal(await isOffered(service), false);
  await service.restart();
  const second = await opened(service);
  t.not(second.code, code);
  t.equal((await give(service, second.code)).status, 201, 'a restart makes another code');
});

t.test('of two requests with the code at once one gets a token', async t => {
  const service = await startService(t);
  const { code } = await opened(service);
  const answers = await Promise.all([give(service, code), give(service, code, { name: 'bob' })]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
  t.equal(service.events().filter(({ type }) => type === 'TokenIssued').length, 1);
});

t.test('a token in use ends the code, and so does an event', async t => {
  const service = await startService(t);
  const { code } = await opened(service);
  await service.call('GET', '/v1/source/list');
  t.match(await give(service, code), { status: 409, body: { code: 'firstStartOver' } });
  t.ok(await service.firstCode(), 'a read leaves no trace in the log');
  await service.call('POST', '/v1/mute', {
    json: { labels: { site: 'a' }, until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'a' },
  });
  t.equal(await service.firstCode(), undefined);
});

t.test('no code by the setting, and none with an identity provider', async t => {
  const DATA_DIR = t.testdir();
  const off = await startService(partOf(t, 'off'), { FIRST_START_CODE: 'false' });
  t.equal(await off.firstCode(), undefined);
  const provided = await startService(partOf(t, 'provided'), { JWT_JWKS_URL: 'http://127.0.0.1:9/keys' });
  t.equal(await provided.firstCode(), undefined);
  t.match(await give(provided, wrong), { status: 409, body: { code: 'tokensOfProvider' } });
  t.throws(() => readSettings({ DATA_DIR, FIRST_START_CODE: 'no' }), /FIRST_START_CODE: got "no"/);
});

t.test('after 15 minutes the code is over', async t => {
  const db = new Database(':memory:');
  t.teardown(() => db.close());
  const { environment, leapTo } = drivenClock('2026-03-02T09:00:00Z');
  const { tokens } = readSettings({ DATA_DIR: t.testdir() });
  const parts = { log: memoryStore(), models: readModels(db), environment, signToken: tokenSigner(tokens) };
  const first = firstStart(parts, { firstStart: true });
  t.teardown(first.end);
  let ended = 0;
  const made = await first.open();
  made?.onEnd(() => (ended += 1));
  await leapTo('2026-03-02T09:14:58Z');
  t.strictSame([first.isOpen(), ended], [true, 0]);
  await leapTo('2026-03-02T09:15:01Z');
  t.strictSame([first.isOpen(), ended], [false, 1]);
  await t.rejects(
    first.redeem(made?.code ?? '', async () => 1),
    { code: 'firstStartOver' },
  );
  const next = await first.open();
  const failing = first.redeem(next?.code ?? '', () => Promise.reject(new Error('no disk')));
  await t.rejects(failing, { message: 'no disk' });
  let finish = (_: number): void => {};
  const running = first.redeem(next?.code ?? '', () => new Promise<number>(resolve => (finish = resolve)));
  const second = first.redeem(next?.code ?? '', async () => 8);
  await t.rejects(second, { code: 'firstStartOver' }, 'not while it is used');
  finish(7);
  t.equal(await running, 7, 'a failure leaves the code valid');
});

t.test('process: the code is in a file of its owner, and on no output', async t => {
  const DATA_DIR = t.testdir();
  const file = join(DATA_DIR, 'first-code');
  const { address, stdout, stderr, end } = await serving(t, { DATA_DIR });
  t.match(stdout(), new RegExp(`^First sign-in: for 15 minutes the page takes the code in ${file}$`, 'm'));
  t.equal(statSync(file).mode & 0o777, 0o600);
  const code = readFileSync(file, 'utf8').trim();
  t.notOk((stdout() + stderr()).includes(code));
  const answer = await fetch(`${address}/v1/first-token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code, name: 'anna' }),
  });
  t.equal(answer.status, 201);
  await eventually('the end of the file', () => (existsSync(file) ? undefined : true));
  await end('SIGTERM');
  t.notOk((stdout() + stderr()).includes(code));

  const other = t.testdir({ second: {} });
  const stopped = await serving(t, { DATA_DIR: join(other, 'second') });
  t.ok(existsSync(join(other, 'second', 'first-code')));
  await stopped.end('SIGTERM');
  t.notOk(existsSync(join(other, 'second', 'first-code')), 'a stop deletes it');
});

t.test('process: a file of a code that cannot be deleted does not end the service', async t => {
  const DATA_DIR = t.testdir();
  const file = join(DATA_DIR, 'first-code');
  const { address, stderr, end } = await serving(t, { DATA_DIR, LOG_LEVEL: 'warn' });
  const code = readFileSync(file, 'utf8').trim();
  rmSync(file);
  mkdirSync(file);
  const answer = await fetch(`${address}/v1/first-token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code, name: 'anna' }),
  });
  t.equal(answer.status, 201);
  t.match(stderr(), /the file of an expired code cannot be deleted/);
  await end('SIGTERM');
});

t.test('process: on a terminal the code is shown, and in no file', async t => {
  const NODE_OPTIONS = '--import=data:text/javascript,process.stdout.isTTY=true';
  const DATA_DIR = t.testdir();
  const { stdout, end } = await serving(t, { NODE_OPTIONS, DATA_DIR });
  t.match(stdout(), /^Or sign in on the page for the first time, within 15 minutes, with the code \S{14}$/m);
  t.notOk(existsSync(join(DATA_DIR, 'first-code')));
  await end('SIGTERM');
});
