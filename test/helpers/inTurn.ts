import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';

const build = fileURLToPath(new URL('../..', import.meta.url));
let current: Test = t;

/** The test of the file that is being loaded: that of the process, or one of it for each file that runs in turn. */
export const testOfFile = (): Test => current;

/** Writes a copy of a compiled test file next to it, whose `t` is the test of the file. */
const copyOf = (file: string): string => {
  const copy = file.replace(/\.test\.js$/, '.inTurn.js');
  const own = `import { testOfFile } from ${JSON.stringify(import.meta.url)}; const t = testOfFile();`;
  writeFileSync(copy, readFileSync(file, 'utf8').replace(/^import t(?:, {})? from 'tap';/m, own));
  return copy;
};

/**
 * Runs test files in this process, one after the other: starting a process and loading the service costs more than most
 * files need. Each file is a test with its name, which ends its services, folders and hooks.
 * @param files  paths of compiled test files
 */
export const runInTurn = async (files: readonly string[]): Promise<void> => {
  for (const file of files)
    await t.test(relative(build, file), async test => {
      current = test;
      await import(pathToFileURL(copyOf(file)).href);
    });
};
