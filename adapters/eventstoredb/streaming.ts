import type { Readable } from 'node:stream';

/** A read or a subscription of the client. */
type Streaming = Readable & {
  readonly cancel?: () => Promise<void>;
  readonly unsubscribe?: () => Promise<void>;
};

/** Silence of a server that was asked for more is a fault after so long. */
export const silenceMs = 10_000;

/** Ends a call for good; the client itself leaves it open, and lets its late errors end the process. */
export const endCall = (call: Streaming): void => {
  call.on('error', () => {});
  // Both wait for the call to have begun, which may be never, and fail as it did.
  (call.cancel?.() ?? call.unsubscribe?.())?.catch(() => undefined);
  // What has come already is let through to nobody: the client keeps a call for ever that is not read to its end.
  // An iteration that was left still holds it up by its listener.
  call.removeAllListeners('readable').resume();
};

/**
 * What a read brings, item by item. However it is left, its call is ended.
 * @throws Error of the client, or of a server that says nothing for `quietMs`
 */
export async function* itemsOf<Item>(call: Streaming, quietMs = silenceMs): AsyncGenerator<Item> {
  let askedAt = Infinity;
  const watch = setInterval(() => {
    if (performance.now() - askedAt > quietMs)
      call.destroy(new Error(`the server said nothing for ${quietMs} ms`));
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
