import { pause, type Environment } from '../../ports/environment.js';
import { turnMs } from '../../ports/sharing/eventLoopYielder.js';

/**
 * Returns a function to await between small steps of background work: after `turnMs` of work it waits until the work
 * has taken a share of the time.
 * @param share  in (0, 1]
 * @param signal ends the waits; the function then throws its reason
 */
export const pacer = (
  share: number,
  environment: Pick<Environment, 'elapsedMs' | 'after'>,
  signal: AbortSignal,
): (() => Promise<void> | undefined) => {
  let since = environment.elapsedMs();
  const wait = async (workedMs: number): Promise<void> => {
    await pause(environment, workedMs * (1 / share - 1), signal);
    signal.throwIfAborted();
    since = environment.elapsedMs();
  };
  return () => {
    const workedMs = environment.elapsedMs() - since;
    return workedMs < turnMs ? undefined : wait(workedMs);
  };
};
