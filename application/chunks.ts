import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from './environment.js';
import { TooLarge } from './imports/faults.js';

/** Bytes worked on before others get their turn, if they need it. */
const chunkBytes = 65_536;
/** Milliseconds that work goes on before it lets other requests have the event loop. */
export const turnMs = 5;

/** Node's event loop: it shares time between requests and decides nothing, so it has a default. */
const eventLoop: Pick<Environment, 'elapsedMs' | 'nextTurn'> = {
  elapsedMs: () => performance.now(),
  nextTurn: () => nextTurn(),
};

/** A function to await between small pieces of work: it lets the event loop turn when `turnMs` have passed. */
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
 * A body in pieces of at most 64 KiB. A stream is read at the reader's pace and is not destroyed when reading
 * stops early: the refusal still has to go out on the same connection, which is the HTTP layer's to close.
 * @throws TooLarge  as soon as more than `bytesMax` bytes have come, whatever was announced
 * @throws Error     of the stream, also when it ends before its time
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
