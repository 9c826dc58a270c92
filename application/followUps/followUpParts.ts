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
import type { Waiters } from '../reading/waiters.js';

export type FollowUpParts = {
  readonly models: ReadModels;
  /** Resolves when the read models have all events up to the call. */
  readonly caughtUp: () => Promise<void>;
  readonly parking: Pick<Parking, 'park'>;
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

/** Metadata of a command that follows from an event. */
export const metadataFor = (environment: Environment, event: KnownEvent, step: string): CommandMetadata => ({
  id: `${event.id}/${step}`,
  // The state recognises repeated commands by their cause.
  isRetry: false,
  by: processManagerName,
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
