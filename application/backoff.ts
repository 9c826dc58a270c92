import type { Environment } from './environment.js';

/** Pauses between tries at something that fails: each longer than the one before. */
export type Pauses = {
  /** Waits; returns at once, now and ever after, when there is to be no further try. */
  readonly next: () => Promise<void>;
  /** It went well: the next pause is the first again. */
  readonly begin: () => void;
  /** Ends a pause under way: there will be no further try. */
  readonly end: () => void;
};

const firstMs = 50;
const factor = 2;
const longestMs = 5000;

/** Pauses of 50 ms, 100 ms and so on, of five seconds at most. */
export const growing = ({ after }: Pick<Environment, 'after'>): Pauses => {
  let ms = firstMs;
  let ended = false;
  let wake = (): void => {};
  return {
    next: () => {
      if (ended) return Promise.resolve();
      const pauseMs = ms;
      ms = Math.min(ms * factor, longestMs);
      return new Promise(resolve => {
        const cancel = after(pauseMs, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    },
    begin: () => {
      ms = firstMs;
    },
    end: () => {
      ended = true;
      wake();
    },
  };
};
