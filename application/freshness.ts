import { pause, type Environment } from './environment.js';
import { StoreUnavailable } from './eventStore.js';
import type { ProjectionRunner } from './projecting/projectionRunner.js';

/** What a read sees: read models up to a position, and how long ago they were known to be level with the log. */
export type Seen = {
  readonly position: bigint;
  /** 0 when they hold all that was in the log at the request. */
  readonly ageMs: number;
};

/** How fresh answers are: the one place that decides whether a read waits, is refused, or may be old. */
export type Freshness = {
  /**
   * Resolves when a write may be decided: the read models hold all that was in the log at the call.
   * @throws StoreUnavailable when the store cannot be reached
   */
  readonly forWrite: () => Promise<void>;
  /**
   * Resolves when a read may be answered: as `forWrite`, or with older read models where the client takes them.
   * @param maxStalenessMs how old they may be; undefined for the store's own rule
   * @throws ReadModelsBehind
   */
  readonly forRead: (maxStalenessMs?: number) => Promise<Seen>;
};

/** The read models are older than a read may be answered from. */
export class ReadModelsBehind extends Error {
  readonly name = 'ReadModelsBehind';

  constructor(ageMs: number, maxStalenessMs: number) {
    super(
      `the read models were level with the log ${seconds(ageMs)} s ago, expected at most ` +
        `${seconds(maxStalenessMs)} s; maxStaleness=<seconds> lets older answers through`,
    );
  }
}

/** Whole seconds of an age, rounded up: an answer is never said to be younger than it is. */
export const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** Longest wait of a read for read models that hold the log as it was at the request, in ms. */
export const readWaitMs = 5000;

export type FreshnessParts = {
  readonly projections: Pick<ProjectionRunner, 'catchUp' | 'caughtUpAt' | 'isFailing'>;
  /** Whether other instances append to the log, too. */
  readonly shared: boolean;
  /** Position of the read models. */
  readonly position: () => bigint;
  readonly environment: Environment;
};

/** The rules of one service. */
export const freshness = ({ projections, shared, position, environment }: FreshnessParts): Freshness => {
  const { elapsedMs } = environment;
  const age = (): number => Math.max(0, elapsedMs() - projections.caughtUpAt());

  /** Whether the read models became level with the log of now within the longest wait. */
  const level = async (): Promise<boolean> => {
    const ending = new AbortController();
    const caughtUp = projections.catchUp().then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreUnavailable) return false;
        throw error;
      },
    );
    const late = pause(environment, readWaitMs, ending.signal).then(() => false);
    return Promise.race([caughtUp, late]).finally(() => ending.abort());
  };

  return {
    forWrite: () => (shared ? projections.catchUp() : Promise.resolve()),
    forRead: async maxStalenessMs => {
      // An instance alone has applied what it has acknowledged; while it cannot go on, what it has is the freshest.
      const alone = !shared;
      if (alone && !projections.isFailing()) return { position: position(), ageMs: 0 };
      const allowedMs = maxStalenessMs ?? (alone ? Infinity : 0);
      const mayBeOld = allowedMs > 0 && age() <= allowedMs;
      if (!mayBeOld && (await level())) return { position: position(), ageMs: 0 };
      const ageMs = age();
      if (ageMs > allowedMs) throw new ReadModelsBehind(ageMs, allowedMs);
      return { position: position(), ageMs };
    },
  };
};
