import { statSync } from 'node:fs';

/** Identity of a file, independent of its name; empty when there is none. */
export const inodeOf = (file: string): string => {
  const there = statSync(file, { throwIfNoEntry: false });
  return there ? `${there.dev}/${there.ino}` : '';
};
