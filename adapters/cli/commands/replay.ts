import type { Database } from 'better-sqlite3';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { stillDamaged } from '../../../application/reading/parking.js';
import {
  replay as replayLog,
  digestOfAll,
  tableDigests,
  tablesThatDiffer,
} from '../../../application/reading/replay.js';
import { momentOf, existedAt, type Moment } from '../../../application/requests/history/asOf.js';
import type { Recorded } from '../../../domain/events.js';
import { plural } from '../../../domain/text.js';
import { parkedIn, type Parked } from '../../../projections/parked.js';
import { holdsReadModels, readModels, type ReadModels } from '../../../projections/readModels.js';
import { openLog, openReadModels } from '../../composition/openLog.js';
import { makeFolder } from '../../environment.js';
import { readSettings, type Settings } from '../../settings/settings.js';
import { SettingsError } from '../../settings/values.js';
import { lockDataDir } from '../../sqlite/dataDir.js';
import { filesOf, guarded } from '../../sqlite/database.js';
import { openReadOnly } from '../../sqlite/readOnly.js';
import { requireLog } from '../audit/logInput.js';
import { dataDirOption, envWith, parsedArguments, wrongOption, type Command } from '../terminal/arguments.js';
import { plain, eventCounter, parkedText } from '../terminal/text.js';

/** Rows of read models: the digest of each table, and the parked subjects. */
type Rows = { readonly digests: ReadonlyMap<string, string>; readonly parked: readonly Parked[] };

/** The live read models at one moment, or the reason why there are none. */
type Live = ({ readonly position: bigint } & Rows) | { readonly missing: string };

const rowsOf = (db: Database, { parked }: Pick<ReadModels, 'parked'>): Rows => ({
  digests: tableDigests(db),
  parked: parked.all(),
});

/** Reads the live read models in one transaction. A service may be writing to them. @throws StoreUnavailable */
const liveOf = (file: string): Live => {
  if (!existsSync(file)) return { missing: 'there are none; the service creates them when it starts' };
  return guarded(() => {
    const db = openReadOnly(file);
    try {
      return db.transaction((): Live => {
        if (!holdsReadModels(db)) return { missing: 'they belong to another version of Daybook' };
        const models = readModels(db);
        return { position: models.checkpoint('readModels').position, ...rowsOf(db, models) };
      })();
    } finally {
      db.close();
    }
  });
};

/** The moment that `--until` means. @throws SettingsError */
const untilOf = (text: string | undefined): Moment | undefined => {
  if (text === undefined) return undefined;
  const moment = momentOf(text);
  if (!moment) throw wrongOption('--until', text, 'a position, a date or an instant of RFC 3339');
  if ('instant' in moment && moment.instant > new Date().toISOString())
    throw wrongOption('--until', text, 'a day that is over, or an instant that is not in the future');
  return moment;
};

/** The file to create, in the folder of `--into`. @throws SettingsError */
const fileInto = (folder: string, liveFile: string): string => {
  const file = join(resolve(folder), 'read-models.sqlite');
  if (file === liveFile || existsSync(file))
    throw wrongOption('--into', folder, 'a folder without read models');
  return file;
};

type ReplayResult = { readonly code: 0 | 1 | 3; readonly text: string };

/** Replayed read models at the position of the live ones, or before it where the replay ends earlier. */
type Reached = {
  readonly position: bigint;
  /** Whether `--until` ends before the live position. */
  readonly endsEarlier: boolean;
  readonly rows: () => Rows;
};

/** Compares the replayed read models with the live ones. */
const comparison = (live: Live, { position, endsEarlier, rows }: Reached): ReplayResult => {
  if ('missing' in live) return { code: 3, text: `not compared with live read models: ${live.missing}` };
  const where = `at position ${live.position}`;
  if (endsEarlier) return { code: 0, text: `not compared: the live read models are ${where}` };
  if (position !== live.position)
    return { code: 1, text: `the live read models are ${where}, but the log ends at position ${position}` };
  const { digests, parked } = rows();
  // A replay checks and follows nothing, and sees no damage by a hash; rows of later events are missing there.
  const onlyLive = live.parked.filter(one => !parked.some(({ eventId }) => eventId === one.eventId));
  if (onlyLive.length > 0)
    return {
      code: 3,
      text: `not compared ${where}, as a replay does not park there:\n${parkedText(onlyLive)}`,
    };
  const different = tablesThatDiffer(digests, live.digests);
  return different.length === 0
    ? { code: 0, text: `the live read models are the same ${where}: digest ${digestOfAll(digests)}` }
    : { code: 1, text: `the live read models are not the same ${where}: ${different.join(', ')}` };
};

/** Replays up to the live position, compares, and replays the rest. Resolves to the outcome and the counts. */
const replayAndCompare = async (
  store: Pick<EventStore, 'all'>,
  { db, models }: { readonly db: Database; readonly models: ReadModels },
  live: Live,
  until: Moment | undefined,
): Promise<ReplayResult & { readonly count: number; readonly end: bigint }> => {
  const { show: progress, clear } = eventCounter(process.stderr, 'replaying');
  const isDue = (event: Pick<Recorded, 'position' | 'at'>): boolean => !until || existedAt(event, until);
  const compareAt = 'position' in live ? live.position : 0n;
  const first = await replayLog(models, store.all(0n), {
    tree: true,
    isIncluded: event => isDue(event) && event.position <= compareAt,
    progress,
  });
  const { position } = models.checkpoint('readModels');
  const endsEarlier = position < compareAt && first.next !== undefined && !isDue(first.next);
  const outcome = comparison(live, { position, endsEarlier, rows: () => rowsOf(db, models) });
  const rest = await replayLog(models, store.all(position), {
    tree: true,
    isIncluded: isDue,
    progress,
  });
  clear();
  const end = models.checkpoint('readModels').position;
  if (until && 'position' in until && until.position > end && rest.next === undefined)
    throw new SettingsError(`--until: got ${until.position}, but the log ends at position ${end}`);
  return { ...outcome, count: first.count + rest.count, end };
};

/** The settings, of a log that can be read again. @throws SettingsError */
const settingsOf = (env: NodeJS.ProcessEnv, use: 'replay' | 'rebuild from'): Settings => {
  const settings = readSettings(env);
  if (settings.log.kind === 'memory')
    throw new SettingsError(`EVENT_STORE: memory has no log on disk to ${use}`);
  return settings;
};

export const replay: Command = {
  usage: `usage: daybook replay [--until <position, date or instant>] --into <folder> [--data-dir <folder>]

Replays the log of the settings into new read models, <folder>/read-models.sqlite. This file must not exist
yet. --until takes a position, a date (UTC) or an instant (RFC 3339), which is itself included: the replay
ends before the first event that was decided later. Without it the whole log is replayed.

When the replay reaches the position of the live read models, both are compared by a digest of each table.
When --until is before that position, nothing is compared. The service may be running.

Exit codes: 0 done, and equal if they were compared; 1 they differ; 2 wrong usage; 3 there are no live read
models to compare with, or a source, or a stream of no source, is parked here or there: it has an event that this
build cannot apply, check or follow, or that is damaged.
`,
  run: async (args, env) => {
    const { values } = parsedArguments({
      args: [...args],
      options: { until: { type: 'string' }, into: { type: 'string' }, ...dataDirOption },
    });
    const { into } = values;
    if (into === undefined) throw new SettingsError('--into: got none, expected a folder');
    const until = untilOf(values.until);
    const ofFolder = envWith(env, values);
    requireLog(ofFolder);
    const settings = settingsOf(ofFolder, 'replay');
    const liveFile = join(resolve(settings.dataDir), 'read-models.sqlite');
    const file = fileInto(into, liveFile);

    const live = liveOf(liveFile);
    const store = await openLog(settings.log);
    makeFolder(resolve(into));
    const made = openReadModels(file);
    let isReplayed = false;
    try {
      const { code, text, count, end } = await replayAndCompare(store, made, live, until);
      isReplayed = true;
      const events = plural(count, 'event');
      process.stdout.write(`replayed ${events} up to position ${end} into ${plain(file)}\n${text}\n`);
      const parked = made.models.parked.all();
      if (parked.length === 0) return code;
      process.stderr.write(`${parkedText(parked)}\n`);
      return code === 0 ? 3 : code;
    } finally {
      made.close();
      await store.close();
      // A file that stays would refuse the corrected command.
      if (!isReplayed) for (const part of filesOf(file)) rmSync(part, { force: true });
    }
  },
};

/** The subjects that the present read models have parked; none where they cannot be read. */
const parkedBefore = (file: string): readonly Parked[] => {
  try {
    const db = openReadOnly(file);
    const parked = parkedIn(db);
    db.close();
    return parked;
  } catch {
    return [];
  }
};

export const rebuild: Command = {
  usage: `usage: daybook rebuild [--data-dir <folder>]

Replays the log into new read models, which replace the old ones when they are complete. The service must
not be running. --data-dir is in place of the setting DATA_DIR. The next start takes no time without the
service as a silence of its sources.

Exit codes: 0 done; 1 done, and a source, or a stream of no source, is parked: it has an event that this
build cannot apply, or that is damaged; 2 wrong usage or settings; 3 the log or the folder cannot be used.
`,
  run: async (args, env) => {
    const { values } = parsedArguments({ args: [...args], options: dataDirOption });
    const ofFolder = envWith(env, values);
    requireLog(ofFolder);
    const settings = settingsOf(ofFolder, 'rebuild from');
    const unlock = lockDataDir(settings.dataDir);
    const file = join(settings.dataDir, 'read-models.sqlite');
    const newFile = join(settings.dataDir, 'read-models.new.sqlite');
    const removeNew = (): void => filesOf(newFile).forEach(part => rmSync(part, { force: true }));
    removeNew();
    const store = await openLog(settings.log);
    const { show, clear } = eventCounter(process.stderr, 'replaying');
    let isRebuilt = false;
    const rebuilt = async () => {
      const { db, models, close } = openReadModels(newFile);
      try {
        // A replay does not see damage that the hash of an event shows.
        const damaged = await stillDamaged(parkedBefore(file), store);
        guarded(() => models.clear(damaged));
        const { count } = await replayLog(models, store.all(0n), { tree: true, progress: show });
        const parked = models.parked.all();
        // A close leaves the write-ahead log, without an error, when its pages do not fit on the disk.
        guarded(() => db.pragma('wal_checkpoint(truncate)'));
        isRebuilt = true;
        return { count, parked };
      } finally {
        close();
      }
    };
    const { count, parked } = await rebuilt().finally(async () => {
      await store.close();
      // On a full disk the file would keep the service from writing.
      if (!isRebuilt) removeNew();
    });
    for (const old of filesOf(file)) rmSync(old, { force: true });
    renameSync(newFile, file);
    // As at a start without read models: the log may be a backup, whose last data are old.
    rmSync(join(settings.dataDir, 'uptime.json'), { force: true });
    unlock();
    clear();
    process.stdout.write(`read models rebuilt from ${plural(count, 'event')}\n`);
    if (parked.length === 0) return 0;
    process.stderr.write(`${parkedText(parked)}\n`);
    return 1;
  },
};
