import type { Logger } from 'pino';
import { processManagerName, type KnownEvent } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import { QueueFull, type Analyst } from '../ports/analyst.js';
import type { CommandHandler, CommandMetadata } from '../commands/commandHandler.js';
import type { LocalClock } from '../ports/localClock.js';
import { instantOf, type Environment } from '../ports/environment.js';
import { Contention, StoreUnavailable } from '../ports/eventStore.js';
import type { Parking } from '../reading/parking.js';
import type { Turns } from '../ports/sharing/turns.js';
import type { Waiters } from '../reading/freshness.js';

export type FollowUpParts = {
  readonly models: ReadModels;
  /** Resolves when the read models have all events up to the call. */
  readonly caughtUp: () => Promise<void>;
  readonly parking: Pick<Parking, 'guard'>;
  readonly handle: CommandHandler;
  readonly analyst: Analyst;
  readonly waiters: Waiters;
  readonly turns?: Turns;
  readonly log: Logger;
  readonly environment: Environment;
  /** The clock of a time zone; absent where no zone is known. */
  readonly clockOf?: (timeZone: string) => LocalClock | undefined;
};

/** Whether a retry may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof Contention || error instanceof QueueFull;

/** Returns a function that logs an error of repeated work, unless the store tells it: the work is tried again. */
export const reportedAs =
  (log: Pick<Logger, 'error'>, sentence: string, fields: object = {}) =>
  (error: unknown): void => {
    if (!isTransient(error)) log.error({ err: error, ...fields }, sentence);
  };

/** As `reportedAs`, for a part of the work: an error of the store ends all of it. */
export const reportedOne =
  (...report: Parameters<typeof reportedAs>) =>
  (error: unknown): void => {
    if (isTransient(error)) throw error;
    reportedAs(...report)(error);
  };

/** Metadata of a command that follows from no event, but from the time or the state. */
export const ownMetadata = (id: string, at: string): CommandMetadata => ({
  id,
  isRetry: false,
  by: processManagerName,
  cause: id,
  correlation: id,
  at,
});

/** Metadata of a command that follows from an event. @param by of the person who decided it, by default the service */
export const metadataFor = (
  environment: Environment,
  event: { readonly id: string; readonly metadata: Pick<KnownEvent['metadata'], 'correlation'> },
  step: string,
  by = processManagerName,
): CommandMetadata => ({
  id: `${event.id}/${step}`,
  // The state recognises repeated commands by their cause.
  isRetry: false,
  by,
  cause: event.id,
  correlation: event.metadata.correlation,
  at: instantOf(environment),
});

/** Whether the read models have an event. */
export const hasApplied = (models: ReadModels, { position }: KnownEvent): boolean =>
  models.checkpoint('readModels').position >= position;

/**
 * Refuses to decide about an event that the read models have lost since the wait for it.
 * @throws StoreUnavailable
 */
export const requireHeld = (models: ReadModels, event: KnownEvent): void => {
  if (!hasApplied(models, event))
    throw new StoreUnavailable('the read models lost the event; retrying when they have caught up');
};
