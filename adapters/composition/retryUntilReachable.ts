import type { Environment } from '../../application/environment.js';
import { StoreUnavailable } from '../../application/eventStore.js';
import { exponentialBackoff } from '../../application/backoff.js';

/** Milliseconds that a start waits for an unreachable server. */
const reachMs = 20_000;

/**
 * Retries a step of the start until the store can be reached: the server may be starting too.
 * @param retrying called with each failure before a retry
 * @throws StoreUnavailable after `reachMs`, any other error at once
 */
export const retryUntilReachable = async <Result>(
  attempt: () => Promise<Result>,
  retrying: (error: StoreUnavailable) => void,
  environment: Environment,
): Promise<Result> => {
  const { elapsedMs } = environment;
  const backoff = exponentialBackoff(environment);
  for (const since = elapsedMs(); ; await backoff.wait())
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || elapsedMs() - since > reachMs) throw error;
      retrying(error);
    }
};
