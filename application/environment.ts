/**
 * Time, turns of the event loop and randomness: all that the service takes from its surroundings beside its stores,
 * its network and its threads. A simulation gives its own, which one seed drives.
 */
export type Environment = {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly nowMs: () => number;
  /** Milliseconds of a clock that never goes back: for durations. */
  readonly elapsedMs: () => number;
  /** Calls `run` once after `ms` milliseconds; answers what cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Resolves when everything else that is ready has had its turn. */
  readonly nextTurn: () => Promise<void>;
  /** A new id, as no other has it. */
  readonly newId: () => string;
  readonly randomBytes: (count: number) => Buffer;
};

/** The present instant, ISO 8601 UTC. */
export const instantOf = ({ nowMs }: Pick<Environment, 'nowMs'>): string => new Date(nowMs()).toISOString();

/** Resolves after `ms` milliseconds, or at once when `signal` ends the wait. */
export const pause = (
  { after }: Pick<Environment, 'after'>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise(resolve => {
    if (signal?.aborted) return resolve();
    const cancel = after(ms, resolve);
    signal?.addEventListener(
      'abort',
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
