import type { KnownEvent } from '../domain/events.js';
import type { ReadModels } from '../projections/readModels.js';
import type { EventStore } from './eventStore.js';
import { follow } from './follow.js';
import { isPassing, reactionTypes } from './reactions.js';
import { guarded } from './stores/database.js';

/** An event that the reactor is to do something about, and where it says what came of it. */
export type Delivery = {
  readonly event: KnownEvent;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
};

/** Brings events to a reactor, each at least once. */
export type Deliveries = {
  /** Begins; `take` resolves when more may come. */
  readonly start: (take: (deliveries: readonly Delivery[]) => Promise<void>) => void;
  /** Looks at the log again soon. */
  readonly wake: () => void;
  /** Brings nothing more; resolves when nothing is being brought. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly store: EventStore;
  readonly models: ReadModels;
  readonly fault: (error: unknown) => void;
};

/** Name of the reactor's checkpoint: all events up to it are done. */
const checkpointName = 'reactor';

/**
 * Brings the events of a log that has one reactor alone, from a checkpoint beside the read models. It stays
 * behind the first event that is not done, so that a crash brings it again.
 */
export const logDeliveries = ({ store, models, fault }: Parts): Deliveries => {
  const outstanding = new Set<bigint>();
  let taken = models.checkpoint(checkpointName).position;
  let follower: ReturnType<typeof follow> | undefined;
  let stopped = false;
  let soon: NodeJS.Immediate | undefined;

  /** Notes how far everything is done: to before the first job that is not, or to the last event taken. */
  const noteProgress = (): void => {
    clearImmediate(soon);
    soon = undefined;
    const [first] = outstanding;
    try {
      guarded(() => models.saveCheckpoint(checkpointName, first === undefined ? taken : first - 1n));
    } catch (error) {
      // A checkpoint that stays behind only brings again what is known to be done.
      if (!isPassing(error)) throw error;
    }
  };

  const done = (position: bigint): void => {
    outstanding.delete(position);
    // Of many that are done at once one note is enough, but none may come after the database is closed.
    if (stopped) noteProgress();
    else soon ??= setImmediate(noteProgress);
  };

  return {
    start: take => {
      follower = follow({
        store,
        after: taken,
        types: reactionTypes,
        take: async (events, { position }) => {
          for (const event of events) outstanding.add(event.position);
          await take(events.map(event => ({ event, done: () => done(event.position), failed: fault })));
          taken = position;
          noteProgress();
        },
        fault,
      });
      follower.wake();
    },
    wake: () => follower?.wake(),
    stop: async () => {
      stopped = true;
      await follower?.stop();
      noteProgress();
    },
  };
};
