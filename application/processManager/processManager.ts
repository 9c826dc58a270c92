import type { Logger } from 'pino';
import { sourceOf, type KnownEvent } from '../../domain/events.js';
import type { Subscription, Delivered } from './subscription.js';
import type { Environment } from '../environment.js';
import { exponentialBackoff } from '../backoff.js';
import { isAnalysis } from '../checks/decideCheck.js';
import { isPassing, type FollowUps } from './followUps.js';

/** Has done what events ask for, at least once each. */
export type ProcessManager = {
  /** Jobs taken and not done. */
  readonly backlog: () => number;
  /** Those of a tenant. */
  readonly backlogOf: (tenant: string) => number;
  /** Stops taking jobs and ends analyses; what is not done is done after the next start, or by another instance. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly subscription: Subscription;
  /** Resolves when the read models hold what is up to a position, or all that was in the log at the call. */
  readonly caughtUp: (position?: bigint) => Promise<void>;
  readonly followUps: FollowUps;
  /** Whose a source is. */
  readonly tenantOf?: (sourceId: number) => string | undefined;
  readonly log: Logger;
  readonly environment: Environment;
};

/** Jobs taken and not done, at most; the log keeps the rest. */
const outstandingMax = 1000;

/** Starts the reactor. Analyses of a source are done one after the other, so are its checks; all else side by side. */
export const processManager = ({
  subscription,
  caughtUp,
  followUps,
  tenantOf = () => undefined,
  log,
  environment,
}: Parts): ProcessManager => {
  const queues = new Map<string, Promise<void>>();
  const room: (() => void)[] = [];
  let outstanding = 0;
  const outstandingOf = new Map<string, number>();
  const count = (tenant: string, by: 1 | -1): void => {
    outstanding += by;
    const own = (outstandingOf.get(tenant) ?? 0) + by;
    if (own > 0) outstandingOf.set(tenant, own);
    else outstandingOf.delete(tenant);
  };
  let stopping = false;
  /** What ends the waits under way: a store that cannot be reached must not keep a service from stopping. */
  const ends = new Set<() => void>();
  const waitFor = (work: Promise<void>): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      ends.add(resolve);
      void work.then(resolve, reject).finally(() => ends.delete(resolve));
    });

  /** Works until done; false when it was ended before. What cannot be done now is tried again, after growing pauses. */
  const persist = async (event: KnownEvent): Promise<boolean> => {
    const backoff = exponentialBackoff(environment);
    // What others did meanwhile may be why it is to be tried again.
    for (let position: bigint | undefined = event.position; !stopping; position = undefined) {
      try {
        await waitFor(caughtUp(position));
        if (stopping) return false;
        await followUps.run(event);
        return true;
      } catch (error) {
        if (stopping) return false;
        // A newer request has ended this one's analysis.
        if (error instanceof Error && error.name === 'AbortError') return true;
        if (!isPassing(error)) throw error;
        log.warn({ err: error, event: event.type }, 'reactor tries again');
        await waitFor(backoff.wait());
      }
    }
    return false;
  };

  const enqueue = ({ event, done, failed }: Delivered): void => {
    // An analysis waits for no check: a check may be waiting for it, and be here before it.
    const work = isAnalysis(event) ? 'analysis' : 'check';
    const queue = `${work} ${sourceOf(event.stream)}`;
    const tenant = tenantOf(sourceOf(event.stream)) ?? '';
    count(tenant, 1);
    const before = queues.get(queue) ?? Promise.resolve();
    const mine = before
      .then(() => persist(event))
      .then(finished => {
        if (finished) done();
      }, failed)
      .finally(() => {
        count(tenant, -1);
        for (const go of room.splice(0)) go();
        if (queues.get(queue) === mine) queues.delete(queue);
      });
    queues.set(queue, mine);
  };

  /** Waits for read models that hold the event at a position, however long the log cannot be read. */
  const untilCaughtUp = async (position: bigint): Promise<void> => {
    const backoff = exponentialBackoff(environment);
    while (!stopping) {
      try {
        return await waitFor(caughtUp(position));
      } catch (error) {
        if (!isPassing(error)) throw error;
        await waitFor(backoff.wait());
      }
    }
  };

  subscription.start(async batch => {
    for (const delivered of batch) {
      await untilCaughtUp(delivered.event.position);
      while (outstanding >= outstandingMax && !stopping)
        await new Promise<void>(resolve => room.push(resolve));
      if (stopping) return;
      if (!followUps.isDue(delivered.event)) delivered.done();
      else {
        const { id, type } = delivered.event;
        if (delivered.isOverdue) log.warn({ event: id, type }, 'nobody has done this in time');
        enqueue(delivered);
      }
    }
  });

  return {
    backlog: () => outstanding,
    backlogOf: tenant => outstandingOf.get(tenant) ?? 0,
    stop: async () => {
      stopping = true;
      for (const end of ends) end();
      for (const go of room.splice(0)) go();
      followUps.end();
      await subscription.stop();
      await Promise.all(queues.values());
    },
  };
};
