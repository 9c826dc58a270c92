import type { EventStore } from '../../application/eventStore.js';
import { appender, defaultAppendLimits, type AppendLimits } from './appender.js';
import { failureOf, storeUnavailable, type Connection } from './connection.js';
import { logReader } from './logReader.js';
import { silenceMs } from './streaming.js';

/** Timeouts in ms. */
export type Timeouts = AppendLimits & {
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
  return { append: appender(connection, reader, limits), read: reader.read, all: reader.all };
};

/** Returns a function that lets the events of a stream expire after some days. */
export const streamExpiry =
  ({ client, unshared, prefix }: Connection) =>
  async (stream: string, days: number): Promise<void> => {
    try {
      await client.setStreamMetadata(
        prefix + stream,
        { maxAge: days * 86_400 },
        { ...unshared, deadline: defaultTimeouts.tryMs },
      );
    } catch (error) {
      throw storeUnavailable(error);
    }
  };

/** Returns a function that limits a stream to its last events. */
export const streamLimit =
  ({ client, unshared, prefix }: Connection) =>
  async (stream: string, count: number): Promise<void> => {
    try {
      await client.setStreamMetadata(
        prefix + stream,
        { maxCount: count },
        { ...unshared, deadline: defaultTimeouts.tryMs },
      );
    } catch (error) {
      throw storeUnavailable(error);
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
        deadline: defaultTimeouts.tryMs,
      });
    } catch (error) {
      const { kind } = failureOf(error);
      if (kind !== 'streamNotFound' && kind !== 'streamDeleted') throw storeUnavailable(error);
    }
  };
