import type { Logger } from 'pino';
import type { ReadModels } from '../../projections/readModels.js';
import { logSubscription, bothSubscriptions } from '../../application/processManager/subscription.js';
import type { Environment } from '../../application/environment.js';
import type { StoreUnavailable } from '../../application/eventStore.js';
import type { Stores } from './openStores.js';
import { openedThings } from './opened.js';
import type { FollowUps } from '../../application/processManager/followUps.js';
import { processManager } from '../../application/processManager/processManager.js';
import type { SharedWork } from '../../application/service.js';
import type { Projections } from './startProjections.js';
import { untilReachable } from './untilReachable.js';

/** Has analyses and checks done, whichever events ask for them. */
export type StartedProcessManager = {
  /** Events that something is still to be done about, here and elsewhere. */
  readonly backlog: () => number;
  /** Those of a tenant that this instance has. */
  readonly backlogOf: (tenant: string) => number;
  /** The work of all instances; not there for one instance alone. */
  readonly shared?: () => SharedWork | undefined;
  readonly stop: () => Promise<void>;
};

export type ProcessManagerParts = {
  readonly stores: Pick<Stores, 'log' | 'models'>;
  readonly projections: Pick<Projections, 'wake' | 'catchUp' | 'write'>;
  readonly followUps: FollowUps;
  /** Given what is to be called after each append of this process. */
  readonly onAppend: (wake: () => void) => void;
  /** See `startProjections`. */
  readonly fault: (error: unknown) => void;
  readonly unavailable: (error: StoreUnavailable) => void;
  readonly log: Logger;
  readonly environment: Environment;
};

/** What the server has given nobody for so long, or has lost, every instance looks after. */
const overdueMs = 120_000;

/**
 * Starts the process manager.
 * @throws StoreUnavailable when the server cannot be reached, StoreRefused
 */
export const startProcessManager = async ({
  stores: { log: store, models },
  projections,
  followUps,
  onAppend,
  fault,
  unavailable,
  log,
  environment,
}: ProcessManagerParts): Promise<StartedProcessManager> => {
  const { shared } = store;
  const failed = (error: unknown) => log.error({ err: error }, 'reaction failed');
  const group = shared?.subscription({ fault, log });
  if (group) await untilReachable(group.prepare, unavailable, environment);
  // In the transaction of the read models, which a write of its own could not undo behind their back.
  const saveCheckpoint: ReadModels['saveCheckpoint'] = (name, position) =>
    projections.write(() => models.saveCheckpoint(name, position));
  const parts = { store, models: { ...models, saveCheckpoint }, fault, unavailable, environment };
  const subscription = group
    ? bothSubscriptions(group, logSubscription({ ...parts, failed, overdueMs }))
    : logSubscription(parts);
  onAppend(subscription.wake);
  const opened = openedThings();
  const wake = () => {
    projections.wake();
    subscription.wake();
  };
  if (shared) opened.add(shared.watch(wake, log).stop);
  const tenantOf = (sourceId: number) => models.sources.setup(sourceId)?.tenant;
  const reacting = processManager({
    subscription,
    caughtUp: projections.catchUp,
    followUps,
    tenantOf,
    log,
    environment,
  });
  opened.add(reacting.stop);
  return {
    backlog: () => Math.max(reacting.backlog(), group?.state()?.undone ?? 0),
    backlogOf: reacting.backlogOf,
    ...(group && { shared: group.state }),
    stop: opened.close,
  };
};
