// Small faults in the compiled core, and whether the tests find them: `npm run bench:mutants -- --count 200`.
// It changes files of build/ while it runs, and restores them: run it in a checkout of its own.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from '../analysis/math/seededRandom.js';
import { equalMutants } from './mutants/equalMutants.js';
import { linesOf, mutantsOf, type Mutant } from './mutants/faults.js';
import { compiledFiles, nearestTests } from './mutants/nearestTests.js';

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

/** Time after which a test of a mutant counts as failed, since mutants may loop. */
const testMaxMs = 180_000;

/** Time after which no further test of a mutant begins. */
const mutantMaxMs = Number(values.seconds) * 1000;

/** Milliseconds that each test took when it last passed. */
const durations = new Map<string, number>();

/** Tests that fail without a mutant: they find nothing. */
const broken = new Set<string>();

/** Environment of the tests: they end at their first fault, and this program limits their time instead of tap. */
const env = { ...process.env, TAP_TIMEOUT: '0', TAP_BAIL: '1' };

/** Whether a test passes. Later runs may take five times as long as the last that passed, and thirty seconds. */
const passes = (test: string): boolean => {
  const begun = performance.now();
  const timeout = Math.min(testMaxMs, 5 * Math.ceil(durations.get(test) ?? testMaxMs) + 30_000);
  // SIGKILL also ends a process whose main thread loops.
  const run = spawnSync(process.execPath, [test], { env, stdio: 'ignore', timeout, killSignal: 'SIGKILL' });
  if (run.status === 0) durations.set(test, performance.now() - begun);
  return run.status === 0;
};

/** The first test that fails, in the given order, and the number of those that passed before the time was over. */
type Found = { readonly by: string | undefined; readonly passed: number };

const firstFailing = (tests: readonly string[], untilMs: number): Found => {
  for (const [passed, test] of tests.entries()) {
    if (performance.now() > untilMs) return { by: undefined, passed };
    if (!passes(test)) return { by: test, passed };
  }
  return { by: undefined, passed: tests.length };
};

/** The test that finds a mutant: its file is changed, then restored. */
const foundWith = ({ file, start, end, text }: Mutant, tests: readonly string[]): Found => {
  const original = readFileSync(file, 'utf8');
  try {
    writeFileSync(file, original.slice(0, start) + text + original.slice(end));
    return firstFailing(tests, performance.now() + mutantMaxMs);
  } finally {
    writeFileSync(file, original);
  }
};

/** The test that finds a mutant; it has passed without the mutant. */
const surelyFound = (mutant: Mutant, tests: readonly string[]): Found => {
  const sure = tests.filter(file => !broken.has(file));
  const found = foundWith(mutant, sure);
  if (found.by === undefined || durations.has(found.by) || passes(found.by)) return found;
  console.log(`${relative(build, found.by)} fails without mutants; it is left out`);
  broken.add(found.by);
  const rest = surelyFound(mutant, sure.slice(found.passed + 1));
  return { ...rest, passed: rest.passed + found.passed };
};

const all = values.folders
  .split(',')
  .flatMap(folder => compiledFiles(build, folder))
  .flatMap(mutantsOf);
const random = seededRandom(Number(values.seed));
const chosen = Array.from({ length: Number(values.count) }, () => all[Math.floor(random() * all.length)]);
/** Numbers of the mutants that are tried; all without `--only 3,14`. */
const only = values.only?.split(',').map(Number);
const testsOf = nearestTests(build);

const counts = { tried: 0, equal: 0, survived: 0 };
for (const [index, mutant] of chosen.entries()) {
  if (!mutant || only?.includes(index + 1) === false) continue;
  const name = relative(build, mutant.file);
  const { line, before, after } = linesOf(mutant, readFileSync(mutant.file, 'utf8'));
  const say = (verdict: string): void =>
    console.log(`${index + 1}  ${verdict}  ${name}:${line}\n    ${before}\n    ${after}`);
  counts.tried += 1;
  const equal = equalMutants.find(one => one.file === name && one.after === after);
  if (equal) {
    counts.equal += 1;
    say(`equal: ${equal.reason}`);
    continue;
  }
  const tests = testsOf(mutant.file);
  const { by, passed } = surelyFound(mutant, tests);
  if (by === undefined) counts.survived += 1;
  say(by === undefined ? `SURVIVED ${passed} of ${tests.length} tests` : `found by ${relative(build, by)}`);
}
console.log(
  `${counts.tried} mutants of ${all.length}: ${counts.tried - counts.survived - counts.equal} found, ` +
    `${counts.survived} survived, ${counts.equal} equal`,
);
