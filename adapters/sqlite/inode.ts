import { statSync } from 'node:fs';

/** What tells a file from another, whatever its name is; empty where there is none. */
export const inodeOf = (file: string): string => {
  const there = statSync(file, { throwIfNoEntry: false });
  return there ? `${there.dev}/${there.ino}` : '';
};
