import type { Database } from 'better-sqlite3';
import type { ReadModels } from '../../projections/readModels.js';
import type { EventStore, LogTaken, OpenEventStore } from '../../application/eventStore.js';
import type { Shared } from '../eventstoredb/shared.js';
import { keyFile } from '../privacy/keyFile.js';
import { keyStreams } from '../privacy/keyStreams.js';
import type { PersonKeys } from '../privacy/people.js';
import type { LogAddress } from '../settings.js';
import { openDisposable } from '../sqlite/database.js';
import { guardedReadModels } from '../sqlite/guardedReadModels.js';
import { memoryStore } from '../memory/memoryStore.js';
import { sqliteStore } from '../sqlite/sqliteStore.js';

/** A store that is open; with what instances share when others may work on it too. */
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
      // Its client is a sixth of what a start loads, and nothing to those who have no server.
      const { openShared } = await import('../eventstoredb/shared.js');
      return openShared(address);
    }
  }
};

/** Name of the file with people's keys in a data folder. */
export const peopleFile = 'people.sqlite';

/**
 * The keys of the people in a log: beside it on a server, else in a file.
 * @throws StoreUnavailable
 */
export const openKeys = (log: OpenLog, file: string): PersonKeys =>
  log.shared ? keyStreams(log, log.shared.vanish) : keyFile(file);

/** The read models' database; it can be lost, the log brings it back. */
export const openReadModels = (
  file: string,
): { readonly db: Database; readonly models: ReadModels; readonly close: () => void } => {
  const { db, made: models } = openDisposable(file, 'NORMAL', guardedReadModels);
  return { db, models, close: () => db.close() };
};

/** Read models in memory; SQLite puts pages that do not fit there into a temporary file. */
export const openTemporaryReadModels = (): ReturnType<typeof openReadModels> => openReadModels('');

/** Whether the log is the one that the read models were made from, as far as their checkpoint tells. */
export const fits = async (models: ReadModels, store: EventStore): Promise<boolean> => {
  const { position, event } = models.checkpoint('readModels');
  if (position === 0n) return true;
  if (!event) return false;
  for await (const there of store.read(event.stream, event.revision))
    return there.id === event.id && there.position === position;
  return false;
};
