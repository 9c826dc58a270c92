import type { Logger } from 'pino';
import type { KnownEvent } from '../domain/events.js';
import { growth } from './audit/logTree.js';
import type { Environment } from './environment.js';
import type { StoreUnavailable } from './eventStore.js';
import { follow, type Follower } from './follow.js';
import { lateCommits } from './lateCommits.js';
import type { Stores } from './openStores.js';
import { openedThings } from './opened.js';
import { replay } from './replay.js';

export type ProjectionParts = {
  readonly stores: Pick<Stores, 'log' | 'models' | 'people'>;
  /** Told of events when the read models hold them. */
  readonly taken: (events: readonly KnownEvent[]) => void;
  /** The read models cannot follow the log any more. */
  readonly fault: (error: unknown) => void;
  /** Told of a disk that is full or busy, of a server that is away. */
  readonly unavailable: (error: StoreUnavailable) => void;
  readonly log: Logger;
  readonly environment: Environment;
};

/**
 * Catches up with the log and follows it from then on; destroys the keys of people who were erased.
 * @throws StoreUnavailable when the log cannot be read for long
 */
export const startProjections = async ({
  stores: { log: store, models, people },
  taken,
  fault,
  unavailable,
  log,
  environment,
}: ProjectionParts): Promise<Follower> => {
  const after = () => models.checkpoint('readModels').position;
  // What cannot be taken now the follower meets again, and says so.
  await replay(models, store.all(after()), { tree: true, environment }).catch((error: unknown) =>
    log.warn({ err: error }, 'catching up with the log ended early'),
  );
  const opened = openedThings();
  const commits = lateCommits(
    models,
    error => {
      unavailable(error);
      follower.wake();
    },
    environment,
  );
  opened.add(commits.close);
  const follower = follow({
    store,
    after,
    take: async (events, through, stored) => {
      // Before the read models know it: a crash in between brings the event again.
      for (const { type, data } of events) if (type === 'PersonErased') await people.destroy(data.personId);
      commits.write(() => models.apply(events, through, growth(models.tree, stored)));
      taken(events);
    },
    fault,
    unavailable,
    environment,
  });
  opened.add(follower.stop);
  try {
    await follower.settle();
    // They may have been caught up with, and a backup may have brought keys back.
    for (const id of models.people.erased()) await people.destroy(id);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return { ...follower, stop: opened.close };
};
