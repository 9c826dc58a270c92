import type { Readable } from 'node:stream';

/** A read or subscription of the client. */
type Streaming = Readable & {
  readonly cancel?: () => Promise<void>;
  readonly unsubscribe?: () => Promise<void>;
};

/** Milliseconds without data after which a read fails. */
export const silenceMs = 10_000;

/** Ends a call. The client leaves it open, and late errors would end the process. */
export const endCall = (call: Streaming): void => {
  call.on('error', () => {});
  // Both wait until the call has begun, which may never happen, and fail when it fails.
  (call.cancel?.() ?? call.unsubscribe?.())?.catch(() => undefined);
  // The client keeps a call until it is read to its end, so the rest is discarded. The listener of an abandoned
  // iteration would block that.
  call.removeAllListeners('readable').resume();
};

/**
 * Items of a read. Its call is ended however the iteration ends.
 * @throws Error of the client, or of a server that sends nothing for `quietMs`
 */
export async function* itemsOf<Item>(call: Streaming, quietMs = silenceMs): AsyncGenerator<Item> {
  let askedAt = Infinity;
  const watch = setInterval(() => {
    if (performance.now() - askedAt > quietMs)
      call.destroy(new Error(`the server sent nothing for ${quietMs} ms`));
  }, quietMs / 10);
  try {
    const items = call[Symbol.asyncIterator]();
    for (;;) {
      askedAt = performance.now();
      const item = await items.next();
      askedAt = Infinity;
      if (item.done === true) return;
      yield item.value as Item;
    }
  } finally {
    clearInterval(watch);
    if (!call.readableEnded) endCall(call);
  }
}
