import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import { runsWhere, type Run } from '../../../domain/day.js';
import { days, daysPerPart } from '../../../domain/days.js';
import { latenessMs, type PointsOfDay, type PointsRule, type SliceValues } from '../../../domain/points.js';
import { streams } from '../../../domain/streams.js';
import { processManagerName } from '../../../domain/events.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { CommandHandler } from '../../commands/commandHandler.js';
import { derivedId } from '../../commands/ids.js';
import { instantOf, type Environment } from '../../ports/environment.js';
import { EventFault } from '../../ports/eventStore.js';
import { skippedSlices, type LocalClock } from '../../ports/localClock.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import { keyedQueue } from '../../ports/sharing/keyedQueue.js';
import type { Parking } from '../../reading/parking.js';
import { foldDays } from '../imports/dayFolder.js';
import type { SampledDay } from '../imports/fillByLine.js';
import { endOf, placeAt, slicesBefore, startOf, type Place } from './sliceTimes.js';

/** Moves points from the buffer to the log, slice by slice, and closes dates. */
export type PointWriter = {
  /**
   * Stores the slices of a source that have elapsed.
   * @returns ids of the events that cause checks
   */
  readonly store: (sourceId: number) => Promise<readonly string[]>;
  /** Stores slices of dates that the buffer does not keep any more, whatever these slices had. */
  readonly storeLate: (
    sourceId: number,
    by: string,
    days: readonly SampledPoints[],
  ) => Promise<readonly string[]>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

/** Values of the slices of a date, NaN for those without points, and the number of its points. */
export type SampledPoints = SampledDay & { readonly points: number };

export type PointWriterParts = {
  readonly models: Pick<ReadModels, 'sources' | 'days'>;
  readonly buffer: PointBuffer;
  readonly handle: CommandHandler;
  readonly caughtUp: () => Promise<void>;
  readonly parking: Pick<Parking, 'park'>;
  readonly clockOf: (timeZone: string) => LocalClock | undefined;
  readonly environment: Environment;
  readonly log: Logger;
};

/** Points of a source that are stored in one go: the others wait for the next turn. */
const pointsAtOnce = 50_000;
/** Sources whose last stored slice is remembered; a forgotten one may store a slice in two events. */
const rememberedMax = 10_000;
/** Dates closed in one turn. */
const closingsAtOnce = 100;
/** Longest time between two looks at the clock, in ms, and the pause after an error. */
const tickMs = 10_000;
/** Points are kept for a week after their date has closed. */
export const keptMs = 7 * 86_400_000;

/** Microseconds since 1970 of seconds. */
export const microsOf = (seconds: number): number => Math.round(seconds * 1e6);

/** A source with its clock, at an instant. */
type Setting = {
  readonly source: SourceSetup;
  readonly clock: LocalClock;
  readonly nowMs: number;
  /** Instant up to which slices have elapsed, in seconds: the last point, or the present without the lateness. */
  readonly elapsedAt: number;
};

/** When the date closes, in ms since 1970. */
export const closesAtMs = ({ source, clock }: Pick<Setting, 'source' | 'clock'>, dayNumber: number): number =>
  Math.ceil(startOf(clock, dayNumber + 1) * 1000) + latenessMs(source);

/** How points change the days of a source. */
export const pointsRule = ({ activitySize, interpolationMethod }: SourceSetup): PointsRule => ({
  activitySize,
  interpolates: interpolationMethod === 'linear',
});

/** Values of the slices that `isWanted`, as runs of those with a value. */
const runsOf = (values: readonly number[], isWanted: (slice: number) => boolean): SliceValues[] =>
  runsWhere(values.length, slice => isWanted(slice) && !Number.isNaN(values[slice])).map(([from, to]) => [
    from,
    values.slice(from, to),
  ]);

/** Values of the slices of a date that points set; NaN for the others. */
const sampledOf = (
  { source: { activitySize, aggregation }, clock }: Setting,
  points: readonly BufferedPoint[],
): readonly number[] => {
  const folder = foldDays({ activitySize, aggregation, clock });
  folder.add(
    Float64Array.from(points, ({ at }) => at / 1e6),
    Float64Array.from(points, ({ value }) => value),
  );
  return folder.finish().sampled[0]?.values ?? [];
};

/** Everything of a date in an event but its values. */
const dateOfPoints = (setting: Setting, dayNumber: number): Omit<PointsOfDay, 'observed'> => {
  const { source, clock, nowMs, elapsedAt } = setting;
  const skipped = skippedSlices(clock, dayNumber, source.activitySize);
  const closesAt = closesAtMs(setting, dayNumber);
  const elapsed = slicesBefore(clock, source.activitySize, dayNumber, elapsedAt);
  return {
    date: dateOf(dayNumber),
    ...(skipped.length > 0 && { skipped }),
    ...(closesAt > nowMs && { inProgress: { elapsed, closesAt: new Date(closesAt).toISOString() } }),
  };
};

/** Whether a run has a slice. */
const isIn = (runs: readonly Run[], slice: number): boolean =>
  runs.some(([from, to]) => from <= slice && slice < to);

/**
 * The dates next to changed ones whose slices at that side are interpolated, so that they change as well. They follow
 * the changed ones, because they depend on them.
 */
const neighboursOf = (
  { days }: Pick<ReadModels, 'days'>,
  setting: Setting,
  changed: readonly number[],
): PointsOfDay[] => {
  const { id, activitySize } = setting.source;
  if (!pointsRule(setting.source).interpolates) return [];
  const isFilled = (dayNumber: number, slice: number): boolean => {
    if (changed.includes(dayNumber)) return false;
    const day = days.recent(id, dateOf(dayNumber));
    return day !== undefined && (isIn(day.filled, slice) || isIn(day.gaps, slice));
  };
  const affected = changed.flatMap(number => [
    ...(isFilled(number - 1, activitySize - 1) ? [number - 1] : []),
    ...(isFilled(number + 1, 0) ? [number + 1] : []),
  ]);
  return [...new Set(affected)].map(number => ({ ...dateOfPoints(setting, number), observed: [] }));
};

/** A list cut into parts. */
const inParts = <One>(all: readonly One[], size: number): readonly One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, part) =>
    all.slice(part * size, (part + 1) * size),
  );

/** Points by the day that they are on, ascending. */
const byDay = (
  { source, clock }: Setting,
  points: readonly BufferedPoint[],
): ReadonlyMap<number, { readonly slices: Set<number>; readonly points: BufferedPoint[] }> => {
  const found = new Map<number, { readonly slices: Set<number>; readonly points: BufferedPoint[] }>();
  for (const point of points) {
    const { dayNumber, slice } = placeAt(clock, source.activitySize, point.at / 1e6);
    const day = found.get(dayNumber) ?? { slices: new Set(), points: [] };
    day.slices.add(slice);
    day.points.push(point);
    found.set(dayNumber, day);
  }
  return found;
};

/** A writer of points, and the clock that closes dates. Sources are handled one after the other. */
export const pointWriter = (parts: PointWriterParts): PointWriter => {
  const { models, buffer, handle, caughtUp, parking, clockOf, environment, log } = parts;
  const queue = keyedQueue();
  /** Last slice that was stored of each source, and when only corrections of earlier ones were stored. */
  const stored = new LRUCache<number, { readonly place: Place; readonly correctedMs: number }>({
    max: rememberedMax,
  });

  const settingOf = (sourceId: number, lastAt: number): Setting | undefined => {
    const source = models.sources.setup(sourceId);
    const clock = source && clockOf(source.timeZone);
    if (!source || !clock) return undefined;
    const nowMs = environment.nowMs();
    // A point from the future of a wrong clock does not end the present slice.
    const elapsedAt = Math.max(Math.min(lastAt, nowMs / 1000), (nowMs - latenessMs(source)) / 1000);
    return { source, clock, nowMs, elapsedAt };
  };

  /** Appends changed dates. @returns the id of the event; undefined when it is stored already */
  const append = async (
    setting: Setting,
    by: string,
    changed: ReadonlyMap<number, readonly SliceValues[]>,
    points: number,
  ): Promise<string | undefined> => {
    const sourceId = setting.source.id;
    const dates = [...changed].flatMap(([number, observed]) =>
      observed.length > 0 ? [{ ...dateOfPoints(setting, number), observed }] : [],
    );
    const all = [...dates, ...neighboursOf(models, setting, [...changed.keys()])];
    const importId = derivedId('points', sourceId, JSON.stringify(all));
    const rule = pointsRule(setting.source);
    const command = { type: 'ImportPoints', sourceId, importId, rule, days: all, points } as const;
    const id = environment.newId();
    const metadata = { id, isRetry: false, by, cause: id, correlation: id, at: instantOf(environment) };
    const { events } = await handle(days, streams.days(sourceId), command, metadata);
    await caughtUp();
    return events[0]?.id;
  };

  /** Points of a date that count: those that came after the event that set the whole day. */
  const countedOf = async (setting: Setting, dayNumber: number): Promise<readonly BufferedPoint[]> => {
    const { source, clock } = setting;
    const whole = models.days.wholeDayRevision(source.id, dateOf(dayNumber));
    const [from, to] = [dayNumber, dayNumber + 1].map(day => microsOf(startOf(clock, day)));
    return (await buffer.between(source.id, from!, to!)).filter(({ base }) => base >= whole);
  };

  /** Whether points are in a slice after the stored ones, or on a closed date; else they correct what is stored. */
  const isNewPart = (setting: Setting, elapsed: readonly BufferedPoint[]): boolean => {
    const { source, clock, nowMs } = setting;
    const last = stored.get(source.id)?.place;
    return elapsed.some(({ at }) => {
      const { dayNumber, slice } = placeAt(clock, source.activitySize, at / 1e6);
      const isLater =
        !last || dayNumber > last.dayNumber || (dayNumber === last.dayNumber && slice > last.slice);
      return isLater || closesAtMs(setting, dayNumber) <= nowMs;
    });
  };

  /** Points of slices that have elapsed. */
  const elapsedOf = ({ source, clock, elapsedAt }: Setting, points: readonly BufferedPoint[]) =>
    points.filter(
      ({ at }) =>
        endOf(clock, source.activitySize, placeAt(clock, source.activitySize, at / 1e6)) <= elapsedAt,
    );

  const storeElapsed = async (sourceId: number): Promise<readonly string[]> => {
    await caughtUp();
    const waiting = await buffer.waiting(sourceId, pointsAtOnce);
    const last = await buffer.lastBefore(sourceId, Number.MAX_SAFE_INTEGER);
    const setting = last && settingOf(sourceId, last.at / 1e6);
    if (!setting) return [];
    const elapsed = elapsedOf(setting, waiting);
    if (elapsed.length === 0) return [];
    const { source, clock, nowMs } = setting;
    const known = stored.get(sourceId);
    const isCorrection = !isNewPart(setting, elapsed);
    // A slice has room for one event of corrections: a feed out of order would else fill the log.
    if (isCorrection && known && nowMs - known.correctedMs < (1000 * secondsPerDay) / source.activitySize)
      return [];
    const by = (await buffer.writer(sourceId)) ?? processManagerName;
    const causes: string[] = [];
    for (const part of inParts([...byDay(setting, elapsed)], daysPerPart)) {
      const changed = new Map<number, SliceValues[]>();
      for (const [number, { slices }] of part) {
        const points = await countedOf(setting, number);
        changed.set(
          number,
          points.length === 0 ? [] : runsOf(sampledOf(setting, points), slice => slices.has(slice)),
        );
      }
      const points = part.flatMap(([, day]) => day.points);
      causes.push((await append(setting, by, changed, points.length)) ?? '');
      await buffer.stored(sourceId, points);
      await environment.nextTurn();
    }
    const place = placeAt(clock, source.activitySize, elapsed.at(-1)!.at / 1e6);
    stored.set(
      sourceId,
      isCorrection && known
        ? { ...known, correctedMs: nowMs }
        : { place, correctedMs: known?.correctedMs ?? -Infinity },
    );
    await buffer.forget(sourceId, microsOf((nowMs - keptMs - latenessMs(source)) / 1000 - 2 * secondsPerDay));
    if (waiting.length === pointsAtOnce) causes.push(...(await storeElapsed(sourceId)));
    return causes.filter(cause => cause !== '');
  };

  const storeLate = async (
    sourceId: number,
    by: string,
    sampled: readonly SampledPoints[],
  ): Promise<readonly string[]> => {
    await caughtUp();
    const setting = settingOf(sourceId, -Infinity);
    const causes: string[] = [];
    for (const part of setting ? inParts(sampled, daysPerPart) : []) {
      const changed = new Map(part.map(({ dayNumber, values }) => [dayNumber, runsOf(values, () => true)]));
      const points = part.reduce((sum, day) => sum + day.points, 0);
      causes.push((await append(setting!, by, changed, points)) ?? '');
      await environment.nextTurn();
    }
    return causes.filter(cause => cause !== '');
  };

  /** Runs a task of a source; one that an event of its streams stops is parked. */
  const guarded = async (task: () => Promise<unknown>): Promise<void> => {
    try {
      await task();
    } catch (error) {
      if (!(error instanceof EventFault)) throw error;
      parking.park(error.event, error);
    }
  };

  const closeDates = async (): Promise<void> => {
    while (!stopped) {
      const due = models.days.datesToClose(instantOf(environment), closingsAtOnce);
      if (due.length === 0) return;
      for (const { sourceId, date, closesAt } of due) {
        const source = models.sources.setup(sourceId);
        if (!source || stopped) continue;
        const id = derivedId('close', sourceId, date, closesAt);
        const at = instantOf(environment);
        const metadata = { id, isRetry: false, by: processManagerName, cause: id, correlation: id, at };
        const command = { type: 'CloseDate', sourceId, date, rule: pointsRule(source) } as const;
        await guarded(() => handle(days, streams.days(sourceId), command, metadata));
        await environment.nextTurn();
      }
      await caughtUp();
    }
  };

  let stopped = false;
  let working = Promise.resolve();
  let cancelSleep = (): void => {};
  const store = (sourceId: number) => queue.run(String(sourceId), () => storeElapsed(sourceId));
  const work = async (): Promise<void> => {
    try {
      for (const sourceId of await buffer.sourcesWaiting()) {
        if (stopped) return;
        await guarded(() => store(sourceId));
        await environment.nextTurn();
      }
      await closeDates();
    } catch (error) {
      if (!stopped) log.error({ err: error }, 'points cannot be stored in the log; retrying');
    }
    if (stopped) return;
    const next = models.days.nextClosing();
    const untilNext = next === undefined ? tickMs : Date.parse(next) - environment.nowMs() + 1;
    cancelSleep = environment.after(Math.max(1, Math.min(tickMs, untilNext)), wake);
  };
  const wake = (): void => {
    working = work();
  };

  return {
    store,
    storeLate: (sourceId, by, days) => queue.run(String(sourceId), () => storeLate(sourceId, by, days)),
    start: wake,
    stop: async () => {
      stopped = true;
      cancelSleep();
      await working;
      await queue.idle();
    },
  };
};
