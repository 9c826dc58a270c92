import type { ReadModels } from '../projections/readModels.js';
import type { Analyst } from './analyst.js';
import type { Handle } from './handle.js';
import type { Reactions } from './reactions.js';
import type { Reactor } from './reactor.js';
import type { Waiting } from './waiting.js';

/** What the HTTP resources work with. */
export type Service = {
  readonly handle: Handle;
  readonly models: ReadModels;
  /** Resolves when the read models hold all that was in the log at the call: one reads what one wrote. */
  readonly settled: () => Promise<void>;
  readonly waiting: Waiting;
  readonly analyst: Analyst;
  readonly reactor: Pick<Reactor, 'backlog'>;
  readonly reactions: Pick<Reactions, 'isAnalysing'>;
  /** The present instant, ISO 8601 UTC. */
  readonly now: () => string;
};

/** How long a request waits for the analysis or the check that it asked for; then it is answered 202. */
export const verdictTimeoutMs = 10_000;

/** Seed of the analysis' random choices: fixed, so that the same data give the same models; kept in the events. */
export const analysisSeed = 1;
