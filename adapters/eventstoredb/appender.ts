import { NO_STREAM, type EventData } from '@eventstore/db-client';
import { system } from '../environment.js';
import { exponentialBackoff } from '../../application/backoff.js';
import {
  AppendTooLarge,
  bytesOf,
  Conflict,
  isRepeat,
  OutcomeUnknown,
  StoreUnavailable,
  written,
  type EventStore,
} from '../../application/eventStore.js';
import { NotCanonical } from '../../auditing/canonicalJson.js';
import { chained } from '../../auditing/eventHash.js';
import type { Proposed } from '../../domain/events.js';
import { isLogStream } from '../../domain/streams.js';
import { failureOf, type Connection } from './connection.js';
import type { LogReader } from './logReader.js';
import { storedEvent } from './storedEvents.js';

/** Timeouts in ms. */
export type AppendLimits = {
  /** One attempt of an append. */
  readonly tryMs: number;
  /** Retries while the server was never reached: it may be starting. */
  readonly reachMs: number;
  /** Retries while it is unknown whether an append was stored. */
  readonly unknownMs: number;
};
export const defaultAppendLimits: AppendLimits = { tryMs: 5000, reachMs: 2000, unknownMs: 15_000 };

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
export const appender =
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
