import type { Environment } from './environment.js';

/** Pauses between tries at something that fails: each longer than the one before. */
export type Backoff = {
  /** Waits; returns at once, now and ever after, when there is to be no further try. */
  readonly wait: () => Promise<void>;
  /** It went well: the next pause is the first again. */
  readonly reset: () => void;
  /** Ends a pause under way: there will be no further try. */
  readonly cancel: () => void;
};

const firstMs = 50;
const factor = 2;
const longestMs = 5000;

/** Pauses of 50 ms, 100 ms and so on, of five seconds at most. */
export const exponentialBackoff = ({ after }: Pick<Environment, 'after'>): Backoff => {
  let ms = firstMs;
  let ended = false;
  let wake = (): void => {};
  return {
    wait: () => {
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
    reset: () => {
      ms = firstMs;
    },
    cancel: () => {
      ended = true;
      wake();
    },
  };
};
