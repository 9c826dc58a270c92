import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { Database } from '../../sqlite/driver.js';
import { StoreUnavailable } from '../../../application/eventStore.js';
import { DataDirInUse, lockDataDir } from '../../sqlite/lock.js';
import { makeFolder } from '../../makeFolder.js';
import { SettingsError } from '../../settings/settingsError.js';
import { eventStoreDbAddress, logFile, type LogAddress } from '../../settings/logAddress.js';
import { guarded } from '../../sqlite/database.js';
import { plain } from '../terminal/text.js';

/** The source (`--from`) or the target (`--to`) of a copy. */
export type Side = { readonly option: '--from' | '--to'; readonly address: LogAddress };

/** The log file that a path means: the path itself, or the log in a data folder. @throws SettingsError */
const logFileOf = (option: Side['option'], path: string): string => {
  const file = resolve(path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found) return found.isDirectory() ? join(file, logFile) : file;
  if (extname(file) === '.sqlite') return file;
  if (option === '--to' && extname(file) !== '' && !path.endsWith('/'))
    throw new SettingsError(`--to: got "${plain(path)}", expected a folder, or a file ending in .sqlite`);
  return join(file, logFile);
};

/** The log that an option names. @throws SettingsError */
export const sideOf = (option: Side['option'], text: string | undefined, env: NodeJS.ProcessEnv): Side => {
  if (text === undefined || text.trim() === '')
    throw new SettingsError(`${option}: got none, expected a file, a data folder or eventstoredb`);
  if (text === 'eventstoredb') return { option, address: eventStoreDbAddress(env) };
  const file = logFileOf(option, text);
  if (option === '--from' && !existsSync(file))
    throw new SettingsError(`--from: there is no log ${plain(file)}`);
  return { option, address: { kind: 'sqlite', file } };
};

/** Whether both sides are the same log. Links to one file count as the same. */
export const isSameLog = ({ address: from }: Side, { address: to }: Side): boolean => {
  if (from.kind !== 'sqlite' || to.kind !== 'sqlite') return from.kind === to.kind;
  const [one, other] = [from, to].map(({ file }) => statSync(file, { throwIfNoEntry: false, bigint: true }));
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
};

/** Content of an existing file. */
const contentOf = (file: string): 'log' | 'nothing' | 'something else' => {
  const db = new Database(file, { fileMustExist: true });
  try {
    if (db.prepare('select count(*) from sqlite_master').pluck().get() === 0) return 'nothing';
    db.prepare('select position, id, stream, revision, type, v, at, data, metadata from events');
    return 'log';
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (code === 'SQLITE_ERROR' || code === 'SQLITE_NOTADB') return 'something else';
    throw error;
  } finally {
    db.close();
  }
};

/**
 * Refuses a file that is not a log. To be called before the store opens it, because the store creates its tables.
 * @throws SettingsError, StoreUnavailable
 */
export const checkFile = ({ option, address }: Side): void => {
  if (address.kind !== 'sqlite' || !existsSync(address.file)) return;
  const content = guarded(() => contentOf(address.file));
  if (content === 'something else' || (content === 'nothing' && option === '--from'))
    throw new SettingsError(`${option}: ${plain(address.file)} is not a log of Daybook`);
};

/** Locks one data folder. @throws DataDirInUse, StoreUnavailable */
const lockFolder = (folder: string): (() => void) => {
  try {
    return lockDataDir(folder);
  } catch (error) {
    if (error instanceof DataDirInUse)
      throw new DataDirInUse(`${plain(folder)} is used by a running Daybook`);
    throw new StoreUnavailable(`${plain(folder)} cannot be locked: ${(error as Error).message}`);
  }
};

/**
 * Locks the folders of all files, so that no other process works on them meanwhile.
 * @returns a function that unlocks them
 */
export const lockFolders = (sides: readonly Side[]): (() => void) => {
  const folders = sides.flatMap(({ address }) => (address.kind === 'sqlite' ? [dirname(address.file)] : []));
  for (const folder of folders) makeFolder(folder, 0o700);
  const unlocks: (() => void)[] = [];
  const unlock = (): void => unlocks.splice(0).forEach(free => free());
  try {
    for (const folder of new Set(folders.map(folder => realpathSync(folder))))
      unlocks.push(lockFolder(folder));
  } catch (error) {
    unlock();
    throw error;
  }
  return unlock;
};
