import { pause, type Environment } from './environment.js';
import { Conflict, Contention } from './eventStore.js';

/** Milliseconds after which an append that loses to other instances is no longer retried. */
export const retryMs = 10_000;

const firstMs = 10;
const longestMs = 500;

/**
 * Wait before a retry: exponential backoff with full jitter, so that colliding instances spread out.
 * @param retry  from 1
 * @param random in [0, 1)
 * @returns ms in [0, 500)
 */
export const backoffMs = (retry: number, random: number): number =>
  random * Math.min(longestMs, firstMs * 2 ** (retry - 1));

/**
 * Retries an attempt that throws Conflict because another instance appended first.
 * @param since arrival of the command, in `elapsedMs`; at least one attempt is made
 * @throws Contention when the last conflict is `retryMs` after the arrival, else the error of the attempt
 */
export const retryOnConflict = async <Result>(
  attempt: () => Promise<Result>,
  environment: Pick<Environment, 'after' | 'elapsedMs' | 'randomBytes'>,
  since = environment.elapsedMs(),
): Promise<Result> => {
  for (let retry = 1; ; retry += 1)
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const waitMs = backoffMs(retry, environment.randomBytes(4).readUInt32LE() / 2 ** 32);
      if (environment.elapsedMs() + waitMs - since >= retryMs) throw new Contention(error);
      await pause(environment, waitMs);
    }
};
