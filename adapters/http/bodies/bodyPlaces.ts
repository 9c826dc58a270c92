import type { Metrics } from '../../../application/metrics/metrics.js';
import { fairQueue } from '../../../application/sharing/fairQueue.js';
import { sharedCapacity } from '../../../application/sharing/sharedCapacity.js';
import type { Call } from '../route.js';

/** Maximum bodies that are parsed at the same time. A body that waits for bytes has no place. */
const placesMax = 16;
/** Memory for parsed bodies whose rest is still to come. */
const keptBytesMax = 1_000_000_000;
/** Most memory of one body, 50,000 days of 144 values, and of one byte: a digit and a comma become a double. */
const keptOfBodyMax = 60_000_000;
const keptOfByteMax = 4;

type From = Pick<Call<unknown, unknown, unknown>, 'actor' | 'stream' | 'signal'>;

/** Reads the body of a call in its turn. */
export type ReadBody = <Result>(
  from: From,
  read: (bytes: AsyncIterable<Buffer>) => Promise<Result>,
) => Promise<Result>;

/**
 * Reads bodies in turns. A body has a place while its bytes are parsed, not while it waits for its client, so a slow
 * client delays no others. A body counts with the memory that it may need, so small bodies count little.
 * @throws QueueFull when the bodies of a tenant take more memory than is left; errors of `read`
 */
export const bodyPlaces = ({ watchQueue }: Pick<Metrics, 'watchQueue'>): ReadBody => {
  const places = fairQueue({
    atOnce: placesMax,
    reserving: true,
    // The number of requests is bounded elsewhere.
    waitingMax: Infinity,
    name: 'bodies',
  });
  watchQueue('bodies', places.waiting);
  const memory = sharedCapacity(keptBytesMax, 'bytes of bodies');

  return async ({ actor: { tenant }, stream, signal }, read) => {
    let leave: (() => void) | undefined;
    let bytes = 0;
    let kept = 0;
    const keep = (chunk: Buffer): void => {
      bytes += chunk.length;
      const more = Math.min(keptOfByteMax * bytes, keptOfBodyMax) - kept;
      memory.take(tenant, more);
      kept += more;
    };
    const boundedChunks = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        keep(chunk);
        leave = await places.enter(tenant, signal);
        yield chunk;
        leave();
      }
      // The result is computed after the last byte.
      leave = await places.enter(tenant, signal);
    };
    try {
      return await read(boundedChunks());
    } finally {
      leave?.();
      memory.release(tenant, kept);
    }
  };
};
