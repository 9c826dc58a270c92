import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** The repository's folder, found from the working directory upwards: the tests run as compiled files elsewhere. */
export const repositoryRoot = (): string => {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'tsconfig.json')) && existsSync(join(folder, 'domain', 'decider.ts')))
      return folder;
    if (dirname(folder) === folder) throw new Error(`no repository round ${process.cwd()}`);
  }
};

/** Every TypeScript file under a top-level folder, as its path from the root, with `/`. */
export const sourceFiles = (root: string, folder: string, ends = /\.ts$/): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && ends.test(entry.name))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
