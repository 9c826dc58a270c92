import { dateOf, dayMs, secondsPerDay } from '../../../domain/dates.js';
import { isIn, runsWhere } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import { latenessMs, type PointsOfDay, type PointsRule, type SliceValues } from '../../../domain/points.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { LocalClock } from '../../ports/localClock.js';
import type { BufferedPoint, PointBuffer } from '../../ports/pointBuffer.js';
import { foldDays } from '../imports/dayFolder.js';
import { InvalidInput, type SampledDay } from '../imports/faults.js';
import { daysOfReadings, type FoldedRegister } from '../imports/registerFolder.js';
import {
  countedReadings,
  fallWarnings,
  keptSlices,
  type CountedReadings,
  endOf,
  placeAt,
  sliceStart,
  startOf,
  withLostDays,
} from './sliceTimes.js';

/** A source with its clock, at an instant. */
export type Setting = {
  readonly source: SourceSetup;
  readonly clock: LocalClock;
  readonly nowMs: number;
  /** Instant up to which slices have elapsed, in seconds: the last point, or the present without the lateness. */
  readonly elapsedAt: number;
  /** Whether senders have time for what they kept in an outage of the service: no date closes. */
  readonly isResuming: boolean;
};

/** When the date closes, in ms since 1970. */
export const closesAtMs = ({ source, clock }: Pick<Setting, 'source' | 'clock'>, dayNumber: number): number =>
  Math.ceil(startOf(clock, dayNumber + 1) * 1000) + latenessMs(source);

/**
 * Whether a date is in progress. `days` that came since its midnight and had its last slice have closed it before its
 * end.
 */
export const isOpen = (
  { days }: { readonly days: Pick<ReadModels['days'], 'recent'> },
  setting: Setting,
  dayNumber: number,
): boolean => {
  const { source, clock, nowMs, isResuming } = setting;
  const day = days.recent(source.id, dateOf(dayNumber));
  if (closesAtMs(setting, dayNumber) <= nowMs) return isResuming && day?.inProgress !== undefined;
  return !(
    day?.inProgress === undefined && Date.parse(day?.importedAt ?? '') >= startOf(clock, dayNumber) * 1000
  );
};

/** Points are kept for a week after their date has closed. */
export const keptMs = 7 * dayMs;

/** Instant from which the buffer has all points, in seconds: two days more than dates that are not late. */
export const keptFrom = (source: Pick<SourceSetup, 'lateness'>, nowMs: number): number =>
  (nowMs - keptMs - latenessMs(source)) / 1000 - 2 * secondsPerDay;

/** How points change the days of a source. */
export const pointsRule = ({ activitySize, interpolationMethod, aggregation }: SourceSetup): PointsRule => {
  // Amounts of a register are spread where its readings are known.
  const interpolates = interpolationMethod === 'linear' && aggregation !== 'counter';
  return { activitySize, interpolates, ...(interpolates && { endsAtLast: true }) };
};

/** Where the points and the days of a source are. */
export type Reading = {
  readonly models: { readonly days: Pick<ReadModels['days'], 'wholeDayRevision' | 'recent'> } & Pick<
    ReadModels,
    'typicalDays'
  >;
  readonly buffer: PointBuffer;
};

/** Slices of a date that points change. */
export type ChangedDay = Pick<PointsOfDay, 'observed' | 'filled' | 'gaps'> & { readonly dayNumber: number };

/** The values of points by slice. */
export type Values = {
  /** By ascending day. */
  readonly changed: readonly ChangedDay[];
  readonly warnings: ImportSummary['warnings'];
  /** Whether the points wait for others: no slice between readings of a register is whole. */
  readonly waits: boolean;
};

/** Points of a source that are in memory at once; the others wait for the next turn. */
export const pointsAtOnce = 50_000;

/** Microseconds since 1970 of seconds. */
export const microsOf = (seconds: number): number => Math.round(seconds * 1e6);

/** The first microsecond after the present: readings from then on wait until their time has come. */
export const afterNow = ({ nowMs }: Pick<Setting, 'nowMs'>): number => 1000 * nowMs + 1;

/** Values of the slices that `isWanted`, as runs of those with a value. */
const runsOf = (values: readonly number[], isWanted: (slice: number) => boolean): SliceValues[] =>
  runsWhere(values.length, slice => isWanted(slice) && !Number.isNaN(values[slice])).map(([from, to]) => [
    from,
    values.slice(from, to),
  ]);

/** The slices of a sampled day that have values, of those that `isWanted`; undefined without any. */
export const changedDay = (
  { dayNumber, values, spread = [] }: SampledDay,
  isWanted: (slice: number) => boolean = () => true,
): ChangedDay | undefined => {
  const observed = runsOf(values, slice => isWanted(slice) && !isIn(spread, slice));
  const filled = runsOf(values, slice => isWanted(slice) && isIn(spread, slice));
  if (observed.length + filled.length === 0) return undefined;
  return { dayNumber, observed, ...(filled.length > 0 && { filled }) };
};

/** Day number of an instant in microseconds. */
const dayOf = ({ source, clock }: Setting, at: number): number =>
  placeAt(clock, source.activitySize, at / 1e6).dayNumber;

/** Ascending points, cut into parts of at most so many days. */
export const daysOfPoints = (
  setting: Setting,
  points: readonly BufferedPoint[],
  daysMax: number,
): readonly (readonly BufferedPoint[])[] => {
  const parts: BufferedPoint[][] = [];
  const days = new Set<number>();
  for (const point of points) {
    const day = dayOf(setting, point.at);
    if (parts.length === 0 || (!days.has(day) && days.size === daysMax)) {
      parts.push([]);
      days.clear();
    }
    days.add(day);
    parts.at(-1)!.push(point);
  }
  return parts;
};

/** Means or sums of the slices that points are in, from all points of these slices that count. */
const aggregated = async (
  { models, buffer }: Reading,
  setting: Setting,
  points: readonly BufferedPoint[],
): Promise<Values> => {
  const { source, clock } = setting;
  const { id, activitySize, aggregation } = source;
  const slices = new Map<number, Set<number>>();
  for (const { at } of points) {
    const { dayNumber, slice } = placeAt(clock, activitySize, at / 1e6);
    slices.set(dayNumber, (slices.get(dayNumber) ?? new Set()).add(slice));
  }
  const changed: ChangedDay[] = [];
  for (const [dayNumber, wanted] of slices) {
    // Points from before the event that set the whole day do not count.
    const whole = models.days.wholeDayRevision(id, dateOf(dayNumber));
    // All points of the day would be read again for each of its slices.
    const from = sliceStart(clock, activitySize, { dayNumber, slice: Math.min(...wanted) });
    const to = endOf(clock, activitySize, { dayNumber, slice: Math.max(...wanted) });
    const folder = foldDays({ activitySize, aggregation, clock });
    for (let next = microsOf(from), end = microsOf(to); next < end;) {
      const read = await buffer.between(id, next, end, pointsAtOnce);
      const counted = read.filter(({ base }) => base >= whole);
      folder.add(
        Float64Array.from(counted, ({ at }) => at / 1e6),
        Float64Array.from(counted, ({ value }) => value),
      );
      next = read.length < pointsAtOnce ? end : read.at(-1)!.at + 1;
    }
    const day = folder.finish().sampled.find(one => one.dayNumber === dayNumber);
    changed.push(...(day ? [changedDay(day, slice => wanted.has(slice)) ?? []].flat() : []));
  }
  return { changed, warnings: [], waits: false };
};

/** The most that the models of a counter allow in a slice, by which jumps of its register are known. */
export const expectedMax = (
  { typicalDays }: Pick<ReadModels, 'typicalDays'>,
  { id, aggregation }: Pick<SourceSetup, 'id' | 'aggregation'>,
): number | undefined => {
  if (aggregation !== 'counter') return undefined;
  const highest = typicalDays.list(id).flatMap(({ topTolerance }) => topTolerance);
  const most = highest.reduce((max, value) => Math.max(max, value), 0);
  return most > 0 ? most : undefined;
};

/** Days none of which was set as a whole. */
const neverWhole: Pick<ReadModels['days'], 'wholeDayRevision'> = { wholeDayRevision: () => -1 };

const readingOf = ({ at, value }: BufferedPoint) => ({ at: at / 1e6, value });

/** Readings that points of a register change the slices between, and the instants of these slices in seconds. */
const affectedBy = async (
  buffer: Pick<CountedReadings, 'between' | 'lastBefore' | 'firstFrom'>,
  { source: { activitySize }, clock }: Setting,
  points: readonly BufferedPoint[],
  id: number,
) => {
  const startAt = ({ at }: BufferedPoint) =>
    sliceStart(clock, activitySize, placeAt(clock, activitySize, at / 1e6));
  const endAt = ({ at }: BufferedPoint) => endOf(clock, activitySize, placeAt(clock, activitySize, at / 1e6));
  const [first, last] = [points[0]!, points.at(-1)!];
  const previous = (await buffer.lastBefore(id, first.at)) ?? first;
  const begin = startAt(previous);
  const before = await buffer.lastBefore(id, microsOf(begin) + 1);
  const next = (await buffer.firstFrom(id, last.at + 1)) ?? last;
  // The slice of the next reading is whole, and ends with the first reading after it.
  const after = await buffer.firstFrom(id, Math.max(last.at + 1, microsOf(endAt(next))));
  const end = after ? endAt(next) : startAt(next);
  const from = before ? before.at + 1 : microsOf(begin);
  const readings = await buffer.between(id, from, (after ?? next).at + 1);
  // Without a reading before it, points do not know the first slice.
  return { before, readings, begin, end, knownFrom: before ? begin : previous.at / 1e6 };
};

/**
 * The days of readings; when these are no register, all of them are given up: the earlier ones would make also
 * the next readings no register.
 * @throws InvalidInput `notCumulative`
 */
const daysOrGivenUp = async (
  buffer: Pick<PointBuffer, 'giveUp'>,
  key: number,
  rule: Parameters<typeof daysOfReadings>[1],
  { before, readings }: Awaited<ReturnType<typeof affectedBy>>,
): Promise<FoldedRegister> => {
  try {
    return daysOfReadings(readings.map(readingOf), rule, before && readingOf(before));
  } catch (error) {
    if (error instanceof InvalidInput) await buffer.giveUp(key, before ? [before, ...readings] : readings);
    throw error;
  }
};

/**
 * Differences of a register over the slices from the reading before new ones to the reading after them. Slices without
 * a value, as those of a reset, become gaps. Readings that are far apart change no slice that was measured.
 * @param key of the readings in the buffer; late ones count whatever had set their days
 * @throws InvalidInput `notCumulative`
 */
export const differences = async (
  { models, buffer }: Reading,
  setting: Setting,
  given: readonly BufferedPoint[],
  key: number = setting.source.id,
): Promise<Values> => {
  const { source, clock } = setting;
  const { activitySize, interpolationMethod } = source;
  const counted =
    key === source.id
      ? countedReadings({ models, buffer }, setting, afterNow(setting))
      : countedReadings({ models: { days: neverWhole }, buffer }, setting, Number.MAX_SAFE_INTEGER);
  const points = counted.of(given);
  if (points.length === 0) return { changed: [], warnings: [], waits: false };
  const affected = await affectedBy(counted, setting, points, key);
  const { before, readings, begin, end, knownFrom } = affected;
  if (end <= knownFrom) return { changed: [], warnings: [], waits: true };
  const rule = { activitySize, interpolationMethod, clock, expectedMax: expectedMax(models, source) };
  const folded = await daysOrGivenUp(buffer, key, rule, affected);
  const times = (before ? [before, ...readings] : readings).map(({ at }) => at / 1e6);
  const isKept = keptSlices(models, setting, times);
  const isBetween = (dayNumber: number, slice: number, from: number): boolean => {
    const start = sliceStart(clock, activitySize, { dayNumber, slice });
    return start >= from && start < end && !isKept(dayNumber, slice);
  };
  // Before that, readings between these two may have been forgotten.
  const gapsFrom = Math.max(knownFrom, keptFrom(source, setting.nowMs));
  const sampled = withLostDays(models, setting, folded.sampled, { from: gapsFrom, to: end });
  const changed = sampled.flatMap(day => {
    const { dayNumber, values } = day;
    const known = changedDay(day, slice => isBetween(dayNumber, slice, begin));
    const gaps = runsWhere(
      values.length,
      slice => Number.isNaN(values[slice]) && isBetween(dayNumber, slice, gapsFrom),
    );
    if (!known && gaps.length === 0) return [];
    return [{ dayNumber, observed: [], ...known, ...(gaps.length > 0 && { gaps }) }];
  });
  const more = await fallWarnings(counted, folded.warnings, { id: key, at: points.at(-1)!.at });
  return { changed, warnings: [...folded.warnings, ...more], waits: false };
};

/**
 * The slices that points change, by the aggregation of their source.
 * @param points ascending, of slices that have elapsed; of a counter all that wait
 */
export const valuesOf = (
  reading: Reading,
  setting: Setting,
  points: readonly BufferedPoint[],
): Promise<Values> =>
  setting.source.aggregation === 'counter'
    ? differences(reading, setting, points)
    : aggregated(reading, setting, points);

/** Seconds of a slice of a day of 24 hours. */
export const sliceSeconds = ({ activitySize }: Pick<SourceSetup, 'activitySize'>): number =>
  secondsPerDay / activitySize;
