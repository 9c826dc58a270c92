import type { Environment } from './environment.js';

/** Lets requests wait for something that the log will bring. */
export type Waiters = {
  /** Something has changed: everyone who waits looks again. */
  readonly notify: () => void;
  /** The first answer of `look` that is not undefined, or undefined after `timeoutMs`. */
  readonly until: <Value>(look: () => Value | undefined, timeoutMs: number) => Promise<Value | undefined>;
};

/** A `Waiting` of its own. */
export const waitersFor = ({ after }: Pick<Environment, 'after'>): Waiters => {
  const waiters = new Set<() => void>();
  return {
    notify: () => {
      for (const look of [...waiters]) look();
    },
    until: (look, timeoutMs) =>
      new Promise((resolve, reject) => {
        const finish = (end: () => void) => {
          waiters.delete(again);
          cancel();
          end();
        };
        const again = () => {
          try {
            const value = look();
            if (value !== undefined) finish(() => resolve(value));
          } catch (error) {
            finish(() => reject(error));
          }
        };
        const cancel = after(timeoutMs, () => finish(() => resolve(undefined)));
        waiters.add(again);
        again();
      }),
  };
};
