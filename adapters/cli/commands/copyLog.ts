import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { NotCopied, compareLogs, copyLog as copy, type Comparison, type Progress } from '../../copyLog.js';
import { StoreUnavailable } from '../../eventStore.js';
import { DataDirInUse, lockDataDir } from '../../lock.js';
import { SettingsError, eventStoreDbAddress, logFile, type LogAddress } from '../../settings.js';
import { guarded } from '../../stores/database.js';
import { openKeys, openLog, peopleFile, type OpenLog } from '../../open.js';
import { copyKeys } from '../../people/copyKeys.js';
import type { Command } from '../terminal/command.js';
import type { Output } from '../terminal/progress.js';
import { bar, counted, plain, plural } from '../terminal/text.js';

const usage = `usage: daybook copy-log --from <log> --to <log>

Copies a whole log into another store, event by event: ids, streams, revisions, order, data, metadata and
times stay as they are. Then reads both logs again and compares their SHA-256.

A <log> is
  data/events.sqlite  a file of the embedded store; a new one ends in .sqlite
  data                a data folder: events.sqlite in it
  eventstoredb        the EventStoreDB of EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX

The keys of the people in it (people.sqlite beside a file) go along: without them nobody could read who did
what, or what they said. What --to names is made if need be. When it holds the beginning of the same log, the copy goes on behind
that: a copy that was broken off is simply started again. Nothing is ever changed or taken away.

Stop the service first. One that runs on a data folder is noticed, also when only another log of that folder
is wanted. One that runs on EventStoreDB is not: stop every instance yourself.

Prints the number of events and the digest that both logs have. Exit codes: 0 done and equal, 1 the target
holds another log, the logs differ or the source is not Daybook's alone, 2 wrong usage, 3 a store cannot be
used; start it again then.
`;

/** One side of a copy. */
type Side = { readonly option: '--from' | '--to'; readonly address: LogAddress };

/** The file that a path of the command line means: itself, or the log in a data folder. */
const fileOf = (option: Side['option'], path: string): string => {
  const file = resolve(path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found) return found.isDirectory() ? join(file, logFile) : file;
  if (extname(file) === '.sqlite') return file;
  if (option === '--to' && extname(file) !== '' && !path.endsWith('/'))
    throw new SettingsError(`--to: got "${plain(path)}", expected a folder, or a file ending in .sqlite`);
  return join(file, logFile);
};

const sideOf = (option: Side['option'], text: string | undefined, env: NodeJS.ProcessEnv): Side => {
  if (text === undefined || text.trim() === '')
    throw new SettingsError(`${option}: got none, expected a file, a data folder or eventstoredb`);
  if (text === 'eventstoredb') return { option, address: eventStoreDbAddress(env) };
  const file = fileOf(option, text);
  if (option === '--from' && !existsSync(file))
    throw new SettingsError(`--from: there is no log ${plain(file)}`);
  return { option, address: { kind: 'sqlite', file } };
};

/** Whether both sides are one log, whatever links lead to it. */
const isSame = ({ address: from }: Side, { address: to }: Side): boolean => {
  if (from.kind !== 'sqlite' || to.kind !== 'sqlite') return from.kind === to.kind;
  const [one, other] = [from, to].map(({ file }) => statSync(file, { throwIfNoEntry: false, bigint: true }));
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
};

/** What is in a database file that is there. */
const contentOf = (file: string): 'a log' | 'nothing' | 'something else' => {
  const db = new Database(file, { fileMustExist: true });
  try {
    if (db.prepare('select count(*) from sqlite_master').pluck().get() === 0) return 'nothing';
    db.prepare('select position, id, stream, revision, type, v, at, data, metadata from events');
    return 'a log';
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (code === 'SQLITE_ERROR' || code === 'SQLITE_NOTADB') return 'something else';
    throw error;
  } finally {
    db.close();
  }
};

/** The store would make its tables wherever it is opened, so what is there is looked at before. */
const checkFile = ({ option, address }: Side): void => {
  if (address.kind !== 'sqlite') return;
  const { file } = address;
  if (!existsSync(file)) return;
  const content = guarded(() => contentOf(file));
  if (content !== 'a log' && (content === 'something else' || option === '--from'))
    throw new SettingsError(`${option}: ${plain(file)} is no log of Daybook`);
};

/** Locks the folders of the files; another process may not work on them meanwhile. */
const lockFolders = (sides: readonly Side[]): (() => void) => {
  const folders = sides.flatMap(({ address }) => (address.kind === 'sqlite' ? [dirname(address.file)] : []));
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlocks: (() => void)[] = [];
  const unlock = (): void => unlocks.splice(0).forEach(free => free());
  try {
    for (const folder of new Set(folders.map(folder => realpathSync(folder))))
      try {
        unlocks.push(lockDataDir(folder));
      } catch (error) {
        if (error instanceof DataDirInUse)
          throw new DataDirInUse(`${plain(folder)} is used by a running Daybook`);
        throw new StoreUnavailable(`${plain(folder)} cannot be locked: ${(error as Error).message}`);
      }
  } catch (error) {
    unlock();
    throw error;
  }
  return unlock;
};

const refreshMs = 60;
const repeatMs = 2000;

/** Shows how far a copy is: a bar that is written over on a terminal, a line now and then elsewhere. */
export const progressOn = (
  output: Output,
): { readonly show: (at: Progress) => void; readonly clear: () => void } => {
  const inPlace = output.isTTY === true;
  let next = performance.now() + (inPlace ? 0 : repeatMs);
  return {
    show: ({ step, events, of }) => {
      const now = performance.now();
      if (now < next) return;
      next = now + (inPlace ? refreshMs : repeatMs);
      const part = of === undefined ? undefined : Math.min(1, events / Math.max(1, of));
      const far = part === undefined ? '' : `${String(Math.floor(part * 100)).padStart(3)} %  `;
      const line = (drawn: string) =>
        `${step.padEnd(9)}  ${drawn}${far}${counted(events)}${of === undefined ? '' : ` of ${counted(of)}`} events`;
      output.write(
        inPlace ? `\r${line(part === undefined ? '' : `${bar(part, 30)}  `)}\u001b[K` : `${line('')}\n`,
      );
    },
    clear: () => {
      if (inPlace) output.write('\r\u001b[K');
    },
  };
};

/** Opens both logs for some work, the source first, and closes them. */
const withLogs = async <Result>(
  from: Side,
  to: Side,
  work: (logs: { readonly source: OpenLog; readonly target: OpenLog }) => Promise<Result>,
): Promise<Result> => {
  const source = await openLog(from.address);
  try {
    const target = await openLog(to.address);
    try {
      return await work({ source, target });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

/** Copies the keys of the people in a log that was copied. */
const copyPeople = (from: Side, to: Side): Promise<number> =>
  withLogs(from, to, async ({ source, target }) => {
    const fileOf = ({ address }: Side): string =>
      address.kind === 'sqlite' ? join(dirname(address.file), peopleFile) : '';
    const keys = openKeys(source, fileOf(from));
    try {
      const copies = openKeys(target, fileOf(to));
      try {
        return await copyKeys(source.all(0n), keys, copies);
      } finally {
        copies.close();
      }
    } finally {
      keys.close();
    }
  });

const copyBetween = async (from: Side, to: Side): Promise<number> => {
  const { show, clear } = progressOn(process.stderr);
  const say = (text: string): void => {
    clear();
    process.stderr.write(`${plain(text)}\n`);
  };
  let compared: Comparison;
  try {
    const { count, already } = await withLogs(from, to, logs => copy({ ...logs, progress: show }));
    // Without an event a log of EventStoreDB is not there: a prefix is easily misspelt.
    if (count === 0 && from.address.kind === 'eventstoredb') {
      say(`--from: there is no log with the prefix "${from.address.prefix}" in EventStoreDB`);
      return 2;
    }
    say(`copied ${plural(count - already, 'event')}, ${counted(already)} were there already`);
    // Opened anew: what counts is what a service will find.
    compared = await withLogs(from, to, logs => compareLogs({ ...logs, progress: show }, count));
    clear();
    if (compared.difference === undefined)
      say(`the keys of ${plural(await copyPeople(from, to), 'subject')} went along`);
  } catch (error) {
    if (error instanceof StoreUnavailable) {
      say(error.message);
      say('The same command goes on where this one stopped.');
      return 3;
    }
    if (!(error instanceof NotCopied)) throw error;
    say(error.message);
    return 1;
  }
  const { source, target, difference } = compared;
  if (difference !== undefined) {
    say(`the logs differ: ${difference}`);
    for (const [name, { count, sha256 }] of Object.entries({ source, target }))
      say(`${name}: ${plural(count, 'event')}, sha256 ${sha256}`);
    return 1;
  }
  process.stdout.write(`${source.count} events, sha256 ${source.sha256}\n`);
  return 0;
};

export const copyLog: Command = {
  summary: 'copies a log into another store and compares both',
  usage,
  run: async (args, env) => {
    // Before anything shows it.
    if (args.some(arg => /[a-z]:\/\//i.test(arg)))
      throw new SettingsError(
        'got an address on the command line, where others can see its password; expected eventstoredb, and the ' +
          'address in EVENTSTOREDB_URL',
      );
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: 'string' }, to: { type: 'string' } },
    });
    const from = sideOf('--from', values.from, env);
    const to = sideOf('--to', values.to, env);
    if (isSame(from, to)) throw new SettingsError('--to: got the log of --from, expected another one');
    const unlock = lockFolders([from, to]);
    try {
      for (const side of [from, to]) checkFile(side);
      return await copyBetween(from, to);
    } finally {
      unlock();
    }
  },
};
