// Compiles the service and its tests into build/, and builds the screens meanwhile. Does nothing when neither a source
// nor a dependency changed since the last build.
import { spawn } from 'node:child_process';
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
  'adapters/bundlePackages.mjs',
  'analysis/calendar/holidayTable.mjs',
  'client/generate.mjs',
  'tsconfig.json',
  'package.json',
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

/** Starts a program of Node; the returned function waits for its end. A failure ends the build. */
const start = (done, args) => {
  const begun = performance.now();
  const program = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  const ended = new Promise((resolve, reject) => {
    program.once('error', reject);
    program.once('exit', status => resolve({ status, seconds: (performance.now() - begun) / 1000 }));
  });
  process.once('exit', () => program.kill());
  return async () => {
    const { status, seconds } = await ended;
    if (status !== 0) process.exit(status ?? 1);
    console.log(`${done} in ${seconds.toFixed(1)} s`);
  };
};
const run = (what, done, args) => {
  console.log(`${what} …`);
  return start(done, args)();
};

const compiler = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'];

const build = async () => {
  rmSync(stampFile, { force: true });
  // Compiled tests of deleted sources would still run.
  for (const folder of ['test', 'bench'])
    rmSync(join(root, 'build', folder), { recursive: true, force: true });
  console.log('Compiling, and building the screens …');
  const screensBuilt = start('Screens built', [join('web', 'build.mjs')]);
  await start('Compiled', compiler)();
  const before = readFileSync(apiTypes);
  await run('Describing the API to clients', 'Described', [join('client', 'generate.mjs')]);
  if (!before.equals(readFileSync(apiTypes))) await run('Compiling', 'Compiled', compiler);
  const listed = start('Holidays listed', ['analysis/calendar/holidayTable.mjs']);
  await run('Bundling packages', 'Bundled', ['adapters/bundlePackages.mjs']);
  chmodSync(main, 0o755);
  const link = join(root, 'node_modules', '.bin', 'daybook');
  mkdirSync(join(link, '..'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'build', 'adapters', 'cli', 'main.js'), link);
  await listed();
  await screensBuilt();
  await run('Making the example data', 'Made', [join('web', 'example.mjs')]);
  writeFileSync(stampFile, stamp);
};

if (isCurrent()) console.log('The build is up to date');
else await build();
