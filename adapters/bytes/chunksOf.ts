import { Readable } from 'node:stream';
import { TooLarge } from '../../application/imports/faults.js';
import { eventLoopYielder } from '../../application/sharing/eventLoopYielder.js';

/** Bytes of a chunk. */
const chunkBytes = 65_536;

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
