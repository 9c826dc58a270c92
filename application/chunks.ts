import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from './environment.js';
import { TooLarge } from './imports/faults.js';

/** Bytes of a chunk. */
const chunkBytes = 65_536;
/** Milliseconds of work after which other requests may use the event loop. */
export const turnMs = 5;

/** Node's event loop: a default, because it has no effect on results. */
const eventLoop: Pick<Environment, 'elapsedMs' | 'nextTurn'> = {
  elapsedMs: () => performance.now(),
  nextTurn: () => nextTurn(),
};

/** Returns a function to await between small steps of work: it yields to the event loop when `turnMs` have passed. */
export const eventLoopYielder = ({
  elapsedMs,
  nextTurn,
}: Pick<Environment, 'elapsedMs' | 'nextTurn'> = eventLoop): (() => Promise<void> | undefined) => {
  let since = elapsedMs();
  const turn = async (): Promise<void> => {
    await nextTurn();
    since = elapsedMs();
  };
  return () => (elapsedMs() - since < turnMs ? undefined : turn());
};

/**
 * A body in chunks of at most 64 KiB, read with backpressure. A stream is not destroyed when reading stops early:
 * the refusal is sent on the same connection, which the HTTP layer closes.
 * @throws TooLarge  when more than `bytesMax` bytes have arrived, independent of Content-Length
 * @throws Error     of the stream, also when it ends too early
 */
export async function* chunksOf(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer, void> {
  const chunks: AsyncIterable<Buffer> =
    body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body;
  const yieldToEventLoop = eventLoopYielder();
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TooLarge(bytesMax);
    for (let from = 0; from < chunk.length; from += chunkBytes) {
      yield chunk.subarray(from, from + chunkBytes);
      await yieldToEventLoop();
    }
  }
}
