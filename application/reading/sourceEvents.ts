import type { Recorded } from '../../domain/events.js';
import { streams } from '../../domain/streams.js';
import type { EventStore } from '../ports/eventStore.js';

/** Events of several streams, in the order of the log. */
export async function* eventsOfStreams(
  store: Pick<EventStore, 'read'>,
  names: readonly string[],
): AsyncGenerator<Recorded> {
  const readers = names.map(name => store.read(name)[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(readers.map(reader => reader.next()));
    for (;;) {
      const next = heads.reduce<{ readonly at: number; readonly event: Recorded } | undefined>(
        (first, { done, value: event }, at) =>
          done !== true && (!first || event.position < first.event.position) ? { at, event } : first,
        undefined,
      );
      if (!next) return;
      yield next.event;
      heads[next.at] = (await readers[next.at]?.next()) ?? { done: true, value: undefined };
    }
  } finally {
    await Promise.all(readers.map(reader => reader.return?.()));
  }
}

/** Events of all streams of a source, in the order of the log. */
export const eventsOfSource = (store: Pick<EventStore, 'read'>, sourceId: number): AsyncGenerator<Recorded> =>
  eventsOfStreams(store, [streams.source(sourceId), streams.days(sourceId), streams.alerts(sourceId)]);

/** Events of a source that answers about the sources that it explains need, in the order of the log. */
export const eventsOfCovariate = (
  store: Pick<EventStore, 'read'>,
  sourceId: number,
): AsyncGenerator<Recorded> => eventsOfStreams(store, [streams.source(sourceId), streams.days(sourceId)]);
