import type { Logger } from 'pino';
import { threadsMax } from '../workers/analyst.js';
import type { Analyst } from '../../application/analyst.js';
import { asOf } from '../../application/history/asOf.js';
import type { Signer } from '../../auditing/checkpoint.js';
import { instantOf, type Environment } from '../../application/environment.js';
import { OutcomeUnknown, StoreUnavailable } from '../../application/eventStore.js';
import { fairAnalyst } from '../../application/sharing/fairAnalyst.js';
import { freshness } from '../../application/freshness.js';
import { commandHandler } from '../../application/commandHandler.js';
import { openTemporaryReadModels } from './openLog.js';
import type { Stores } from './openStores.js';
import { openedThings } from './opened.js';
import { followUps } from '../../application/processManager/followUps.js';
import type { Service } from '../../application/service.js';
import { startProcessManager } from './startProcessManager.js';
import { startProjections } from './startProjections.js';
import { turns } from '../../application/sharing/turns.js';
import { waitersFor } from '../../application/waitFor.js';

export type ServiceParts = {
  readonly stores: Stores;
  readonly analyst: Analyst;
  readonly checkpoints: Signer | undefined;
  /** Throws StorageFull while there is too little room on the disk; not there for no check. */
  readonly requireRoom?: () => void;
  readonly log: Logger;
  /** Called when a follower of the log cannot go on; the process should end. */
  readonly fault: (error: unknown) => void;
  readonly environment: Environment;
};

/**
 * Starts what works on open stores: the read models follow the log, and events are reacted to.
 * @returns what the HTTP resources work with, once the read models hold what was in the log
 * @throws StoreUnavailable
 */
export const startService = async ({
  stores,
  analyst,
  checkpoints,
  requireRoom = () => {},
  log,
  fault,
  environment,
}: ServiceParts): Promise<{ readonly service: Service; readonly stop: () => Promise<void> }> => {
  const { log: store, models, people } = stores;
  const opened = openedThings();
  const wakes: (() => void)[] = [];
  const handle = commandHandler(
    store,
    () => {
      for (const wake of wakes) wake();
    },
    environment,
  );
  const requests = waitersFor(environment);
  const caughtUp = (position?: bigint) => projections.catchUp(position);
  const unavailable = (error: StoreUnavailable) =>
    log.warn({ err: error }, 'the log cannot be followed; trying again');
  const common = { stores, log, fault, unavailable, environment };
  const pool = fairAnalyst(analyst, threadsMax);
  const turning = turns(environment);
  const waits = { waiters: requests, turns: turning };
  const reacts = followUps({ models, caughtUp, handle, analyst: pool, ...waits, log, environment });
  const projections = await startProjections({
    ...common,
    noticed: events => {
      reacts.notice(events);
      requests.notify();
    },
  });
  opened.add(projections.stop);
  wakes.push(projections.wake);
  try {
    const onAppend = (wake: () => void) => void wakes.push(wake);
    const manager = await startProcessManager({ ...common, projections, followUps: reacts, onAppend });
    opened.add(manager.stop);
    const before = asOf({
      store,
      end: () => models.checkpoint('readModels').position,
      turns: turning,
      openTemporary: openTemporaryReadModels,
    });
    opened.add(before.close);
    const fresh = freshness({
      projections,
      shared: store.shared !== undefined,
      position: () => models.checkpoint('readModels').position,
      environment,
    });
    /** Throws while read models lack events that they had, as after a disk that refused writes. */
    const requireWhole = (): void => {
      if (!projections.isWhole())
        throw (
          projections.failure() ??
          new StoreUnavailable('the read models have lost events and read them again')
        );
    };
    const service: Service = {
      handle,
      models,
      caughtUp: () => caughtUp().then(requireWhole).catch(appended),
      requireRoom: () => {
        requireRoom();
        const failure = projections.failure();
        if (failure) throw failure;
      },
      freshness: {
        forWrite: async () => {
          requireWhole();
          await fresh.forWrite();
          requireWhole();
        },
        forRead: async maxStalenessMs => {
          requireWhole();
          const seen = await fresh.forRead(maxStalenessMs);
          requireWhole();
          return seen;
        },
      },
      ...(manager.shared && { shared: manager.shared }),
      isProjecting: () => !projections.isFailing() && projections.isWhole(),
      waiters: requests,
      analyst: pool,
      backlog: manager.backlog,
      backlogOf: manager.backlogOf,
      turns: turning,
      followUps: reacts,
      asOf: before,
      log: store,
      people,
      checkpoints,
      environment,
      now: () => instantOf(environment),
    };
    return { service, stop: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
};

/** What was to be seen has been appended: that the log cannot be read leaves its outcome unknown. */
const appended = (error: unknown): never => {
  if (error instanceof StoreUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
  throw error;
};
