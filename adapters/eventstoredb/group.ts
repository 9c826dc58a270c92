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
import type { Subscription, Delivered } from '../../application/followUps/subscription.js';
import { checkCauses } from '../../domain/alerts/checks.js';
import { appliedDecisions } from '../../domain/incidents/incidents.js';
import { analysisTypes, groupedTypes } from '../../domain/followUps.js';
import type { SharedWork } from '../../application/requests/service.js';
import type { ReadModels } from '../../projections/readModels.js';
import { failureOf, type Connection, withRefusals } from './connection.js';
import { hasEventAt, isOfLog, recorded } from './logReader.js';
import { keepSubscribed, type Stoppable } from './subscriptions.js';

// Instances are competing consumers of persistent subscriptions: one group for analyses, one for checks, which wait for
// analyses. The server redelivers events of an instance that is gone and parks them after repeated failures.

/** Events of a group that one instance has at a time. */
const bufferSize = 32;
const settings = {
  // Applies to a connected instance that does not answer; a disconnected one is noticed at once.
  messageTimeout: 300_000,
  maxRetryCount: 5,
  liveBufferSize: 1000,
  historyBufferSize: 1000,
};

type Kind = { readonly name: string; readonly types: readonly EventType[] };

/** Causes of checks that have groups of their own. */
const laterCauses: readonly EventType[] = [
  'ClockTicked',
  'CovariateDaysImported',
  'DayTakenBack',
  'PointsImported',
  'DateClosed',
  'CalendarRuleApplied',
  'CalendarRuleWithdrawn',
  'ChangeAccepted',
  'ChangeWithdrawn',
];

/** Types of events per group. A group keeps its filter, so other types need a new name. */
export const allKinds: readonly Kind[] = [
  { name: 'daybook-analyses-1', types: analysisTypes.filter(type => type !== 'ReferenceExtended') },
  { name: 'daybook-checks-1', types: checkCauses.filter(type => !laterCauses.includes(type)) },
  { name: 'daybook-clock-1', types: ['ClockTicked'] },
  { name: 'daybook-relearnings-1', types: ['SourceRelearned'] },
  { name: 'daybook-covariates-1', types: ['CovariateDaysImported'] },
  { name: 'daybook-taken-back-1', types: ['DayTakenBack'] },
  { name: 'daybook-references-1', types: ['ReferenceExtended'] },
  { name: 'daybook-points-1', types: ['PointsImported', 'DateClosed'] },
  { name: 'daybook-incidents-1', types: [...groupedTypes, ...appliedDecisions] },
  { name: 'daybook-calendars-1', types: ['CalendarRuleApplied', 'CalendarRuleWithdrawn'] },
  { name: 'daybook-acceptances-1', types: ['ChangeAccepted', 'ChangeWithdrawn'] },
];
const groupOf = ({ prefix }: Connection, name: string): string =>
  prefix === '' ? name : `${name}-${prefix}`;

export type Group = Subscription & {
  /**
   * Creates missing groups; to be called before `start`.
   * @throws StoreUnavailable, StoreRefused
   */
  readonly prepare: () => Promise<void>;
  /** undefined while the server cannot be reached. */
  readonly state: () => SharedWork | undefined;
};

/** The log as this instance knows it: where its work is done, and how much of it is after a position. */
export type FollowedHistory = Pick<ReadModels['followUps'], 'doneUpTo' | 'countAfter'>;

/** A history of which nothing is known: groups begin at its beginning. */
const unknownHistory: FollowedHistory = { doneUpTo: () => 0n, countAfter: () => 0 };

/**
 * Number of waiting and parked events of a group. Behind the end of the log the server counts at most its buffers; the
 * rest is counted in the log.
 */
const readGroup = async (
  { client }: Connection,
  group: string,
  countAfter: (position: bigint) => number = () => 0,
): Promise<SharedWork> => {
  const { status, stats, settings } = await client.getPersistentSubscriptionToAllInfo(group);
  const { readBufferCount, retryBufferCount, totalInFlightMessages, parkedMessageCount } = stats;
  // The live buffer is not counted, because it includes events that are done.
  const buffered = readBufferCount + retryBufferCount + totalInFlightMessages;
  const { startFrom } = settings;
  const reached = stats.lastCheckpointedEventPosition ?? (typeof startFrom === 'string' ? null : startFrom);
  return {
    undone: status.includes('Behind') ? Math.max(buffered, countAfter(reached?.commit ?? 0n)) : buffered,
    parked: Number(parkedMessageCount),
  };
};

/** Number of waiting and parked events in all groups. */
const readState = async (
  connection: Connection,
  kinds: readonly Kind[],
  { countAfter }: FollowedHistory,
): Promise<SharedWork> => {
  const all = await Promise.all(
    kinds.map(({ name, types }) =>
      readGroup(connection, groupOf(connection, name), position => countAfter(position, types)),
    ),
  );
  return {
    undone: all.reduce((sum, { undone }) => sum + undone, 0),
    parked: all.reduce((sum, { parked }) => sum + parked, 0),
  };
};

/**
 * Retries all parked events.
 * @returns number of these events
 * @throws StoreUnavailable, also when a group does not exist; StoreRefused
 */
export const replayParked = (connection: Connection, kinds = allKinds): Promise<number> =>
  withRefusals(connection, async () => {
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
  /** The read models' knowledge of the log; absent for none. */
  readonly history?: FollowedHistory;
  readonly fault: (error: unknown) => void;
  readonly log: Logger;
  readonly kinds?: readonly Kind[];
  readonly limits?: {
    /** Interval between queries of the state. */
    readonly statePauseMs?: number;
    /** See `keepSubscribed`. */
    readonly confirmationMs?: number;
  };
};

/** Delivers this instance's share of the events for the process manager. */
export const groupSubscription = ({
  connection,
  beginning,
  history = unknownHistory,
  fault,
  log,
  kinds = allKinds,
  limits = {},
}: GroupParts): Group => {
  const { statePauseMs = 2000, confirmationMs } = limits;
  const { client, prefix } = connection;
  const groups = kinds.map(({ name, types }) => ({ group: groupOf(connection, name), types }));
  let subscriptions: readonly Stoppable[] = [];
  let state: SharedWork | undefined;
  let pollTimer: NodeJS.Timeout | undefined;

  type Filtered = (typeof groups)[number];
  /**
   * Position at which a new group begins: the work of all events before it is done. A server refuses to read at a
   * position that no event has, so one that its log lacks, for example after a restore, is not used.
   */
  const startOf = async (types: readonly EventType[]) => {
    const done = history.doneUpTo(types);
    const from = done > beginning && (await hasEventAt(connection, done)) ? done : beginning;
    return from === 0n ? START : { commit: from, prepare: from };
  };

  const createGroup = async ({ group, types }: Filtered): Promise<void> => {
    const startFrom = await startOf(types);
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

  const open = async (kind: Filtered): Promise<PersistentSubscriptionToAll> => {
    // A server that was restored from a backup may not have the group.
    await createGroup(kind);
    return client.subscribeToPersistentSubscriptionToAll(kind.group, { bufferSize });
  };

  const decoded = (
    { event }: PersistentSubscriptionToAllResolvedEvent,
    types: readonly EventType[],
  ): KnownEvent | undefined => {
    if (!event || !isOfLog(prefix, event.streamId)) return undefined;
    const known = decode(recorded(prefix, event));
    return known && types.includes(known.type) ? known : undefined;
  };

  /** The same; none for an event that this build cannot read, whose subject the read models park. */
  const decodedOrNone = (...given: Parameters<typeof decoded>): KnownEvent | undefined => {
    try {
      return decoded(...given);
    } catch (error) {
      log.error({ err: error }, 'an event cannot be read; its source is parked');
      return undefined;
    }
  };

  /** Sends an acknowledgement. When it is lost, the event is delivered again and found done. */
  const sendAnswer = (answer: Promise<void>): void => void answer.catch(() => undefined);

  const deliveryOf = (
    event: KnownEvent,
    resolved: PersistentSubscriptionToAllResolvedEvent,
    call: PersistentSubscriptionToAll,
  ): Delivered => ({
    event,
    done: () => sendAnswer(call.ack(resolved)),
    failed: error => {
      log.error(
        { err: error, event: event.id, type: event.type, tries: resolved.retryCount + 1 },
        'event handling failed',
      );
      const action = resolved.retryCount < settings.maxRetryCount ? RETRY : PARK;
      sendAnswer(call.nack(action, error instanceof Error ? error.message : String(error), resolved));
    },
  });

  const pollState = async (): Promise<void> => {
    state = await readState(connection, kinds, history).catch(() => undefined);
    if (subscriptions.length > 0) pollTimer = setTimeout(() => void pollState(), statePauseMs);
  };

  return {
    prepare: async () => {
      await withRefusals(connection, async () => {
        for (const kind of groups) await createGroup(kind);
        state = await readState(connection, kinds, history);
      });
    },
    start: take => {
      subscriptions = groups.map(kind =>
        keepSubscribed({
          name: kind.group,
          open: () => open(kind),
          take: (item, call) => {
            const resolved = item as PersistentSubscriptionToAllResolvedEvent;
            const event = decodedOrNone(resolved, kind.types);
            if (event) take([deliveryOf(event, resolved, call)]).catch(fault);
            else sendAnswer(call.ack(resolved));
          },
          log,
          confirmationMs,
        }),
      );
      void pollState();
    },
    wake: () => {},
    state: () => state,
    stop: async () => {
      const ending = subscriptions;
      subscriptions = [];
      clearTimeout(pollTimer);
      await Promise.all(ending.map(({ stop }) => stop()));
    },
  };
};
