import type { KnownEvent } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import { pause, type Environment } from '../environment.js';
import type { EventStore, StoreUnavailable } from '../eventStore.js';
import { projectionRunner } from '../projecting/projectionRunner.js';
import { isPassing, followUpTypes } from './followUps.js';
import { guarded } from '../../adapters/sqlite/database.js';

/** An event that the reactor is to do something about, and where it says what came of it. */
export type Delivered = {
  readonly event: KnownEvent;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
  /** Somebody should have done it long ago. */
  readonly isOverdue?: boolean;
};

/** Brings events to a reactor, each at least once. */
export type Subscription = {
  /** Begins; `take` resolves when more may come. */
  readonly start: (take: (delivered: readonly Delivered[]) => Promise<void>) => void;
  /** Looks at the log again soon. */
  readonly wake: () => void;
  /** Brings nothing more; resolves when nothing is being brought. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly store: EventStore;
  readonly models: ReadModels;
  readonly fault: (error: unknown) => void;
  /** What becomes of an event whose reaction failed; a fault unless it is said. */
  readonly failed?: (error: unknown) => void;
  /** Brings an event only when it is so old. */
  readonly lateMs?: number;
  /** See `follow`. */
  readonly unavailable?: (error: StoreUnavailable) => void;
  readonly environment: Environment;
};

/** Name of the reactor's checkpoint: all events up to it are done. */
const checkpointName = 'reactor';

/**
 * Brings the events of a log that has one reactor alone, from a checkpoint beside the read models. It stays
 * behind the first event that is not done, so that a crash brings it again.
 */
export const logSubscription = ({
  store,
  models,
  fault,
  failed,
  lateMs,
  unavailable,
  environment,
}: Parts): Subscription => {
  /** Positions of events that are not done, each with that of the event before it. */
  const outstanding = new Map<bigint, bigint>();
  let taken = models.checkpoint(checkpointName).position;
  let runner: ReturnType<typeof projectionRunner> | undefined;
  let stopped = false;
  let noting = false;
  const stopping = new AbortController();

  /** Waits until an event is as old as it must be. */
  const ripe = async ({ at }: KnownEvent): Promise<void> => {
    const waitMs = Date.parse(at) + (lateMs ?? 0) - environment.nowMs();
    if (waitMs > 0) await pause(environment, waitMs, stopping.signal);
  };

  /** Notes how far everything is done: to before the first job that is not, or to the last event taken. */
  const noteProgress = (): void => {
    const [before] = outstanding.values();
    try {
      guarded(() => models.saveCheckpoint(checkpointName, before ?? taken));
    } catch (error) {
      // A checkpoint that stays behind only brings again what is known to be done.
      if (!isPassing(error)) throw error;
    }
  };

  const done = (position: bigint): void => {
    outstanding.delete(position);
    // Of many that are done at once one note is enough, but none may come after the database is closed.
    if (stopped) return noteProgress();
    if (noting) return;
    noting = true;
    void environment.nextTurn().then(() => {
      noting = false;
      if (!stopped) noteProgress();
    });
  };

  return {
    start: take => {
      runner = projectionRunner({
        store,
        after: () => taken,
        types: followUpTypes,
        apply: async (events, { position }) => {
          const last = events.at(-1);
          if (last && lateMs !== undefined) await ripe(last);
          if (stopped) return;
          let before = taken;
          for (const event of events) {
            outstanding.set(event.position, before);
            before = event.position;
          }
          taken = position;
          await take(
            events.map(event => ({
              event,
              done: () => done(event.position),
              failed: error => {
                if (!failed) return fault(error);
                failed(error);
                done(event.position);
              },
              late: lateMs !== undefined,
            })),
          );
          noteProgress();
        },
        fault,
        environment,
        ...(unavailable && { unavailable }),
      });
      runner.wake();
    },
    wake: () => runner?.wake(),
    stop: async () => {
      stopped = true;
      stopping.abort();
      await runner?.stop();
      noteProgress();
    },
  };
};

/** Deliveries of both. */
export const bothSubscriptions = (one: Subscription, other: Subscription): Subscription => ({
  start: take => {
    one.start(take);
    other.start(take);
  },
  wake: () => {
    one.wake();
    other.wake();
  },
  stop: async () => {
    await Promise.all([one.stop(), other.stop()]);
  },
});
