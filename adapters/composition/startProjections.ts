import type { Logger } from 'pino';
import type { KnownEvent } from '../../domain/events.js';
import { growth } from '../../auditing/logTree.js';
import type { Environment } from '../../application/environment.js';
import type { StoreUnavailable } from '../../application/eventStore.js';
import { projectionRunner, type ProjectionRunner } from '../../application/projecting/projectionRunner.js';
import { deferredCommits, type DeferredCommits } from '../../application/projecting/deferredCommits.js';
import type { Stores } from './openStores.js';
import { openedThings } from './opened.js';
import { eventLoopYielder } from '../../application/chunks.js';
import { replay } from '../../application/projecting/replay.js';

export type ProjectionParts = {
  readonly stores: Pick<Stores, 'log' | 'models' | 'onModelsEmptied' | 'people'>;
  /** Told of events when the read models hold them. */
  readonly noticed: (events: readonly KnownEvent[]) => void;
  /** The read models cannot follow the log any more. */
  readonly fault: (error: unknown) => void;
  /** Told of a disk that is full or busy, of a server that is away. */
  readonly unavailable: (error: StoreUnavailable) => void;
  readonly log: Logger;
  readonly environment: Environment;
};

/** The read models that follow the log, and how they are written. */
export type Projections = ProjectionRunner &
  Pick<DeferredCommits, 'write' | 'failure'> & {
    /** Whether readers see all events that were ever taken: not while those that a disk lost are taken again. */
    readonly isWhole: () => boolean;
  };

/**
 * Catches up with the log and follows it from then on; destroys the keys of people who were erased.
 * @throws StoreUnavailable when the log cannot be read for long
 */
export const startProjections = async ({
  stores: { log: store, models, onModelsEmptied, people },
  noticed,
  fault,
  unavailable,
  log,
  environment,
}: ProjectionParts): Promise<Projections> => {
  const checkpoint = () => models.checkpoint('readModels').position;
  // What cannot be taken now the follower meets again, and says so.
  await replay(models, store.all(checkpoint()), {
    tree: true,
    yieldToEventLoop: eventLoopYielder(environment),
  }).catch((error: unknown) => log.warn({ err: error }, 'catching up with the log ended early'));
  const opened = openedThings();
  let taken = checkpoint();
  let furthest = taken;
  const lost = (): void => {
    taken = checkpoint();
    runner.wake();
  };
  const commits = deferredCommits(models, { failed: unavailable, lost }, environment);
  opened.add(commits.close);
  onModelsEmptied?.(() => {
    commits.drop();
    lost();
  });
  const runner = projectionRunner({
    store,
    after: () => taken,
    apply: async (events, through, stored) => {
      // Before the read models know it: a crash in between brings the event again.
      for (const { type, data } of events) if (type === 'PersonErased') await people.destroy(data.personId);
      commits.write(() => models.apply(events, through, growth(models.tree, stored)));
      taken = through.position;
      if (taken > furthest) furthest = taken;
      noticed(events);
    },
    fault,
    unavailable,
    environment,
  });
  opened.add(runner.stop);
  try {
    await runner.catchUp();
    // They may have been caught up with, and a backup may have brought keys back.
    for (const id of models.people.erased()) await people.destroy(id);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return { ...commits, ...runner, isWhole: () => taken >= furthest, stop: opened.close };
};
