import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Logger } from 'pino';
import { readModels, type ReadModels } from '../projections/readModels.js';
import { analyst } from './analyst.js';
import type { EventStore, OpenEventStore } from './eventStore.js';
import { follow } from './follow.js';
import { handler } from './handle.js';
import { app } from './http/app.js';
import { answersIn } from './http/idempotency.js';
import { listen } from './http/server.js';
import { lockDataDir } from './lock.js';
import { reactions } from './reactions.js';
import { reactor } from './reactor.js';
import type { Settings } from './settings.js';
import { memoryStore } from './stores/memory.js';
import { sqliteStore } from './stores/sqlite.js';
import { waiting } from './waiting.js';

/** A service that takes requests. */
export type Running = { readonly address: string; readonly stop: () => Promise<void> };

/** The log that the settings name. */
export const openStore = ({ eventStore, dataDir }: Settings): OpenEventStore =>
  eventStore === 'memory' ? memoryStore() : sqliteStore(join(dataDir, 'events.sqlite'));

/** The read models' database; it can be lost, the log brings it back. */
export const openReadModels = (file: string): { readonly models: ReadModels; readonly close: () => void } => {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  return { models: readModels(db), close: () => db.close() };
};

/** Whether the log is the one that the read models were made from, as far as their checkpoint tells. */
export const fits = async (models: ReadModels, store: EventStore): Promise<boolean> => {
  const { position, eventId } = models.checkpoint('readModels');
  if (position === 0n) return true;
  for await (const event of store.all(position - 1n)) return event.id === eventId;
  return false;
};

/**
 * Wires the service and starts it; resolves when it takes requests.
 * @param fault  called when a follower of the log cannot go on; the process should end
 * @throws DataDirInUse, StoreUnavailable, or the server's error when the address cannot be had
 */
export const start = async (
  settings: Settings,
  log: Logger,
  fault: (error: unknown) => void,
): Promise<Running> => {
  const inMemory = settings.eventStore === 'memory';
  const file = (name: string) => (inMemory ? ':memory:' : join(settings.dataDir, name));
  const unlock = inMemory ? () => {} : lockDataDir(settings.dataDir);
  const store = openStore(settings);
  const read = openReadModels(file('read-models.sqlite'));
  const { models } = read;
  if (!(await fits(models, store))) {
    log.warn('the read models are of another log; they are made anew');
    models.clear();
  }
  const answers = answersIn(file('answers.sqlite'));
  const pool = analyst();
  const requests = waiting();
  const now = () => new Date().toISOString();

  const projections = follow({
    store,
    after: models.checkpoint('readModels').position,
    take: (events, through) => {
      models.apply(events, through);
      requests.changed();
    },
    fault,
  });
  const settled = projections.settle;
  await settled();
  const handle = handler(store, () => {
    projections.wake();
    reacting.wake();
  });
  const reacts = reactions({ models, handle, analyst: pool, now, log });
  const reacting = reactor({ store, models, settled, reactions: reacts, log, fault });
  const service = {
    handle,
    models,
    settled,
    waiting: requests,
    analyst: pool,
    reactor: reacting,
    reactions: reacts,
    now,
  };

  const release = async () => {
    await reacting.stop();
    await projections.stop();
    await pool.close();
    answers.close();
    read.close();
    await store.close();
    unlock();
  };
  try {
    const respond = app(service, settings.tokens, answers, log).callback();
    const server = await listen((request, response) => void respond(request, response), settings);
    return {
      address: server.address,
      stop: async () => {
        await server.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
};
