import { dirname, join, extname, resolve } from 'node:path';
import {
  compareLogs,
  type LogComparison,
  type CopyProgress,
  CopyFailed,
  copyLog as copy,
} from '../../../application/logs/copyLog.js';
import { copyDeliveries, deliveryStates } from '../../../application/logs/copyDeliveries.js';
import { LogDamaged, StoreUnavailable } from '../../../application/ports/eventStore.js';
import {
  deliveriesFile,
  openDeliveries,
  openKeys,
  openLog,
  peopleFile,
  type OpenLog,
} from '../../composition/openLog.js';
import { openResources } from '../../composition/openStores.js';
import { checkKeys, copyKeys, hasSealedTexts, OtherKeys, type PersonKeys } from '../../privacy/people.js';
import { SettingsError } from '../../settings/values.js';
import { parsedArguments, type Command } from '../terminal/arguments.js';
import { progressLine, type Output, plain } from '../terminal/text.js';
import { counted, plural } from '../../../domain/text.js';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { Database } from '../../sqlite/driver.js';
import { DataDirInUse, lockDataDir } from '../../sqlite/dataDir.js';
import { makeFolder, system } from '../../environment.js';
import { eventStoreDbAddress, logFile, type LogAddress } from '../../settings/logAddress.js';
import { guarded } from '../../sqlite/database.js';

/** The source (`--from`) or the target (`--to`) of a copy. */
type Side = { readonly option: '--from' | '--to'; readonly address: LogAddress };

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
const sideOf = (option: Side['option'], text: string | undefined, env: NodeJS.ProcessEnv): Side => {
  if (text === undefined || text.trim() === '')
    throw new SettingsError(`${option}: got none, expected a file, a data folder or eventstoredb`);
  if (text === 'eventstoredb') return { option, address: eventStoreDbAddress(env) };
  const file = logFileOf(option, text);
  if (option === '--from' && !existsSync(file))
    throw new SettingsError(`--from: there is no log ${plain(file)}`);
  return { option, address: { kind: 'sqlite', file } };
};

/** Whether both sides are the same log. Links to one file count as the same. */
const isSameLog = ({ address: from }: Side, { address: to }: Side): boolean => {
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
const checkFile = ({ option, address }: Side): void => {
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
 * @param locked gets the function that unlocks each of them, also when a later one cannot be locked
 */
const lockFolders = (sides: readonly Side[], locked: (unlock: () => void) => void): void => {
  const folders = sides.flatMap(({ address }) => (address.kind === 'sqlite' ? [dirname(address.file)] : []));
  for (const folder of folders) makeFolder(folder, 0o700);
  for (const folder of new Set(folders.map(folder => realpathSync(folder)))) locked(lockFolder(folder));
};

const usage = `usage: daybook copy-log --from <log> --to <log>

Copies a whole log into another store, event by event. Ids, streams, revisions, order, data, metadata and
times stay the same. Then reads both logs and compares their SHA-256.

A <log> is
  data/events.sqlite  a file of the embedded store; the name of a new one ends in .sqlite
  data                a data folder: events.sqlite in it
  eventstoredb        the EventStoreDB of EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX

The keys of the people in the log (people.sqlite next to a file) are copied too: without them names and
comments cannot be read, so a source without its file is refused. So is the progress of webhooks
(webhooks.sqlite next to a file), but not their lists of attempts: without it each webhook sends all messages
since its creation again.

The log of --to is created when it does not exist. When it already holds the first events of the same log, the
copy continues after them, so an interrupted copy is started again. Existing events are never changed.

Stop the service first. A service that uses one of the data folders is detected, also when it uses another
log of that folder. A service on EventStoreDB is not detected: stop every instance yourself.

Prints the number of events and the digest of both logs.

Exit codes: 0 copied and equal; 1 the target holds another log or keys of one, the logs differ, or the source has
events that Daybook did not write; 2 wrong usage; 3 a store cannot be used: run the same command again later; or
a log is damaged: restore it from a backup first.
`;

/** Shows how far a copy is. */
export const copyProgress = (
  output: Output,
): { readonly show: (progress: CopyProgress) => void; readonly clear: () => void } => {
  const line = progressLine(output);
  return {
    show: ({ step, events, total }) =>
      line.show({
        label: step.padEnd(9),
        done: events,
        total,
        text: `${counted(events)}${total === undefined ? '' : ` of ${counted(total)}`} events`,
      }),
    clear: line.clear,
  };
};

type Logs = { readonly source: OpenLog; readonly target: OpenLog };

/** Opens both logs for some work, the source first, and closes them afterwards. */
const withLogs = async <Result>(
  from: Side,
  to: Side,
  work: (logs: Logs) => Promise<Result>,
): Promise<Result> => {
  const { add, close } = openResources();
  try {
    const source = await openLog(from.address);
    add(source.close);
    const target = await openLog(to.address);
    add(target.close);
    return await work({ source, target });
  } finally {
    await close();
  }
};

/** Another file of the folder of a log that is a file. */
const fileBeside = ({ address }: Side, name: string): string =>
  address.kind === 'sqlite' ? join(dirname(address.file), name) : '';

/** Opens the keys of both logs for some work, and closes them afterwards. */
const withKeys = async <Result>(
  { source, target }: Logs,
  [from, to]: readonly [Side, Side],
  work: (keys: PersonKeys, copies: PersonKeys) => Promise<Result>,
): Promise<Result> => {
  const file = fileBeside(from, peopleFile);
  // Opened, a file that is missing would be created next to the source.
  const keys = openKeys(source, existsSync(file) ? file : ':memory:');
  try {
    const copies = openKeys(target, fileBeside(to, peopleFile));
    return await work(keys, copies).finally(copies.close);
  } finally {
    keys.close();
  }
};

/**
 * Looks whether the source has its keys, and whether the place of the keys at the target has those of another log.
 * @throws SettingsError without the keys of sealed texts: their persons would be erased at the target, OtherKeys
 */
const checkPeople = async (logs: Logs, from: Side, to: Side): Promise<void> => {
  const file = fileBeside(from, peopleFile);
  if (from.address.kind === 'sqlite' && !existsSync(file) && (await hasSealedTexts(logs.source.all(0n))))
    throw new SettingsError(
      `--from: there is no ${plain(file)}, and without its keys names, comments and addresses in the log cannot be ` +
        'read: put the people.sqlite of this log there; docs/operations.md names its backup people-backup.sqlite',
    );
  if (to.address.kind === 'sqlite' && !existsSync(fileBeside(to, peopleFile))) return;
  await withKeys(logs, [from, to], (keys, copies) => checkKeys(logs.source.all(0n), keys, copies));
};

/** Copies the keys of all people in a copied log. Resolves to their number. */
const copyPeople = (from: Side, to: Side): Promise<number> =>
  withLogs(from, to, logs =>
    withKeys(logs, [from, to], (keys, copies) => copyKeys(logs.source.all(0n), keys, copies)),
  );

/** Copies how far the webhooks of a copied log have delivered. Resolves to their number. */
const copyWebhooks = (from: Side, to: Side): Promise<number> =>
  withLogs(from, to, async logs => {
    const [file, copied] = [fileBeside(from, deliveriesFile), fileBeside(to, deliveriesFile)];
    // Two logs of one folder would share the file.
    if (from.address.kind === 'sqlite' && (!existsSync(file) || file === copied)) return 0;
    const deliveries = openDeliveries(logs.source, file, system);
    const states = await deliveryStates(logs.source, deliveries).finally(deliveries.close);
    if (states.size === 0) return 0;
    const copies = openDeliveries(logs.target, copied, system);
    await copyDeliveries(logs, states, copies).finally(copies.close);
    return states.size;
  });

/** Reports the comparison of both logs. Returns the exit code. */
const report = ({ source, target, difference }: LogComparison, print: (text: string) => void): number => {
  if (difference === undefined) {
    process.stdout.write(`${source.count} events, sha256 ${source.sha256}\n`);
    return 0;
  }
  print(`the logs differ: ${difference}`);
  for (const [name, { count, sha256 }] of Object.entries({ source, target }))
    print(`${name}: ${plural(count, 'event')}, sha256 ${sha256}`);
  return 1;
};

/** Copies and compares. Resolves to the exit code. */
const copyBetween = async (from: Side, to: Side): Promise<number> => {
  const { show, clear } = copyProgress(process.stderr);
  const print = (text: string): void => {
    clear();
    process.stderr.write(`${plain(text)}\n`);
  };
  try {
    const { count, already } = await withLogs(from, to, logs =>
      copy({ ...logs, progress: show, ready: () => checkPeople(logs, from, to) }),
    );
    // EventStoreDB cannot tell an empty log from one that does not exist, and a prefix is easily misspelt.
    if (count === 0 && from.address.kind === 'eventstoredb') {
      print(`--from: there is no log with the prefix "${from.address.prefix}" in EventStoreDB`);
      return 2;
    }
    print(`copied ${plural(count - already, 'event')}, ${counted(already)} existed already`);
    // The logs are opened again, to compare what a service will read.
    const compared = await withLogs(from, to, logs => compareLogs({ ...logs, progress: show }, count));
    clear();
    if (compared.difference === undefined) {
      print(`copied the keys of ${plural(await copyPeople(from, to), 'subject')}`);
      print(`copied the progress of ${plural(await copyWebhooks(from, to), 'webhook')}`);
    }
    return report(compared, print);
  } catch (error) {
    const isFailed = error instanceof CopyFailed || error instanceof OtherKeys;
    if (!(error instanceof StoreUnavailable || isFailed)) throw error;
    print(error.message);
    if (isFailed) return 1;
    if (!(error instanceof LogDamaged))
      print('Run the same command again to continue where this one stopped.');
    return 3;
  }
};

/** Refuses an address, since other users can read the arguments of a process. @throws SettingsError */
const refuseAddresses = (args: readonly string[]): void => {
  if (args.some(arg => /[a-z]:\/\//i.test(arg)))
    throw new SettingsError(
      'got an address on the command line, where others can see its password; expected eventstoredb, and the ' +
        'address in EVENTSTOREDB_URL',
    );
};

export const copyLog: Command = {
  usage,
  run: async (args, env) => {
    refuseAddresses(args);
    const { values } = parsedArguments({
      args: [...args],
      options: { from: { type: 'string' }, to: { type: 'string' } },
    });
    const from = sideOf('--from', values.from, env);
    const to = sideOf('--to', values.to, env);
    if (isSameLog(from, to)) throw new SettingsError('--to: got the log of --from, expected another one');
    const { add, close } = openResources();
    try {
      lockFolders([from, to], add);
      for (const side of [from, to]) checkFile(side);
      return await copyBetween(from, to);
    } finally {
      await close();
    }
  },
};
