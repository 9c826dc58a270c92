import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Compiled files of a folder and the folders in it. */
export const compiledFiles = (build: string, folder: string): readonly string[] =>
  readdirSync(join(build, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .map(name => join(build, folder, name))
    .sort();

/** Files that a file imports, or starts as a worker or a program. */
const importsOf = (file: string): readonly string[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom |\bimport\(|\bimport |new URL\()['"`](\.[^'"`$]+\.js)['"`]/g,
    ),
  ].map(([, path = '']) => resolve(dirname(file), path));

/** Steps of imports from each test to each file that it reaches. */
const reachOf = (
  test: string,
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> => {
  const steps = new Map([[test, 0]]);
  for (const [file, step] of steps)
    for (const next of imports.get(file) ?? []) if (!steps.has(next)) steps.set(next, step + 1);
  return steps;
};

/** Words of the names of folders and file, in small letters, without a plural s. */
const wordsOf = (path: string): ReadonlySet<string> =>
  new Set(
    (path.match(/[A-Za-z][a-z]+/g) ?? [])
      .map(word => word.toLowerCase().replace(/s$/, ''))
      .filter(word => !['test', 'j', 'domain', 'application', 'projection'].includes(word)),
  );

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter(word => other.has(word)).length;

/** Tests that are not of the core: the house, screens, processes that are killed, and those of other programs. */
const foreign = /\/(?:web|process|load|client|bench)\/|lint|readme|packages|release|tidy|docs\.test|\.slow\./;

/** Tests that start the service or simulate it: they take long and reach nearly everything. */
const isWhole = (name: string, reach: ReadonlyMap<string, number>, build: string): boolean =>
  /^test\/(?:http\/|simulation|adapters\/cli\/)/.test(name) || reach.has(join(build, 'adapters/main.js'));

/** Tests that check most in a short time, with the distance at which they count: before the others of their kind. */
const broad: Readonly<Record<string, number>> = {
  'test/analysis/sameResults.test.js': 1.5,
  'test/recordedLog.test.js': 999.5,
  'test/http/story.test.js': 999.5,
};

/**
 * For a compiled file all tests of the quick loop that reach it by imports, nearest first: tests without a service by
 * steps of imports and then by what they import, then broad ones, then by the words that names share with the file.
 */
export const nearestTests = (build: string): ((file: string) => readonly string[]) => {
  const folders = ['domain', 'analysis', 'application', 'projections', 'auditing', 'adapters', 'test'];
  const files = folders.flatMap(folder => compiledFiles(build, folder));
  const imports = new Map(files.map(file => [file, importsOf(file)]));
  const tests = files
    .filter(file => file.endsWith('.test.js') && !foreign.test(relative(build, file)))
    .map(file => {
      const name = relative(build, file);
      const reach = reachOf(file, imports);
      return { file, name, reach, words: wordsOf(name), whole: isWhole(name, reach, build) };
    });
  return file => {
    const words = wordsOf(relative(build, file));
    const far = ({ name, reach, whole, words: own }: (typeof tests)[number]): number =>
      broad[name] ?? (whole ? 1000 - shared(own, words) : (reach.get(file) ?? 0));
    return tests
      .filter(({ reach }) => reach.has(file))
      .sort((a, b) => far(a) - far(b) || a.reach.size - b.reach.size)
      .map(test => test.file);
  };
};
