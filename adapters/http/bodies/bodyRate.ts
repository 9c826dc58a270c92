import { system } from '../../environment.js';
import type { Environment } from '../../../application/environment.js';

/** How slowly a body may come. */
export type BodyRate = {
  /** Bytes a second that a client has to send while it is waited for; 0 for any. */
  readonly bytesPerSecondMin: number;
  /** Over how many of the last milliseconds of waiting they are counted. */
  readonly overMs: number;
  /** Milliseconds of waiting that pass before they are counted. */
  readonly graceMs: number;
};

/** How the rate of a setting is counted. */
export const bodyRateUsual = { overMs: 10_000, graceMs: 5000 } as const;

/** A client that sends its body too slowly: it would hold what is kept of it for ever. */
export class BodyTooSlow extends Error {
  readonly name = 'BodyTooSlow';

  constructor(bytes: number, waitedMs: number, bytesPerSecondMin: number) {
    super(
      `got ${bytes} bytes in ${(waitedMs / 1000).toFixed(1)} s, expected at least ${bytesPerSecondMin} a second`,
    );
  }
}

/** Waiting, and the bytes that came at its end. */
type Stretch = { waitedMs: number; bytes: number };

/** Stretches that `overMs` is divided into: short ones are put together. */
const stretchesMax = 10;

/** What came lately: the last stretches of waiting, `overMs` of them in all. */
const lately = ({ bytesPerSecondMin, overMs, graceMs }: BodyRate) => {
  const stretches: Stretch[] = [];
  let [waitedMs, bytes, allMs] = [0, 0, 0];
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
    /** How much longer the next byte may be waited for: until what came lately is too little for `overMs`. */
    leftMs: (): number => {
      const graceLeftMs = graceMs - allMs;
      if (bytes < bytesOver(overMs))
        return Math.max(graceLeftMs, (1000 * bytes) / bytesPerSecondMin - waitedMs, 0);
      let [ms, came] = [waitedMs, bytes];
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

/**
 * The chunks of a body that has to come at a minimum rate. Only the time in which its next bytes are waited for counts:
 * what is done with them, and who else is served meanwhile, is not the client's slowness.
 * @throws BodyTooSlow, and Error of the stream
 */
export const requireRate = (
  body: AsyncIterable<Buffer>,
  rate: BodyRate,
  { elapsedMs, after }: Pick<Environment, 'elapsedMs' | 'after'> = system,
): AsyncIterable<Buffer> => {
  if (rate.bytesPerSecondMin === 0) return body;
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = body[Symbol.asyncIterator]();
      const came = lately(rate);
      const next = (): Promise<IteratorResult<Buffer>> =>
        new Promise((resolve, reject) => {
          const begun = elapsedMs();
          const waited = (bytes: number): void => came.add(elapsedMs() - begun, bytes);
          const cancel = after(came.leftMs(), () => {
            waited(0);
            reject(came.tooSlow());
          });
          chunks.next().then(
            result => {
              cancel();
              if (result.done !== true) waited(result.value.length);
              resolve(result);
            },
            (error: unknown) => {
              cancel();
              reject(error as Error);
            },
          );
        });
      return {
        next,
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
};
