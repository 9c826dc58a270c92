// The command line as processes: start, stop, wrong usage and output.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { slowTest } from '../helpers/amount.js';
import { keepAliveTimeoutMs, listen, starting } from '../../adapters/http/server.js';
import { launch, launchService, run, tokenFor } from '../helpers/process.js';
import { eventually } from '../helpers/service.js';
import { authorized, createSource, getJson, secret, serving, settingsIn } from '../helpers/servingProcess.js';

type Problem = { readonly detail: string };

t.test('process: the first start without configuration', async t => {
  const cwd = t.testdir();
  const { address, stdout, end } = await serving(t, {}, { cwd });
  t.match(
    stdout(),
    new RegExp(
      `^Log opened: \\S+\nRead models ready\nDaybook listens on ${address}\nSign in to its screens with the output of: npx --no -- daybook token --scope "[a-z ]+" --expires 12h\nFirst sign-in: for 15 minutes the page takes the code in \\S+data/first-code\n$`,
    ),
    'prints each step, then the address and how to get a token',
  );
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
  t.equal(statSync(join(cwd, 'data')).mode & 0o777, 0o700);
  t.equal(
    statSync(join(cwd, 'data', 'jwt-secret')).mode & 0o777,
    0o600,
    'the secret is readable by its owner only',
  );
  t.match(readFileSync(join(cwd, 'data', 'jwt-secret'), 'utf8'), /^[0-9a-f]{64}$/);
  t.equal((await fetch(`${address}/health`)).status, 200);
  t.equal((await fetch(`${address}/v1/source/list`)).status, 401);

  const { code, stdout: line, stderr } = await run(['token'], {}, { cwd });
  t.same({ code, stderr }, { code: 0, stderr: '' });
  t.match(line, /^[\w-]+\.[\w-]+\.[\w-]+\n$/, 'one line only');
  t.same(await getJson(address, '/v1/source/list', line.trim()), { sources: [] }, 'the token is valid');
  t.same(await end('SIGTERM'), { code: 0, signal: null });
});

t.test('process: a link on a terminal, with the scopes of the screens for twelve hours', async t => {
  // Node asks the operating system whether its output is a terminal; this says so before the program begins.
  const NODE_OPTIONS = '--import=data:text/javascript,process.stdout.isTTY=true';
  const env = { NODE_OPTIONS, METRICS_PORT: '0', LOG_LEVEL: 'warn' };
  const { address, stdout, end } = await serving(t, env, { cwd: t.testdir() });
  t.match(stdout(), /^Metrics on http:\/\/127\.0\.0\.1:\d+\/metrics$/m, 'whatever the log has');
  const [, link = '', token = ''] = /^Open (\S+#token=(\S+))$/m.exec(stdout()) ?? [];
  t.equal(link, `${address}/#token=${token}`);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
  t.equal(claims['scope'], 'read import model planning alert audit webhook token');
  t.equal(Number(claims['exp']) - Number(claims['iat']), 12 * 3600);
  t.same(await getJson(address, '/v1/source/list', token), { sources: [] }, 'the token is valid');
  await end('SIGTERM');

  const inProduction = await serving(t, { NODE_OPTIONS, NODE_ENV: 'production' }, { cwd: t.testdir() });
  t.notMatch(inProduction.stdout(), /#token|eyJ/, 'a container often has a terminal whose output is kept');
  t.match(inProduction.stdout(), /with the output of: daybook token --scope/);
});

slowTest('process: port and data folder by options', async t => {
  const cwd = t.testdir({ 'other.sqlite': {} });
  const options = ['--port', '0', '--data-dir', 'of options'] as const;
  const { ready, end } = launch(['serve', ...options], { PORT: 'x', DATA_DIR: 'other.sqlite' }, { cwd });
  const address = await ready;
  const folder = ['--data-dir', 'of options'];
  const { stdout: token } = await run(['token', ...folder], {}, { cwd });
  t.same(await getJson(address, '/v1/source/list', token.trim()), { sources: [] });
  t.same(await end('SIGTERM'), { code: 0, signal: null });
  t.match(await run(['rebuild', ...folder], {}, { cwd }), { code: 0, stdout: /^read models rebuilt from / });
  t.match(await run(['replay', '--into', 'then', ...folder], {}, { cwd }), {
    code: 0,
    stdout: /are the same/,
  });
});

slowTest('process: help and wrong usage', async t => {
  const cwd = t.testdir();
  const options = { cwd };
  const help = await run(['--help'], {}, options);
  t.equal(help.code, 0);
  const commands = [...help.stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(found => found[1] ?? '');
  for (const name of ['serve', 'token', 'rebuild', 'import-folder', 'demo'])
    t.ok(commands.includes(name), name);
  for (const name of commands) {
    const { code, stdout, stderr } = await run([name, '--help'], {}, options);
    t.same({ code, stderr }, { code: 0, stderr: '' }, name);
    t.ok(stdout.startsWith(`usage: daybook ${name}`), stdout);
  }
  t.equal(
    (await run(['help', 'token'], {}, options)).stdout,
    (await run(['token', '--help'], {}, options)).stdout,
  );
  for (const flag of ['--help', '-h'])
    t.strictSame(await run(['help', flag], {}, options), help, `help ${flag}`);
  t.match((await run(['--version'], {}, options)).stdout, /^\d+\.\d+\.\d+\n$/);
  t.notOk(existsSync(join(cwd, 'data')), 'help creates no files');

  for (const args of [
    [],
    ['unknown'],
    ['toString'],
    ['serve', '--unknown'],
    ['token', 'more'],
    ['rebuild', '-x'],
  ]) {
    const { code, stdout, stderr } = await run(args, {}, options);
    t.same({ code, stdout }, { code: 2, stdout: '' }, args.join(' ') || 'no command');
    t.not(stderr, '');
  }
  for (const [args, text] of [
    [['serv'], /^got "serv", expected a command, perhaps serve\n/],
    [['help', 'tokn'], /^got "tokn", expected a command, perhaps token\n/],
    [
      ['token', '--scop', 'read'],
      /^got --scop, expected an option, perhaps --scope; see daybook token --help\n$/,
    ],
    [
      ['serve', '--host', 'x'],
      /^got --host, expected an option, perhaps --port; see daybook serve --help\n$/,
    ],
    [['serve', '--port', 'x'], /^PORT: got "x", expected /],
    [['serve', '--port', '0', '--port', '0'], /^got --port more than once, /],
    // Options of other commands in the usage are not options of these.
    [['audit-report', '--decisions'], /^got --decisions, expected an option: --source, /],
    [['checkpoint', '--checkpoint'], /^got --checkpoint, expected an option: --[^;]*--help; /],
    [['token', '--scope'], /^--scope: got no value, expected one; see daybook token --help\n$/],
    [['rebuild'], /^DATA_DIR: there is no log .*data.events\.sqlite\n$/],
    [['replay', '--into', '.'], /^DATA_DIR: there is no log .*data.events\.sqlite\n$/],
    [['export'], /^DATA_DIR: there is no log .*data.events\.sqlite\n$/],
  ] as const) {
    const { code, stdout, stderr } = await run([...args], {}, options);
    t.same({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    t.match(stderr, text);
  }
  for (const [env, text] of [
    [{ EVENTSTOREDB_URL: 'esdb://localhost:2113' }, /^EVENTSTOREDB_URL: set without EVENT_STORE/],
    [{ EVENT_STORE: 'postgres' }, /^EVENT_STORE: got "postgres", expected sqlite/],
    [{ DATA_DIR: '' }, /^DATA_DIR: got an empty value/],
  ] as const)
    for (const args of [['rebuild'], ['replay', '--into', '.']]) {
      const { code, stderr } = await run(args, env, options);
      t.equal(code, 2, `${args[0]} with ${Object.keys(env)[0]}`);
      t.match(stderr, text);
    }
  t.notOk(existsSync(join(cwd, 'data')), 'a log that does not exist is not made');
  for (const args of [
    ['--scope', 'fly'],
    ['--expires', 'never'],
    ['--tenant', 'a b'],
    ['--subject', ''],
  ]) {
    const { code, stdout, stderr } = await run(['token', ...args], {}, options);
    t.same({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    t.ok(stderr.startsWith(args[0] ?? ''), stderr);
  }
  const nowhere = await run(['token', '--data-dir', 'nowhere'], {}, options);
  t.match(nowhere, {
    code: 2,
    stdout: '',
    stderr: /^DATA_DIR: there is no jwt-secret in \S+nowhere, expected/,
  });
  t.notOk(existsSync(join(cwd, 'nowhere')), 'a mistyped folder is not made');
  // A disk may come later, so a supervisor tries again.
  const unreadable = t.testdir({ 'jwt-secret': {} });
  const { code, stderr } = await run(['token'], { DATA_DIR: unreadable }, { cwd });
  t.equal(code, 3);
  t.match(stderr, /^DATA_DIR: .*jwt-secret cannot be read: EISDIR/);
});

slowTest('process: an invalid setting ends the start and is reported', async t => {
  const dataDir = t.testdir({ file: 'not a folder' });
  for (const [name, value] of [
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['HOST', ' '],
    ['EVENT_STORE', 'paper'],
    ['LOG_LEVEL', 'loud'],
    ['JWT_SECRET', 'short'],
    ['JWT_ALGORITHMS', 'none'],
    ['JWT_ALGORITHMS', 'RS256'],
    ['JWT_JWKS_URL', 'http://example.com/keys'],
    ['JWT_ISSUER', ''],
    ['JWT_AUDIENCE', ''],
    ['DATA_DIR', join(dataDir, 'file')],
  ] as const) {
    const env = { PORT: '0', DATA_DIR: dataDir, [name]: value };
    const { code, stdout, stderr } = await run(['serve'], env);
    t.same({ code, stdout }, { code: 2, stdout: '' }, `${name}=${value}`);
    t.ok(stderr.startsWith(`${name}: `) && stderr.endsWith('\n') && stderr.split('\n').length === 2, stderr);
  }
});

slowTest('process: a file that is no log ends a command with one sentence', async t => {
  const dataDir = t.testdir({ 'events.sqlite': 'no database', other: {} });
  for (const args of [['export'], ['audit-report', '--source', '1', '--out', 'x.html']]) {
    const { code, stdout, stderr } = await run(args, { DATA_DIR: dataDir }, { cwd: dataDir });
    t.same({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    t.match(stderr, /^\S*events\.sqlite[^\n]*\n$/);
  }
});

t.test('process: a port and a data folder that are in use', async t => {
  const occupied = createServer().listen(0, '127.0.0.1');
  await once(occupied, 'listening');
  const { port } = occupied.address() as AddressInfo;
  const dataDir = t.testdir();
  const second = await run(['serve'], { ...settingsIn(dataDir), PORT: String(port) });
  occupied.close();
  t.equal(second.code, 3, 'a port');
  t.notMatch(second.stdout, /listens/);
  t.match(second.stderr, `another program uses 127.0.0.1:${port}: stop it, or set another PORT`);
  // 192.0.2.0/24 is reserved for documentation (RFC 5737).
  const foreign = await run(['serve'], { ...settingsIn(t.testdir()), HOST: '192.0.2.1', PORT: '0' });
  t.match(foreign, {
    code: 3,
    stderr: '192.0.2.1 is no address of this machine: set another HOST or METRICS_HOST\n',
  });

  await serving(t, settingsIn(dataDir));
  for (const command of ['serve', 'rebuild']) {
    const { code, stdout, stderr } = await run([command], { ...settingsIn(dataDir), PORT: '0' });
    t.same({ code, stdout }, { code: 3, stdout: '' }, `the data folder, for ${command}`);
    t.match(stderr, dataDir);
  }
});

t.test('a start whose read models cannot be read for a moment answers, too', async t => {
  let reached = (): bigint => 7n;
  const { address, close } = await listen(
    starting(() => reached()),
    { host: '127.0.0.1', port: 0 },
  );
  t.teardown(close);
  const answer = async (): Promise<unknown> => ((await (await fetch(address)).json()) as Problem).detail;
  t.match(await answer(), /the service is starting: its read models have the log up to position 7; retry/);
  reached = () => {
    throw new Error('the read models were damaged');
  };
  t.equal(await answer(), 'the service is starting; retry later');
});

slowTest('process: SIGTERM as soon as the address is printed', async t => {
  // A lost signal was seen in every third start.
  for (let start = 1; start <= 3; start += 1) {
    const { ready, end } = launchService(settingsIn(t.testdir()));
    await ready;
    t.same(await end('SIGTERM'), { code: 0, signal: null }, `start ${start}`);
  }
});

/** The service says `continue` when it begins with a request, before its body. */
const whenTaken = { Expect: '100-continue' };

/** Waits until a stopping service accepts no other request. */
const refusing = (address: string): Promise<true> =>
  eventually('no other request', () =>
    fetch(`${address}/health`).then(
      () => undefined,
      () => true,
    ),
  );

t.test('process: SIGTERM during a slow upload', async t => {
  const env = settingsIn(t.testdir());
  const first = await serving(t, env);
  const lines = Array.from({ length: 20 * 24 }, (_, hour) => {
    const time = new Date(Date.UTC(2024, 0, 1, hour)).toISOString().slice(0, 19);
    return `"${time}";"${hour % 24},5"\n`;
  });
  const upload = request(`${first.address}/v1/import-csv/create-source?name=slow`, {
    method: 'POST',
    headers: { ...authorized(), ...whenTaken, 'Content-Type': 'text/csv' },
    agent: false,
  });
  upload.write(lines.slice(0, 200).join(''));
  await once(upload, 'continue');
  const ended = first.end('SIGTERM');
  await refusing(first.address);
  t.equal(await Promise.race([ended, sleep(300, 'runs')]), 'runs', 'the process waits for it');
  upload.end(lines.slice(200).join(''));
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  response.resume();
  t.equal(response.statusCode, 201, 'the upload is answered');
  t.same(await ended, { code: 0, signal: null });

  const { address, end } = await serving(t, env);
  const { sources } = (await getJson(address, '/v1/source/list')) as { sources: { name: string }[] };
  t.same(
    sources.map(({ name }) => name),
    ['slow'],
    'the stored import exists after the next start',
  );
  t.same(await end('SIGTERM'), { code: 0, signal: null });
});

slowTest('process: SIGTERM while a client sends requests on its connection', async t => {
  const { address, end } = await serving(t, settingsIn(t.testdir()));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  /** Sends the rest of a request; resolves with the status after the whole answer. */
  const finish = async (sent: ClientRequest, rest = ''): Promise<number | undefined> => {
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end(rest);
    const [response] = await answered;
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  // Running at the signal, so that its connection is not closed as idle.
  const slow = request(`${address}/v1/import-csv/create-source?name=slow`, {
    method: 'POST',
    headers: { ...authorized(), ...whenTaken, 'Content-Type': 'text/csv' },
    agent,
  });
  slow.write('"date";"value"\n');
  await once(slow, 'continue');
  const ended = end('SIGTERM');
  await refusing(address);
  t.equal(await finish(slow, '"2024-01-01T00:00:00";"no number"\n'), 422);
  const since = performance.now();
  let more = 0;
  const asking = async (): Promise<void> => {
    for (; performance.now() - since < 10_000; more += 1, await sleep(200))
      await finish(request(`${address}/health`, { agent }));
  };
  await asking().catch(() => undefined);
  t.ok(more <= 1, `${more} further requests were answered`);
  t.same(
    await Promise.race([ended, sleep(keepAliveTimeoutMs / 2, 'continues')]),
    { code: 0, signal: null },
    'it stops before the idle timeout of the connection',
  );
});

t.test('process: EVENT_STORE=memory', async t => {
  const dataDir = t.testdir();
  const env = { ...settingsIn(dataDir), EVENT_STORE: 'memory' };
  const { address, end } = await serving(t, env);
  t.equal(await createSource(address, 24), 1);
  t.notOk(existsSync(join(dataDir, 'events.sqlite')), 'no log file');
  const { code, stderr } = await run(['rebuild'], env);
  t.equal(code, 2, 'a rebuild needs a log');
  t.match(stderr, 'EVENT_STORE');
  t.same(await end('SIGTERM'), { code: 0, signal: null });
});

t.test('process: an unreachable EventStoreDB', async t => {
  const env = { ...settingsIn(t.testdir()), EVENT_STORE: 'eventstoredb' };
  // No server listens on port 1.
  for (const url of ['esdb://127.0.0.1:1?tls=false', 'esdb://anna:hunter2@127.0.0.1:1?tls=false']) {
    const { code, stdout, stderr } = await run(['rebuild'], { ...env, EVENTSTOREDB_URL: url });
    t.equal(code, 3);
    t.equal(stdout, '');
    t.match(stderr, /EventStoreDB cannot be used/);
    t.notMatch(stderr, /\n {4}at /, 'no stack');
    t.notMatch(stderr, /hunter2/, 'no password');
  }
});

t.test('process: log lines', async t => {
  const { address, stdout, stderr, end } = await serving(t, settingsIn(t.testdir()));
  const token = tokenFor(secret, 'somebody');
  const forged = tokenFor('another secret, which is long enough too', 'somebody');
  const ids: string[] = [];
  for (const [path, headers] of [
    ['/health', {}],
    ['/v1/source/list', authorized(token)],
    ['/v1/source/1', authorized(token)],
    ['/v1/source/list', authorized(forged)],
    [`/v1/source/list?token=${token}`, authorized(token)],
  ] as const) {
    const response = await fetch(address + path, { headers });
    await response.arrayBuffer();
    ids.push(response.headers.get('x-request-id') ?? 'none');
  }
  await end('SIGTERM');
  t.ok(stdout().includes(`\nDaybook listens on ${address}\n`));
  t.notMatch(stdout() + stderr(), /eyJ|#token/, 'no token in output that may be collected');
  t.ok(stderr().endsWith('\n'));
  const lines = stderr()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as { requestId?: string; msg?: string; status?: number });
  const logged = lines.filter(({ msg }) => msg === 'request');
  t.same(
    logged.map(({ requestId, status }) => [requestId, status]),
    ids.map((id, index) => [id, [200, 200, 404, 401, 422][index]]),
    'JSON lines, each request with its id',
  );
  for (const hidden of [secret, token, forged, token.split('.')[2] ?? '', 'Bearer'])
    t.notOk(stderr().includes(hidden), 'neither tokens nor secrets');
});

slowTest('process: the sqlite3 command reads the log while the service runs', async t => {
  const sqlite = (...args: readonly string[]) => execFileSync('sqlite3', args, { encoding: 'utf8' });
  try {
    sqlite('--version');
  } catch {
    t.pass('the log is plain SQLite', { skip: 'needs the sqlite3 command' });
    return;
  }
  const dataDir = t.testdir();
  const { address } = await serving(t, settingsIn(dataDir));
  await createSource(address, 24);
  const types = sqlite(
    '-readonly',
    join(dataDir, 'events.sqlite'),
    'select type from events order by position',
  );
  t.same(types.trim().split('\n').slice(0, 4), [
    'SourceIdReserved',
    'DaysImported',
    'DaysImported',
    'SourceCreated',
  ]);
  t.same(await createSource(address, 24), 2, 'the service continues to write');
});
