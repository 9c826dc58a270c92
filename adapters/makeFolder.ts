import { mkdirSync, statSync } from 'node:fs';
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
