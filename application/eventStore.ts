import { isLogStream, type Proposed, type Recorded } from '../domain/events.js';
import { NotCanonical, canonicalJson } from '../auditing/canonicalJson.js';
import { metadataText } from '../auditing/eventHash.js';

/**
 * The event log. Three functions; every store answers the same contract (test/adapters/stores.test.ts).
 * There is no "any version": whoever appends says what it has read.
 */
export type EventStore = {
  /**
   * Appends all of `events`, or none, durably, and answers the stream's new revision.
   * Repeating an append that was stored (same ids, same `expected`) answers the same and stores nothing.
   * Each event gets the hash that chains it to the one before it in its stream (audit/eventHash.ts).
   * @param expected revision of the stream's last event as the caller knows it, or `absent`
   * @throws Conflict       when the stream is at another revision
   * @throws AppendTooLarge when the events exceed `appendBytesMax`
   */
  readonly append: (
    stream: string,
    expected: number | 'absent',
    events: readonly Proposed[],
  ) => Promise<number>;
  /** The events of one stream in order, from revision `from` (default 0) to its present end. */
  readonly read: (stream: string, from?: number) => AsyncIterable<Recorded>;
  /**
   * The events of the log in order, those after position `after`, to its present end; only of `types` if given.
   * @param after 0, or the position of an event of this log
   */
  readonly all: (after: bigint, types?: readonly string[]) => AsyncIterable<Recorded>;
};

/** A store that is open, and how to close it. */
export type OpenEventStore = EventStore & { readonly close: () => Promise<void> };

/** Bytes of one append at most: EventStoreDB's default limit, kept by every store so that logs can move. */
export const appendBytesMax = 1_048_576;

/** Someone else appended first: the one expected failure of an append. */
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

/** An append over the limit; nothing was stored. A fault of the caller's splitting. */
export class AppendTooLarge extends Error {
  readonly name = 'AppendTooLarge';

  constructor(stream: string, bytes: number) {
    super(`an append of ${bytes} bytes to ${stream}, expected at most ${appendBytesMax}`);
  }
}

/** The store cannot be reached or cannot write now; nothing was written. */
export class StoreUnavailable extends Error {
  readonly name: string = 'StoreUnavailable';
}

/** There is no room on the disk; nothing was written. */
export class StorageFull extends StoreUnavailable {
  override readonly name = 'StorageFull';
}

/** The store refuses this service by its settings; trying again does not help. */
export class StoreRefused extends Error {
  readonly name = 'StoreRefused';
}

/** Another process may write the log, or has written it: this one must not go on. Nothing was written. */
export class LogTaken extends StoreUnavailable {
  override readonly name = 'LogTaken';
}

/** The store went away in the midst of an append, and what became of it could not be learned in time. */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown';
}

/** An event as a store keeps it: data and metadata as JSON text, in the log in its canonical form. */
export type Written = { readonly event: Proposed; readonly data: string; readonly metadata: string };

/** Bytes of `"hash":"…",` in an event's metadata. */
const hashBytes = 74;

/** Bytes of an append as its limit counts them: of data, metadata and types. */
export const bytesOf = (texts: readonly Written[]): number =>
  texts.reduce(
    (sum, { event, data, metadata }) =>
      sum + Buffer.byteLength(data) + Buffer.byteLength(metadata) + hashBytes + Buffer.byteLength(event.type),
    0,
  );

/** The canonical text of a value as JSON keeps it: what JSON.stringify makes null or leaves out is so here, too. */
const keptText = (value: unknown): string => {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return canonicalJson(JSON.parse(JSON.stringify(value)));
  }
};

/**
 * The JSON texts of the events of one append: canonical (RFC 8785) in the log, so that its hashes are made of them.
 * @throws AppendTooLarge when they exceed the limit together, RangeError when there is none or one twice,
 *         NotCanonical for what has no canonical JSON; nothing that was checked on its way in
 */
export const written = (stream: string, events: readonly Proposed[]): readonly Written[] => {
  if (events.length === 0) throw new RangeError(`an append of no events to ${stream}`);
  if (new Set(events.map(({ id }) => id)).size < events.length)
    throw new RangeError(`an append of one event twice to ${stream}`);
  // Beside the log there are streams that vanish; nothing is proved of them.
  const isOfLog = isLogStream(stream);
  const texts = events.map(event => ({
    event,
    data: isOfLog ? keptText(event.data) : JSON.stringify(event.data),
    metadata: isOfLog ? metadataText(event) : JSON.stringify(event.metadata),
  }));
  const bytes = bytesOf(texts);
  if (bytes > appendBytesMax) throw new AppendTooLarge(stream, bytes);
  return texts;
};

/**
 * Whether an append that meets a moved stream is a repeat of one that was stored: the events right after
 * `expected` have the very ids that are appended now.
 */
export const isRepeat = (idsThere: readonly string[], events: readonly Proposed[]): boolean =>
  events.every((event, index) => event.id === idsThere[index]);
