// Builds everything that a release has, from a commit, and verifies it: `npm run release:check`. The build is made twice
// in two folders and has to have the same bytes. `--verify <folder>` checks the files of a release that somebody has.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { signedEnvelope, statementOf, subjectFaults, verifiedStatement } from './provenance.mjs';
import { clientBill, containerBill, licenceFaults, packageBill } from './sboms.mjs';
import {
  baseImages,
  containerContext,
  jsonOf,
  pythonPackage,
  revisionOf,
  sha256,
  unpackCommit,
} from './sources.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const usage = `npm run release:check -- [options]

  --out folder          where the files of the release are written (build/release)
  --key file            private key (Ed25519, PEM) that signs the provenance; without it a key of this check, which is lost
  --once                one build, not two: nothing is said about equal bytes
  --verify folder       checks the files of a release, with --public-key; builds nothing
  --public-key file     public key (PEM) of the release
`;

const checksumsName = 'SHA256SUMS';
const provenanceSuffix = '.intoto.jsonl';

class Fault extends Error {}

const say = text => process.stdout.write(`${text}\n`);
const demand = (holds, message) => {
  if (!holds) throw new Fault(message);
};

const semVer = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Version of a release: the same in package and client, named by the changelog, with a log of its own. */
const checkedVersion = folder => {
  const { version } = jsonOf(join(folder, 'package.json'));
  const client = jsonOf(join(folder, 'client/package.json')).version;
  demand(semVer.test(version), `package.json: got version ${version}, expected one of Semantic Versioning`);
  demand(client === version, `client/package.json: got version ${client}, expected ${version}`);
  const python = /^version = "(.*)"$/m.exec(
    readFileSync(join(folder, 'client/python/pyproject.toml'), 'utf8'),
  )?.[1];
  demand(python === version, `client/python/pyproject.toml: got version ${python}, expected ${version}`);
  const changes = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  demand(
    changes.includes(`\n## [${version}] - `),
    `CHANGELOG.md: got no section for ${version}, expected one`,
  );
  const log = join('test/fixtures/logs', version);
  demand(existsSync(join(folder, log)), `${log}: got no recorded log of this version, expected one`);
  return version;
};

/** Packs a folder; returns the name and the bytes of the archive. */
const packed = (folder, place) => {
  mkdirSync(place, { recursive: true });
  const options = ['--ignore-scripts', '--json', '--pack-destination', place];
  const output = execFileSync('npm', ['pack', ...options], { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
  const [{ filename, files }] = JSON.parse(output);
  return { name: filename, bytes: readFileSync(join(place, filename)), paths: files.map(({ path }) => path) };
};

/** Builds a commit in a new folder; returns the files that people install. */
const built = (commit, folder) => {
  unpackCommit(root, commit, folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const build = script =>
    execFileSync(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  build('build.mjs');
  const product = packed(folder, join(folder, 'build/packed'));
  execFileSync(process.execPath, ['build.mjs'], { cwd: join(folder, 'client'), stdio: 'inherit' });
  const client = packed(join(folder, 'client'), join(folder, 'build/packed'));
  return [product, client];
};

const checkContents = ([product, client]) => {
  for (const needed of ['LICENSE', 'NOTICE', 'build/THIRD-PARTY-LICENSES.txt', 'build/adapters/cli/main.js'])
    demand(product.paths.includes(needed), `${product.name}: got no ${needed}, expected it`);
  const odd = product.paths.filter(path =>
    /^(?:test|bench|release|build\/(?:test|bench))\/|\.ts$|\.map$/.test(path),
  );
  demand(odd.length === 0, `${product.name}: got ${odd.join(', ')}, expected no tests, sources or maps`);
  demand(client.paths.includes('dist/index.js'), `${client.name}: got no dist/index.js, expected it`);
};

const checkSame = (first, second) => {
  for (const [index, { name, bytes }] of first.entries()) {
    const other = second[index].bytes;
    demand(
      bytes.equals(other),
      `${name}: got SHA-256 ${sha256(other)} in the second build, expected ${sha256(bytes)}`,
    );
  }
};

/** The three bills, after a look at their licences. */
const billsOf = (folder, version, scratch) => {
  const product = packageBill(folder, join(scratch, 'product'));
  const image = baseImages(readFileSync(join(folder, 'Dockerfile'), 'utf8')).at(-1);
  const bills = {
    [`daybook-${version}.cdx.json`]: product,
    [`daybook-client-${version}.cdx.json`]: clientBill(folder, join(scratch, 'client')),
    [`daybook-container-${version}.cdx.json`]: containerBill(product, image),
  };
  const faults = Object.entries(bills).flatMap(([name, bill]) =>
    licenceFaults(bill).map(fault => `${name}: ${fault}`),
  );
  demand(faults.length === 0, faults.join('\n'));
  return Object.entries(bills).map(([name, bill]) => {
    demand(bill.components.length > 1, `${name}: got ${bill.components.length} components, expected more`);
    return { name, bytes: Buffer.from(`${JSON.stringify(bill, null, 2)}\n`), count: bill.components.length };
  });
};

const digestsOf = files => files.map(({ name, bytes }) => ({ name, digest: sha256(bytes) }));
const checksumsOf = files =>
  digestsOf(files)
    .map(({ name, digest }) => `${digest}  ${name}\n`)
    .join('');

/**
 * Checks the files of a release: checksums, signature, and that the provenance names these files.
 * @throws Fault with all differences
 */
const verifyFolder = (folder, publicKey) => {
  const names = readdirSync(folder).sort();
  const provenance = names.find(name => name.endsWith(provenanceSuffix));
  demand(
    provenance && names.includes(checksumsName),
    `${folder}: got no ${checksumsName} or provenance, expected both`,
  );
  const files = names
    .filter(name => name !== provenance && name !== checksumsName)
    .map(name => ({ name, bytes: readFileSync(join(folder, name)) }));
  const faults = [];
  if (readFileSync(join(folder, checksumsName), 'utf8') !== checksumsOf(files))
    faults.push(`${checksumsName}: got other checksums than those of the files`);
  const envelope = JSON.parse(readFileSync(join(folder, provenance), 'utf8'));
  const statement = verifiedStatement(envelope, publicKey);
  faults.push(...subjectFaults(statement, digestsOf(files)));
  demand(faults.length === 0, faults.join('\n'));
  return statement;
};

const writeRelease = (out, files, version, { commit, folder, key }) => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const { name, bytes } of files) writeFileSync(join(out, name), bytes);
  writeFileSync(join(out, checksumsName), checksumsOf(files));
  const lock = 'package-lock.json';
  const lockDigests = [{ name: lock, digest: sha256(readFileSync(join(folder, lock))) }];
  const statement = statementOf({ version, commit, lockDigests, files: digestsOf(files) });
  const envelope = `${JSON.stringify(signedEnvelope(statement, key))}\n`;
  writeFileSync(join(out, `daybook-${version}${provenanceSuffix}`), envelope);
};

const keysOf = values => {
  if (values.key !== undefined) return { key: readFileSync(values.key, 'utf8'), isKept: true };
  const { privateKey } = generateKeyPairSync('ed25519');
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), isKept: false };
};

const check = values => {
  const { commit, isChanged } = revisionOf(root);
  if (isChanged) say(`The work tree has changes that are not in ${commit}: they are no part of this check.`);
  const place = mkdtempSync(join(tmpdir(), 'daybook-release-'));
  try {
    const first = join(place, 'one');
    const products = built(commit, first);
    const version = checkedVersion(first);
    checkContents(products);
    if (!values.once) checkSame(products, built(commit, join(place, 'another/place')));
    say(values.once ? 'built once' : 'built twice, in two folders, with the same bytes');
    const context = {
      name: `daybook-container-context-${version}.tar.gz`,
      bytes: containerContext(root, commit),
    };
    const python = {
      name: `daybook-client-python-${version}.tar.gz`,
      bytes: pythonPackage(root, commit, version),
    };
    const bills = billsOf(first, version, join(place, 'client'));
    for (const { name, count } of bills) say(`${name}: ${count} components, all with accepted licences`);
    const files = [...products, python, context, ...bills].sort((a, b) => (a.name < b.name ? -1 : 1));
    const { key, isKept } = keysOf(values);
    writeRelease(values.out, files, version, { commit, folder: first, key });
    verifyFolder(values.out, key);
    for (const { name, bytes } of files) say(`${sha256(bytes)}  ${name}  ${bytes.length} bytes`);
    say(
      isKept ? 'provenance signed and verified' : 'provenance signed with a key of this check, and verified',
    );
    say(`Release ${version} of ${commit} is in ${values.out}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: resolve(root, 'build/release') },
    key: { type: 'string' },
    once: { type: 'boolean', default: false },
    verify: { type: 'string' },
    'public-key': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
try {
  if (values.help) process.stdout.write(usage);
  else if (values.verify === undefined) check(values);
  else {
    demand(values['public-key'] !== undefined, 'got --verify alone, expected --public-key with it');
    const statement = verifyFolder(values.verify, readFileSync(values['public-key'], 'utf8'));
    const [source] = statement.predicate.buildDefinition.resolvedDependencies;
    say(`${statement.subject.length} files are those of commit ${source.digest.gitCommit}`);
  }
} catch (error) {
  if (!(error instanceof Fault) && !values.verify) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
