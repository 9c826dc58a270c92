import type { ReadModels } from '../projections/readModels.js';
import type { Analyst } from './analyst.js';
import type { AsOf } from './history/asOf.js';
import type { Signer } from '../auditing/checkpoint.js';
import type { Environment } from './environment.js';
import type { EventStore } from './eventStore.js';
import type { Freshness } from './freshness.js';
import type { CommandHandler } from './commandHandler.js';
import type { People } from './people.js';
import type { FollowUps } from './processManager/followUps.js';
import type { Turns } from './sharing/turns.js';
import type { Waiters } from './waitFor.js';

/** What instances on one event store share, as one of them sees it. */
export type SharedWork = {
  /** Events that are not done, whichever instance has them, as far as the server has read them. */
  readonly undone: number;
  /** Events whose reactions failed too often: they wait for somebody to look after them. */
  readonly parked: number;
};

/** What the HTTP resources work with. */
export type Service = {
  readonly handle: CommandHandler;
  readonly models: ReadModels;
  /**
   * Resolves when the read models hold all that was in the log at the call: one reads what one wrote.
   * @throws OutcomeUnknown when the store cannot be read for long
   */
  readonly caughtUp: () => Promise<void>;
  /**
   * Asks for room to write.
   * @throws StorageFull while the disk has too little of it; StoreUnavailable while read models cannot be written
   */
  readonly requireRoom: () => void;
  /** Whether read models are fresh enough for a request: a client may have written by another instance. */
  readonly freshness: Freshness;
  /** The work of all instances, undefined while the store cannot be reached; not there for one instance alone. */
  readonly shared?: () => SharedWork | undefined;
  /** Whether the read models follow the log: not while it cannot be read, or they cannot be written. */
  readonly isProjecting: () => boolean;
  readonly waiters: Waiters;
  readonly analyst: Analyst;
  /** Events that the reactor, of this instance and of all, has still to do something about. */
  readonly backlog: () => number;
  /** How many of them this instance has of a tenant. */
  readonly backlogOf: (tenant: string) => number;
  /** Turns of the event loop, for work of some milliseconds. */
  readonly turns: Turns;
  readonly followUps: Pick<FollowUps, 'isAnalysing'>;
  /** What was known at moments that are over. */
  readonly asOf: AsOf;
  /** The events themselves, for those who audit them. */
  readonly log: Pick<EventStore, 'all' | 'read'>;
  /** Seals what people say and are called before it becomes an event. */
  readonly people: People;
  /** What checkpoints are signed with; undefined when no key is configured. */
  readonly checkpoints: Signer | undefined;
  readonly environment: Environment;
  /** The present instant of the environment, ISO 8601 UTC. */
  readonly now: () => string;
};

/** How long a request waits for the analysis or the check that it asked for; then it is answered 202. */
export const verdictTimeoutMs = 10_000;

/** Seed of the analysis' random choices: fixed, so that the same data give the same models; kept in the events. */
export const analysisSeed = 1;
