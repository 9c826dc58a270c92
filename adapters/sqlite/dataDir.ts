import { existsSync, lstatSync, readFileSync, realpathSync, statSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Database } from './driver.js';
import { LogTaken, StoreUnavailable, StorageFull } from '../../application/ports/eventStore.js';
import { logFile } from '../settings/logAddress.js';
import { opening, inodeOf } from './database.js';
import type { Environment } from '../../application/ports/environment.js';

/** Milliseconds for which a measurement is valid. */
const measuredForMs = 1000;

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
    if (now - lookedMs >= measuredForMs) {
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

/** Another process uses the data folder. */
export class DataDirInUse extends Error {
  readonly name = 'DataDirInUse';
}

/** Interval at which the locks are checked, in ms. */
const lookMs = 1000;

/**
 * Locks the data folder for this process, and the folder of its log when that is a link. The lock is an exclusive
 * transaction on a database in each folder, which the operating system ends with the process.
 * @param lost  called when a lock file was removed or replaced: another process may use the folder
 * @returns a function that releases the locks
 * @throws DataDirInUse, StoreUnavailable when a folder cannot be written or its log may have another name
 */
export const lockDataDir = (dataDir: string, lost?: (error: LogTaken) => void): (() => void) => {
  const log = ownLog(join(dataDir, logFile));
  const folders = new Set([realFolder(dataDir), ...(log === undefined ? [] : [dirname(log)])]);
  const locks: Lock[] = [];
  const free = (): void => {
    clearInterval(timer);
    for (const { db } of locks) db.close();
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    for (const folder of folders) locks.push(lockFolder(folder, dataDir));
  } catch (error) {
    free();
    throw error;
  }
  const look = (): void => {
    const gone = locks.find(({ file, inode }) => isReplaced(file, inode));
    if (!gone) return;
    clearInterval(timer);
    lost?.(new LogTaken(`${gone.file} was removed or replaced; another process may use ${dataDir}`));
  };
  if (lost) timer = setInterval(look, lookMs).unref();
  return free;
};

/** Whether a lock file is another one now. A folder that cannot be read does not show it. */
const isReplaced = (file: string, inode: string): boolean => {
  try {
    return inodeOf(file) !== inode;
  } catch {
    return false;
  }
};

type Lock = { readonly db: Database; readonly file: string; readonly inode: string };

const lockFolder = (folder: string, dataDir: string): Lock => {
  const file = join(folder, 'lock.sqlite');
  const db = opening(file, () => new Database(file, { timeout: 0 }));
  try {
    db.exec('begin exclusive');
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new DataDirInUse(`DATA_DIR: ${dataDir} is used by a running Daybook`);
    return opening(file, () => {
      throw error;
    });
  }
  return { db, file, inode: inodeOf(file) };
};

/** Real path of a folder, with links resolved. */
const realFolder = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new StoreUnavailable(`${folder} cannot be used: ${(error as Error).message}`);
  }
};

/**
 * Real path of the log; undefined when there is none yet.
 * @throws StoreUnavailable when it may have another name: SQLite keeps the newest events in a second file with the
 *         name of the first, so two names would become two logs that overwrite each other
 */
const ownLog = (file: string): string | undefined => {
  if (!existsSync(file)) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new StoreUnavailable(`${file} is a link to a file that does not exist`);
    return undefined;
  }
  const real = realpathSync(file);
  const found = statSync(real);
  if (!found.isFile()) throw new StoreUnavailable(`${real} is not a file, expected the log`);
  const { nlink } = found;
  if (nlink > 1)
    throw new StoreUnavailable(
      `${real} has ${nlink} names (hard links), expected one: delete or copy the others`,
    );
  if (mountPoints().includes(real))
    throw new StoreUnavailable(`${real} is mounted as a single file: mount its folder instead`);
  return real;
};

const mountPoints = (): readonly string[] => {
  const table = '/proc/self/mountinfo';
  return existsSync(table)
    ? readFileSync(table, 'utf8')
        .split('\n')
        .map(line => (line.split(' ')[4] ?? '').replaceAll('\\040', ' '))
    : [];
};
