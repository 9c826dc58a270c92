import type { Logger } from 'pino';
import type { KnownEvent } from '../../domain/events.js';
import { destroyedKey } from '../../projections/people.js';
import type { Projected } from '../../projections/readModels.js';
import { reportParked, resumeParked } from '../../application/projecting/parking.js';
import { growth } from '../../application/projecting/logTree.js';
import type { Environment } from '../../application/environment.js';
import type { StoreUnavailable } from '../../application/eventStore.js';
import { projectionRunner, type ProjectionRunner } from '../../application/projecting/projectionRunner.js';
import { deferredCommits, type DeferredCommits } from '../../application/projecting/deferredCommits.js';
import type { Stores } from './openStores.js';
import { openResources } from './resources.js';
import { eventLoopYielder } from '../../application/sharing/eventLoopYielder.js';
import { replay } from '../../application/projecting/replay.js';

export type ProjectionParts = {
  readonly stores: Pick<Stores, 'log' | 'models' | 'onModelsEmptied' | 'people'>;
  /** Called with events when the read models contain them. */
  readonly noticed: (events: readonly KnownEvent[]) => void;
  /** Called when the read models cannot follow the log any more. */
  readonly fault: (error: unknown) => void;
  /** Called when the disk is full or busy, or the server is unreachable. */
  readonly unavailable: (error: StoreUnavailable) => void;
  readonly log: Logger;
  readonly environment: Environment;
};

/** The projection runner of the read models, and access to their writes. */
export type Projections = ProjectionRunner &
  Pick<DeferredCommits, 'write' | 'flush' | 'failure'> & {
    /** Whether the read models have all events that they ever had: false after a failed disk lost some of them. */
    readonly isWhole: () => boolean;
    /** Position of the last event that the read models have. */
    readonly position: () => bigint;
  };

/**
 * Catches up with the log and follows it; destroys the keys of erased persons.
 * @throws StoreUnavailable when the log stays unreadable
 */
export const startProjections = async ({
  stores: { log: store, models, onModelsEmptied, people },
  noticed,
  fault,
  unavailable,
  log,
  environment,
}: ProjectionParts): Promise<Projections> => {
  for (const { subject } of await resumeParked(models, store))
    log.info({ subject }, 'subject taken up again: this build can handle its events');
  const checkpoint = () => models.checkpoint('readModels').position;
  // The projection runner retries failed events and reports them.
  await replay(models, store.all(checkpoint()), {
    tree: true,
    yieldToEventLoop: eventLoopYielder(environment),
  }).catch((error: unknown) =>
    log.warn({ err: error }, 'catch-up ended early; the projection runner continues'),
  );
  reportParked(log, models.parked.all());
  const opened = openResources();
  let applied = checkpoint();
  let furthest = applied;
  const lost = (): void => {
    applied = checkpoint();
    runner.wake();
  };
  const commits = deferredCommits(models, { failed: unavailable, lost }, environment);
  opened.add(commits.close);
  onModelsEmptied?.(() => {
    commits.drop();
    lost();
  });
  /** Tells the followers of events. They find again what they miss, so their errors do not end the service. */
  const notify = (events: readonly KnownEvent[]): void => {
    try {
      noticed(events);
    } catch (error) {
      log.error({ err: error }, 'a follower of events failed');
    }
  };
  const runner = projectionRunner({
    store,
    after: () => applied,
    apply: async (events, through, stored) => {
      // Keys are destroyed before the checkpoint moves: after a crash the event is applied again.
      for (const event of events) {
        const keyId = destroyedKey(event);
        if (keyId !== undefined) await people.destroy(keyId);
      }
      const added = growth(models.tree, stored);
      let projected: Projected = { applied: [], parked: [] };
      commits.write(() => void (projected = models.project(stored, added)));
      applied = through.position;
      if (applied > furthest) furthest = applied;
      reportParked(log, projected.parked);
      notify(projected.applied);
    },
    fault,
    unavailable,
    environment,
  });
  opened.add(runner.stop);
  try {
    await runner.catchUp();
    // A failed catch-up leaves indexes missing.
    commits.write(() => {
      while (models.createIndex());
    });
    // A backup may have restored keys of persons that were erased before.
    for (const id of models.people.erased()) await people.destroy(id);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return {
    ...commits,
    ...runner,
    isWhole: () => applied >= furthest,
    position: () => applied,
    stop: opened.close,
  };
};
