import { system } from '../environment.js';
import { LRUCache } from 'lru-cache';
import { BACKWARDS, END, NO_STREAM, START, jsonEvent, type EventData } from '@eventstore/db-client';
import { isLogStream, type Proposed, type Recorded } from '../../domain/events.js';
import { NotCanonical } from '../../auditing/canonicalJson.js';
import { chained } from '../../auditing/eventHash.js';
import {
  AppendTooLarge,
  Conflict,
  bytesOf,
  isRepeat,
  OutcomeUnknown,
  StoreUnavailable,
  type EventStore,
  written,
} from '../../application/eventStore.js';
import { exponentialBackoff } from '../../application/backoff.js';
import { failureOf, unavailable, type Connection } from './connection.js';
import { withRefusals } from './refusals.js';
import { itemsOf, silenceMs } from './streaming.js';

/** Timeouts in ms. */
export type Limits = {
  /** One attempt of an append. */
  readonly tryMs: number;
  /** Retries while the server was never reached: it may be starting. */
  readonly reachMs: number;
  /** Retries while it is unknown whether an append was stored. */
  readonly settleMs: number;
  /** See `itemsOf`. */
  readonly quietMs: number;
};
const defaultLimits: Limits = { tryMs: 5000, reachMs: 2000, settleMs: 15_000, quietMs: silenceMs };

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
export type StoredEvent = {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly position?: { readonly commit: bigint } | undefined;
};

const storedEvent = (
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
    type: ours ? type : `foreign ${type}`,
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

/**
 * Position from which this log is read: that of its first event, or of the server's last event while the log is
 * empty.
 * @throws StoreUnavailable, StoreRefused
 */
export const beginningOf = (
  { client, tls, prefix }: Connection,
  { quietMs }: Pick<Limits, 'quietMs'> = defaultLimits,
): Promise<bigint> => {
  const first = async (call: Parameters<typeof itemsOf>[0]): Promise<bigint | undefined> => {
    for await (const { event } of itemsOf<{ event?: StoredEvent }>(call, quietMs))
      return event?.position?.commit;
    return undefined;
  };
  return withRefusals(tls, async () => {
    // The end is read first: later appends are after it.
    const end = await first(
      client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true }),
    );
    const catalog = client.readStream(`${prefix}catalog`, { maxCount: 1, requiresLeader: true });
    const begun = await first(catalog).catch((error: unknown) => {
      if (failureOf(error).kind === 'streamNotFound') return undefined;
      throw error;
    });
    return begun ?? end ?? 0n;
  });
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
    of: (stream: string): End | undefined => ends.get(stream),
  };
};

/**
 * The event store on EventStoreDB. `position` is the commit position; for events appended over gRPC it equals the
 * prepare position.
 * @param beginning  see `beginningOf`
 */
export const eventStoreDb = (
  { client, unshared, prefix }: Connection,
  beginning: bigint,
  { tryMs, reachMs, settleMs, quietMs }: Limits = defaultLimits,
): EventStore => {
  const ends = streamEnds();

  async function* read(stream: string, from = 0): AsyncGenerator<Recorded> {
    try {
      const call = client.readStream(prefix + stream, { fromRevision: BigInt(from), requiresLeader: true });
      for await (const { event } of itemsOf<{ event?: StoredEvent }>(call, quietMs))
        if (event) {
          const one = recorded(prefix, event);
          ends.note(one);
          yield one;
        }
    } catch (error) {
      if (failureOf(error).kind === 'streamNotFound') return;
      throw unavailable(error);
    }
  }

  /**
   * Hash of the event before an append. It is read and not taken from the last append: the server may have recognised
   * that append as a repeat of another instance's events.
   * @throws Conflict when the stream is shorter than `expected`, or the client's error
   */
  const hashAt = async (stream: string, expected: number | 'absent'): Promise<string | null> => {
    if (expected === 'absent' || !isLogStream(stream)) return null;
    const seen = ends.of(stream);
    if (seen?.revision === expected) return seen.hash;
    const end = await lastOf(stream);
    if (!end || end.revision < expected) throw new Conflict(stream, expected, end?.revision ?? 'absent');
    // After newer events this append is a repeat or a conflict, and nothing will be stored.
    return end.revision === expected ? (end.hash ?? null) : null;
  };

  const lastOf = async (stream: string): Promise<Recorded | undefined> => {
    const call = client.readStream(prefix + stream, {
      direction: BACKWARDS,
      fromRevision: END,
      maxCount: 1,
      requiresLeader: true,
    });
    try {
      for await (const { event } of itemsOf<{ event?: StoredEvent }>(call, quietMs))
        if (event) {
          const one = recorded(prefix, event);
          ends.note(one);
          return one;
        }
    } catch (error) {
      if (failureOf(error).kind !== 'streamNotFound') throw error;
    }
    return undefined;
  };

  /** Position up to which the server's log was read, and of the last event of this log: other logs share it. */
  let scanned = { ours: beginning, end: beginning };

  async function* all(after: bigint, types?: readonly string[]): AsyncGenerator<Recorded> {
    const known = after >= scanned.ours ? scanned.end : beginning;
    const from = after > known ? after : known;
    let [ours, end] = [after, from];
    const fromPosition = from === 0n ? START : { commit: from, prepare: from };
    try {
      // `fromPosition` is inclusive.
      for await (const { event } of itemsOf<{ event?: StoredEvent }>(
        client.readAll({ fromPosition, requiresLeader: true }),
        quietMs,
      ))
        if (event) {
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
      throw unavailable(error);
    }
  }

  /** Whether these events follow `expected` in the stream. */
  const isStored = async (stream: string, expected: number | 'absent', events: readonly Proposed[]) => {
    const ids: string[] = [];
    for await (const event of read(stream, expected === 'absent' ? 0 : expected + 1)) {
      ids.push(event.id);
      if (ids.length === events.length) break;
    }
    return isRepeat(ids, events);
  };

  /** One attempt. It has a timer, because the client's deadline starts only after it has connected. */
  const tryAppend = (stream: string, expected: number | 'absent', events: readonly EventData[]) =>
    new Promise<number>((resolve, reject) => {
      const timeoutMs = tryMs * 1.2;
      const timer = setTimeout(
        () => reject(new Error(`no answer to an append in ${timeoutMs} ms`)),
        timeoutMs,
      );
      client
        .appendToStream(prefix + stream, [...events], {
          ...unshared,
          expectedRevision: expected === 'absent' ? NO_STREAM : BigInt(expected),
          deadline: tryMs,
          requiresLeader: true,
        })
        .then(({ nextExpectedRevision }) => resolve(Number(nextExpectedRevision)), reject)
        .finally(() => clearTimeout(timer));
    });

  const append: EventStore['append'] = async (stream, expected, events) => {
    const texts = written(stream, events);
    const begun = performance.now();
    const backoff = exponentialBackoff(system);
    let proposed: readonly EventData[] | undefined;
    // After an attempt that may be stored, only a retry of the same events at the same revision shows whether it was.
    let mayBeStored = false;
    /** Waits before the next attempt; throws when the time for retries is over. */
    const retry = async (reason: string, cause: unknown): Promise<void> => {
      const spentMs = performance.now() - begun;
      if (spentMs < (mayBeStored ? settleMs : reachMs)) return backoff.wait();
      const detail = `EventStoreDB cannot be used: ${reason}`;
      throw mayBeStored ? new OutcomeUnknown(detail, { cause }) : new StoreUnavailable(detail, { cause });
    };
    for (;;) {
      try {
        if (!proposed) {
          const hashes = chained(
            stream,
            expected === 'absent' ? 0 : expected + 1,
            await hashAt(stream, expected),
            texts,
          );
          proposed = events.map((event, index) => storedEvent(event, hashes[index] ?? null));
        }
        return await tryAppend(stream, expected, proposed);
      } catch (error) {
        if (error instanceof Conflict || error instanceof NotCanonical) throw error;
        const failure = failureOf(error);
        switch (failure.kind) {
          case 'conflict': {
            if (!mayBeStored) throw new Conflict(stream, expected, failure.actual);
            const there = await isStored(stream, expected, events).catch((unread: unknown) => ({ unread }));
            if (there === true) return (expected === 'absent' ? -1 : expected) + events.length;
            if (there === false) throw new Conflict(stream, expected, failure.actual);
            await retry('cannot read whether an append was stored', there.unread);
            break;
          }
          case 'tooLarge':
            throw new AppendTooLarge(stream, bytesOf(texts));
          case 'unsent':
          case 'unknown':
            mayBeStored ||= proposed !== undefined && failure.kind === 'unknown';
            await retry(failure.reason, error);
            break;
          default:
            throw error;
        }
      }
    }
  };

  return { append, read, all };
};

/** Returns a function that lets the events of a stream expire after some days. */
export const streamExpiry =
  ({ client, unshared, prefix }: Connection) =>
  async (stream: string, days: number): Promise<void> => {
    try {
      await client.setStreamMetadata(
        prefix + stream,
        { maxAge: days * 86_400 },
        { ...unshared, deadline: defaultLimits.tryMs },
      );
    } catch (error) {
      throw unavailable(error);
    }
  };

/** Returns a function that deletes a stream outside the log; a scavenge on the server then overwrites its data. */
export const streamDeletion =
  ({ client, unshared, prefix }: Connection) =>
  async (stream: string): Promise<void> => {
    try {
      await client.deleteStream(prefix + stream, {
        ...unshared,
        requiresLeader: true,
        deadline: defaultLimits.tryMs,
      });
    } catch (error) {
      const { kind } = failureOf(error);
      if (kind !== 'streamNotFound' && kind !== 'streamDeleted') throw unavailable(error);
    }
  };
