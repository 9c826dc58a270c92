import { pause, type Environment } from './environment.js';
import { Conflict, Contention } from './eventStore.js';

/** Longest time, in ms, in which an append that other instances get ahead of is tried again. */
export const retryMs = 10_000;

const firstMs = 10;
const longestMs = 500;

type Surroundings = Pick<Environment, 'after' | 'elapsedMs' | 'randomBytes'>;

/**
 * The wait before a retry: exponential backoff with full jitter, so that instances that met once do not meet again.
 * @param retry  from 1
 * @param random in [0, 1)
 * @returns ms in [0, 500)
 */
export const backoffMs = (retry: number, random: number): number =>
  random * Math.min(longestMs, firstMs * 2 ** (retry - 1));

/**
 * Repeats an attempt that loses to other instances, each time from what they appended.
 * @param since when the command came, as `elapsedMs` says; it is tried once however late it is
 * @throws Contention when it lost until `retryMs` were over, else what the attempt throws
 */
export const untilWon = async <Result>(
  attempt: () => Promise<Result>,
  environment: Surroundings,
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
