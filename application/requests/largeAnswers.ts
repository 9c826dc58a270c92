import type { Environment } from '../ports/environment.js';
import { fairQueue, sharedCapacity } from '../ports/sharing/fairQueue.js';

/** Answers that are made as a whole at once, of one tenant at most half of them, and answers that wait. */
const madeAtOnce = 8;
const waitingMax = 512;
/** Answers that are written while their clients read them; see `sharedCapacity` for those of one tenant. */
const streamedAtOnce = 16;
/** Longest time of such an answer: a client that reads slowly does not keep its place for ever. */
const lifetimeMs = 15 * 60_000;

/** Places for answers that grow with the data. Each has a part of the data in memory. */
export type LargeAnswers = {
  /**
   * Waits for a place to make an answer as a whole. Returns a function that frees it.
   * @throws QueueFull, reason of the signal
   */
  readonly enter: (tenant: string, signal?: AbortSignal) => Promise<() => void>;
  /**
   * Takes a place for an answer that is written while its client reads it. Returns a function that frees it.
   * @param end  called when the answer has taken too long
   * @throws QueueFull
   */
  readonly stream: (tenant: string, end: () => void) => () => void;
  /** Number of answers that wait for a place. */
  readonly waiting: () => number;
};

/** The places of one instance. */
export const largeAnswers = ({ after }: Pick<Environment, 'after'>): LargeAnswers => {
  const made = fairQueue({ atOnce: madeAtOnce, reserving: true, waitingMax, name: 'large answers' });
  const streamed = sharedCapacity(streamedAtOnce, 'large answers');
  return {
    enter: (tenant, signal) => made.enter(tenant, signal),
    stream: (tenant, end) => {
      streamed.take(tenant, 1);
      const cancel = after(lifetimeMs, end);
      let isTaken = true;
      return () => {
        if (isTaken) streamed.release(tenant, 1);
        isTaken = false;
        cancel();
      };
    },
    waiting: made.waiting,
  };
};
