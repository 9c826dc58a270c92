import type { KnownEvent } from '../../domain/events.js';
import { followUpTypes } from '../../domain/followUps.js';
import type { ReadModels } from '../../projections/readModels.js';
import { pause, type Environment } from '../ports/environment.js';
import type { EventStore, StoreUnavailable } from '../ports/eventStore.js';
import { processManagerCheckpoint } from '../reading/parking.js';
import { projectionRunner } from '../reading/projectionRunner.js';
import { isTransient } from './followUpParts.js';

/** An event for the process manager, with the functions that report its outcome. */
export type Delivered = {
  readonly event: KnownEvent;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
  /** Whether another instance should have handled it before. */
  readonly isOverdue?: boolean;
  /** Whether its outcome may be reported late: a server delivers an event again that is not reported in time. */
  readonly mayWait?: boolean;
};

/** Delivers events to the process manager, each at least once. */
export type Subscription = {
  /** Starts the delivery; `deliver` resolves when more events may be delivered. */
  readonly start: (deliver: (delivered: readonly Delivered[]) => Promise<void>) => void;
  /** To be called after an append: the log is read again. */
  readonly wake: () => void;
  /** Ends the delivery; resolves when no delivery is running. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly store: EventStore;
  readonly models: ReadModels;
  readonly fault: (error: unknown) => void;
  /** Called when the handling of an event failed, which is then skipped. Without it a failure is a fault. */
  readonly failed?: (error: unknown) => void;
  /** Age in ms at which an event is delivered as overdue; undefined to deliver all events at once. */
  readonly overdueMs?: number;
  /** See `ProjectionRunnerParts`. */
  readonly unavailable?: (error: StoreUnavailable) => void;
  readonly environment: Environment;
};

/**
 * Delivers the events of the log after a checkpoint that is stored with the read models. The checkpoint stays before
 * the first event that is not done, so that the event is delivered again after a crash.
 */
export const logSubscription = ({
  store,
  models,
  fault,
  failed,
  overdueMs,
  unavailable,
  environment,
}: Parts): Subscription => {
  /** Positions of the events that are not done, each with the position of the event before it. */
  const outstanding = new Map<bigint, bigint>();
  // A fresh instance does not work through a history that is done.
  const doneUpTo = models.followUps.doneUpTo(followUpTypes);
  const saved = models.checkpoint(processManagerCheckpoint).position;
  let reached = saved > doneUpTo ? saved : doneUpTo;
  let runner: ReturnType<typeof projectionRunner> | undefined;
  let stopped = false;
  let saveScheduled = false;
  const stopping = new AbortController();

  /** Waits until an event is overdue: a time ahead of this clock counts as now. A timer may end a millisecond early. */
  const untilOverdue = async ({ at }: KnownEvent): Promise<void> => {
    const leftMs = (overdueMs ?? 0) - Math.max(0, environment.nowMs() - Date.parse(at));
    const dueMs = environment.elapsedMs() + leftMs;
    while (!stopped && environment.elapsedMs() < dueMs)
      await pause(environment, dueMs - environment.elapsedMs(), stopping.signal);
  };

  /** Saves the checkpoint: before the first event that is not done, or at the last event delivered. */
  const saveProgress = (): void => {
    const [before] = outstanding.values();
    try {
      models.saveCheckpoint(processManagerCheckpoint, before ?? reached);
    } catch (error) {
      // An old checkpoint only repeats events that are known to be done.
      if (!isTransient(error)) throw error;
    }
  };

  const done = (position: bigint): void => {
    outstanding.delete(position);
    // One write is enough for all events done in this turn. None may follow the closing of the database.
    if (stopped) return saveProgress();
    if (saveScheduled) return;
    saveScheduled = true;
    void environment.nextTurn().then(() => {
      saveScheduled = false;
      if (!stopped) saveProgress();
    });
  };

  return {
    start: deliver => {
      runner = projectionRunner({
        store,
        after: () => reached,
        types: followUpTypes,
        apply: async (events, { position }) => {
          const last = events.at(-1);
          if (last && overdueMs !== undefined) await untilOverdue(last);
          if (stopped) return;
          let before = reached;
          for (const event of events) {
            outstanding.set(event.position, before);
            before = event.position;
          }
          reached = position;
          await deliver(
            events.map((event): Delivered => ({
              event,
              done: () => done(event.position),
              failed: error => {
                if (!failed) return fault(error);
                failed(error);
                done(event.position);
              },
              isOverdue: overdueMs !== undefined,
              mayWait: true,
            })),
          );
          saveProgress();
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
      saveProgress();
    },
  };
};

/** A subscription that delivers the events of two. */
export const bothSubscriptions = (one: Subscription, other: Subscription): Subscription => ({
  start: deliver => {
    one.start(deliver);
    other.start(deliver);
  },
  wake: () => {
    one.wake();
    other.wake();
  },
  stop: async () => {
    await Promise.all([one.stop(), other.stop()]);
  },
});
