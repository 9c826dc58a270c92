import type { Logger } from 'pino';
import type { KnownEvent, Recorded } from '../../domain/events.js';
import { destroyedKey } from '../../projections/people.js';
import type { Projected } from '../../projections/readModels.js';
import { reportParked, resumeParked } from '../../application/reading/parking.js';
import {
  growth,
  projectionRunner,
  type ProjectionRunner,
} from '../../application/reading/projectionRunner.js';
import { foldedInPassing, type FoldedStates } from '../../application/commands/foldedStates.js';
import type { Environment } from '../../application/ports/environment.js';
import { StoreUnavailable, failAfterEffect } from '../../application/ports/eventStore.js';
import { deferredCommits, type DeferredCommits } from '../../application/reading/deferredCommits.js';
import { type Stores, openResources } from './openStores.js';
import { eventLoopYielder } from '../../application/ports/sharing/turns.js';
import { replay } from '../../application/reading/replay.js';
import { freshness } from '../../application/reading/freshness.js';
import type { Service } from '../../application/requests/service.js';

export type ProjectionParts = {
  readonly stores: Pick<Stores, 'log' | 'models' | 'onModelsEmptied' | 'emptyModels' | 'people'>;
  /** States of streams, to which those of the events are added that the read models lack at the start. */
  readonly states: FoldedStates;
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
 * Returns a function that applies events. Events that cannot be applied park their subjects, so another error means
 * that the read models have rows that cannot be: they are replaced by empty ones, at most once in a process.
 * @throws StoreUnavailable when they were replaced
 */
const emptiedOnce = (empty: Stores['emptyModels']) => {
  let isSpent = false;
  return <Result>(apply: () => Result): Result => {
    try {
      return apply();
    } catch (error) {
      if (!empty || isSpent || error instanceof StoreUnavailable) throw error;
      isSpent = true;
      empty(error);
      throw new StoreUnavailable('the read models were damaged; they are rebuilt from the log', {
        cause: error,
      });
    }
  };
};

/**
 * Catches up with the log and follows it; destroys the keys of erased persons.
 * @throws StoreUnavailable when the log stays unreadable
 */
export const startProjections = async ({
  stores: { log: store, models, onModelsEmptied, emptyModels, people },
  states,
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
  await replay(models, foldedInPassing(states, store.all(checkpoint())), {
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
  const project = (stored: readonly Recorded[]): Projected => {
    let projected: Projected = { applied: [], parked: [] };
    // The changes before may be written again first: only then the tree has its size.
    commits.write(() => void (projected = models.project(stored, growth(models.tree, stored))));
    return projected;
  };
  const orEmptied = emptiedOnce(emptyModels);
  const runner = projectionRunner({
    store,
    after: () => applied,
    apply: async (events, through, stored) => {
      // Keys are destroyed before the checkpoint moves: after a crash the event is applied again.
      for (const event of events) {
        const keyId = destroyedKey(event);
        if (keyId !== undefined) await people.destroy(keyId);
      }
      const projected = orEmptied(() => project(stored));
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
    for (let isMissing = true; isMissing; await environment.nextTurn())
      commits.write(() => void (isMissing = models.createIndex()));
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

type ConsistencyParts = {
  readonly stores: Pick<Stores, 'log'>;
  readonly projections: Awaited<ReturnType<typeof startProjections>>;
  /** Throws StorageFull while disk space is short; absent for no check. */
  readonly requireRoom: (() => void) | undefined;
  readonly environment: Environment;
};

/** The rules of a service on read models that are behind the log, incomplete, or not writable. */
export const consistency = ({
  stores: { log },
  projections,
  requireRoom = () => {},
  environment,
}: ConsistencyParts): Pick<
  Service,
  'caughtUp' | 'requireRoom' | 'requireWhole' | 'freshness' | 'isProjecting'
> => {
  const rules = freshness({
    projections,
    shared: log.shared !== undefined,
    position: projections.position,
    environment,
  });
  const requireWhole = (): void => {
    if (!projections.isWhole())
      throw (
        projections.failure() ??
        new StoreUnavailable('the read models lost events and are applying them again; retry later')
      );
  };
  return {
    caughtUp: () => projections.catchUp().then(requireWhole).catch(failAfterEffect),
    requireRoom: () => {
      requireRoom();
      const failure = projections.failure();
      if (failure) throw failure;
    },
    requireWhole,
    freshness: {
      forWrite: async () => {
        requireWhole();
        await rules.forWrite();
        requireWhole();
      },
      forRead: async maxStalenessMs => {
        requireWhole();
        const seen = await rules.forRead(maxStalenessMs);
        requireWhole();
        return seen;
      },
    },
    isProjecting: () => !projections.isFailing() && projections.isWhole(),
  };
};
