import { NotCanonical, canonicalJson, metadataText } from '../../auditing/eventBytes.js';
import type { Proposed, Recorded } from '../../domain/events.js';
import { isLogStream, streams } from '../../domain/streams.js';

/**
 * Event store port. All stores pass the same contract tests (test/adapters/stores.test.ts).
 * An append always names the revision that it expects.
 */
export type EventStore = {
  /**
   * Appends all of `events` durably, or none, and returns the new revision of the stream.
   * A repeated append (same ids, same `expected`) returns the same and stores nothing.
   * Each event gets a hash that chains it to the previous event of its stream (auditing/eventBytes.ts).
   * @param expected revision of the stream's last event as the caller knows it, or `absent`
   * @throws Conflict       when the stream is at another revision
   * @throws AppendTooLarge when the events exceed `appendBytesMax`
   */
  readonly append: (
    stream: string,
    expected: number | 'absent',
    events: readonly Proposed[],
  ) => Promise<number>;
  /** Events of one stream in order, from revision `from` (default 0) to its present end. */
  readonly read: (stream: string, from?: number) => AsyncIterable<Recorded>;
  /**
   * Events of the log in order, after position `after`, to its present end; only of `types` if given.
   * @param after 0, or the position of an event of this log
   */
  readonly all: (after: bigint, types?: readonly string[]) => AsyncIterable<Recorded>;
  /** Whether a position has an event. Absent for stores whose positions have no gaps. @throws StoreUnavailable */
  readonly hasEventAt?: (position: bigint) => Promise<boolean>;
  /** Last position of the log, 0 without events. Absent for stores of no file. */
  readonly end?: () => bigint;
  /** Damage of the store as a whole, once it was met: nothing is appended any more. Absent for stores of no file. */
  readonly damage?: () => LogDamaged | undefined;
};

/** An open store. */
export type OpenEventStore = EventStore & { readonly close: () => Promise<void> };

/** Maximum bytes of one append: EventStoreDB's default, used by every store so that logs can be copied. */
export const appendBytesMax = 1_048_576;

/** Another writer appended first: the one expected failure of an append. */
export class Conflict extends Error {
  readonly name = 'Conflict';
  readonly stream: string;
  readonly expected: number | 'absent';
  readonly actual: number | 'absent';

  constructor(stream: string, expected: number | 'absent', actual: number | 'absent') {
    super(`stream ${stream} is at revision ${actual}, expected ${expected}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** Other instances appended first at every retry; nothing was stored. */
export class Contention extends Error {
  readonly name = 'Contention';

  constructor(last: Conflict) {
    super(`other instances kept changing stream ${last.stream}`, { cause: last });
  }
}

/** An append over the limit; nothing was stored. The caller has to split its events. */
export class AppendTooLarge extends Error {
  readonly name = 'AppendTooLarge';

  constructor(stream: string, bytes: number) {
    super(`an append of ${bytes} bytes to ${stream}, expected at most ${appendBytesMax}`);
  }
}

/** The store cannot be reached or cannot write at present; nothing was written. */
export class StoreUnavailable extends Error {
  readonly name: string = 'StoreUnavailable';
}

/** The disk is full; nothing was written. */
export class StorageFull extends StoreUnavailable {
  override readonly name = 'StorageFull';
}

/** The file of the log is damaged, so that parts of it cannot be read; only a backup can replace it. */
export class LogDamaged extends StoreUnavailable {
  override readonly name = 'LogDamaged';
}

/** Advice to the operator of a log with damage. */
export const damageAdvice = 'run "daybook verify" for all damaged places, then restore the log from a backup';

/** The store refuses this service because of its settings; retrying does not help. */
export class StoreRefused extends Error {
  readonly name = 'StoreRefused';
}

/** Another process writes or may write the log, so this one has to stop. Nothing was written. */
export class LogTaken extends StoreUnavailable {
  override readonly name = 'LogTaken';
}

/** The store became unreachable during an append; it is unknown whether the events were stored. */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown';
}

/** An event cannot be read or handled by this build. `event` is as it is stored. */
export class EventFault extends Error {
  readonly name = 'EventFault';
  readonly event: Recorded;

  constructor(event: Recorded, cause: unknown) {
    super(`event ${event.position} (${event.type}) of ${event.stream} cannot be read`, { cause });
    this.event = event;
  }
}

/**
 * Rethrows an error that came after a request took effect.
 * @throws OutcomeUnknown when the store cannot be reached, else the error itself
 */
export const failAfterEffect = (error: unknown): never => {
  const isNamed = error instanceof OutcomeUnknown || error instanceof LogDamaged;
  if (error instanceof StoreUnavailable && !isNamed)
    throw new OutcomeUnknown(error.message, { cause: error });
  throw error;
};

/** An event as a store writes it: data and metadata as JSON text, canonical for events of the log. */
export type Written = { readonly event: Proposed; readonly data: string; readonly metadata: string };

/** Bytes of `"hash":"…",` in an event's metadata. */
const hashBytes = 74;

/** Bytes of an append as `appendBytesMax` counts them: data, metadata and types. */
export const bytesOf = (texts: readonly Written[]): number =>
  texts.reduce(
    (sum, { event, data, metadata }) =>
      sum + Buffer.byteLength(data) + Buffer.byteLength(metadata) + hashBytes + Buffer.byteLength(event.type),
    0,
  );

/** Canonical text of a value. Values that JSON.stringify changes or omits are changed or omitted here as well. */
const canonicalText = (value: unknown): string => {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return canonicalJson(JSON.parse(JSON.stringify(value)));
  }
};

/**
 * JSON texts of the events of one append. Events of the log are canonical (RFC 8785), because hashes cover these texts.
 * @throws AppendTooLarge over the limit, RangeError for no events or a repeated id, NotCanonical for a value without
 *         canonical JSON, which validated input never has
 */
export const written = (stream: string, events: readonly Proposed[]): readonly Written[] => {
  if (events.length === 0) throw new RangeError(`an append of no events to ${stream}`);
  if (new Set(events.map(({ id }) => id)).size < events.length)
    throw new RangeError(`an append of one event twice to ${stream}`);
  // Streams outside the log expire and have no proofs.
  const isOfLog = isLogStream(stream);
  const texts = events.map(event => ({
    event,
    data: isOfLog ? canonicalText(event.data) : JSON.stringify(event.data),
    metadata: isOfLog ? metadataText(event) : JSON.stringify(event.metadata),
  }));
  const bytes = bytesOf(texts);
  if (bytes > appendBytesMax) throw new AppendTooLarge(stream, bytes);
  return texts;
};

/**
 * Whether an append repeats a stored one: the events after `expected` have the ids of the events to append.
 */
export const isRepeat = (storedIds: readonly string[], events: readonly Proposed[]): boolean =>
  events.every((event, index) => event.id === storedIds[index]);

/**
 * The event of a stream that has an id; undefined for none.
 * @param yieldToEventLoop awaited after each event: the embedded stores never wait
 */
export const storedEvent = async (
  store: Pick<EventStore, 'read'>,
  stream: string,
  id: string,
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<Recorded | undefined> => {
  for await (const event of store.read(stream)) {
    if (event.id === id) return event;
    await yieldToEventLoop();
  }
  return undefined;
};

/** Events of several streams, in the order of the log. */
export async function* eventsOfStreams(
  store: Pick<EventStore, 'read'>,
  names: readonly string[],
  from: (name: string) => number = () => 0,
): AsyncGenerator<Recorded> {
  const readers = names.map(name => store.read(name, from(name))[Symbol.asyncIterator]());
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
