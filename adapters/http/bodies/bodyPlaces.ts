import { fairQueue } from '../../../application/sharing/fairQueue.js';
import { sharedCapacity } from '../../../application/sharing/sharedCapacity.js';
import type { Call } from '../route.js';

/** Bodies that are worked on at once: each waits for its next bytes without a place. */
const placesMax = 16;
/** Memory for what is kept of bodies until they are good as a whole. */
const keptBytesMax = 1_000_000_000;
/** The most that is kept of one, 50,000 days of 144 values; and of a byte: a digit and a comma are a double. */
const keptOfBodyMax = 60_000_000;
const keptOfByteMax = 4;

type From = Pick<Call<unknown, unknown, unknown>, 'actor' | 'stream' | 'signal'>;

/** Reads the body of a call in its turn; see `bodyPlaces`. */
export type ReadBody = <Result>(
  from: From,
  read: (bytes: AsyncIterable<Buffer>) => Promise<Result>,
) => Promise<Result>;

/**
 * Reads bodies in turns. A body has a place while bytes of it are worked on, not while its client is waited for, so
 * slow clients keep nobody from reading; and it counts by what may be kept of it, so small ones count little.
 * @throws QueueFull when a tenant's bodies take more memory than is left for all others, and what `read` throws
 */
export const bodyPlaces = (): ReadBody => {
  const places = fairQueue({
    atOnce: placesMax,
    reserving: true,
    // As many as there are requests: those are bounded.
    waitingMax: Infinity,
    what: 'bodies',
  });
  const memory = sharedCapacity(keptBytesMax, 'bytes of bodies');

  return async ({ actor: { tenant }, stream, signal }, read) => {
    let leave: (() => void) | undefined;
    let [bytes, kept] = [0, 0];
    const keep = (chunk: Buffer): void => {
      bytes += chunk.length;
      const more = Math.min(keptOfByteMax * bytes, keptOfBodyMax) - kept;
      memory.take(tenant, more);
      kept += more;
    };
    const inTurn = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        keep(chunk);
        leave = await places.enter(tenant, signal);
        yield chunk;
        leave();
      }
      // What the body comes to is worked out now.
      leave = await places.enter(tenant, signal);
    };
    try {
      return await read(inTurn());
    } finally {
      leave?.();
      memory.release(tenant, kept);
    }
  };
};
