import { LRUCache } from 'lru-cache';
import { dateOf } from '../../../domain/dates.js';
import { isIn } from '../../../domain/day.js';
import { days, daysPerPart, type ImportSummary } from '../../../domain/days.js';
import { latenessMs, type PointsOfDay } from '../../../domain/points.js';
import { streams } from '../../../domain/streams.js';
import { processManagerName } from '../../../domain/events.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { stateOf, derivedId } from '../../commands/commandHandler.js';
import { instantOf } from '../../ports/environment.js';
import { skippedSlices, type LocalClock } from '../../ports/localClock.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import { keyedQueue } from '../../ports/sharing/fairQueue.js';
import { plural } from '../../../domain/text.js';
import type { SampledDay } from '../imports/faults.js';
import { arrivals, isResuming, pointClock, type InSlot, type PointClockParts } from './pointClock.js';
import { lateKey, lateReadings, storeLateReadings } from './lateness.js';
import { oldPoints } from './oldPoints.js';
import type { Points } from './pointList.js';
import { placeAt, shownSince, slicesBefore, type Place } from './sliceTimes.js';
import {
  afterNow,
  changedDay,
  closesAtMs,
  daysOfPoints,
  isOpen,
  keptFrom,
  microsOf,
  pointsRule,
  sliceSeconds,
  valuesOf,
  type ChangedDay,
  type Setting,
  type Values,
} from './sliceValues.js';
import { elapsedOf, pointsOfDateMax, waitingPoints } from './waitingPoints.js';

/** Ids of the events that cause checks, and warnings about the points. */
export type StoredSlices = {
  readonly causes: readonly string[];
  readonly warnings: ImportSummary['warnings'];
  /** Whether nothing was stored yet, because points of closed dates are still coming. */
  readonly isComing?: true;
};

const nothingStored: StoredSlices = { causes: [], warnings: [] };

/** The warning that points wait, because corrections were stored less than the length of a slice before. */
const correctionsWait = (points: number, dueMs: number): StoredSlices['warnings'][number] => ({
  code: 'correctionsWait',
  detail:
    `${plural(points, 'point')} of slices that are stored already ${points === 1 ? 'changes' : 'change'} them at ` +
    `${new Date(dueMs).toISOString()}: corrections are stored once in the length of a slice`,
});

/** Moves points from the buffer to the log, slice by slice, and closes dates. */
export type PointWriter = {
  /**
   * Stores the slices of a source that have elapsed.
   * @throws InvalidInput `notCumulative` for readings of a counter that are no register; they are given up
   */
  readonly store: (sourceId: number) => Promise<StoredSlices>;
  /**
   * Stores slices of dates that the buffer does not keep any more, whatever these slices had.
   * @param readings of a register, which join those of other bodies; then `days` are not stored
   * @throws InvalidInput as `store`
   */
  readonly storeLate: (
    sourceId: number,
    by: string,
    days: readonly SampledPoints[],
    readings?: Points,
  ) => Promise<readonly string[]>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

/** Values of the slices of a date, NaN for those without points, and the number of its points. */
export type SampledPoints = SampledDay & { readonly points: number };

export type PointWriterParts = Omit<PointClockParts, 'store' | 'forget'> & {
  readonly models: Pick<ReadModels, 'sources' | 'days' | 'typicalDays'>;
  readonly buffer: PointBuffer;
  readonly caughtUp: () => Promise<void>;
  readonly clockOf: (timeZone: string) => LocalClock | undefined;
};

/** Sources whose last stored slice is remembered; a forgotten one may store a slice in two events. */
const rememberedMax = 10_000;

/** Everything of a date in an event but its values. */
const dateOfPoints = (
  models: Pick<ReadModels, 'days'>,
  setting: Setting,
  dayNumber: number,
): Omit<PointsOfDay, 'observed'> => {
  const { source, clock, elapsedAt } = setting;
  const skipped = skippedSlices(clock, dayNumber, source.activitySize);
  const closesAt = closesAtMs(setting, dayNumber);
  const elapsed = slicesBefore(clock, source.activitySize, dayNumber, elapsedAt);
  return {
    date: dateOf(dayNumber),
    ...(skipped.length > 0 && { skipped }),
    ...(isOpen(models, setting, dayNumber) && {
      inProgress: { elapsed, closesAt: new Date(closesAt).toISOString() },
    }),
  };
};

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
  return [...new Set(affected)].map(number => ({ ...dateOfPoints({ days }, setting, number), observed: [] }));
};

/** A list cut into parts. */
const inParts = <One>(all: readonly One[], size: number): readonly One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, part) =>
    all.slice(part * size, (part + 1) * size),
  );

/**
 * A writer of points, with the clock that closes dates. It has more than 60 lines, because all its functions share the
 * setting of a source and the append.
 */
export const pointWriter = (parts: PointWriterParts): PointWriter => {
  const { models, buffer, handle, caughtUp, clockOf, environment } = parts;
  const queue = keyedQueue();
  const reading = { models, buffer };
  /** Last slice that was stored of each source, and corrections of earlier ones: when, and after which days. */
  const stored = new LRUCache<number, { readonly place: Place; readonly correctedMs: number; base: number }>({
    max: rememberedMax,
  });

  const settingOf = (sourceId: number, lastAt: number): Setting | undefined => {
    const source = models.sources.setup(sourceId);
    const clock = source && clockOf(source.timeZone);
    if (!source || !clock) return undefined;
    const nowMs = environment.nowMs();
    const elapsedAt = Math.max(lastAt, (nowMs - latenessMs(source)) / 1000);
    return { source, clock, nowMs, elapsedAt, isResuming: isResuming(source, parts.resumedAt(), nowMs) };
  };

  /** The setting of a source whose points enter the log: those of an archived one wait until it is restored. */
  const activeSettingOf = (sourceId: number, lastAt: number): Setting | undefined => {
    const setting = settingOf(sourceId, lastAt);
    return setting?.source.archivedAt === null ? setting : undefined;
  };

  /**
   * Appends changed dates.
   * @param about `changes` is absent for values that replace whatever their slices have
   * @returns the id of the event, absent when it is stored already, and whether the days have changed meanwhile
   */
  const append = async (
    setting: Setting,
    by: string,
    changed: readonly ChangedDay[],
    { points, warnings, changes }: Pick<Values, 'warnings'> & { points: number; changes?: number },
  ): Promise<{ readonly id: string | undefined; readonly isOutdated: boolean }> => {
    const sourceId = setting.source.id;
    const dates = changed.map(({ dayNumber, ...values }) => ({
      ...dateOfPoints(models, setting, dayNumber),
      ...values,
    }));
    const numbers = changed.map(({ dayNumber }) => dayNumber);
    const all = [...dates, ...neighboursOf(models, setting, numbers)];
    const importId = derivedId('points', sourceId, JSON.stringify(all));
    const rule = pointsRule(setting.source);
    const told = { ...(warnings.length > 0 && { warnings }), ...(changes !== undefined && { changes }) };
    const command = { type: 'ImportPoints', sourceId, importId, rule, days: all, points, ...told } as const;
    const id = environment.newId();
    const metadata = { id, isRetry: false, by, cause: id, correlation: id, at: instantOf(environment) };
    const { events, state } = await handle(days, streams.days(sourceId), command, metadata);
    await caughtUp();
    return {
      id: events[0]?.id,
      isOutdated: events.length === 0 && all.length > 0 && state.points !== importId,
    };
  };

  /** Stores points of elapsed slices, computed from what the log and the buffer have then. */
  const storePart = async (setting: Setting, given: readonly BufferedPoint[]): Promise<StoredSlices> => {
    const { id } = setting.source;
    const [first, last] = [given[0]!.at, given.at(-1)!.at];
    for (let part = given; part.length > 0;) {
      // The log is read before the buffer, so values that are appended have all points of the event before.
      const { changes } = await stateOf({ handle }, days, streams.days(id));
      await caughtUp();
      const values = await valuesOf(reading, setting, part);
      const { changed, warnings, waits } = values;
      if (changed.length === 0 && waits) return nothingStored;
      const about = { warnings, points: part.length, changes };
      const { id: cause, isOutdated } = await append(setting, await by(id), changed, about);
      if (!isOutdated) {
        await buffer.stored(id, part);
        return { causes: cause === undefined ? [] : [cause], warnings };
      }
      const waiting = await buffer.waiting(id, pointsOfDateMax, last + 1);
      part = waiting.filter(({ at }) => first <= at);
    }
    return nothingStored;
  };

  const isAfter = (place: Place, other: Place): boolean =>
    place.dayNumber > other.dayNumber || (place.dayNumber === other.dayNumber && place.slice > other.slice);

  /** Whether points are in a slice after the stored ones, or on a closed date; else they correct what is stored. */
  const isNewPart = (setting: Setting, elapsed: readonly BufferedPoint[]): boolean => {
    const { source, clock, nowMs } = setting;
    const last = stored.get(source.id)?.place;
    return elapsed.some(({ at }) => {
      const place = placeAt(clock, source.activitySize, at / 1e6);
      return !last || isAfter(place, last) || closesAtMs(setting, place.dayNumber) <= nowMs;
    });
  };

  /** The event that had set the whole day of points when they came, the last one of them; `known` if none is later. */
  const baseOf = (points: readonly BufferedPoint[], known = -1): number =>
    points.reduce((last, { base }) => Math.max(last, base), known);

  /**
   * When points are stored, 0 for now; a slice has room for one event of corrections, or a feed would fill the log.
   * The first points after a whole day was set or taken back do not wait.
   */
  const dueMs = (setting: Setting, points: readonly BufferedPoint[]): number => {
    const known = stored.get(setting.source.id);
    if (!known || isNewPart(setting, points) || baseOf(points) > known.base) return 0;
    return known.correctedMs + 1000 * sliceSeconds(setting.source);
  };

  const remember = (setting: Setting, points: readonly BufferedPoint[]): void => {
    const { source, clock, nowMs } = setting;
    const known = stored.get(source.id);
    const end = placeAt(clock, source.activitySize, points.at(-1)!.at / 1e6);
    // Points of a closed date may end before it.
    const place = known && isAfter(known.place, end) ? known.place : end;
    const base = baseOf(points, known?.base);
    stored.set(
      source.id,
      known && !isNewPart(setting, points)
        ? { ...known, base, correctedMs: nowMs }
        : { place, base, correctedMs: known?.correctedMs ?? -Infinity },
    );
  };

  const areComing = arrivals({ ...reading, environment });
  const storeElapsed = async (sourceId: number, waitsForMore = false): Promise<StoredSlices> => {
    await caughtUp();
    // A point from the future of a wrong clock ends no slice.
    const last = await buffer.lastBefore(sourceId, afterNow({ nowMs: environment.nowMs() }));
    const setting = activeSettingOf(sourceId, last ? last.at / 1e6 : -Infinity);
    if (!setting) return nothingStored;
    const isCounter = setting.source.aggregation === 'counter';
    // Points of the present slice may be many, and stay in the buffer until it ends.
    const end = isCounter
      ? afterNow(setting)
      : microsOf(shownSince(setting.clock, setting.source.activitySize, setting.elapsedAt));
    const { points, hasMore } = await waitingPoints(buffer, setting, end);
    const elapsed = isCounter ? points : elapsedOf(setting, points);
    // Late readings of a register that are stored meanwhile would be replaced.
    if (waitsForMore && !isCounter && (await areComing(setting, elapsed, hasMore)))
      return { ...nothingStored, isComing: true };
    if (elapsed.length === 0) return nothingStored;
    const { nowMs, source } = setting;
    const due = isCounter ? 0 : dueMs(setting, elapsed);
    if (due > nowMs) return { causes: [], warnings: [correctionsWait(elapsed.length, due)] };
    let all: StoredSlices = nothingStored;
    for (const part of daysOfPoints(setting, elapsed, daysPerPart)) {
      const { causes, warnings } = await storePart(setting, part);
      all = { causes: [...all.causes, ...causes], warnings: [...all.warnings, ...warnings] };
      await environment.nextTurn();
    }
    if (!isCounter) remember(setting, elapsed);
    await buffer.forget(sourceId, microsOf(keptFrom(source, nowMs)));
    const [next] = hasMore ? await buffer.waiting(sourceId, 1) : [];
    // Points that wait for the next start of a slice are not settled.
    if (!next || next.at <= points[0]!.at) return all;
    const more = await storeElapsed(sourceId);
    return { causes: [...all.causes, ...more.causes], warnings: [...all.warnings, ...more.warnings] };
  };

  const by = async (sourceId: number): Promise<string> =>
    (await buffer.writer(sourceId)) ?? processManagerName;

  const appendLate = async (
    setting: Setting,
    by: string,
    days: readonly ChangedDay[],
    points: number,
  ): Promise<readonly string[]> => {
    const causes: string[] = [];
    for (const changed of inParts(days, daysPerPart)) {
      causes.push((await append(setting, by, changed, { points, warnings: [] })).id ?? '');
      await environment.nextTurn();
    }
    return causes.filter(cause => cause !== '');
  };

  /** Stores the late readings of a register that wait in the buffer. */
  const storeReadings = async (sourceId: number): Promise<readonly string[]> => {
    await caughtUp();
    const setting = activeSettingOf(sourceId, -Infinity);
    let causes: readonly string[] = [];
    if (setting)
      await storeLateReadings(reading, setting, async (changed, points) => {
        causes = await appendLate(setting, await by(lateKey(sourceId)), changed, points);
      });
    return causes;
  };

  const storeLate = async (
    sourceId: number,
    client: string,
    sampled: readonly SampledPoints[],
    readings?: Points,
  ): Promise<readonly string[]> => {
    if (readings) {
      await buffer.add({ sourceId: lateKey(sourceId), by: client, points: lateReadings(readings) });
      return storeReadings(sourceId);
    }
    await caughtUp();
    const setting = settingOf(sourceId, -Infinity);
    const points = sampled.reduce((sum, day) => sum + day.points, 0);
    return setting
      ? appendLate(
          setting,
          client,
          sampled.flatMap(day => changedDay(day) ?? []),
          points,
        )
      : [];
  };

  const store = (sourceId: number) => queue.run(String(sourceId), () => storeElapsed(sourceId));
  const storeWaiting = (key: number, inSlot: InSlot): Promise<boolean> =>
    queue.run(String(Math.abs(key)), () =>
      inSlot(async () => {
        if (key > 0) return (await storeElapsed(key, true)).isComing !== true;
        await storeReadings(-key);
        return true;
      }),
    );
  const clock = pointClock({ ...parts, store: storeWaiting, forget: oldPoints(parts) });

  return {
    store,
    storeLate: (sourceId, ...late) => queue.run(String(sourceId), () => storeLate(sourceId, ...late)),
    start: clock.start,
    stop: async () => {
      await clock.stop();
      await queue.idle();
    },
  };
};
