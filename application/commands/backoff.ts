import { pause, type Environment } from '../ports/environment.js';
import { LogDamaged, StoreUnavailable } from '../ports/eventStore.js';

const firstMs = 50;
const factor = 2;
const longestMs = 5000;

/** Growing waits between retries: 50 ms, 100 ms and so on, at most five seconds. */
export const exponentialBackoff = (environment: Pick<Environment, 'after'>) => {
  let ms = firstMs;
  const stopping = new AbortController();
  return {
    /** Waits before the next retry; returns at once after `cancel`. */
    wait: (): Promise<void> => {
      const delayMs = ms;
      ms = Math.min(ms * factor, longestMs);
      return pause(environment, delayMs, stopping.signal);
    },
    /** To be called after a success: the next wait is the shortest again. */
    reset: (): void => {
      ms = firstMs;
    },
    /** Ends the present wait and all later ones. */
    cancel: (): void => stopping.abort(),
  };
};

/**
 * Retries an attempt with growing waits while the store cannot be reached.
 * @param retrying called with each failure before a retry
 * @throws StoreUnavailable after `forMs`; at once LogDamaged, as damage does not pass, and any other error
 */
export const untilReachable = async <Result>(
  attempt: () => Promise<Result>,
  environment: Pick<Environment, 'after' | 'elapsedMs'>,
  forMs: number,
  retrying: (error: StoreUnavailable) => void = () => {},
): Promise<Result> => {
  const backoff = exponentialBackoff(environment);
  for (const since = environment.elapsedMs(); ; await backoff.wait())
    try {
      return await attempt();
    } catch (error) {
      const mayPass = error instanceof StoreUnavailable && !(error instanceof LogDamaged);
      if (!mayPass || environment.elapsedMs() - since >= forMs) throw error;
      retrying(error);
    }
};
