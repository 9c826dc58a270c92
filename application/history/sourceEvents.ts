import { streams, type Recorded } from '../../domain/events.js';
import type { EventStore } from '../eventStore.js';

/** Events of all streams of a source, in the order of the log. */
export async function* eventsOfSource(
  store: Pick<EventStore, 'read'>,
  sourceId: number,
): AsyncGenerator<Recorded> {
  const readers = [streams.source(sourceId), streams.days(sourceId), streams.alerts(sourceId)].map(stream =>
    store.read(stream)[Symbol.asyncIterator](),
  );
  try {
    const next = await Promise.all(readers.map(reader => reader.next()));
    for (;;) {
      const first = next.reduce<number | undefined>((least, { done, value }, index) => {
        if (done === true) return least;
        const other = least === undefined ? undefined : next[least];
        return other === undefined || value.position < (other.value as Recorded).position ? index : least;
      }, undefined);
      if (first === undefined) return;
      yield next[first]?.value as Recorded;
      next[first] = (await readers[first]?.next()) ?? { done: true, value: undefined };
    }
  } finally {
    for (const reader of readers) await reader.return?.();
  }
}
