import { LRUCache } from 'lru-cache';
import { BACKWARDS, END, START, jsonEvent, type EventData } from '@eventstore/db-client';
import { foreignType, type Recorded, type Proposed } from '../../domain/events.js';
import { StoreRefused, type EventStore } from '../../application/ports/eventStore.js';
import {
  failureOf,
  storeUnavailable,
  type Connection,
  withRefusals,
  itemsOf,
  silenceMs,
} from './connection.js';
import { isLogStream, streams } from '../../domain/streams.js';

/** Metadata of a stored event, with EventStoreDB's names for cause and correlation. */
type StoredMetadata = {
  readonly v: number;
  readonly at: string;
  readonly by: string;
  readonly $causationId: string;
  readonly $correlationId: string;
  /** Absent in events stored before hashes were introduced. */
  readonly hash?: string;
};

/** The used fields of an event of the client. */
type StoredEvent = {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly position?: { readonly commit: bigint } | undefined;
};

/** An event as it is stored, with its hash; null without one. */
export const storedEvent = (
  { id, type, v, at, data, metadata: { by, cause, correlation } }: Proposed,
  hash: string | null,
): EventData => {
  const metadata: StoredMetadata = {
    v,
    at,
    by,
    $causationId: cause,
    $correlationId: correlation,
    ...(hash !== null && { hash }),
  };
  return jsonEvent({ id, type, data: data as Record<string, unknown>, metadata });
};

const isOurs = (metadata: unknown): metadata is StoredMetadata => {
  const { v, at, by, $causationId, $correlationId } = (metadata ?? {}) as Partial<StoredMetadata>;
  return typeof v === 'number' && [at, by, $causationId, $correlationId].every(of => typeof of === 'string');
};

/** A stored event. An event of another program keeps its place, with a type that is unknown. */
export const recorded = (prefix: string, event: StoredEvent): Recorded => {
  const { id, streamId, revision, type, data, metadata, position } = event;
  const ours = isOurs(metadata);
  return {
    id,
    type: ours ? type : foreignType(type),
    v: ours ? metadata.v : 1,
    data,
    metadata: ours
      ? { by: metadata.by, cause: metadata.$causationId, correlation: metadata.$correlationId }
      : { by: '', cause: '', correlation: '' },
    at: ours ? metadata.at : '',
    ...(ours && typeof metadata.hash === 'string' && { hash: metadata.hash }),
    stream: streamId.slice(prefix.length),
    revision: Number(revision),
    position: position?.commit ?? 0n,
  };
};

/** Whether a stream of the server belongs to this log. */
export const isOfLog = (prefix: string, streamId: string): boolean =>
  streamId.startsWith(prefix) && isLogStream(streamId.slice(prefix.length));

type Call = Parameters<typeof itemsOf>[0];
type Resolved = { event?: StoredEvent };

const catalogLost =
  'the stream catalog of this log was truncated or deleted, so its first events cannot be read: restore the log from a backup';

/**
 * Position from which this log is read: that of its first event, or of the server's last event while the log is
 * empty.
 * @throws StoreUnavailable; StoreRefused, also when the first event is gone: a later one must not be the beginning
 */
export const beginningOf = (
  { client, tls, plainHosts, prefix }: Connection,
  quietMs = silenceMs,
): Promise<bigint> => {
  const catalog = `${prefix}${streams.catalog}`;
  const first = async (call: Call): Promise<StoredEvent | undefined> => {
    for await (const { event } of itemsOf<Resolved>(call, quietMs)) return event;
    return undefined;
  };
  /** Refuses a stream that is absent because it was deleted, or its events expired: the server keeps its metadata. */
  const requireNew = async (): Promise<void> => {
    const { metadata } = await client.getStreamMetadata(catalog, { requiresLeader: true });
    const { truncateBefore, maxAge, maxCount } = metadata ?? {};
    if ([truncateBefore, maxAge, maxCount].some(limit => limit !== undefined))
      throw new StoreRefused(catalogLost);
  };
  return withRefusals({ tls, plainHosts }, async () => {
    // The end is read first: later appends are after it.
    const end = await first(
      client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true }),
    );
    const call = client.readStream(catalog, { maxCount: 1, requiresLeader: true });
    const begun = await first(call).catch((error: unknown) => {
      const { kind } = failureOf(error);
      if (kind === 'streamNotFound') return undefined;
      throw kind === 'streamDeleted' ? new StoreRefused(catalogLost) : error;
    });
    if (!begun) await requireNew();
    else if (begun.revision !== 0n) throw new StoreRefused(catalogLost);
    return (begun ?? end)?.position?.commit ?? 0n;
  });
};

/** Whether an error means that the server has no event at the position of a read. */
const isMisaligned = (error: unknown): boolean =>
  error instanceof Error && /ReadAllResult/.test(error.message);

/** Whether the server's log has an event at a position. @throws Error of the client */
export const hasEventAt = async ({ client }: Connection, position: bigint): Promise<boolean> => {
  const fromPosition = { commit: position, prepare: position };
  try {
    const call = client.readAll({ fromPosition, maxCount: 1, requiresLeader: true });
    for await (const { event } of itemsOf<Resolved>(call)) return event?.position?.commit === position;
    return false;
  } catch (error) {
    if (isMisaligned(error)) return false;
    throw error;
  }
};

/** Maximum stream ends that are cached. */
const cachedEndsMax = 1000;

/** Last event of a stream when it was read. */
type End = { readonly revision: number; readonly hash: string | null };

/** Cache of stream ends. */
const streamEnds = () => {
  const ends = new LRUCache<string, End>({ max: cachedEndsMax });
  return {
    note: ({ stream, revision, hash }: Recorded): void => {
      if ((ends.get(stream)?.revision ?? -1) <= revision) ends.set(stream, { revision, hash: hash ?? null });
    },
    endOf: (stream: string): End | undefined => ends.get(stream),
  };
};

/** Reads of a log; `lastOf` is the last event of a stream, `endOf` its end when it was last read. */
export type LogReader = Pick<EventStore, 'read' | 'all'> & {
  /** @throws Error of the client */
  readonly lastOf: (stream: string) => Promise<Recorded | undefined>;
  readonly endOf: (stream: string) => End | undefined;
};

/**
 * Reads of this log on EventStoreDB.
 * @param beginning  see `beginningOf`
 * @param quietMs    see `itemsOf`
 */
export const logReader = (
  { client, prefix }: Connection,
  beginning: bigint,
  quietMs = silenceMs,
): LogReader => {
  const ends = streamEnds();
  const leader = { requiresLeader: true } as const;

  /** Events of a read of one stream. */
  async function* eventsOf(call: Call): AsyncGenerator<Recorded> {
    for await (const { event } of itemsOf<Resolved>(call, quietMs))
      if (event) {
        const one = recorded(prefix, event);
        ends.note(one);
        yield one;
      }
  }

  async function* read(stream: string, from = 0): AsyncGenerator<Recorded> {
    try {
      yield* eventsOf(client.readStream(prefix + stream, { fromRevision: BigInt(from), ...leader }));
    } catch (error) {
      if (failureOf(error).kind === 'streamNotFound') return;
      throw storeUnavailable(error);
    }
  }

  const lastOf = async (stream: string): Promise<Recorded | undefined> => {
    const backwards = { direction: BACKWARDS, fromRevision: END, maxCount: 1, ...leader } as const;
    try {
      for await (const last of eventsOf(client.readStream(prefix + stream, backwards))) return last;
    } catch (error) {
      if (failureOf(error).kind !== 'streamNotFound') throw error;
    }
    return undefined;
  };

  /** Position up to which the server's log was read, and of the last event of this log: other logs share it. */
  let scanned = { ours: beginning, end: beginning };

  /** Events of all logs of the server from the first of some positions at which it has an event. */
  async function* eventsFrom(positions: readonly bigint[]): AsyncGenerator<StoredEvent> {
    const [from = 0n, ...others] = positions;
    const fromPosition = from === 0n ? START : { commit: from, prepare: from };
    try {
      const call = client.readAll({ fromPosition, ...leader });
      for await (const { event } of itemsOf<Resolved>(call, quietMs)) if (event) yield event;
    } catch (error) {
      if (others.length === 0 || !isMisaligned(error)) throw error;
      yield* eventsFrom(others);
    }
  }

  async function* all(after: bigint, types?: readonly string[]): AsyncGenerator<Recorded> {
    const known = after >= scanned.ours ? scanned.end : beginning;
    const from = after > known ? after : known;
    let ours = after;
    let end = from;
    try {
      // Reads include their first position. `after` may be the position before an event, or any number.
      for await (const event of eventsFrom(from === known ? [from] : [from, from + 1n, beginning])) {
        end = event.position?.commit ?? end;
        if (!isOfLog(prefix, event.streamId)) continue;
        const one = recorded(prefix, event);
        ends.note(one);
        if (one.position <= after) continue;
        ours = one.position;
        if (!types || types.includes(one.type)) yield one;
      }
      scanned = { ours, end };
    } catch (error) {
      throw storeUnavailable(error);
    }
  }

  return { read, all, lastOf, endOf: ends.endOf };
};
