// Small faults in the compiled core, and whether the tests find them: `npm run bench:mutants -- --count 200`.
// It changes files of build/ while it runs, and restores them: run it in a checkout of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from '../analysis/math/seededRandom.js';
import { equalMutants } from './mutants/equalMutants.js';
import {
  executedIn,
  linesOf,
  mutantsOf,
  type Mutant,
  compiledFiles,
  nearestTests,
} from './mutants/faults.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    folders: { type: 'string', default: 'domain,analysis,application,projections' },
    seconds: { type: 'string', default: '300' },
    only: { type: 'string' },
  },
});

const build = fileURLToPath(new URL('..', import.meta.url));

/** Time after which a test counts as failed, since mutants may loop. */
const testMaxMs = 600_000;

/** Time after which no further test of a mutant begins. */
const mutantMaxMs = Number(values.seconds) * 1000;

/** Milliseconds that each test took when it last passed. */
const durations = new Map<string, number>();

/** Environment of the tests: they end at their first fault, and this program limits their time instead of tap. */
const env = { ...process.env, TAP_TIMEOUT: '0', TAP_BAIL: '1' };

/** Whether a test passes. Later runs may take five times as long as the last that passed, and thirty seconds. */
const passes = (test: string, more: NodeJS.ProcessEnv = {}): boolean => {
  const begun = performance.now();
  const timeout = Math.min(testMaxMs, 5 * Math.ceil(durations.get(test) ?? testMaxMs) + 30_000);
  // SIGKILL also ends a process whose main thread loops.
  const options = { env: { ...env, ...more }, stdio: 'ignore', timeout, killSignal: 'SIGKILL' } as const;
  const { status } = spawnSync(process.execPath, [test], options);
  if (status === 0) durations.set(test, performance.now() - begun);
  return status === 0;
};

/** Mutants whose places a test executes; none if it fails without a mutant, since it then finds nothing. */
const executedBy = (test: string): ReadonlySet<Mutant> => {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  try {
    if (passes(test, { NODE_V8_COVERAGE: folder }) || passes(test)) return executedIn(folder, unequal);
    console.log(`${relative(build, test)} fails without mutants; it is left out`);
    return new Set();
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The mutants that each test executes, from one run without a mutant before its first run with one. */
const executed = new Map<string, ReadonlySet<Mutant>>();
const executes = (test: string, mutant: Mutant): boolean => {
  const known = executed.get(test) ?? executedBy(test);
  executed.set(test, known);
  return known.has(mutant);
};

/** Whether a test passes with a mutant: its file is changed, then restored. */
const passesWith = ({ file, start, end, text }: Mutant, test: string): boolean => {
  const original = readFileSync(file, 'utf8');
  try {
    writeFileSync(file, original.slice(0, start) + text + original.slice(end));
    return passes(test);
  } finally {
    writeFileSync(file, original);
  }
};

/** Tries a mutant with the tests that execute its place, the nearest first; a sentence says what came of it. */
const tried = (mutant: Mutant): { readonly isFound: boolean; readonly verdict: string } => {
  let spentMs = 0;
  let passed = 0;
  for (const test of testsOf(mutant.file)) {
    if (!executes(test, mutant)) continue;
    if (spentMs > mutantMaxMs)
      return { isFound: false, verdict: `SURVIVED ${passed} tests; the time is over` };
    const begun = performance.now();
    if (!passesWith(mutant, test)) return { isFound: true, verdict: `found by ${relative(build, test)}` };
    spentMs += performance.now() - begun;
    passed += 1;
  }
  const verdict =
    passed > 0 ? `SURVIVED all ${passed} tests that execute it` : 'SURVIVED: no test executes it';
  return { isFound: false, verdict };
};

/** Whether the source of a compiled file is still there; a build leaves old files behind. */
const hasSource = (file: string): boolean =>
  existsSync(join(build, '..', relative(build, file).replace(/js$/, 'ts')));

const all = values.folders
  .split(',')
  .flatMap(folder => compiledFiles(build, folder))
  .filter(hasSource)
  .flatMap(mutantsOf);
const random = seededRandom(Number(values.seed));
const numbered = Array.from({ length: Number(values.count) }, (_, index) => ({
  number: index + 1,
  mutant: all[Math.floor(random() * all.length)],
}));
/** Numbers of the mutants that are tried; all without `--only 3,14`. */
const only = values.only?.split(',').map(Number);
const chosen = numbered.flatMap(({ number, mutant }) => {
  if (!mutant || only?.includes(number) === false) return [];
  const name = relative(build, mutant.file);
  const lines = linesOf(mutant, readFileSync(mutant.file, 'utf8'));
  const equal = equalMutants.find(one => one.file === name && one.after === lines.after);
  return [{ number, mutant, name, lines, equal }];
});

const testsOf = nearestTests(build);
const unequal = chosen.filter(({ equal }) => !equal).map(({ mutant }) => mutant);

const counts = { equal: 0, survived: 0 };
for (const { number, mutant, name, lines, equal } of chosen) {
  const { isFound, verdict } = equal ? { isFound: false, verdict: `equal: ${equal.reason}` } : tried(mutant);
  if (equal) counts.equal += 1;
  else if (!isFound) counts.survived += 1;
  console.log(`${number}  ${verdict}  ${name}:${lines.line}\n    ${lines.before}\n    ${lines.after}`);
}
console.log(
  `${chosen.length} mutants of ${all.length}: ${chosen.length - counts.survived - counts.equal} found, ` +
    `${counts.survived} survived, ${counts.equal} equal`,
);
