import type { Environment } from '../ports/environment.js';

/** Lets requests wait for a condition on the read models. */
export type Waiters = {
  /** Evaluates all waiting conditions again. */
  readonly notify: () => void;
  /** The first value of `look` that is not undefined, or undefined after `timeoutMs`. */
  readonly until: <Value>(look: () => Value | undefined, timeoutMs: number) => Promise<Value | undefined>;
};

/** An empty set of waiters. */
export const waitersFor = ({ after }: Pick<Environment, 'after'>): Waiters => {
  const waiters = new Set<() => void>();
  return {
    notify: () => {
      for (const look of [...waiters]) look();
    },
    until: (look, timeoutMs) =>
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
      }),
  };
};
