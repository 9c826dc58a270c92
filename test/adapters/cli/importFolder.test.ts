import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { importFolder } from '../../../adapters/cli/commands/importFolder.js';
import { sendCreation } from '../../../adapters/cli/sendFolder.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { launch, run } from '../../helpers/process.js';
import { csvOf, eventually, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

const service = await startService(t);
const { call } = service;
const token = await service.tokenFor({});
const days = ordinaryDays('2023-01-01', 28);
const folder = join(service.settings.dataDir, 'gates');
mkdirSync(folder);
const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);

const good = Array.from({ length: 10 }, (_, index) => `gate-${index}`);
for (const name of good) write(`${name}.csv`, csvOf(days));
write('packed.csv.gz', gzipSync(csvOf(days)));
write('hall.json', JSON.stringify({ referenceYear: 2023, days, labels: { floor: '2' } }));
write('named.json', JSON.stringify({ name: 'North gate', referenceYear: 2023, days }));
write('.hidden.csv', 'not read');
write('notes.txt', 'not read');
const names = [...good, 'packed', 'hall', 'North gate'].sort();

const options = [
  '--url',
  service.address(),
  '--at-once',
  '2',
  '--label',
  'site:Lyon',
  '--time-zone',
  'Europe/Paris',
];
const args = ['import-folder', folder, ...options];
const env = { DAYBOOK_TOKEN: token };
const sources = async () =>
  (await call<{ sources: readonly SourceRecord[] }>('GET', '/v1/source/list')).body.sources;
const namesThere = async () => (await sources()).map(({ name }) => name).sort();

t.test('import-folder: a killed run is continued by the next one', async t => {
  const killed = launch(args, env);
  await eventually('two sources', async () => ((await sources()).length >= 2 ? true : undefined));
  await killed.end('SIGKILL');
  t.ok((await sources()).length < names.length, 'it was killed in the middle');
  const { code, stdout, stderr } = await run(args, env);
  t.match([code, stderr], exactList(0, ''));
  t.match(stdout, /\d+ sources? created, \d+ created before, 0 refused/);
  t.strictSame(await namesThere(), names, 'each file has one source');
  const hall = (await sources()).find(({ name }) => name === 'hall');
  t.match(hall, { timeZone: 'Europe/Paris', labels: { floor: '2' } });
  t.match(
    (await sources()).find(({ name }) => name === 'packed'),
    {
      timeZone: 'Europe/Paris',
      labels: { site: 'Lyon' },
    },
  );
});

t.test('import-folder: nothing is created twice, without the state file either', async t => {
  const state = join(folder, '.daybook-import.ndjson');
  t.equal(readFileSync(state, 'utf8').trim().split('\n').length, names.length);
  t.match(await run(args, env), { code: 0, stdout: /0 sources created, 13 created before, 0 refused/ });
  rmSync(state);
  t.match(await run(args, env), { code: 0, stdout: /13 sources created, 0 created before/ });
  t.strictSame(await namesThere(), names, 'the service answered as before');
  writeFileSync(state, readFileSync(state, 'utf8').slice(0, -40));
  t.match(await run(args, env), { code: 0, stdout: /1 source created, 12 created before/ }, 'a cut line');
});

t.test('import-folder: the notes of another service at the same address are refused', async t => {
  const state = join(folder, 'other.state');
  const own = readFileSync(join(folder, '.daybook-import.ndjson'), 'utf8');
  writeFileSync(state, own.replaceAll(/"sourceId":\d+/g, '"sourceId":999'));
  const { code, stderr } = await run([...args, '--state', state], env);
  t.equal(code, 1);
  t.match(stderr, `The service at ${service.address()} has none of the sources that ${state} notes.`);
  writeFileSync(state, own.replace(/"sourceId":\d+/, '"sourceId":999'));
  t.equal((await run([...args, '--state', state], env)).code, 0, 'one that was archived');
  writeFileSync(state, own.replaceAll(/"createdAt":"\d+/g, '"createdAt":"1999'));
  t.equal((await run([...args, '--state', state], env)).code, 1, 'others have the same ids');
  writeFileSync(state, own.replaceAll(/,"createdAt":"[^"]*"/g, ''));
  t.equal((await run([...args, '--state', state], env)).code, 0, 'notes of an earlier version');
  const blind = { DAYBOOK_TOKEN: await service.tokenFor({ scopes: ['import'] }) };
  t.match(await run(args, blind), {
    code: 0,
    stderr: /the service still has the 13 sources .* is not known: the token has no scope read\.$/m,
  });
});

t.test('import-folder: refused files are reported with their lines and do not stop the others', async t => {
  write('bad.csv', csvOf(days).replace(/(2023-01-02T03:00:00;)[^\n]*/, '$1many'));
  write('broken.json', '{"days": [');
  write('points.csv', csvOf(days).replaceAll(',', '.'));
  write('late.csv', csvOf(days));
  write('short.json', JSON.stringify({ referenceYear: 2023, days: days.slice(0, 3) }));
  const { code, stdout } = await run(args, env);
  t.equal(code, 1);
  t.match(stdout, /^bad\.csv: 422 .*\n {2}line 29: /m);
  t.match(stdout, /^points\.csv: 422 .*\n {2}line 2: .* Read it with --decimal \., or /m);
  t.match(stdout, /^broken\.json: it is not valid JSON/m);
  t.match(stdout, /^short\.json: 422 .*at least 14/m);
  t.match(stdout, /1 source created, 13 created before, 4 refused/);
  t.ok((await namesThere()).includes('late'));
});

t.test(
  'import-folder: the page of a proxy refuses a file, and is waited for when the service is away',
  async t => {
    const page = '<html>\n<head><title>nginx</title></head></html>';
    const created = JSON.stringify({ source: { id: 7, createdAt: '2026-01-01T00:00:00.000Z' } });
    const answers: [status: number, body: string][] = [
      [413, page],
      [404, page],
      [502, page],
      [201, created],
    ];
    const proxy = createServer((request, response) => {
      const [status, body] = answers.shift() ?? [500, ''];
      request.resume().on('end', () => response.writeHead(status).end(body));
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    t.teardown(() => proxy.close());
    const access = { address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, token };
    const creation = { path: '/', contentType: 'text/csv', digest: 'd', body: () => 'a;b' };
    for (const status of [413, 404])
      await t.rejects(sendCreation(access, creation), {
        ...{ name: 'FileRefused', message: new RegExp(`^${status} got no JSON, "<html>`) },
      });
    t.match(await sendCreation(access, creation), { sourceId: 7 });
    t.strictSame(answers, []);
  },
);

t.test('import-folder: wrong usage, a refused token, no service', async t => {
  const refused = (
    args: readonly string[],
    message: RegExp | string,
    own: Readonly<Record<string, string>> = env,
  ) => t.rejects(async () => importFolder.run(args, own), { name: 'SettingsError', message }, args.join(' '));
  await refused([folder], /^DAYBOOK_TOKEN: got none, expected a token with the scope import/, {});
  await refused([join(folder, 'x')], /cannot be read/);
  await refused([], /got 0 folders/);
  await refused([folder, '--at-once', '99'], /from 1 to 16/);
  await refused([folder, '--url', 'gate'], /^--url: got "gate"/);
  for (const [name, more, url] of [
    ['--url', ['--url', 'http://me:hunter2@127.0.0.1:1'], ''],
    ['DAYBOOK_URL', [], 'http://me:hunter2@127.0.0.1:1'],
  ] as const)
    await refused([folder, ...more], `${name}: got credentials in the address, expected http://host:port`, {
      ...env,
      DAYBOOK_URL: url,
    });
  t.match(await run([...args, '--url', 'gate'], env), { code: 2, stderr: /got --url more than once/ });
  write('later.csv', csvOf(days));
  t.match(await run(args, { DAYBOOK_TOKEN: 'x' }), { code: 2, stderr: /Run the command again to continue/ });
});
