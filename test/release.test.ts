// Parts of a release, without a build: bills of materials, licences, provenance, the context of the container, policies.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { textOf } from './helpers/documents/markdown.js';
import { repositoryRoot } from './helpers/repository.js';

const root = repositoryRoot();
const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(join(root, '.ci/release', file)).href)) as Module;

type File = { readonly name: string; readonly digest: string };
type Statement = { readonly subject: readonly { readonly name: string }[] };
type Envelope = {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly object[];
};
type Provenance = {
  readonly statementOf: (of: {
    readonly version: string;
    readonly commit: string;
    readonly lockDigests: readonly File[];
    readonly files: readonly File[];
  }) => Statement;
  readonly signedBytes: (type: string, payload: Buffer) => Buffer;
  readonly signedEnvelope: (statement: Statement, pem: string) => Envelope;
  readonly verifiedStatement: (envelope: Envelope, pem: string) => Statement;
  readonly subjectFaults: (statement: Statement, files: readonly File[]) => string[];
};
type Component = Readonly<Record<string, unknown>>;
type Bill = {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
};
type Bills = {
  readonly bundledComponents: (licences: string) => Component[];
  readonly withComponents: (bill: Bill, added: readonly Component[]) => Bill;
  readonly lockOf: (manifest: object, lock: object) => { readonly packages: Record<string, object> };
  readonly containerBill: (bill: Bill, image: string) => Bill;
  readonly licenceFaults: (bill: Bill) => string[];
};
type Sources = {
  readonly excludedPaths: (text: string) => string[];
  readonly baseImages: (text: string) => string[];
  readonly containerContext: (root: string, commit: string) => Buffer;
  readonly pythonPackage: (root: string, commit: string, version: string) => Buffer;
};
const provenance = await load<Provenance>('provenance.mjs');
const bills = await load<Bills>('sboms.mjs');
const sources = await load<Sources>('sources.mjs');

const pemOf = (type: 'ed25519' | 'ed448'): { readonly secret: string; readonly open: string } => {
  const { privateKey, publicKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ed448');
  return {
    secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    open: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
};

t.test('the provenance names the files, and only its key verifies it', async t => {
  const files = [
    { name: 'a.tgz', digest: 'aa' },
    { name: 'b.json', digest: 'bb' },
  ];
  const statement = provenance.statementOf({
    version: '1.0.0',
    commit: 'c'.repeat(40),
    lockDigests: [{ name: 'package-lock.json', digest: 'dd' }],
    files,
  });
  t.match(statement, {
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: { buildDefinition: { externalParameters: { version: '1.0.0' } } },
  });
  t.equal(
    provenance.signedBytes('http://example.com/HelloWorld', Buffer.from('hello world')).toString(),
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    'the example of the specification',
  );
  const key = pemOf('ed25519');
  const envelope = provenance.signedEnvelope(statement, key.secret);
  t.strictSame(envelope, provenance.signedEnvelope(statement, key.secret), 'the same bytes each time');
  t.strictSame(provenance.verifiedStatement(envelope, key.open), statement);
  const payload = Buffer.from(JSON.stringify({ ...statement, subject: [] })).toString('base64');
  t.throws(
    () => provenance.verifiedStatement({ ...envelope, payload }, key.open),
    /got no signature of the key/,
  );
  t.throws(
    () => provenance.verifiedStatement(envelope, pemOf('ed25519').open),
    /got no signature of the key/,
  );
  t.throws(() => provenance.signedEnvelope(statement, pemOf('ed448').secret), /got a key of type ed448/);
  t.strictSame(provenance.subjectFaults(statement, files), []);
  t.strictSame(
    provenance.subjectFaults(statement, [
      { name: 'a.tgz', digest: 'ab' },
      { name: 'c', digest: 'cc' },
    ]),
    [
      'a.tgz: got SHA-256 ab, expected aa',
      'b.json: got SHA-256 of no file, expected bb',
      'c: got a file that the provenance does not name',
    ],
  );
});

const mit = [{ license: { id: 'MIT' } }];
const bill: Bill = {
  metadata: { component: { type: 'application', name: 'x' } },
  components: [{ type: 'library', name: 'm', version: '1', 'bom-ref': 'm', licenses: mit }],
};

t.test('bills: bundled packages, the base image, the lock of the client', async t => {
  const text =
    'Head.\n\n---\n\n@a/b 1.2.3\nLicence: MIT\n\nText\n\n---\n\nc 2.0.0\nLicence: (MIT OR CC0-1.0)\n\nText\n';
  const [one, other] = bills.bundledComponents(text);
  t.match(one, { group: '@a', name: 'b', version: '1.2.3', purl: 'pkg:npm/%40a/b@1.2.3' });
  t.strictSame(one?.['licenses'], [{ license: { id: 'MIT' } }]);
  t.match(other, { name: 'c', purl: 'pkg:npm/c@2.0.0' });
  t.strictSame(other?.['licenses'], [{ expression: '(MIT OR CC0-1.0)' }]);
  const container = bills.containerBill(bill, 'node:20-slim');
  t.equal(container.metadata.component['type'], 'container');
  t.strictSame(
    container.components.map(({ name }) => name),
    ['node', 'm'],
  );
  const manifest = { name: 'client', version: '1.0.0', dependencies: { a: '1' } };
  const packages = {
    'node_modules/a': { version: '1', dev: true, dependencies: { b: '2' } },
    'node_modules/b': { version: '2', dependencies: { a: '1' } },
    'node_modules/c': { version: '3' },
  };
  t.strictSame(bills.lockOf(manifest, { packages }).packages, {
    '': manifest,
    'node_modules/a': { version: '1', dependencies: { b: '2' } },
    'node_modules/b': { version: '2', dependencies: { a: '1' } },
  });
  t.throws(() => bills.lockOf(manifest, { packages: {} }), /got no node_modules\/a in package-lock.json/);
});

t.test('licences: each is accepted, or a fault', async t => {
  const faultsOf = (licenses: readonly object[]) =>
    bills.licenceFaults({ ...bill, components: [{ type: 'library', name: 'n', version: '1', licenses }] });
  t.strictSame(bills.licenceFaults(bills.containerBill(bill, 'node:20')), []);
  t.strictSame(faultsOf([{ expression: '(GPL-3.0 OR MIT)' }]), []);
  t.strictSame(faultsOf([{ expression: '(ISC AND CC-BY-3.0)' }]), []);
  t.match(
    faultsOf([{ expression: '(MIT AND GPL-3.0)' }])[0],
    /^n 1: got the licence \(MIT AND GPL-3.0\), expected/,
  );
  t.match(faultsOf([{ license: { id: 'AGPL-3.0' } }])[0], /got the licence AGPL-3.0/);
  t.strictSame(faultsOf([]), ['n 1: got no licence, expected one']);
});

t.test('the context of the container has what the Dockerfile copies', async t => {
  t.strictSame(sources.excludedPaths('# note\nbuild\n\nDockerfile\n**/*.log\n'), [
    ':(exclude,glob)build',
    ':(exclude,glob)build/**',
    ':(exclude,glob)**/*.log',
    ':(exclude,glob)**/*.log/**',
  ]);
  t.throws(() => sources.excludedPaths('!build'), /got !build/);
  t.strictSame(sources.baseImages('FROM a:1 AS x\nFROM x AS y\nFROM b:2\nCOPY --from=y . .\n'), [
    'a:1',
    'b:2',
  ]);
  t.match(sources.baseImages(textOf('Dockerfile')).at(-1), /^node:\d+-/);
  const place = t.testdir();
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', place, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });
  mkdirSync(join(place, 'build'));
  for (const file of ['Dockerfile', 'a.ts', 'a.log', 'build/b.js']) writeFileSync(join(place, file), file);
  writeFileSync(join(place, '.dockerignore'), 'build\nDockerfile\n**/*.log\n');
  git('init', '--quiet');
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message', 'All');
  const archive = sources.containerContext(place, 'HEAD');
  t.ok(archive.equals(sources.containerContext(place, 'HEAD')));
  const list = spawnSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' }).stdout;
  t.strictSame(list.trim().split('\n').sort(), ['.dockerignore', 'Dockerfile', 'a.ts']);
});

t.test('the Python package is the folder of the commit, in one folder', async t => {
  const place = t.testdir({
    client: { 'a.ts': '', python: { 'pyproject.toml': 'a', daybook: { 'b.py': 'b' } } },
  });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', place, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All');
  const archive = sources.pythonPackage(place, 'HEAD', '1.0.0');
  t.ok(archive.equals(sources.pythonPackage(place, 'HEAD', '1.0.0')));
  const list = spawnSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' }).stdout;
  const files = list
    .trim()
    .split('\n')
    .filter(name => !name.endsWith('/'));
  t.strictSame(files.sort(), [
    'daybook-client-python-1.0.0/daybook/b.py',
    'daybook-client-python-1.0.0/pyproject.toml',
  ]);
});

const check = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, '.ci/release/check.mjs'), ...args], { encoding: 'utf8' });

t.test('the command verifies the files of a release', async t => {
  const key = pemOf('ed25519');
  const digest = createHash('sha256').update('content').digest('hex');
  const files = [{ name: 'a.tgz', digest }];
  const statement = provenance.statementOf({ version: '1.0.0', commit: 'abc', lockDigests: [], files });
  const place = t.testdir({
    'key.pub': key.open,
    release: {
      'a.tgz': 'content',
      SHA256SUMS: `${digest}  a.tgz\n`,
      'daybook-1.0.0.intoto.jsonl': `${JSON.stringify(provenance.signedEnvelope(statement, key.secret))}\n`,
    },
  });
  const args = ['--verify', join(place, 'release'), '--public-key', join(place, 'key.pub')];
  t.match(check(...args), { status: 0, stdout: '1 files are those of commit abc\n' });
  t.match(check(...args.slice(0, 2)), { status: 1, stderr: /expected --public-key/ });
  writeFileSync(join(place, 'release', 'a.tgz'), 'changed');
  t.match(check(...args), { status: 1, stderr: /SHA256SUMS: got other checksums[^]*a.tgz: got SHA-256/ });
  t.equal(check('--help').status, 0);
});

t.test('policies: versions agree, and security.txt is complete', async t => {
  const versionOf = (file: string): unknown => (JSON.parse(textOf(file)) as { version: unknown }).version;
  t.equal(versionOf('client/package.json'), versionOf('package.json'));
  t.equal(/^version = "(.*)"$/m.exec(textOf('client/python/pyproject.toml'))?.[1], versionOf('package.json'));
  const released = [...textOf('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - /gm)].map(
    ([, name]) => name,
  );
  t.ok(released.includes(String(versionOf('package.json'))));
  for (const name of released) t.ok(existsSync(join(root, `test/fixtures/logs/${name}`)), `a log of ${name}`);
  const fields = new Map(
    [...textOf('docs/security.txt').matchAll(/^([A-Z][\w-]+): (.+)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  t.match(fields.get('Contact'), /^mailto:|^https:/);
  t.equal(
    new Date(fields.get('Expires') ?? '').toISOString().slice(0, 19),
    fields.get('Expires')?.slice(0, 19),
  );
});
