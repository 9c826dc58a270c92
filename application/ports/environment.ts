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
    signal?.addEventListener('abort', stop, { once: true });
    cancel = after(ms, () => {
      // A signal may outlive many pauses.
      signal?.removeEventListener('abort', stop);
      resolve();
    });
  });

/** Work that an instance does again and again by itself. */
export type Repeated = {
  /** Works now, and once more if it works already; resolves when the work under way has ended. */
  readonly wake: () => Promise<void>;
  /** Resolves when the work under way has ended; it does not begin again. */
  readonly stop: () => Promise<void>;
};

export type RepeatedParts = {
  readonly environment: Pick<Environment, 'after'>;
  /** Called with each error of the work, but not after the stop. */
  readonly failed: (error: unknown) => void;
  /** Pause after an error, in ms. */
  readonly retryMs: number;
  /** Aborted at the stop. */
  readonly stopping: AbortController;
};

/** Longest sleep, because the clock of the machine may be corrected meanwhile. */
const sleepMaxMs = 600_000;

/** Runs `work` when woken, and again after the milliseconds that it returns; undefined waits for the next call. */
export const repeatedly = (
  { environment, failed, retryMs, stopping }: RepeatedParts,
  work: () => Promise<number | undefined>,
): Repeated => {
  const { signal } = stopping;
  let isAsked = false;
  let working: Promise<void> | undefined;
  let cancelSleep = (): void => {};

  const pass = async (): Promise<number | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) failed(error);
      return retryMs;
    }
  };
  const run = async (): Promise<void> => {
    while (isAsked && !signal.aborted) {
      isAsked = false;
      const sleepMs = await pass();
      // Work that was asked for meanwhile begins at once; a timer would stay behind.
      const isIdle = !isAsked && !signal.aborted;
      if (sleepMs !== undefined && isIdle)
        cancelSleep = environment.after(Math.min(sleepMs, sleepMaxMs), () => void wake());
    }
    working = undefined;
  };
  const wake = (): Promise<void> => {
    if (signal.aborted) return working ?? Promise.resolve();
    isAsked = true;
    cancelSleep();
    return (working ??= run());
  };
  return {
    wake,
    stop: async () => {
      stopping.abort();
      cancelSleep();
      await working;
    },
  };
};
