import { decode, type EventType, type KnownEvent, type Recorded } from '../../domain/events.js';
import type { Environment } from '../environment.js';
import { StoreUnavailable, type EventStore } from '../eventStore.js';
import { exponentialBackoff } from '../backoff.js';

/** Someone who follows the log. */
export type ProjectionRunner = {
  /** Looks at the log again soon: something was appended. */
  readonly wake: () => void;
  /**
   * Resolves when the event at a position has been taken, or everything that was in the log at the time of the call,
   * however long that takes.
   * @throws StoreUnavailable when the log cannot be read for long
   */
  readonly catchUp: (position?: bigint) => Promise<void>;
  /** Whether the last try to read on, or to take what was read, failed. */
  readonly isFailing: () => boolean;
  /**
   * When the last look at the log began that took everything there was: `elapsedMs` of the environment, −Infinity
   * before the first.
   */
  readonly caughtUpAt: () => number;
  /** Stops after the batch under way. */
  readonly stop: () => Promise<void>;
};

/** The last event of a batch: how far a follower has come. */
export type Through = Pick<Recorded, 'position' | 'id' | 'stream' | 'revision'>;

export type ProjectionRunnerParts = {
  readonly store: EventStore;
  /**
   * How far it has come: position of the last event that is taken. It goes back when what was taken is lost; the log is
   * then read again from there.
   */
  readonly after: () => bigint;
  readonly types?: readonly EventType[];
  /**
   * Takes a batch in order, which ends at `through`: the events that this program understands, and all as they were
   * stored.
   */
  readonly apply: (
    events: readonly KnownEvent[],
    through: Through,
    stored: readonly Recorded[],
  ) => Promise<void> | void;
  /** The follower cannot go on; it has stopped. */
  readonly fault: (error: unknown) => void;
  /**
   * Told of a store that cannot be read now, or of a batch that cannot be taken now: it is tried again, after
   * growing pauses. Without it that is a fault.
   */
  readonly unavailable?: (error: StoreUnavailable) => void;
  readonly environment: Environment;
};

/** Weight of a batch, with which it is full: it keeps the event loop for some milliseconds. */
export const batchMax = 200;

/** What an event is to a batch: one, or as much as the days that it holds. */
export const weightOf = ({ data }: Recorded): number => {
  const { days } = data as { readonly days?: unknown };
  return Array.isArray(days) ? Math.max(1, days.length) : 1;
};

/** Whoever waits so long for a store that cannot be read is told so. */
const patienceMs = 10_000;

/**
 * Follows the log from a position: takes what is there in batches, in order, then waits to be woken.
 * An error of `take` ends the following, and so does one of the store that is not passing: going on would skip
 * events.
 */
export const projectionRunner = ({
  store,
  after,
  types,
  apply: take,
  fault,
  unavailable,
  environment,
}: ProjectionRunnerParts): ProjectionRunner => {
  const { elapsedMs, nextTurn } = environment;
  let stopped = false;
  let failure: unknown;
  let failing = false;
  let caughtUpAt = -Infinity;
  let running: Promise<void> | undefined;
  let wanted = 0;
  const waiting: {
    readonly round: number;
    readonly since: number;
    readonly resolve: () => void;
    readonly reject: (e: unknown) => void;
  }[] = [];

  const pass = async (): Promise<void> => {
    let batch: KnownEvent[] = [];
    let stored: Recorded[] = [];
    let weight = 0;
    const from = after();
    let at = from;
    const requireKept = (): void => {
      if (after() < at) throw new StoreUnavailable('events that were taken are lost; they are taken again');
    };
    const flush = async () => {
      const through = stored.at(-1);
      requireKept();
      if (through) await take(batch, through, stored);
      at = after();
      batch = [];
      stored = [];
      weight = 0;
    };
    for await (const event of store.all(from, types)) {
      if (stopped) return;
      const understood = decode(event);
      if (understood) batch.push(understood);
      stored.push(event);
      weight += weightOf(event);
      if (weight < batchMax) continue;
      await flush();
      // The embedded stores never wait, so without this a long catch-up would starve every request.
      await nextTurn();
    }
    await flush();
    requireKept();
  };

  /** Tells those who have waited too long for a store that cannot be read. */
  const giveUp = (error: StoreUnavailable): void => {
    for (const waiter of waiting.filter(({ since }) => elapsedMs() - since > patienceMs)) {
      waiting.splice(waiting.indexOf(waiter), 1);
      waiter.reject(error);
    }
  };

  const backoff = exponentialBackoff(environment);
  /** A pass, or a pause and false when the store cannot be read now. */
  const passed = async (): Promise<boolean> => {
    const begun = elapsedMs();
    try {
      await pass();
      caughtUpAt = begun;
      backoff.reset();
      failing = false;
      return true;
    } catch (error) {
      if (!unavailable || !(error instanceof StoreUnavailable)) throw error;
      failing = true;
      unavailable(error);
      giveUp(error);
      await backoff.wait();
      return false;
    }
  };

  const release = (round: number) => {
    const due = waiting.filter(waiter => failure !== undefined || stopped || waiter.round <= round);
    for (const waiter of due) {
      waiting.splice(waiting.indexOf(waiter), 1);
      if (failure !== undefined) waiter.reject(failure);
      else waiter.resolve();
    }
  };

  const run = async (): Promise<void> => {
    let done = 0;
    try {
      while (done < wanted && !stopped) {
        const round = wanted;
        if (!(await passed())) continue;
        done = round;
        release(round);
      }
    } catch (error) {
      failure = error;
      stopped = true;
      fault(error);
    } finally {
      running = undefined;
      release(done);
    }
  };

  const wake = (): void => {
    wanted += 1;
    if (!stopped) running ??= Promise.resolve().then(run);
  };

  return {
    wake,
    isFailing: () => failing,
    caughtUpAt: () => caughtUpAt,
    catchUp: position => {
      if (failure !== undefined) return Promise.reject(failure);
      if (position !== undefined && position <= after()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        if (stopped) return resolve();
        waiting.push({ round: wanted + 1, since: elapsedMs(), resolve, reject });
        wake();
      });
    },
    stop: async () => {
      stopped = true;
      backoff.cancel();
      await running;
    },
  };
};
