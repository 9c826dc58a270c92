import type { ServerResponse } from 'node:http';
import type { Environment } from '../../application/ports/environment.js';
import { system } from '../environment.js';

/** Reason of an abort: the client disconnected before its answer was sent. */
export class ClientGone extends Error {
  readonly name = 'ClientGone';

  constructor() {
    super('the client disconnected');
  }
}

/** The connection of a client that waits for an answer. */
export type ClientConnection = {
  /** Aborted with `ClientGone` when the client disconnects before the answer is sent. Made at its first use. */
  readonly signal: AbortSignal;
  /** @throws ClientGone when the client disconnected before the answer was sent */
  readonly requireOpen: () => void;
  /** Calls `end` once: when the answer is sent or the client disconnects, or immediately after that. */
  readonly onEnd: (end: () => void) => void;
};

/** Watches a response. To be called before the response is used. */
export const clientConnection = (response: ServerResponse): ClientConnection => {
  const ends: (() => void)[] = [];
  let controller: AbortController | undefined;
  let gone: ClientGone | undefined;
  let ended = false;
  response.once('close', () => {
    ended = true;
    if (!response.writableFinished) {
      gone = new ClientGone();
      controller?.abort(gone);
    }
    for (const end of ends) end();
  });
  return {
    get signal() {
      if (!controller) {
        controller = new AbortController();
        if (gone) controller.abort(gone);
      }
      return controller.signal;
    },
    requireOpen: () => {
      if (gone) throw gone;
    },
    onEnd: end => (ended ? end() : void ends.push(end)),
  };
};

/** Minimum rate of a body. Only the time in which the service waits for bytes counts. */
export type BodyRate = {
  /** Bytes per second of waiting; 0 for no minimum. */
  readonly bytesPerSecondMin: number;
  /** Length of the measured window, in milliseconds of waiting. */
  readonly overMs: number;
  /** Waiting before the first measurement, in milliseconds. */
  readonly graceMs: number;
};

/** Window and grace of the setting BODY_RATE_MIN. */
export const bodyRateUsual = { overMs: 10_000, graceMs: 5000 } as const;

/** A body came below its minimum rate: it would hold memory for ever. */
export class BodyTooSlow extends Error {
  readonly name = 'BodyTooSlow';

  constructor(bytes: number, waitedMs: number, bytesPerSecondMin: number) {
    super(
      `got ${bytes} bytes in ${(waitedMs / 1000).toFixed(1)} s, expected at least ${bytesPerSecondMin} a second`,
    );
  }
}

/** A time of waiting, and the bytes at its end. */
type Stretch = { waitedMs: number; bytes: number };

/** Number of stretches in a window: short ones are merged. */
const stretchesMax = 10;

/** Measures the rate over the last `overMs` of waiting. */
const rateMeter = ({ bytesPerSecondMin, overMs, graceMs }: BodyRate) => {
  const stretches: Stretch[] = [];
  let waitedMs = 0;
  let bytes = 0;
  let allMs = 0;
  const bytesOver = (ms: number): number => (bytesPerSecondMin * ms) / 1000;
  return {
    add: (ms: number, came: number): void => {
      const last = stretches.at(-1);
      if (last && last.waitedMs < overMs / stretchesMax) {
        last.waitedMs += ms;
        last.bytes += came;
      } else stretches.push({ waitedMs: ms, bytes: came });
      waitedMs += ms;
      allMs += ms;
      bytes += came;
      for (let first = stretches[0]; first && waitedMs - first.waitedMs >= overMs; first = stretches[0]) {
        stretches.shift();
        waitedMs -= first.waitedMs;
        bytes -= first.bytes;
      }
    },
    /** How long the next bytes may take before the rate of the window is below the minimum. */
    leftMs: (): number => {
      const graceLeftMs = graceMs - allMs;
      if (bytes < bytesOver(overMs))
        return Math.max(graceLeftMs, (1000 * bytes) / bytesPerSecondMin - waitedMs, 0);
      let ms = waitedMs;
      let came = bytes;
      for (const stretch of stretches) {
        ms -= stretch.waitedMs;
        came -= stretch.bytes;
        if (came < bytesOver(overMs)) break;
      }
      return Math.max(graceLeftMs, overMs - ms, 0);
    },
    tooSlow: (): BodyTooSlow => new BodyTooSlow(bytes, waitedMs, bytesPerSecondMin),
  };
};

type Clock = Pick<Environment, 'elapsedMs' | 'after'>;

/**
 * A deadline that moves with each wait. Its timer runs on between waits and is set again only where it would fire too
 * late: setting a timer for each chunk took 8 % of an import.
 */
const movingDeadline = ({ elapsedMs, after }: Clock) => {
  let deadlineMs = Infinity;
  let timerMs = Infinity;
  let onPassed = (): void => undefined;
  let cancel = (): void => undefined;
  const setTimer = (): void => {
    cancel();
    timerMs = deadlineMs;
    cancel = after(deadlineMs - elapsedMs(), () => {
      timerMs = Infinity;
      if (elapsedMs() >= deadlineMs) onPassed();
      else if (deadlineMs < Infinity) setTimer();
    });
  };
  return {
    set: (ms: number, passed: () => void): void => {
      deadlineMs = elapsedMs() + ms;
      onPassed = passed;
      if (deadlineMs < timerMs) setTimer();
    },
    clear: (): void => {
      deadlineMs = Infinity;
    },
    end: (): void => cancel(),
  };
};

/**
 * The chunks of a body, with a minimum rate.
 * @throws BodyTooSlow, errors of the stream
 */
export const requireRate = (
  body: AsyncIterable<Buffer>,
  rate: BodyRate,
  clock: Clock = system,
): AsyncIterable<Buffer> => {
  if (rate.bytesPerSecondMin === 0) return body;
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = body[Symbol.asyncIterator]();
      const meter = rateMeter(rate);
      const deadline = movingDeadline(clock);
      const next = (): Promise<IteratorResult<Buffer>> =>
        new Promise((resolve, reject) => {
          const begun = clock.elapsedMs();
          const waited = (bytes: number): void => meter.add(clock.elapsedMs() - begun, bytes);
          deadline.set(meter.leftMs(), () => {
            waited(0);
            reject(meter.tooSlow());
          });
          chunks.next().then(
            result => {
              deadline.clear();
              if (result.done === true) deadline.end();
              else waited(result.value.length);
              resolve(result);
            },
            (error: unknown) => {
              deadline.end();
              reject(error as Error);
            },
          );
        });
      return {
        next,
        return: async () => {
          deadline.end();
          return (await chunks.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
};
