import type { Logger } from 'pino';
import type { ReadModels } from '../../projections/readModels.js';
import { logSubscription, bothSubscriptions } from '../../application/followUps/subscription.js';
import type { Environment } from '../../application/ports/environment.js';
import type { StoreUnavailable } from '../../application/ports/eventStore.js';
import { untilReachable } from '../../application/commands/backoff.js';
import { type Stores, openResources, reachMs } from './openStores.js';
import type { FollowUps } from '../../application/followUps/followUps.js';
import { processManager } from '../../application/followUps/processManager.js';
import type { SharedWork } from '../../application/requests/service.js';
import type { Projections } from './startProjections.js';
import type { Parking } from '../../application/reading/parking.js';

/** A running process manager. */
export type StartedProcessManager = {
  /** Number of events that are not handled yet, in this instance and others. */
  readonly backlog: () => number;
  /** Number of events of a tenant that this instance has not handled yet. */
  readonly backlogOf: (tenant: string) => number;
  /** Work of all instances; absent for a single instance. */
  readonly shared?: () => SharedWork | undefined;
  readonly stop: () => Promise<void>;
};

export type ProcessManagerParts = {
  readonly stores: Pick<Stores, 'log' | 'models'>;
  readonly projections: Pick<Projections, 'wake' | 'catchUp' | 'write'>;
  readonly followUps: FollowUps;
  readonly parking: Parking;
  /** Registers a function to be called after each append of this process. */
  readonly onAppend: (wake: () => void) => void;
  /** See `startProjections`. */
  readonly fault: (error: unknown) => void;
  readonly unavailable: (error: StoreUnavailable) => void;
  readonly log: Logger;
  readonly environment: Environment;
};

/** Age in ms at which every instance handles an event that the server did not deliver or lost. */
const overdueMs = 120_000;

/**
 * Starts the process manager.
 * @throws StoreUnavailable when the server cannot be reached, StoreRefused
 */
export const startProcessManager = async ({
  stores: { log: store, models },
  projections,
  followUps,
  parking,
  onAppend,
  fault,
  unavailable,
  log,
  environment,
}: ProcessManagerParts): Promise<StartedProcessManager> => {
  const { shared } = store;
  const failed = (error: unknown) => log.error({ err: error }, 'event handling failed');
  const group = shared?.subscription({ fault, log, history: models.followUps });
  if (group) await untilReachable(group.prepare, environment, reachMs, unavailable);
  // Part of the transaction of the read models, so that both are rolled back together.
  const saveCheckpoint: ReadModels['saveCheckpoint'] = (name, position) =>
    projections.write(() => models.saveCheckpoint(name, position));
  const parts = { store, models: { ...models, saveCheckpoint }, fault, unavailable, environment };
  const subscription = group
    ? bothSubscriptions(group, logSubscription({ ...parts, failed, overdueMs }))
    : logSubscription(parts);
  onAppend(subscription.wake);
  const opened = openResources();
  const wake = () => {
    projections.wake();
    subscription.wake();
  };
  if (shared) opened.add(shared.watch(wake, log).stop);
  const tenantOf = (sourceId: number) => models.sources.setup(sourceId)?.tenant;
  const manager = processManager({
    subscription,
    caughtUp: projections.catchUp,
    followUps,
    parking,
    tenantOf,
    log,
    environment,
  });
  opened.add(manager.stop);
  return {
    backlog: () => {
      const { undone, parked } = group?.state() ?? { undone: 0, parked: 0 };
      return Math.max(manager.backlog(), undone, models.followUps.dueCount() - parked);
    },
    backlogOf: manager.backlogOf,
    ...(group && { shared: group.state }),
    stop: opened.close,
  };
};
