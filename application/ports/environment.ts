/**
 * Clocks, timers, event loop and randomness. A simulation provides its own, driven by one seed.
 */
export type Environment = {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly nowMs: () => number;
  /** Milliseconds of a monotonic clock: for durations. */
  readonly elapsedMs: () => number;
  /** Calls `run` once after `ms` milliseconds; returns a function that cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Yields to the event loop: resolves after all other work that is ready. */
  readonly nextTurn: () => Promise<void>;
  /** A new unique id. */
  readonly newId: () => string;
  readonly randomBytes: (count: number) => Buffer;
};

/** The present instant, ISO 8601 UTC. */
export const instantOf = ({ nowMs }: Pick<Environment, 'nowMs'>): string => new Date(nowMs()).toISOString();

/** Resolves after `ms` milliseconds, or when `signal` is aborted. */
export const pause = (
  { after }: Pick<Environment, 'after'>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise(resolve => {
    if (signal?.aborted) return resolve();
    let cancel = (): void => {};
    const stop = (): void => {
      cancel();
      resolve();
    };
    cancel = after(ms, () => {
      // A signal may outlive many pauses.
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
