import {
  PARK,
  RETRY,
  START,
  persistentSubscriptionToAllSettingsFromDefaults,
  streamNameFilter,
  type PersistentSubscriptionToAll,
  type PersistentSubscriptionToAllResolvedEvent,
} from '@eventstore/db-client';
import type { Logger } from 'pino';
import { decode, type KnownEvent } from '../../domain/events.js';
import type { Deliveries, Delivery } from '../deliveries.js';
import { reactionTypes } from '../reactions.js';
import type { SharedWork } from '../service.js';
import { failureOf, unavailable, type Connection } from './connection.js';
import { isOfLog, recorded } from './store.js';
import { kept, type Kept } from './subscriptions.js';

// Instances share the reactor's work as competing consumers of one persistent subscription: the server gives each
// event to one of them, to another when that one is gone, and parks what fails again and again.

/** Events that one instance has at a time. */
const bufferSize = 32;
const settings = {
  // Only of an instance that lives and does nothing; one that is gone is noticed at once.
  messageTimeout: 300_000,
  maxRetryCount: 5,
  liveBufferSize: 1000,
  historyBufferSize: 1000,
};

/** The group of a log's reactor. Another filter would need another name: a group keeps its own for ever. */
const groupOf = ({ prefix }: Connection): string => `daybook-reactor-1${prefix === '' ? '' : `-${prefix}`}`;

export type Group = Deliveries & {
  /**
   * To be called before `start`: makes the group where there is none.
   * @throws StoreUnavailable
   */
  readonly prepare: () => Promise<void>;
  /** undefined while the server cannot be reached. */
  readonly state: () => SharedWork | undefined;
};

const readState = async (connection: Connection): Promise<SharedWork> => {
  const { stats } = await connection.client.getPersistentSubscriptionToAllInfo(groupOf(connection));
  const { readBufferCount, retryBufferCount, totalInFlightMessages, parkedMessageCount } = stats;
  // The live buffer is left out: it keeps what is done as well.
  return {
    undone: readBufferCount + retryBufferCount + totalInFlightMessages,
    parked: Number(parkedMessageCount),
  };
};

/**
 * Lets what is parked be tried again.
 * @returns how many events that are
 * @throws StoreUnavailable, also when the server has no such group yet
 */
export const replayParked = async (connection: Connection): Promise<number> => {
  try {
    const { parked } = await readState(connection);
    if (parked > 0) await connection.client.replayParkedMessagesToAll(groupOf(connection));
    return parked;
  } catch (error) {
    throw unavailable(error);
  }
};

type Parts = {
  readonly connection: Connection;
  /** See `beginningOf`. */
  readonly beginning: bigint;
  readonly fault: (error: unknown) => void;
  readonly log: Logger;
  readonly limits?: {
    /** Between two looks at the group's state. */
    readonly statePauseMs?: number;
    /** See `kept`. */
    readonly confirmationMs?: number;
  };
};

/** Brings this instance's share of the events that a reactor is to do something about. */
export const groupDeliveries = ({ connection, beginning, fault, log, limits = {} }: Parts): Group => {
  const { statePauseMs = 2000, confirmationMs } = limits;
  const { client, prefix } = connection;
  const group = groupOf(connection);
  let subscription: Kept | undefined;
  let state: SharedWork | undefined;
  let asking: NodeJS.Timeout | undefined;

  const make = async (): Promise<void> => {
    const startFrom = beginning === 0n ? START : { commit: beginning, prepare: beginning };
    const filter = streamNameFilter({ prefixes: ['source-', 'days-'].map(kind => prefix + kind) });
    await client
      .createPersistentSubscriptionToAll(
        group,
        persistentSubscriptionToAllSettingsFromDefaults({ ...settings, startFrom }),
        { filter },
      )
      .catch((error: unknown) => {
        if (failureOf(error).kind !== 'exists') throw error;
      });
  };

  const open = async (): Promise<PersistentSubscriptionToAll> => {
    // A server that was put back to an earlier state may have lost it.
    await make();
    return client.subscribeToPersistentSubscriptionToAll(group, { bufferSize });
  };

  const understood = (resolved: PersistentSubscriptionToAllResolvedEvent): KnownEvent | undefined => {
    const { event } = resolved;
    if (!event || !isOfLog(prefix, event.streamId)) return undefined;
    const known = decode(recorded(prefix, event));
    return known && reactionTypes.includes(known.type) ? known : undefined;
  };

  /** An answer that is lost, or the server does not want any more, brings the event again: it is done already then. */
  const answering = (answer: Promise<void>): void => void answer.catch(() => undefined);

  const deliveryOf = (
    event: KnownEvent,
    resolved: PersistentSubscriptionToAllResolvedEvent,
    call: PersistentSubscriptionToAll,
  ): Delivery => ({
    event,
    done: () => answering(call.ack(resolved)),
    failed: error => {
      log.error(
        { err: error, event: event.id, type: event.type, tries: resolved.retryCount + 1 },
        'reaction failed',
      );
      const action = resolved.retryCount < settings.maxRetryCount ? RETRY : PARK;
      answering(call.nack(action, error instanceof Error ? error.message : String(error), resolved));
    },
  });

  const ask = async (): Promise<void> => {
    state = await readState(connection).catch(() => undefined);
    if (subscription) asking = setTimeout(() => void ask(), statePauseMs);
  };

  return {
    prepare: async () => {
      try {
        await make();
        state = await readState(connection);
      } catch (error) {
        throw unavailable(error);
      }
    },
    start: take => {
      subscription = kept({
        name: group,
        open,
        take: (item, call) => {
          const resolved = item as PersistentSubscriptionToAllResolvedEvent;
          try {
            const event = understood(resolved);
            if (event) take([deliveryOf(event, resolved, call)]).catch(fault);
            else answering(call.ack(resolved));
          } catch (error) {
            fault(error);
          }
        },
        log,
        confirmationMs,
      });
      void ask();
    },
    wake: () => {},
    state: () => state,
    stop: async () => {
      const ending = subscription;
      subscription = undefined;
      clearTimeout(asking);
      await ending?.stop();
    },
  };
};
