// The packed product and the packed client, each in an empty folder with its production dependencies alone.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { daybookClient } from '../client/index.js';
import { mintToken } from '../adapters/http/middleware/tokens.js';
import { readSettings } from '../adapters/settings/settings.js';
import { repositoryRoot } from './helpers/repository.js';
import { csvOf, ordinaryDays, startService } from './helpers/service.js';

const exec = promisify(execFile);
const root = repositoryRoot();

type Packed = {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
};

type Lock = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
};

/** Links the packages that `npm install --omit=dev` installs; their own packages are resolved next to them. */
const linkProduction = (to: string): void => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev }] of Object.entries(packages)) {
    // Packages of other platforms are not there.
    if (dev === true || !existsSync(join(root, path)) || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
      continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    symlinkSync(join(root, path), join(to, path));
  }
};

/** Packs a folder of the repository and unpacks it as an installed package of an empty folder. */
const installed = async (t: Test, folder: string, name: string) => {
  // Below the repository, its own packages would be found.
  const place = mkdtempSync(join(tmpdir(), 'daybook-package-'));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
  const options = ['--ignore-scripts', '--json', '--pack-destination', place];
  const { stdout } = await exec('npm', ['pack', ...options], { cwd: folder, maxBuffer: 1e8 });
  const [packed] = JSON.parse(stdout) as Packed[];
  if (!packed) throw new Error(`npm pack printed ${stdout}`);
  const at = join(place, 'node_modules', name);
  mkdirSync(at, { recursive: true });
  await exec('tar', ['-xzf', join(place, packed.filename), '-C', at, '--strip-components=1']);
  return { place, at, packed, paths: packed.files.map(({ path }) => path) };
};

/** Packages whose code or files are in the built files; the build adds those that they contain. */
const shipped = [
  ...['react', 'react-dom', '@tanstack/react-query', '@tanstack/react-router', '@tanstack/react-virtual'],
  ...[
    'openapi-fetch',
    'oauth4webapi',
    '@observablehq/plot',
    'd3-array',
    'd3-scale',
    'linkedom',
    'htmlparser2',
  ],
  ...['@fontsource-variable/inter', 'swagger-ui-dist'],
];

t.test('the product: serves API and screens from its package', async t => {
  const { place, at, packed, paths } = await installed(t, root, 'daybook');
  t.comment(`${Math.round(packed.size / 1000)} kB, ${paths.length} files`);
  t.ok(packed.size < 7_000_000);
  t.strictSame(
    paths.filter(path => /^(?:test|bench|build\/(?:test|bench|examples))\/|\.ts$|\.map$/.test(path)),
    [],
    'no tests, sources or maps',
  );
  t.ok(paths.includes('LICENSE') && paths.includes('NOTICE'));
  t.ok(paths.includes('build/picture/picture.js'), 'charts of mails');
  const licences = readFileSync(join(at, 'build/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const named = new Set([...licences.matchAll(/^(\S+) \S+\nLicence: \S+\n\n\S/gm)].map(([, name]) => name));
  for (const name of shipped) t.ok(named.has(name), `the licence of ${name}`);
  linkProduction(place);
  const { bin, scripts } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as {
    bin: { daybook: string };
    scripts: Record<string, string>;
  };
  t.notOk(scripts['install'] ?? scripts['postinstall'], 'nothing is built at the installation');
  const env = { PATH: process.env['PATH'], DATA_DIR: join(place, 'data'), PORT: '0', LOG_LEVEL: 'silent' };
  const options = { cwd: place, env };
  const service = spawn(process.execPath, [join(at, bin.daybook), 'serve'], options);
  t.teardown(() => service.kill('SIGKILL'));
  let printed = '';
  while (!printed.includes('http://')) printed += String((await once(service.stdout, 'data'))[0]);
  const url = /http:\/\/[\w.:]+/.exec(printed)?.[0] ?? '';
  const page = await (await fetch(`${url}/alerts`, { headers: { Accept: 'text/html' } })).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '/none';
  t.equal((await fetch(url + script)).headers.get('content-type'), 'text/javascript; charset=utf-8');
  const { tokens } = readSettings({ DATA_DIR: env.DATA_DIR });
  const token = await mintToken(
    tokens,
    { subject: 'anna', tenant: 'default', scopes: ['import', 'read'] },
    60,
  );
  const client = daybookClient({ url, token });
  const { source } = await client.upload('/v1/import-csv/create-source', {
    file: new Blob([csvOf(ordinaryDays('2023-01-02', 28))]),
    params: { query: { name: 'Gate' } },
  });
  t.equal((await client.analysed(source.id)).analysis.status, 'completed', 'workers and calendars are there');
  service.kill('SIGTERM');
  t.strictSame(await once(service, 'exit'), [0, null]);
});

const program = `import { daybookClient, ProblemError, type Alert } from 'daybook-client';
const client = daybookClient({ url: process.env['URL'] ?? '', token: process.env['TOKEN'] ?? null! });
const alerts: Alert[] = [];
for await (const alert of client.list.alerts({ state: 'open' })) alerts.push(alert);
const { sources } = await client.get('/v1/overview');
const name: string | undefined = sources[0]?.name;
const refused = await client
  .get('/v1/model/list/{source_id}', { params: { path: { source_id: 404 } } })
  .catch((error: unknown) => (error instanceof ProblemError ? error.code : 'another error'));
console.log(alerts.length, sources.length, name, refused);
// @ts-expect-error: no such path
void (() => client.get('/v1/none'));
// @ts-expect-error: a parameter is missing
void (() => client.get('/v1/model/list/{source_id}'));
// @ts-expect-error: a field of another type
void (() => client.post('/v1/alert/acknowledge', { body: { ids: [1] } }));
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare const console: { readonly log: (...values: readonly unknown[]) => void };
`;

/** The same in a function, since a CommonJS module has no `await` of its own. */
const commonJsProgram = program
  .replace(/^const client/m, 'const main = async () => {\nconst client')
  .replace(/^declare/m, '};\nvoid main();\ndeclare');

t.test('the client: its types resolve and it runs, as ES module and as CommonJS', async t => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await exec(process.execPath, ['build.mjs'], { cwd: join(root, 'client') });
  const { place, packed, paths } = await installed(t, join(root, 'client'), 'daybook-client');
  t.comment(`${Math.round(packed.size / 1000)} kB, ${paths.length} files`);
  t.strictSame(
    paths.filter(path => !/^dist\/(?:commonjs\/)?\w+\.(?:d\.ts|js)$/.test(path)),
    ['README.md', 'dist/commonjs/package.json', 'package.json'],
  );
  linkProduction(place);
  const strict = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom,dom.asynciterable'];
  const check = (...resolution: readonly string[]) =>
    exec(process.execPath, [tsc, 'program.ts', '--ignoreConfig', ...strict, ...resolution], { cwd: place });
  const service = await startService(t);
  const env = { PATH: process.env['PATH'], URL: service.address(), TOKEN: await service.tokenFor({}) };
  const runs = async () => {
    const { stdout } = await exec(process.execPath, ['program.js'], { cwd: place, env });
    t.equal(stdout, '0 0 undefined sourceNotFound\n');
  };
  writeFileSync(join(place, 'package.json'), '{"type": "module"}');
  writeFileSync(join(place, 'program.ts'), program);
  await check('--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit');
  await check('--module', 'nodenext');
  await runs();
  writeFileSync(join(place, 'package.json'), '{"type": "commonjs"}');
  writeFileSync(join(place, 'program.ts'), commonJsProgram);
  await check(...['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0']);
  await runs();
  await check('--module', 'node16');
  t.match(readFileSync(join(place, 'program.js'), 'utf8'), /require\("daybook-client"\)/);
  await runs();
});
