import { pause, type Environment } from '../ports/environment.js';
import { StoreUnavailable } from '../ports/eventStore.js';
import type { ProjectionRunner } from './projectionRunner.js';

/** Position of the read models that a read sees, and their age. */
export type Seen = {
  readonly position: bigint;
  /** Milliseconds since they last had all events of the log; 0 when they have all events up to the request. */
  readonly ageMs: number;
};

/** Rules that decide whether a request waits for the read models, is refused, or is answered from older ones. */
export type Freshness = {
  /**
   * Resolves when a write may be decided: the read models have all events up to the call.
   * @throws StoreUnavailable when the store cannot be reached
   */
  readonly forWrite: () => Promise<void>;
  /**
   * Resolves when a read may be answered: as `forWrite`, or earlier when the client accepts older read models.
   * @param maxStalenessMs accepted age; undefined for the default of the store
   * @throws ReadModelsBehind
   */
  readonly forRead: (maxStalenessMs?: number) => Promise<Seen>;
};

/** The read models are too old to answer a read. */
export class ReadModelsBehind extends Error {
  readonly name = 'ReadModelsBehind';

  constructor(ageMs: number, maxStalenessMs: number) {
    super(
      `the read models are ${seconds(ageMs)} s behind the log, expected at most ` +
        `${seconds(maxStalenessMs)} s; retry, or accept older answers with maxStaleness=<seconds>`,
    );
  }
}

/** An age in whole seconds, rounded up so that no answer is reported younger than it is. */
export const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** Milliseconds that a read waits for the read models to catch up. */
export const readWaitMs = 5000;

export type FreshnessParts = {
  readonly projections: Pick<ProjectionRunner, 'catchUp' | 'caughtUpAt' | 'isFailing'>;
  /** Whether other instances append to the same log. */
  readonly shared: boolean;
  /** Position of the read models. */
  readonly position: () => bigint;
  readonly environment: Environment;
};

/** Freshness rules of one instance. */
export const freshness = ({ projections, shared, position, environment }: FreshnessParts): Freshness => {
  const { elapsedMs } = environment;
  const age = (): number => Math.max(0, elapsedMs() - projections.caughtUpAt());

  /** Waits for the read models; false when they have not caught up after `readWaitMs`. */
  const caughtUpInTime = async (): Promise<boolean> => {
    const timer = new AbortController();
    const caughtUp = projections.catchUp().then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreUnavailable) return false;
        throw error;
      },
    );
    const timeout = pause(environment, readWaitMs, timer.signal).then(() => false);
    return Promise.race([caughtUp, timeout]).finally(() => timer.abort());
  };

  return {
    forWrite: () => (shared ? projections.catchUp() : Promise.resolve()),
    forRead: async maxStalenessMs => {
      // A single instance has applied all that it acknowledged. While its projections fail, no newer read models exist.
      const alone = !shared;
      if (alone && !projections.isFailing()) return { position: position(), ageMs: 0 };
      const allowedMs = maxStalenessMs ?? (alone ? Infinity : 0);
      const mayBeOld = allowedMs > 0 && age() <= allowedMs;
      if (!mayBeOld && (await caughtUpInTime())) return { position: position(), ageMs: 0 };
      const ageMs = age();
      if (ageMs > allowedMs) throw new ReadModelsBehind(ageMs, allowedMs);
      return { position: position(), ageMs };
    },
  };
};

/** Milliseconds that a request waits for its analysis or check; then it is answered 202. */
const outcomeTimeoutMs = 10_000;

/** Lets requests wait for a condition on the read models. */
export type Waiters = {
  /** Evaluates all waiting conditions again. */
  readonly notify: () => void;
  /** The first value of `look` that is not undefined, or undefined after `timeoutMs`. */
  readonly until: <Value>(look: () => Value | undefined, timeoutMs: number) => Promise<Value | undefined>;
  /** The same for what follows from a request: undefined after the time that a request waits. */
  readonly outcome: <Value>(look: () => Value | undefined) => Promise<Value | undefined>;
};

/**
 * An empty set of waiters.
 * @param outcomeMs time that a request waits for what follows from it
 */
export const waitersFor = (
  { after }: Pick<Environment, 'after'>,
  outcomeMs: number = outcomeTimeoutMs,
): Waiters => {
  const waiters = new Set<() => void>();
  const until: Waiters['until'] = (look, timeoutMs) =>
    new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        waiters.delete(recheck);
        cancel();
        end();
      };
      const recheck = () => {
        try {
          const value = look();
          if (value !== undefined) finish(() => resolve(value));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const cancel = after(timeoutMs, () => finish(() => resolve(undefined)));
      waiters.add(recheck);
      recheck();
    });
  return {
    notify: () => {
      for (const look of [...waiters]) look();
    },
    until,
    outcome: look => until(look, outcomeMs),
  };
};
