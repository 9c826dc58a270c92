import type { Logger } from 'pino';
import { days } from '../../domain/days.js';
import { streams, type EventType, type KnownEvent } from '../../domain/events.js';
import type { Overdue } from '../../projections/rhythms.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { CommandHandler } from '../commandHandler.js';
import { instantOf, type Environment } from '../environment.js';
import { derivedId } from '../ids.js';
import { isTransient } from './followUpParts.js';

/** Types of events that can move a deadline. */
const movingTypes: readonly EventType[] = ['SourceCreated', 'DaysImported'];

/** Appends an event when the deadline of a source has passed; the check that it causes raises the alert. */
export type Clock = {
  /** To be called once, when the read models have caught up. */
  readonly start: () => void;
  /** To be called with new events: a deadline may have moved. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  readonly stop: () => Promise<void>;
};

export type ClockParts = {
  readonly models: Pick<ReadModels, 'rhythms'>;
  readonly handle: CommandHandler;
  /** Resolves when the read models have all events up to the call. */
  readonly caughtUp: () => Promise<void>;
  readonly log: Logger;
  readonly environment: Environment;
};

/** Deadlines that are passed in one turn. */
const atOnce = 100;

/** Longest sleep: clocks of machines are set right now and then. */
const sleepMaxMs = 3_600_000;

/**
 * Time after a start in which deadlines are not passed, but at most the expected interval of the source: clients could
 * not import while the service was down.
 */
const graceMs = 600_000;
const graceStepMs = 10_000;

/** Starts the clock. Several instances may pass a deadline; the event is appended once. */
export const clock = ({ models, handle, caughtUp, log, environment }: ClockParts): Clock => {
  const startedMs = environment.elapsedMs();
  let isStarted = false;
  let stopped = false;
  let working: Promise<void> | undefined;
  let cancelSleep = (): void => {};
  let end = (): void => {};
  /** Resolves at the stop, so that an unreachable store does not delay it. */
  const ended = new Promise<void>(resolve => (end = resolve));

  const pass = async ({ sourceId, deadline }: Overdue): Promise<void> => {
    const id = derivedId('clock', sourceId, deadline);
    const metadata = {
      id,
      isRetry: false,
      by: 'reactor',
      cause: id,
      correlation: id,
      at: instantOf(environment),
    };
    await handle(days, streams.days(sourceId), { type: 'TickClock', sourceId, deadline }, metadata);
  };

  /** Longest interval whose deadlines are passed now. */
  const intervalMax = (): number => {
    const elapsedMs = environment.elapsedMs() - startedMs;
    return elapsedMs >= graceMs ? Number.MAX_SAFE_INTEGER : Math.floor(elapsedMs);
  };

  const passAll = async (): Promise<void> => {
    while (!stopped) {
      const overdue = models.rhythms.overdue(instantOf(environment), intervalMax(), atOnce);
      if (overdue.length === 0) return;
      for (const one of overdue) if (!stopped) await pass(one);
      // The read models know now which deadlines were passed.
      await Promise.race([caughtUp(), ended]);
    }
  };

  /** Milliseconds until a deadline has to be looked at; undefined for none. */
  const sleepMs = (): number | undefined => {
    const now = instantOf(environment);
    const isWaiting = models.rhythms.overdue(now, Number.MAX_SAFE_INTEGER, 1).length > 0;
    const next = models.rhythms.nextDeadline(now);
    const untilNext = next === undefined ? undefined : Date.parse(next) - environment.nowMs() + 1;
    if (!isWaiting) return untilNext;
    return Math.min(graceStepMs, untilNext ?? graceStepMs);
  };

  const work = async (): Promise<void> => {
    try {
      await passAll();
      if (stopped) return;
      const ms = sleepMs();
      if (ms !== undefined) cancelSleep = environment.after(Math.min(ms, sleepMaxMs), wake);
    } catch (error) {
      if (stopped) return;
      if (!isTransient(error)) log.error({ err: error }, 'deadlines of sources cannot be passed; retrying');
      cancelSleep = environment.after(graceStepMs, wake);
    }
  };

  let isAsked = false;
  const wake = (): void => {
    if (stopped) return;
    isAsked = true;
    cancelSleep();
    working ??= (async () => {
      while (isAsked && !stopped) {
        isAsked = false;
        cancelSleep();
        await work();
      }
      working = undefined;
    })();
  };

  return {
    start: () => {
      isStarted = true;
      wake();
    },
    notice: events => {
      if (isStarted && events.some(({ type }) => movingTypes.includes(type))) wake();
    },
    stop: async () => {
      stopped = true;
      end();
      cancelSleep();
      await working;
    },
  };
};
