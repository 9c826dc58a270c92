import type { Environment } from '../ports/environment.js';

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
