import type { Environment } from '../../application/environment.js';
import { StoreUnavailable } from '../../application/eventStore.js';
import { exponentialBackoff } from '../../application/backoff.js';

/** Longest time that a start waits for a server that cannot be reached yet, in ms. */
const reachMs = 20_000;

/**
 * Tries something that a start needs until the store can be reached: a server may be starting too.
 * @param told called with each failure that is tried again
 * @throws StoreUnavailable after `reachMs`, and any other error at once
 */
export const untilReachable = async <Result>(
  attempt: () => Promise<Result>,
  told: (error: StoreUnavailable) => void,
  environment: Environment,
): Promise<Result> => {
  const { elapsedMs } = environment;
  const backoff = exponentialBackoff(environment);
  for (const since = elapsedMs(); ; await backoff.wait())
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || elapsedMs() - since > reachMs) throw error;
      told(error);
    }
};
