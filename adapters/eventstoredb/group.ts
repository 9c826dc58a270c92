import {
  PARK,
  RETRY,
  START,
  persistentSubscriptionToAllSettingsFromDefaults,
  eventTypeFilter,
  type PersistentSubscriptionToAll,
  type PersistentSubscriptionToAllResolvedEvent,
} from '@eventstore/db-client';
import type { Logger } from 'pino';
import { decode, type EventType, type KnownEvent } from '../../domain/events.js';
import type { Subscription, Delivered } from '../../application/processManager/subscription.js';
import { checkCauses } from '../../domain/alerts.js';
import { analysisTypes } from '../../application/checks/decideCheck.js';
import type { SharedWork } from '../../application/service.js';
import { failureOf, type Connection } from './connection.js';
import { orRefused } from './refusals.js';
import { isOfLog, recorded } from './store.js';
import { kept, type Kept } from './subscriptions.js';

// Instances share the reactor's work as competing consumers of persistent subscriptions: the server gives each event
// to one of them, to another when that one is gone, and parks what fails again and again. Analyses and checks are
// two groups: checks wait for analyses, and as many as an instance may have at a time must not keep one from coming.

/** Events of a group that one instance has at a time. */
const bufferSize = 32;
const settings = {
  // Only of an instance that lives and does nothing; one that is gone is noticed at once.
  messageTimeout: 300_000,
  maxRetryCount: 5,
  liveBufferSize: 1000,
  historyBufferSize: 1000,
};

type Kind = { readonly name: string; readonly types: readonly EventType[] };

/** What the groups of a log bring. Other types would need another name: a group keeps its filter for ever. */
const allKinds: readonly Kind[] = [
  { name: 'daybook-analyses-1', types: analysisTypes },
  { name: 'daybook-checks-1', types: checkCauses },
];
const groupOf = ({ prefix }: Connection, name: string): string =>
  prefix === '' ? name : `${name}-${prefix}`;

export type Group = Subscription & {
  /**
   * To be called before `start`: makes the group where there is none.
   * @throws StoreUnavailable, StoreRefused
   */
  readonly prepare: () => Promise<void>;
  /** undefined while the server cannot be reached. */
  readonly state: () => SharedWork | undefined;
};

const readGroup = async ({ client }: Connection, group: string): Promise<SharedWork> => {
  const { stats } = await client.getPersistentSubscriptionToAllInfo(group);
  const { readBufferCount, retryBufferCount, totalInFlightMessages, parkedMessageCount } = stats;
  // The live buffer is left out: it keeps what is done as well.
  return {
    undone: readBufferCount + retryBufferCount + totalInFlightMessages,
    parked: Number(parkedMessageCount),
  };
};

/** What waits in the groups of a log. */
const readState = async (connection: Connection, kinds: readonly Kind[]): Promise<SharedWork> => {
  const all = await Promise.all(kinds.map(({ name }) => readGroup(connection, groupOf(connection, name))));
  return {
    undone: all.reduce((sum, { undone }) => sum + undone, 0),
    parked: all.reduce((sum, { parked }) => sum + parked, 0),
  };
};

/**
 * Lets what is parked be tried again.
 * @returns how many events that are
 * @throws StoreUnavailable, also when the server has no such group yet; StoreRefused
 */
export const replayParked = (connection: Connection, kinds = allKinds): Promise<number> =>
  orRefused(connection.tls, async () => {
    let count = 0;
    for (const group of kinds.map(({ name }) => groupOf(connection, name))) {
      const { parked } = await readGroup(connection, group);
      if (parked > 0) await connection.client.replayParkedMessagesToAll(group);
      count += parked;
    }
    return count;
  });

export type GroupParts = {
  readonly connection: Connection;
  /** See `beginningOf`. */
  readonly beginning: bigint;
  readonly fault: (error: unknown) => void;
  readonly log: Logger;
  readonly kinds?: readonly Kind[];
  readonly limits?: {
    /** Between two looks at the group's state. */
    readonly statePauseMs?: number;
    /** See `kept`. */
    readonly confirmationMs?: number;
  };
};

/** Brings this instance's share of the events that a reactor is to do something about. */
export const groupSubscription = ({
  connection,
  beginning,
  fault,
  log,
  kinds = allKinds,
  limits = {},
}: GroupParts): Group => {
  const { statePauseMs = 2000, confirmationMs } = limits;
  const { client, prefix } = connection;
  const groups = kinds.map(({ name, types }) => ({ group: groupOf(connection, name), types }));
  let subscriptions: readonly Kept[] = [];
  let state: SharedWork | undefined;
  let asking: NodeJS.Timeout | undefined;

  type Made = (typeof groups)[number];
  const make = async ({ group, types }: Made): Promise<void> => {
    const startFrom = beginning === 0n ? START : { commit: beginning, prepare: beginning };
    const filter = eventTypeFilter({ prefixes: [...types] });
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

  const open = async (kind: Made): Promise<PersistentSubscriptionToAll> => {
    // A server that was put back to an earlier state may have lost it.
    await make(kind);
    return client.subscribeToPersistentSubscriptionToAll(kind.group, { bufferSize });
  };

  const understood = (
    { event }: PersistentSubscriptionToAllResolvedEvent,
    types: readonly EventType[],
  ): KnownEvent | undefined => {
    if (!event || !isOfLog(prefix, event.streamId)) return undefined;
    const known = decode(recorded(prefix, event));
    return known && types.includes(known.type) ? known : undefined;
  };

  /** An answer that is lost, or the server does not want any more, brings the event again: it is done already then. */
  const answering = (answer: Promise<void>): void => void answer.catch(() => undefined);

  const deliveryOf = (
    event: KnownEvent,
    resolved: PersistentSubscriptionToAllResolvedEvent,
    call: PersistentSubscriptionToAll,
  ): Delivered => ({
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
    state = await readState(connection, kinds).catch(() => undefined);
    if (subscriptions.length > 0) asking = setTimeout(() => void ask(), statePauseMs);
  };

  return {
    prepare: async () => {
      await orRefused(connection.tls, async () => {
        for (const kind of groups) await make(kind);
        state = await readState(connection, kinds);
      });
    },
    start: take => {
      subscriptions = groups.map(kind =>
        kept({
          name: kind.group,
          open: () => open(kind),
          take: (item, call) => {
            const resolved = item as PersistentSubscriptionToAllResolvedEvent;
            try {
              const event = understood(resolved, kind.types);
              if (event) take([deliveryOf(event, resolved, call)]).catch(fault);
              else answering(call.ack(resolved));
            } catch (error) {
              fault(error);
            }
          },
          log,
          confirmationMs,
        }),
      );
      void ask();
    },
    wake: () => {},
    state: () => state,
    stop: async () => {
      const ending = subscriptions;
      subscriptions = [];
      clearTimeout(asking);
      await Promise.all(ending.map(({ stop }) => stop()));
    },
  };
};
