import type { Logger } from 'pino';
import { sourceOf, type KnownEvent } from '../domain/events.js';
import type { ReadModels } from '../projections/readModels.js';
import type { EventStore } from './eventStore.js';
import { follow } from './follow.js';
import { guarded } from './stores/database.js';
import { isPassing, reactionTypes, type Reactions } from './reactions.js';

/** Follows the log and has done what its events ask for, at least once each. */
export type Reactor = {
  readonly wake: () => void;
  /** Jobs taken and not done. */
  readonly backlog: () => number;
  /** Stops taking jobs and ends analyses; what is not done is done after the next start. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly store: EventStore;
  readonly models: ReadModels;
  /** Resolves when the read models hold all that was in the log at the call. */
  readonly settled: () => Promise<void>;
  readonly reactions: Reactions;
  readonly log: Logger;
  readonly fault: (error: unknown) => void;
};

/** Name of the reactor's checkpoint: all events up to it are done. */
const checkpointName = 'reactor';
/** Jobs taken and not done, at most; the log keeps the rest. */
const outstandingMax = 1000;
const retryPausesMs = [100, 500, 2000, 10_000];

/**
 * Starts the reactor at its checkpoint. Events of one source are done in their order, sources side by side;
 * the checkpoint stays behind the first that is not done, so that a crash brings it again.
 */
export const reactor = ({ store, models, settled, reactions, log, fault }: Parts): Reactor => {
  const queues = new Map<number, Promise<void>>();
  const outstanding = new Set<bigint>();
  const room: (() => void)[] = [];
  let taken = models.checkpoint(checkpointName).position;
  let stopping = false;

  /** Works until done; a store that cannot be reached now is tried again with growing pauses. */
  const persist = async (event: KnownEvent): Promise<void> => {
    for (let tries = 0; !stopping; tries += 1) {
      try {
        await settled();
        return await reactions.react(event);
      } catch (error) {
        if (stopping) return;
        if (error instanceof Error && error.name === 'AbortError') return;
        if (!isPassing(error)) throw error;
        log.warn({ err: error, event: event.type }, 'reactor tries again');
        await new Promise(resolve =>
          setTimeout(resolve, retryPausesMs[Math.min(tries, retryPausesMs.length - 1)]),
        );
      }
    }
  };

  /** Notes how far everything is done: to before the first job that is not, or to the last event taken. */
  const noteProgress = (): void => {
    const [first] = outstanding;
    try {
      guarded(() => models.saveCheckpoint(checkpointName, first === undefined ? taken : first - 1n));
    } catch (error) {
      // A checkpoint that stays behind only brings again what is known to be done.
      if (!isPassing(error)) throw error;
    }
  };

  const finish = (position: bigint): void => {
    if (stopping) return;
    outstanding.delete(position);
    noteProgress();
    for (const go of room.splice(0)) go();
  };

  const enqueue = (event: KnownEvent): void => {
    const sourceId = sourceOf(event.stream);
    outstanding.add(event.position);
    // Newer models end an analysis that is under way: its result would be refused.
    if (event.type === 'ModelsResetRequested' || event.type === 'ModelsReplaced') reactions.end(sourceId);
    const before = queues.get(sourceId) ?? Promise.resolve();
    const mine = before
      .then(() => persist(event))
      .then(() => finish(event.position), fault)
      .finally(() => {
        if (queues.get(sourceId) === mine) queues.delete(sourceId);
      });
    queues.set(sourceId, mine);
  };

  const follower = follow({
    store,
    after: taken,
    types: reactionTypes,
    take: async (events, { position }) => {
      await settled();
      for (const event of events) {
        while (outstanding.size >= outstandingMax && !stopping)
          await new Promise<void>(resolve => room.push(resolve));
        if (stopping) return;
        if (reactions.isDue(event)) enqueue(event);
        taken = event.position;
      }
      taken = position;
      noteProgress();
    },
    fault,
  });
  follower.wake();

  return {
    wake: follower.wake,
    backlog: () => outstanding.size,
    stop: async () => {
      stopping = true;
      for (const go of room.splice(0)) go();
      reactions.end();
      await follower.stop();
      await Promise.all(queues.values());
    },
  };
};
