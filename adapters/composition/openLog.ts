import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import { dayHistory } from '../../projections/dayHistory.js';
import type { Recorded } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { DeliveryStore } from '../../application/ports/deliveries.js';
import type { Environment } from '../../application/ports/environment.js';
import type { VerificationStores } from '../../application/decisions/decisionsVerifier.js';
import type { EventStore, LogTaken, OpenEventStore } from '../../application/ports/eventStore.js';
import type { Shared } from '../eventstoredb/store.js';
import { keyFile, keyStreams } from '../privacy/keys.js';
import type { PersonKeys } from '../privacy/people.js';
import type { LogAddress } from '../settings/logAddress.js';
import { packageVersion } from '../environment.js';
import { openDisposable } from '../sqlite/database.js';
import { guardedReadModels } from '../sqlite/readModels.js';
import { memoryStore } from '../memoryStore.js';
import { sqliteStore } from '../sqlite/sqliteStore.js';
import { deliveryFile } from '../webhooks/deliveryFile.js';
import { deliveryStreams } from '../webhooks/deliveryStreams.js';

/** An open log, with the shared parts when several instances may use it. */
export type OpenLog = OpenEventStore & { readonly shared?: Shared };

/**
 * Opens the log at an address.
 * @param taken  see sqliteStore
 * @throws StoreUnavailable
 */
export const openLog = async (address: LogAddress, taken?: (error: LogTaken) => void): Promise<OpenLog> => {
  switch (address.kind) {
    case 'memory':
      return memoryStore();
    case 'sqlite':
      return sqliteStore(address.file, taken);
    case 'eventstoredb': {
      // Imported on demand: the client is a sixth of the code that a start loads.
      const { openShared } = await import('../eventstoredb/store.js');
      return openShared(address);
    }
  }
};

/** Name of the file of people's keys in a data folder. */
export const peopleFile = 'people.sqlite';

/**
 * Opens the keys of the people in a log: on the same server, or in a file.
 * @throws StoreUnavailable
 */
export const openKeys = (log: OpenLog, file: string): PersonKeys =>
  log.shared ? keyStreams(log, log.shared.deleteStream) : keyFile(file);

/** Name of the file of the progress of webhooks in a data folder. */
export const deliveriesFile = 'webhooks.sqlite';

/**
 * Opens the progress of the webhooks of a log: on the same server, or in a file.
 * @throws StoreUnavailable
 */
export const openDeliveries = (
  log: OpenLog,
  file: string,
  environment: Environment,
  logger?: Pick<Logger, 'warn'>,
): DeliveryStore =>
  log.shared ? deliveryStreams({ store: log, ...log.shared, environment }) : deliveryFile(file, logger);

/** Opens the database of the read models; it can be rebuilt from the log. `build`: version of the package. */
export const openReadModels = (
  file: string,
  build = packageVersion(),
): { readonly db: Database; readonly models: ReadModels; readonly close: () => void } => {
  const { db, made: models } = openDisposable(file, 'NORMAL', made => guardedReadModels(made, build));
  return { db, models, close: () => db.close() };
};

/** Opens temporary read models; SQLite moves pages that do not fit into memory to a temporary file. */
export const openTemporaryReadModels = (): ReturnType<typeof openReadModels> => openReadModels('');

/** Opens the temporary stores of a verification of decisions. */
export const openVerification = (): {
  readonly stores: VerificationStores;
  readonly close: () => void;
} => {
  const { models, close } = openTemporaryReadModels();
  const groupings = openTemporaryReadModels();
  const history = openDisposable('', 'NORMAL', dayHistory);
  const closeAll = (): void => {
    history.db.close();
    groupings.close();
    close();
  };
  return { stores: { models, days: history.made, groupings: groupings.models }, close: closeAll };
};

/** The event of a log at a place of a stream; undefined for none. */
const eventAt = async (
  store: EventStore,
  { stream, revision }: Pick<Recorded, 'stream' | 'revision'>,
): Promise<Recorded | undefined> => {
  for await (const there of store.read(stream, revision)) return there;
  return undefined;
};

/**
 * Whether the read models were built from an earlier or a later copy of this log: one has the last event of the other.
 * False for logs that went apart, and for a later copy on a server.
 */
export const areOfCopy = async (models: ReadModels, log: OpenLog): Promise<boolean> => {
  const { event } = models.checkpoint('readModels');
  if (event && (await eventAt(log, event))?.id === event.id) return true;
  const end = log.end?.() ?? 0n;
  if (end === 0n) return false;
  for await (const there of log.all(end - 1n)) return models.tree.byEvent(there.id) !== undefined;
  return false;
};

/** Whether the read models were built from this log, as far as their checkpoint shows. */
export const fits = async (models: ReadModels, store: EventStore): Promise<boolean> => {
  const { position, event } = models.checkpoint('readModels');
  if (position === 0n) return true;
  if (!event) return false;
  const there = await eventAt(store, event);
  return there?.id === event.id && there.position === position;
};
