import type { Logger } from 'pino';
import type { OpenEventStore } from '../../application/eventStore.js';
import type { Address } from './address.js';
import { connect, type Connection } from './connection.js';
import { groupSubscription, type Group, type GroupParts } from './group.js';
import { beginningOf } from './logReader.js';
import { eventStoreDb, streamExpiry, streamDeletion, streamLimit } from './store.js';
import { watch, type Stoppable } from './subscriptions.js';

/** Parts of a log that instances share. */
export type Shared = {
  readonly connection: Connection;
  /** Position on the server after which the log begins. */
  readonly beginning: bigint;
  /** See `groupSubscription`. */
  readonly subscription: (parts: Pick<GroupParts, 'history' | 'fault' | 'log'>) => Group;
  /** See `streamExpiry`. */
  readonly expire: ReturnType<typeof streamExpiry>;
  /** See `streamLimit`. */
  readonly keepLast: ReturnType<typeof streamLimit>;
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
        keepLast: streamLimit(connection),
        deleteStream: streamDeletion(connection),
        watch: (appended, log) => watch(connection, appended, log),
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
};
