import type { Logger } from 'pino';
import type { KnownEvent } from '../../domain/events.js';
import { sourceOf, tenantOf as tenantOfStream } from '../../domain/streams.js';
import type { Subscription, Delivered } from './subscription.js';
import type { Environment } from '../ports/environment.js';
import { exponentialBackoff } from '../commands/backoff.js';
import { keyedQueue, tenantQueues } from '../ports/sharing/fairQueue.js';
import { isAnalysis, isAppliedDecision, isGrouped, withoutDays } from '../../domain/followUps.js';
import { isRelearned } from './analyses.js';
import { isTransient } from './followUpParts.js';
import type { Parking } from '../reading/parking.js';
import type { FollowUps } from './followUps.js';

/** Runs the work that events ask for, each at least once. */
export type ProcessManager = {
  /** Number of jobs accepted and not done. */
  readonly backlog: () => number;
  /** Number of jobs of one tenant that are accepted and not done. */
  readonly backlogOf: (tenant: string) => number;
  /** Stops and cancels analyses. Jobs that are not done run after the next start, or in another instance. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly subscription: Subscription;
  /** Resolves when the read models have all events up to a position, by default up to the call. */
  readonly caughtUp: (position?: bigint) => Promise<void>;
  readonly followUps: FollowUps;
  readonly parking: Pick<Parking, 'isParked' | 'park'>;
  /** Tenant of a source. */
  readonly tenantOf?: (sourceId: number) => string | undefined;
  readonly log: Logger;
  readonly environment: Environment;
};

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Queue of the work of an event. Analyses have queues of their own, because a check may wait for a later analysis. */
const queueOf = (event: KnownEvent): string => {
  if (isAppliedDecision(event)) return event.stream;
  const kind = isRelearned(event)
    ? 'creation'
    : isAnalysis(event)
      ? 'analysis'
      : isGrouped(event)
        ? 'grouping'
        : 'check';
  return `${kind} ${sourceOf(event.stream)}`;
};

/** Maximum jobs that run; half of them for one tenant, so that its work does not stop the checks of others. */
const runningMax = 1000;
const runningOfTenantMax = runningMax / 2;

/** Maximum jobs that wait because their tenant has many that run; the others stay in the log. */
const waitingMax = 20_000;

/** Starts a process manager. Analyses of one source run one after the other, and so do its checks. */
export const processManager = ({
  subscription,
  caughtUp,
  followUps,
  parking,
  tenantOf = () => undefined,
  log,
  environment,
}: Parts): ProcessManager => {
  const queue = keyedQueue();
  /** Functions that resume deliveries; called when a job ends and makes room. */
  const blocked: (() => void)[] = [];
  const waiting = tenantQueues<Delivered>();
  let running = 0;
  const runningOf = new Map<string, number>();
  const count = (tenant: string, by: 1 | -1): void => {
    running += by;
    const own = (runningOf.get(tenant) ?? 0) + by;
    if (own > 0) runningOf.set(tenant, own);
    else runningOf.delete(tenant);
  };
  const hasRoom = (tenant: string): boolean =>
    running < runningMax && (runningOf.get(tenant) ?? 0) < runningOfTenantMax;
  let stopping = false;
  /** Functions that end the present waits: an unreachable store must not block `stop`. */
  const cancels = new Set<() => void>();
  const untilStopped = (work: Promise<void>): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      cancels.add(resolve);
      void work.then(resolve, reject).finally(() => cancels.delete(resolve));
    });

  /** Runs a job. An error that no retry can end parks the subject of the event. */
  const runOrPark = async (event: KnownEvent): Promise<void> => {
    if (parking.isParked(event)) return;
    try {
      await followUps.run(event);
    } catch (error) {
      if (stopping || isTransient(error) || isAbort(error)) throw error;
      parking.park(event, error);
    }
  };

  /** Runs a job with retries; false when it was stopped before it was done. */
  const runWithRetries = async (event: KnownEvent): Promise<boolean> => {
    const backoff = exponentialBackoff(environment);
    // A retry waits for all events of the log: one of them may be the reason for it.
    for (let position: bigint | undefined = event.position; !stopping; position = undefined) {
      try {
        await untilStopped(caughtUp(position));
        if (stopping) return false;
        await runOrPark(event);
        return true;
      } catch (error) {
        if (stopping) return false;
        // A newer request cancelled this analysis.
        if (isAbort(error)) return true;
        if (!isTransient(error)) throw error;
        log.warn({ err: error, event: event.type }, 'event handling failed; retrying');
        await untilStopped(backoff.wait());
      }
    }
    return false;
  };

  /** Tenant whose backlog an event counts for; none while the read models cannot be read. */
  const tenantOfEvent = ({ stream }: KnownEvent): string => {
    try {
      return tenantOfStream(stream) ?? tenantOf(sourceOf(stream)) ?? '';
    } catch {
      return '';
    }
  };

  const start = (tenant: string, { event, done, failed }: Delivered): void => {
    count(tenant, 1);
    void queue
      .run(queueOf(event), () => runWithRetries(event))
      .then(finished => {
        if (finished) done();
      }, failed)
      .finally(() => {
        count(tenant, -1);
        const next = stopping ? undefined : waiting.shift(hasRoom);
        if (next) start(tenantOfEvent(next.event), next);
        for (const resume of blocked.splice(0)) resume();
      });
  };

  /** Starts a job, or lets it wait after the others of its tenant. An analysis does not: checks may wait for it. */
  const enqueue = (delivered: Delivered): void => {
    const { event, mayWait } = delivered;
    const tenant = tenantOfEvent(event);
    if (!mayWait || isAnalysis(event) || (waiting.countOf(tenant) === 0 && hasRoom(tenant)))
      start(tenant, delivered);
    else waiting.push(tenant, { ...delivered, event: withoutDays(event) });
  };

  /** Waits until the read models have the event at a position, also while the log cannot be read. */
  const untilCaughtUp = async (position: bigint): Promise<void> => {
    const backoff = exponentialBackoff(environment);
    while (!stopping) {
      try {
        return await untilStopped(caughtUp(position));
      } catch (error) {
        if (!isTransient(error)) throw error;
        await untilStopped(backoff.wait());
      }
    }
  };

  /** Whether an event asks for work. If that cannot be read, its job meets the error again and handles it. */
  const isDue = (event: KnownEvent): boolean => {
    try {
      return !parking.isParked(event) && followUps.isDue(event);
    } catch {
      return true;
    }
  };

  subscription.start(async batch => {
    for (const delivered of batch) {
      await untilCaughtUp(delivered.event.position);
      while ((running >= runningMax || waiting.count() >= waitingMax) && !stopping)
        await new Promise<void>(resolve => blocked.push(resolve));
      if (stopping) return;
      if (!isDue(delivered.event)) delivered.done();
      else {
        const { id, type } = delivered.event;
        if (delivered.isOverdue) log.warn({ event: id, type }, 'event overdue; handling it here');
        enqueue(delivered);
      }
    }
  });

  return {
    backlog: () => running + waiting.count(),
    backlogOf: tenant => (runningOf.get(tenant) ?? 0) + waiting.countOf(tenant),
    stop: async () => {
      stopping = true;
      for (const cancel of cancels) cancel();
      for (const resume of blocked.splice(0)) resume();
      followUps.end();
      await subscription.stop();
      await queue.idle();
    },
  };
};
