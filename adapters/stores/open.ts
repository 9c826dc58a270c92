import { join } from 'node:path';
import { readModels, type ReadModels } from '../../projections/readModels.js';
import type { EventStore, OpenEventStore } from '../eventStore.js';
import type { Settings } from '../settings.js';
import { openDisposable } from './database.js';
import { memoryStore } from './memory.js';
import { sqliteStore } from './sqlite.js';

/** The log that the settings name. */
export const openStore = ({ eventStore, dataDir }: Settings): OpenEventStore =>
  eventStore === 'memory' ? memoryStore() : sqliteStore(join(dataDir, 'events.sqlite'));

/** The read models' database; it can be lost, the log brings it back. */
export const openReadModels = (file: string): { readonly models: ReadModels; readonly close: () => void } => {
  const { db, made: models } = openDisposable(file, 'NORMAL', readModels);
  return { models, close: () => db.close() };
};

/** Whether the log is the one that the read models were made from, as far as their checkpoint tells. */
export const fits = async (models: ReadModels, store: EventStore): Promise<boolean> => {
  const { position, eventId } = models.checkpoint('readModels');
  if (position === 0n) return true;
  for await (const event of store.all(position - 1n)) return event.id === eventId;
  return false;
};
