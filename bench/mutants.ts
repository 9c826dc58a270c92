// Small faults in the compiled core, and whether the tests find them: `npm run bench:mutants -- --count 200`.
// Each job breaks its own copy of build/, so the checkout stays as it is.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from '../analysis/math/seededRandom.js';
import { copiedCheckout, runTest } from './mutants/checkouts.js';
import { coverageCache } from './mutants/coverage.js';
import { equalMutants } from './mutants/equalMutants.js';
import { linesOf, mutantsOf, type Mutant } from './mutants/faults.js';
import { compiledFiles, nearestTests } from './mutants/nearestTests.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    folders: { type: 'string', default: 'domain,analysis,application,projections' },
    seconds: { type: 'string', default: '300' },
    jobs: { type: 'string', default: '2' },
    cache: { type: 'string', default: join(tmpdir(), 'daybook-coverage') },
    only: { type: 'string' },
  },
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const build = join(root, 'build');

/** Time after which no further test of a mutant begins. */
const mutantMaxMs = Number(values.seconds) * 1000;

/** Whether a compiled file is ours: a build leaves old files behind, and a bundle of packages has no source map. */
const isOurs = (file: string): boolean =>
  existsSync(join(root, relative(build, file).replace(/js$/, 'ts'))) && existsSync(`${file}.map`);

/** All mutants, with the paths of their files below `build`. */
const all = values.folders
  .split(',')
  .flatMap(folder => compiledFiles(build, folder))
  .filter(isOurs)
  .flatMap(mutantsOf)
  .map(mutant => ({ ...mutant, file: relative(build, mutant.file) }));

const { executes, msOf } = coverageCache(values.cache, all);
const testsOf = nearestTests(build);

/** Time that a test is taken to need before it was measured. */
const usualMs = 10_000;

/** Tests that reach a file: those first that cost least for the chance that they find a fault in it. */
const testsInOrder = (file: string): readonly string[] => {
  const cost = new Map(
    testsOf(join(build, file)).map(({ test, distance }) => [test, distance * (msOf(test) ?? usualMs)]),
  );
  return [...cost.keys()].sort((a, b) => cost.get(a)! - cost.get(b)!);
};

/** Whether a test passes with a mutant, in five times the time that it takes without, and thirty seconds. */
const passesWith = async (checkout: string, mutant: Mutant, test: string): Promise<boolean> => {
  const { start, end, text } = mutant;
  const path = join(checkout, 'build', mutant.file);
  const original = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, original.slice(0, start) + text + original.slice(end));
    return (await runTest(checkout, test, 5 * msOf(test)! + 30_000)) !== undefined;
  } finally {
    writeFileSync(path, original);
  }
};

type Tried = { readonly isFound: boolean; readonly verdict: string };

/** Tries a mutant in a checkout with the tests that execute its place. */
const tried = async (checkout: string, mutant: Mutant): Promise<Tried> => {
  let spentMs = 0;
  let passed = 0;
  for (const test of testsInOrder(mutant.file)) {
    if (!(await executes(checkout, test, mutant))) continue;
    if (spentMs > mutantMaxMs)
      return { isFound: false, verdict: `SURVIVED ${passed} tests; the time is over` };
    const begun = performance.now();
    if (!(await passesWith(checkout, mutant, test))) return { isFound: true, verdict: `found by ${test}` };
    spentMs += performance.now() - begun;
    passed += 1;
  }
  const verdict =
    passed > 0 ? `SURVIVED all ${passed} tests that execute it` : 'SURVIVED: no test executes it';
  return { isFound: false, verdict };
};

const random = seededRandom(Number(values.seed));
const numbered = Array.from({ length: Number(values.count) }, (_, index) => ({
  number: index + 1,
  mutant: all[Math.floor(random() * all.length)],
}));
/** Numbers of the mutants that are tried; all without `--only 3,14`. */
const only = values.only?.split(',').map(Number);
const chosen = numbered.flatMap(({ number, mutant }) => {
  if (!mutant || only?.includes(number) === false) return [];
  const lines = linesOf(mutant, readFileSync(join(build, mutant.file), 'utf8'));
  const equal = equalMutants.find(one => one.file === mutant.file && one.after === lines.after);
  return [{ number, mutant, lines, equal }];
});

const counts = { equal: 0, survived: 0 };
const rest = [...chosen];
/** Tries the mutants that no other job has begun. */
const runJob = async (checkout: string): Promise<void> => {
  for (let next = rest.shift(); next; next = rest.shift()) {
    const { number, mutant, lines, equal } = next;
    const { isFound, verdict } = equal
      ? { isFound: false, verdict: `equal: ${equal.reason}` }
      : await tried(checkout, mutant);
    if (equal) counts.equal += 1;
    else if (!isFound) counts.survived += 1;
    console.log(
      `${number}  ${verdict}  ${mutant.file}:${lines.line}\n    ${lines.before}\n    ${lines.after}`,
    );
  }
};
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
await Promise.all(Array.from({ length: Number(values.jobs) }, () => runJob(copiedCheckout(root))));

console.log(
  `${chosen.length} mutants of ${all.length}: ${chosen.length - counts.survived - counts.equal} found, ` +
    `${counts.survived} survived, ${counts.equal} equal`,
);
