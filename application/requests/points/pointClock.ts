import type { Logger } from 'pino';
import { days } from '../../../domain/days.js';
import { streams } from '../../../domain/streams.js';
import type { OpenDate } from '../../../projections/days/storedDays.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { derivedId, type CommandHandler } from '../../commands/commandHandler.js';
import { isTransient, ownMetadata, reportedAs } from '../../followUps/followUpParts.js';
import { instantOf, repeatedly, type Environment } from '../../ports/environment.js';
import type { PointBuffer, BufferedPoint } from '../../ports/pointBuffer.js';
import { fairQueue } from '../../ports/sharing/fairQueue.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import type { Parking } from '../../reading/parking.js';
import { InvalidInput } from '../imports/faults.js';
import { pointsRule, microsOf, type Setting } from './sliceValues.js';
import { dayNumber } from '../../../domain/dates.js';
import { latenessMs } from '../../../domain/points.js';
import { placeAt, startOf } from './sliceTimes.js';

/** Milliseconds without new points after which a backlog has come, and the longest wait for it. */
const quietMs = 10_000;
const waitMsMax = 5 * 60_000;

/** Longest wait after an outage: a host that is off each night closes its dates, whatever the lateness. */
const resumingMsMax = 3_600_000;

/**
 * Whether senders have time after an outage for what they kept: the lateness of their source, from five minutes to an
 * hour.
 */
export const isResuming = (
  source: { readonly lateness: string },
  resumedAt: string,
  nowMs: number,
): boolean =>
  nowMs - Date.parse(resumedAt) < Math.min(resumingMsMax, Math.max(waitMsMax, latenessMs(source)));

type Parts = {
  readonly models: { readonly days: Pick<ReadModels['days'], 'firstOpen'> };
  readonly buffer: Pick<PointBuffer, 'lastBefore'>;
  readonly environment: Pick<Environment, 'elapsedMs'>;
};

/**
 * Returns a function that says whether points of closed dates are still coming: a closed date that is stored with half
 * of its points would have a gap.
 */
export const arrivals = ({ models, buffer, environment }: Parts) => {
  const coming = new Map<
    number,
    { readonly mark: string; readonly sinceMs: number; readonly newMs: number }
  >();
  return async (setting: Setting, waiting: readonly BufferedPoint[], hasMore = false): Promise<boolean> => {
    const { source, clock, nowMs } = setting;
    const present = placeAt(clock, source.activitySize, (nowMs - latenessMs(source)) / 1000).dayNumber;
    // A date in progress waits for nothing at its end. After an outage the date of its beginning is one still.
    const open = setting.isResuming ? undefined : models.days.firstOpen(source.id);
    const until = open === undefined ? present : Math.min(present, dayNumber(open));
    const end = microsOf(startOf(clock, until));
    const closed = waiting.filter(({ at }) => at < end);
    const last = closed.at(-1) && (await buffer.lastBefore(source.id, end));
    const atMs = environment.elapsedMs();
    // The number of points after a page is unknown, so more may be coming at any time.
    const mark = last ? `${hasMore ? atMs : closed.length} ${last.at}` : '';
    const known = coming.get(source.id) ?? { mark, sinceMs: atMs, newMs: atMs };
    const newMs = mark === known.mark ? known.newMs : atMs;
    const isComing = mark !== '' && atMs - newMs < quietMs && atMs - known.sinceMs < waitMsMax;
    if (isComing) coming.set(source.id, { ...known, mark, newMs });
    else coming.delete(source.id);
    return isComing;
  };
};

export type PointClockParts = {
  readonly models: Pick<ReadModels, 'sources' | 'days'>;
  readonly handle: CommandHandler;
  readonly parking: Pick<Parking, 'guard'>;
  readonly environment: Environment;
  readonly buffer: Pick<PointBuffer, 'sourcesWaiting'>;
  readonly log: Logger;
  /** The end of the last outage of the service. */
  readonly resumedAt: () => string;
  /**
   * Stores what waits under a key of the buffer, after earlier work on its source, in a slot that tenants share.
   * @returns false while points are still coming, so that nothing was stored
   */
  readonly store: (key: number, inSlot: InSlot) => Promise<boolean>;
  /** Forgets old points when it is time to; see `oldPoints`. */
  readonly forget: (signal: AbortSignal) => Promise<void>;
};

/** Runs a task when a slot is free. */
export type InSlot = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Longest time between two looks at the clock, in ms, and the pause after an error. */
const tickMs = 10_000;

/** Sources that are stored by the clock at the same time, and those of one tenant. */
const atOnce = 8;
const atOnceOfTenant = 4;

/** Returns a function that closes dates of a source whose end has come, one event each. */
const dateCloser =
  ({ models, handle, environment }: Pick<PointClockParts, 'models' | 'handle' | 'environment'>) =>
  async ({ sourceId, date, closesAt, importId }: OpenDate): Promise<void> => {
    const source = models.sources.setup(sourceId);
    if (!source) return;
    // Builds before wrote dates that opened again, and would have closed under the id of the first closing.
    const id = derivedId('close', sourceId, date, closesAt, importId);
    const command = { type: 'CloseDate', sourceId, date, rule: pointsRule(source) } as const;
    await handle(days, streams.days(sourceId), command, ownMetadata(id, instantOf(environment)));
  };

/** Dates to close now; after an outage those of a source wait for what its senders kept. */
const datesToClose = ({
  models: { days, sources },
  environment,
  resumedAt,
}: Pick<PointClockParts, 'models' | 'environment' | 'resumedAt'>): OpenDate[] =>
  days.datesToClose(instantOf(environment)).filter(({ sourceId }) => {
    const source = sources.setup(sourceId);
    return source && !isResuming(source, resumedAt(), environment.nowMs());
  });

/** A source with the keys under which the buffer has points of it, and its dates whose end has come. */
type DueWork = { readonly keys: number[]; readonly dates: OpenDate[] };

/** Due work by source. */
const dueWork = (keys: readonly number[], dates: readonly OpenDate[]): ReadonlyMap<number, DueWork> => {
  const due = new Map<number, DueWork>();
  const of = (sourceId: number): DueWork => {
    const known = due.get(sourceId) ?? { keys: [], dates: [] };
    due.set(sourceId, known);
    return known;
  };
  for (const key of keys) of(Math.abs(key)).keys.push(key);
  for (const date of dates) of(date.sourceId).dates.push(date);
  return due;
};

/**
 * The clock that stores points whose slices have elapsed, and closes dates. Sources do not wait for each other, and an
 * error ends one step of one source only.
 */
export const pointClock = (parts: PointClockParts): { start: () => void; stop: () => Promise<void> } => {
  const { models, buffer, parking, environment, log, store, forget } = parts;
  const close = dateCloser(parts);
  const slots = fairQueue({ atOnce, eachMax: atOnceOfTenant, waitingMax: Infinity, name: 'sources' });
  const working = new Map<number, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  /** Whether a step is done, or failed for good; else the dates of the source do not close before it. */
  const guarded = async (sourceId: number, step: () => Promise<unknown>): Promise<boolean> => {
    if (signal.aborted) return false;
    const failed = (error: unknown): boolean => {
      if (signal.aborted) return false;
      if (error instanceof InvalidInput) log.warn({ err: error }, 'points of a counter are no register');
      else reportedAs(log, 'points of a source cannot be stored in the log; retrying', { sourceId })(error);
      return !isTransient(error);
    };
    const isDone = await parking.guard(step).then(result => result !== false, failed);
    await environment.nextTurn();
    return isDone;
  };
  const workOn = async (sourceId: number, tenant: string, { keys, dates }: DueWork): Promise<void> => {
    const inSlot: InSlot = task => slots.run(tenant, task, signal);
    // The last slices of a date are stored before it closes.
    for (const key of keys) if (!(await guarded(sourceId, () => store(key, inSlot)))) return;
    for (const date of dates) await guarded(sourceId, () => inSlot(() => close(date)));
  };
  const tick = async (): Promise<number> => {
    const due = dueWork(await buffer.sourcesWaiting(), datesToClose(parts));
    const yieldToEventLoop = eventLoopYielder(environment);
    for (const [sourceId, work] of due) {
      await yieldToEventLoop();
      if (working.has(sourceId) || signal.aborted) continue;
      const tenant = models.sources.setup(sourceId)?.tenant ?? '';
      const end = workOn(sourceId, tenant, work).finally(() => working.delete(sourceId));
      working.set(sourceId, end);
    }
    await forget(signal).catch(reportedAs(log, 'old points cannot be forgotten; retrying in an hour'));
    const next = models.days.nextClosing(instantOf(environment));
    const untilNext = next === undefined ? tickMs : Date.parse(next) - environment.nowMs() + 1;
    return Math.max(1, Math.min(tickMs, untilNext));
  };
  const failed = reportedAs(log, 'points cannot be stored in the log; retrying');
  const { wake, stop } = repeatedly({ environment, failed, retryMs: tickMs, stopping }, tick);
  return {
    start: () => void wake(),
    stop: async () => {
      await stop();
      await Promise.all(working.values());
    },
  };
};
