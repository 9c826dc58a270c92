// Runs the compiled test files of a loop with tap; more arguments are tap's:
//   quick    every kind of test in a few minutes: all files but *.slow.test.ts
//   slow     *.slow.test.ts, and files with a larger amount of work when SLOW is set (helpers/amount.ts)
//   unit     files that reach pure code only
//   changed  files that reach a source that differs from the revision BASE (default HEAD), and those of unit
// Most files share processes (helpers/inTurn.ts): to start one and to load the service costs more than most of them need.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = join(root, 'build');
const [loop = 'quick', ...options] = process.argv.slice(2);
const base = process.env['BASE'] ?? 'HEAD';

/** Compiled files that a compiled file imports, or starts as a worker or program. */
const importsOf = file =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom |\bimport\(|\bimport |new URL\()['"`](\.[^'"`$]+)['"`]/g,
    ),
  ]
    .map(([, path]) => resolve(dirname(file), path))
    .filter(path => path.endsWith('.js'));

const known = new Map();
/** All files of build/ that a file reaches, itself included. */
const reachOf = file => {
  const reached = new Set([file]);
  for (const at of reached) {
    if (!known.has(at)) {
      try {
        known.set(at, importsOf(at));
      } catch {
        known.set(at, []);
      }
    }
    for (const next of known.get(at)) reached.add(next);
  }
  return reached;
};

const tests = readdirSync(join(build, 'test'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.js'))
  .map(name => join(build, 'test', name))
  .sort();
const isSlow = file => file.endsWith('.slow.test.js');
const amount = join(build, 'test/helpers/amount.js');

const isPure = file =>
  !isSlow(file) &&
  [...reachOf(file)].every(
    reached =>
      /^(?:domain|analysis|auditing)\//.test(relative(build, reached)) ||
      /^test\/(?:domain|analysis|auditing|helpers|events|tidy)/.test(relative(build, reached)),
  );

/** Compiled files of the sources that differ from the revision, new ones included. */
const changed = () => {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  return new Set(
    [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
      .filter(name => /\.tsx?$/.test(name))
      .map(name => join(build, name.replace(/\.tsx?$/, '.js'))),
  );
};

const loops = {
  quick: file => !isSlow(file),
  slow: file => isSlow(file) || reachOf(file).has(amount),
  unit: isPure,
  changed: (
    sources => file =>
      !isSlow(file) && (isPure(file) || [...reachOf(file)].some(one => sources.has(one)))
  )(loop === 'changed' ? changed() : new Set()),
};
const belongs = loops[loop];
if (!belongs) throw new Error(`got the loop ${loop}, expected one of ${Object.keys(loops).join(', ')}`);
const files = tests.filter(belongs);

/** Beginnings of files that change or watch their process, run programs for long, measure, or have much to do. */
const ownProcess = [
  ...['simulation.', 'monitoring.', 'readme.', 'release.', 'process/', 'web/', 'http/load/'],
  ...['http/stores/eventStoreDb.', 'http/badInputs.', 'bench/mutants.'],
  ...['adapters/analyst.', 'adapters/settings.', 'adapters/cli/tune.'],
];
const hasOwnProcess = file => ownProcess.some(name => relative(join(build, 'test'), file).startsWith(name));
/** Kinds of shared processes; the fakes of EventStoreDB watch for errors of the whole process. */
const kinds = {
  pure: { belongs: isPure, processes: 2 },
  fakes: { belongs: file => file.includes('/adapters/eventstoredb/'), processes: 1 },
  service: { belongs: file => relative(build, file).startsWith('test/http/'), processes: 5 },
  parts: { belongs: () => true, processes: 4 },
};

/** Writes a program for each process with any of the files; returns the paths of the programs. */
const processesOf = ([kind, { processes }], shared) =>
  Array.from({ length: processes }, (_, at) => {
    const some = shared.filter((_, index) => index % processes === at);
    const path = join(build, `test/${kind}${at}.js`);
    writeFileSync(
      path,
      `import { runInTurn } from './helpers/inTurn.js';\nawait runInTurn(${JSON.stringify(some, null, 2)});\n`,
    );
    return some.length > 0 ? [path] : [];
  }).flat();

const alone = files.filter(file => (isSlow(file) || hasOwnProcess(file)) && !isPure(file));
const shared = files.filter(file => !alone.includes(file));
const kindOf = file => Object.entries(kinds).find(([, { belongs }]) => belongs(file))[0];
const programs = Object.entries(kinds).flatMap(kind =>
  processesOf(
    kind,
    shared.filter(file => kindOf(file) === kind[0]),
  ),
);
/** Beginnings of the programs and files that take longest, the longest first: both cores have work to the end. */
const long = ['parts', 'service', 'simulation.', 'web/screens.', 'pure', 'readme.', 'process/crash.'];
const rankOf = file => {
  const rank = long.findIndex(name => relative(join(build, 'test'), file).startsWith(name));
  return rank === -1 ? long.length : rank;
};
const started = [...programs, ...alone].sort((a, b) => rankOf(a) - rankOf(b));
const first = pathToFileURL(join(root, 'test/plainProcesses.mjs')).href;
const { status } = spawnSync(
  join(root, 'node_modules/.bin/tap'),
  ['run', ...options, ...started.map(file => relative(root, file))],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${first}`.trim(),
      ...(loop === 'slow' && { SLOW: '1' }),
    },
  },
);
process.exitCode = status ?? 1;
