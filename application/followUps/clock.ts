import type { Logger } from 'pino';
import { dateAfter } from '../../domain/dates.js';
import { days } from '../../domain/days.js';
import { mutes } from '../../domain/incidents/mutes.js';
import { streams } from '../../domain/streams.js';
import type { Overdue } from '../../projections/rhythms.js';
import type { ReadModels } from '../../projections/readModels.js';
import { type CommandHandler, derivedId } from '../commands/commandHandler.js';
import { instantOf, type Environment, repeatedly } from '../ports/environment.js';
import type { Parking } from '../reading/parking.js';
import { ownMetadata, reportedAs, reportedOne } from './followUpParts.js';

/** Appends an event when the deadline of a source has passed, whose check raises the alert, and when a mute ends. */
export type Clock = {
  /** To be called once, when the read models have caught up. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** The end of the last outage of the service; the present while one lasts. */
  readonly resumedAt: () => string;
};

export type ClockParts = {
  readonly models: Pick<ReadModels, 'rhythms' | 'mutes' | 'sources'>;
  readonly parking: Pick<Parking, 'guard'>;
  readonly handle: CommandHandler;
  /** Resolves when the read models have all events up to the call. */
  readonly caughtUp: () => Promise<void>;
  readonly uptime: UptimeRecord;
  /** The date after that of an instant by the clock of a time zone. */
  readonly tomorrowIn: (timeZone: string, at: string) => string;
  readonly log: Logger;
  readonly environment: Environment;
};

/** Maximum deadlines handled in one turn. */
const atOnce = 100;

/** Pause after an error, in ms. */
const retryMs = 10_000;

/**
 * The clock of an instance. Several instances may pass a deadline; the event is appended once. After an outage of the
 * service each source has its whole expected interval again, because clients could not import.
 */
export const clock = (parts: ClockParts): Clock => {
  const { models, parking, handle, caughtUp, uptime, tomorrowIn, log, environment } = parts;
  let known = uptime.read();
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Resolves at the stop, so that an unreachable store does not delay it. */
  const ended = new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

  const recordPassed = async ({ sourceId, deadline }: Overdue): Promise<void> => {
    const metadata = ownMetadata(derivedId('clock', sourceId, deadline), instantOf(environment));
    const record = async (): Promise<void> => {
      const { timeZone = 'UTC' } = models.sources.setup(sourceId) ?? {};
      const date = dateAfter(tomorrowIn(timeZone, deadline), -1);
      const command = { type: 'TickClock', sourceId, deadline, date } as const;
      await handle(days, streams.days(sourceId), command, metadata);
    };
    // Parked sources are not overdue.
    await parking
      .guard(record)
      .catch(reportedOne(log, 'a passed deadline cannot be recorded; retrying', { sourceId }));
  };

  /** Records the ends of mutes; returns the least time in ms before the next look for them. */
  const recordEnds = async (): Promise<number> => {
    const at = instantOf(environment);
    let leastMs = 1;
    for (const { id: muteId, tenant } of models.mutes.due(at)) {
      const metadata = ownMetadata(derivedId('mute', muteId, 'ended'), at);
      await parking
        .guard(() => handle(mutes, streams.mutes(tenant), { type: 'EndMute', muteId, at }, metadata))
        .catch((error: unknown) => {
          leastMs = retryMs;
          reportedOne(log, 'the end of a mute cannot be recorded; retrying', { muteId })(error);
        });
    }
    return leastMs;
  };

  /** Resolves when the read models have caught up, or at the stop. */
  const caughtUpOrEnded = (): Promise<void> => Promise.race([caughtUp(), ended]);

  let isWriteReported = false;
  /** Records a heartbeat: the log can be read now. Returns the end of the last outage. */
  const recordHeartbeat = async (): Promise<string> => {
    await caughtUpOrEnded();
    known = uptimeAfter(known, instantOf(environment));
    try {
      uptime.write(known);
    } catch (error) {
      if (!isWriteReported)
        log.warn({ err: error }, 'the uptime cannot be stored; the next start counts as an outage');
      isWriteReported = true;
    }
    return known.resumedAt;
  };

  const recordAllDeadlines = async (resumedAt: string): Promise<void> => {
    // Sources that stay overdue are tried again at the next look.
    const tried = new Set<number>();
    while (!signal.aborted) {
      const now = instantOf(environment);
      const intervalMax = Date.parse(now) - Date.parse(resumedAt);
      const overdue = models.rhythms
        .overdue(now, intervalMax, atOnce + tried.size)
        .filter(({ sourceId }) => !tried.has(sourceId));
      if (overdue.length === 0) return;
      for (const one of overdue) {
        if (signal.aborted) return;
        tried.add(one.sourceId);
        await recordPassed(one);
      }
      // The read models know now which deadlines were passed.
      await caughtUpOrEnded();
    }
  };

  /** Milliseconds until the next heartbeat, the next deadline or the next end of a mute. */
  const sleepMs = (leastEndMs: number): number => {
    const untilMs = (instant: string | undefined): number =>
      instant === undefined ? heartbeatMs : Date.parse(instant) - environment.nowMs() + 1;
    const deadline = models.rhythms.nextDeadline(instantOf(environment));
    return Math.min(heartbeatMs, untilMs(deadline), Math.max(leastEndMs, untilMs(models.mutes.nextEnd())));
  };

  const failed = reportedAs(log, 'passed deadlines of sources cannot be recorded; retrying');
  const { wake, stop } = repeatedly({ environment, failed, retryMs, stopping }, async () => {
    const resumedAt = await recordHeartbeat();
    const leastEndMs = await recordEnds();
    await recordAllDeadlines(resumedAt);
    return sleepMs(leastEndMs);
  });
  return {
    start: () => void wake(),
    stop,
    resumedAt: () => uptimeAfter(known, instantOf(environment)).resumedAt,
  };
};

/** When the service was last seen running, and the end of its last outage. */
export type Uptime = { readonly aliveAt: string; readonly resumedAt: string };

/** Keeps the uptime of an instance over its restarts. */
export type UptimeRecord = {
  /** undefined when nothing is known. */
  readonly read: () => Uptime | undefined;
  readonly write: (uptime: Uptime) => void;
};

/** Interval of the heartbeats of the service, and the longest time without one that is not an outage, in ms. */
const heartbeatMs = 60_000;
const outageMs = 5 * heartbeatMs;

/**
 * The uptime after a heartbeat. A long time without one is an outage: the process was down or suspended, or the log
 * could not be reached. A wall clock that was set back counts as one too.
 */
export const uptimeAfter = (before: Uptime | undefined, now: string): Uptime => {
  const awayMs = before ? Math.abs(Date.parse(now) - Date.parse(before.aliveAt)) : Infinity;
  return { aliveAt: now, resumedAt: before && awayMs <= outageMs ? before.resumedAt : now };
};

/** A record in memory. */
export const uptimeInMemory = (): UptimeRecord => {
  let kept: Uptime | undefined;
  return { read: () => kept, write: uptime => void (kept = uptime) };
};
