import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** Root folder of the repository, searched from the working directory upwards: tests run from the build folder. */
export const repositoryRoot = (): string => {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'tsconfig.json')) && existsSync(join(folder, 'domain', 'decider.ts')))
      return folder;
    if (dirname(folder) === folder) throw new Error(`no repository above ${process.cwd()}`);
  }
};

/** Products of the build between sources. */
const generated = /^client\/(?:openapi\.ts$|dist\/)/;

/** Paths of all written TypeScript files in a top-level folder, relative to the root, with `/`. */
export const sourceFiles = (root: string, folder: string, ends = /\.ts$/): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && ends.test(entry.name))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(path => !generated.test(path))
    .sort();
