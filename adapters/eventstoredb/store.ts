import type { Logger } from 'pino';
import {
  type OpenEventStore,
  type EventStore,
  AppendTooLarge,
  bytesOf,
  Conflict,
  isRepeat,
  OutcomeUnknown,
  StoreUnavailable,
  written,
} from '../../application/ports/eventStore.js';
import type { Address } from './address.js';
import { connect, type Connection, failureOf, storeUnavailable, silenceMs } from './connection.js';
import { groupSubscription, type Group, type GroupParts } from './group.js';
import { beginningOf, hasEventAt, logReader, type LogReader, storedEvent } from './logReader.js';
import { watch, type Stoppable } from './subscriptions.js';
import { NO_STREAM, type EventData, type StreamMetadata } from '@eventstore/db-client';
import { system } from '../environment.js';
import { exponentialBackoff } from '../../application/commands/backoff.js';
import { NotCanonical, chained } from '../../auditing/eventBytes.js';
import type { Proposed } from '../../domain/events.js';
import { isLogStream } from '../../domain/streams.js';

/** Timeouts in ms. */
type AppendLimits = {
  /** One attempt of an append. */
  readonly tryMs: number;
  /** Retries while the server was never reached: it may be starting. */
  readonly reachMs: number;
  /** Retries while it is unknown whether an append was stored. */
  readonly unknownMs: number;
};
const defaultAppendLimits: AppendLimits = { tryMs: 5000, reachMs: 2000, unknownMs: 15_000 };

type Expected = number | 'absent';

/** Revision of the first event of an append. */
const firstRevision = (expected: Expected): number => (expected === 'absent' ? 0 : expected + 1);

/**
 * Hash of the event before an append. It is read and not taken from the last append: the server may have recognised
 * that append as a repeat of another instance's events.
 * @throws Conflict when the stream is shorter than `expected`, or the client's error
 */
const hashAt = async (reader: LogReader, stream: string, expected: Expected): Promise<string | null> => {
  if (expected === 'absent' || !isLogStream(stream)) return null;
  const seen = reader.endOf(stream);
  if (seen?.revision === expected) return seen.hash;
  const end = await reader.lastOf(stream);
  if (!end || end.revision < expected) throw new Conflict(stream, expected, end?.revision ?? 'absent');
  // After newer events this append is a repeat or a conflict, and nothing will be stored.
  return end.revision === expected ? (end.hash ?? null) : null;
};

/** Whether these events follow `expected` in the stream. */
const isStored = async (
  reader: LogReader,
  stream: string,
  expected: Expected,
  events: readonly Proposed[],
): Promise<boolean> => {
  const ids: string[] = [];
  for await (const event of reader.read(stream, firstRevision(expected))) {
    ids.push(event.id);
    if (ids.length === events.length) break;
  }
  return isRepeat(ids, events);
};

/** One attempt. It has a timer, because the client's deadline starts only after it has connected. */
const tryAppend = (
  { client, unshared, prefix }: Connection,
  stream: string,
  events: readonly EventData[],
  { expected, tryMs }: { readonly expected: Expected; readonly tryMs: number },
): Promise<number> =>
  new Promise<number>((resolve, reject) => {
    const timeoutMs = tryMs * 1.2;
    const timer = setTimeout(() => reject(new Error(`no answer to an append in ${timeoutMs} ms`)), timeoutMs);
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

/** Waits between the attempts of one append, and the error that ends them. */
const retries = ({ reachMs, unknownMs }: AppendLimits) => {
  const begun = performance.now();
  const backoff = exponentialBackoff(system);
  // After an attempt that may be stored, only a retry of the same events at the same revision shows whether it was.
  let mayBeStored = false;
  return {
    mayBeStored: () => mayBeStored,
    noteMayBeStored: (): void => {
      mayBeStored = true;
    },
    /** Waits before the next attempt; throws when the time for retries is over. */
    wait: async (reason: string, cause: unknown): Promise<void> => {
      if (performance.now() - begun < (mayBeStored ? unknownMs : reachMs)) return backoff.wait();
      const detail = `EventStoreDB cannot be used: ${reason}`;
      throw mayBeStored ? new OutcomeUnknown(detail, { cause }) : new StoreUnavailable(detail, { cause });
    },
  };
};

/**
 * Appends to EventStoreDB, with retries.
 * @throws Conflict, AppendTooLarge, StoreUnavailable, OutcomeUnknown, NotCanonical
 */
const appender =
  (
    connection: Connection,
    reader: LogReader,
    limits: AppendLimits = defaultAppendLimits,
  ): EventStore['append'] =>
  async (stream, expected, events) => {
    const texts = written(stream, events);
    const attempts = retries(limits);
    let proposed: readonly EventData[] | undefined;
    const propose = async (): Promise<readonly EventData[]> => {
      const before = await hashAt(reader, stream, expected);
      const hashes = chained(stream, firstRevision(expected), before, texts);
      return events.map((event, index) => storedEvent(event, hashes[index] ?? null));
    };
    for (;;) {
      try {
        proposed ??= await propose();
        return await tryAppend(connection, stream, proposed, { expected, tryMs: limits.tryMs });
      } catch (error) {
        if (error instanceof Conflict || error instanceof NotCanonical) throw error;
        const failure = failureOf(error);
        switch (failure.kind) {
          case 'conflict': {
            if (!attempts.mayBeStored()) throw new Conflict(stream, expected, failure.actual);
            const there = await isStored(reader, stream, expected, events).catch((readError: unknown) => ({
              readError,
            }));
            if (there === true) return firstRevision(expected) + events.length - 1;
            if (there === false) throw new Conflict(stream, expected, failure.actual);
            await attempts.wait('cannot read whether an append was stored', there.readError);
            break;
          }
          case 'tooLarge':
            throw new AppendTooLarge(stream, bytesOf(texts));
          case 'unsent':
          case 'unknown':
            if (proposed && failure.kind === 'unknown') attempts.noteMayBeStored();
            await attempts.wait(failure.reason, error);
            break;
          default:
            throw error;
        }
      }
    }
  };

/** Timeouts in ms. */
type Timeouts = AppendLimits & {
  /** See `itemsOf`. */
  readonly quietMs: number;
};
const defaultTimeouts: Timeouts = { ...defaultAppendLimits, quietMs: silenceMs };

/**
 * The event store on EventStoreDB. `position` is the commit position; for events appended over gRPC it equals the
 * prepare position.
 * @param beginning  see `beginningOf`
 */
export const eventStoreDb = (
  connection: Connection,
  beginning: bigint,
  limits: Timeouts = defaultTimeouts,
): EventStore => {
  const reader = logReader(connection, beginning, limits.quietMs);
  return {
    append: appender(connection, reader, limits),
    read: reader.read,
    all: reader.all,
    hasEventAt: position =>
      hasEventAt(connection, position).catch((error: unknown) => {
        throw storeUnavailable(error);
      }),
  };
};

/** Returns a function that sets a limit of a stream, which `metadata` says in the words of the server. */
const streamLimit =
  ({ client, unshared, prefix }: Connection, metadata: (limit: number) => StreamMetadata) =>
  async (stream: string, limit: number): Promise<void> => {
    try {
      await client.setStreamMetadata(prefix + stream, metadata(limit), {
        ...unshared,
        deadline: defaultTimeouts.tryMs,
      });
    } catch (error) {
      throw storeUnavailable(error);
    }
  };

type StreamLimit = ReturnType<typeof streamLimit>;

/** Returns a function that lets the events of a stream expire after some days. */
export const streamExpiry = (connection: Connection): StreamLimit =>
  streamLimit(connection, days => ({ maxAge: days * 86_400 }));

/** Returns a function that deletes a stream outside the log; a scavenge on the server then overwrites its data. */
export const streamDeletion =
  ({ client, unshared, prefix }: Connection) =>
  async (stream: string, revision?: number): Promise<void> => {
    try {
      await client.deleteStream(prefix + stream, {
        ...unshared,
        ...(revision !== undefined && { expectedRevision: BigInt(revision) }),
        requiresLeader: true,
        deadline: defaultTimeouts.tryMs,
      });
    } catch (error) {
      const { kind } = failureOf(error);
      const isGone = kind === 'streamNotFound' || kind === 'streamDeleted';
      if (!isGone && (kind !== 'conflict' || revision === undefined)) throw storeUnavailable(error);
    }
  };

/** Parts of a log that instances share. */
export type Shared = {
  readonly connection: Connection;
  /** Position on the server after which the log begins. */
  readonly beginning: bigint;
  /** See `groupSubscription`. */
  readonly subscription: (parts: Pick<GroupParts, 'history' | 'fault' | 'log'>) => Group;
  /** See `streamExpiry`. */
  readonly expire: StreamLimit;
  /** Limits a stream to its last events. */
  readonly keepLast: StreamLimit;
  /** Removes the events of a stream outside the log before a revision. */
  readonly truncate: StreamLimit;
  /** See `streamDeletion`. */
  readonly deleteStream: ReturnType<typeof streamDeletion>;
  /** See `watch`. */
  readonly watch: (appended: () => void, log: Logger) => Stoppable;
};

/**
 * Opens a log on a server.
 * @throws StoreUnavailable, StoreRefused
 */
export const openShared = async (address: Address): Promise<OpenEventStore & { readonly shared: Shared }> => {
  const connection = connect(address);
  try {
    const beginning = await beginningOf(connection);
    return {
      ...eventStoreDb(connection, beginning),
      close: connection.close,
      shared: {
        connection,
        beginning,
        subscription: parts => groupSubscription({ connection, beginning, ...parts }),
        expire: streamExpiry(connection),
        keepLast: streamLimit(connection, maxCount => ({ maxCount })),
        truncate: streamLimit(connection, truncateBefore => ({ truncateBefore })),
        deleteStream: streamDeletion(connection),
        watch: (appended, log) => watch(connection, appended, log),
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
};
