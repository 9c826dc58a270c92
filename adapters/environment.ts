import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '../application/ports/environment.js';
import { readFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and the missing ones above it, one by one: `mkdir` of Node.js with `recursive` never returns when
 * the system refuses a folder with ENOENT although the one above exists, as in /proc.
 * @param folder an absolute path
 * @param mode   permissions of new folders
 * @throws Error with the path, when a file is in the way or the system refuses
 */
export const makeFolder = (folder: string, mode = 0o777): void => {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw new Error(`${folder} exists and is not a folder`, { cause: error });
  }
};

let known: string | undefined;

/** The version of this package, which is in the folder above the build. */
export const packageVersion = (): string => {
  const file = new URL('../../package.json', import.meta.url);
  return (known ??= (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version);
};

/** Environment of a real service. */
export const system: Environment = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  nextTurn: () => nextTurn(),
  newId: () => randomUUID(),
  randomBytes: count => randomBytes(count),
};
