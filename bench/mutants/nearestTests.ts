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

/**
 * Tests that are not of the core: the house, screens, processes that are killed, those of other programs, and the
 * simulation, whose seeds take longer than a mutant may.
 */
const foreign =
  /\/(?:web|process|load|client|bench)\/|simulation|lint|readme|packages|release|tidy|docs\.test|\.slow\./;

/** Tests that start the service or simulate it: they take long and reach nearly everything. */
const isWhole = (name: string, reach: ReadonlyMap<string, number>, build: string): boolean =>
  /^test\/(?:http\/|adapters\/cli\/)/.test(name) || reach.has(join(build, 'adapters/main.js'));

/** Tests that check most in a short time, with the distance at which they count. */
const broad: Readonly<Record<string, number>> = {
  'test/analysis/sameResults.test.js': 2,
  'test/recordedLog.test.js': 4,
  'test/http/story.test.js': 4,
};

/** Distance of a test that starts a service and shares no word with the name of the file. */
const wholeDistance = 24;

/** A test of the quick loop, by its path below `build`, and how far it is from a file: at least 1. */
export type NearTest = { readonly test: string; readonly distance: number };

/**
 * For a compiled file all tests of the quick loop that reach it by imports, with their distances: the steps of imports,
 * or for a test with a service a number that is the smaller, the more words their names share.
 */
export const nearestTests = (build: string): ((file: string) => readonly NearTest[]) => {
  const folders = ['domain', 'analysis', 'application', 'projections', 'auditing', 'adapters', 'test'];
  const files = folders.flatMap(folder => compiledFiles(build, folder));
  const imports = new Map(files.map(file => [file, importsOf(file)]));
  const tests = files
    .filter(file => file.endsWith('.test.js') && !foreign.test(relative(build, file)))
    .map(file => {
      const name = relative(build, file);
      const reach = reachOf(file, imports);
      return { name, reach, words: wordsOf(name), whole: isWhole(name, reach, build) };
    });
  return file => {
    const words = wordsOf(relative(build, file));
    return tests
      .filter(({ reach }) => reach.has(file))
      .map(({ name, reach, whole, words: own }) => ({
        test: name,
        distance:
          broad[name] ?? (whole ? wholeDistance / (1 + shared(own, words)) : Math.max(1, reach.get(file)!)),
      }))
      .sort((a, b) => a.distance - b.distance);
  };
};
