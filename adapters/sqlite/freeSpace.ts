import { statfsSync } from 'node:fs';
import type { Environment } from '../../application/environment.js';
import { StorageFull } from '../../application/eventStore.js';

/** Milliseconds for which a measurement is valid. */
const lookMs = 1000;

/**
 * Returns a check of the free space of a folder, measured at most once a second.
 * @param bytesMin  bytes that must be free for the service's user; 0 for no check
 * @returns a function that throws StorageFull while fewer are free
 */
export const freeSpace = (
  folder: string,
  bytesMin: number,
  { elapsedMs }: Pick<Environment, 'elapsedMs'>,
): (() => void) => {
  let lookedMs = -Infinity;
  let free = Infinity;
  return () => {
    if (bytesMin === 0) return;
    const now = elapsedMs();
    if (now - lookedMs >= lookMs) {
      lookedMs = now;
      free = freeBytes(folder);
    }
    if (free < bytesMin)
      throw new StorageFull(
        `${megabytes(free)} MB are free in DATA_DIR, expected at least ${megabytes(bytesMin)} MB (DISK_FREE_MIN_MB)`,
      );
  };
};

const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);

/** Free bytes; Infinity when the file system does not report them. */
const freeBytes = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
};
