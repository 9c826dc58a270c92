// Compiles the service and its tests into build/, then builds the screens. Does nothing when neither a source nor a
// dependency changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const main = join(root, 'build', 'adapters', 'cli', 'main.js');
const stampFile = join(root, 'build', 'build.stamp');

const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
const isSource = ({ parentPath, name }) =>
  /\.tsx?$/.test(name) || ['web', 'docs'].some(folder => parentPath.startsWith(join(root, folder)));
const apiTypes = join(root, 'client', 'openapi.ts');
const sources = [...include, 'web', 'docs'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && isSource(entry))
    .map(entry => join(entry.parentPath, entry.name))
    // Products of the build.
    .filter(file => file !== apiTypes && !file.startsWith(join(root, 'client', 'dist'))),
);
const settings = [
  'build.mjs',
  'bundlePackages.mjs',
  'client/generate.mjs',
  'client/generatePython.mjs',
  'tsconfig.json',
  'package-lock.json',
].map(name => join(root, name));
const hash = createHash('sha256');
for (const file of [...sources.sort(), ...settings])
  hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
const stamp = hash.digest('hex');

/** Whether this script was the last to compile, from the same sources. */
const isCurrent = () => {
  try {
    const isNewer = statSync(stampFile).mtimeMs >= statSync(main).mtimeMs;
    return isNewer && readFileSync(stampFile, 'utf8') === stamp;
  } catch {
    return false;
  }
};

/** Runs a program of Node; a failure ends the build. */
const run = (what, done, args) => {
  console.log(`${what} …`);
  const begun = performance.now();
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
  console.log(`${done} in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
};

const compile = () =>
  run('Compiling', 'Compiled', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json']);

const build = () => {
  rmSync(stampFile, { force: true });
  // Compiled tests of deleted sources would still run.
  for (const folder of ['test', 'bench'])
    rmSync(join(root, 'build', folder), { recursive: true, force: true });
  compile();
  const before = readFileSync(apiTypes);
  run('Describing the API to clients', 'Described', [join('client', 'generate.mjs')]);
  if (!before.equals(readFileSync(apiTypes))) compile();
  run('Bundling packages', 'Bundled', ['bundlePackages.mjs']);
  chmodSync(main, 0o755);
  const link = join(root, 'node_modules', '.bin', 'daybook');
  mkdirSync(join(link, '..'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'build', 'adapters', 'cli', 'main.js'), link);
  run('Building the screens', 'Screens built', [join('web', 'build.mjs')]);
  writeFileSync(stampFile, stamp);
};

if (isCurrent()) console.log('The build is up to date');
else build();
