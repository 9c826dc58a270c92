import { decode, type KnownEvent } from '../../domain/events.js';
import type { ReadModels, Snapshot } from '../../projections/readModels.js';
import type { Analyst } from '../ports/analyst.js';
import type { AsOf } from './history/asOf.js';
import type { Signer } from '../../auditing/checkpoint.js';
import type { Environment } from '../ports/environment.js';
import { storedEvent, type EventStore } from '../ports/eventStore.js';
import type { Freshness, Waiters } from '../reading/freshness.js';
import type { LiveChanges } from '../reading/liveChanges.js';
import type { Metrics } from '../ports/monitoring.js';
import { eventId, type CommandHandler } from '../commands/commandHandler.js';
import type { People, TokenSigner } from '../ports/people.js';
import type { Scrubber } from '../reading/scrubber.js';
import type { CalendarFollower } from '../followUps/calendarFollower.js';
import type { FollowUps } from '../followUps/followUps.js';
import type { FairQueue, KeyedQueue } from '../ports/sharing/fairQueue.js';
import type { LargeAnswers, Walks } from './largeAnswers.js';
import { eventLoopYielder, type Turns } from '../ports/sharing/turns.js';
import type { PointBuffer } from '../ports/pointBuffer.js';
import type { PointWriter } from './points/pointWriter.js';
import type { FeedRoutes, UnclaimedFeeds } from './points/feeds.js';
import type { DeliveryStore } from '../ports/deliveries.js';
import type { Dispatch } from '../messages/dispatch.js';
import { LRUCache } from 'lru-cache';

/** Work that instances on one event store share, as one of them sees it. */
export type SharedWork = {
  /** Events delivered by the server and not yet handled by any instance. */
  readonly undone: number;
  /** Events whose handling failed too often: an operator has to retry them. */
  readonly parked: number;
};

/** Parts of webhooks that requests use. */
export type WebhookParts = {
  readonly deliveries: Pick<DeliveryStore, 'state' | 'attempts' | 'note'>;
  readonly dispatch: Dispatch;
  /** Places of test messages: their requests wait for receivers. */
  readonly tests: FairQueue;
  /** Fault of an address of a receiver, undefined for none. */
  readonly addressFault: (url: string) => string | undefined;
};

/** Parts of a request that decides by the read models and stores. */
export type Deciding = {
  readonly handle: CommandHandler;
  readonly models: ReadModels;
  /**
   * Resolves when the read models have all events up to the call, so that clients read their own writes.
   * @throws OutcomeUnknown when the store stays unreadable
   */
  readonly caughtUp: () => Promise<void>;
};

/** Parts of a request that waits for the checks and analyses that follow from it. */
export type Following = {
  readonly waiters: Waiters;
  /** Events that the process managers of all instances have not handled yet. */
  readonly backlog: () => number;
  /** Events of a tenant that this instance has not handled yet. */
  readonly backlogOf: (tenant: string) => number;
};

/** Parts that tell the time. */
export type Clock = {
  /** The present instant of the environment, ISO 8601 UTC. */
  readonly now: () => string;
  /** Date of tomorrow at an instant by the clock of a zone, by that of UTC for an unknown zone. */
  readonly tomorrowIn: (timeZone: string, at: string) => string;
};

/** Parts of a request that gives a source a description. */
export type Describing = Deciding & {
  /** Changes that depend on other sources of their tenant, by tenant: see `afterOthers`. */
  readonly dependentChanges: KeyedQueue;
  /** Most sources of a tenant that are not archived. */
  readonly sourcesMax: number;
};

/** Everything that use cases and HTTP routes work with; each takes the parts that it needs. */
export type Service = Describing &
  Following &
  Clock & {
    /**
     * Opens the present read models so that they stay as they are until they are closed; the present ones themselves
     * while they cannot be committed.
     * @throws QueueFull
     */
    readonly snapshot: () => Snapshot;
    /** Places for answers that grow with the data. */
    readonly largeAnswers: LargeAnswers;
    /** Ids of lists whose order changes while a client pages through them. */
    readonly walks: Walks;
    /**
     * Checks that events and read models can be written.
     * @throws StorageFull when disk space is short, StoreUnavailable while read models cannot be written
     */
    readonly requireRoom: () => void;
    /**
     * Checks that the read models have all events that they ever had.
     * @throws StoreUnavailable while they lack some, for example after failed writes
     */
    readonly requireWhole: () => void;
    /** Freshness rules; a client may have written through another instance. */
    readonly freshness: Freshness;
    /** Work of all instances, undefined while the store cannot be reached; absent for a single instance. */
    readonly shared?: () => SharedWork | undefined;
    /** Whether the read models follow the log: false while the log is unreadable or they cannot be written. */
    readonly isProjecting: () => boolean;
    /** The comparison of the read models with the log; absent where it does not run. */
    readonly scrub?: Pick<Scrubber, 'isDiffering'>;
    readonly analyst: Analyst;
    /** Shares the event loop between tenants, for work of some milliseconds. */
    readonly turns: Turns;
    readonly followUps: Pick<FollowUps, 'isAnalysing'>;
    /** Applies the rules for labels to the sources of a tenant. */
    readonly calendars: Pick<CalendarFollower, 'follow'>;
    /** Changes as they reach the read models, for clients that watch. */
    readonly changes: Pick<LiveChanges, 'listen'>;
    /** Read models as of past moments. */
    readonly asOf: AsOf;
    /** The events, for auditors. */
    readonly log: Pick<EventStore, 'all' | 'read' | 'damage' | 'hasEventAt'>;
    /** Encryption of personal data. */
    readonly people: People;
    readonly webhooks: WebhookParts;
    /** Points that are not in the log yet, and what moves them there. */
    readonly points: {
      readonly buffer: PointBuffer;
      readonly writer: Pick<PointWriter, 'store' | 'storeLate'>;
    };
    /** The sources that take series of writers, and the series that no source takes. */
    readonly feeds: {
      readonly routesOf: (tenant: string) => FeedRoutes;
      readonly unclaimed: UnclaimedFeeds;
    };
    /** Signs checkpoints; undefined when no key is configured. */
    readonly checkpoints: Signer | undefined;
    /** Signs tokens; undefined when an identity provider does. */
    readonly signToken: TokenSigner | undefined;
    /** When this instance last saw the tokens that the service issued. */
    readonly tokenUses: TokenUses;
    /** Counts and durations for monitoring. */
    readonly metrics: Metrics;
    readonly environment: Environment;
  };

/**
 * Runs a change of a source. One that depends on feeds or covariates of other sources runs after the earlier ones of
 * the tenant: two at the same time would give one feed to two sources, or close a circle. ADR 120 has its limits.
 */
export const afterOthers = <Result>(
  { dependentChanges, caughtUp }: Pick<Describing, 'dependentChanges' | 'caughtUp'>,
  { tenant, isDependent }: { readonly tenant: string; readonly isDependent: boolean },
  change: () => Promise<Result>,
): Promise<Result> =>
  isDependent
    ? dependentChanges.run(tenant, async () => {
        await caughtUp();
        return change();
      })
    : change();

/** The event that caused a check, undefined when nothing changed, and whether the check ended in time. */
export type Checked = { readonly causeId: string | undefined; readonly checked: boolean };

/**
 * Waits for the check that an event caused; false when it takes longer than a request waits, true at once for no event.
 */
export const checkedInTime = (
  service: Pick<Service, 'models' | 'waiters'>,
  causeId: string | undefined,
): Promise<boolean> => allCheckedInTime(service, causeId === undefined ? [] : [causeId]);

/** The same for several events of one source, whose checks run in order: only the first that is not over is read. */
export const allCheckedInTime = async (
  { models, waiters }: Pick<Service, 'models' | 'waiters'>,
  causes: readonly string[],
): Promise<boolean> => {
  if (causes.length === 0) return true;
  let over = 0;
  const look = (): true | undefined => {
    while (over < causes.length && isCheckOver(models, causes[over]!)) over += 1;
    return over === causes.length || undefined;
  };
  return (await waiters.outcome(look)) === true;
};

/** Waits until the service has caught up, and for the check that an event caused, in time. */
export const checkOf = async <Cause extends string | undefined>(
  service: Pick<Service, 'models' | 'waiters' | 'caughtUp'>,
  causeId: Cause,
): Promise<Checked & { readonly causeId: Cause }> => {
  await service.caughtUp();
  return { causeId, checked: await checkedInTime(service, causeId) };
};

/** Whether the check that an event caused is complete, and its alerts are in incidents. */
export const isCheckOver = ({ days, followUps }: ReadModels, causeId: string): boolean =>
  days.check(causeId).complete && followUps.isGrouped(causeId);

/** The first event that an earlier attempt of a request appended to a stream. */
export const firstEventOf = async (
  { log }: Pick<Service, 'log'>,
  stream: string,
  requestId: string,
): Promise<KnownEvent | undefined> => {
  const event = await storedEvent(log, stream, eventId(stream, requestId, 0), eventLoopYielder());
  return event && decode(event);
};

/** Tokens whose last use is known: those that were used most recently. */
const usesMax = 10_000;
/** Longer ids are of no token that the service issued. */
const jtiLengthMax = 100;

/** When requests last used the tokens that the service issued, in the memory of this process. */
export type TokenUses = {
  /** The start of this process, ISO 8601 UTC: earlier uses are not known. */
  readonly since: string;
  readonly note: (jti: string) => void;
  /** Instant of the last use, ISO 8601 UTC; undefined for none that is known. */
  readonly lastOf: (jti: string) => string | undefined;
};

/** No uses yet. @param now the present instant, ISO 8601 UTC */
export const tokenUses = (now: () => string): TokenUses => {
  const last = new LRUCache<string, string>({ max: usesMax });
  return {
    since: now(),
    note: jti => {
      if (jti.length <= jtiLengthMax) last.set(jti, now());
    },
    // A look is no use: it must not keep a token in place of another one.
    lastOf: jti => last.peek(jti),
  };
};
