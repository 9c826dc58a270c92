import { join } from 'node:path';
import type { Logger } from 'pino';
import { streams } from '../../domain/streams.js';
import { isDamage, type Parked } from '../../projections/parked.js';
import type { ReadModels, Snapshot } from '../../projections/readModels.js';
import type { Environment } from '../../application/ports/environment.js';
import { StoreUnavailable, type EventStore, type LogTaken } from '../../application/ports/eventStore.js';
import type { Shared } from '../eventstoredb/store.js';
import type { KeptResponses } from '../http/idempotency/keptResponses.js';
import { keptResponsesIn } from '../http/idempotency/keptResponsesFile.js';
import { keptResponsesOn } from '../http/idempotency/sharedKeptResponses.js';
import { durableReadModels } from '../sqlite/readModels.js';
import { lockDataDir } from '../sqlite/dataDir.js';
import { stillDamaged } from '../../application/reading/parking.js';
import { deliveriesFile, fits, areOfCopy, openDeliveries, openKeys, openLog, peopleFile } from './openLog.js';
import { packageVersion } from '../environment.js';
import { people, idBytes, secretBytes } from '../privacy/people.js';
import type { People } from '../../application/ports/people.js';
import type { Settings } from '../settings/settings.js';
import { uptimeInMemory, type UptimeRecord, type Uptime } from '../../application/followUps/clock.js';
import type { DeliveryStore } from '../../application/ports/deliveries.js';
import { pointFile } from '../points/pointFile.js';
import { pointStreams } from '../points/pointStreams.js';
import type { PointBuffer } from '../../application/ports/pointBuffer.js';
import { untilReachable } from '../../application/commands/backoff.js';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const isUptime = (value: unknown): value is Uptime => {
  const { aliveAt, resumedAt } = (value ?? {}) as Partial<Record<keyof Uptime, unknown>>;
  return [aliveAt, resumedAt].every(at => typeof at === 'string' && !Number.isNaN(Date.parse(at)));
};

/** A record in a file. A missing or damaged file is an unknown uptime. */
export const uptimeFile = (file: string): UptimeRecord => ({
  read: () => {
    try {
      const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isUptime(value) ? value : undefined;
    } catch {
      return undefined;
    }
  },
  write: uptime => {
    const next = `${file}.new`;
    writeFileSync(next, `${JSON.stringify(uptime)}\n`);
    renameSync(next, file);
  },
});

/** Milliseconds that a start waits for an unreachable server, which may be starting too. */
export const reachMs = 20_000;

/** Open resources. */
type Resources = {
  /** Registers the function that closes a resource. */
  readonly add: (close: () => unknown) => void;
  /** Closes all resources, the last opened first. */
  readonly close: () => Promise<void>;
};

/** An empty list of resources. */
export const openResources = (): Resources => {
  const closes: (() => unknown)[] = [];
  return {
    add: close => void closes.push(close),
    close: async () => {
      for (const close of closes.splice(0).reverse()) await close();
    },
  };
};

/** All stores of a service. */
export type Stores = {
  /** With the shared parts when several instances may use the log. */
  readonly log: EventStore & { readonly shared?: Pick<Shared, 'subscription' | 'watch'> };
  readonly models: ReadModels;
  /** Opens the committed read models; they stay as they are until they are closed. @throws StoreUnavailable */
  readonly snapshot: () => Snapshot;
  /** Sets the function that is called when damaged read models were emptied; absent where that cannot happen. */
  readonly onModelsEmptied?: (call: () => void) => void;
  /** Replaces read models that turned out to be damaged by empty ones. @throws StoreUnavailable */
  readonly emptyModels?: (why: unknown) => void;
  readonly answers: KeptResponses;
  readonly people: People;
  readonly uptime: UptimeRecord;
  /** Progress of webhooks. */
  readonly deliveries: DeliveryStore;
  /** Points that are not in the log yet. */
  readonly points: PointBuffer;
};

/** Whether a log has a revision of a stream. */
const hasEvent = async (log: EventStore, stream: string, revision: number): Promise<boolean> => {
  for await (const _ of log.read(stream, revision)) return true;
  return false;
};

/**
 * Opens the stores next to the log, which a rebuild cannot restore.
 * @param file   path in the data folder
 * @param opened gets the function that closes each of them, also when a later one cannot be opened
 */
const openAside = (
  log: Awaited<ReturnType<typeof openLog>>,
  file: (name: string) => string,
  { environment, logger }: { readonly environment: Environment; readonly logger: Logger },
  opened: Resources,
) => {
  const { shared } = log;
  const answers = shared
    ? keptResponsesOn(log, shared.expire, environment)
    : keptResponsesIn(file('answers.sqlite'), environment, logger, log.end);
  opened.add(answers.close);
  const deliveries = openDeliveries(log, file(deliveriesFile), environment, logger);
  opened.add(deliveries.close);
  const points = shared
    ? pointStreams({ store: log, ...shared, environment })
    : pointFile(file('points.sqlite'), logger, log.end);
  opened.add(points.close);
  return {
    ...{ answers, deliveries, points },
    /** Forgets what followed the end of a log that was restored from a backup. */
    cutTo: async (end: bigint): Promise<void> => {
      const again =
        (await points.cutTo?.(end, {
          hasSource: id => hasEvent(log, streams.source(id), 0),
          hasDays: (id, revision) => hasEvent(log, streams.days(id), revision),
        })) ?? 0;
      const webhooks = deliveries.cutTo?.(end) ?? 0;
      const responses = answers.cutTo?.(end) ?? 0;
      if (again + webhooks + responses > 0)
        logger.warn(
          { end: String(end), points: again, webhooks, responses },
          'the log ends before points, progress of webhooks or kept responses: it was restored; continuing from its end',
        );
    },
    /** Progress of webhooks stays: their ids are unique, so that of another log is of none in this one. */
    clear: (): void => [points, answers].forEach(one => one.clear()),
  };
};

/** Why the read models have to be built again; undefined when they need not. @throws StoreUnavailable */
const staleness = async (
  models: ReadModels,
  log: Awaited<ReturnType<typeof openLog>>,
  damaged: readonly Parked[],
) => {
  if (await fits(models, log))
    return damaged.length < models.parked.all().filter(isDamage).length
      ? { text: 'damaged events of the log are sound again; rebuilding the read models', isOtherLog: false }
      : undefined;
  const emptied = log.shared ? '' : ', and emptying points and kept responses';
  // Stores next to a log belong to its backups and copies, too.
  return (await areOfCopy(models, log))
    ? { text: 'the read models belong to another copy of the log; rebuilding them', isOtherLog: false }
    : { text: `the read models belong to another log; rebuilding them${emptied}`, isOtherLog: true };
};

/**
 * Opens all stores of a service and locks the data folder. Read models, points and kept responses of another log
 * are cleared.
 * @param taken  called when another process may write the same files: this one has to end
 * @throws DataDirInUse, StoreUnavailable, StoreRefused
 */
export const openStores = async (
  settings: Pick<Settings, 'log' | 'dataDir'>,
  logger: Logger,
  environment: Environment,
  taken: (error: LogTaken) => void,
): Promise<Stores & { readonly close: () => Promise<void> }> => {
  const inMemory = settings.log.kind === 'memory';
  const file = (name: string) => (inMemory ? ':memory:' : join(settings.dataDir, name));
  const opened = openResources();
  try {
    if (!inMemory) opened.add(lockDataDir(settings.dataDir, taken));
    const retrying = (error: unknown) => logger.warn({ err: error }, 'event store unreachable; retrying');
    const log =
      settings.log.kind === 'eventstoredb'
        ? await untilReachable(() => openLog(settings.log), environment, reachMs, retrying)
        : await openLog(settings.log, taken);
    opened.add(log.close);
    const { models, snapshot, onEmptied, empty, close } = durableReadModels(
      file('read-models.sqlite'),
      packageVersion(),
      why => logger.warn({ err: why }, 'the read models are damaged; rebuilding them from the log'),
    );
    opened.add(close);
    const { clear, cutTo, ...aside } = openAside(log, file, { environment, logger }, opened);
    const keys = openKeys(log, file(peopleFile));
    opened.add(keys.close);
    const looking = async () => {
      const damaged = await stillDamaged(models.parked.all(), log);
      return { damaged, stale: await staleness(models, log, damaged) };
    };
    const { damaged, stale } = await untilReachable(looking, environment, reachMs, retrying);
    if (stale) {
      logger.warn(stale.text);
      models.clear(damaged);
      if (stale.isOtherLog) clear();
    }
    if (log.end) await cutTo(log.end());
    // Without read models the log may be a backup, whose last data are old.
    if (!inMemory && models.checkpoint('readModels').position === 0n)
      rmSync(file('uptime.json'), { force: true });
    return {
      log,
      models,
      snapshot,
      onModelsEmptied: onEmptied,
      emptyModels: empty,
      ...aside,
      people: peopleOf(keys, environment),
      uptime: inMemory ? uptimeInMemory() : uptimeFile(file('uptime.json')),
      close: opened.close,
    };
  } catch (error) {
    await opened.close();
    const isInFolder = error instanceof StoreUnavailable && error.message.startsWith(settings.dataDir);
    throw isInFolder ? new StoreUnavailable(`DATA_DIR: ${error.message}`, { cause: error }) : error;
  }
};

/** Encryption for people with these keys; new keys are random. */
export const peopleOf = (
  keys: Parameters<typeof people>[0],
  { randomBytes }: Pick<Environment, 'randomBytes'>,
): People =>
  people(keys, person => ({
    ...person,
    id: randomBytes(idBytes).toString('hex'),
    secret: randomBytes(secretBytes),
  }));
