import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { analyst } from './analyst.js';
import { StoreUnavailable } from './eventStore.js';
import { follow } from './follow.js';
import { handler } from './handle.js';
import { app } from './http/app.js';
import { answersIn } from './http/idempotency.js';
import { listen } from './http/server.js';
import { lockDataDir } from './lock.js';
import { reactions } from './reactions.js';
import { reactor } from './reactor.js';
import type { Settings } from './settings.js';
import { guarded } from './stores/database.js';
import { fits, openReadModels, openStore } from './stores/open.js';
import { waiting } from './waiting.js';

/** A service that takes requests. */
export type Running = { readonly address: string; readonly stop: () => Promise<void> };

/** How long to wait before a read model is written again to a disk that is full or busy. */
const retryPauseMs = 1000;

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
  const opened: (() => unknown)[] = [];
  /** Closes in the reverse order what was opened. */
  const release = async (): Promise<void> => {
    for (const close of opened.reverse()) await close();
  };
  try {
    if (!inMemory) opened.push(lockDataDir(settings.dataDir));
    const store = openStore(settings);
    opened.push(store.close);
    const { models, close } = openReadModels(file('read-models.sqlite'));
    opened.push(close);
    const answers = answersIn(file('answers.sqlite'));
    opened.push(answers.close);
    if (!(await fits(models, store))) {
      log.warn('the log is not the one that the read models and kept answers are of; they begin anew');
      models.clear();
      answers.clear();
    }
    const pool = analyst(fault);
    opened.push(pool.close);

    const requests = waiting();
    const projections = follow({
      store,
      after: models.checkpoint('readModels').position,
      take: async (events, through) => {
        while (!tried(() => models.apply(events, through), log)) await sleep(retryPauseMs);
        requests.changed();
      },
      fault,
    });
    opened.push(projections.stop);
    const settled = projections.settle;
    await settled();
    const handle = handler(store, () => {
      projections.wake();
      reacting.wake();
    });
    const now = () => new Date().toISOString();
    const reacts = reactions({ models, handle, analyst: pool, now, log });
    const reacting = reactor({ store, models, settled, reactions: reacts, log, fault });
    opened.push(reacting.stop);

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
    const respond = app(service, settings.tokens, answers, log).callback();
    const server = await listen((request, response) => void respond(request, response), settings);
    opened.push(server.close);
    return { address: server.address, stop: release };
  } catch (error) {
    await release();
    throw error;
  }
};

/** Whether something could be written; a disk that is full or busy now may take it later. */
const tried = (write: () => void, log: Logger): boolean => {
  try {
    guarded(write);
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log.warn({ err: error }, 'the read models cannot be written; trying again');
    return false;
  }
};
