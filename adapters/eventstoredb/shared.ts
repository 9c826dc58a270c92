import type { Logger } from 'pino';
import type { OpenEventStore } from '../../application/eventStore.js';
import type { Address } from './address.js';
import { connect, type Connection } from './connection.js';
import { groupSubscription, type Group, type GroupParts } from './group.js';
import { beginningOf, eventStoreDb, expiring, vanishing } from './store.js';
import { watch, type Kept } from './subscriptions.js';

/** What a log has that other instances may work on too. */
export type Shared = {
  readonly connection: Connection;
  /** Position after which the log begins on its server. */
  readonly beginning: bigint;
  /** See `groupSubscription`. */
  readonly subscription: (parts: Pick<GroupParts, 'fault' | 'log'>) => Group;
  /** See `expiring`. */
  readonly expire: ReturnType<typeof expiring>;
  /** See `vanishing`. */
  readonly vanish: ReturnType<typeof vanishing>;
  /** See `watch`. */
  readonly watch: (appended: () => void, log: Logger) => Kept;
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
        expire: expiring(connection),
        vanish: vanishing(connection),
        watch: (appended, log) => watch(connection, appended, log),
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
};
